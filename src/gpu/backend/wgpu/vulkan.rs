//! Cooperative matrices of Vulkan that wgpu cannot express, and devices with extensions that wgpu does not enable.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;

use ash::vk;
use wgpu::hal::api::Vulkan;

use record::suite::Feature;

/// The kinds of cooperative matrices behind [`Feature`]s: M×N×K, and the types of factors and sums.
const MATRICES: [(Feature, [u32; 3], vk::ComponentTypeKHR, vk::ComponentTypeKHR); 2] = [
    (Feature::Int8Matrix, [16, 16, 32], vk::ComponentTypeKHR::SINT8, vk::ComponentTypeKHR::SINT32),
    (Feature::Bf16Matrix, [16, 16, 16], BFLOAT16, vk::ComponentTypeKHR::FLOAT32),
];

/// `VK_COMPONENT_TYPE_BFLOAT16_KHR`.
const BFLOAT16: vk::ComponentTypeKHR = vk::ComponentTypeKHR::from_raw(1_000_141_000);

const EXTENSION: &CStr = c"VK_KHR_shader_bfloat16";

/// `VkPhysicalDeviceShaderBfloat16FeaturesKHR`, which is newer than ash 0.38.
#[repr(C)]
struct Bfloat16Features<'a> {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    of_type: vk::Bool32,
    of_dot_product: vk::Bool32,
    of_cooperative_matrix: vk::Bool32,
    marker: PhantomData<&'a ()>,
}

impl Bfloat16Features<'_> {
    fn new(is_on: bool) -> Self {
        Self {
            // `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR`.
            s_type: vk::StructureType::from_raw(1_000_141_000),
            p_next: std::ptr::null_mut(),
            of_type: is_on.into(),
            of_dot_product: vk::FALSE,
            of_cooperative_matrix: is_on.into(),
            marker: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "ash 0.38 lacks the structure")]
// SAFETY: Vulkan 1.4 declares the structure with these members in this order, and that it extends this one.
unsafe impl vk::ExtendsDeviceCreateInfo for Bfloat16Features<'_> {}

#[expect(unsafe_code, reason = "ash 0.38 lacks the structure")]
// SAFETY: as above.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Bfloat16Features<'_> {}

/// The kinds of [`MATRICES`] that kernels can use on a device opened by wgpu (for bf16, by [`open_extended`]).
pub(super) fn matrices(adapter: &wgpu::Adapter) -> BTreeSet<Feature> {
    // The functions below would not load from a driver without the extension.
    if !adapter.features().contains(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX) {
        return BTreeSet::new();
    }
    #[expect(unsafe_code, reason = "the adapter outlives the calls, which read properties only")]
    // SAFETY: the physical device belongs to this instance; neither is changed or kept. wgpu has the feature only if it
    // has queried the matrices through the same function, so this function can be loaded. Instances since version 1.1
    // have `vkGetPhysicalDeviceFeatures2`.
    unsafe {
        let Some(vulkan) = adapter.as_hal::<Vulkan>() else { return BTreeSet::new() };
        let (shared, device) = (vulkan.shared_instance(), vulkan.raw_physical_device());
        let (instance, version) = (shared.raw_instance(), vk::API_VERSION_1_1);
        let properties = vulkan.physical_device_capabilities();
        if shared.instance_api_version() < version || properties.properties().api_version < version {
            return BTreeSet::new();
        }
        let matrices = ash::khr::cooperative_matrix::Instance::new(shared.entry(), instance);
        let listed = matrices.get_physical_device_cooperative_matrix_properties(device).unwrap_or_default();
        let mut found: BTreeSet<Feature> =
            MATRICES.iter().filter(|kind| listed.iter().any(|own| is_kind(own, kind))).map(|kind| kind.0).collect();
        if found.contains(&Feature::Bf16Matrix) {
            let mut bf16 = Bfloat16Features::new(false);
            if properties.supports_extension(EXTENSION) {
                let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut bf16);
                instance.get_physical_device_features2(device, &mut all);
            }
            if bf16.of_type == vk::FALSE || bf16.of_cooperative_matrix == vk::FALSE {
                found.remove(&Feature::Bf16Matrix);
            }
        }
        found
    }
}

fn is_kind(
    listed: &vk::CooperativeMatrixPropertiesKHR<'_>,
    (_, shape, factors, sums): &(Feature, [u32; 3], vk::ComponentTypeKHR, vk::ComponentTypeKHR),
) -> bool {
    [listed.m_size, listed.n_size, listed.k_size] == *shape
        && [listed.a_type, listed.b_type] == [*factors; 2]
        && [listed.c_type, listed.result_type] == [*sums; 2]
        && listed.scope == vk::ScopeKHR::SUBGROUP
        && listed.saturating_accumulation == vk::FALSE
}

