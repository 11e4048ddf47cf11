//! Kernels given as SPIR-V: naga reads them and writes the WGSL that the rest of the program uses.
//!
//! The WGSL has the module's bindings, overrides (specialization constants) and workgroup size. It runs with run-time
//! checks through every API. The module itself can be passed to Vulkan as it is.

use std::collections::{BTreeMap, BTreeSet};

use naga::back::wgsl::{WriterFlags, write_string};
use naga::front::spv::{Frontend, Options};
use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Handle, ImageClass, Module, ShaderStage, StorageAccess, Type, TypeInner};
use spirv::{Decoration, ExecutionModel, Op};

use super::fold::folded;
use super::module::{HEADER, instructions, op, text};
use super::parse::{ENTRY_POINT, LARGE, in_time};
use super::spirv_images::{with_formats, with_split_samplers};
use super::spirv_interface::ModuleInterface;
use record::error::{Error, Result};
use record::suite::TexelFormat;
use record::suite::budget::Budget;

/// A kernel in SPIR-V.
#[derive(Debug, Clone)]
pub struct SpirvKernel {
    /// The same kernel as WGSL; empty if naga cannot read it.
    pub wgsl: String,
    /// The module, with the entry point `main`.
    pub words: Vec<u32>,
    /// Why naga cannot read it, if so.
    pub unread: Option<String>,
    /// The specialization constants with a fixed value, since naga cannot read operations on them.
    pub fixed: Vec<(String, f64)>,
    /// Further names of specialization constants, each with the first name.
    pub further_names: Vec<(String, String)>,
}

impl SpirvKernel {
    /// Reads a module. The only compute entry point is called `main`. A variable without a name is called after the
    /// only member of its block, its block or its binding (`binding_2`); a constant after its number (`constant_0`).
    ///
    /// If naga cannot read operations on specialization constants, all get a value: from `values`, or their own.
    ///
    /// # Errors
    /// [`Error::Shader`] if it is no compute module, or has what naga cannot read or WGSL cannot express.
    ///
    /// # Panics
    /// naga panics on some invalid modules.
    pub fn read(words: &[u32], values: &BTreeMap<String, f64>, formats: &Formats) -> Result<Self> {
        let (words, values) = (prepared(words, formats).map_err(Error::Shader)?, values.clone());
        if 4 * words.0.len() > LARGE {
            return in_time(Budget::start(), move || Self::of(words, &values));
        }
        Self::of(words, &values)
    }

    /// A module that naga cannot read (`why`), for Vulkan as it is, with the interface that it declares.
    ///
    /// # Errors
    /// [`Error::Shader`] if it is no compute module, or has what wgpu cannot bind.
    pub fn unread(words: &[u32], values: &BTreeMap<String, f64>, formats: &Formats, why: &str) -> Result<Self> {
        let (words, further_names) = prepared(words, formats).map_err(Error::Shader)?;
        let read = rspirv::dr::load_words(&words).map_err(|error| Error::Shader(error.to_string()));
        match read.and_then(|_| ModuleInterface::read(&words, values)) {
            Ok(_) => {
                Ok(Self { wgsl: String::new(), words, unread: Some(why.to_owned()), fixed: Vec::new(), further_names })
            }
            Err(Error::Shader(other)) => {
                Err(Error::Shader(format!("{why}. The module cannot be passed to Vulkan as it is, either: {other}")))
            }
            Err(other) => Err(other),
        }
    }

