//! Finds the adapters and describes them.

use std::collections::BTreeSet;

use super::platform::{self, APIS};
use crate::backend::device::Fact;
use crate::backend::{CompilerName, Device, HlslCompiler, RuntimeChecks, monitor};
use crate::job::Language;
use record::error::visible;
use record::suite::{Api, DeviceType, Feature, SubgroupSize};

/// A wgpu adapter.
#[derive(Clone)]
pub struct Adapter {
    pub(super) inner: wgpu::Adapter,
    /// Its properties and limits.
    pub device: Device,
}

/// Every adapter of the given API, hardware first, then by API. `None`: all APIs, or those in `WGPU_BACKEND`.
pub async fn adapters(api: Option<Api>) -> Vec<Adapter> {
    let mut backends = wgpu::InstanceDescriptor::new_without_display_handle_from_env().backends;
    if backends.is_empty() {
        // `WGPU_BACKEND` is empty or has no name that wgpu recognises.
        backends = wgpu::Backends::all();
    }
    if let Some((_, backend)) = APIS.iter().find(|(known, _)| Some(*known) == api) {
        backends = wgpu::Backends::from(*backend);
    }
    let found = platform::adapters(backends).await;
    let mut adapters: Vec<_> = found
        .into_iter()
        .filter_map(|(inner, compiler)| {
            let device = describe(&inner, compiler)?;
            Some(Adapter { inner, device })
        })
        .collect();
    let rank = |adapter: &Adapter| APIS.iter().position(|(known, _)| *known == adapter.device.api);
    adapters.sort_by_key(|adapter| (adapter.device.kind, rank(adapter)));
    adapters
}

/// Kernels with cooperative matrices need both: naga's SPIR-V is completed and passed through.
const MODULES_WITH_MATRICES: wgpu::Features =
    wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX.union(wgpu::Features::PASSTHROUGH_SHADERS);

const fn wgpu_feature(feature: Feature) -> wgpu::Features {
    match feature {
        Feature::Subgroups => wgpu::Features::SUBGROUP,
        Feature::F64 => wgpu::Features::SHADER_F64,
        Feature::F16 => wgpu::Features::SHADER_F16,
        Feature::I64 | Feature::I64Division => wgpu::Features::SHADER_INT64,
        Feature::CooperativeMatrix | Feature::Int8Matrix | Feature::Bf16Matrix => MODULES_WITH_MATRICES,
        Feature::FilteredF32 => wgpu::Features::FLOAT32_FILTERABLE,
        Feature::I16 => wgpu::Features::SHADER_I16,
        Feature::I64Atomics => wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS,
        Feature::F32Atomics => wgpu::Features::SHADER_FLOAT32_ATOMIC,
        Feature::Immediates => wgpu::Features::IMMEDIATES,
        Feature::SubgroupId | Feature::PackedProduct => wgpu::Features::empty(),
    }
}

