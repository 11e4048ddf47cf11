//! A job on a CUDA device.

mod issue;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use web_time::Instant;

use crate::backend::cuda::arguments::{Arguments, initial_bytes};
use crate::backend::cuda::array::Array;
use crate::backend::cuda::event::Event;
use crate::backend::cuda::gpu::Gpu;
use crate::backend::cuda::graph::{self, Graphs};
use crate::backend::cuda::host::Host;
use crate::backend::cuda::library::{Call, Libraries};
use crate::backend::cuda::memory::{Memory, Pinned, upload_to};
use crate::backend::cuda::module::Module;
use crate::backend::cuda::pitched::Pitched;
use crate::backend::cuda::steps::fit_in_a_graph;
use crate::backend::{Prepared, Sample, Task};
use crate::job::{self, Contents, Job, JobBuffer, POISON, Route, Scalar, Step};
use record::error::{Error, Result};

/// Most time between the starts of simultaneous copies, as a share of their time.
const MOST_SKEW: f64 = 0.01;

/// Lower bound of that limit, as two streams start microseconds apart whatever the size (9 µs on an H200).
const LEAST_SKEW_NS: f64 = 10e3;

/// A sample is repeated at least this often and this long until the copies start together: the starts of short copies
/// vary with other work of the host.
const ATTEMPTS: usize = 5;
const ATTEMPTS_FOR: Duration = Duration::from_millis(200);

pub(in crate::backend::cuda) struct CudaJob {
    /// Fields are dropped in this order: the graphs before the module, buffers and arrays that they use.
    graphs: Graphs,
    pub(in crate::backend::cuda) gpu: Gpu,
    pub(in crate::backend::cuda) module: Option<Module>,
    blocks: Vec<[u32; 3]>,
    dynamic_bytes: u32,
    specs: Vec<job::JobBuffer>,
    /// Buffers. A texture's buffer has its texels in packed rows, which are copied to and from the array.
    buffers: Vec<Rc<Memory>>,
    arrays: HashMap<usize, Array>,
    steps: Vec<Bound>,
    end_to_end: Vec<Bound>,
    /// Timestamps of a submission, in pairs; created when first needed.
    events: Vec<Event>,
    /// Host copies of the buffers that are uploaded from pageable memory, made before any timing.
    uploads: HashMap<usize, Vec<u8>>,
    /// Those uploaded from pinned memory.
    pinned: HashMap<usize, Pinned>,
    /// Downloaded data, by the destination buffer of [`Step::Receive`].
    received: HashMap<usize, Received>,
    /// The cards of the buffers on other cards.
    peers: HashMap<usize, Gpu>,
    /// Timestamps at the start of the last two simultaneous copies.
    starts: Vec<Event>,
    runs_kernel: bool,
    is_host_timed: bool,
    fits_in_a_graph: bool,
    /// The part of the host's work that is timed, if any.
    host: Option<Host>,
}

enum Received {
    Pinned(Pinned),
    Pageable(Vec<u8>),
}

impl Received {
    fn bytes(&self) -> Result<&[u8]> {
        match self {
            Self::Pinned(pinned) => pinned.bytes(),
            Self::Pageable(bytes) => Ok(bytes),
        }
    }

    fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        match self {
            Self::Pinned(pinned) => pinned.bytes_mut(),
            Self::Pageable(bytes) => Ok(bytes),
        }
    }
}

/// A step with a dispatch's arguments, a library's routine, or the memory between the two halves of a pitched copy.
struct Bound {
    step: Step,
    arguments: Option<Arguments>,
    call: Option<Call>,
    pitched: Option<Pitched>,
}

