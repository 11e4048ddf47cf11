//! Reads the types, variables and entry points of a SPIR-V module from its instructions.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, Handle, ImageClass, ImageDimension, Module, ScalarKind, Span, StorageAccess,
    StorageFormat, StructMember, Type, TypeInner, VectorSize,
};
use spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, ImageFormat, Op, StorageClass};

use super::fold::folded;
use super::module::{HEADER, instructions, op, text};
use super::spirv_images::FORMATS;
use record::suite::Constants;

/// Capabilities that wgpu enables on no device, and what they are for.
const UNAVAILABLE: [(u32, &str); 4] = [
    (5347, "buffer addresses (buffer_reference, PhysicalStorageBufferAddresses), which wgpu does not support"),
    (4472, "ray queries, which `bench` does not set up"),
    (4212, "fp8 (SPV_EXT_float8), which wgpu does not support"),
    (5302, "descriptor arrays of unknown length: `bench` binds only single textures and buffers"),
];

/// Maximum nesting of types.
const DEEPEST: usize = 64;

/// A variable with a binding, or the push constants.
pub(super) struct Variable {
    pub(super) id: u32,
    pub(super) name: String,
    /// Group and number; none of push constants.
    pub(super) binding: Option<(u32, u32)>,
    pub(super) space: AddressSpace,
    pub(super) kind: Handle<Type>,
    pub(super) is_written: bool,
}

/// An entry point: its name, the ids that its functions use, and its workgroup.
pub(super) struct EntryPoint {
    pub(super) name: String,
    pub(super) uses: BTreeSet<u32>,
    pub(super) workgroup_size: [u32; 3],
    pub(super) workgroup_bytes: u32,
}

/// What a module declares.
pub(super) struct Declarations {
    pub(super) types: Module,
    pub(super) variables: Vec<Variable>,
    pub(super) entries: Vec<EntryPoint>,
}

impl Declarations {
    /// Reads a module, with these values of its specialization constants; or says what wgpu cannot bind.
    pub(super) fn of(words: &[u32], values: &Constants) -> Result<Self, String> {
        if words.len() < HEADER {
            return Err("it is truncated".to_owned());
        }
        // Arrays and workgroups may have sizes that are computed from constants.
        let folded = folded(words, values).map(|(words, _)| words);
        let words = folded.as_deref().unwrap_or(words);
        let mut reader = Reader::default();
        instructions(words).try_for_each(|own| reader.add(own))?;
        let mut types = Module::default();
        let variables = reader.variables(&mut types)?;
        let entries = reader.entries(&mut types)?;
        Ok(Self { types, variables, entries })
    }
}

