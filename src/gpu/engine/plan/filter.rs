//! Filters of benchmarks, as command lines name them.

use glob::{MatchOptions, Pattern};

use record::error::{Error, Result};

/// `*` stops at the slash between a family and its benchmark.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// A family's name, a benchmark's (`transpose/tiled`), a glob for several of them, or a part of their names.
#[derive(Debug, Clone)]
pub struct Filter {
    text: String,
    pattern: Pattern,
    is_part: bool,
}

impl Filter {
    /// A filter for `names`, each a `family/benchmark`. It matches parts of names only if it matches no whole name.
    ///
    /// # Errors
    /// [`Error::Usage`] if the filter is not a valid glob.
    pub fn new(text: &str, names: &[String]) -> Result<Self> {
        let pattern = if text.contains('/') { text.to_owned() } else { format!("{text}/*") };
        let pattern =
            Pattern::new(&pattern).map_err(|error| Error::Usage(format!("'{text}' is not a valid filter: {error}")))?;
        // Without a letter or digit, as `/`, a filter would be a part of every name.
        let is_word = text.chars().any(char::is_alphanumeric);
        let is_part = is_word && !names.iter().any(|name| pattern.matches_with(name, OPTIONS));
        Ok(Self { text: text.to_owned(), pattern, is_part })
    }

    /// Whether it matches parts of names.
    #[must_use]
    pub const fn is_part(&self) -> bool {
        self.is_part
    }

    /// Whether it matches a `family/benchmark`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.pattern.matches_with(name, OPTIONS) || self.is_part && name.contains(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_names_match_where_no_whole_name_does() {
        let names = ["scan/scan", "scan/tiled", "transpose/tiled", "transpose/tiled_wide"].map(str::to_owned);
        let matched = |text: &str| {
            let filter = Filter::new(text, &names).expect("a filter");
            let matched: Vec<&str> = names.iter().map(String::as_str).filter(|name| filter.matches(name)).collect();
            (matched, filter.is_part())
        };
        assert_eq!(matched("scan"), (vec!["scan/scan", "scan/tiled"], false));
        assert_eq!(matched("transpose/tiled"), (vec!["transpose/tiled"], false));
        assert_eq!(matched("*/tiled"), (vec!["scan/tiled", "transpose/tiled"], false));
        assert_eq!(matched("tiled"), (vec!["scan/tiled", "transpose/tiled", "transpose/tiled_wide"], true));
        assert_eq!(matched("pose/"), (vec!["transpose/tiled", "transpose/tiled_wide"], true));
        for text in ["", "/", "*", "t*d"] {
            assert!(!matched(text).1 || matched(text).0.is_empty(), "{text}");
        }
        assert_eq!((matched("").0.len(), matched("/").0.len(), matched("*").0.len()), (0, 0, 4));
    }
}
