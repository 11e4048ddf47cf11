//! Launches each float kernel once on inputs with full significands: its error must stay within that of the declared
//! arithmetic. The other checks have inputs at which nothing rounds: an f32 kernel that multiplies bf16 passes them.

use std::collections::HashMap;

use rayon::prelude::*;

use super::mismatch::text;
use super::odd_shape::other_shape;

use crate::backend::{Backend, Prepared, leak_if_lost};
use crate::job::{Contents, Job};
use record::error::{Error, Result};
use record::suite::{
    Benchmark, Bound, COLD, Case, Dtype, Extent, Interface, Oracle, Scalar, Shape, Significands, each, params_text,
};

/// Kernels whose precision was verified so far, each with its fault, if any.
#[derive(Debug, Default)]
pub(in crate::engine) struct Verified {
    /// By benchmark and type, then by parameters.
    known: HashMap<String, HashMap<String, Option<String>>>,
}

/// Most parameter sets verified per benchmark and type: some benchmarks have dozens, which shift what they read.
const MOST_SETS: usize = 4;

impl Verified {
    /// The fault of a case's kernel on inputs with full significands, if any. Each kernel runs once.
    pub(in crate::engine) async fn fault(&mut self, backend: &mut dyn Backend, case: &Case) -> Result<Option<String>> {
        if !has_precision(case) {
            return Ok(None);
        }
        let shape = with_few_rounds(case);
        let known = self.known.entry(format!("{} {}", case.name(), shape.dtype.name())).or_default();
        let params = params_text(&shape.params);
        if !known.contains_key(&params) && known.len() < MOST_SETS {
            let fault = fault_of(backend, case).await?;
            known.insert(params.clone(), fault);
        }
        Ok(known.get(&params).cloned().flatten())
    }
}

/// Whether the suite bounds the error of a case's kernel.
fn has_precision(case: &Case) -> bool {
    case.benchmark.declared.is_none() && case.shape.dtype.scalar().is_float()
}

/// The job of [`Launch::new`], whose kernel may have other parameters than the case's own.
pub(in crate::engine) fn job_of(case: &Case) -> Option<Job> {
    if has_precision(case) { Launch::new(case).map(|launch| launch.job) } else { None }
}

async fn fault_of(backend: &mut dyn Backend, case: &Case) -> Result<Option<String>> {
    let Some(launch) = Launch::new(case) else { return Ok(None) };
    // A library may lack a routine for this size.
    let worst = match launch.run(backend).await {
        Err(Error::Unsupported(_)) => return Ok(None),
        worst => worst?,
    };
    Ok(worst.filter(Deviation::is_fault).map(|worst| format!("{worst} (size {})", launch.extent)))
}

fn factor_bits(benchmark: &Benchmark, dtype: Dtype) -> u32 {
    benchmark.significant_bits.unwrap_or_else(|| dtype.scalar().significant_bits())
}

/// Bound on the oracle's own roundings, in f64, at the sizes here.
const OF_ORACLE: f64 = 8192.0 / (1_u64 << 53) as f64;

/// Largest relative change of a term by roundings to a type: γ of Higham (*Accuracy and Stability of Numerical
/// Algorithms*, 2nd edition, 2002, lemma 3.1), plus the oracle's error.
fn gamma(roundings: f64, scalar: Scalar) -> f64 {
    let units = roundings * f64::powi(0.5, scalar.significant_bits() as i32);
    // γ is undefined for so many roundings: there is no bound.
    let gamma = if units < 1.0 { units / (1.0 - units) } else { f64::INFINITY };
    gamma + OF_ORACLE
}

/// Error bound of each result, with sums in `scalar`, the results' type; `None` if results are exact.
fn bound_of(benchmark: &Benchmark, shape: &Shape, interface: &Interface, scalar: Scalar) -> Option<Oracle> {
    let roundings = match benchmark.bound {
        Bound::Tolerance => return benchmark.tolerance.map(|tolerance| tolerance(shape, interface)),
        Bound::Roundings(roundings) => {
            let roundings = roundings(shape, interface) as f64;
            each(move |_| roundings)
        }
        Bound::RoundingsOfEach(roundings) => roundings(shape, interface),
    };
    let significands = Significands::Magnitudes(factor_bits(benchmark, shape.dtype));
    let magnitudes = (benchmark.check.oracle)(&Shape { significands, ..shape.clone() }, interface);
    Some(Box::new(move |first, slots| {
        roundings(first, slots);
        let mut sums = vec![0.0; slots.len()];
        magnitudes(first, &mut sums);
        slots.iter_mut().zip(sums).for_each(|(slot, sum)| *slot = gamma(*slot, scalar) * sum.abs());
    }))
}

