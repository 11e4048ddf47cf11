//! What a device must be able to do for the harness, whatever its API.

mod api;
mod background;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod monitor;
pub mod wgpu;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use crate::backend::monitor::Monitor;
use crate::error::{Error, Result};
use crate::job::{Buffer, Checks, Job, Language, Mapping, Shape, Step};
use crate::suite::{Access, Feature};
pub use api::Api;

/// A boxed future: the traits below are async, so that the same core can wait in a browser, and usable as objects.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

/// One timed submission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Device time of the dispatches of all launches, in nanoseconds; `None` where the device has no timestamps.
    pub device_ns: Option<f64>,
    /// Host time from submission to completion, in nanoseconds.
    pub wall_ns: f64,
}

/// A device that can run jobs.
pub trait Backend {
    /// What the device is and can do.
    fn device(&self) -> &Device;

    /// Compiles, allocates and uploads.
    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>>;

    /// Opens the device anew after it was lost or stopped answering. What was prepared before is void.
    fn reopen(&mut self) -> Task<'_, ()>;

    /// Gives back what memory of the device it can, where another API on the same card has too little: what dropped jobs may still hold,
    /// and the inputs kept for the next job.
    fn release(&mut self) {}

    /// What tells the card's own state while cases run; `None` where nothing can.
    fn monitor(&self) -> Option<Box<dyn Monitor>> {
        monitor::find(self.device().fact("PCI address"), self.device().fact("UUID"))
    }

    /// Compiles what a run will need ahead of it, where that takes long and can be done on all cores. What does not compile fails its case
    /// later.
    fn compile_ahead(&mut self, jobs: &[Job]) {
        let _ = jobs;
    }
}

/// A job that is ready to run.
pub trait Prepared {
    /// Runs `launches` launches in one submission and waits for them.
    fn sample(&mut self, launches: u32) -> Task<'_, Sample>;

    /// Runs the end-to-end steps once. Gives the wall time in nanoseconds and, where a step sums on the host, the sum.
    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)>;

    /// Overwrites every output with [`crate::job::POISON`].
    fn poison(&mut self) -> Task<'_, ()>;

    /// Hands the first `bytes` of a buffer to `sink`, piece by piece with each piece's offset.
    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()>;
}

/// What kind of device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceType {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU behind a hypervisor.
    Virtual,
    /// Something else.
    Other,
    /// A program on the host's processor.
    Software,
}

impl DeviceType {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Discrete, Self::Integrated, Self::Virtual, Self::Other, Self::Software];

    /// As the CSV writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        }
    }
}

/// What a device is and can do.
#[derive(Debug, Clone)]
pub struct Device {
    /// Name, as the driver gives it.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// Kind.
    pub kind: DeviceType,
    /// Driver and version.
    pub driver: String,
    /// The API that it is reached through.
    pub api: Api,
    /// Shader features that it has.
    pub features: BTreeSet<Feature>,
    /// Whether it can write timestamps around a pass.
    pub has_timestamps: bool,
    /// Whether it can write timestamps around copies, too.
    pub has_copy_timestamps: bool,
    /// Whether the host can map buffers that kernels use, too.
    pub has_mappable_storage: bool,
    /// Largest buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// Largest part of a buffer that a kernel can see, in bytes.
    pub max_binding_bytes: u64,
    /// Longest side of a 2-D texture, in texels.
    pub max_texture_side: u32,
    /// Storage buffers that a kernel can see.
    pub max_storage_buffers: u32,
    /// Workgroup memory, in bytes.
    pub max_workgroup_bytes: u32,
    /// Invocations of a workgroup.
    pub max_invocations: u32,
    /// Invocations of a workgroup along x, y and z.
    pub max_workgroup_size: [u32; 3],
    /// Workgroups along one side of the grid.
    pub max_groups: u32,
    /// Everything else that the adapter tells, as `(section, name, value)`.
    pub facts: Vec<(&'static str, String, String)>,
}

impl Device {
    /// The value of a fact, by its name.
    #[must_use]
    pub fn fact(&self, wanted: &str) -> Option<&str> {
        self.facts.iter().find(|(_, name, _)| name == wanted).map(|(_, _, value)| value.as_str())
    }

    /// What every API tells, under the names that the benchmarks' needs have.
    #[must_use]
    pub fn basics(&self) -> Vec<(&'static str, String)> {
        let [x, y, z] = self.max_workgroup_size;
        let features: Vec<_> = self.features.iter().map(|feature| feature.name()).collect();
        vec![
            ("name", self.name.clone()),
            ("vendor", self.vendor.clone()),
            ("type", self.kind.name().to_owned()),
            ("backend", self.api.to_string()),
            ("driver", self.driver.clone()),
            ("timestamps", if self.has_timestamps { "yes" } else { "no" }.to_owned()),
            ("shader features", features.join(", ")),
            ("workgroup memory", format!("{} B", self.max_workgroup_bytes)),
            ("invocations a workgroup", format!("{} ({x} x {y} x {z})", self.max_invocations)),
            ("workgroups a side", self.max_groups.to_string()),
            ("storage buffers a kernel", self.max_storage_buffers.to_string()),
            ("largest buffer", format!("{} MiB", self.max_buffer_bytes >> 20)),
            ("largest binding", format!("{} MiB", self.max_binding_bytes >> 20)),
        ]
    }

