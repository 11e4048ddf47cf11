//! Sentences about faults, and what a report is checked against.

use std::collections::BTreeMap;

use crate::results::Record;
use crate::results::normal::Reference;

/// What a report is checked against.
pub struct Checks<'a> {
    /// The present time, UTC, RFC 3339.
    pub now: &'a str,
    /// Whether an earlier build had this kernel: its [`kernel_key`](super::kernel_key).
    pub is_known_kernel: &'a (dyn Fn(u64) -> bool + Sync),
    /// Runs that are believed.
    pub references: &'a [Reference],
}

/// Sentences about faults, grouped by kind.
#[derive(Debug, Default)]
pub(super) struct Faults {
    by_kind: BTreeMap<&'static str, Vec<String>>,
    order: Vec<&'static str>,
}

/// Sentences of one kind that are listed; the others are counted.
const MOST_OF_A_KIND: usize = 3;

impl Faults {
    pub(super) fn add(&mut self, kind: &'static str, sentence: String) {
        let known = self.by_kind.entry(kind).or_default();
        if known.is_empty() {
            self.order.push(kind);
        }
        known.push(sentence);
    }

    /// A fault of a row, which is named in front.
    pub(super) fn of_row(&mut self, kind: &'static str, row: &Record, sentence: &str) {
        self.add(kind, format!("{}: {sentence}", label(row)));
    }

    pub(super) fn sentences(mut self) -> Vec<String> {
        let mut all = Vec::new();
        for kind in self.order {
            let sentences = self.by_kind.remove(kind).unwrap_or_default();
            let more = sentences.len().saturating_sub(MOST_OF_A_KIND);
            all.extend(sentences.into_iter().take(MOST_OF_A_KIND));
            if more > 0 {
                all.push(format!("{more} more of this kind: {kind}"));
            }
        }
        all
    }
}

/// `vulkan transpose/tiled f32 4096x4096 PAD=1`.
pub(super) fn label(row: &Record) -> String {
    [row.api_name(), &row.name(), row.dtype_name(), &row.size(), &row.params_text()].join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_a_kind_are_counted() {
        let mut faults = Faults::default();
        (0..5).for_each(|number| faults.add("b", format!("b {number}")));
        faults.add("a", "a".to_owned());
        assert_eq!(faults.sentences(), ["b 0", "b 1", "b 2", "2 more of this kind: b", "a"]);
    }
}
