//! What the output of another program says.

/// What a program's output says about a device.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Output {
    /// The device's name, if the output states it.
    pub(super) device: String,
    pub(super) driver: String,
    pub(super) date: String,
    pub(super) version: String,
    pub(super) figures: Vec<Found>,
}

/// A figure of an output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The headline figure that measures the same, as `summary` calls it, or the program's own name.
    pub(super) name: String,
    /// What the program calls it.
    pub(super) source: String,
    pub(super) value: Value,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    GbPerS(f64),
    GflopPerS(f64),
    Ns(f64),
}

/// The figures of outputs, by name.
#[cfg(test)]
pub(super) fn figures(outputs: &[Output]) -> Vec<(&str, Value)> {
    outputs.iter().flat_map(|output| &output.figures).map(|found| (found.name.as_str(), found.value)).collect()
}
