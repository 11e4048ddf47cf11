//! Binds a case to its kernel's interface.

use super::buffer::JobBuffer;
use super::check::OutputCheck;
use super::flush;
use super::kernel::{Kernel, Language};
use super::step::Step;
use crate::shader::Shader;
use record::error::{Error, Result};
use record::suite::{
    Benchmark, Case, Feature, HostPart, Product, Reference, Sampling, Step as Declared, TexelFormat, Texture,
};

/// Bytes of a guard zone: twice what a workgroup of 1024 invocations stores, 16 bytes each.
const GUARD: u64 = 32 << 10;

/// Everything that a backend needs to run a case.
pub struct Job {
    /// `family/benchmark dtype n params`, for labels and messages.
    pub label: String,
    /// The kernel.
    pub kernel: Kernel,
    /// The only language that the benchmark is written in, if there is only one.
    pub only: Option<Only>,
    /// The buffers and textures to allocate.
    pub buffers: Vec<JobBuffer>,
    /// Possible cause of a store outside a buffer; empty if unknown.
    pub hint: String,
    /// Modes of the kernel's samplers, in the order of the interface.
    pub samplers: Vec<Sampling>,
    /// The part of the host's work that is timed in place of the steps.
    pub host_part: Option<HostPart>,
    /// The steps of one launch.
    pub steps: Vec<Step>,
    /// The steps of one launch with its copies from and to the host; empty if the benchmark declares none.
    pub end_to_end: Vec<Step>,
    /// The check of the first output.
    pub check: OutputCheck,
    /// The checks of further outputs.
    pub also: Vec<OutputCheck>,
    /// The kernel that computes the expected output, if one does.
    pub reference: Option<ReferenceJob>,
}

/// A kernel whose outputs are the expected ones of another job: see [`OutputCheck::of_reference`].
pub struct ReferenceJob {
    /// The job.
    pub job: Box<Job>,
}

impl ReferenceJob {
    /// The reference at the shape of `case`, with the parameters that both have.
    fn new(case: &Case, benchmark: &'static Benchmark) -> Result<Self> {
        let mut shape = case.shape.clone();
        let shader = Shader::parse(benchmark.wgsl, shape.dtype.name())?;
        shape.params.retain(|name, _| shader.overrides().contains(name.as_str()));
        let job = Job::new(&Case::new(case.family, benchmark, shape))
            .map_err(|error| Error::Shader(format!("the reference {}: {error}", benchmark.name)))?;
        Ok(Self { job: Box::new(job) })
    }
}

/// The only language that a benchmark is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Only {
    /// The language.
    pub language: Language,
    /// Why the others lack it: the reason in skipped rows.
    pub why: &'static str,
}

