#[cfg(not(target_family = "wasm"))]
use half::bf16;
use half::f16;

/// A scalar type in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Scalar {
    /// 8-bit fraction of a picture, as a number from 0 to 255.
    Unorm8,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 16-bit float: 11 significant bits.
    F16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit unsigned integer of user kernels, compared by words, since an f64 may round it.
    U64,
    /// 64-bit signed integer.
    I64,
    /// 8-bit signed integer.
    I8,
    /// The upper half of an f32: 8 significant bits.
    Bf16,
    /// 8-bit float of 4 exponent bits: 4 significant bits (Micikevicius et al., *FP8 Formats for Deep Learning*, 2022).
    E4m3,
}

impl Scalar {
    /// Every scalar type.
    pub const ALL: [Self; 11] = [
        Self::Unorm8,
        Self::U32,
        Self::F32,
        Self::F64,
        Self::F16,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::I8,
        Self::Bf16,
        Self::E4m3,
    ];

    /// Its name, in WGSL if it exists there.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unorm8 => "unorm8",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::I8 => "i8",
            Self::Bf16 => "bf16",
            Self::E4m3 => "fp8",
        }
    }

    /// Size in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Unorm8 | Self::I8 | Self::E4m3 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 | Self::U64 | Self::I64 => 8,
        }
    }

    /// Significant bits.
    #[must_use]
    pub const fn significant_bits(self) -> u32 {
        match self {
            Self::Unorm8 | Self::I8 | Self::Bf16 => 8,
            Self::U32 | Self::I32 => 32,
            Self::F32 => 24,
            Self::F64 => 53,
            Self::F16 => 11,
            Self::E4m3 => 4,
            Self::U64 | Self::I64 => 64,
        }
    }

    /// Whether it is a floating-point type: its operations are FLOP, those of others OP.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64 | Self::Bf16 | Self::E4m3)
    }

    /// Whether the type represents this value exactly.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        let (mut bytes, mut held) = ([0; 8], [0.0]);
        let bytes = &mut bytes[..self.bytes()];
        self.encode(&[value], bytes);
        self.decode(bytes, &mut held);
        held == [value]
    }

    /// Writes the little-endian form of `values` into `bytes`.
    pub fn encode(self, values: &[f64], bytes: &mut [u8]) {
        let values = values.iter().copied();
        match self {
            Self::Unorm8 => encode_words(values.map(|value| [value as u8]), bytes),
            Self::U32 => encode_words(values.map(|value| (value as u32).to_le_bytes()), bytes),
            Self::F32 => encode_words(values.map(|value| (value as f32).to_le_bytes()), bytes),
            Self::F64 => encode_words(values.map(f64::to_le_bytes), bytes),
            Self::F16 => encode_words(values.map(|value| f16::from_f64(value).to_le_bytes()), bytes),
            #[cfg(not(target_family = "wasm"))]
            Self::I32 => encode_words(values.map(|value| (value as i32).to_le_bytes()), bytes),
            #[cfg(not(target_family = "wasm"))]
            Self::U64 => encode_words(values.map(|value| (value as u64).to_le_bytes()), bytes),
            #[cfg(not(target_family = "wasm"))]
            Self::I64 => encode_words(values.map(|value| (value as i64).to_le_bytes()), bytes),
            #[cfg(not(target_family = "wasm"))]
            Self::I8 => encode_words(values.map(|value| (value as i8).to_le_bytes()), bytes),
            #[cfg(not(target_family = "wasm"))]
            Self::Bf16 => encode_words(values.map(|value| bf16::from_f64(value).to_le_bytes()), bytes),
            #[cfg(not(target_family = "wasm"))]
            Self::E4m3 => encode_words(values.map(|value| [to_e4m3(value)]), bytes),
            // No browser kernel uses the others; omitting them keeps the program small.
            #[cfg(target_family = "wasm")]
            _ => bytes.fill(0),
        }
    }

    /// Decodes the scalars in `bytes` into `values`: exactly, except for 64-bit integers that do not fit an f64.
    pub fn decode(self, bytes: &[u8], values: &mut [f64]) {
        match self {
            Self::Unorm8 => decode_words(bytes, |[byte]| f64::from(byte), values),
            Self::U32 => decode_words(bytes, |word| f64::from(u32::from_le_bytes(word)), values),
            Self::F32 => decode_words(bytes, |word| f64::from(f32::from_le_bytes(word)), values),
            Self::F64 => decode_words(bytes, f64::from_le_bytes, values),
            Self::F16 => decode_words(bytes, |word| f64::from(f16::from_le_bytes(word)), values),
            #[cfg(not(target_family = "wasm"))]
            Self::I32 => decode_words(bytes, |word| f64::from(i32::from_le_bytes(word)), values),
            #[cfg(not(target_family = "wasm"))]
            Self::U64 => decode_words(bytes, |word| u64::from_le_bytes(word) as f64, values),
            #[cfg(not(target_family = "wasm"))]
            Self::I64 => decode_words(bytes, |word| i64::from_le_bytes(word) as f64, values),
            #[cfg(not(target_family = "wasm"))]
            Self::I8 => decode_words(bytes, |word| f64::from(i8::from_le_bytes(word)), values),
            #[cfg(not(target_family = "wasm"))]
            Self::Bf16 => decode_words(bytes, |word| f64::from(bf16::from_le_bytes(word)), values),
            #[cfg(not(target_family = "wasm"))]
            Self::E4m3 => decode_words(bytes, |[byte]| of_e4m3(byte), values),
            // No browser kernel uses the others; omitting them keeps the program small.
            #[cfg(target_family = "wasm")]
            _ => values.fill(f64::NAN),
        }
    }
}

