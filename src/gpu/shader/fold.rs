//! Makes specialization constants of SPIR-V plain ones, for modules with operations on them that naga cannot read.

use std::collections::{BTreeMap, HashMap};

use spirv::{BuiltIn, Decoration, ExecutionMode, Op};

use super::module::{HEADER, instructions, name_of, op, text};

/// A module, and its constants by name.
type Folded = (Vec<u32>, Vec<(String, f64)>);

/// The module with a value in place of every specialization constant, and these constants with their values: those in
/// `values`, by name or as `constant_0`, else the module's own. `OpSpecConstantOp` is computed here, for 32-bit
/// integers and booleans only, and so are workgroup sizes, which naga reads only from specialization constants.
pub(super) fn folded(words: &[u32], values: &BTreeMap<String, f64>) -> Result<Folded, String> {
    let (mut names, mut numbers, mut floats) = (HashMap::new(), HashMap::new(), HashMap::new());
    // The constant that is gl_WorkGroupSize.
    let mut size_id = None;
    for instruction in instructions(words) {
        match (op(instruction), &instruction[1..]) {
            (Some(Op::Name), [id, name @ ..]) => _ = names.insert(*id, text(name)),
            (Some(Op::Decorate), [id, decoration, number]) if *decoration == Decoration::SpecId as u32 => {
                numbers.insert(*id, *number);
            }
            (Some(Op::Decorate), [id, decoration, built_in])
                if *decoration == Decoration::BuiltIn as u32 && *built_in == BuiltIn::WorkgroupSize as u32 =>
            {
                size_id = Some(*id);
            }
            (Some(Op::TypeFloat), [id, width, ..]) => _ = floats.insert(*id, *width),
            _ => {}
        }
    }
    let name_of = |id: u32| numbers.get(&id).map(|number| name_of(*number, &names, &numbers));
    let (mut fixed, mut known, mut size) = (Vec::new(), HashMap::new(), None);
    let mut all = words[..HEADER].to_vec();
    for instruction in instructions(words) {
        let given = |id: u32| values.get(&name_of(id)?).copied();
        match (op(instruction), &instruction[1..]) {
            (Some(own @ (Op::SpecConstantTrue | Op::SpecConstantFalse)), [kind, id]) => {
                let is_true = given(*id).map_or(own == Op::SpecConstantTrue, |value| value != 0.0);
                let constant = if is_true { Op::ConstantTrue } else { Op::ConstantFalse };
                known.insert(*id, u32::from(is_true));
                all.extend([3 << 16 | constant as u32, *kind, *id]);
                fixed.extend(name_of(*id).zip(Some(f64::from(is_true))));
            }
            (Some(Op::SpecConstant), [kind, id, value @ ..]) => {
                let mut value = value.to_vec();
                match (given(*id), floats.get(kind), &mut value[..]) {
                    (Some(given), Some(32), [word]) => *word = (given as f32).to_bits(),
                    (Some(given), Some(_), [low, high]) => {
                        (*low, *high) = (given.to_bits() as u32, (given.to_bits() >> 32) as u32);
                    }
                    (Some(given), None, [word]) => *word = given as i64 as u32,
                    _ => {}
                }
                if let ([word], None) = (&value[..], floats.get(kind)) {
                    known.insert(*id, *word);
                }
                let number = match (&value[..], floats.contains_key(kind)) {
                    ([word], true) => f32::from_bits(*word).into(),
                    ([low, high], true) => f64::from_bits(u64::from(*high) << 32 | u64::from(*low)),
                    _ => value[0].cast_signed().into(),
                };
                fixed.extend(name_of(*id).zip(Some(number)));
                all.push(((3 + value.len()) as u32) << 16 | Op::Constant as u32);
                all.extend([*kind, *id]);
                all.extend(value);
            }
            (Some(Op::SpecConstantComposite), [_, id, parts @ ..]) => {
                if size_id == Some(*id) {
                    size = words_of(parts, &known);
                }
                all.push(instruction[0] & 0xffff_0000 | Op::ConstantComposite as u32);
                all.extend(&instruction[1..]);
            }
            (Some(Op::SpecConstantOp), [kind, id, code, operands @ ..]) => {
                let operands: Option<Vec<u32>> = operands.iter().map(|id| known.get(id).copied()).collect();
                let code = Op::from_u32(*code).unwrap_or(Op::Nop);
                let value = operands.and_then(|operands| computed(code, &operands));
                let value = value.ok_or_else(|| format!("{code:?} on specialization constants is not supported"))?;
                known.insert(*id, value);
                match (is_truth(code), value) {
                    (true, 0) => all.extend([3 << 16 | Op::ConstantFalse as u32, *kind, *id]),
                    (true, _) => all.extend([3 << 16 | Op::ConstantTrue as u32, *kind, *id]),
                    (false, value) => all.extend([4 << 16 | Op::Constant as u32, *kind, *id, value]),
                }
            }
            (Some(Op::Decorate), [_, decoration, _]) if *decoration == Decoration::SpecId as u32 => {}
            (own, rest) => {
                match (own, rest) {
                    (Some(Op::Constant), [kind, id, value]) if !floats.contains_key(kind) => {
                        known.insert(*id, *value);
                    }
                    (Some(Op::ConstantTrue), [_, id]) => _ = known.insert(*id, 1),
                    (Some(Op::ConstantFalse), [_, id]) => _ = known.insert(*id, 0),
                    _ => {}
                }
                all.extend(instruction);
            }
        }
    }
    let mut at = HEADER;
    while let Some(first) = all.get(at).copied() {
        if let Some([code, _, mode, sides @ ..]) = all.get_mut(at..at + (first >> 16).max(1) as usize) {
            let by_id = *mode == ExecutionMode::LocalSizeId as u32;
            if let Some(own) = if by_id { size.or_else(|| words_of(sides, &known)) } else { size }
                && (by_id || *mode == ExecutionMode::LocalSize as u32)
                && matches!(op(&[*code]), Some(Op::ExecutionMode | Op::ExecutionModeId))
            {
                (*code, *mode) = (6 << 16 | Op::ExecutionMode as u32, ExecutionMode::LocalSize as u32);
                sides.copy_from_slice(&own);
            }
        }
        at += (first >> 16).max(1) as usize;
    }
    Ok((all, fixed))
}

