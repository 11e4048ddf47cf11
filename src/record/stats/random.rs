//! Random numbers for tests.

/// Knuth's MMIX linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// Between 0 and 1, both excluded.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal, by the Box-Muller transform.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// χ² with `degrees`, divided by them.
    pub fn chi(&mut self, degrees: usize) -> f64 {
        (0..degrees).map(|_| self.normal().powi(2)).sum::<f64>() / degrees as f64
    }
}
