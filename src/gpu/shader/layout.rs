//! The memory layout of a kernel's bindings.

use std::collections::BTreeSet;

use naga::{AddressSpace, ArraySize, Handle, ImageClass, ImageDimension, Module, ScalarKind, Type, TypeInner};

use super::parse::Shader;
use record::error::Result;
use record::suite::{Constants, Layers, Scalar, TexelFormat};

/// The layout of a binding, or of the immediates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The variable's name.
    pub name: String,
    /// The type of all scalars; u32 words if they differ.
    pub scalar: Scalar,
    /// Size in bytes; `None` for a runtime-sized array.
    pub bytes: Option<u64>,
    /// Bytes from one element of a runtime-sized array to the next; for other types, their size.
    pub stride: u64,
    /// Scalars by name: those of one element, for a runtime-sized array.
    pub fields: Vec<Field>,
    /// Its texels, if it is a texture.
    pub texels: Option<Texels>,
    /// Whether the texture is an array or 3-D. The number of its layers is not known.
    pub layers: Layers,
    /// Whether it is the immediates.
    pub is_immediate: bool,
}

/// Neighbouring scalars of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Member names from the outermost to the innermost, joined by dots; empty for the whole variable.
    pub name: String,
    /// Offset of its first byte.
    pub offset: u64,
    /// The type of its scalars.
    pub scalar: Scalar,
    /// Their number.
    pub count: u64,
}

/// The texels of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texels {
    /// Of a storage texture.
    Storage(TexelFormat),
    /// Of any format with floats.
    Float,
    /// Of any format with signed integers.
    Signed,
    /// Of any format with unsigned integers.
    Unsigned,
    /// Of a texture that is 1-D or a cube, has several samples, depths, or a format of its own.
    Other,
}

impl Layout {
    /// The type of each scalar of an element, f32 or that of the layout; `None` for padding. Empty if all have one type
    /// without padding, or if their sizes differ.
    #[must_use]
    pub fn element(&self) -> Vec<Option<Scalar>> {
        let size = self.scalar.bytes() as u64;
        let end = |field: &Field| field.offset + field.count * field.scalar.bytes() as u64;
        // After a header, an array's elements do not start at multiples of their length.
        let is_whole = self.stride.is_multiple_of(size) && self.fields.iter().all(|field| end(field) <= self.stride);
        let of_scalars = self.fields.iter().all(|field| field.scalar.bytes() as u64 == size);
        if !is_whole || !of_scalars || self.fields.is_empty() || self.texels.is_some() {
            return Vec::new();
        }
        let mut all = vec![None; (self.stride / size) as usize];
        for field in &self.fields {
            let first = (field.offset / size) as usize;
            // Types other than f32 are words, as the whole is.
            let own = if field.scalar == Scalar::F32 { field.scalar } else { self.scalar };
            all.iter_mut().skip(first).take(field.count as usize).for_each(|slot| *slot = Some(own));
        }
        if all.iter().all(|own| *own == Some(self.scalar)) { Vec::new() } else { all }
    }
}

impl Shader {
    /// The layouts of the buffers and textures that these entry points bind, and of their immediates, in the order of
    /// their declaration, with `constants` in place of the overrides that they name.
    ///
    /// # Errors
    /// Those of [`Shader::interface_of`].
    pub fn layouts(&self, entries: &[&str], constants: &Constants) -> Result<Vec<Layout>> {
        let mut found: Vec<Layout> = Vec::new();
        let mut seen = BTreeSet::new();
        for entry in entries {
            let (module, info) = self.resolve(entry, constants)?;
            let used = info.get_entry_point(0);
            for (handle, variable) in module.global_variables.iter() {
                let is_immediate = variable.space == AddressSpace::Immediate;
                let is_sampler = matches!(module.types[variable.ty].inner, TypeInner::Sampler { .. });
                let is_bound = variable.binding.is_some() && !is_sampler || is_immediate;
                let name = variable.name.clone().unwrap_or_default();
                if is_bound && !used[handle].is_empty() && seen.insert(name.clone()) {
                    found.push(layout(&module, variable.ty, name, is_immediate));
                }
            }
        }
        Ok(found)
    }
}

pub(super) fn layout(module: &Module, kind: Handle<Type>, name: String, is_immediate: bool) -> Layout {
    let mut scalars = Vec::new();
    collect(module, kind, &mut scalars);
    scalars.dedup();
    let scalar = match scalars[..] {
        [only] => scalar_of(only),
        _ => Scalar::U32,
    };
    let size = u64::from(module.types[kind].inner.size(module.to_ctx()));
    let dynamic = last_array(module, kind);
    let mut fields = Vec::new();
    add_fields(module, kind, String::new(), 0, &mut fields);
    Layout {
        name,
        scalar,
        bytes: dynamic.is_none().then_some(size),
        stride: dynamic.unwrap_or(size),
        fields,
        texels: texels(&module.types[kind].inner),
        layers: match module.types[kind].inner {
            TypeInner::Image { dim: ImageDimension::D3, .. } => Layers::Deep(0),
            TypeInner::Image { arrayed: true, .. } => Layers::Array(0),
            _ => Layers::One,
        },
        is_immediate,
    }
}

