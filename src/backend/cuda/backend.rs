//! The backend for CUDA: this folder is the only door to cudarc and the driver.
//!
//! Nothing of CUDA is needed to build. The driver and NVRTC are loaded when they are asked for, and what is missing is said in one
//! sentence. Twins are compiled for the very card that is found, and everything runs in order in one stream.

#![expect(
    unsafe_code,
    reason = "the driver is a C library: its functions take pointers, and kernels write where these lead"
)]

mod array;
mod cublas;
mod device;
mod driver;
mod memory;
mod nvrtc;
mod prepared;
mod query;

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use super::background::{self, Ahead, Work};
use super::{Backend, Device, Prepared, Task};
use crate::error::{Error, Result};
use crate::job::{Buffer, Checks, Job, Kernel, Language, POISON, Step};
use crate::shader::twin;
use array::Array;
use cublas::Blas;
pub use device::{CudaDevice, devices};
use driver::{Context, Module};
use memory::{Memory, Pinned};
pub use nvrtc::{Compiled, Compiler};
use prepared::CudaJob;

/// Bytes that travel between host and device in one piece, through pinned memory.
const PIECE: usize = 32 << 20;

/// An open CUDA device.
pub struct CudaBackend {
    found: CudaDevice,
    compiler: Compiler,
    target: String,
    gpu: Gpu,
    /// Compiled kernels. Each job loads its own copy, whose constant memory is thereby its own.
    images: HashMap<u64, Rc<Vec<u8>>>,
    /// Those that are being compiled.
    ahead: Option<Ahead<Vec<u8>>>,
    /// Inputs of the job before, which the next one often shares.
    inputs: Vec<(Buffer, Rc<Memory>)>,
    /// Opened when a job asks for it first.
    blas: Option<Rc<Blas>>,
}

impl CudaBackend {
    /// Opens `found`. A submission that takes longer than `patience` counts as hung.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is no compiler, or one that does not fit driver and device, or where the driver refuses.
    pub fn open(mut found: CudaDevice, patience: Duration) -> Result<Self> {
        let compiler = Compiler::find(&[])?;
        let target = compiler.target(found.capability)?;
        let (major, minor) = compiler.version();
        if i64::from(major) > i64::from(found.version / 1000) {
            return Err(Error::NoDevice(format!(
                "NVRTC {major}.{minor} compiles for drivers of CUDA {major}, and NVIDIA's driver knows {}: update the driver, or install \
                 the NVRTC of its version",
                device::cuda_version(found.version)
            )));
        }
        found.device.driver = format!("{}, NVRTC {major}.{minor}", found.device.driver);
        let gpu = opened(&found, patience)?;
        Ok(Self { found, compiler, target, gpu, images: HashMap::new(), ahead: None, inputs: Vec::new(), blas: None })
    }

    /// The kernel's machine code.
    fn image(&mut self, kernel: &Kernel) -> Result<Rc<Vec<u8>>> {
        let key = kernel.key(Language::Cuda);
        if let Some(ahead) = &mut self.ahead {
            ahead.receive(key, |key, image| {
                self.images.insert(key, Rc::new(image));
            });
        }
        if let Some(image) = self.images.get(&key) {
            return Ok(Rc::clone(image));
        }
        let image = Rc::new(self.compiler.compile(&kernel.cuda, &self.target)?.image);
        self.images.insert(key, Rc::clone(&image));
        Ok(image)
    }

    /// Allocates the job's buffers; inputs that the job before had too are shared with it, the others are returned to be filled.
    fn allocate(&mut self, job: &Job) -> Result<(Vec<Rc<Memory>>, Vec<usize>)> {
        if job.buffers.iter().any(Buffer::is_shareable) {
            self.inputs.retain(|(kept, _)| {
                job.buffers.iter().any(|buffer| buffer.is_shareable() && kept.is_same_input(buffer))
            });
        }
        let (mut buffers, mut to_fill) = (Vec::new(), Vec::new());
        for (place, buffer) in job.buffers.iter().enumerate() {
            if let Some((_, kept)) =
                self.inputs.iter().find(|(kept, _)| buffer.is_shareable() && kept.is_same_input(buffer))
            {
                buffers.push(Rc::clone(kept));
                continue;
            }
            if buffer.is_on_host() {
                let mut pinned = Pinned::new(&self.gpu.context, buffer.bytes as usize)?;
                buffer.fill(0, pinned.bytes_mut());
                buffers.push(Rc::new(Memory::on_host(pinned)?));
                continue;
            }
            let allocated = Rc::new(Memory::new(&self.gpu.context, buffer.bytes)?);
            if buffer.is_shareable() {
                self.inputs.push((buffer.clone(), Rc::clone(&allocated)));
            }
            buffers.push(allocated);
            to_fill.push(place);
        }
        Ok((buffers, to_fill))
    }

    /// cuBLAS in this context.
    fn blas(&mut self) -> Result<Rc<Blas>> {
        if let Some(blas) = &self.blas {
            return Ok(Rc::clone(blas));
        }
        let blas = Blas::open(&self.gpu.context)?;
        self.blas = Some(Rc::clone(&blas));
        Ok(blas)
    }

    /// The job's buffers as they are before the first launch.
    fn filled(&mut self, job: &Job) -> Result<Vec<Rc<Memory>>> {
        let (buffers, to_fill) = self.allocate(job)?;
        for place in to_fill {
            let (spec, memory) = (&job.buffers[place], &buffers[place]);
            if spec.is_output() {
                self.gpu.context.fill(memory, POISON)?;
            } else {
                self.gpu.upload(spec, memory)?;
            }
        }
        self.gpu.context.wait()?;
        Ok(buffers)
    }

