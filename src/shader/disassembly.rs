//! The assembly text of SPIR-V, as SPIRV-Tools reads it.

use std::collections::HashMap;
use std::fmt::{Debug, Write};

use spirv::{
    AddressingModel, BuiltIn, Capability, CooperativeMatrixOperands, Decoration, Dim, ExecutionMode, ExecutionModel,
    FunctionControl, GlslStd450Op, GroupOperation, ImageFormat, ImageOperands, LoopControl, MAGIC_NUMBER, MemoryAccess,
    MemoryModel, Op, PackedVectorFormat, SelectionControl, SourceLanguage, StorageClass,
};

use super::module::{HEADER, instructions, text, words};
use crate::error::{Error, Result};

/// The assembly text of a SPIR-V module.
///
/// # Errors
/// [`Error::Shader`] where `binary` is not SPIR-V.
pub fn disassemble(binary: &[u8]) -> Result<String> {
    let module = words(binary);
    let length = HEADER + instructions(&module).map(<[u32]>::len).sum::<usize>();
    if module.first() != Some(&MAGIC_NUMBER) || 4 * length != binary.len() {
        return Err(Error::Shader("no SPIR-V: it has another header, or its last instruction is cut off".to_owned()));
    }
    let mut text = format!(
        "; SPIR-V\n; Version: {}.{}\n; Bound: {}\n; Schema: {}\n",
        module[1] >> 16 & 0xff,
        module[1] >> 8 & 0xff,
        module[3],
        module[4]
    );
    let mut types = HashMap::new();
    for instruction in instructions(&module) {
        if let (Some(Op::TypeInt | Op::TypeFloat), [_, id, of @ ..]) = (op(instruction), instruction) {
            types.insert(*id, (op(instruction) == Some(Op::TypeFloat), of.to_vec()));
        }
        let line = line(instruction, &types);
        // Writes to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Ok(text)
}

/// The types of numbers, by their ids: whether it is a float, then width and signedness or encoding.
type Numbers = HashMap<u32, (bool, Vec<u32>)>;

fn op(instruction: &[u32]) -> Option<Op> {
    Op::from_u32(instruction[0] & 0xffff)
}

/// `%3 = OpIAdd %1 %2 %2`
fn line(instruction: &[u32], types: &Numbers) -> String {
    let mut rest = &instruction[1..];
    let mut next = || rest.split_off_first().copied();
    let Some(op) = op(instruction) else { return format!("OpUnknown({}) {}", instruction[0] & 0xffff, ids(rest)) };
    let (has_type, has_result) = results(op);
    let of = if has_type { next() } else { None };
    let result = if has_result { next() } else { None };
    let result = result.map_or_else(String::new, |id| format!("%{id} = "));
    let kind = of.map_or_else(String::new, |id| format!(" %{id}"));
    let number = of.and_then(|id| types.get(&id));
    format!("{result}Op{op:?}{kind} {}", operands(pattern(op), rest, number))
}

/// Whether instructions with this code have a result with a type, and a result.
fn results(op: Op) -> (bool, bool) {
    use Op::*;
    match op {
        Nop
        | SourceContinued
        | Source
        | SourceExtension
        | Name
        | MemberName
        | Line
        | Extension
        | MemoryModel
        | EntryPoint
        | ExecutionMode
        | Capability
        | TypeForwardPointer
        | FunctionEnd
        | Store
        | CopyMemory
        | CopyMemorySized
        | Decorate
        | MemberDecorate
        | GroupDecorate
        | GroupMemberDecorate
        | ImageWrite
        | ControlBarrier
        | MemoryBarrier
        | AtomicStore
        | LoopMerge
        | SelectionMerge
        | Branch
        | BranchConditional
        | Switch
        | Kill
        | Return
        | ReturnValue
        | Unreachable
        | LifetimeStart
        | LifetimeStop
        | NoLine
        | ModuleProcessed
        | ExecutionModeId
        | DecorateId
        | DecorateString
        | MemberDecorateString
        | TerminateInvocation
        | CooperativeMatrixStoreKHR => (false, false),
        Label | String | ExtInstImport | DecorationGroup => (false, true),
        op => (!format!("{op:?}").starts_with("Type"), true),
    }
}

/// The kinds of the operands behind type and result, of which the last one repeats: `i` is an id, `n` a number, `s` a
/// text; see [`operands`] for the others.
const fn pattern(op: Op) -> &'static str {
    match op {
        Op::Capability => "C",
        Op::Extension | Op::ExtInstImport | Op::String | Op::SourceExtension | Op::SourceContinued => "s",
        Op::ModuleProcessed => "s",
        Op::MemoryModel => "AO",
        Op::EntryPoint => "Eisi",
        Op::ExecutionMode => "iMn",
        Op::ExecutionModeId => "iMi",
        Op::Source => "Unis",
        Op::Name => "is",
        Op::MemberName => "ins",
        Op::Line => "in",
        Op::Decorate => "iD",
        Op::MemberDecorate => "inD",
        Op::TypeInt | Op::TypeFloat => "n",
        Op::TypeVector | Op::TypeMatrix | Op::CompositeExtract | Op::ArrayLength => "in",
        Op::TypeImage => "iZnnnnR",
        Op::TypePointer | Op::Variable => "Si",
        Op::Constant | Op::SpecConstant => "c",
        Op::SpecConstantOp => "Pi",
        Op::TypeForwardPointer => "iS",
        Op::Load => "iY",
        Op::Store | Op::CopyMemory => "iiY",
        Op::CooperativeMatrixLoadKHR => "iiiY",
        Op::CooperativeMatrixStoreKHR => "iiiiY",
        Op::CooperativeMatrixMulAddKHR => "iiiQ",
        Op::BranchConditional => "iiin",
        Op::CompositeInsert | Op::VectorShuffle => "iin",
        Op::ExtInst => "iXi",
        Op::SelectionMerge => "iT",
        Op::LoopMerge => "iiL",
        Op::Switch => "iiW",
        Op::Function => "Fi",
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod | Op::ImageFetch | Op::ImageRead => "iiI",
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod | Op::ImageGather | Op::ImageWrite => "iiiI",
        Op::SDot | Op::UDot | Op::SUDot => "iiK",
        Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => "iiiK",
        Op::GroupNonUniformBallotBitCount
        | Op::GroupNonUniformIAdd
        | Op::GroupNonUniformFAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformFMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor => "iGi",
        _ => "i",
    }
}

