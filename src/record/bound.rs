use std::fmt;

use crate::suite::{Limit, Scalar, binary_size, parse_binary_size};

/// A share above this is a fault: dead code, an input in cache, a wrong byte count, or a ceiling measured too low.
pub const IMPLAUSIBLE: f64 = 1.05;

/// The ceiling that a row is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Bound {
    /// The limited resource.
    pub limit: Limit,
    /// Type of the arithmetic, if the limit depends on it.
    pub scalar: Option<Scalar>,
    /// Working set of the measurement in bytes, if the limit depends on it.
    pub working_set: Option<u64>,
    /// Whether that working set fits in a cache.
    pub is_cached: bool,
}

impl Bound {
    /// Parses the text that [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let limit = Limit::ALL.into_iter().find(|limit| limit.name() == name)?;
        let blank = Self { limit, scalar: None, working_set: None, is_cached: false };
        if rest.is_empty() {
            return Some(blank);
        }
        if let Some(scalar) = Scalar::ALL.into_iter().find(|scalar| scalar.name() == rest) {
            return Some(Self { scalar: Some(scalar), ..blank });
        }
        let (size, is_cached) = rest.strip_suffix(CACHED).map_or((rest, false), |size| (size, true));
        Some(Self { working_set: Some(parse_binary_size(size)?), is_cached, ..blank })
    }
}

/// Suffix of a working set that fits in a cache.
const CACHED: &str = " hot";

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.limit.name())?;
        if let Some(scalar) = self.scalar {
            write!(f, " {}", scalar.name())?;
        }
        if let Some(bytes) = self.working_set {
            write!(f, " {}{}", binary_size(bytes), if self.is_cached { CACHED } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_survives_writing_and_parsing() {
        for text in ["launch", "fma f16", "copy 1 GiB", "read 384 KiB hot", "fill 100 B", "tensor"] {
            let bound = Bound::parse(text).expect(text);
            assert_eq!(bound.to_string(), text);
        }
        for text in ["", "jump", "copy 1 XB", "copy hot", "fma f31"] {
            assert_eq!(Bound::parse(text), None, "{text}");
        }
    }
}
