//! The CUDA backend.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use super::array::Array;
use super::cubin::code_bytes;
use super::device::CudaDevice;
use super::gpu::Gpu;
use super::host::{self, Host};
use super::library::Libraries;
use super::memory::{Memory, Pinned};
use super::module::Module;
use super::prepared::CudaJob;
use super::query;
use super::steps;
use super::twins::{Image, Twins};
use crate::backend::activity;
use crate::backend::background::{self, BackgroundCompiler, Work};
use crate::backend::{Backend, Device, Prepared, Statistics, Task, spacers};
use crate::job::{Job, JobBuffer, Kernel, Language, POISON};
use crate::shader::twin;
use record::error::{Error, Result};

/// An open CUDA device.
pub struct CudaBackend {
    found: CudaDevice,
    twins: Twins,
    gpu: Gpu,
    /// Compiled kernels. Each job loads its own copy, with its own constant memory.
    images: HashMap<u64, Rc<Image>>,
    background: Option<BackgroundCompiler<Image>>,
    /// The driver's figures for loaded kernels by [`Kernel::key`] and dynamic shared memory: occupancy depends on this
    /// memory, the code does not.
    statistics: HashMap<(u64, u32), Statistics>,
    /// Inputs of the previous job: the next job often has the same.
    inputs: Vec<(JobBuffer, Rc<Memory>)>,
    /// Unused memory that shifts later allocations.
    spacers: Vec<Memory>,
    libraries: Libraries,
    /// Other cards, by their offset from this one, opened when a job first needs them.
    peers: HashMap<u32, Gpu>,
}

impl CudaBackend {
    /// Opens `found`. A submission that takes longer than `timeout` counts as hung.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if NVRTC is missing or does not match driver and device and no embedded PTX replaces it, or
    /// if the driver refuses.
    pub fn open(mut found: CudaDevice, timeout: Duration) -> Result<Self> {
        let twins = Twins::of(&found)?;
        found.device.driver = format!("{}, {}", found.device.driver, twins.name());
        let gpu = open(&found, timeout)?;
        Ok(Self {
            found,
            twins,
            gpu,
            images: HashMap::new(),
            background: None,
            statistics: HashMap::new(),
            inputs: Vec::new(),
            spacers: Vec::new(),
            libraries: Libraries::default(),
            peers: HashMap::new(),
        })
    }

    /// The kernel's machine code, or PTX.
    fn image(&mut self, kernel: &Kernel) -> Result<Rc<Image>> {
        let key = kernel.key(Language::Cuda);
        if let Some(background) = &mut self.background {
            background.receive(key, |key, image| {
                self.images.insert(key, Rc::new(image));
            });
        }
        if let Some(image) = self.images.get(&key) {
            return Ok(Rc::clone(image));
        }
        let image = Rc::new(self.twins.image(&kernel.cuda, &twin::entries(&kernel.interface))?);
        self.images.insert(key, Rc::clone(&image));
        Ok(image)
    }

    /// Allocates the job's buffers, except cached inputs of the previous job. Returns the indices to fill.
    fn allocate(&mut self, job: &Job) -> Result<(Vec<Rc<Memory>>, Vec<usize>)> {
        if job.buffers.iter().any(JobBuffer::is_shareable) {
            self.inputs.retain(|(cached, _)| {
                job.buffers.iter().any(|buffer| buffer.is_shareable() && cached.is_same_input(buffer))
            });
        }
        let (mut buffers, mut to_fill) = (Vec::new(), Vec::new());
        for (index, buffer) in job.buffers.iter().enumerate() {
            if let Some((_, memory)) =
                self.inputs.iter().find(|(cached, _)| buffer.is_shareable() && cached.is_same_input(buffer))
            {
                buffers.push(Rc::clone(memory));
                continue;
            }
            if let Some(places) = buffer.peer() {
                let peer = self.peer(places)?;
                peer.context.enter()?;
                let memory = Rc::new(Memory::new(&peer.context, buffer.bytes)?);
                if buffer.is_output() { memory.fill(POISON) } else { peer.upload(buffer, &memory) }?;
                peer.context.wait()?;
                self.gpu.context.enter()?;
                buffers.push(memory);
                continue;
            }
            if buffer.is_on_host() {
                let mut pinned = Pinned::new(&self.gpu.context, buffer.bytes as usize)?;
                buffer.fill(0, pinned.bytes_mut()?);
                buffers.push(Rc::new(Memory::on_host(pinned)?));
                continue;
            }
            let allocated = Rc::new(Memory::guarded(&self.gpu.context, buffer.bytes, buffer.guard)?);
            if buffer.is_shareable() {
                self.inputs.push((buffer.clone(), Rc::clone(&allocated)));
            }
            buffers.push(allocated);
            to_fill.push(index);
        }
        Ok((buffers, to_fill))
    }