    fn of((mut words, further_names): Prepared, values: &BTreeMap<String, f64>) -> Result<Self> {
        let fault = |why: String| Error::Shader(why);
        let mut fixed = Vec::new();
        let mut parsed = parse(&words);
        if parsed.is_err() && instructions(&words).any(|own| op(own) == Some(Op::SpecConstantOp)) {
            // naga's front end has no operations on specialization constants.
            let (folded, names) = folded(&words, values).map_err(fault)?;
            (words, fixed) = (folded, names);
            parsed = parse(&words);
        }
        let mut module = parsed.map_err(|error| fault(format!("naga cannot read this SPIR-V: {error}")))?;
        name_constants(&mut module);
        name_variables(&mut module);
        // WGSL has no write-only buffers.
        for (_, variable) in module.global_variables.iter_mut() {
            if let AddressSpace::Storage { access } = &mut variable.space {
                access.insert(StorageAccess::LOAD);
            }
        }
        let info = validated(&module)?;
        restrict_access(&mut module, &info);
        let info = validated(&module)?;
        let wgsl = write_string(&module, &info, WriterFlags::empty());
        let wgsl = wgsl.map_err(|error| fault(format!("WGSL cannot express this SPIR-V: {error}")))?;
        let names = module.global_variables.iter().filter_map(|(_, variable)| variable.name.as_deref());
        let names = names.chain(module.overrides.iter().filter_map(|(_, over)| over.name.as_deref()));
        let wgsl = names.fold(wgsl, |wgsl, name| with_name(&wgsl, name));
        Ok(Self { wgsl, words, unread: None, fixed, further_names })
    }
}

/// Formats of storage images by the names of their variables.
pub type Formats = BTreeMap<String, TexelFormat>;

type Prepared = (Vec<u32>, Vec<(String, String)>);

/// A module with `main` as its only entry point, one name per constant, storage image formats, and separate samplers.
fn prepared(words: &[u32], formats: &Formats) -> std::result::Result<Prepared, String> {
    let mut words = words.to_vec();
    if HEADER + instructions(&words).map(<[u32]>::len).sum::<usize>() != words.len() {
        return Err("invalid SPIR-V: it is truncated".to_owned());
    }
    rename_entry(&mut words)?;
    let further_names = one_name_each(&mut words);
    with_formats(&mut words, formats);
    Ok((with_split_samplers(words), further_names))
}

fn parse(words: &[u32]) -> std::result::Result<Module, naga::front::spv::Error> {
    let options = Options { adjust_coordinate_space: false, strict_capabilities: false, block_ctx_dump_prefix: None };
    Frontend::new(words.iter().copied(), &options).parse()
}

/// Calls the only compute entry point `main`; several keep their names. An error if there is none.
fn rename_entry(words: &mut Vec<u32>) -> std::result::Result<(), String> {
    let (mut at, mut entries) = (HEADER, Vec::new());
    for instruction in instructions(words) {
        if let (Some(Op::EntryPoint), [_, model, _, name @ ..]) = (op(instruction), instruction)
            && *model == ExecutionModel::GLCompute as u32
        {
            entries.push((at, text(name)));
        }
        at += instruction.len();
    }
    let (at, name) = match &entries[..] {
        [] => return Err("it has no compute entry point".to_owned()),
        [(_, only)] if only == ENTRY_POINT => return Ok(()),
        [(at, only)] => (*at, only),
        _ => return Ok(()),
    };
    // A text ends with a zero byte, and its last word with zeros.
    let (old, new) = (name.len() / 4 + 1, ENTRY_POINT.len() / 4 + 1);
    let mut bytes = ENTRY_POINT.as_bytes().to_vec();
    bytes.resize(4 * new, 0);
    words[at] = words[at] - ((old as u32) << 16) + ((new as u32) << 16);
    words.splice(at + 3..at + 3 + old, super::module::words(&bytes));
    Ok(())
}

/// Keeps the first name of each specialization constant, that of its declaration: `const uint STRIDE = K;` makes
/// glslang name K twice. Returns the others, each with the first.
fn one_name_each(words: &mut Vec<u32>) -> Vec<(String, String)> {
    let is_numbered = |own: &[u32]| op(own) == Some(Op::Decorate) && own.get(2) == Some(&(Decoration::SpecId as u32));
    let numbered: BTreeSet<u32> = instructions(words).filter(|own| is_numbered(own)).map(|own| own[1]).collect();
    let (mut first, mut further) = (BTreeMap::new(), Vec::new());
    let mut kept = words[..HEADER].to_vec();
    for instruction in instructions(words) {
        if let (Some(Op::Name), [id, name @ ..]) = (op(instruction), &instruction[1..])
            && numbered.contains(id)
        {
            let name = text(name);
            let known = first.entry(*id).or_insert_with(|| name.clone());
            if *known != name {
                further.push((name, known.clone()));
                continue;
            }
        }
        kept.extend(instruction);
    }
    *words = kept;
    further
}

