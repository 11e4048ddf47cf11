//! A device's properties and limits, and whether a job fits them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::compiler::HlslCompiler;
use crate::job::{Checks, Job, JobBuffer, Language, Mapping, Step};
use record::error::{Error, Result};
use record::suite::{Access, Api, Case, DeviceType, Entry, Feature, HostPart, Interface, SubgroupSize, Toolchain};

impl<'a> From<&'a Device> for Toolchain<'a> {
    fn from(device: &'a Device) -> Self {
        Self { api: device.api, compiler: &device.kernel_compiler.name }
    }
}

/// How an API handles run-time checks ([`Checks`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RuntimeChecks {
    /// Each check can be switched on and off.
    Switchable,
    /// All checks are always on, as in a browser.
    AlwaysOn,
    /// The API has no such checks.
    Absent,
}

/// The compiler of a device's kernels, as named in reports.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CompilerName {
    /// Name; empty for the API's own compiler.
    pub name: String,
    /// Version.
    pub version: String,
}

/// A property for display only: section, name and value.
pub(super) type Fact = (Cow<'static, str>, String, String);

/// A device's properties and limits.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Device {
    /// Name, from the driver.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// Kind.
    pub kind: DeviceType,
    /// Driver and version; on DirectX 12 also the compiler.
    pub driver: String,
    /// The compiler of its WGSL kernels.
    pub kernel_compiler: CompilerName,
    /// The HLSL compiler on DirectX 12; `None` through other APIs, whose drivers compile the kernels.
    pub compiler: Option<HlslCompiler>,
    /// The API that accesses the device.
    pub api: Api,
    /// The language that its kernels are compiled from.
    pub language: Language,
    /// Whether a browser runs its kernels. Browsers end launches that run long, on software devices too.
    pub is_in_browser: bool,
    /// How its API handles run-time checks.
    pub runtime_checks: RuntimeChecks,
    /// PCI address (`0000:1b:00.0`), where the driver reports it.
    pub pci_address: Option<String>,
    /// UUID (`GPU-01234567-89ab-cdef-0123-456789abcdef`), where the driver reports it.
    pub uuid: Option<String>,
    /// Invocations per subgroup, where the driver reports them.
    pub subgroup: Option<SubgroupSize>,
    /// Shader features.
    pub features: BTreeSet<Feature>,
    /// Whether it can write timestamps around a pass.
    pub has_timestamps: bool,
    /// Whether it can write timestamps around copies, too.
    pub has_copy_timestamps: bool,
    /// Whether the host can map storage buffers.
    pub has_mappable_storage: bool,
    /// Whether kernels and copies can access pinned host memory other than storage buffers.
    pub has_pinned_memory: bool,
    /// Whether uploads can start from a mapped staging buffer ([`JobBuffer::is_upload_staging`]).
    pub has_upload_staging: bool,
    /// Largest buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// Most bytes of a buffer that a kernel can bind.
    pub max_binding_bytes: u64,
    /// Longest side of a 2-D texture, in texels.
    pub max_texture_side: u32,
    /// Fraction bits of a texture coordinate, as reported by the driver or guaranteed by the API.
    pub sub_texel_bits: u32,
    /// Storage buffers that a kernel can bind.
    pub max_storage_buffers: u32,
    /// Workgroup memory, in bytes.
    pub max_workgroup_bytes: u32,
    /// Invocations per workgroup.
    pub max_invocations: u32,
    /// Invocations per workgroup along x, y and z.
    pub max_workgroup_size: [u32; 3],
    /// Workgroups along one side of the grid.
    pub max_groups: u32,
    /// Every other property, as `(section, name, value)`: for display only.
    pub facts: Vec<Fact>,
}

/// Kernels that a driver's compiler does not finish: part of the device's name, the kernel, and the resources used when
/// it was stopped. A compiler in this process cannot be stopped, so such a compilation must not start.
const UNFINISHED: &[(&str, &str, &str)] =
    &[("SwiftShader", "matmul/double_buffered", "after 10 minutes it had used 8.7 GB of memory")];

