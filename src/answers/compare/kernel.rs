//! The kernels of a match that are slower or faster, with the mean over their cases.

use std::collections::BTreeSet;

use super::case::CaseComparison;
use super::entry::Mark;
use super::mean::geometric_mean;
use super::pair::Pair;
use super::timing::Ratio;
use super::verdict::Verdict;
use super::{Comparison, Match};
use record::stats::{Errors, LogValue, Null, adjusted_p_values};
use record::suite::WorkKind;
use record::{Record, compiled_changes};

/// A kernel that is slower or faster. If it is slower in some cases and faster in others, it is listed twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangedKernel<'a> {
    /// Its family.
    pub family: &'a str,
    /// Its name within the family.
    pub benchmark: &'a str,
    /// The kind of work that it times.
    pub kind: WorkKind,
    /// [`Verdict::Slower`] or [`Verdict::Faster`].
    pub verdict: Verdict,
    /// Cases with this verdict; 0 if only the mean over all cases shows the change.
    pub changed: usize,
    /// Cases timed by the same clock on both sides.
    pub cases: usize,
    /// Whether the cases differ only by size.
    pub is_by_size: bool,
    /// Whether its source changed and it is compared only because the user named it.
    pub has_other_source: bool,
    /// Rows of baseline and side with different compiled kernels ([`compiled_changes`]); from changed cases, if any.
    pub recompiled: Option<[&'a Record; 2]>,
    /// Geometric mean of baseline time ÷ side time, over the changed cases, or over all if none changed.
    pub mean: Ratio,
}

type Member<'a, 'b> = (&'b CaseComparison<'a>, &'b Pair<'a>);

impl<'a> Comparison<'a> {
    /// The kernels that changed in the match `of`: the slower ones with the largest slow-down first, then the faster
    /// ones with the largest speed-up first. The end of the interval nearest to no change decides the order: a noisy
    /// mean may be large by chance. A kernel has changed if cases have changed, or else if the interval of the mean
    /// over its cases lies beyond the margin, corrected for the number of kernels. Pairs with two clocks do not count.
    #[must_use]
    pub fn changed_kernels(&self, of: usize) -> Vec<ChangedKernel<'a>> {
        let at = self.matches[of];
        let kernels = self.kernels(of);
        let means: Vec<Option<Ratio>> = kernels.iter().map(|members| mean(members.iter().copied(), at)).collect();
        let logs: Vec<LogValue> = means.iter().flatten().map(|mean| mean.log()).collect();
        let mut adjusted = adjusted_p_values(&logs, Null::Within(self.margin.ln_1p()), Errors::Discoveries).into_iter();
        let mut found = Vec::new();
        for (members, all) in kernels.iter().zip(means) {
            let Some(all) = all else { continue };
            let of_all = Verdict::new(&all, self.margin, adjusted.next().flatten());
            let has = |verdict: Verdict| members.iter().any(|(_, pair)| pair.verdict == verdict);
            let has_changed_cases = has(Verdict::Slower) || has(Verdict::Faster);
            for verdict in [Verdict::Slower, Verdict::Faster] {
                let changed = members.iter().copied().filter(|(_, pair)| pair.verdict == verdict);
                let recompiled = changed.clone().chain(members.iter().copied().filter(|_| !has_changed_cases));
                let recompiled = recompiled.filter_map(|(case, _)| self.rows(case, of));
                let recompiled = recompiled.into_iter().find(|[from, to]| !compiled_changes(from, to).is_empty());
                let count = changed.clone().count();
                let mean = if has_changed_cases { mean(changed, at) } else { (of_all == verdict).then_some(all) };
                let (Some(mean), Some((first, _))) = (mean, members.first()) else { continue };
                let kinds: BTreeSet<_> =
                    members.iter().map(|(case, _)| (case.row.dtype_name(), case.row.params_text())).collect();
                found.push(ChangedKernel {
                    family: &first.row.family,
                    benchmark: &first.row.benchmark,
                    kind: first.kind,
                    verdict,
                    changed: count,
                    cases: members.len(),
                    is_by_size: kinds.len() == 1,
                    recompiled,
                    has_other_source: members.iter().any(|(_, pair)| pair.marks.contains(&Mark::Shader)),
                    mean,
                });
            }
        }
        // Logarithm of the smallest change that the interval allows, in the direction of the verdict.
        let least = |kernel: &ChangedKernel| {
            let (low, high) = kernel.mean.interval.unwrap_or((kernel.mean.value, kernel.mean.value));
            if kernel.verdict == Verdict::Slower { -high.ln() } else { low.ln() }
        };
        let is_faster = |kernel: &ChangedKernel| kernel.verdict == Verdict::Faster;
        found.sort_by(|a, b| is_faster(a).cmp(&is_faster(b)).then(least(b).total_cmp(&least(a))));
        found
    }

    pub(super) fn rows(&self, case: &CaseComparison<'a>, of: usize) -> Option<[&'a Record; 2]> {
        let Match { baseline, side } = self.matches[of];
        Some([case.entries.get(baseline)?.row(), case.entries.get(side)?.row()])
    }

    /// How the compiled kernel of a case differs between the sides of the match `of`; `None` if it does not.
    pub(super) fn recompiled(&self, case: &CaseComparison<'a>, of: usize) -> Option<String> {
        let [from, to] = self.rows(case, of)?;
        Some(compiled_changes(from, to)).filter(|changes| !changes.is_empty())
    }

    fn kernels(&self, of: usize) -> Vec<Vec<Member<'a, '_>>> {
        let mut kernels: Vec<Vec<Member>> = Vec::new();
        let name = |case: &CaseComparison<'a>| (&case.row.family, &case.row.benchmark);
        let mut places = std::collections::HashMap::new();
        for index in &self.in_match[of] {
            let case = &self.cases[*index];
            let Some(pair) = case.pairs.get(of).filter(|pair| pair.has_one_clock()) else { continue };
            let place = *places.entry(name(case)).or_insert(kernels.len());
            if place == kernels.len() {
                kernels.push(Vec::new());
            }
            kernels[place].push((case, pair));
        }
        kernels
    }

    /// Whether both sides of every pair of the match `of` are the same measurement, as in a report and its copy.
    #[must_use]
    pub fn is_of_a_copy(&self, of: usize) -> bool {
        let mut pairs = self.in_match[of].iter().filter_map(|index| self.cases[*index].pairs.get(of)).peekable();
        pairs.peek().is_some() && pairs.all(|pair| pair.is_copy)
    }
}

fn mean<'a: 'b, 'b>(members: impl Iterator<Item = Member<'a, 'b>>, of: Match) -> Option<Ratio> {
    geometric_mean(&members.map(|(case, pair)| pair.member(&case.entries, of)).collect::<Vec<_>>())
}
