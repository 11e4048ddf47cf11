//! Control of false discoveries among many tests.

/// Adjusted p-values after Benjamini & Hochberg (*Journal of the Royal Statistical Society B* 57, 1995), in the order of
/// `p_values`: of the tests with an adjusted value of at most q, a fraction of q is expected to be false discoveries.
///
/// This holds for independent tests, and for positively dependent ones (Benjamini & Yekutieli, *Annals of Statistics*
/// 29, 2001), such as rows that share a clock.
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

    /// The fifteen p-values of the example in the paper (section 3.2): the procedure rejects the four smallest at 5 %.
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
    fn the_order_of_the_tests_does_not_matter() {
        assert_eq!(benjamini_hochberg(&[0.04, 0.01, 0.03]), [0.04, 0.03, 0.04]);
        assert_eq!(benjamini_hochberg(&[0.2]), [0.2]);
        assert!(benjamini_hochberg(&[]).is_empty());
    }
}