/// Names every override and removes its number: later steps know only names.
fn name_constants(module: &mut Module) {
    for (_, over) in module.overrides.iter_mut() {
        if let Some(id) = over.id.take() {
            over.name.get_or_insert_with(|| format!("constant_{id}"));
        }
    }
}

fn name_variables(module: &mut Module) {
    // The variable of a GLSL block has no name: a shader uses its members' names.
    let block_name = |module: &Module, kind: Handle<Type>| {
        let block = &module.types[kind];
        let only = match &block.inner {
            TypeInner::Struct { members, .. } if members.len() == 1 => members[0].name.clone(),
            _ => None,
        };
        only.or_else(|| block.name.clone()).filter(|name| !name.is_empty())
    };
    let handles: Vec<_> = module.global_variables.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        let variable = &module.global_variables[handle];
        let usual = match (&variable.binding, variable.space) {
            (Some(binding), _) => format!("binding_{}", binding.binding),
            (None, AddressSpace::Immediate) => "immediates".to_owned(),
            _ => continue,
        };
        if variable.name.as_ref().is_none_or(String::is_empty) {
            let name = block_name(module, variable.ty).unwrap_or(usual);
            module.global_variables.get_mut(handle).name = Some(name);
        }
    }
    // In SPIR-V a block and its variable may have one name. In WGSL the variable keeps it.
    let types: Vec<_> = module.types.iter().map(|(handle, kind)| (handle, kind.clone())).collect();
    for (handle, kind) in types {
        if let Some(name) = &kind.name {
            let name = Some(format!("{name}_type"));
            module.types.replace(handle, naga::Type { name, ..kind });
        }
    }
    module.entry_points.retain(|entry| entry.stage == ShaderStage::Compute);
    if let [only] = &mut module.entry_points[..] {
        ENTRY_POINT.clone_into(&mut only.name);
    }
}

/// Restricts buffers that are not written to reading, and images to the accesses used: most compilers do not.
fn restrict_access(module: &mut Module, info: &ModuleInfo) {
    let count = module.entry_points.len();
    for (handle, variable) in module.global_variables.iter_mut() {
        let is_written = (0..count)
            .any(|entry| info.get_entry_point(entry)[handle].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC));
        if let AddressSpace::Storage { access } = &mut variable.space
            && !is_written
        {
            *access = StorageAccess::LOAD;
        }
    }
    let images: Vec<_> = module.global_variables.iter().map(|(handle, variable)| (handle, variable.ty)).collect();
    for (handle, kind) in images {
        let uses = (0..count).fold(GlobalUse::empty(), |all, entry| all | info.get_entry_point(entry)[handle]);
        let TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access } } = module.types[kind].inner
        else {
            continue;
        };
        let needed = [(GlobalUse::READ, StorageAccess::LOAD), (GlobalUse::WRITE, StorageAccess::STORE)];
        let needed = needed.into_iter().filter(|(own, _)| uses.contains(*own)).map(|(_, access)| access);
        let own = needed.fold(StorageAccess::empty(), |all, one| all | one) & access;
        if !own.is_empty() && own != access {
            let inner = TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access: own } };
            let kind = module.types.insert(Type { name: None, inner }, naga::Span::UNDEFINED);
            module.global_variables.get_mut(handle).ty = kind;
        }
    }
}

/// The text with `name` in place of `name_`, naga's form of names that end with a digit, unless `name` is taken.
fn with_name(wgsl: &str, name: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let written = format!("{name}_");
    if !name.ends_with(|c: char| c.is_ascii_digit()) || wgsl.split(|c| !is_part(c)).any(|word| word == name) {
        return wgsl.to_owned();
    }
    let mut text = String::with_capacity(wgsl.len());
    let mut rest = wgsl;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        text.push_str(if word == written { name } else { word });
        rest = after;
    }
    text
}

