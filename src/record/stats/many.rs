/// The error rate that is controlled among many tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// The expected fraction of false discoveries ([`benjamini_hochberg`]).
    Discoveries,
    /// The probability of any false discovery ([`holm`]).
    Any,
}

impl Errors {
    /// Adjusted p-values, in the order of `p_values`: a test is a discovery at every level that is at least its value.
    #[must_use]
    pub fn adjusted(self, p_values: &[f64]) -> Vec<f64> {
        match self {
            Self::Discoveries => benjamini_hochberg(p_values),
            Self::Any => holm(p_values),
        }
    }
}

/// Adjusted p-values after Holm (*Scandinavian Journal of Statistics* 6, 1979), whatever the dependence of the tests.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut most: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        most = most.max(p_values[index] * (p_values.len() - rank) as f64);
        adjusted[index] = most.min(1.0);
    }
    adjusted
}

/// The p-value of the hypothesis that all null hypotheses of one unit are true (Simes, *Biometrika* 73, 1986).
#[must_use]
pub fn simes(p_values: &[f64]) -> f64 {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    sorted.iter().enumerate().map(|(index, p)| p * count / (index + 1) as f64).fold(1.0, f64::min)
}

/// Adjusted p-values after Benjamini & Hochberg (*Journal of the Royal Statistical Society B* 57, 1995), in the order
/// of `p_values`: of the tests with an adjusted value of at most q, a fraction of q is expected to be false
/// discoveries. This holds for independent tests, and for positively dependent ones (Benjamini & Yekutieli, *Annals of
/// Statistics* 29, 2001), such as rows that share a clock.
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*b].total_cmp(&p_values[*a]));
    let count = p_values.len() as f64;
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least: f64 = 1.0;
    for (above, index) in order.into_iter().enumerate() {
        least = least.min(p_values[index] * count / (count - above as f64));
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's example (section 3.2): of fifteen p-values, the procedure rejects the four smallest at 5 %.
    #[test]
    fn the_paper_s_example_has_four_discoveries() {
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        let adjusted = benjamini_hochberg(&p_values);
        assert_eq!(adjusted.iter().filter(|p| **p <= 0.05).count(), 4);
        for (index, want) in [(0, 0.0015), (3, 0.035_625), (4, 0.060_3), (5, 0.063_857), (8, 0.0765), (14, 1.0)] {
            assert!((adjusted[index] - want).abs() < 1e-6, "{index}: {}", adjusted[index]);
        }
    }

    #[test]
    fn holm_rejects_until_the_first_that_fails() {
        let adjusted = holm(&[0.03, 0.001, 0.04, 0.2]);
        for (found, want) in adjusted.iter().zip([0.09, 0.004, 0.09, 0.2]) {
            assert!((found - want).abs() < 1e-12, "{adjusted:?}");
        }
        assert!((simes(&[0.04, 0.01, 0.9]) - 0.03).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_the_tests_does_not_matter() {
        assert_eq!(benjamini_hochberg(&[0.04, 0.01, 0.03]), [0.04, 0.03, 0.04]);
        assert_eq!(benjamini_hochberg(&[0.2]), [0.2]);
        assert!(benjamini_hochberg(&[]).is_empty());
    }
}
