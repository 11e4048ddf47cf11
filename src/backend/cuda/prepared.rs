//! A job on a CUDA device.

use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use web_time::Instant;

use super::Gpu;
use super::array::Array;
use super::cublas::Blas;
use super::driver::{Event, Module};
use super::memory::{Memory, Pinned};
use crate::backend::{Prepared, Sample, Task};
use crate::error::{Error, Result};
use crate::job::{self, Job, Kernel, POISON, Route, Scalar, Step};
use crate::shader::twin;
use crate::suite::Access;

/// Events that one submission may take: two around each stretch of dispatches.
const MAX_EVENTS: usize = 4096;

pub(super) struct CudaJob {
    gpu: Gpu,
    module: Option<Module>,
    blas: Option<Rc<Blas>>,
    block: [u32; 3],
    dynamic_bytes: u32,
    specs: Vec<job::Buffer>,
    /// Buffers; for a texture its texels without a gap between rows, as the host sees them, copied from and to the array.
    buffers: Vec<Rc<Memory>>,
    arrays: HashMap<usize, Array>,
    steps: Vec<Bound>,
    end_to_end: Vec<Bound>,
    /// Times of a submission, in pairs; made when they are first needed.
    events: Vec<Event>,
    /// Host copies of what is uploaded from pageable memory, made before any clock starts.
    uploads: HashMap<usize, Vec<u8>>,
    /// The same in pinned memory.
    pinned: HashMap<usize, Pinned>,
    /// What was downloaded, by the buffer whose contents it stands for.
    received: HashMap<usize, Received>,
    runs_kernel: bool,
    is_host_timed: bool,
}

/// Memory of the host for what is downloaded.
enum Received {
    Pinned(Pinned),
    Pageable(Vec<u8>),
}

impl Received {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Pinned(pinned) => pinned.bytes(),
            Self::Pageable(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Pinned(pinned) => pinned.bytes_mut(),
            Self::Pageable(bytes) => bytes,
        }
    }
}

/// A step, with its kernel's arguments where it is a dispatch.
struct Bound {
    step: Step,
    arguments: Option<Arguments>,
}

/// The arguments of a launch.
struct Arguments {
    /// Their values, in words of eight bytes: addresses, and the contents of uniform buffers.
    values: Vec<Box<[u64]>>,
    /// Where each value lies: what the driver takes.
    pointers: Vec<*mut c_void>,
}

impl Arguments {
    fn new(values: Vec<Box<[u64]>>) -> Self {
        let pointers = values.iter().map(|value| value.as_ptr().cast_mut().cast()).collect();
        Self { values, pointers }
    }

    /// Holds the arguments against the sizes in bytes of the kernel's parameters: what the driver reads must be there.
    fn check(&self, sizes: &[usize], kernel: &Kernel) -> Result<()> {
        let bytes: Vec<usize> = self.values.iter().map(|value| 8 * value.len()).collect();
        let is_fitting = |(has, needs): (&usize, &usize)| *needs > 0 && needs <= has;
        if bytes.len() == sizes.len() && bytes.iter().zip(sizes).all(is_fitting) {
            return Ok(());
        }
        let names: Vec<_> = kernel.interface.bindings.iter().map(|binding| binding.name.as_str()).collect();
        Err(Error::Shader(format!(
            "the twin takes parameters of {sizes:?} bytes, and the bindings ({}) give {bytes:?}",
            names.join(", ")
        )))
    }
}

