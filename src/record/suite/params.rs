use std::collections::BTreeMap;

use super::interface::Checks;
use super::shape::Shape;

/// A set of parameters: overrides of the shader, or [`HOST_PARAMS`].
pub type Params = &'static [(&'static str, f64)];

/// One empty set of parameters.
pub const PLAIN: &[Params] = &[&[]];

/// Parameters of the harness rather than of the shader. `INPUT`: the constant that fills the input. `BOUNDS`, `LOOPS`,
/// `ZERO_INIT`: 1 adds that run-time check, see [`Checks`]. `PITCHED`: 1 pads rows to 256 bytes. `ANGLE`: degrees by
/// which a picture is rotated. `MATRIX`: the number of a sparse matrix. `LOADS`: dependent loads of a launch. `PEER`:
/// distance of the other card in the driver's list. `FAR`: 1 runs the host on the NUMA node farthest from the card, 0
/// on its own. `COLD`: 1 empties the caches before each launch, see [`Shape::is_cold`]. `SHARED_BYTES`: bytes of shared
/// memory that a launch requests, for kernels of CUDA alone.
pub const HOST_PARAMS: &[&str] = &[
    "INPUT",
    "BOUNDS",
    "LOOPS",
    "ZERO_INIT",
    "PITCHED",
    "ANGLE",
    "MATRIX",
    "LOADS",
    "SHARED_BYTES",
    "PEER",
    "FAR",
    COLD,
];

/// The parameter of cases whose launches find empty caches.
pub const COLD: &str = "COLD";

/// The [`HOST_PARAMS`] that add a run-time check.
pub const CHECK_PARAMS: &[&str] = &["BOUNDS", "LOOPS", "ZERO_INIT"];

impl Checks {
    /// The checks that a case's parameters request.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let is_on = |name| shape.param(name, 0.0) != 0.0;
        Self { bounds: is_on("BOUNDS"), loops: is_on("LOOPS"), zero_init: is_on("ZERO_INIT"), division: false }
            .switchable()
    }
}

impl Shape {
    /// Whether the caches contain none of a launch's data: before each launch, other memory is set to zero, untimed.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.param(COLD, 0.0) != 0.0
    }
}

/// One parameter with N consecutive values, starting at `first`.
pub const fn consecutive<const N: usize>(name: &'static str, first: u32) -> [[(&'static str, f64); 1]; N] {
    let mut values = [[(name, 0.0)]; N];
    let mut index = 0;
    while index < N {
        values[index] = [(name, first as f64 + index as f64)];
        index += 1;
    }
    values
}

/// One parameter with each of these values.
pub const fn values<const N: usize>(name: &'static str, values: [f64; N]) -> [[(&'static str, f64); 1]; N] {
    let mut named = [[(name, 0.0)]; N];
    let mut index = 0;
    while index < N {
        named[index] = [(name, values[index])];
        index += 1;
    }
    named
}

/// The values of [`consecutive`] or [`values`] as sets of parameters.
pub const fn sets<const N: usize>(values: &'static [[(&'static str, f64); 1]; N]) -> [Params; N] {
    let mut sets: [Params; N] = [&[]; N];
    let mut index = 0;
    while index < N {
        sets[index] = &values[index];
        index += 1;
    }
    sets
}

/// Parameters in the form of the CSV: `K=V` joined by `;`, sorted by name.
#[must_use]
pub fn params_text(params: &BTreeMap<String, f64>) -> String {
    let pairs: Vec<_> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(";")
}

/// Parses the text of [`params_text`]; empty text is no parameters, and an error names the part that is not one.
pub fn parse_params(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = value.parse::<f64>().ok().filter(|value| value.is_finite())?;
        (!name.is_empty()).then(|| (name.to_owned(), value))
    };
    let pairs = text.split(';').filter(|part| !part.is_empty());
    let fault = |part: &str| format!("'{part}' is not a parameter: give NAME=NUMBER, for example WG=128");
    pairs.map(|part| pair(part).ok_or_else(|| fault(part))).collect()
}