/// Opens a device with the extensions that wgpu does not enable: statistics of pipelines if the driver has them, and
/// bf16 matrices if `has_bf16`. Then the adapter must have [`Feature::Bf16Matrix`] among its [`matrices`], and
/// everything that `descriptor` requires. `None` if there is nothing to add, or if the driver refuses.
pub(super) fn open_extended(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
    has_bf16: bool,
) -> Option<(wgpu::Device, wgpu::Queue)> {
    let mut bf16 = Bfloat16Features::new(true);
    let mut statistics =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    let (features, limits) = (descriptor.required_features, &descriptor.required_limits);
    #[expect(unsafe_code, reason = "wgpu does not enable these extensions")]
    // SAFETY: wgpu's own `request_device` opens the device in the same way, with the same features and limits, which
    // the caller took from the adapter. The callback adds extensions and features that the device has: bf16 by
    // `matrices`, statistics by the query below. The structures of the features outlive the call.
    unsafe {
        let opened = {
            let vulkan = adapter.as_hal::<Vulkan>()?;
            let has_statistics = has_statistics(&vulkan);
            if !has_bf16 && !has_statistics {
                return None;
            }
            let callback: Box<wgpu::hal::vulkan::CreateDeviceCallback<'_>> = Box::new(|arguments| {
                let mut info = std::mem::take(arguments.create_info);
                if has_bf16 {
                    arguments.extensions.push(EXTENSION);
                    info = info.push_next(&mut bf16);
                }
                if has_statistics {
                    arguments.extensions.push(ash::khr::pipeline_executable_properties::NAME);
                    info = info.push_next(&mut statistics);
                }
                *arguments.create_info = info;
            });
            vulkan.open_with_callback(features, limits, &descriptor.memory_hints, Some(callback)).ok()?
        };
        adapter.create_device_from_hal::<Vulkan>(opened, descriptor).ok()
    }
}

/// Whether the driver reports statistics of pipelines. Not before Vulkan 1.3, because only since then is it known what
/// wgpu has enabled (`executable::enabled`).
fn has_statistics(vulkan: &wgpu::hal::vulkan::Adapter) -> bool {
    let (shared, capabilities) = (vulkan.shared_instance(), vulkan.physical_device_capabilities());
    if shared.instance_api_version() < vk::API_VERSION_1_1
        || capabilities.properties().api_version < vk::API_VERSION_1_3
        || !capabilities.supports_extension(ash::khr::pipeline_executable_properties::NAME)
    {
        return false;
    }
    let mut has = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut has);
    #[expect(unsafe_code, reason = "the adapter outlives the call, which reads properties only")]
    // SAFETY: the physical device is of this instance, whose version is at least 1.1 and thus has the function.
    unsafe {
        shared.raw_instance().get_physical_device_features2(vulkan.raw_physical_device(), &mut all);
    }
    has.pipeline_executable_info == vk::TRUE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_matrix_has_one_shape_its_types_and_a_subgroup() {
        let int8 = vk::CooperativeMatrixPropertiesKHR {
            m_size: 16,
            n_size: 16,
            k_size: 32,
            a_type: vk::ComponentTypeKHR::SINT8,
            b_type: vk::ComponentTypeKHR::SINT8,
            c_type: vk::ComponentTypeKHR::SINT32,
            result_type: vk::ComponentTypeKHR::SINT32,
            scope: vk::ScopeKHR::SUBGROUP,
            ..Default::default()
        };
        let kinds = |of: vk::CooperativeMatrixPropertiesKHR<'_>| -> Vec<Feature> {
            MATRICES.iter().filter(|kind| is_kind(&of, kind)).map(|kind| kind.0).collect()
        };
        assert_eq!(kinds(int8), [Feature::Int8Matrix]);
        assert_eq!(kinds(vk::CooperativeMatrixPropertiesKHR { n_size: 8, ..int8 }), []);
        assert_eq!(kinds(vk::CooperativeMatrixPropertiesKHR { b_type: vk::ComponentTypeKHR::UINT8, ..int8 }), []);
        assert_eq!(kinds(vk::CooperativeMatrixPropertiesKHR { scope: vk::ScopeKHR::WORKGROUP, ..int8 }), []);
        assert_eq!(kinds(vk::CooperativeMatrixPropertiesKHR { saturating_accumulation: vk::TRUE, ..int8 }), []);
        let bf16 = vk::CooperativeMatrixPropertiesKHR {
            k_size: 16,
            a_type: BFLOAT16,
            b_type: BFLOAT16,
            c_type: vk::ComponentTypeKHR::FLOAT32,
            result_type: vk::ComponentTypeKHR::FLOAT32,
            ..int8
        };
        assert_eq!(kinds(bf16), [Feature::Bf16Matrix]);
    }
}
