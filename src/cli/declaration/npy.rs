//! NumPy's `.npy` files. Crates for them include a parser of Python literals, but this header is one line:
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use super::expression::Value;
use super::stored::Numbers;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The numbers of a file, in file order.
pub(super) fn read(bytes: &[u8]) -> Result<Numbers, String> {
    let cut = || "the file is cut off".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or("the file does not start with the .npy signature")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        (u32::from_le_bytes(*length) as usize, rest)
    };
    let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
    let header = String::from_utf8_lossy(header);
    let value = |name: &str| header.split_once(&format!("'{name}':")).map(|(_, rest)| rest.trim_start());
    let kind = value("descr").and_then(|rest| rest.strip_prefix('\'')?.split('\'').next());
    let kind = kind.ok_or("structured arrays are not supported; save an array of one type")?;
    if value("fortran_order").is_some_and(|rest| rest.starts_with("True")) {
        return Err("the array is in Fortran order; save numpy.ascontiguousarray(…)".to_owned());
    }
    macro_rules! numbers {
        ($of:ty, $kind:ident) => {
            Numbers::$kind(
                data.chunks_exact(size_of::<$of>())
                    .map(|chunk| <$of>::from_le_bytes(chunk.try_into().unwrap_or_default()).into())
                    .collect(),
            )
        };
    }
    let numbers = match kind {
        "<f8" => numbers!(f64, Reals),
        "<f4" => numbers!(f32, Reals),
        "<f2" => numbers!(half::f16, Reals),
        "<i8" => numbers!(i64, Wholes),
        "<i4" => numbers!(i32, Wholes),
        "<i2" => numbers!(i16, Wholes),
        "|i1" => numbers!(i8, Wholes),
        "<u8" => numbers!(u64, Naturals),
        "<u4" => numbers!(u32, Wholes),
        "<u2" => numbers!(u16, Wholes),
        "|u1" | "|b1" => numbers!(u8, Wholes),
        other => return Err(format!("the dtype '{other}' is not supported; use little-endian integers or floats")),
    };
    let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split(')').next()).unwrap_or_default();
    let sides = shape.split(',').map(str::trim).filter(|side| !side.is_empty());
    let count = sides.map(|side| side.parse::<usize>().ok()).try_fold(1_usize, |all, side| all.checked_mul(side?));
    if count.map(|count| count as u64) != Some(numbers.len()) {
        return Err(format!("the shape is ({shape}), but the file has {} numbers", numbers.len()));
    }
    Ok(numbers)
}

/// A one-dimensional file of 64-bit floats or integers.
pub(super) fn write(values: impl Iterator<Item = Value>, count: u64, is_integer: bool) -> Vec<u8> {
    let kind = if is_integer { "<i8" } else { "<f8" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}");
    // The data starts at a multiple of 64 bytes.
    let start = MAGIC.len() + 4;
    let length = (start + header.len() + 1).next_multiple_of(64) - start;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    let mut bytes = [MAGIC, &[1, 0], &(length as u16).to_le_bytes(), header.as_bytes()].concat();
    for value in values {
        bytes.extend(match value {
            Value::Whole(value) if is_integer => value.to_le_bytes(),
            value if is_integer => (value.real() as i64).to_le_bytes(),
            value => value.real().to_le_bytes(),
        });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for is_integer in [false, true] {
            let bytes = write([3, -1, i64::MAX].map(Value::Whole).into_iter(), 3, is_integer);
            let wanted = if is_integer {
                Numbers::Wholes(vec![3, -1, i64::MAX])
            } else {
                Numbers::Reals(vec![3.0, -1.0, i64::MAX as f64])
            };
            assert_eq!(read(&bytes), Ok(wanted));
            let cut = read(&bytes[..bytes.len() - 8]).expect_err("a number is missing");
            assert_eq!(cut, "the shape is (3,), but the file has 2 numbers");
            assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_err()));
        }
        assert_eq!(read(b"PNG"), Err("the file does not start with the .npy signature".to_owned()));
    }

    #[test]
    fn types_and_orders_that_are_not_read_are_named() {
        let file = |header: &str| {
            let length = (header.len() as u16).to_le_bytes();
            read(&[MAGIC, &[1, 0], &length, header.as_bytes()].concat()).expect_err("refused")
        };
        let numbers = file("{'descr': '>f4', 'fortran_order': False, 'shape': (0,), }");
        assert_eq!(numbers, "the dtype '>f4' is not supported; use little-endian integers or floats");
        let order = file("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 2), }");
        assert_eq!(order, "the array is in Fortran order; save numpy.ascontiguousarray(…)");
        let fields = file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }");
        assert_eq!(fields, "structured arrays are not supported; save an array of one type");
    }
}