impl CudaJob {
    /// Binds a job to its buffers and fills the module's constants.
    pub(super) fn new(
        gpu: Gpu,
        (module, blas): (Option<Module>, Option<Rc<Blas>>),
        job: &Job,
        buffers: Vec<Rc<Memory>>,
        arrays: HashMap<usize, Array>,
    ) -> Result<Self> {
        let mut constants: HashMap<&str, usize> = HashMap::new();
        let sizes = module.as_ref().map(Module::parameters).unwrap_or_default();
        let mut bind = |step: &Step| {
            let arguments = match step {
                Step::Dispatch { buffers: places, .. } => {
                    let arguments = arguments(job, places, (&buffers, &arrays), &mut constants)?;
                    arguments.check(&sizes, &job.kernel)?;
                    Some(arguments)
                }
                _ => None,
            };
            Ok(Bound { step: step.clone(), arguments })
        };
        let steps = job.steps.iter().map(&mut bind).collect::<Result<_>>()?;
        let end_to_end = job.end_to_end.iter().map(&mut bind).collect::<Result<_>>()?;
        if let Some(module) = &module {
            for (name, place) in constants {
                fill_constant(&gpu, module, name, &job.buffers[place])?;
            }
        }
        let mut prepared = Self {
            gpu,
            module,
            blas,
            block: job.kernel.interface.workgroup_size,
            dynamic_bytes: job.kernel.dynamic_bytes,
            specs: job.buffers.clone(),
            buffers,
            arrays,
            steps,
            end_to_end,
            events: Vec::new(),
            uploads: HashMap::new(),
            pinned: HashMap::new(),
            received: HashMap::new(),
            runs_kernel: job.runs_kernel(),
            is_host_timed: job.is_host_timed(true),
        };
        for step in &job.steps {
            match step {
                Step::Send { from, route: Route::Queue, .. } => prepared.keep(*from),
                Step::Send { from, route: Route::Staging | Route::Pinned, .. } => prepared.pin(*from)?,
                Step::Receive { to, route, .. } => {
                    let bytes = prepared.specs[*to].bytes as usize;
                    let received = match route {
                        Route::Queue => Received::Pageable(vec![0; bytes]),
                        _ => Received::Pinned(Pinned::new(&prepared.gpu.context, bytes)?),
                    };
                    prepared.received.insert(*to, received);
                }
                _ => {}
            }
        }
        Ok(prepared)
    }

    /// Makes the host's copy of what a buffer starts with, in pageable memory.
    fn keep(&mut self, place: usize) {
        let spec = &self.specs[place];
        self.uploads.entry(place).or_insert_with(|| starting_bytes(spec));
    }

    /// The same in pinned memory.
    fn pin(&mut self, place: usize) -> Result<()> {
        let spec = &self.specs[place];
        let mut pinned = Pinned::new(&self.gpu.context, spec.bytes as usize)?;
        spec.fill(0, pinned.bytes_mut());
        self.pinned.insert(place, pinned);
        Ok(())
    }

    /// Copies the host's bytes over the start of a buffer. From pageable memory the driver stages them, as `cudaMemcpy` does.
    fn send(&self, bytes: &[u8], to: usize) -> Result<()> {
        let memory = &self.buffers[to];
        if bytes.len() as u64 > memory.bytes {
            return Err(Error::Validation("a copy to the device runs past its buffer".to_owned()));
        }
        // SAFETY: the memory is at least so long.
        unsafe { self.gpu.context.send(bytes, memory.address) }
    }