/// The features to request: timestamps, mappable storage and shader features that adapter and description have.
pub(super) fn wanted_features(adapter: &Adapter) -> wgpu::Features {
    let Adapter { inner, device } = adapter;
    let wanted = [
        (device.has_timestamps, wgpu::Features::TIMESTAMP_QUERY),
        (device.has_copy_timestamps, wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
        (device.has_mappable_storage, wgpu::Features::MAPPABLE_PRIMARY_BUFFERS),
        (device.features.contains(&Feature::Subgroups), wgpu::Features::SUBGROUP_BARRIER),
    ];
    let wanted = wanted.into_iter().filter(|(is_kept, _)| *is_kept).map(|(_, feature)| feature);
    let of_shaders = shader_features(inner).filter(|feature| device.features.contains(feature)).map(wgpu_feature);
    wanted.chain(of_shaders).fold(wgpu::Features::empty(), |all, one| all | one) & inner.features()
}

/// The limits to request: the adapter's, or smaller ones that a test set in its description for wgpu to enforce.
pub(super) fn wanted_limits(adapter: &Adapter) -> wgpu::Limits {
    let Adapter { inner, device } = adapter;
    wgpu::Limits {
        max_buffer_size: device.max_buffer_bytes,
        max_storage_buffer_binding_size: device.max_binding_bytes,
        max_texture_dimension_2d: device.max_texture_side,
        max_storage_buffers_per_shader_stage: device.max_storage_buffers,
        max_compute_workgroup_storage_size: device.max_workgroup_bytes,
        max_compute_invocations_per_workgroup: device.max_invocations,
        max_compute_workgroup_size_x: device.max_workgroup_size[0],
        max_compute_workgroup_size_y: device.max_workgroup_size[1],
        max_compute_workgroup_size_z: device.max_workgroup_size[2],
        max_compute_workgroups_per_dimension: device.max_groups,
        ..inner.limits()
    }
}

/// The adapter's shader features. wgpu reports cooperative matrices of any shape and type; the kernels use one of
/// these, and others reported by Vulkan.
fn shader_features(adapter: &wgpu::Adapter) -> impl Iterator<Item = Feature> {
    let multiplies_f16 = adapter.cooperative_matrix_properties().iter().any(|shape| {
        (shape.m_size, shape.n_size, shape.k_size) == (16, 16, 16)
            && shape.ab_type == wgpu::CooperativeScalarType::F16
            && shape.cr_type == wgpu::CooperativeScalarType::F32
            && !shape.saturating_accumulation
    });
    let (has, matrices) = (adapter.features(), platform::matrices(adapter));
    Feature::ALL.into_iter().filter(move |feature| has.contains(wgpu_feature(*feature))).filter(move |feature| {
        match feature {
            Feature::CooperativeMatrix => multiplies_f16,
            Feature::I64Division => adapter.get_info().backend != wgpu::Backend::Metal,
            Feature::Int8Matrix | Feature::Bf16Matrix => matrices.contains(feature),
            _ => true,
        }
    })
}

fn describe(adapter: &wgpu::Adapter, compiler: Option<HlslCompiler>) -> Option<Device> {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    let api = APIS.iter().find(|(_, backend)| *backend == info.backend)?.0;
    let kind = match info.device_type {
        // Direct3D on Wine gives software devices the type of a Vulkan GPU.
        _ if is_software(&info.name) => DeviceType::Software,
        wgpu::DeviceType::DiscreteGpu => DeviceType::Discrete,
        wgpu::DeviceType::IntegratedGpu => DeviceType::Integrated,
        wgpu::DeviceType::VirtualGpu => DeviceType::Virtual,
        wgpu::DeviceType::Cpu => DeviceType::Software,
        wgpu::DeviceType::Other => DeviceType::Other,
    };
    let driver = visible(format!("{} {}", info.driver, info.driver_info).trim()).into_owned();
    Some(Device {
        name: visible(&info.name).into_owned(),
        vendor: vendor(&info),
        kind,
        // The compiler affects the results, so two PCs that differ only in its DLL must not look alike.
        driver: compiler.as_ref().map_or(driver.clone(), |compiler| format!("{driver}, {compiler}")),
        api,
        language: Language::Wgsl,
        is_in_browser: api == Api::WebGpu,
        runtime_checks: if api == Api::WebGpu { RuntimeChecks::AlwaysOn } else { RuntimeChecks::Switchable },
        pci_address: Some(visible(&info.device_pci_bus_id).into_owned()).filter(|address| !address.is_empty()),
        uuid: None,
        subgroup: SubgroupSize::reported(info.subgroup_min_size, info.subgroup_max_size),
        features: shader_features(adapter).collect::<BTreeSet<_>>(),
        has_timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        has_copy_timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
        has_mappable_storage: features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS),
        has_pinned_memory: false,
        has_upload_staging: true,
        kernel_compiler: CompilerName::default(),
        max_buffer_bytes: limits.max_buffer_size,
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_texture_side: limits.max_texture_dimension_2d,
        sub_texel_bits: platform::sub_texel_bits(adapter).unwrap_or(guaranteed_sub_texel_bits(api)),
        max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
        max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
        max_invocations: limits.max_compute_invocations_per_workgroup,
        max_workgroup_size: [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ],
        max_groups: limits.max_compute_workgroups_per_dimension,
        compiler,
        facts: facts(&info, &limits, features, adapter),
    })
}

/// Why no kernel can run on a device, and what to do; `None` if there is no known reason.
#[must_use]
pub fn refusal(device: &Device) -> Option<String> {
    let Device { name, api, driver, .. } = device;
    if device.max_invocations == 0 && *api != Api::Cuda {
        return Some(format!(
            "{name} ({api}, {driver}) has no compute shaders: choose another --backend or --device, or update \
             the driver"
        ));
    }
    (*api == Api::Gl && !has_compute_shaders(driver)).then(|| {
        format!(
            "{name} ({api}, {driver}) cannot be opened: wgpu needs OpenGL 4.3 or OpenGL ES 3.1. Use --backend vulkan"
        )
    })
}

/// Whether OpenGL of this version has compute shaders: OpenGL ES, or OpenGL 4.3 and later. A driver may offer them to
/// an older context as an extension, but wgpu then reports the device as lost at once (NVIDIA 580, H200).
fn has_compute_shaders(version: &str) -> bool {
    let mut numbers = version.split(['.', ' ']).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (4, 3),
        _ => true,
    }
}