impl CudaJob {
    /// Binds a job to its buffers and fills the module's constant memory.
    pub(in crate::backend::cuda) fn new(
        gpu: Gpu,
        (module, libraries, host): (Option<Module>, &mut Libraries, Option<Host>),
        job: &Job,
        (buffers, peers): (Vec<Rc<Memory>>, HashMap<usize, Gpu>),
        arrays: HashMap<usize, Array>,
    ) -> Result<Self> {
        let mut constants: HashMap<&str, usize> = HashMap::new();
        let mut bind = |step: &Step| {
            let arguments = match step {
                Step::Dispatch(own) => {
                    let sizes = module.as_ref().map(|module| module.parameters(own.entry)).unwrap_or_default();
                    let arguments = Arguments::bind(job, own, (&buffers, &arrays), &mut constants)?;
                    arguments.check(&sizes, &job.kernel)?;
                    Some(arguments)
                }
                _ => None,
            };
            let pitched = match step {
                Step::CopyPitched { rows, .. } => Some(Pitched::new(&gpu.context, *rows)?),
                _ => None,
            };
            let call = match step {
                Step::Library { routine, buffers: indices } => {
                    let memory: Vec<Rc<Memory>> = indices.iter().map(|index| Rc::clone(&buffers[*index])).collect();
                    let scalar = indices.first().map_or(Scalar::F32, |index| job.buffers[*index].scalar);
                    Some(libraries.bind(&gpu.context, *routine, scalar, &memory)?)
                }
                _ => None,
            };
            Ok(Bound { step: step.clone(), arguments, call, pitched })
        };
        let steps = job.steps.iter().map(&mut bind).collect::<Result<_>>()?;
        let end_to_end = job.end_to_end.iter().map(&mut bind).collect::<Result<_>>()?;
        if let Some(module) = &module {
            for (name, index) in constants {
                fill_constant(&gpu, module, name, &job.buffers[index])?;
            }
        }
        let mut prepared = Self {
            graphs: Graphs::default(),
            gpu,
            module,
            blocks: job.kernel.interface.entries.iter().map(|entry| entry.workgroup_size).collect(),
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
            peers,
            starts: Vec::new(),
            runs_kernel: job.runs_kernel(),
            is_host_timed: job.is_host_timed(true),
            fits_in_a_graph: fit_in_a_graph(&job.steps) && job.buffers.iter().all(|buffer| buffer.peer().is_none()),
            host,
        };
        if job.steps.contains(&Step::Beside) {
            prepared.starts = vec![Event::new(&prepared.gpu.context)?, Event::new(&prepared.gpu.context)?];
        }
        for step in &job.steps {
            match step {
                Step::Send { from, route: Route::Queue, .. } => prepared.copy_to_host(*from),
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

    /// Copies a buffer's initial contents to pageable memory.
    fn copy_to_host(&mut self, index: usize) {
        let spec = &self.specs[index];
        self.uploads.entry(index).or_insert_with(|| initial_bytes(spec));
    }

    /// Like [`Self::copy_to_host`], to pinned memory. Keeps an existing copy: the device may be reading it.
    fn pin(&mut self, index: usize) -> Result<()> {
        if !self.pinned.contains_key(&index) {
            let spec = &self.specs[index];
            let mut pinned = Pinned::new(&self.gpu.context, spec.bytes as usize)?;
            spec.fill(0, pinned.bytes_mut()?);
            self.pinned.insert(index, pinned);
        }
        Ok(())
    }

    /// Times all launches as one graph; `None` if they must be launched one by one.
    fn timed_in_graph(&mut self, launches: u32) -> Result<Option<Sample>> {
        if !self.fits_in_a_graph || !graph::is_worthwhile(launches, self.steps.len()) {
            return Ok(None);
        }
        self.timed_as_graph(launches)
    }

    /// Like [`Self::timed_in_graph`], for any number of launches; `None` if the driver refuses the graph.
    pub(in crate::backend::cuda) fn timed_as_graph(&mut self, launches: u32) -> Result<Option<Sample>> {
        let (context, mut graphs) = (Rc::clone(&self.gpu.context), std::mem::take(&mut self.graphs));
        let add_all = || {
            for _ in 0..launches {
                (0..self.steps.len()).try_for_each(|index| self.issue(index, false))?;
            }
            Ok(())
        };
        // SAFETY: the steps use the module, the buffers and the arrays of `self`, which never change. The graphs return
        // to `self` below, and its fields are dropped after them.
        let sample = unsafe { graphs.sample(&context, launches, add_all) };
        self.graphs = graphs;
        sample
    }

    fn timed(&mut self, launches: u32) -> Result<Sample> {
        self.gpu.context.enter()?;
        if let Some(host) = self.host.take() {
            let sample = self.host_sample(&host, launches);
            self.host = Some(host);
            return sample;
        }
        if let Some(sample) = self.timed_in_graph(launches)? {
            return Ok(sample);
        }
        let (first, mut attempt) = (Instant::now(), 0);
        loop {
            attempt += 1;
            let start = Instant::now();
            let stamped = self.submit(launches)?;
            self.gpu.context.wait()?;
            let wall_ns = start.elapsed().as_nanos() as f64;
            let device_ns = if self.is_host_timed { None } else { Some(self.device_ns(stamped)?) };
            let (skew_ns, each_ns) = self.skew(launches, device_ns.unwrap_or(wall_ns))?;
            let most_ns = (MOST_SKEW * each_ns).max(LEAST_SKEW_NS);
            if skew_ns.abs() <= most_ns {
                return Ok(Sample { device_ns, wall_ns });
            }
            if attempt >= ATTEMPTS && first.elapsed() >= ATTEMPTS_FOR {
                let [each, skew, most] = [each_ns, skew_ns, most_ns].map(|ns| ns / 1e3);
                return Err(Error::Validation(format!(
                    "after {attempt} attempts, two concurrent copies of {each:.0} µs each still start {skew:.0} µs apart (limit: \
                     {most:.0} µs)"
                )));
            }
        }
    }

    fn timed_end_to_end(&mut self) -> Result<(f64, Option<f64>)> {
        self.gpu.context.enter()?;
        let uploaded: Vec<usize> = self.end_to_end.iter().filter_map(|bound| bound.step.uploaded()).collect();
        uploaded.into_iter().for_each(|index| self.copy_to_host(index));
        let mut sum = None;
        let start = Instant::now();
        for index in 0..self.end_to_end.len() {
            match self.end_to_end[index].step {
                Step::SumOnHost { buffer, scalars } => {
                    let scalar = self.specs[buffer].scalar;
                    let bytes = scalars * scalar.bytes() as u64;
                    let mut total = 0.0;
                    self.gpu.read(&self.buffers[buffer], std::slice::from_ref(&(0..bytes)), &mut |_, piece| {
                        let mut values = vec![0.0; piece.len() / scalar.bytes()];
                        scalar.decode(piece, &mut values);
                        total += values.iter().sum::<f64>();
                    })?;
                    sum = Some(total);
                }
                _ => self.issue(index, true)?,
            }
        }
        self.gpu.context.wait()?;
        Ok((start.elapsed().as_nanos() as f64, sum))
    }

    /// Runs `work` on `memory` in the memory's context. Waits for work on another card.
    fn at_home(&self, memory: &Memory, work: impl FnOnce() -> Result<()>) -> Result<()> {
        if Rc::ptr_eq(memory.context(), &self.gpu.context) {
            return work();
        }
        memory.context().enter()?;
        let done = work().and_then(|()| memory.context().wait());
        self.gpu.context.enter()?;
        done
    }

    /// Poisons the words of outputs that `wanted` returns, and the host's received data.
    fn poisoned(&mut self, wanted: impl Fn(usize, &JobBuffer) -> Option<Range<u64>>) -> Result<()> {
        self.gpu.context.enter()?;
        for (index, (spec, memory)) in self.specs.iter().zip(&self.buffers).enumerate() {
            if let Some(words) = wanted(index, spec).filter(|_| spec.is_output()) {
                self.at_home(memory, || memory.fill_words(words, POISON))?;
                if let Some(array) = self.arrays.get(&index) {
                    array.copy_from(memory, array.row_bytes())?;
                }
            }
        }
        for pitched in self.steps.iter().filter_map(|bound| bound.pitched.as_ref()) {
            pitched.fill(POISON)?;
        }
        // So that the work does not overlap the next sample, and no copy into `received` is in flight.
        self.gpu.context.wait()?;
        for received in self.received.values_mut() {
            received.bytes_mut()?.fill(0xff);
        }
        Ok(())
    }
}

/// Fills the module's variable `name` with the start of the contents of `spec`: buffers are padded to 16 bytes.
fn fill_constant(gpu: &Gpu, module: &Module, name: &str, spec: &job::JobBuffer) -> Result<()> {
    let (address, bytes) = module.global(name)?;
    if bytes == 0 || bytes > spec.bytes {
        let has = spec.bytes;
        return Err(Error::Shader(format!(
            "'{name}' has {bytes} bytes in the CUDA port, but the buffer that fills it has {has}"
        )));
    }
    let contents = initial_bytes(spec);
    // SAFETY: the module's variable has that many bytes at this address; `contents` is pageable memory.
    unsafe { upload_to(&gpu.context, &contents[..bytes as usize], address)? };
    gpu.context.wait()
}

impl Prepared for CudaJob {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move { self.timed(launches) })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move { self.timed_end_to_end() })
    }

    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async move { self.poisoned(|_, _| Some(0..u64::MAX)) })
    }

    fn poison_range(&mut self, buffer: usize, bytes: Range<u64>) -> Task<'_, ()> {
        let words = bytes.start.div_ceil(4)..bytes.end / 4;
        Box::pin(async move { self.poisoned(|index, _| (index == buffer).then(|| words.clone())) })
    }

    fn refill<'a>(&'a mut self, buffers: &'a [JobBuffer]) -> Task<'a, bool> {
        Box::pin(async move {
            self.gpu.context.enter()?;
            let is_simple = |spec: &JobBuffer| {
                let is_on_card = spec.mapping.is_none() && !spec.is_staging && spec.peer().is_none();
                is_on_card && !spec.is_uniform && spec.texture().is_none()
            };
            let all = || buffers.iter().zip(&self.buffers).filter(|(spec, _)| !spec.is_output());
            // Constants and parameters of the kernel keep their values: they are never random inputs.
            let is_drawn = |spec: &JobBuffer| matches!(spec.contents, Contents::Input(_) | Contents::Of(..));
            if !all().all(|(spec, _)| is_simple(spec) || !is_drawn(spec)) {
                return Ok(false);
            }
            for (spec, memory) in all().filter(|(spec, _)| is_simple(spec)) {
                self.gpu.upload(spec, memory)?;
            }
            self.gpu.context.wait()?;
            Ok(true)
        })
    }

    fn guards(&mut self, buffer: usize) -> Task<'_, [Vec<u8>; 2]> {
        Box::pin(async move {
            self.gpu.context.enter()?;
            self.buffers[buffer].guards()
        })
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        self.read_parts(buffer, std::iter::once(0..bytes).collect(), sink)
    }

    fn read_parts<'a>(
        &'a mut self,
        buffer: usize,
        ranges: Vec<Range<u64>>,
        sink: &'a mut dyn FnMut(u64, &[u8]),
    ) -> Task<'a, ()> {
        Box::pin(async move {
            if let Some(host) = self.received.get(&buffer) {
                let bytes = host.bytes()?;
                ranges.iter().for_each(|part| sink(part.start, &bytes[part.start as usize..part.end as usize]));
                return Ok(());
            }
            self.gpu.context.enter()?;
            if let Some(array) = self.arrays.get(&buffer) {
                array.copy_to(&self.buffers[buffer], array.row_bytes())?;
            }
            let (gpu, memory) = (self.peers.get(&buffer).unwrap_or(&self.gpu), &self.buffers[buffer]);
            self.at_home(memory, || gpu.read(memory, &ranges, sink))
        })
    }
}
