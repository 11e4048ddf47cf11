//! Kernels that are given as SPIR-V: read by naga and written as WGSL, which the rest of the program knows.
//!
//! The WGSL has the module's bindings, overrides (specialization constants) and workgroup size. It runs with run-time
//! checks through every API. The module itself can be passed to Vulkan as it is.

use std::collections::{BTreeMap, BTreeSet};

use naga::back::wgsl::{WriterFlags, write_string};
use naga::front::spv::{Frontend, Options};
use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Handle, Module, ShaderStage, StorageAccess, Type, TypeInner};
use spirv::{Decoration, ExecutionModel, Op};

use super::fold::folded;
use super::module::{HEADER, instructions, op, text};
use super::parse::{ENTRY_POINT, LARGE, in_time};
use record::error::{Error, Result};
use record::suite::Value;
use record::suite::budget::Budget;

/// A kernel in SPIR-V.
#[derive(Debug, Clone)]
pub struct SpirvKernel {
    /// The same kernel as WGSL.
    pub wgsl: String,
    /// The module, with the entry point `main`.
    words: Vec<u32>,
    /// Names of the specialization constants that have got a value, since the front end could not read what is computed
    /// from them.
    pub fixed: Vec<String>,
    /// Further names of specialization constants, each with the first.
    pub further_names: Vec<(String, String)>,
    /// Result ids of the specialization constants, by the names of the WGSL's overrides.
    constants: BTreeMap<String, u32>,
}

impl SpirvKernel {
    /// Reads a module. Its compute entry point is called `main` if there is only one. A variable without a name is called after the only
    /// member of its block, its block or its binding (`binding_2`); a constant without one after its number (`constant_0`).
    ///
    /// Where naga cannot read what is computed from specialization constants, all get a value: that of `values`, by name,
    /// or their own.
    ///
    /// # Errors
    /// [`Error::Shader`] where it is no such module, or has what naga cannot read or WGSL cannot say.
    ///
    /// # Panics
    /// naga panics on some invalid modules.
    pub fn read(words: &[u32], values: &BTreeMap<String, f64>) -> Result<Self> {
        let (words, values) = (words.to_vec(), values.clone());
        if 4 * words.len() > LARGE {
            return in_time(Budget::start(), move || Self::of(words, &values));
        }
        Self::of(words, &values)
    }

    fn of(mut words: Vec<u32>, values: &BTreeMap<String, f64>) -> Result<Self> {
        let fault = |why: String| Error::Shader(why);
        if HEADER + instructions(&words).map(<[u32]>::len).sum::<usize>() != words.len() {
            return Err(fault("no valid SPIR-V: it is cut off".to_owned()));
        }
        rename_entry(&mut words).map_err(fault)?;
        let further_names = one_name_each(&mut words);
        let mut fixed = Vec::new();
        let mut parsed = parse(&words);
        if parsed.is_err() && instructions(&words).any(|own| op(own) == Some(Op::SpecConstantOp)) {
            // The front end knows no such operations.
            let (folded, names) = folded(&words, values).map_err(fault)?;
            (words, fixed) = (folded, names);
            parsed = parse(&words);
        }
        let mut module = parsed.map_err(|error| fault(format!("naga cannot read this SPIR-V: {error}")))?;
        let ids = name_constants(&mut module);
        name_variables(&mut module);
        // WGSL has no buffers that are written alone.
        for (_, variable) in module.global_variables.iter_mut() {
            if let AddressSpace::Storage { access } = &mut variable.space {
                access.insert(StorageAccess::LOAD);
            }
        }
        let info = validated(&module)?;
        restrict_access(&mut module, &info);
        let info = validated(&module)?;
        let wgsl = write_string(&module, &info, WriterFlags::empty());
        let wgsl = wgsl.map_err(|error| fault(format!("WGSL cannot say what this SPIR-V does: {error}")))?;
        let names = module.global_variables.iter().filter_map(|(_, variable)| variable.name.as_deref());
        let names = names.chain(module.overrides.iter().filter_map(|(_, over)| over.name.as_deref()));
        let wgsl = names.fold(wgsl, |wgsl, name| with_name(&wgsl, name));
        let constants = ids.into_iter().filter_map(|(name, id)| Some((name, result_of(&words, id)?))).collect();
        Ok(Self { wgsl, words, constants, fixed, further_names })
    }