impl Device {
    /// The properties that every API reports, for display.
    #[must_use]
    pub fn basics(&self) -> Vec<(&'static str, String)> {
        let [x, y, z] = self.max_workgroup_size;
        let features: Vec<_> = self.features.iter().map(|feature| feature.name()).collect();
        let mut basics = vec![
            ("name", self.name.clone()),
            ("vendor", self.vendor.clone()),
            ("type", self.kind.name().to_owned()),
            ("backend", self.api.to_string()),
            ("driver", self.driver.clone()),
            ("timestamps", if self.has_timestamps { "yes" } else { "no" }.to_owned()),
            ("shader features", features.join(", ")),
            ("workgroup memory", format!("{} B", self.max_workgroup_bytes)),
            ("invocations per workgroup", format!("{} ({x} x {y} x {z})", self.max_invocations)),
            ("workgroups per dimension", self.max_groups.to_string()),
            ("storage buffers per kernel", self.max_storage_buffers.to_string()),
            ("largest buffer", format!("{} MiB", self.max_buffer_bytes >> 20)),
            ("largest binding", format!("{} MiB", self.max_binding_bytes >> 20)),
        ];
        if let Some(compiler) = &self.compiler {
            basics.insert(5, ("shader compiler", compiler.to_string()));
        }
        basics
    }

    /// The run-time checks of the case; `None` if unknown. If the API has none, those in the case's parameters:
    /// [`Device::check`] refuses such a case.
    #[must_use]
    pub fn checks(&self, case: &Case) -> Option<Checks> {
        match self.runtime_checks {
            RuntimeChecks::Switchable => Some(case.checks()),
            RuntimeChecks::AlwaysOn => Some(Checks::ALL),
            RuntimeChecks::Absent => Some(Checks::of(&case.shape)),
        }
    }

    /// [`Device::checks`], and the division guards that naga keeps in HLSL even with checks off.
    #[must_use]
    pub fn checks_in(&self, case: &Case, interface: &Interface) -> Option<Checks> {
        let checks = self.checks(case)?;
        Some(Checks { division: checks.division || self.compiler.is_some() && interface.divides, ..checks })
    }

    /// The largest buffer that a kernel can bind whole, in bytes.
    #[must_use]
    pub fn largest_buffer(&self) -> u64 {
        self.max_binding_bytes.min(self.max_buffer_bytes)
    }

    /// Checks the job against the device before anything is created, because APIs silently accept some excesses (wgpu:
    /// workgroup memory, and workgroup sizes from overrides).
    ///
    /// # Errors
    /// [`Error::Unsupported`] with what is missing or too large, and the device's limit.
    pub fn check(&self, job: &Job) -> Result<()> {
        self.check_kernel(job)?;
        self.check_workgroup(&job.kernel.interface)?;
        self.check_size(job)
    }

    /// Checks whether the device supports the job's kernel, whatever the size of its workgroups and buffers.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with what is missing.
    pub fn check_kernel(&self, job: &Job) -> Result<()> {
        let interface = &job.kernel.interface;
        let has_module = !job.kernel.module.is_empty();
        let (runs_module, is_alone) = (has_module && self.api == Api::Vulkan, job.kernel.cuda.is_empty());
        if let Some(only) =
            job.only.filter(|only| (only.language != self.language || has_module && is_alone) && !runs_module)
        {
            let also = match (has_module, is_alone) {
                (true, false) => ": only CUDA and Vulkan run this kernel",
                (true, true) => ": only Vulkan runs this kernel",
                _ => "",
            };
            return refuse(format!("{}{also}", only.why));
        }
        if runs_module && !job.kernel.is_trusted() {
            return refuse("this SPIR-V has no run-time checks: pass --unchecked if you trust it".to_owned());
        }
        if self.is_in_browser && job.host_part.is_some_and(HostPart::compiles) {
            return refuse("browsers compile asynchronously, so the benchmark cannot time compilation".to_owned());
        }
        if self.runtime_checks == RuntimeChecks::AlwaysOn && job.kernel.measures_checks {
            return refuse("browsers keep all run-time checks on: none can be turned off".to_owned());
        }
        if self.runtime_checks == RuntimeChecks::Absent && job.kernel.measures_checks {
            return refuse(format!("{} adds no run-time checks", self.api.title()));
        }
        if let Some(feature) = interface.features.difference(&self.features).next() {
            return refuse(format!("the device has no {}", feature.name()));
        }
        let unfinished = UNFINISHED.iter().find(|(driver, kernel, _)| {
            self.api == Api::Vulkan && self.name.contains(driver) && job.label.split(' ').next() == Some(*kernel)
        });
        if let Some((driver, _, effort)) = unfinished {
            return refuse(format!("{driver}'s compiler cannot finish compiling this kernel: {effort}"));
        }
        if job.kernel.checks.zero_init
            && let Some(reason) = self.compiler.as_ref().and_then(|one| one.slow_zeroing(interface.workgroup_bytes))
        {
            return refuse(reason);
        }
        if self.runtime_checks == RuntimeChecks::Switchable
            && !job.kernel.is_trusted()
            && interface.features.contains(&Feature::CooperativeMatrix)
        {
            return refuse("the API has no run-time checks for cooperative matrices: pass --unchecked".to_owned());
        }
        Ok(())
    }

