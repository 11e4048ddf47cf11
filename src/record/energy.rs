use super::row::Record;
use super::stats::{round_to_seven_digits, student};

/// Energy that one launch took in one epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Joules of one launch.
    pub joules: f64,
    /// Mean power during the launches, in watts.
    pub watts: f64,
    /// Power sensor at the end of the launches, in watts, if an energy counter gave the other two values.
    pub sensor_watts: Option<f64>,
}

impl Record {
    /// Adds the energy that an epoch measured. The interval is Student's, for the mean of the epochs.
    pub fn add_energy(&mut self, energy: Energy) {
        let figure = |value: f64| Some(round_to_seven_digits(value));
        let before = self.energies_j.len() as f64;
        let mean_of = |old: Option<f64>, new: f64| (old.unwrap_or(0.0) * before + new) / (before + 1.0);
        self.power_w = figure(mean_of(self.power_w, energy.watts));
        self.sensor_w = energy.sensor_watts.and_then(|watts| figure(mean_of(self.sensor_w, watts)));
        self.energies_j.push(round_to_seven_digits(energy.joules));
        let count = self.energies_j.len() as f64;
        let mean = self.energies_j.iter().sum::<f64>() / count;
        let squares: f64 = self.energies_j.iter().map(|joules| (joules - mean).powi(2)).sum();
        self.energy_noise = (count > 1.0)
            .then(|| student(count - 1.0) * (squares / (count - 1.0) / count).sqrt() / mean)
            .and_then(figure);
        self.energy_j = figure(mean);
        self.gflop_per_j = self.flops.and_then(|flops| figure(flops as f64 / mean / 1e9));
        self.gb_per_j = self.bytes.and_then(|bytes| figure(bytes as f64 / mean / 1e9));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_follow_from_the_epochs() {
        let mut row = Record { bytes: Some(4_000_000_000), flops: Some(1_000_000_000), ..Record::default() };
        row.add_energy(Energy { joules: 1.9, watts: 600.0, sensor_watts: Some(610.0) });
        assert_eq!((row.energy_j, row.energy_noise, row.gb_per_j), (Some(1.9), None, Some(2.105263)));
        row.add_energy(Energy { joules: 2.1, watts: 620.0, sensor_watts: Some(612.0) });
        assert_eq!((row.energy_j, row.power_w, row.sensor_w), (Some(2.0), Some(610.0), Some(611.0)));
        assert_eq!((row.gflop_per_j, row.gb_per_j, &row.energies_j[..]), (Some(0.5), Some(2.0), &[1.9, 2.1][..]));
        // The standard error is 0.1, and t with one degree of freedom 12.7.
        assert_eq!(row.energy_noise, Some(0.635_310_2));
        row.drop_figures();
        assert_eq!((row.energy_j, row.energies_j.len(), row.power_w), (None, 0, None));
    }
}
