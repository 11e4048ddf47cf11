//! The memory layout of a kernel's bindings.

use naga::{ArraySize, Handle, Module, ScalarKind, Type, TypeInner};

use super::parse::Shader;
use crate::error::Result;
use crate::suite::{Constants, Scalar};

/// The layout of a binding of group 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The variable's name.
    pub name: String,
    /// The type of all of its scalars; u32 words where they differ.
    pub scalar: Scalar,
    /// Whether its scalars are signed integers, in words of [`Scalar::U32`].
    pub is_signed: bool,
    /// Its bytes; `None` for an array whose length is that of the buffer.
    pub bytes: Option<u64>,
    /// Bytes from one element of such an array to the next; of any other type, its bytes.
    pub stride: u64,
}

impl Shader {
    /// The layouts of the buffers that the kernel binds, in the order of their declaration, with `constants` in place of
    /// the overrides that they name.
    ///
    /// # Errors
    /// Those of [`Shader::interface`].
    pub fn layouts(&self, constants: &Constants) -> Result<Vec<Layout>> {
        let (module, _) = self.resolve(constants)?;
        let variables = module.global_variables.iter().filter(|(_, variable)| variable.binding.is_some());
        let layout = |variable: &naga::GlobalVariable| {
            let mut scalars = Vec::new();
            collect(&module, variable.ty, &mut scalars);
            scalars.dedup();
            let (scalar, is_signed) = match scalars[..] {
                [only] => scalar_of(only),
                _ => (Scalar::U32, false),
            };
            let size = u64::from(module.types[variable.ty].inner.size(module.to_ctx()));
            let dynamic = last_array(&module, variable.ty);
            Layout {
                name: variable.name.clone().unwrap_or_default(),
                scalar,
                is_signed,
                bytes: dynamic.is_none().then_some(size),
                stride: dynamic.unwrap_or(size),
            }
        };
        Ok(variables.map(|(_, variable)| layout(variable)).collect())
    }
}

/// The scalars of a type, in order.
fn collect(module: &Module, kind: Handle<Type>, found: &mut Vec<naga::Scalar>) {
    match &module.types[kind].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => found.push(*scalar),
        TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => found.push(*scalar),
        TypeInner::Array { base, .. } => collect(module, *base, found),
        TypeInner::Struct { members, .. } => members.iter().for_each(|member| collect(module, member.ty, found)),
        _ => {}
    }
}

const fn scalar_of(scalar: naga::Scalar) -> (Scalar, bool) {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => (Scalar::F16, false),
        (ScalarKind::Float, 4) => (Scalar::F32, false),
        (ScalarKind::Float, 8) => (Scalar::F64, false),
        (ScalarKind::Sint, 4) => (Scalar::U32, true),
        _ => (Scalar::U32, false),
    }
}

/// The stride of the array at the end of a type whose length is that of the buffer.
fn last_array(module: &Module, kind: Handle<Type>) -> Option<u64> {
    match &module.types[kind].inner {
        TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => Some(u64::from(*stride)),
        TypeInner::Struct { members, .. } => last_array(module, members.last()?.ty),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_has_the_scalars_and_the_length_of_its_type() {
        let kernel = "override N: u32 = 4u;
struct Sizes { rows: u32, scale: f32 }
struct Counted { count: u32, items: array<vec2<i32>> }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> points: array<vec3<f32>>;
@group(0) @binding(2) var<storage> table: array<vec4<u32>, 8>;
@group(0) @binding(3) var<storage, read_write> output: Counted;
@group(0) @binding(4) var<storage, read_write> sums: array<atomic<i32>>;
@compute @workgroup_size(1)
fn main() {
    output.items[0] = vec2<i32>(i32(points[0].x * sizes.scale) + i32(table[0].x), 0);
    atomicAdd(&sums[0], 1);
}";
        let shader = Shader::parse(kernel, "f32").expect("valid");
        let found = shader.layouts(&Constants::new()).expect("resolved");
        let found: Vec<_> =
            found.iter().map(|of| (of.name.as_str(), of.scalar, of.is_signed, of.bytes, of.stride)).collect();
        assert_eq!(
            found,
            [
                ("sizes", Scalar::U32, false, Some(8), 8),
                ("points", Scalar::F32, false, None, 16),
                ("table", Scalar::U32, false, Some(128), 128),
                ("output", Scalar::U32, false, None, 8),
                ("sums", Scalar::U32, true, None, 4),
            ]
        );
    }
}
