//! The one-sweep radix sort with tiles that never publish their counts.

use std::collections::BTreeMap;

use crate::catalogue::benchmark;
use crate::device::{adapter, fault, open};
use gpu::backend::Backend;
use gpu::job::{Job, Kernel};
use record::suite::{Case, Dtype, Extent, Feature, Shape};

/// The text that is replaced, and its replacement.
type Edit = (&'static str, &'static str);

/// The fault of the kernel with these texts replaced.
fn fault_with(backend: &mut dyn Backend, text: fn(&mut Kernel) -> &mut String, edits: &[Edit]) -> Option<String> {
    let (family, benchmark) = benchmark("radix_sort/onesweep");
    let params: BTreeMap<String, f64> =
        [("PAIRS", 1.0), ("WG", 128.0), ("LOOKS", 0.0)].map(|(name, value)| (name.to_owned(), value)).into();
    // Eleven tiles; the last has one key.
    let case = Case::new(family, benchmark, Shape::new(Dtype::U32, Extent::Linear(20_481), params));
    let mut job = Job::new(&case).expect("valid");
    for (before, after) in edits {
        let text = text(&mut job.kernel);
        assert!(text.contains(before), "the kernel has no '{before}'");
        *text = text.replace(before, after);
    }
    // A lost device also counts as found: CUDA checks no index.
    fault(backend, &mut job).unwrap_or_else(|error| Some(error.to_string()))
}

#[test]
fn tiles_that_publish_nothing_are_counted_by_the_tiles_after_them() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    if !backend.device().features.contains(&Feature::Subgroups) {
        return;
    }
    let silent: [Edit; 2] = [
        ("atomicStore(&state[at + d], AGGREGATE | sum);", ""),
        ("atomicStore(&state[tiles + tile * DIGITS + d], INCLUSIVE | (sum + own));", ""),
    ];
    let source: fn(&mut Kernel) -> &mut String = |kernel| &mut kernel.source;
    assert_eq!(fault_with(&mut backend, source, &silent), None);
    // The first tile too, whose counts start with those of smaller digits.
    let first = ("atomicStore(&state[at + d], INCLUSIVE | (offsets[d] + sum));", "");
    assert_eq!(fault_with(&mut backend, source, &[silent[0], silent[1], first]), None);
    // Without inclusive counts, the look-back adds those of all earlier tiles, four at a time.
    assert_eq!(fault_with(&mut backend, source, &[silent[1]]), None);
    let skipped = ("stepped(end, z)", "stepped(end - 1u, z)");
    assert_ne!(fault_with(&mut backend, source, &[silent[1], skipped]), None);
    // The fallback's counts matter: only they make the result right.
    let wrong = ("AGGREGATE | atomicLoad(&late[d])", "AGGREGATE");
    assert_ne!(fault_with(&mut backend, source, &[silent[0], silent[1], wrong]), None);
}

#[cfg(feature = "cuda")]
#[test]
fn tiles_that_publish_nothing_are_counted_by_the_tiles_after_them_in_cuda() {
    let Some(mut backend) = crate::device::cuda() else { return };
    let silent: [Edit; 2] = [
        ("say(tiles + tile * DIGITS + d, AGGREGATE | sum);", ""),
        ("say(tiles + tile * DIGITS + d, INCLUSIVE | (sum + own));", ""),
    ];
    let source: fn(&mut Kernel) -> &mut String = |kernel| &mut kernel.cuda;
    assert_eq!(fault_with(&mut backend, source, &silent), None);
    let first = ("say(tiles + d, INCLUSIVE | (shared.offsets[d] + sum));", "");
    assert_eq!(fault_with(&mut backend, source, &[silent[0], silent[1], first]), None);
    let wrong = ("AGGREGATE | late[d]", "AGGREGATE");
    assert_ne!(fault_with(&mut backend, source, &[silent[0], silent[1], wrong]), None);
}