    fn prepared(&mut self, job: &Job) -> Result<CudaJob> {
        self.found.device.check(job)?;
        if job.kernel.checks != Checks::default() {
            return Err(Error::Unsupported("CUDA adds no run-time checks".to_owned()));
        }
        if job.kernel.cuda.is_empty() && !job.kernel.is_empty() {
            let name = job.label.split(' ').next().unwrap_or_default();
            return Err(Error::Unsupported(format!("{name} has no CUDA twin")));
        }
        let (needs, has) = (job.kernel.dynamic_bytes, self.found.max_dynamic_bytes);
        if needs > has {
            return Err(Error::Unsupported(format!("needs {needs} bytes of shared memory, the device has {has}")));
        }
        self.gpu.context.enter()?;
        let module = if job.kernel.is_empty() {
            None
        } else {
            let image = self.image(&job.kernel)?;
            let module = Module::load(&self.gpu.context, &image, twin::ENTRY_POINT)?;
            if job.kernel.dynamic_bytes > 0 {
                module.allow(job.kernel.dynamic_bytes)?;
            }
            Some(module)
        };
        // What could not be allocated or filled is nothing to share.
        let buffers = self.filled(job).inspect_err(|_| self.inputs.clear())?;
        let is_sampled = !job.kernel.interface.samplers.is_empty();
        let mut arrays = HashMap::new();
        for (place, spec) in job.buffers.iter().enumerate() {
            if let Some(texture) = spec.texture() {
                let array = Array::new(&self.gpu.context, texture, is_sampled)?;
                array.take(&buffers[place], array.row_bytes())?;
                arrays.insert(place, array);
            }
        }
        self.gpu.context.wait()?;
        let is_library = |step: &Step| matches!(step, Step::Library { .. });
        let blas = if job.steps.iter().any(is_library) { Some(self.blas()?) } else { None };
        CudaJob::new(self.gpu.clone(), (module, blas), job, buffers, arrays)
    }
}

impl Backend for CudaBackend {
    fn device(&self) -> &Device {
        &self.found.device
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        Box::pin(async move {
            let prepared = unpanicked(|| self.prepared(job))?;
            Ok(Box::new(prepared) as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            self.inputs.clear();
            self.blas = None;
            self.gpu.context.close();
            self.gpu = opened(&self.found, self.gpu.context.patience()).map_err(|error| {
                // After an illegal address NVIDIA's driver refuses everything that the process asks for.
                let advice = "where the driver holds a fault against the whole process, run what is left anew";
                Error::NoDevice(format!("{error} ({advice})"))
            })?;
            Ok(())
        })
    }

    fn compile_ahead(&mut self, jobs: &[Job]) {
        // NVRTC takes a tenth of a second for each.
        let kernels = background::kernels(&self.found.device, jobs, self.images.keys().copied().collect());
        let programs =
            kernels.into_iter().filter(|(_, kernel)| kernel.checks == Checks::default()).map(|(key, kernel)| {
                let (compiler, target, program) = (self.compiler.clone(), self.target.clone(), kernel.cuda.clone());
                let work: Work<Vec<u8>> = Box::new(move || Some(compiler.compile(&program, &target).ok()?.image));
                (key, work)
            });
        self.ahead = Some(Ahead::start(programs.collect()));
    }

    fn release(&mut self) {
        self.inputs.clear();
    }
}

fn opened(found: &CudaDevice, patience: Duration) -> Result<Gpu> {
    unpanicked(|| Gpu::open(found.ordinal, patience)).map_err(|error| match error {
        Error::NoDevice(_) => error,
        error => Error::NoDevice(format!("{} (cuda) cannot be opened: {error}", found.device.name)),
    })
}

/// cudarc panics where the driver lacks a symbol: that is an answer, not a crash.
fn unpanicked<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let lacks = || Error::Validation("NVIDIA's driver lacks a call that is needed here: update the driver".to_owned());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(lacks()))
}

/// A context, and the pinned memory through which large buffers travel.
#[derive(Clone)]
struct Gpu {
    context: Rc<Context>,
    staging: Rc<RefCell<Pinned>>,
}

impl Gpu {
    fn open(ordinal: i32, patience: Duration) -> Result<Self> {
        let context = Context::open(query::device(ordinal)?, patience)?;
        let staging = Rc::new(RefCell::new(Pinned::new(&context, PIECE)?));
        Ok(Self { context, staging })
    }

    /// Uploads what `spec` starts with, piece by piece.
    fn upload(&self, spec: &Buffer, memory: &Memory) -> Result<()> {
        let mut staging = self.staging.borrow_mut();
        for offset in (0..spec.bytes.min(memory.bytes)).step_by(PIECE) {
            let length = (spec.bytes - offset).min(PIECE as u64) as usize;
            spec.fill(offset, &mut staging.bytes_mut()[..length]);
            // SAFETY: the memory is at least as long as the buffer, of which this is a piece.
            unsafe { self.context.send(&staging.bytes()[..length], memory.address + offset)? };
            self.context.wait()?;
        }
        Ok(())
    }

    /// Hands the first `bytes` of `memory` to `sink`, piece by piece.
    fn read(&self, memory: &Memory, bytes: u64, sink: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        let mut staging = self.staging.borrow_mut();
        for offset in (0..bytes).step_by(PIECE) {
            let length = (bytes - offset).min(PIECE as u64);
            self.context.receive(memory, offset, &mut staging, length)?;
            self.context.wait()?;
            sink(offset, &staging.bytes()[..length as usize]);
        }
        Ok(())
    }
}

/// The compiler's log runs over many lines; a row of a report has one.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
