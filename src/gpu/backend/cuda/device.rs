//! The CUDA devices, with their properties (source workloads A1 and C5).

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
use cudarc::driver::sys::{CUdevice, CUresult};

use super::{query, status};
use crate::backend::device::Fact;
use crate::backend::{CompilerName, Device, RuntimeChecks, monitor};
use crate::job::Language;
use record::error::{Error, Result, visible};
use record::suite::{Api, DeviceType, Feature, SubgroupSize};

/// Oldest CUDA version that a driver must support, as 1000 × major + 10 × minor. The newest call used here needs 12.8.
const OLDEST: i32 = 12_080;

/// Bytes of kernel parameters that every device supports; a pointer takes eight.
const PARAMETER_BYTES: u32 = 4096;

/// A CUDA device.
#[derive(Debug, Clone)]
pub struct CudaDevice {
    pub(super) ordinal: i32,
    /// Compute capability, as 10 × major + minor.
    pub capability: u32,
    /// The newest CUDA version that the driver supports, as 1000 × major + 10 × minor.
    pub(super) version: i32,
    /// Most dynamic shared memory of a launch, in bytes.
    pub(super) max_dynamic_bytes: u32,
    /// Most warps per multiprocessor; `None` if the driver does not report it.
    pub(super) warps: Option<u32>,
    /// Properties and limits.
    pub device: Device,
}

/// Every CUDA device, in CUDA's order.
///
/// # Errors
/// [`Error::NoDevice`] with the reason in one sentence: no driver, no device, or a driver that is too old.
pub fn devices() -> Result<Vec<CudaDevice>> {
    // cudarc panics if a library lacks a symbol.
    catch_unwind(find).unwrap_or_else(|_| {
        Err(Error::NoDevice("NVIDIA's driver lacks functions of CUDA 12.8: update the driver".to_owned()))
    })
}

fn find() -> Result<Vec<CudaDevice>> {
    if !query::is_installed() {
        return Err(Error::NoDevice(
            "libcuda.so.1 was not found: install NVIDIA's driver, or choose another --backend".to_owned(),
        ));
    }
    let none = "NVIDIA's driver finds no CUDA device: check nvidia-smi, and CUDA_VISIBLE_DEVICES if it is set";
    let version = query::start().map_err(|status| {
        Error::NoDevice(match status {
            CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_INVALID_DEVICE => none.to_owned(),
            status => status::explain("NVIDIA's driver cannot start CUDA (check nvidia-smi)", status),
        })
    })?;
    if version < OLDEST {
        let (has, needs) = (cuda_version(version), cuda_version(OLDEST));
        return Err(Error::NoDevice(format!(
            "NVIDIA's driver supports {has}, but {needs} or newer is required: update the driver"
        )));
    }
    let found: Vec<_> = (0..query::count()).filter_map(|ordinal| describe(ordinal, version)).collect();
    if found.is_empty() { Err(Error::NoDevice(none.to_owned())) } else { Ok(found) }
}

/// `CUDA 13.0` for 13000.
pub(super) fn cuda_version(version: i32) -> String {
    format!("CUDA {}.{}", version / 1000, version % 1000 / 10)
}

