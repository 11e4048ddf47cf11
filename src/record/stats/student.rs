use std::cell::Cell;

/// Tail of the standard normal distribution and its quantile.
const TAIL_95: (f64, f64) = (0.025, 1.959_963_984_540_054);
const TAIL_50: (f64, f64) = (0.25, 0.674_489_750_196_081_7);

/// Two-sided 95 % quantile of Student's t: 97.5 % lie below it. `degrees` are limited to 1 to 10⁶.
#[must_use]
pub fn student(degrees: f64) -> f64 {
    thread_local! {
        /// The degrees and the quantile of the last call: neighbouring rows mostly have equal degrees.
        static LAST: Cell<(f64, f64)> = const { Cell::new((f64::NAN, f64::NAN)) };
    }
    let last = LAST.get();
    if last.0.to_bits() == degrees.to_bits() {
        return last.1;
    }
    let found = quantile(TAIL_95, degrees);
    LAST.set((degrees, found));
    found
}

/// Upper quartile of Student's t: half of the distribution lies within ± this value. `degrees` are limited to 1 to 10⁶.
#[must_use]
pub fn student_quartile(degrees: f64) -> f64 {
    quantile(TAIL_50, degrees)
}

/// Probability that Student's t exceeds `t`. `degrees` are limited to 1 to 10⁶.
#[must_use]
pub fn student_above(t: f64, degrees: f64) -> f64 {
    let degrees = bounded(degrees);
    let tail = 0.5 * incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5);
    if t < 0.0 { 1.0 - tail } else { tail }
}

/// Probability that F with `above` and `below` degrees of freedom (numerator, denominator) exceeds `ratio` ≥ 0.
#[must_use]
pub fn f_above(ratio: f64, above: f64, below: f64) -> f64 {
    incomplete_beta(below / (below + above * ratio), below / 2.0, above / 2.0)
}

/// Probability of at least `hits` hits in `trials` independent trials, each with probability `chance`.
#[must_use]
pub fn binomial_above(hits: usize, trials: usize, chance: f64) -> f64 {
    match hits {
        0 => 1.0,
        hits if hits > trials => 0.0,
        hits => incomplete_beta(chance.clamp(0.0, 1.0), hits as f64, (trials - hits + 1) as f64),
    }
}

/// Variances have at least one degree of freedom, and t with a million is normal.
const fn bounded(degrees: f64) -> f64 {
    degrees.clamp(1.0, 1e6)
}

/// The value that Student's t exceeds with the probability `tail`, by Newton's method from the normal quantile. The
/// tail is a convex function of t > 0 and the normal quantile is never too large, so the steps cannot overshoot.
fn quantile((tail, normal): (f64, f64), degrees: f64) -> f64 {
    let degrees = bounded(degrees);
    let half = f64::midpoint(degrees, 1.0);
    let scale = ln_gamma(half) - ln_gamma(degrees / 2.0) - 0.5 * (std::f64::consts::PI * degrees).ln();
    let mut t = normal;
    for _ in 0..40 {
        let density = (scale - half * (t * t / degrees).ln_1p()).exp();
        let step = (student_above(t, degrees) - tail) / density;
        t += step;
        if step.abs() < 1e-12 * t {
            break;
        }
    }
    t
}

/// Regularised incomplete beta function Iₓ(a, b): the continued fraction of *NIST Digital Library of Mathematical
/// Functions* 8.17.22, evaluated by Lentz's method (Thompson & Barnett, *Journal of Computational Physics* 64, 1986).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side of the mean; the other side follows by symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, away_from_zero(1.0 - (a + b) * x / (a + 1.0)).recip());
    let mut fraction = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = away_from_zero(1.0 + term * d).recip();
            c = away_from_zero(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    (front * fraction).min(1.0)
}