fn ids(words: &[u32]) -> String {
    operands("i", words, None)
}

fn operands(pattern: &str, mut words: &[u32], number: Option<&(bool, Vec<u32>)>) -> String {
    fn named<T: Debug>(of: Option<T>, word: u32) -> String {
        of.map_or_else(|| word.to_string(), |value| format!("{value:?}"))
    }
    /// The names of the bits that are set: `Aligned|NonPrivatePointer`.
    macro_rules! mask {
        ($kind:ident, $word:expr) => {{
            let names: Vec<String> = $kind::from_bits_retain($word).iter_names().map(|(name, _)| camel(name)).collect();
            if names.is_empty() { "None".to_owned() } else { names.join("|") }
        }};
    }
    let mut texts = Vec::new();
    let mut kinds = pattern.chars();
    let mut kind = 'i';
    while let Some(word) = words.first().copied() {
        kind = kinds.next().unwrap_or(kind);
        let mut length = 1;
        texts.push(match kind {
            'n' => word.to_string(),
            's' => {
                let name = text(words);
                length = (name.len() / 4 + 1).min(words.len());
                format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
            }
            'c' => {
                length = words.len();
                constant(words, number)
            }
            'A' => named(AddressingModel::from_u32(word), word),
            'C' => named(Capability::from_u32(word), word),
            'E' => named(ExecutionModel::from_u32(word), word),
            'G' => named(GroupOperation::from_u32(word), word),
            'K' => named(PackedVectorFormat::from_u32(word), word),
            'M' => named(ExecutionMode::from_u32(word), word),
            'O' => named(MemoryModel::from_u32(word), word),
            'P' => named(Op::from_u32(word), word),
            'R' => named(ImageFormat::from_u32(word), word),
            'S' => named(StorageClass::from_u32(word), word),
            'U' => named(SourceLanguage::from_u32(word), word),
            'B' => named(BuiltIn::from_u32(word), word),
            'X' => named(GlslStd450Op::from_u32(word), word),
            'Z' => named(Dim::from_u32(word), word).trim_start_matches("Dim").to_owned(),
            'F' => mask!(FunctionControl, word),
            'Q' => mask!(CooperativeMatrixOperands, word),
            'T' => mask!(SelectionControl, word),
            'D' => {
                kinds = if word == Decoration::BuiltIn as u32 { "B" } else { "n" }.chars();
                named(Decoration::from_u32(word), word)
            }
            'I' => {
                kinds = "i".chars();
                mask!(ImageOperands, word)
            }
            'L' => {
                kinds = "n".chars();
                mask!(LoopControl, word)
            }
            'W' => {
                kinds = "iW".chars();
                word.to_string()
            }
            'Y' => {
                let is_aligned = MemoryAccess::from_bits_retain(word).contains(MemoryAccess::ALIGNED);
                kinds = if is_aligned { "ni" } else { "i" }.chars();
                mask!(MemoryAccess, word)
            }
            _ => format!("%{word}"),
        });
        words = &words[length..];
    }
    texts.join(" ")
}