fn describe(ordinal: i32, version: i32) -> Option<CudaDevice> {
    let handle = query::device(ordinal).ok()?;
    let number = |attribute| query::attribute(handle, attribute).and_then(|value| u32::try_from(value).ok());
    let (major, minor) = (
        number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    let memory = query::memory_bytes(handle)?;
    let is_integrated = number(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED) == Some(1);
    let grid = [
        number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
    ];
    let device = Device {
        name: visible(&query::name(handle)?).into_owned(),
        vendor: "NVIDIA".to_owned(),
        kind: if is_integrated { DeviceType::Integrated } else { DeviceType::Discrete },
        driver: cuda_version(version),
        compiler: None,
        api: Api::Cuda,
        language: Language::Cuda,
        is_in_browser: false,
        runtime_checks: RuntimeChecks::Absent,
        pci_address: pci_address(handle),
        uuid: query::uuid(handle).map(uuid_text),
        subgroup: number(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE).and_then(|warp| SubgroupSize::reported(warp, warp)),
        features: BTreeSet::from(Feature::ALL),
        has_timestamps: true,
        has_copy_timestamps: true,
        max_buffer_bytes: memory,
        max_binding_bytes: memory,
        // CUDA C++ Programming Guide, "Linear Filtering": 9-bit fixed point with 8 bits of fractional value.
        sub_texel_bits: 8,
        max_texture_side: number(Attribute::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH)?
            .min(number(Attribute::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT)?),
        has_mappable_storage: false,
        has_pinned_memory: true,
        has_upload_staging: false,
        kernel_compiler: CompilerName::default(),
        max_storage_buffers: PARAMETER_BYTES / 8,
        max_workgroup_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        max_invocations: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_workgroup_size: [
            number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        max_groups: grid.into_iter().min()?,
        facts: facts(handle, memory, (major, minor)),
    };
    let max_dynamic_bytes = number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
    let threads = number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    let warp = number(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE).filter(|warp| *warp > 0);
    let warps = threads.zip(warp).map(|(threads, warp)| threads / warp).filter(|warps| *warps > 0);
    Some(CudaDevice { ordinal, capability: 10 * major + minor, version, max_dynamic_bytes, warps, device })
}

/// Numeric properties under their usual names. Attributes that the driver does not support are omitted.
const NUMBERS: &[(&str, &str, Attribute)] = &[
    ("processor", "multiprocessors", Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
    ("processor", "warp size", Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
    ("processor", "clock rate (kHz)", Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
    ("processor", "copy engines (copies that overlap kernels)", Attribute::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
    ("processor", "f32 to f64 speed ratio", Attribute::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO),
    ("memory", "memory clock rate (kHz)", Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
    ("memory", "memory bus width (bits)", Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
    ("memory", "L2 cache (bytes)", Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
    ("memory", "constant memory (bytes)", Attribute::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
    ("memory", "largest pitch (bytes)", Attribute::CU_DEVICE_ATTRIBUTE_MAX_PITCH),
    ("memory", "texture alignment (bytes)", Attribute::CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    ("memory", "texture pitch alignment (bytes)", Attribute::CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT),
    ("block", "threads per block", Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
    ("block", "block size along x", Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
    ("block", "block size along y", Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
    ("block", "block size along z", Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
    ("block", "grid size along x", Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
    ("block", "grid size along y", Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
    ("block", "grid size along z", Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
    ("block", "registers per block", Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
    ("block", "shared memory per block (bytes)", Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
    (
        "block",
        "shared memory per block, opt-in (bytes)",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    ),
    ("multiprocessor", "threads per multiprocessor", Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
    ("multiprocessor", "blocks per multiprocessor", Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
    ("multiprocessor", "registers per multiprocessor", Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
    (
        "multiprocessor",
        "shared memory per multiprocessor (bytes)",
        Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    ),
];

const ABILITIES: &[(&str, &str, Attribute)] = &[
    ("memory", "ECC", Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED),
    ("memory", "shares host memory", Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED),
    ("processor", "concurrent kernels", Attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS),
    ("processor", "kernel time limit", Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT),
];

fn facts(handle: CUdevice, memory: u64, capability: (u32, u32)) -> Vec<Fact> {
    let number = |attribute| query::attribute(handle, attribute);
    let mut facts = vec![
        ("processor", "compute capability", format!("{}.{}", capability.0, capability.1)),
        ("memory", "memory (bytes)", memory.to_string()),
    ];
    facts.extend(pci_address(handle).map(|address| ("adapter", "PCI address", address)));
    facts.extend(query::uuid(handle).map(|bytes| ("adapter", "UUID", uuid_text(bytes))));
    let link = monitor::pcie_text(pci_address(handle).as_deref(), query::uuid(handle).map(uuid_text).as_deref());
    facts.extend(link.map(|text| ("adapter", "PCIe link", text)));
    facts.extend(NUMBERS.iter().filter_map(|(section, name, attribute)| {
        let value = number(*attribute)?;
        Some((*section, *name, value.to_string()))
    }));
    facts.extend(ABILITIES.iter().filter_map(|(section, name, attribute)| {
        let value = number(*attribute)?;
        Some((*section, *name, if value == 0 { "no" } else { "yes" }.to_owned()))
    }));
    facts.extend(
        query::dram_gb_per_s(handle).map(|peak| ("memory", "peak DRAM bandwidth (GB/s)", format!("{peak:.0}"))),
    );
    let threads = number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    let warp = number(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE).filter(|warp| *warp > 0);
    facts.extend(
        threads
            .zip(warp)
            .map(|(threads, warp)| ("multiprocessor", "warps per multiprocessor", (threads / warp).to_string())),
    );
    let position = |section: &str| SECTIONS.iter().position(|known| *known == section);
    facts.sort_by_key(|(section, _, _)| position(section));
    facts.into_iter().map(|(section, name, value)| (section.into(), name.to_owned(), value)).collect()
}

/// Sections of the facts, in display order.
const SECTIONS: [&str; 5] = ["adapter", "processor", "memory", "block", "multiprocessor"];

/// `0000:01:00.0`, as Vulkan reports it. The function of a GPU is 0.
fn pci_address(handle: CUdevice) -> Option<String> {
    let number = |attribute| query::attribute(handle, attribute);
    let domain = number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?;
    let bus = number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?;
    let device = number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?;
    Some(format!("{domain:04x}:{bus:02x}:{device:02x}.0"))
}

/// `GPU-01234567-89ab-cdef-0123-456789abcdef`, as nvidia-smi writes it.
pub(super) fn uuid_text(bytes: [u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_uuids_are_written_as_nvidia_writes_them() {
        assert_eq!(cuda_version(13_000), "CUDA 13.0");
        assert_eq!(cuda_version(12_080), "CUDA 12.8");
        let bytes = std::array::from_fn(|index| index as u8 * 17);
        assert_eq!(uuid_text(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    }

    #[test]
    fn every_section_of_facts_has_a_position() {
        for (section, name, _) in NUMBERS.iter().chain(ABILITIES) {
            assert!(SECTIONS.contains(section), "{name}");
        }
    }

    #[test]
    fn the_absence_of_devices_is_one_sentence() {
        match devices() {
            Ok(found) => assert!(!found.is_empty()),
            Err(error) => {
                assert!(matches!(error, Error::NoDevice(_)));
                let text = error.to_string();
                assert!(text.len() > 20 && !text.contains('\n') && text.contains("driver"), "{text}");
            }
        }
    }
}