    /// Puts a step into the stream.
    fn issue(&mut self, place: usize, is_end_to_end: bool) -> Result<()> {
        let bound = if is_end_to_end { &self.end_to_end[place] } else { &self.steps[place] };
        let context = &self.gpu.context;
        match &bound.step {
            Step::Dispatch { groups, .. } => match (&self.module, &bound.arguments) {
                // SAFETY: `Arguments::check` held the arguments against the parameters. The kernel is one of the suite's own: tests run
                // each at odd sizes between guard zones that no access may reach.
                (Some(module), Some(arguments)) => unsafe {
                    context.launch(module, *groups, self.block, self.dynamic_bytes, &arguments.pointers)
                },
                _ => Ok(()),
            },
            Step::Library { routine, buffers } => {
                let Some(blas) = &self.blas else { return Ok(()) };
                let memory: Vec<&Memory> = buffers.iter().map(|place| self.buffers[*place].as_ref()).collect();
                let scalar = buffers.first().map_or(Scalar::F32, |place| self.specs[*place].scalar);
                blas.run(*routine, scalar, &memory)
            }
            Step::Restore { from, to } => context.copy(&self.buffers[*from], &self.buffers[*to]),
            Step::Clear(buffer) => context.fill(&self.buffers[*buffer], 0),
            Step::Upload(place) => self.uploads.get(place).map_or(Ok(()), |bytes| self.send(bytes, *place)),
            Step::Send { from, to, route: Route::Queue } => {
                self.uploads.get(from).map_or(Ok(()), |bytes| self.send(bytes, *to))
            }
            Step::Send { from, to, route: Route::Staging | Route::Pinned } => {
                self.pinned.get(from).map_or(Ok(()), |pinned| self.send(pinned.bytes(), *to))
            }
            Step::CopyRows { from, to } => match (self.arrays.get(from), self.arrays.get(to)) {
                (None, Some(array)) => array.take(&self.buffers[*from], self.pitch(*to)),
                (Some(array), None) => array.give(&self.buffers[*to], self.pitch(*from)),
                _ => Err(Error::Validation("rows are copied between a buffer and a texture".to_owned())),
            },
            Step::Send { route: Route::Mapped | Route::Held, .. } => Ok(()),
            Step::Receive { from, to, .. } => {
                let (bytes, from) = (self.specs[*from].bytes, &self.buffers[*from]);
                match self.received.get_mut(to) {
                    Some(Received::Pinned(pinned)) => context.receive(from, 0, pinned, bytes),
                    Some(Received::Pageable(memory)) => context.receive_pageable(from, memory),
                    None => Ok(()),
                }
            }
            Step::SumOnHost { .. } => Ok(()),
        }
    }

    /// Bytes from one row to the next in a buffer that the texture at `place` is copied from or to.
    fn pitch(&self, place: usize) -> usize {
        self.specs[place].texture().map_or(0, |texture| texture.pitch() as usize)
    }

    /// Puts one launch after the other into the stream. Without untimed steps one pair of events stands around all of them; else each
    /// stretch of dispatches has a pair of its own. Gives the number of events.
    fn submit(&mut self, launches: u32) -> Result<usize> {
        let (mut stamped, mut is_running) = (0, false);
        for _ in 0..launches {
            for place in 0..self.steps.len() {
                let is_timed = !self.runs_kernel || self.steps[place].step.is_timed();
                if is_timed != is_running && !self.is_host_timed {
                    self.stamp(stamped)?;
                    stamped += 1;
                    is_running = is_timed;
                }
                self.issue(place, false)?;
            }
        }
        if is_running {
            self.stamp(stamped)?;
            stamped += 1;
        }
        Ok(stamped)
    }

    fn stamp(&mut self, place: usize) -> Result<()> {
        if place >= MAX_EVENTS {
            return Err(Error::Validation(format!("a submission has more than {MAX_EVENTS} timestamps")));
        }
        while self.events.len() <= place {
            self.events.push(Event::new(&self.gpu.context)?);
        }
        self.gpu.context.stamp(&self.events[place])
    }

    /// Sum of the spans between the first `stamped` events, in nanoseconds.
    fn device_ns(&self, stamped: usize) -> Result<f64> {
        self.events[..stamped].chunks_exact(2).map(|pair| pair[0].ns_until(&pair[1])).sum()
    }

    fn timed(&mut self, launches: u32) -> Result<Sample> {
        self.gpu.context.enter()?;
        let start = Instant::now();
        let stamped = self.submit(launches)?;
        self.gpu.context.wait()?;
        let wall_ns = start.elapsed().as_nanos() as f64;
        let device_ns = if self.is_host_timed { None } else { Some(self.device_ns(stamped)?) };
        Ok(Sample { device_ns, wall_ns })
    }

    fn timed_end_to_end(&mut self) -> Result<(f64, Option<f64>)> {
        self.gpu.context.enter()?;
        let uploaded: Vec<usize> = self.end_to_end.iter().filter_map(|bound| bound.step.uploaded()).collect();
        uploaded.into_iter().for_each(|place| self.keep(place));
        let mut sum = None;
        let start = Instant::now();
        for place in 0..self.end_to_end.len() {
            match self.end_to_end[place].step {
                Step::SumOnHost { buffer, scalars } => {
                    let scalar = self.specs[buffer].scalar;
                    let bytes = scalars * scalar.bytes() as u64;
                    let mut total = 0.0;
                    self.gpu.read(&self.buffers[buffer], bytes, &mut |_, piece| {
                        let mut values = vec![0.0; piece.len() / scalar.bytes()];
                        scalar.decode(piece, &mut values);
                        total += values.iter().sum::<f64>();
                    })?;
                    sum = Some(total);
                }
                _ => self.issue(place, true)?,
            }
        }
        self.gpu.context.wait()?;
        Ok((start.elapsed().as_nanos() as f64, sum))
    }