/// `NonPrivatePointer` for `NON_PRIVATE_POINTER`; suffixes of vendors stay.
fn camel(name: &str) -> String {
    let word = |word: &str| match word {
        "KHR" | "EXT" | "INTEL" | "ALTERA" => word.to_owned(),
        word => word[..1].to_owned() + &word[1..].to_lowercase(),
    };
    name.split('_').map(word).collect()
}

/// The value of a constant of this type.
fn constant(words: &[u32], number: Option<&(bool, Vec<u32>)>) -> String {
    let bits = words.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word));
    let (is_float, of) = number.map_or((false, &[][..]), |(is_float, of)| (*is_float, of));
    let value = match (is_float, of) {
        (true, [16]) => f64::from(half::f16::from_bits(bits as u16)),
        (true, [32]) => f64::from(f32::from_bits(bits as u32)),
        (true, [64]) => f64::from_bits(bits),
        (false, [64, 1]) => return bits.cast_signed().to_string(),
        (false, [_, 1]) => return (bits as u32).cast_signed().to_string(),
        _ => return bits.to_string(),
    };
    match of {
        _ if value.is_finite() => match of {
            [32] => (value as f32).to_string(),
            _ => value.to_string(),
        },
        // In assembly, an exponent above the largest one.
        [width, ..] => {
            let exponent = [16, 128, 1024][(width.ilog2() as usize).clamp(4, 6) - 4];
            let sign = if value.is_sign_negative() { "-" } else { "" };
            format!("{sign}0x1{}p+{exponent}", if value.is_nan() { ".8" } else { "" })
        }
        [] => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_written_as_spirv_tools_writes_them() {
        let types = Numbers::from([(1, (true, vec![32])), (2, (false, vec![32, 1])), (3, (false, vec![64, 0]))]);
        let code = |op: Op, words: &[u32]| [&[(words.len() as u32 + 1) << 16 | op as u32], words].concat();
        for (op, words, text) in [
            (Op::Capability, &[1][..], "OpCapability Shader"),
            (Op::EntryPoint, &[5, 4, u32::from_le_bytes(*b"main"), 0, 7], "OpEntryPoint GLCompute %4 \"main\" %7"),
            (Op::Decorate, &[4, 11, 28], "OpDecorate %4 BuiltIn GlobalInvocationId"),
            (Op::Decorate, &[4, 33, 28], "OpDecorate %4 Binding 28"),
            (Op::Constant, &[1, 9, 0x3dcc_cccd], "%9 = OpConstant %1 0.1"),
            (Op::Constant, &[1, 9, 0xff80_0000], "%9 = OpConstant %1 -0x1p+128"),
            (Op::Constant, &[2, 9, u32::MAX], "%9 = OpConstant %2 -1"),
            (Op::Constant, &[3, 9, 1, 1], "%9 = OpConstant %3 4294967297"),
            (Op::Load, &[1, 9, 8, 0x22, 4], "%9 = OpLoad %1 %8 Aligned|NonPrivatePointer 4"),
            (Op::Store, &[9, 8, 1], "OpStore %9 %8 Volatile"),
            (Op::Switch, &[9, 8, 1, 7, 2, 6], "OpSwitch %9 %8 1 %7 2 %6"),
            (Op::ExtInst, &[1, 9, 5, 38, 4, 3], "%9 = OpExtInst %1 %5 UMin %4 %3"),
            (Op::TypeImage, &[9, 1, 1, 0, 0, 0, 2, 1], "%9 = OpTypeImage %1 2D 0 0 0 2 Rgba32f"),
            (Op::Return, &[], "OpReturn"),
        ] {
            assert_eq!(line(&code(op, words), &types).trim_end(), text);
        }
        assert_eq!(line(&[0x0002_fff0, 3], &types), "OpUnknown(65520) %3");
    }

    #[test]
    fn what_is_no_module_is_refused() {
        let header = [MAGIC_NUMBER, 0x0001_0300, 0, 8, 0];
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let whole = bytes(&[&header[..], &[0x0002_0011, 1]].concat());
        assert!(disassemble(&whole).is_ok_and(|text| text.ends_with("\nOpCapability Shader\n")));
        for bytes in [&whole[..whole.len() - 4], &whole[..whole.len() - 1], &whole[4..], b"", b"SPIR", &[0; 24]] {
            assert!(disassemble(bytes).is_err(), "{bytes:?}");
        }
    }
}