    /// Checks the size and memory of workgroups against the device's limits.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the excess and the limit.
    pub fn check_workgroup(&self, interface: &Interface) -> Result<()> {
        if interface.workgroup_bytes > self.max_workgroup_bytes {
            let (needs, has) = (interface.workgroup_bytes, self.max_workgroup_bytes);
            return refuse(format!("needs {needs} bytes of workgroup memory, but the device allows {has}"));
        }
        let sizes = interface.entries.iter().map(|entry| entry.workgroup_size);
        for needs in sizes.chain([interface.workgroup_size]) {
            let (all, has) = (needs.iter().product::<u32>(), self.max_invocations);
            if all > has {
                return refuse(format!("needs {all} invocations per workgroup, but the device allows {has}"));
            }
            let has = self.max_workgroup_size;
            if needs.iter().zip(has).any(|(needs, has)| *needs > has) {
                return refuse(format!("needs workgroups of {needs:?} invocations, but the device allows {has:?}"));
            }
        }
        Ok(())
    }

    /// Checks buffers, textures and grid against the device's limits.
    fn check_size(&self, job: &Job) -> Result<()> {
        let interface = &job.kernel.interface;
        let is_storage = |access| matches!(access, Access::Read | Access::ReadWrite);
        let storage = |entry: &Entry| {
            entry.bindings.iter().filter(|place| is_storage(interface.bindings[**place].access)).count()
        };
        let storage = interface.entries.iter().map(storage).max().unwrap_or(0);
        if storage > self.max_storage_buffers as usize {
            let has = self.max_storage_buffers;
            return refuse(format!("needs {storage} storage buffers, but the device allows {has}"));
        }
        let sides = job.buffers.iter().filter_map(|buffer| buffer.texture()).map(|t| t.width.max(t.layer_height()));
        if let Some(side) = sides.max().filter(|side| *side > u64::from(self.max_texture_side)) {
            return refuse(format!(
                "needs a texture of {side} texels per side, but the device allows {}",
                self.max_texture_side
            ));
        }
        let needs_mapping = |buffer: &JobBuffer| match buffer.mapping {
            Some(Mapping::Pinned) => !self.has_pinned_memory,
            Some(_) => !buffer.is_staging,
            None => false,
        };
        if !self.has_mappable_storage && job.buffers.iter().any(needs_mapping) {
            return refuse("the device has no storage buffers that the host can map".to_owned());
        }
        if !self.has_upload_staging && job.buffers.iter().any(JobBuffer::is_upload_staging) {
            return refuse("on this API, use transfer/pinned_to_device instead".to_owned());
        }
        let limit = self.largest_buffer();
        if let Some(largest) = job.buffers.iter().map(|buffer| buffer.bytes).max().filter(|bytes| *bytes > limit) {
            let (needs, has) = (largest.div_ceil(1 << 20), limit >> 20);
            return refuse(format!("needs a buffer of {needs} MiB, but the device allows {has} MiB"));
        }
        let groups = job.steps.iter().filter_map(|step| match step {
            Step::Dispatch(own) => own.groups.iter().max().copied(),
            _ => None,
        });
        if let Some(most) = groups.max().filter(|most| *most > self.max_groups) {
            let has = self.max_groups;
            return refuse(format!("needs {most} workgroups in one dimension, but the device allows {has}"));
        }
        Ok(())
    }
}

fn refuse(reason: String) -> Result<()> {
    Err(Error::Unsupported(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subgroup_sizes_are_one_number_a_range_or_nothing() {
        let text = |least, most| SubgroupSize::reported(least, most).map(|size| size.to_string());
        assert_eq!(text(0, 0), None);
        assert_eq!(text(32, 32).as_deref(), Some("32"));
        assert_eq!(text(8, 32).as_deref(), Some("8-32"));
        assert_eq!((text(0, 64).as_deref(), text(16, 0).as_deref()), (Some("64"), Some("16")));
    }
}