    /// Lanes of its subgroups as the column `subgroup_size` writes them; empty where the API does not tell.
    #[must_use]
    pub fn subgroup_size(&self) -> String {
        // What wgpu says of a device without subgroups is no size.
        let told = |name| self.fact(name).filter(|lanes| *lanes != "0").map(str::to_owned);
        match (told("smallest subgroup").or_else(|| told("warp size")), told("largest subgroup")) {
            (Some(least), Some(most)) if least != most => format!("{least}-{most}"),
            (least, most) => least.or(most).unwrap_or_default(),
        }
    }

    /// The language that its kernels are compiled from.
    #[must_use]
    pub fn language(&self) -> Language {
        if self.api == Api::Cuda { Language::Cuda } else { Language::Wgsl }
    }

    /// Whether a browser stands between, which keeps all run-time checks on and lets no launch run long.
    #[must_use]
    pub fn is_in_browser(&self) -> bool {
        self.api == Api::WebGpu
    }

    /// The run-time checks that it runs a case of this shape with.
    #[must_use]
    pub fn checks(&self, shape: &Shape) -> Checks {
        if self.is_in_browser() { Checks::ALL } else { Checks::of(shape) }
    }

    /// Whether the job can run here. Checked before anything is created, because APIs let some excesses through silently
    /// (wgpu: workgroup memory, and workgroup sizes that come from overrides).
    ///
    /// # Errors
    /// [`Error::Unsupported`] with what is missing or too large, and the device's limit.
    pub fn check(&self, job: &Job) -> Result<()> {
        let interface = &job.kernel.interface;
        let refuse = |reason: String| Err(Error::Unsupported(reason));
        if let (Some(why), Language::Wgsl) = (job.kernel.only_cuda, self.language()) {
            return refuse(why.to_owned());
        }
        if self.is_in_browser() && job.kernel.checks != Checks::default() {
            return refuse("a browser keeps all run-time checks on: none can be switched by itself".to_owned());
        }
        if let Some(feature) = interface.features.difference(&self.features).next() {
            return refuse(format!("the device has no {}", feature.name()));
        }
        if interface.workgroup_bytes > self.max_workgroup_bytes {
            let (needs, has) = (interface.workgroup_bytes, self.max_workgroup_bytes);
            return refuse(format!("needs {needs} bytes of workgroup memory, the device has {has}"));
        }
        if interface.invocations() > self.max_invocations {
            let (needs, has) = (interface.invocations(), self.max_invocations);
            return refuse(format!("needs {needs} invocations a workgroup, the device allows {has}"));
        }
        if interface.workgroup_size.iter().zip(self.max_workgroup_size).any(|(needs, has)| *needs > has) {
            let (needs, has) = (interface.workgroup_size, self.max_workgroup_size);
            return refuse(format!("needs workgroups of {needs:?} invocations, the device allows {has:?}"));
        }
        let is_storage = |access| matches!(access, Access::Read | Access::ReadWrite);
        let storage = interface.bindings.iter().filter(|binding| is_storage(binding.access)).count();
        if storage > self.max_storage_buffers as usize {
            return refuse(format!("needs {storage} storage buffers, the device allows {}", self.max_storage_buffers));
        }
        let sides = job.buffers.iter().filter_map(|buffer| buffer.texture()).map(|t| t.width.max(t.height));
        if let Some(side) = sides.max().filter(|side| *side > u64::from(self.max_texture_side)) {
            return refuse(format!(
                "needs a texture of {side} texels a side, the device allows {}",
                self.max_texture_side
            ));
        }
        let needs_mapping = |buffer: &Buffer| match buffer.mapping {
            // CUDA pins memory of the host's.
            Some(Mapping::Pinned) => self.language() == Language::Wgsl,
            Some(_) => !buffer.is_staging,
            None => false,
        };
        if !self.has_mappable_storage && job.buffers.iter().any(needs_mapping) {
            return refuse("the device has no storage buffers that the host can map".to_owned());
        }
        // There the host pins memory of its own, which is what other rows copy.
        if self.language() == Language::Cuda && job.buffers.iter().any(Buffer::is_staged_to_send) {
            return refuse("copying out of pinned memory is pinned_to_device here".to_owned());
        }
        let limit = self.max_binding_bytes.min(self.max_buffer_bytes);
        if let Some(largest) = job.buffers.iter().map(|buffer| buffer.bytes).max().filter(|bytes| *bytes > limit) {
            let (needs, has) = (largest.div_ceil(1 << 20), limit >> 20);
            return refuse(format!("needs a buffer of {needs} MiB, the device allows {has} MiB"));
        }
        let groups = job.steps.iter().filter_map(|step| match step {
            Step::Dispatch { groups, .. } => groups.iter().max().copied(),
            _ => None,
        });
        if let Some(most) = groups.max().filter(|most| *most > self.max_groups) {
            return refuse(format!("needs {most} workgroups along one side, the device allows {}", self.max_groups));
        }
        Ok(())
    }
}
