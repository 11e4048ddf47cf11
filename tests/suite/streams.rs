//! Inputs and answers change with the shape's random stream.

use crate::catalogue::{benchmark, benchmarks};
use crate::device::common_dtype;
use gpu::job::{Contents, Job, JobBuffer, Language};
use record::suite::input::Values;
use record::suite::{Benchmark, Case, CsrArray, Dtype, Extent, Family, Pattern, Shape};

/// Benchmarks whose answer is the same in every stream, and why.
const FIXED_ANSWERS: &[(&str, &str)] = &[
    ("ceiling/fill", "writes numbers of its own"),
    ("ceiling/launch", "stores one constant"),
    ("memory_spaces/table_const", "reads a table in the program"),
    ("safety_tax/workgroup_fill", "writes numbers of its own"),
    ("transfer/clear_buffer", "writes zeros"),
];

/// The benchmark's first representative case, at a size that the host computes quickly.
fn job(family: &'static Family, benchmark: &'static Benchmark, stream: u64) -> (Case, Job) {
    let (dtypes, extents, sets) = benchmark.representative();
    let params = sets[0].iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let extent = match extents[0] {
        Extent::Linear(n) => Extent::Linear(n.min(1 << 12)),
        Extent::Matrix(_, points) if family.name == "fft" => Extent::Matrix(3, points),
        Extent::Matrix(rows, columns) => Extent::Matrix(rows.min(48), columns.min(80)),
        Extent::Product(m, n, k) => Extent::Product(m.min(32), n.min(48), k.min(32)),
    };
    let dtype = common_dtype(benchmark, dtypes[0]);
    let case = Case::new(family, benchmark, Shape { stream, ..Shape::new(dtype, extent, params) });
    let job = Job::new(&case).expect("valid");
    (case, job)
}

/// The random values of a buffer or texture; `None` for all others.
fn drawn(buffer: &JobBuffer) -> Option<Values> {
    match contents_of(buffer) {
        Contents::Input(values) => Some(*values),
        _ => None,
    }
}

fn contents_of(buffer: &JobBuffer) -> &Contents {
    match &buffer.contents {
        Contents::OnHost(contents) | Contents::OnPeer(_, contents) | Contents::Of(_, contents) => contents,
        contents => buffer.texture().map_or(contents, |texture| &texture.texels),
    }
}

fn contents(buffer: &JobBuffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.bytes.min(1 << 16) as usize];
    buffer.fill(0, &mut bytes);
    bytes
}

#[test]
fn another_stream_changes_every_input_and_the_answers_that_need_one() {
    let mut inputs = 0;
    for (name, family, benchmark) in benchmarks() {
        let [(_, first), (_, second)] = [0, 1].map(|stream| job(family, benchmark, stream));
        for (a, b) in first.buffers.iter().zip(&second.buffers) {
            // Rows of a band have one length; the starts of a pointer chase, and an addend, are plain words.
            let is_input = match contents_of(a) {
                Contents::Input(_) | Contents::Cycle(_) => true,
                Contents::Csr(csr, array) => *array == CsrArray::Columns || csr.pattern != Pattern::Banded,
                _ => a.name == "starts" || family.name == "roofline" && a.name == "sizes",
            };
            inputs += usize::from(is_input);
            assert_eq!(contents(a) != contents(b), is_input, "{name}: {}", a.name);
            assert!(!is_input || !a.is_same_input(b), "{name}: {} would be reused", a.name);
        }
        let answer = |job: &Job| {
            let mut values = vec![0.0; job.check.scalars.min(1 << 12) as usize];
            (job.check.oracle)(0, &mut values);
            values
        };
        let is_fixed = FIXED_ANSWERS.iter().any(|(fixed, _)| *fixed == name);
        assert_eq!(answer(&first) == answer(&second), is_fixed, "{name}");
    }
    assert!(inputs > 50, "{inputs} inputs");
    for (name, _) in FIXED_ANSWERS {
        benchmark(name);
    }
}

/// Rows of different epochs belong to one case.
#[test]
fn the_stream_is_no_part_of_a_case() {
    for (name, family, benchmark) in benchmarks() {
        let [(case, first), (other, second)] = [0, 1].map(|stream| job(family, benchmark, stream));
        assert_ne!(case.shape.stream, other.shape.stream, "{name}");
        assert_eq!((&case.shape, case.to_string()), (&other.shape, other.to_string()), "{name}");
        assert_eq!(case.params_text(), other.params_text(), "{name}");
        assert_eq!((first.label, first.steps), (second.label, second.steps), "{name}");
        for language in [Language::Wgsl, Language::Cuda] {
            assert_eq!(first.kernel.hash(language), second.kernel.hash(language), "{name}");
        }
    }
}

/// The article's input is 0.5 everywhere.
#[test]
fn a_constant_input_is_the_same_in_every_stream() {
    let (family, benchmark) = benchmark("reduction/interleaved_global");
    let bytes = [0, 1].map(|stream| {
        let shape = Shape::new(Dtype::F32, Extent::Linear(1 << 12), [("INPUT".to_owned(), 0.5)].into());
        let job = Job::new(&Case::new(family, benchmark, Shape { stream, ..shape })).expect("valid");
        job.buffers.iter().find(|buffer| drawn(buffer).is_some()).map(contents)
    });
    assert_eq!(bytes[0], bytes[1]);
    assert!(bytes[0].as_ref().is_some_and(|bytes| bytes.starts_with(&0.5_f32.to_le_bytes())));
}