impl Job {
    /// Binds `case` to its shader's interface.
    ///
    /// # Errors
    /// [`Error::Shader`] if shader and declaration do not match; [`Error::Unsupported`] if no API can run the case.
    pub fn new(case: &Case) -> Result<Self> {
        let (benchmark, shape) = (case.benchmark, &case.shape);
        let mut kernel = Kernel::new(case)?;
        if let Some(why) = (benchmark.unsupported)(shape) {
            return Err(Error::Unsupported(why.to_owned()));
        }
        let interface = &kernel.interface;
        let mut declared = benchmark.declared_buffers(shape, interface)?;
        if shape.is_cold() {
            declared.extend(flush::buffers());
        }
        let index_of = |name: &str| {
            declared
                .iter()
                .position(|buffer| buffer.name == name)
                .ok_or_else(|| Error::Shader(format!("{}: no buffer is declared for '{name}'", case.name())))
        };
        let bind = |step: Declared| step.indexed(interface, index_of);
        let mut steps: Vec<Step> =
            benchmark.declared_steps(shape, interface)?.into_iter().map(bind).collect::<Result<_>>()?;
        if shape.is_cold() {
            flush::insert(&mut steps, declared.len());
        }
        let end_to_end = match benchmark.end_to_end {
            Some(declared) => declared(shape, interface).into_iter().map(bind).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        let (mut checks, mut reference) = (Vec::new(), None);
        for answer in benchmark.declared_answers(shape, interface)? {
            if let (None, Some(Reference { benchmark, .. })) = (&reference, &answer.reference) {
                reference = Some(ReferenceJob::new(case, benchmark)?);
            }
            checks.push(OutputCheck {
                buffer: index_of(answer.buffer)?,
                scalars: answer.scalars,
                bytes_each: answer.cost,
                is_sampled: answer.is_sampled,
                oracle: answer.oracle,
                tolerance: answer.tolerance,
                product: if benchmark.declared.is_none() { Product::large(shape, &declared) } else { None },
                fault: answer.fault,
                element: answer.element,
                outliers: answer.outliers,
                words_each: answer.words_each,
                of_reference: answer.reference.map(|reference| reference.output),
            });
        }
        let mut checks = checks.into_iter();
        let (check, also) = (checks.next().unwrap_or_else(OutputCheck::none), checks.collect());
        let strides = match benchmark.declared {
            Some(own) => own.strides(shape, interface)?,
            None => Vec::new(),
        };
        let mut buffers: Vec<JobBuffer> = declared
            .iter()
            .enumerate()
            .map(|(index, buffer)| JobBuffer::bind(index, buffer, shape, interface, &steps))
            .collect();
        for (buffer, own) in buffers.iter_mut().zip(&declared) {
            let Some((_, stride)) = strides.iter().find(|(name, _)| *name == buffer.name) else { continue };
            let exact = own.scalars.saturating_mul(buffer.scalar.bytes() as u64);
            buffer.told_bytes = exact.next_multiple_of((*stride).max(1)).next_multiple_of(4).min(buffer.bytes);
        }
        let is_float = |buffer: &JobBuffer| buffer.texture().is_some_and(|own| own.format.is_f32() && !own.is_storage);
        let sampling = |name: &str| benchmark.declared.map_or(Sampling::LINEAR, |own| own.sampling(name));
        let samplers: Vec<Sampling> = interface.samplers.iter().map(|sampler| sampling(&sampler.name)).collect();
        if !samplers.is_empty() && buffers.iter().any(is_float) {
            kernel.interface.features.insert(Feature::FilteredF32);
        }
        let hint = benchmark.declared.map_or_else(String::new, |own| own.hint(shape, &kernel.interface));
        let only = benchmark.only_cuda.map(|why| Only { language: Language::Cuda, why });
        Ok(Self {
            label: case.to_string(),
            kernel,
            only,
            buffers,
            hint,
            samplers,
            host_part: benchmark.host_part,
            steps,
            end_to_end,
            check,
            also,
            reference,
        })
    }

    /// Puts a guard zone around each plain buffer that the kernel may write, unless it would exceed `limit` bytes.
    pub fn guard(&mut self, limit: u64) {
        if self.kernel.is_empty() || !self.runs_kernel() {
            return;
        }
        for buffer in &mut self.buffers {
            let is_plain = buffer.texture().is_none() && buffer.mapping.is_none() && !buffer.is_uniform;
            if buffer.is_written && is_plain && buffer.bytes.saturating_add(GUARD) <= limit {
                buffer.guard = GUARD;
            }
        }
    }

    /// The picture that the job draws, if any: index of the buffer, width and height in pixels.
    #[must_use]
    pub fn picture(&self) -> Option<(usize, u64, u64)> {
        let is_drawn = |texture: &&Texture| texture.is_storage && texture.format == TexelFormat::Rgba8Unorm;
        self.buffers.iter().enumerate().find_map(|(index, buffer)| {
            let texture = buffer.texture().filter(is_drawn).filter(|_| buffer.is_written)?;
            Some((index, texture.width, texture.height))
        })
    }

    /// The checks of all outputs.
    pub fn checks(&self) -> impl Iterator<Item = &OutputCheck> {
        std::iter::once(&self.check).chain(&self.also)
    }

    /// Whether it runs a kernel or a library routine. If not, its copies are timed.
    #[must_use]
    pub fn runs_kernel(&self) -> bool {
        self.steps.iter().any(Step::is_timed)
    }

    /// Whether only the host's clock can time the job: host work, copies from or to it, or copies without timestamps.
    #[must_use]
    pub fn is_host_timed(&self, has_copy_timestamps: bool) -> bool {
        self.host_part.is_some()
            || !self.runs_kernel() && (!has_copy_timestamps || self.steps.iter().any(Step::needs_host))
    }

    /// Whether its launches move data between the host's memory and the device's.
    #[must_use]
    pub fn crosses_bus(&self) -> bool {
        let is_copy = |step: &Step| matches!(step, Step::Send { .. } | Step::Receive { .. });
        self.steps.iter().any(is_copy) || self.buffers.iter().any(JobBuffer::is_on_host)
    }

    /// Whether the job has untimed steps: each launch then needs its own timestamps or its own submission.
    #[must_use]
    pub fn has_untimed_steps(&self) -> bool {
        self.host_part.is_some() || self.steps.iter().any(|step| !step.is_timed())
    }
}