    /// The card at this offset from this one, with access in both directions. Offset 0 is this card in a second
    /// context, which can access all memory of the card anyway.
    fn peer(&mut self, places: u32) -> Result<Gpu> {
        if let Some(peer) = self.peers.get(&places) {
            return Ok(peer.clone());
        }
        let cards = query::count();
        let ordinal = self.found.ordinal;
        let other = (i64::from(ordinal) + i64::from(places)).rem_euclid(i64::from(cards.max(1))) as i32;
        if places > 0 && i64::from(places) >= i64::from(cards) {
            let needs = i64::from(places) + 1;
            return Err(Error::Unsupported(format!("needs {needs} cards, but the driver lists only {cards}")));
        }
        let peer = Gpu::open(other, self.gpu.context.timeout())?;
        let connected = if places == 0 { Ok(()) } else { peer.context.access(&self.gpu.context) };
        self.gpu.context.enter()?;
        connected?;
        if places > 0 {
            self.gpu.context.access(&peer.context)?;
        }
        self.peers.insert(places, peer.clone());
        Ok(peer)
    }

    fn filled(&mut self, job: &Job) -> Result<Vec<Rc<Memory>>> {
        let (buffers, to_fill) = self.allocate(job)?;
        for index in to_fill {
            let (spec, memory) = (&job.buffers[index], &buffers[index]);
            memory.fill_guards(POISON)?;
            if spec.is_output() {
                memory.fill(POISON)?;
            } else {
                self.gpu.upload(spec, memory)?;
            }
        }
        self.gpu.context.wait()?;
        Ok(buffers)
    }

    fn prepared(&mut self, job: &Job) -> Result<CudaJob> {
        self.found.device.check(job)?;
        host::check(job)?;
        steps::check(&job.steps, &job.end_to_end)?;
        if job.kernel.cuda.is_empty() && !job.kernel.is_empty() {
            let name = job.label.split(' ').next().unwrap_or_default();
            return Err(Error::Unsupported(format!("{name} has no CUDA port")));
        }
        let (needs, has) = (job.kernel.dynamic_bytes, self.found.max_dynamic_bytes);
        if needs > has {
            return Err(Error::Unsupported(format!("needs {needs} bytes of shared memory, but the device has {has}")));
        }
        self.gpu.context.enter()?;
        let module = if job.kernel.is_empty() {
            None
        } else {
            let _compiling = activity::compiling();
            let image = self.image(&job.kernel)?;
            // SAFETY: `image` came from `Compiler::compile`, or from an archive whose texts end with a zero byte.
            let module = unsafe { Module::load(&self.gpu.context, &image.code, &image.names)? };
            if job.kernel.dynamic_bytes > 0 {
                module.allow_dynamic_bytes(job.kernel.dynamic_bytes)?;
            }
            let (interface, warps) = (&job.kernel.interface, self.found.warps);
            let reported = || {
                let reported = module.statistics(interface, job.kernel.dynamic_bytes, warps);
                let reported = Statistics { binary_bytes: code_bytes(&image.code, &image.names), ..reported };
                if self.found.capability >= 70 { reported.counted_by_16_bytes() } else { reported }
            };
            self.statistics.entry(statistics_key(&job.kernel)).or_insert_with(reported);
            Some(module)
        };
        // After an error, the cached inputs may be incomplete.
        let buffers = self.filled(job).inspect_err(|_| self.inputs.clear())?;
        let is_sampled = !job.kernel.interface.samplers.is_empty();
        let mut arrays = HashMap::new();
        for (index, spec) in job.buffers.iter().enumerate() {
            if let Some(texture) = spec.texture() {
                let array = Array::new(&self.gpu.context, texture, is_sampled)?;
                array.copy_from(&buffers[index], array.row_bytes())?;
                arrays.insert(index, array);
            }
        }
        self.gpu.context.wait()?;
        let lies_there = |(index, buffer): (usize, &JobBuffer)| Some((index, self.peers.get(&buffer.peer()?)?.clone()));
        let peers = job.buffers.iter().enumerate().filter_map(lies_there).collect();
        let host = Host::of(&self.twins, job)?;
        CudaJob::new(self.gpu.clone(), (module, &mut self.libraries, host), job, (buffers, peers), arrays)
    }
}