/// A launch of a case's kernel on inputs with full significands.
pub struct Launch {
    /// The job, whose check has the expected values.
    pub job: Job,
    /// The size.
    pub extent: Extent,
    /// The error allowed for each value; `None` if values must be exact.
    bound: Option<Oracle>,
}

/// The result with the largest error relative to its bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// Index in the output, in scalars.
    pub index: u64,
    /// The kernel's value.
    pub got: f64,
    /// The oracle's value.
    pub want: f64,
    /// Largest error of the declared arithmetic.
    pub bound: f64,
    /// Error ÷ bound: above 1, it is a fault.
    pub factor: f64,
    scalar: Scalar,
}

impl Deviation {
    const fn is_fault(&self) -> bool {
        self.factor.is_nan() || self.factor > 1.0
    }
}

impl std::fmt::Display for Deviation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { index, bound, factor, scalar, .. } = self;
        let [got, want] = [self.got, self.want].map(|value| text(*scalar, value));
        let inputs = "on inputs with full significands";
        if *bound == 0.0 || factor.is_nan() {
            return write!(f, "element {index} is {got}, must be {want} {inputs}");
        }
        let name = scalar.name();
        write!(
            f,
            "element {index} is {got}, must be {want} ± {bound:.1e} {inputs}: {factor:.1} times the error that \
             {name} allows"
        )
    }
}

/// Parameters that set how often a kernel repeats its work: the roundings of many rounds hide a lower precision.
const REPEATS: [&str; 2] = ["ROUNDS", "FMAS"];

/// The shape of a case with one round, and warm caches.
fn with_few_rounds(case: &Case) -> Shape {
    let mut shape = case.shape.clone();
    shape.params.remove(COLD);
    for name in REPEATS {
        if shape.params.contains_key(name) || case.benchmark.wgsl.contains(&format!("override {name}:")) {
            shape.params.insert(name.to_owned(), 1.0);
        }
    }
    shape
}

impl Launch {
    /// The launch that shows the precision of a case's kernel, at a small size, since sums of many terms hide a lower
    /// precision. `None` if the kernel has no floats with significands, or no such size.
    #[must_use]
    pub fn new(case: &Case) -> Option<Self> {
        let benchmark = case.benchmark;
        let mut quick = case.clone();
        quick.shape = with_few_rounds(case);
        let factor_bits = factor_bits(benchmark, case.shape.dtype);
        quick.shape.significands = Significands::Full(factor_bits);
        let declared = benchmark.blocks().flat_map(|(_, extents, _)| extents).copied();
        let mut extents: Vec<_> =
            [benchmark.precise_at, other_shape(&quick).map(|other| other.shape.extent)].into_iter().flatten().collect();
        let mut others: Vec<_> = declared.chain(benchmark.small).chain([case.shape.extent]).collect();
        others.sort_by_key(|extent| extent.count());
        extents.extend(others.into_iter().take(2));
        let (job, shape) = extents.into_iter().find_map(|extent| {
            quick.shape.extent = extent;
            Some((Job::new(&quick).ok()?, quick.shape.clone()))
        })?;
        let has_floats = job.buffers.iter().any(|buffer| {
            let contents = buffer.texture().map_or(&buffer.contents, |texture| texture.texels.as_ref());
            let contents =
                if let Contents::Of(_, contents) | Contents::OnHost(contents) = contents { contents } else { contents };
            matches!(contents, Contents::Input(values) if buffer.input(*values).is_general(buffer.scalar))
        });
        let computes = job.host_part.is_none() && job.runs_kernel();
        if !has_floats || !computes || job.check.scalars == 0 {
            return None;
        }
        let scalar = job.buffers[job.check.buffer].scalar;
        let bound = bound_of(benchmark, &shape, &job.kernel.interface, scalar);
        Some(Self { job, extent: shape.extent, bound })
    }