fn words_of(ids: &[u32], known: &HashMap<u32, u32>) -> Option<[u32; 3]> {
    let values: Option<Vec<u32>> = ids.iter().map(|id| known.get(id).copied()).collect();
    values?.try_into().ok()
}

const fn is_truth(code: Op) -> bool {
    matches!(
        code,
        Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::ULessThanEqual
            | Op::UGreaterThan
            | Op::UGreaterThanEqual
            | Op::SLessThan
            | Op::SLessThanEqual
            | Op::SGreaterThan
            | Op::SGreaterThanEqual
            | Op::LogicalAnd
            | Op::LogicalOr
            | Op::LogicalNot
            | Op::LogicalEqual
            | Op::LogicalNotEqual
    )
}

/// The result of an operation on words; `None` if it has none or is unknown here.
fn computed(code: Op, operands: &[u32]) -> Option<u32> {
    let signed = |value: u32| value.cast_signed();
    Some(match (code, operands) {
        (Op::IAdd, [a, b]) => a.wrapping_add(*b),
        (Op::ISub, [a, b]) => a.wrapping_sub(*b),
        (Op::IMul, [a, b]) => a.wrapping_mul(*b),
        (Op::UDiv, [a, b]) => a.checked_div(*b)?,
        (Op::UMod, [a, b]) => a.checked_rem(*b)?,
        (Op::SDiv, [a, b]) => signed(*a).checked_div(signed(*b))?.cast_unsigned(),
        (Op::SRem, [a, b]) => signed(*a).checked_rem(signed(*b))?.cast_unsigned(),
        (Op::SMod, [a, b]) => {
            let rest = signed(*a).checked_rem(signed(*b))?;
            let is_other = rest != 0 && (rest < 0) != (signed(*b) < 0);
            (if is_other { rest + signed(*b) } else { rest }).cast_unsigned()
        }
        (Op::SNegate, [a]) => a.wrapping_neg(),
        (Op::Not, [a]) => !a,
        (Op::ShiftLeftLogical, [a, b]) => a.checked_shl(*b)?,
        (Op::ShiftRightLogical, [a, b]) => a.checked_shr(*b)?,
        (Op::ShiftRightArithmetic, [a, b]) => signed(*a).checked_shr(*b)?.cast_unsigned(),
        (Op::BitwiseAnd, [a, b]) => a & b,
        (Op::BitwiseOr, [a, b]) => a | b,
        (Op::BitwiseXor, [a, b]) => a ^ b,
        (Op::Select, [condition, a, b]) => *(if *condition != 0 { a } else { b }),
        (Op::IEqual | Op::LogicalEqual, [a, b]) => (a == b).into(),
        (Op::INotEqual | Op::LogicalNotEqual, [a, b]) => (a != b).into(),
        (Op::ULessThan, [a, b]) => (a < b).into(),
        (Op::ULessThanEqual, [a, b]) => (a <= b).into(),
        (Op::UGreaterThan, [a, b]) => (a > b).into(),
        (Op::UGreaterThanEqual, [a, b]) => (a >= b).into(),
        (Op::SLessThan, [a, b]) => (signed(*a) < signed(*b)).into(),
        (Op::SLessThanEqual, [a, b]) => (signed(*a) <= signed(*b)).into(),
        (Op::SGreaterThan, [a, b]) => (signed(*a) > signed(*b)).into(),
        (Op::SGreaterThanEqual, [a, b]) => (signed(*a) >= signed(*b)).into(),
        (Op::LogicalAnd, [a, b]) => (*a != 0 && *b != 0).into(),
        (Op::LogicalOr, [a, b]) => (*a != 0 || *b != 0).into(),
        (Op::LogicalNot, [a]) => (*a == 0).into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workgroup_of_specialization_constants_keeps_its_size() {
        let (size, x, one) = (7, 5, 6);
        let mode = |by_id: bool| match by_id {
            false => vec![Op::ExecutionMode as u32, 1, ExecutionMode::LocalSize as u32, 1, 1, 1],
            true => vec![Op::ExecutionModeId as u32, 1, ExecutionMode::LocalSizeId as u32, x, one, one],
        };
        let built_in = vec![Op::Decorate as u32, size, Decoration::BuiltIn as u32, BuiltIn::WorkgroupSize as u32];
        for (by_id, has_built_in) in [(false, true), (true, false), (true, true)] {
            let mut all = vec![mode(by_id), vec![Op::Decorate as u32, x, Decoration::SpecId as u32, 0]];
            all.extend(has_built_in.then(|| built_in.clone()));
            all.extend([
                vec![Op::TypeInt as u32, 2, 32, 0],
                vec![Op::TypeVector as u32, 3, 2, 3],
                vec![Op::SpecConstant as u32, 2, x, 64],
                vec![Op::Constant as u32, 2, one, 1],
                vec![Op::SpecConstantComposite as u32, 3, size, x, one, one],
            ]);
            let mut words = vec![0; HEADER];
            for own in &mut all {
                own[0] |= (own.len() as u32) << 16;
                words.extend(&*own);
            }
            let values = BTreeMap::from([("constant_0".to_owned(), 128.0)]);
            let (folded, fixed) = folded(&words, &values).expect("no operation");
            assert_eq!(fixed, [("constant_0".to_owned(), 128.0)]);
            let first = 6 << 16 | Op::ExecutionMode as u32;
            let wanted = [first, 1, ExecutionMode::LocalSize as u32, 128, 1, 1];
            assert_eq!(folded[HEADER..HEADER + 6], wanted, "{by_id} {has_built_in}");
        }
    }

    #[test]
    fn operations_have_the_results_of_the_specification() {
        let minus = |value: i32| value.cast_unsigned();
        for (code, operands, wanted) in [
            (Op::IAdd, vec![7, 5], Some(12)),
            (Op::ISub, vec![5, 7], Some(minus(-2))),
            (Op::UDiv, vec![7, 2], Some(3)),
            (Op::UDiv, vec![7, 0], None),
            (Op::SDiv, vec![minus(-7), 2], Some(minus(-3))),
            (Op::SRem, vec![minus(-7), 2], Some(minus(-1))),
            (Op::SMod, vec![minus(-7), 2], Some(1)),
            (Op::ShiftLeftLogical, vec![1, 40], None),
            (Op::ShiftRightArithmetic, vec![minus(-8), 1], Some(minus(-4))),
            (Op::SLessThan, vec![minus(-1), 0], Some(1)),
            (Op::ULessThan, vec![minus(-1), 0], Some(0)),
            (Op::Select, vec![0, 3, 4], Some(4)),
            (Op::FAdd, vec![1, 2], None),
        ] {
            assert_eq!(computed(code, &operands), wanted, "{code:?} {operands:?}");
        }
    }
}
