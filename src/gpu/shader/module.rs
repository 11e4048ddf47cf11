//! SPIR-V modules that no part of the suite wrote: what they need, and their specialization constants.

use std::collections::{BTreeSet, HashMap};

#[cfg(not(target_family = "wasm"))]
use rspirv::binary::Disassemble;

#[cfg(not(target_family = "wasm"))]
use record::error::{Error, Result};
use record::suite::{Feature, Value};

// Numbers of the SPIR-V specification, version 1.6, section 3.
const OP_NAME: u32 = 5;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_DECORATE: u32 = 71;
const OP_TYPE_COOPERATIVE_MATRIX: u32 = 4456;
const SPEC_ID: u32 = 1;
/// The encoding of bf16, of `SPV_KHR_bfloat16`.
const BFLOAT16: u32 = 0;

/// Words before the first instruction.
pub(super) const HEADER: usize = 5;

/// Capabilities that not every device has, and their features.
const CAPABILITIES: [(u32, Feature); 11] = [
    (9, Feature::F16),
    (10, Feature::F64),
    (11, Feature::I64),
    (61, Feature::Subgroups),
    (62, Feature::Subgroups),
    (63, Feature::Subgroups),
    (64, Feature::Subgroups),
    (65, Feature::Subgroups),
    (66, Feature::Subgroups),
    (67, Feature::Subgroups),
    (68, Feature::Subgroups),
];

/// The words of a file.
#[must_use]
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The assembly text of a module.
///
/// # Errors
/// [`Error::Shader`] where `binary` is not SPIR-V.
#[cfg(not(target_family = "wasm"))]
pub fn disassemble(binary: &[u8]) -> Result<String> {
    let module = rspirv::dr::load_bytes(binary).map_err(|why| Error::Shader(format!("no SPIR-V: {why}")))?;
    Ok(module.disassemble() + "\n")
}

/// The instructions of a module, each with its words. Ends at the first one that is cut off.
pub fn instructions(spirv: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = spirv.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let words = (*rest.first()? >> 16) as usize;
        let (first, others) = rest.split_at_checked(words.max(1))?;
        rest = others;
        Some(first)
    })
}

/// The operation of an instruction, if it is one of the specification.
pub(super) fn op(instruction: &[u32]) -> Option<spirv::Op> {
    spirv::Op::from_u32(instruction[0] & 0xffff)
}

/// The text at the start of these words.
#[must_use]
pub fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// The features that a module needs: those of its capabilities, and of cooperative matrices by the type of the factors.
#[must_use]
pub fn features(spirv: &[u32]) -> BTreeSet<Feature> {
    let (mut features, mut factors) = (BTreeSet::new(), HashMap::new());
    for instruction in instructions(spirv) {
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_CAPABILITY, [capability]) => {
                features.extend(CAPABILITIES.iter().filter(|(known, _)| known == capability).map(|(_, own)| *own));
            }
            (OP_TYPE_INT, [id, 8, _]) => _ = factors.insert(*id, Feature::Int8Matrix),
            (OP_TYPE_FLOAT, [id, 16, BFLOAT16]) => _ = factors.insert(*id, Feature::Bf16Matrix),
            (OP_TYPE_FLOAT, [id, 16]) => _ = factors.insert(*id, Feature::CooperativeMatrix),
            (OP_TYPE_COOPERATIVE_MATRIX, [_, component, ..]) => features.extend(factors.get(component)),
            _ => {}
        }
    }
    features
}