#[derive(Default)]
struct Reader<'a> {
    names: HashMap<u32, String>,
    member_names: HashMap<(u32, u32), String>,
    /// Operands of decorations, by id and decoration.
    decorations: HashMap<(u32, u32), u32>,
    offsets: HashMap<(u32, u32), u32>,
    /// The operands of types, by their results.
    types: HashMap<u32, (Op, &'a [u32])>,
    constants: HashMap<u32, u32>,
    variables: Vec<(u32, u32, u32)>,
    entries: Vec<(u32, String)>,
    /// Workgroup sizes by entry point: numbers, or ids of constants.
    sizes: HashMap<u32, [u32; 3]>,
    size_ids: HashMap<u32, [u32; 3]>,
    /// The constants of gl_WorkGroupSize, which replaces all other sizes.
    size_of_all: Option<[u32; 3]>,
    /// The instructions of each function, by its result.
    functions: Vec<(u32, Vec<&'a [u32]>)>,
    made: HashMap<u32, Handle<Type>>,
    /// Current nesting of types: in damaged modules, types contain themselves.
    depth: usize,
}

impl<'a> Reader<'a> {
    fn add(&mut self, own: &'a [u32]) -> Result<(), String> {
        let Some(code) = op(own) else { return Ok(()) };
        match (code, &own[1..]) {
            (Op::Capability, [capability]) => {
                let known = UNAVAILABLE.iter().find(|(known, _)| known == capability);
                return known.map_or(Ok(()), |(_, what)| Err(format!("it needs {what}")));
            }
            (Op::Name, [id, name @ ..]) => _ = self.names.entry(*id).or_insert_with(|| text(name)),
            (Op::MemberName, [id, member, name @ ..]) => _ = self.member_names.insert((*id, *member), text(name)),
            (Op::Decorate, [id, decoration, rest @ ..]) => {
                self.decorations.insert((*id, *decoration), rest.first().copied().unwrap_or(0));
            }
            (Op::MemberDecorate, [id, member, decoration, offset]) if *decoration == Decoration::Offset as u32 => {
                self.offsets.insert((*id, *member), *offset);
            }
            (Op::EntryPoint, [model, id, name @ ..]) if *model == ExecutionModel::GLCompute as u32 => {
                self.entries.push((*id, text(name)));
            }
            (Op::ExecutionMode, [id, mode, x, y, z]) if *mode == ExecutionMode::LocalSize as u32 => {
                self.sizes.insert(*id, [*x, *y, *z]);
            }
            (Op::ExecutionModeId, [id, mode, x, y, z]) if *mode == ExecutionMode::LocalSizeId as u32 => {
                self.size_ids.insert(*id, [*x, *y, *z]);
            }
            (Op::ConstantComposite | Op::SpecConstantComposite, [_, id, x, y, z])
                if self.decoration(*id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32) =>
            {
                self.size_of_all = Some([*x, *y, *z]);
            }
            (Op::Constant | Op::SpecConstant, [_, id, value, ..]) => _ = self.constants.insert(*id, *value),
            (Op::Variable, [kind, id, class, ..]) if self.functions.is_empty() => {
                self.variables.push((*kind, *id, *class));
            }
            (Op::Function, [_, id, ..]) => self.functions.push((*id, vec![own])),
            (_, [id, rest @ ..]) if format!("{code:?}").starts_with("Type") => _ = self.types.insert(*id, (code, rest)),
            _ => {
                if let Some((_, body)) = self.functions.last_mut() {
                    body.push(own);
                }
            }
        }
        Ok(())
    }

    fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, decoration as u32)).copied()
    }

    fn name(&self, id: u32) -> Option<String> {
        self.names.get(&id).filter(|name| !name.is_empty()).cloned()
    }

    /// The variables that need a binding.
    fn variables(&mut self, module: &mut Module) -> Result<Vec<Variable>, String> {
        let written = self.written();
        let mut found: Vec<Variable> = Vec::new();
        for (pointer, id, class) in self.variables.clone() {
            let Some((Op::TypePointer, &[_, pointee])) = self.types.get(&pointer).copied() else { continue };
            let space = match StorageClass::from_u32(class) {
                Some(StorageClass::PushConstant) => AddressSpace::Immediate,
                Some(StorageClass::Uniform) if self.decoration(pointee, Decoration::BufferBlock).is_none() => {
                    AddressSpace::Uniform
                }
                Some(StorageClass::Uniform | StorageClass::StorageBuffer) => {
                    AddressSpace::Storage { access: StorageAccess::LOAD }
                }
                Some(StorageClass::UniformConstant) => AddressSpace::Handle,
                _ => continue,
            };
            let index = self.decoration(id, Decoration::Binding);
            let group = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
            let is_array = matches!(self.types.get(&pointee), Some((Op::TypeArray | Op::TypeRuntimeArray, _)));
            let usual = index.map_or_else(|| "immediates".to_owned(), |index| format!("binding_{index}"));
            // The same names as naga's front end gives: the only member of a block, or the block.
            let member = self.types.get(&pointee).filter(|(_, members)| members.len() == 1);
            let member = member.and_then(|_| self.member_names.get(&(pointee, 0)).cloned());
            let name = self.name(id).or(member).or_else(|| self.name(pointee)).unwrap_or(usual);
            if is_array && space != AddressSpace::Immediate {
                return Err(format!("'{name}' is a descriptor array: `bench` binds only single textures and buffers"));
            }
            let name = if found.iter().any(|own| own.name == name) { format!("{name}_{id}") } else { name };
            let kind = self.kind(pointee, module)?;
            let binding = index.map(|index| (group, index));
            found.push(Variable { id, name, binding, space, kind, is_written: written.contains(&id) });
        }
        Ok(found)
    }

    fn kind(&mut self, id: u32, module: &mut Module) -> Result<Handle<Type>, String> {
        if let Some(made) = self.made.get(&id) {
            return Ok(*made);
        }
        let (code, operands) = *self.types.get(&id).ok_or("a type is missing")?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("a type contains itself".to_owned());
        }
        let scalar =
            |of: Option<&TypeInner>| of.and_then(TypeInner::scalar).ok_or("the components of a vector are not scalars");
        let size = |size: u32| match size {
            2 => Ok(VectorSize::Bi),
            3 => Ok(VectorSize::Tri),
            4 => Ok(VectorSize::Quad),
            other => Err(format!("a vector has {other} components")),
        };
        let inner = match (code, operands) {
            (Op::TypeBool, _) => TypeInner::Scalar(naga::Scalar::BOOL),
            (Op::TypeInt, [width, signed]) => {
                let kind = if *signed == 1 { ScalarKind::Sint } else { ScalarKind::Uint };
                TypeInner::Scalar(naga::Scalar { kind, width: (*width / 8) as u8 })
            }
            // Formats other than IEEE's (bf16, fp8) have an encoding.
            (Op::TypeFloat, [width, encoding @ ..]) => {
                let kind = if encoding.is_empty() { ScalarKind::Float } else { ScalarKind::Uint };
                TypeInner::Scalar(naga::Scalar { kind, width: (*width / 8) as u8 })
            }
            (Op::TypeVector, [base, count]) => {
                let base = self.kind(*base, module)?;
                TypeInner::Vector { size: size(*count)?, scalar: scalar(Some(&module.types[base].inner))? }
            }
            (Op::TypeMatrix, [base, count]) => {
                let base = self.kind(*base, module)?;
                let TypeInner::Vector { size: rows, scalar } = module.types[base].inner else {
                    return Err("the columns of a matrix are not vectors".to_owned());
                };
                TypeInner::Matrix { columns: size(*count)?, rows, scalar }
            }
            (Op::TypeArray | Op::TypeRuntimeArray, [base, count @ ..]) => {
                let base = self.kind(*base, module)?;
                let natural = module.types[base].inner.size(module.to_ctx());
                let count = count.first().map(|id| self.constants.get(id).copied().and_then(NonZeroU32::new));
                let size = match count {
                    None => ArraySize::Dynamic,
                    Some(count) => ArraySize::Constant(count.ok_or("the length of an array is unknown")?),
                };
                let stride = self.decoration(id, Decoration::ArrayStride).unwrap_or(natural);
                if matches!(size, ArraySize::Constant(count) if count.get().checked_mul(stride).is_none()) {
                    return Err("an array is too large".to_owned());
                }
                TypeInner::Array { base, size, stride }
            }
            (Op::TypeStruct, members) => {
                let (mut all, mut span) = (Vec::new(), 0);
                for (number, member) in (0..).zip(members) {
                    let ty = self.kind(*member, module)?;
                    let offset = self.offsets.get(&(id, number)).copied().unwrap_or(span);
                    let end = offset.checked_add(module.types[ty].inner.size(module.to_ctx()));
                    span = span.max(end.filter(|end| *end < u32::MAX - 4).ok_or("a struct is too large")?);
                    let name = self.member_names.get(&(id, number)).cloned();
                    all.push(StructMember { name, ty, binding: None, offset });
                }
                TypeInner::Struct { members: all, span: span.next_multiple_of(4) }
            }
            (Op::TypeSampler, _) => TypeInner::Sampler { comparison: false },
            (Op::TypeImage, [base, dim, depth, arrayed, multi, sampled, format, ..]) => {
                let base = self.kind(*base, module)?;
                let kind = module.types[base].inner.scalar_kind().unwrap_or(ScalarKind::Float);
                let dim = match dim {
                    0 => ImageDimension::D1,
                    1 => ImageDimension::D2,
                    2 => ImageDimension::D3,
                    3 => ImageDimension::Cube,
                    _ => return Err("it has a texel buffer, which wgpu does not support".to_owned()),
                };
                let multi = *multi == 1;
                let class = match (sampled, depth) {
                    (2, _) => {
                        ImageClass::Storage { format: storage_format(*format, kind)?, access: StorageAccess::all() }
                    }
                    (_, 1) => ImageClass::Depth { multi },
                    _ => ImageClass::Sampled { kind, multi },
                };
                TypeInner::Image { dim, arrayed: *arrayed == 1, class }
            }
            (other, _) => return Err(format!("it binds a {}, which wgpu cannot bind", &format!("{other:?}")[4..])),
        };
        let made = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        self.made.insert(id, made);
        self.depth -= 1;
        Ok(made)
    }

    /// The variables that an instruction stores to, or a function gets a pointer to.
    fn written(&self) -> BTreeSet<u32> {
        let (mut roots, mut written): (HashMap<u32, u32>, BTreeSet<u32>) = (HashMap::new(), BTreeSet::new());
        let variables: BTreeSet<u32> = self.variables.iter().map(|(_, id, _)| *id).collect();
        for own in self.functions.iter().flat_map(|(_, body)| body) {
            let root = |id: u32| roots.get(&id).copied().unwrap_or(id);
            let Some(code) = op(own) else { continue };
            let stores: &[u32] = match (code, &own[1..]) {
                (
                    Op::AccessChain
                    | Op::InBoundsAccessChain
                    | Op::PtrAccessChain
                    | Op::CopyObject
                    | Op::Load
                    | Op::ImageTexelPointer,
                    [_, result, base, ..],
                ) => {
                    let root = root(*base);
                    roots.insert(*result, root);
                    continue;
                }
                (
                    Op::Store | Op::CopyMemory | Op::ImageWrite | Op::AtomicStore | Op::CooperativeMatrixStoreKHR,
                    [to, ..],
                ) => std::slice::from_ref(to),
                (Op::FunctionCall, [_, _, _, arguments @ ..]) => arguments,
                (Op::AtomicLoad, _) => continue,
                (code, [_, _, pointer, ..]) if format!("{code:?}").starts_with("Atomic") => {
                    std::slice::from_ref(pointer)
                }
                _ => continue,
            };
            written.extend(stores.iter().map(|id| root(*id)));
        }
        written.retain(|id| variables.contains(id) && self.decoration(*id, Decoration::NonWritable).is_none());
        written
    }

    fn entries(&mut self, module: &mut Module) -> Result<Vec<EntryPoint>, String> {
        let mut found = Vec::new();
        for (function, name) in self.entries.clone() {
            // A literal that equals an id only adds an unused binding.
            let (mut uses, mut waiting) = (BTreeSet::from([function]), vec![function]);
            while let Some(function) = waiting.pop() {
                let body = self.functions.iter().find(|(id, _)| *id == function).map(|(_, body)| body);
                for own in body.into_iter().flatten() {
                    if let (Some(Op::FunctionCall), Some(called)) = (op(own), own.get(3))
                        && !uses.contains(called)
                    {
                        waiting.push(*called);
                    }
                    uses.extend(&own[1..]);
                }
            }
            let known = |ids: [u32; 3]| ids.map(|id| self.constants.get(&id).copied().unwrap_or(1));
            let by_id = self.size_of_all.or_else(|| self.size_ids.get(&function).copied()).map(known);
            let workgroup_size = by_id.or_else(|| self.sizes.get(&function).copied());
            let workgroup_size = workgroup_size.ok_or_else(|| format!("'{name}' has no workgroup size"))?;
            let mut workgroup_bytes = 0;
            for (pointer, id, class) in self.variables.clone() {
                if class == StorageClass::Workgroup as u32
                    && uses.contains(&id)
                    && let Some((Op::TypePointer, &[_, pointee])) = self.types.get(&pointer).copied()
                {
                    let kind = self.kind(pointee, module)?;
                    workgroup_bytes = module.types[kind].inner.size(module.to_ctx()).saturating_add(workgroup_bytes);
                }
            }
            found.push(EntryPoint { name, uses, workgroup_size, workgroup_bytes });
        }
        if found.is_empty() { Err("it has no compute entry point".to_owned()) } else { Ok(found) }
    }
}

/// The format of a storage image, or the usual one of its scalars if it states none.
fn storage_format(format: u32, kind: ScalarKind) -> Result<StorageFormat, String> {
    let format = ImageFormat::from_u32(format).unwrap_or(ImageFormat::Unknown);
    let usual = match kind {
        ScalarKind::Sint => ImageFormat::R32i,
        ScalarKind::Uint => ImageFormat::R32ui,
        _ => ImageFormat::Rgba8,
    };
    let format = if format == ImageFormat::Unknown { usual } else { format };
    let known = FORMATS.iter().find(|(own, ..)| *own == format);
    known
        .map(|(_, own, _)| *own)
        .ok_or_else(|| format!("it has an image of format {format:?}, which `bench` does not support"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_that_is_not_available_is_named() {
        for (capability, what) in UNAVAILABLE {
            let words =
                [&[0x0723_0203, 0x0001_0600, 0, 8, 0, 2 << 16 | Op::Capability as u32][..], &[capability]].concat();
            let error = Declarations::of(&words, &Constants::new()).err().expect("an error");
            assert!(error.contains(what), "{error}");
        }
    }
}