impl Backend for CudaBackend {
    fn device(&self) -> &Device {
        &self.found.device
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        Box::pin(async move {
            let prepared = catch_panic(|| self.prepared(job))?;
            Ok(Box::new(prepared) as Box<dyn Prepared>)
        })
    }

    fn statistics(&mut self, kernel: &Kernel) -> Statistics {
        self.statistics.get(&statistics_key(kernel)).copied().unwrap_or_default()
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            self.inputs.clear();
            self.spacers.clear();
            self.libraries = Libraries::default();
            self.peers.drain().for_each(|(_, peer)| peer.context.close());
            self.gpu.context.close();
            self.gpu = open(&self.found, self.gpu.context.timeout()).map_err(|error| {
                // After an illegal address, drivers of CUDA 13 reject every later call of the process.
                let advice = "some faults make the driver reject all later work: run the remaining cases with --resume";
                Error::NoDevice(format!("{error} ({advice})"))
            })?;
            Ok(())
        })
    }

    fn compile_in_background(&mut self, jobs: &[Job]) {
        let Twins::Nvrtc { compiler, target, .. } = &self.twins else { return };
        // NVRTC takes about 0.1 s per kernel.
        let kernels = background::kernels(&self.found.device, jobs, self.images.keys().copied().collect());
        let programs = kernels.into_iter().map(|(key, kernel)| {
            let (compiler, target, program) = (compiler.clone(), target.clone(), kernel.cuda.clone());
            let entries = twin::entries(&kernel.interface);
            let work: Work<Image> = Box::new(move || Image::of(&compiler, &program, &target, &entries).ok());
            (key, work)
        });
        self.background = Some(BackgroundCompiler::start(programs.collect()));
    }

    fn move_to(&mut self, place: u64) -> Task<'_, ()> {
        Box::pin(async move {
            self.release();
            self.gpu.context.enter()?;
            let Some(spacers) = spacers(place, self.found.device.kind) else { return Ok(()) };
            // If they do not fit, allocations stay where they are.
            let on_device = spacers.on_device.into_iter();
            self.spacers = on_device.filter_map(|size| Memory::new(&self.gpu.context, size).ok()).collect();
            if let Ok(pinned) = Pinned::new(&self.gpu.context, spacers.on_host as usize) {
                self.spacers.extend(Memory::on_host(pinned));
            }
            Ok(())
        })
    }

    fn release(&mut self) {
        self.inputs.clear();
        self.spacers.clear();
        self.peers.clear();
    }
}

fn statistics_key(kernel: &Kernel) -> (u64, u32) {
    (kernel.key(Language::Cuda), kernel.dynamic_bytes)
}

fn open(found: &CudaDevice, timeout: Duration) -> Result<Gpu> {
    catch_panic(|| Gpu::open(found.ordinal, timeout)).map_err(|error| match error {
        Error::NoDevice(_) => error,
        error => Error::NoDevice(format!("{} (cuda) cannot be opened: {error}", found.device.name)),
    })
}

/// cudarc panics where the driver lacks a symbol.
fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let lacks = || Error::Validation("NVIDIA's driver lacks a required function: update the driver".to_owned());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(lacks()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use record::suite::Profile;

    #[test]
    fn statistics_of_one_code_differ_with_dynamic_shared_memory() {
        let request = Request::new(vec!["workgroup_memory/dynamic_size".to_owned()], Profile::Standard);
        let mut case = plan(&request).expect("a plan").swap_remove(0);
        let mut kernel = |bytes: u32| {
            case.shape.params.insert("SHARED_BYTES".to_owned(), f64::from(bytes));
            Job::new(&case).expect("valid").kernel
        };
        let (small, large) = (kernel(1024), kernel(32 << 10));
        assert_eq!(small.key(Language::Cuda), large.key(Language::Cuda), "the same code");
        assert_ne!(statistics_key(&small), statistics_key(&large));
    }
}