/// Gives the specialization constants of a module, by name, the values of a case's overrides.
///
/// # Errors
/// The override that the module has not, or has with another type.
pub fn specialize(spirv: &mut [u32], overrides: &[(String, Value)]) -> Result<(), String> {
    let (mut names, mut numbered, mut types) = (HashMap::new(), BTreeSet::new(), HashMap::new());
    for instruction in instructions(spirv) {
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_NAME, [id, name @ ..]) => _ = names.insert(text(name), *id),
            (OP_DECORATE, [id, SPEC_ID, _]) => _ = numbered.insert(*id),
            (OP_TYPE_INT, [id, 32, 0]) => _ = types.insert(*id, "u32"),
            (OP_TYPE_INT, [id, 32, 1]) => _ = types.insert(*id, "i32"),
            (OP_TYPE_FLOAT, [id, 32]) => _ = types.insert(*id, "f32"),
            _ => {}
        }
    }
    for (name, value) in overrides {
        let id = names.get(name).filter(|id| numbered.contains(id));
        let id = id.ok_or_else(|| format!("has no specialization constant '{name}'"))?;
        let (kind, word) = match value {
            Value::U32(value) => ("u32", *value),
            Value::I32(value) => ("i32", value.cast_unsigned()),
            Value::F32(value) => ("f32", value.to_bits()),
            Value::Bool(_) => ("bool", 0),
            Value::F64(_) => ("f64", 0),
        };
        let constant = position(spirv, |words| words[0] & 0xffff == OP_SPEC_CONSTANT && words.get(2) == Some(id));
        let place = constant.filter(|at| spirv.get(at + 1).and_then(|own| types.get(own)) == Some(&kind));
        match place.and_then(|at| spirv.get_mut(at + 3)) {
            Some(own) => *own = word,
            None => return Err(format!("has a specialization constant '{name}' that is no {kind}")),
        }
    }
    Ok(())
}

/// Where the first instruction like this starts.
fn position(spirv: &[u32], is_wanted: impl Fn(&[u32]) -> bool) -> Option<usize> {
    let mut at = HEADER;
    for instruction in instructions(spirv) {
        if is_wanted(instruction) {
            return Some(at);
        }
        at += instruction.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_peak(name: &str) -> Vec<u32> {
        words(kernels::benchmark("ceiling", name).expect("a benchmark").spirv)
    }

    #[test]
    fn features_are_read_from_capabilities_and_from_the_types_of_matrices() {
        assert_eq!(features(&of_peak("tensor_int8")), BTreeSet::from([Feature::Subgroups, Feature::Int8Matrix]));
        assert_eq!(features(&of_peak("tensor_bf16")), BTreeSet::from([Feature::Subgroups, Feature::Bf16Matrix]));
        let header = [0x0723_0203, 0x0001_0600, 0, 8, 0];
        let f16 = [0x0002_0011, 9, 0x0003_0016, 1, 16, 0x0007_1168, 2, 1, 3, 4, 4, 5];
        let found = features(&[&header[..], &f16].concat());
        assert_eq!(found, BTreeSet::from([Feature::F16, Feature::CooperativeMatrix]));
        assert_eq!(features(&[&header[..], &f16[..5]].concat()), BTreeSet::from([Feature::F16]), "a type is no matrix");
        assert_eq!(features(&[]), BTreeSet::new());
    }

    #[test]
    fn a_specialization_constant_gets_the_value_of_its_name() {
        let before = of_peak("tensor_int8");
        let set = |value| {
            let mut after = before.clone();
            specialize(&mut after, &[("ROUNDS".to_owned(), value)]).map(|()| after)
        };
        let after = set(Value::U32(77)).expect("it has ROUNDS");
        let changed: Vec<_> = before.iter().zip(&after).filter(|(old, new)| old != new).collect();
        assert_eq!(changed, [(&512, &77)], "nothing but the value");
        let other = "has a specialization constant 'ROUNDS' that is no ";
        assert_eq!(set(Value::I32(7)), Err(format!("{other}i32")));
        assert_eq!(set(Value::F64(7.0)), Err(format!("{other}f64")));
        let lacking = |name: &str| specialize(&mut before.clone(), &[(name.to_owned(), Value::U32(1))]);
        assert_eq!(lacking("ROUND"), Err("has no specialization constant 'ROUND'".to_owned()));
        // A constant that is not specialized has a name, too.
        assert_eq!(lacking("tiles"), Err("has no specialization constant 'tiles'".to_owned()));
    }
}