fn encode_words<const N: usize>(words: impl Iterator<Item = [u8; N]>, bytes: &mut [u8]) {
    for (slot, word) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(words) {
        *slot = word;
    }
}

fn decode_words<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f64, values: &mut [f64]) {
    for (value, word) in values.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *value = read(*word);
    }
}

#[cfg(not(target_family = "wasm"))]
const LEAST_E4M3: i32 = -6;

/// The e4m3 of a value; one that does not fit exactly is truncated.
#[cfg(not(target_family = "wasm"))]
fn to_e4m3(value: f64) -> u8 {
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    if value == 0.0 {
        return sign;
    }
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(LEAST_E4M3);
    // In units of the last bit: eight of them make a normal number's leading bit.
    let units = (value.abs() * power_of_two(3 - exponent)) as u8;
    sign | ((((exponent - LEAST_E4M3) as u8) << 3) + units)
}

#[cfg(not(target_family = "wasm"))]
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Sign, four bits of exponent with a bias of 7, three of fraction; all ones are NaN.
#[cfg(not(target_family = "wasm"))]
fn of_e4m3(bits: u8) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
    let magnitude = match (exponent, bits & 7) {
        (15, 7) => f64::NAN,
        (0, _) => fraction * power_of_two(LEAST_E4M3 - 3),
        _ => (8.0 + fraction) * power_of_two(exponent - 7 - 3),
    };
    if bits & 0x80 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(scalar: Scalar, bytes: &[u8]) -> Vec<f64> {
        let mut values = vec![f64::NAN; bytes.len() / scalar.bytes()];
        scalar.decode(bytes, &mut values);
        values
    }

    #[test]
    fn encoding_and_decoding_are_inverse() {
        for (scalar, values) in [
            (Scalar::U32, vec![0.0, 1.0, 4_294_967_295.0]),
            (Scalar::F32, vec![-0.75, 16_777_215.0, 1e-40_f32.into()]),
            (Scalar::F64, vec![0.1, -1e300]),
            (Scalar::F16, vec![-0.75, 2047.0, 65_504.0, f64::powi(2.0, -24), f64::INFINITY]),
            (Scalar::I32, vec![-2_147_483_648.0, -1.0, 2_147_483_647.0]),
            (Scalar::I8, vec![-128.0, -1.0, 127.0]),
            (Scalar::Bf16, vec![-127.0 / 128.0, 255.0, f64::powi(2.0, 127)]),
        ] {
            let mut bytes = vec![0xff; values.len() * scalar.bytes()];
            scalar.encode(&values, &mut bytes);
            assert_eq!(decoded(scalar, &bytes), values, "{}", scalar.name());
        }
    }

    /// Every f16 that is a number decodes as IEEE 754 defines it, and encodes to the same bits.
    #[test]
    fn every_f16_is_decoded_and_encoded() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
            let magnitude = match exponent {
                0 => fraction * f64::powi(2.0, -14),
                31 if fraction > 0.0 => {
                    assert!(decoded(Scalar::F16, &bits.to_le_bytes())[0].is_nan(), "{bits:#x}");
                    continue;
                }
                31 => f64::INFINITY,
                _ => (1.0 + fraction) * f64::powi(2.0, exponent - 15),
            };
            let value = if bits >> 15 == 0 { magnitude } else { -magnitude };
            assert_eq!(decoded(Scalar::F16, &bits.to_le_bytes()), [value], "{bits:#x}");
            let mut bytes = [0; 2];
            Scalar::F16.encode(&[value], &mut bytes);
            assert_eq!(bytes, bits.to_le_bytes(), "{value}");
        }
    }

    /// From the format's definition: the largest number, the least normal one, the least of all, and one in between.
    #[test]
    fn every_fp8_is_decoded_and_encoded() {
        assert_eq!(decoded(Scalar::E4m3, &[0x7e, 0x08, 0x01, 0xb6]), [448.0, 0.015_625, 0.001_953_125, -0.875]);
        for bits in (0..=u8::MAX).filter(|bits| bits & 0x7f != 0x7f) {
            let mut bytes = [0];
            Scalar::E4m3.encode(&decoded(Scalar::E4m3, &[bits]), &mut bytes);
            assert_eq!(bytes, [bits], "{bits:#x}");
        }
        assert!(decoded(Scalar::E4m3, &[0x7f])[0].is_nan());
    }
}