    /// The module with these values of its specialization constants, by the names of the WGSL's overrides.
    #[must_use]
    pub fn words_with(&self, values: &[(String, Value)]) -> Vec<u32> {
        let wanted: BTreeMap<u32, Value> =
            values.iter().filter_map(|(name, value)| Some((*self.constants.get(name)?, *value))).collect();
        let mut words = self.words.clone();
        let mut at = HEADER;
        while let Some(first) = words.get(at).copied() {
            let length = (first >> 16).max(1) as usize;
            let Some(own) = words.get_mut(at..at + length) else { break };
            at += length;
            let [_, _, id, ..] = own else { continue };
            let Some(value) = wanted.get(id) else { continue };
            match (Op::from_u32(first & 0xffff), value, &mut own[3..]) {
                (Some(Op::SpecConstantTrue | Op::SpecConstantFalse), Value::Bool(value), _) => {
                    let op = if *value { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
                    own[0] = first & 0xffff_0000 | op as u32;
                }
                (Some(Op::SpecConstant), Value::U32(value), [word]) => *word = *value,
                (Some(Op::SpecConstant), Value::I32(value), [word]) => *word = value.cast_unsigned(),
                (Some(Op::SpecConstant), Value::F32(value), [word]) => *word = value.to_bits(),
                (Some(Op::SpecConstant), Value::F64(value), [low, high]) => {
                    (*low, *high) = (value.to_bits() as u32, (value.to_bits() >> 32) as u32);
                }
                _ => {}
            }
        }
        words
    }
}

fn parse(words: &[u32]) -> std::result::Result<Module, naga::front::spv::Error> {
    let options = Options { adjust_coordinate_space: false, strict_capabilities: false, block_ctx_dump_prefix: None };
    Frontend::new(words.iter().copied(), &options).parse()
}

/// Calls the only compute entry point `main`. Several keep their names.
///
/// # Errors
/// If there is none.
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

/// Leaves each specialization constant its first name, which is that of its declaration: `const uint STRIDE = K;` makes
/// glslang call K twice. Returns the others, each with the first.
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

/// The result id of the specialization constant with this number.
fn result_of(words: &[u32], number: u16) -> Option<u32> {
    instructions(words).find_map(|instruction| match *instruction {
        [_, id, decoration, known]
            if op(instruction) == Some(Op::Decorate)
                && decoration == Decoration::SpecId as u32
                && known == u32::from(number) =>
        {
            Some(id)
        }
        _ => None,
    })
}

/// Names every override, and takes its number away: the WGSL's readers here know names alone. Returns both.
fn name_constants(module: &mut Module) -> Vec<(String, u16)> {
    let mut found = Vec::new();
    for (_, over) in module.overrides.iter_mut() {
        let Some(id) = over.id.take() else { continue };
        let name = over.name.get_or_insert_with(|| format!("constant_{id}"));
        found.push((name.clone(), id));
    }
    found
}

/// Names every variable with a binding, and the entry point.
fn name_variables(module: &mut Module) {
    // The variable of a GLSL block has no name. A shader calls its members by their own.
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

/// Lets the kernel read alone where it does not write: most compilers do not mark such buffers.
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
}

/// The text with `name` in place of `name_`, as naga calls what ends with a digit; unchanged where something else has
/// that name.
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
            Error::Shader(format!("naga finds a fault in this SPIR-V: {}", record::error::one_line(text.trim_end())))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::Shader;
    use record::suite::{Checks, Constants};

    /// naga's SPIR-V of a kernel, without names.
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
        let kernel = SpirvKernel::read(&words, &BTreeMap::new()).expect("readable");
        let interface = Shader::read(&kernel.wgsl).and_then(|shader| shader.interface(&Constants::new()));
        let interface = interface.expect("valid");
        let found: Vec<_> = interface.bindings.iter().map(|b| (b.index, b.name.as_str(), b.access)).collect();
        use record::suite::Access::{Read, ReadWrite};
        assert_eq!(found, [(0, "binding_0", Read), (3, "binding_3", ReadWrite)]);
        assert_eq!(interface.workgroup_size, [8, 4, 1]);
        assert_eq!(kernel.words_with(&[]), words);
    }

    #[test]
    fn the_entry_point_may_have_any_name_and_is_called_main() {
        let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = 1u; }";
        let mut words = spirv(source);
        let name = u32::from_le_bytes(*b"main");
        words.iter_mut().filter(|word| **word == name).for_each(|word| *word = u32::from_le_bytes(*b"boss"));
        let kernel = SpirvKernel::read(&words, &BTreeMap::new()).expect("readable");
        assert!(Shader::read(&kernel.wgsl).is_ok(), "{}", kernel.wgsl);
        assert!(kernel.words_with(&[]).contains(&name));
    }

    #[test]
    fn what_is_no_kernel_has_a_reason() {
        let reason = |words: &[u32]| SpirvKernel::read(words, &BTreeMap::new()).expect_err("no kernel").to_string();
        let words = spirv("@compute @workgroup_size(1) fn main() {}");
        assert!(reason(&words[..words.len() / 2]).contains("SPIR-V"), "{}", reason(&words[..words.len() / 2]));
        let execution = words.iter().position(|word| *word & 0xffff == 15).expect("an entry point");
        let mut fragment = words.clone();
        fragment[execution + 1] = 4;
        assert!(reason(&fragment).contains("no compute entry point"), "{}", reason(&fragment));
    }
}