/// Logarithm of the gamma function for x > 0, by Lanczos' approximation (g = 7, nine terms; relative error < 1e-14).
#[expect(clippy::excessive_precision, reason = "the published coefficients")]
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_13,
        -176.615_029_162_140_59,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_571_6e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum = TERMS.iter().zip(1..).fold(0.999_999_999_999_809_93, |sum, (term, k)| sum + term / (x + f64::from(k)));
    let base = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(got: f64, want: f64) -> bool {
        (got / want - 1.0).abs() < 1e-9
    }

    #[test]
    fn binomial_tails_are_sums_of_terms() {
        for (hits, trials, chance, tail) in [
            (0, 5, 0.3, 1.0),
            (1, 1, 0.25, 0.25),
            (2, 2, 0.1, 0.01),
            (2, 3, 0.1, 0.028),
            (3, 5, 0.5, 0.5),
            (6, 5, 0.5, 0.0),
            (1, 4, 0.0, 0.0),
            (4, 4, 1.0, 1.0),
        ] {
            let got = binomial_above(hits, trials, chance);
            assert!((got - tail).abs() < 1e-9, "{hits} of {trials} at {chance}: {got}");
        }
    }

    #[test]
    fn gamma_has_known_answers() {
        for (x, want) in [(0.5, std::f64::consts::PI.sqrt()), (1.0, 1.0), (5.0, 24.0), (10.5, 1_133_278.388_948_785)] {
            assert!((ln_gamma(x) - f64::ln(want)).abs() < 1e-12, "{x}: {}", ln_gamma(x));
        }
    }

    /// Closed forms: one degree is Cauchy's distribution, two degrees have a tail of ½ − t / (2 √(2 + t²)).
    #[test]
    fn tails_have_known_answers() {
        for t in [-3.0, -0.5, 0.0, 0.1, 1.0, 4.0, 40.0_f64] {
            let cauchy = 0.5 - t.atan() / std::f64::consts::PI;
            assert!(is_near(student_above(t, 1.0), cauchy), "{t}: {}", student_above(t, 1.0));
            let two = 0.5 - t / (2.0 * (2.0 + t * t).sqrt());
            assert!((student_above(t, 2.0) - two).abs() < 1e-12, "{t}: {}", student_above(t, 2.0));
        }
        assert!((student_above(1.959_963_984_540_054, 1e9) - 0.025).abs() < 1e-6, "the normal distribution");
        // F with two and n degrees: (1 + 2 f / n)^(−n/2). F with one degree is the square of t.
        assert!(is_near(f_above(3.0, 2.0, 8.0), 1.75_f64.powi(-4)), "{}", f_above(3.0, 2.0, 8.0));
        assert!(is_near(f_above(4.0, 1.0, 7.0), 2.0 * student_above(2.0, 7.0)));
        assert_eq!((f_above(0.0, 4.0, 6.0), f_above(f64::INFINITY, 4.0, 6.0)), (1.0, 0.0));
    }

    /// Values of the textbook table; one and two degrees in closed form.
    #[test]
    fn quantiles_have_known_answers() {
        for (degrees, want) in [(3.0, 3.182), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042), (120.0, 1.980), (1e9, 1.960)] {
            assert!((student(degrees) - want).abs() < 6e-4, "{degrees}: {}", student(degrees));
        }
        assert!(is_near(student(1.0), (0.475 * std::f64::consts::PI).tan()), "{}", student(1.0));
        assert!(is_near(student(2.0), 0.95 * (2.0 / (1.0 - 0.95_f64.powi(2))).sqrt()), "{}", student(2.0));
        assert!(student(4.5) < student(4.0) && student(4.5) > student(5.0));
        assert!(is_near(student_quartile(1.0), 1.0) && is_near(student_quartile(2.0), (2.0_f64 / 3.0).sqrt()));
        for degrees in [1.0, 2.5, 7.0, 55.5, 1e4] {
            assert!(is_near(student_above(student(degrees), degrees), 0.025), "{degrees}");
        }
    }
}
