//! The bindings that a kernel uses, by the kinds that platforms count separately.

use naga::valid::ModuleInfo;
use naga::{AddressSpace, Module, ResourceBinding, ShaderStage, StorageAccess, TypeInner};

/// A binding's kind, by which platforms number it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Uniform,
    Read,
    ReadWrite,
    Texture,
    Sampler,
}

pub(super) fn bound(module: &Module, info: &ModuleInfo) -> Vec<(ResourceBinding, Kind)> {
    let used = info.get_entry_point(0);
    let mut bound = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding.filter(|_| !used[handle].is_empty()) else { continue };
        let kind = match variable.space {
            AddressSpace::Uniform => Kind::Uniform,
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Kind::ReadWrite,
            AddressSpace::Storage { .. } => Kind::Read,
            _ if matches!(module.types[variable.ty].inner, TypeInner::Sampler { .. }) => Kind::Sampler,
            _ => Kind::Texture,
        };
        bound.push((binding, kind));
    }
    bound.sort_by_key(|(binding, _)| binding.binding);
    bound
}

/// Whether the kernel has immediates. Platforms number them before all bindings.
pub(super) fn has_immediates(module: &Module) -> bool {
    module.global_variables.iter().any(|(_, variable)| variable.space == AddressSpace::Immediate)
}

pub(super) fn entry_of(module: &Module) -> (ShaderStage, String) {
    (ShaderStage::Compute, module.entry_points.first().map(|entry| entry.name.clone()).unwrap_or_default())
}

/// Increments the counter; returns its previous value.
pub(super) fn next<N: Copy + std::ops::AddAssign + From<u8>>(counter: &mut N) -> N {
    let number = *counter;
    *counter += N::from(1);
    number
}
