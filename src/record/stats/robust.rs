use super::median;

/// Up to this many values, all pairs are compared.
const MOST: usize = 1000;

/// Degrees of freedom of [`spread`] per value beyond the first: its efficiency for normal values is 82 %.
pub const SPREAD_EFFICIENCY: f64 = 0.82;

/// Standard deviation of `values`, robust to outliers in fewer than half of them: Qn of Rousseeuw & Croux (*Journal of
/// the American Statistical Association* 88, 1993), a quartile of all pairwise distances, with their small-sample
/// factors. Above a thousand values, the less efficient median absolute deviation. `None` for fewer than two values.
#[must_use]
pub fn spread(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < 2 {
        return None;
    }
    if count > MOST {
        let centre = median(values)?;
        let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
        return median(&distances).map(|distance| 1.4826 * distance);
    }
    let pairs = values.iter().enumerate().flat_map(|(index, a)| values[..index].iter().map(move |b| (a - b).abs()));
    let mut distances: Vec<f64> = pairs.collect();
    let half = count / 2 + 1;
    let rank = half * (half - 1) / 2;
    let (_, distance, _) = distances.select_nth_unstable_by(rank - 1, f64::total_cmp);
    const SMALL: [f64; 8] = [0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872];
    let size = count as f64;
    let factor = match SMALL.get(count - 2) {
        Some(factor) => *factor,
        None if count % 2 == 1 => size / (size + 1.4),
        None => size / (size + 3.8),
    };
    Some(2.2219 * factor * *distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::random::Random;

    fn bias(count: usize, outliers: usize) -> f64 {
        const ROUNDS: usize = 2000;
        let mut random = Random(2026);
        let one = |random: &mut Random| {
            let value = |index: usize, normal: f64| if index < outliers { 50.0 + normal } else { 3.0 * normal };
            let values: Vec<f64> = (0..count).map(|index| value(index, random.normal())).collect();
            spread(&values).expect("values") / 3.0
        };
        (0..ROUNDS).map(|_| one(&mut random)).sum::<f64>() / ROUNDS as f64
    }

    #[test]
    fn the_spread_of_normal_values_is_their_standard_deviation() {
        for count in [2, 3, 4, 5, 8, 9, 10, 11, 40] {
            let bias = bias(count, 0);
            assert!((0.95..=1.05).contains(&bias), "{count}: {bias}");
        }
        let mut random = Random(7);
        let many: Vec<f64> = (0..20_000).map(|_| 3.0 * random.normal()).collect();
        assert!((2.9..=3.1).contains(&spread(&many).expect("values")));
    }

    #[test]
    fn a_few_outliers_hardly_widen_it() {
        for (count, outliers, most) in [(4, 1, 2.5), (8, 1, 1.5), (20, 4, 1.5), (40, 8, 1.5)] {
            let bias = bias(count, outliers);
            assert!(bias < most, "{outliers} of {count}: {bias}");
        }
    }

    #[test]
    fn one_value_has_none() {
        assert_eq!((spread(&[]), spread(&[1.0]), spread(&[2.0; 5])), (None, None, Some(0.0)));
    }
}