fn texels(kind: &TypeInner) -> Option<Texels> {
    let TypeInner::Image { dim, arrayed, class } = kind else { return None };
    if !matches!((dim, arrayed), (ImageDimension::D2, _) | (ImageDimension::D3, false)) {
        return Some(Texels::Other);
    }
    Some(match class {
        ImageClass::Storage { format, .. } => {
            let name = format!("{format:?}").to_lowercase();
            let known = TexelFormat::ALL.into_iter().find(|own| own.name() == name);
            known.map_or(Texels::Other, Texels::Storage)
        }
        ImageClass::Sampled { multi: false, kind: ScalarKind::Float } => Texels::Float,
        ImageClass::Sampled { multi: false, kind: ScalarKind::Sint } => Texels::Signed,
        ImageClass::Sampled { multi: false, kind: ScalarKind::Uint } => Texels::Unsigned,
        _ => Texels::Other,
    })
}

/// Adds the scalars of a type that starts at `offset`; of a runtime-sized array, those of one element.
fn add_fields(module: &Module, kind: Handle<Type>, name: String, offset: u64, fields: &mut Vec<Field>) {
    /// Elements of longer arrays are not named one by one.
    const MOST: u32 = 64;
    let mut add = |name: String, offset: u64, own: naga::Scalar, count: u64| {
        fields.push(Field { name, offset, scalar: scalar_of(own), count });
    };
    match &module.types[kind].inner {
        TypeInner::Scalar(own) | TypeInner::Atomic(own) => add(name, offset, *own, 1),
        TypeInner::Vector { size, scalar } => add(name, offset, *scalar, *size as u64),
        TypeInner::Matrix { columns, rows, scalar } => {
            // A column of three takes the space of four.
            let stride = u64::from(scalar.width) * (*rows as u64).next_power_of_two();
            for column in 0..*columns as u64 {
                add(format!("{name}[{column}]"), offset + column * stride, *scalar, *rows as u64);
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), stride } if count.get() <= MOST => {
            for index in 0..count.get() {
                let at = offset + u64::from(index) * u64::from(*stride);
                add_fields(module, *base, format!("{name}[{index}]"), at, fields);
            }
        }
        TypeInner::Array { base, .. } => add_fields(module, *base, name, offset, fields),
        TypeInner::Struct { members, .. } => {
            for member in members {
                let member_name = member.name.as_deref().unwrap_or_default();
                let name = if name.is_empty() { member_name.to_owned() } else { format!("{name}.{member_name}") };
                add_fields(module, member.ty, name, offset + u64::from(member.offset), fields);
            }
        }
        _ => {}
    }
}

fn collect(module: &Module, kind: Handle<Type>, found: &mut Vec<naga::Scalar>) {
    match &module.types[kind].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => found.push(*scalar),
        TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => found.push(*scalar),
        TypeInner::Array { base, .. } => collect(module, *base, found),
        TypeInner::Struct { members, .. } => members.iter().for_each(|member| collect(module, member.ty, found)),
        _ => {}
    }
}

const fn scalar_of(scalar: naga::Scalar) -> Scalar {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => Scalar::F16,
        (ScalarKind::Float, 4) => Scalar::F32,
        (ScalarKind::Float, 8) => Scalar::F64,
        (ScalarKind::Sint, 4) => Scalar::I32,
        (ScalarKind::Sint, 8) => Scalar::I64,
        (ScalarKind::Uint, 8) => Scalar::U64,
        _ => Scalar::U32,
    }
}

/// The stride of a runtime-sized array at the end of a type.
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
@group(0) @binding(5) var<storage, read_write> wide: array<vec2<i64>>;
@compute @workgroup_size(1)
fn main() {
    output.items[0] = vec2<i32>(i32(points[0].x * sizes.scale) + i32(table[0].x), 0);
    atomicAdd(&sums[0], 1);
    wide[0] = vec2<i64>(1li);
}";
        let shader = Shader::parse(kernel, "f32").expect("valid");
        let found = shader.layouts(&[shader.entry()], &Constants::new()).expect("resolved");
        let found: Vec<_> = found.iter().map(|of| (of.name.as_str(), of.scalar, of.bytes, of.stride)).collect();
        assert_eq!(
            found,
            [
                ("sizes", Scalar::U32, Some(8), 8),
                ("points", Scalar::F32, None, 16),
                ("table", Scalar::U32, Some(128), 128),
                ("output", Scalar::U32, None, 8),
                ("sums", Scalar::I32, None, 4),
                ("wide", Scalar::I64, None, 16),
            ]
        );
    }
}