/// Fraction bits of a texture coordinate that an API guarantees: Vulkan 4 (table "Required Limits",
/// `subTexelPrecisionBits`), Direct3D 8 (Direct3D 11.3 functional specification, texture sampling). OpenGL and WebGPU
/// state no number and run on Vulkan's devices. Metal states none either; 8 is assumed, as on all GPUs of the other
/// APIs.
const fn guaranteed_sub_texel_bits(api: Api) -> u32 {
    match api {
        Api::Dx12 | Api::Metal | Api::Cuda => 8,
        Api::Vulkan | Api::Gl | Api::WebGpu => 4,
    }
}

fn facts(
    info: &wgpu::AdapterInfo,
    limits: &wgpu::Limits,
    features: wgpu::Features,
    adapter: &wgpu::Adapter,
) -> Vec<Fact> {
    let saves_memory = info.transient_saves_memory.map_or("", |saves| if saves { "yes" } else { "no" });
    let mut facts = vec![
        ("adapter", "vendor id".to_owned(), format!("{:#06x}", info.vendor)),
        ("adapter", "device id".to_owned(), format!("{:#06x}", info.device)),
        ("adapter", "PCI address".to_owned(), visible(&info.device_pci_bus_id).into_owned()),
        ("adapter", "smallest subgroup".to_owned(), info.subgroup_min_size.to_string()),
        ("adapter", "largest subgroup".to_owned(), info.subgroup_max_size.to_string()),
        ("adapter", "transient textures save memory".to_owned(), saves_memory.to_owned()),
    ];
    let address = Some(info.device_pci_bus_id.as_str()).filter(|address| !address.is_empty());
    facts.extend(monitor::pcie_text(address, None).map(|text| ("adapter", "PCIe link".to_owned(), text)));
    facts.retain(|(_, _, value)| !value.is_empty());
    // Without serde, which is too expensive to build for this alone, wgpu lists its limits only by `Debug`.
    for line in format!("{limits:#?}").lines() {
        if let Some((name, value)) = line.trim().trim_end_matches(',').split_once(": ") {
            facts.push(("limits", words(name), value.to_owned()));
        }
    }
    let downlevel = adapter.get_downlevel_capabilities();
    // Always the same on DirectX 12; the device's own is in `Device::compiler`.
    if info.backend != wgpu::Backend::Dx12 {
        facts.push(("capabilities", "shader model".to_owned(), format!("{:?}", downlevel.shader_model)));
    }
    let missing = wgpu::DownlevelFlags::all() - downlevel.flags;
    facts.extend(missing.iter_names().map(|(name, _)| ("lacks", words(name), String::new())));
    facts.extend(features.iter_names().map(|(name, _)| ("features", words(name), String::new())));
    facts.into_iter().map(|(section, name, value)| (section.into(), name, value)).collect()
}

/// `max_buffer_size` and `SHADER_F64` as words.
fn words(name: &str) -> String {
    name.to_lowercase().replace('_', " ")
}

fn is_software(name: &str) -> bool {
    ["llvmpipe", "SwiftShader", "softpipe", "Microsoft Basic Render"].iter().any(|known| name.contains(known))
}

/// The vendor by PCI ID, else by name: OpenGL reports no ID.
fn vendor(info: &wgpu::AdapterInfo) -> String {
    let known = [
        (0x10de, "NVIDIA"),
        (0x1002, "AMD"),
        (0x8086, "Intel"),
        (0x106b, "Apple"),
        (0x13b5, "Arm"),
        (0x5143, "Qualcomm"),
        (0x1010, "Imagination"),
        (0x14e4, "Broadcom"),
        (0x1414, "Microsoft"),
        (0x1ae0, "Google"),
        (0x10005, "Mesa"),
    ];
    let by_id = known.iter().find(|(id, _)| *id == info.vendor);
    let by_name = || known.iter().find(|(_, name)| info.name.contains(name));
    by_id.or_else(by_name).map_or_else(|| format!("{:#06x}", info.vendor), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opengl_below_4_3_has_no_compute_shaders() {
        for version in ["3.3.0 NVIDIA 580.159.04", "4.1 ATI-4.14.1", "3.3 (Core Profile) Mesa 20.3.5"] {
            assert!(!has_compute_shaders(version), "{version}");
        }
        for version in [
            "4.3.0 NVIDIA 580.159.04",
            "4.6.0 NVIDIA 580.159.04",
            "4.5 (Core Profile) Mesa 25.0.7-2",
            "OpenGL ES 3.2 NVIDIA 580.159.04",
            "OpenGL ES 3.1 Mesa 20.3.5",
            "",
        ] {
            assert!(has_compute_shaders(version), "{version}");
        }
    }
}
