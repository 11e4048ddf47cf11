//! HLSL for DirectX 12.

use std::collections::BTreeSet;

use naga::Module;
use naga::back::hlsl;
use naga::valid::ModuleInfo;

use super::bound::{Kind, bound, entry_of, has_immediates, next};
use record::suite::{Checks, Feature};

/// A shader model: the version of HLSL that compiler and device support. wgpu writes the highest of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShaderModel {
    /// 5.1, the last of FXC.
    V5_1,
    /// 6.0, the first of DXC.
    V6_0,
    /// 6.2, the first with 16-bit floats.
    V6_2,
    /// 6.6, whose packed dot products are one instruction (since 6.4).
    V6_6,
}

impl ShaderModel {
    /// Every model, the oldest first.
    pub const ALL: [Self; 4] = [Self::V5_1, Self::V6_0, Self::V6_2, Self::V6_6];

    /// Its number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V5_1 => "5.1",
            Self::V6_0 => "6.0",
            Self::V6_2 => "6.2",
            Self::V6_6 => "6.6",
        }
    }

    /// Whether kernels of this model can use `feature`.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        match feature {
            // naga expands packed products if the model lacks them.
            Feature::F64 | Feature::PackedProduct | Feature::FilteredF32 | Feature::Immediates => true,
            Feature::Subgroups | Feature::SubgroupId | Feature::I64 | Feature::I64Division => self >= Self::V6_0,
            Feature::F16 | Feature::I16 => self >= Self::V6_2,
            Feature::I64Atomics => self >= Self::V6_6,
            Feature::F32Atomics | Feature::CooperativeMatrix | Feature::Int8Matrix | Feature::Bf16Matrix => false,
        }
    }

    /// The oldest model of DXC with all of `features` that any model has.
    #[must_use]
    pub fn least(features: &BTreeSet<Feature>) -> Self {
        let has = |model: &&Self| features.iter().all(|feature| model.has(*feature) || !Self::V6_6.has(*feature));
        let of_dxc = Self::ALL.iter().filter(|model| **model >= Self::V6_0);
        of_dxc.copied().find(|model| has(&model)).unwrap_or(Self::V6_6)
    }

    const fn of_naga(self) -> hlsl::ShaderModel {
        match self {
            Self::V5_1 => hlsl::ShaderModel::V5_1,
            Self::V6_0 => hlsl::ShaderModel::V6_0,
            Self::V6_2 => hlsl::ShaderModel::V6_2,
            Self::V6_6 => hlsl::ShaderModel::V6_6,
        }
    }
}

pub(super) fn hlsl(module: &Module, info: &ModuleInfo, checks: Checks, model: ShaderModel) -> Result<Vec<u8>, String> {
    let register = |register| hlsl::BindTarget { register, ..Default::default() };
    let mut options = hlsl::Options {
        sampler_heap_target: hlsl::SamplerHeapBindTargets {
            standard_samplers: register(0),
            comparison_samplers: register(2048),
        },
        shader_model: model.of_naga(),
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: checks.zero_init,
        restrict_indexing: checks.bounds,
        force_loop_bounding: checks.loops,
        ..Default::default()
    };
    let (mut constants, mut views, mut stores, mut samplers) = (0, 0, 0, 0);
    if has_immediates(module) {
        options.immediates_target = Some(register(next(&mut constants)));
    }
    for (binding, kind) in bound(module, info) {
        let counter = match kind {
            Kind::Uniform => &mut constants,
            Kind::Read | Kind::Texture => &mut views,
            Kind::ReadWrite => &mut stores,
            // Samplers are in a heap that all pipelines share; the register is an index into a buffer of heap indices.
            Kind::Sampler => &mut samplers,
        };
        options.binding_map.insert(binding, register(next(counter)));
    }
    if samplers > 0 {
        options.sampler_buffer_binding_map.insert(hlsl::SamplerIndexBufferKey { group: 0 }, register(views));
    }
    options.special_constants_binding = Some(register(constants));
    let pipeline = hlsl::PipelineOptions { entry_point: Some(entry_of(module)) };
    let mut text = String::new();
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    writer.write(module, info, None).map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}
