use record::{MARGIN, Record};

/// How to compare.
#[derive(Clone, Copy)]
pub struct Rules<'r> {
    /// Times that differ by less than this fraction are equal.
    pub margin: f64,
    /// The rows to compare. The others still show how noisy a class of rows is.
    pub is_compared: &'r dyn Fn(&Record) -> bool,
    /// The rows whose benchmark the user named; they are compared although their sources differ.
    pub is_named: &'r dyn Fn(&Record) -> bool,
    /// Whether intervals widen for variation between processes, as rows of one card, driver, API and kernel show it.
    pub widens: bool,
    /// Whether all cards of a model are one side; otherwise each card is.
    pub is_by_model: bool,
    /// Whether sides are matched; otherwise the comparison has cases only, and pairs are computed later on request.
    pub has_matches: bool,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Self {
            margin: MARGIN,
            is_compared: &|_| true,
            is_named: &|_| false,
            widens: true,
            is_by_model: false,
            has_matches: true,
        }
    }
}