fn validated(module: &Module) -> Result<ModuleInfo> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator
        .subgroup_stages(naga::valid::ShaderStages::all())
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(module)
        .map_err(|error| {
            let text = error.emit_to_string("");
            Error::Shader(format!("naga rejects this SPIR-V: {}", record::error::one_line(text.trim_end())))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::Shader;
    use record::suite::{Checks, Constants};

    fn spirv(wgsl: &str) -> Vec<u32> {
        let shader = Shader::read(wgsl).expect("valid");
        shader.spirv(&Constants::new(), Checks::default()).expect("expressible")
    }

    #[test]
    fn names_that_end_with_a_digit_stay() {
        assert_eq!(with_name("let x1_ = x1_0 + a.x1_;", "x1"), "let x1 = x1_0 + a.x1;");
        assert_eq!(with_name("let x1_ = x1;", "x1"), "let x1_ = x1;");
        assert_eq!(with_name("let y_ = y1_;", "y"), "let y_ = y1_;");
    }

    #[test]
    fn a_constant_keeps_its_first_name() {
        let kernel = kernels::benchmark("ceiling", "tensor_int8").expect("a benchmark");
        let module = super::super::module::words(kernel.spirv);
        let name = |id: u32, name: &[u8; 4]| [4 << 16 | Op::Name as u32, id, u32::from_le_bytes(*name), 0];
        let (mut at, mut named) = (HEADER, None);
        for instruction in instructions(&module) {
            at += instruction.len();
            if op(instruction) == Some(Op::Name) && text(&instruction[2..]) == "ROUNDS" {
                named = Some((at, instruction[1]));
            }
        }
        let (at, id) = named.expect("it has ROUNDS");
        let mut words = module.clone();
        words.splice(at..at, name(id, b"TWIN"));
        assert_eq!(one_name_each(&mut words), [("TWIN".to_owned(), "ROUNDS".to_owned())]);
        assert_eq!(words, module);
        assert_eq!(one_name_each(&mut words), []);
    }

    #[test]
    fn a_module_without_names_is_read_and_only_written_buffers_are_written() {
        let words = spirv(
            "@group(0) @binding(3) var<storage, read_write> a: array<f32>;
@group(0) @binding(0) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32) { a[i] = b[i]; }",
        );
        let kernel = SpirvKernel::read(&words, &BTreeMap::new(), &Formats::new()).expect("readable");
        let interface = Shader::read(&kernel.wgsl).and_then(|shader| shader.interface(&Constants::new()));
        let interface = interface.expect("valid");
        let found: Vec<_> = interface.bindings.iter().map(|b| (b.index, b.name.as_str(), b.access)).collect();
        use record::suite::Access::{Read, ReadWrite};
        assert_eq!(found, [(0, "binding_0", Read), (3, "binding_3", ReadWrite)]);
        assert_eq!(interface.workgroup_size, [8, 4, 1]);
        assert_eq!(kernel.words, words);
    }

    #[test]
    fn the_entry_point_may_have_any_name_and_is_called_main() {
        let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = 1u; }";
        let mut words = spirv(source);
        let name = u32::from_le_bytes(*b"main");
        words.iter_mut().filter(|word| **word == name).for_each(|word| *word = u32::from_le_bytes(*b"boss"));
        let kernel = SpirvKernel::read(&words, &BTreeMap::new(), &Formats::new()).expect("readable");
        assert!(Shader::read(&kernel.wgsl).is_ok(), "{}", kernel.wgsl);
        assert!(kernel.words.contains(&name));
    }

    #[test]
    fn what_is_no_kernel_has_a_reason() {
        let reason = |words: &[u32]| {
            SpirvKernel::read(words, &BTreeMap::new(), &Formats::new()).expect_err("no kernel").to_string()
        };
        let words = spirv("@compute @workgroup_size(1) fn main() {}");
        assert!(reason(&words[..words.len() / 2]).contains("SPIR-V"), "{}", reason(&words[..words.len() / 2]));
        let execution = words.iter().position(|word| *word & 0xffff == 15).expect("an entry point");
        let mut fragment = words.clone();
        fragment[execution + 1] = 4;
        assert!(reason(&fragment).contains("no compute entry point"), "{}", reason(&fragment));
    }
}