    fn poisoned(&mut self) -> Result<()> {
        self.gpu.context.enter()?;
        for (place, (spec, memory)) in self.specs.iter().zip(&self.buffers).enumerate() {
            if spec.is_output() {
                self.gpu.context.fill(memory, POISON)?;
                if let Some(array) = self.arrays.get(&place) {
                    array.take(memory, array.row_bytes())?;
                }
            }
        }
        self.received.values_mut().for_each(|received| received.bytes_mut().fill(0xff));
        // Waited for, so that it does not run into the sample that follows.
        self.gpu.context.wait()
    }
}

/// The arguments of a dispatch whose bindings take the buffers at `places`. Constant memory is no argument: its name and place go to
/// `constants`.
fn arguments<'a>(
    job: &'a Job,
    places: &[usize],
    (buffers, arrays): (&[Rc<Memory>], &HashMap<usize, Array>),
    constants: &mut HashMap<&'a str, usize>,
) -> Result<Arguments> {
    let mut values: Vec<Box<[u64]>> = Vec::new();
    for (binding, &place) in job.kernel.interface.bindings.iter().zip(places) {
        let spec = &job.buffers[place];
        match binding.access {
            Access::Read | Access::ReadWrite => values.push(Box::new([buffers[place].address])),
            Access::Texture => values.extend(arrays.get(&place).map(|array| Box::from([array.object()]))),
            Access::Uniform => {
                let name = binding.name.as_str();
                if spec.is_written {
                    return Err(Error::Shader(format!(
                        "'{name}' is a uniform buffer: a kernel's arguments cannot be written"
                    )));
                }
                if !twin::is_constant(&job.kernel.cuda, name) {
                    let words = starting_bytes(spec);
                    values.push(words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect());
                } else if *constants.entry(name).or_insert(place) != place {
                    return Err(Error::Shader(format!(
                        "'{name}' is constant memory in the twin: every dispatch of a launch must bind the same buffer to it"
                    )));
                }
            }
        }
    }
    Ok(Arguments::new(values))
}

/// Fills the module's variable `name` with what `spec` starts with. A buffer is padded to 16 bytes; the variable need not be.
fn fill_constant(gpu: &Gpu, module: &Module, name: &str, spec: &job::Buffer) -> Result<()> {
    let (address, bytes) = module.global(name)?;
    if bytes == 0 || bytes > spec.bytes {
        let has = spec.bytes;
        return Err(Error::Shader(format!(
            "'{name}' has {bytes} bytes in the twin, and the buffer that fills it {has}"
        )));
    }
    let contents = starting_bytes(spec);
    // SAFETY: the variable is of that many bytes, and the buffer of no fewer.
    unsafe { gpu.context.send(&contents[..bytes as usize], address)? };
    gpu.context.wait()
}

fn starting_bytes(spec: &job::Buffer) -> Vec<u8> {
    let mut bytes = vec![0; spec.bytes as usize];
    spec.fill(0, &mut bytes);
    bytes
}

impl Prepared for CudaJob {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move { self.timed(launches) })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move { self.timed_end_to_end() })
    }

    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async move { self.poisoned() })
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        Box::pin(async move {
            if let Some(host) = self.received.get(&buffer) {
                sink(0, &host.bytes()[..bytes as usize]);
                return Ok(());
            }
            self.gpu.context.enter()?;
            if let Some(array) = self.arrays.get(&buffer) {
                array.give(&self.buffers[buffer], array.row_bytes())?;
            }
            self.gpu.read(&self.buffers[buffer], bytes, sink)
        })
    }
}
