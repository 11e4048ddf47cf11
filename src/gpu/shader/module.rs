//! SPIR-V modules from outside the suite: the features that they need, and their specialization constants.

use std::collections::{BTreeMap, BTreeSet, HashMap};

#[cfg(not(target_family = "wasm"))]
use rspirv::binary::Disassemble;

#[cfg(not(target_family = "wasm"))]
use record::error::{Error, Result};
use spirv::{Decoration, Op};

use record::suite::{Feature, Value};

// Numbers of the SPIR-V specification, version 1.6, section 3.
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_TYPE_COOPERATIVE_MATRIX: u32 = 4456;
/// The encoding of bf16, of `SPV_KHR_bfloat16`.
const BFLOAT16: u32 = 0;

/// Words before the first instruction.
pub(super) const HEADER: usize = 5;

/// Capabilities that not every device has, and their features.
const CAPABILITIES: [(u32, Feature); 12] = [
    (22, Feature::I16),
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
/// [`Error::Shader`] if `binary` is not SPIR-V.
#[cfg(not(target_family = "wasm"))]
pub fn disassemble(binary: &[u8]) -> Result<String> {
    let module = rspirv::dr::load_bytes(binary).map_err(|why| Error::Shader(format!("invalid SPIR-V: {why}")))?;
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

/// Whether a module asks for the lengths of its buffers.
#[must_use]
pub fn reads_lengths(spirv: &[u32]) -> bool {
    instructions(spirv).any(|own| op(own) == Some(Op::ArrayLength))
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

/// Sets the specialization constants of a module, by name, to the values of a case's overrides.
///
/// # Errors
/// An override that the module lacks, or has with another type.
pub fn specialize(spirv: &mut [u32], overrides: &[(String, Value)]) -> Result<(), String> {
    let known = constants(spirv);
    for (name, value) in overrides {
        let constant = known.iter().find(|(own, ..)| own == name);
        let (_, ids, own) = constant.ok_or_else(|| format!("has no specialization constant '{name}'"))?;
        for id in ids {
            let is_own = |words: &[u32]| op(words).is_some_and(is_constant) && words.get(2) == Some(id);
            let place = position(spirv, is_own).and_then(|at| spirv.get_mut(at..));
            match (value, own, place) {
                (Value::Bool(value), Value::Bool(_), Some([first, ..])) => {
                    let op = if *value { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
                    *first = *first & 0xffff_0000 | op as u32;
                }
                (Value::U32(value), Value::U32(_), Some([_, _, _, word, ..])) => *word = *value,
                (Value::I32(value), Value::I32(_), Some([_, _, _, word, ..])) => *word = value.cast_unsigned(),
                (Value::F32(value), Value::F32(_), Some([_, _, _, word, ..])) => *word = value.to_bits(),
                (Value::F64(value), Value::F64(_), Some([_, _, _, low, high, ..])) => {
                    (*low, *high) = (value.to_bits() as u32, (value.to_bits() >> 32) as u32);
                }
                _ => {
                    return Err(format!("has a specialization constant '{name}' that is not of type {}", value.kind()));
                }
            }
        }
    }
    Ok(())
}

const fn is_constant(code: Op) -> bool {
    matches!(code, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
}

/// The specialization constants of a module: name (`constant_0`, by number, if it has none), result ids and value.
pub(super) fn constants(words: &[u32]) -> Vec<(String, Vec<u32>, Value)> {
    let (mut names, mut numbers, mut kinds, mut found) = (HashMap::new(), HashMap::new(), HashMap::new(), Vec::new());
    for own in instructions(words) {
        match (op(own), &own[1..]) {
            (Some(Op::Name), [id, name @ ..]) => _ = names.entry(*id).or_insert_with(|| text(name)),
            (Some(Op::Decorate), [id, decoration, number]) if *decoration == Decoration::SpecId as u32 => {
                numbers.insert(*id, *number);
            }
            (Some(Op::TypeInt), [id, 32, 1]) => _ = kinds.insert(*id, Value::I32(0)),
            (Some(Op::TypeFloat), [id, 32, ..]) => _ = kinds.insert(*id, Value::F32(0.0)),
            (Some(Op::TypeFloat), [id, 64, ..]) => _ = kinds.insert(*id, Value::F64(0.0)),
            (Some(own @ (Op::SpecConstantTrue | Op::SpecConstantFalse)), [_, id]) => {
                found.push((*id, Value::Bool(own == Op::SpecConstantTrue)));
            }
            (Some(Op::SpecConstant), [kind, id, value @ ..]) => {
                let value = match (kinds.get(kind), value) {
                    (Some(Value::F64(_)), [low, high]) => {
                        Value::F64(f64::from_bits(u64::from(*low) | u64::from(*high) << 32))
                    }
                    (Some(Value::F32(_)), [word]) => Value::F32(f32::from_bits(*word)),
                    (Some(Value::I32(_)), [word]) => Value::I32(word.cast_signed()),
                    (_, [word]) => Value::U32(*word),
                    _ => continue,
                };
                found.push((*id, value));
            }
            _ => {}
        }
    }
    let mut all: Vec<(String, Vec<u32>, Value)> = Vec::new();
    for (id, value) in found {
        let Some(number) = numbers.get(&id) else { continue };
        let name = name_of(*number, &names, &numbers);
        match all.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, ids, _)) => ids.push(id),
            None => all.push((name, vec![id], value)),
        }
    }
    all
}

/// The name of the specialization constant of this number: that of the first, as the API sets all of them together.
pub(super) fn name_of(number: u32, names: &HashMap<u32, String>, numbers: &HashMap<u32, u32>) -> String {
    let named = numbers.iter().filter(|(_, own)| **own == number).filter_map(|(id, _)| Some((id, names.get(id)?)));
    let first = named.filter(|(_, name)| !name.is_empty()).min_by_key(|(id, _)| **id);
    first.map_or_else(|| format!("constant_{number}"), |(_, name)| name.clone())
}

/// Gives each binding its index in the sorted list of its group. Others get numbers from `unused` upward.
pub fn renumber(spirv: &mut [u32], places: &BTreeMap<u32, Vec<u32>>, mut unused: u32) {
    let is = |own: &[u32], decoration: Decoration| {
        op(own) == Some(Op::Decorate) && own.len() == 4 && own[2] == decoration as u32
    };
    let sets: HashMap<u32, u32> =
        instructions(spirv).filter(|own| is(own, Decoration::DescriptorSet)).map(|own| (own[1], own[3])).collect();
    let mut at = HEADER;
    while let Some(first) = spirv.get(at) {
        let length = (first >> 16).max(1) as usize;
        let Some(words) = spirv.get_mut(at..at + length) else { break };
        at += length;
        if !is(words, Decoration::Binding) {
            continue;
        }
        let group = sets.get(&words[1]).copied().unwrap_or(0);
        let place = places.get(&group).and_then(|indices| indices.iter().position(|index| *index == words[3]));
        words[3] = place.map_or(unused, |place| place as u32);
        unused += u32::from(place.is_none());
    }
}

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
        let other = "has a specialization constant 'ROUNDS' that is not of type ";
        assert_eq!(set(Value::I32(7)), Err(format!("{other}i32")));
        assert_eq!(set(Value::F64(7.0)), Err(format!("{other}f64")));
        let lacking = |name: &str| specialize(&mut before.clone(), &[(name.to_owned(), Value::U32(1))]);
        assert_eq!(lacking("ROUND"), Err("has no specialization constant 'ROUND'".to_owned()));
        // A constant that is not specialized has a name, too.
        assert_eq!(lacking("tiles"), Err("has no specialization constant 'tiles'".to_owned()));
    }
}