    /// Runs the launch. `None` if it has no result.
    ///
    /// # Errors
    /// If it cannot run.
    pub async fn run(&self, backend: &mut dyn Backend) -> Result<Option<Deviation>> {
        backend.device().check(&self.job)?;
        let mut prepared = backend.prepare(&self.job).await?;
        let result = self.worst(prepared.as_mut()).await;
        leak_if_lost(prepared, result)
    }

    async fn worst(&self, prepared: &mut dyn Prepared) -> Result<Option<Deviation>> {
        let check = &self.job.check;
        let scalar = self.job.buffers[check.buffer].scalar;
        prepared.sample(1).await?;
        let mut bytes = Vec::new();
        let length = check.scalars * scalar.bytes() as u64;
        prepared.read(check.buffer, length, &mut |_, part| bytes.extend_from_slice(part)).await?;
        let mut got = vec![f64::NAN; check.scalars as usize];
        scalar.decode(&bytes[..length as usize], &mut got);
        let want = on_all_cores(&check.oracle, got.len());
        let bounds = self.bound.as_ref().map_or_else(|| vec![0.0; got.len()], |bound| on_all_cores(bound, got.len()));
        let all = (0..).zip(got).zip(want).zip(bounds).map(|(((index, got), want), bound)| {
            let error = (got - want).abs();
            // Both may be infinite, or the bound 0.
            let factor = if got == want { 0.0 } else { error / bound };
            Deviation { index, got, want, bound, factor, scalar }
        });
        // The total order has NaN above all numbers.
        Ok(all.max_by(|a, b| a.factor.abs().total_cmp(&b.factor.abs())))
    }
}

fn on_all_cores(oracle: &Oracle, count: usize) -> Vec<f64> {
    const PIECE: usize = 1 << 12;
    let mut values = vec![0.0; count];
    // The first call may make a table in parallel. Within the thread pool, it could wait for itself.
    oracle(0, &mut values[..count.min(1)]);
    let pieces = values.par_chunks_mut(PIECE).enumerate();
    pieces.for_each(|(piece, values)| oracle((piece * PIECE) as u64, values));
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::FAMILIES;

    #[test]
    fn gamma_is_highams_and_infinite_where_it_has_no_value() {
        let unit = f64::powi(0.5, 24);
        assert!((gamma(256.0, Scalar::F32) / (256.0 * unit) - 1.0).abs() < 1e-4);
        assert!(gamma(256.0, Scalar::F32) > 256.0 * unit);
        assert_eq!(gamma(2048.0, Scalar::F16), f64::INFINITY);
    }

    /// Without a device: expected values of truncated inputs exceed the bound, also those of libraries.
    #[test]
    fn factors_of_tf32_and_bf16_exceed_the_bound_of_every_product() {
        let matmul = FAMILIES.iter().copied().find(|family| family.name == "matmul").expect("matmul");
        let mut seen = 0;
        for benchmark in matmul.benchmarks {
            let (dtypes, extents, _) = benchmark.representative();
            let Some(launch) = Launch::new(&Case::new(matmul, benchmark, Shape::new(dtypes[0], extents[0], [].into())))
            else {
                continue;
            };
            let scalar = launch.job.buffers[launch.job.check.buffer].scalar;
            let kept = factor_bits(benchmark, dtypes[0]);
            let right_values = |bits| {
                let significands = Significands::Full(bits);
                let shape = Shape { significands, ..Shape::new(dtypes[0], launch.extent, [].into()) };
                let mut values = vec![0.0; 1 << 12];
                (benchmark.check.oracle)(&shape, &Interface::default())(0, &mut values);
                values
            };
            // In f16, the roundings of sums are as many and as large as those of 8-bit factors.
            let narrower = if scalar == Scalar::F16 { vec![4] } else { vec![8, 11] };
            assert!(scalar == Scalar::F16 || scalar.significant_bits() == 24, "{}", benchmark.name);
            let mut bounds = vec![0.0; 1 << 12];
            launch.bound.as_ref().expect("a bound")(0, &mut bounds);
            for bits in narrower.into_iter().filter(|bits| *bits < kept) {
                let factors = right_values(bits)
                    .into_iter()
                    .zip(right_values(kept))
                    .zip(&bounds)
                    .map(|((a, b), bound)| (a - b).abs() / bound);
                let worst = factors.fold(0.0, f64::max);
                assert!(worst >= 4.0, "{}: {worst} with {bits} bits", benchmark.name);
                seen += 1;
            }
        }
        assert!(seen >= 12, "{seen}");
    }
}
