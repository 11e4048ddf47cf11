//! The name of a ceiling, as a row has it.

use std::fmt;

use crate::suite::{Limit, Scalar, binary_size, parse_binary_size};

/// The ceiling that a row is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// What it limits.
    pub limit: Limit,
    /// Type of the arithmetic, where the limit has one.
    pub scalar: Option<Scalar>,
    /// Working set at which it was measured, in bytes, where the limit depends on it.
    pub working_set: Option<u64>,
    /// Whether that working set lay in a cache.
    pub is_cached: bool,
}

impl Bound {
    /// Whether both are the same ceiling; whether its working set is cached may have turned out later.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Self { is_cached: other.is_cached, ..*self } == *other
    }

    /// Reads what [`fmt::Display`] writes.
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

/// What follows the working set where it lay in a cache.
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
    fn a_written_bound_is_read_back() {
        for text in ["launch", "fma f16", "copy 1 GiB", "read 384 KiB hot", "fill 100 B", "tensor"] {
            let bound = Bound::parse(text).expect(text);
            assert_eq!(bound.to_string(), text);
        }
        for text in ["", "jump", "copy 1 XB", "copy hot", "fma f31"] {
            assert_eq!(Bound::parse(text), None, "{text}");
        }
    }
}
