//! Bundles of wrong results, and `replay`.

use crate::catalogue::benchmark;
use crate::command::{Folder, has_device};
use crate::device::{adapter, common_dtype, open};
use crate::mutations::{at_top, sizes};
use gpu::engine::{WrongResult, wrong_at, wrong_result};
use record::error::Result;
use record::suite::{Benchmark, Case, Shape};

/// A tiled transpose with one tile index off by one bit.
fn planted(folder: &Folder) {
    let (_, tiled) = benchmark("transpose/tiled");
    assert!(tiled.wgsl.contains("output["), "the kernel stores to output");
    folder.write("k/transpose/tiled.wgsl", tiled.wgsl.replacen("tile[", "tile[1u ^ ", 1));
}

#[test]
fn a_wrong_row_leaves_a_bundle_that_replays_to_the_same_element() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    planted(&folder);
    let run =
        ["run", "transpose/tiled", "--size", "100x257", "--param", "PAD=1", "--profile", "quick", "--shaders", "k"];
    let output = folder.run(&[&run[..], &["--out", "r.csv"]].concat()).exits_with(3);
    let line = output.stderr.lines().find(|line| line.contains("shaderbench bench replay ")).expect("a bundle");
    let bundle = line
        .split('`')
        .nth(1)
        .and_then(|command| command.strip_prefix("shaderbench bench replay "))
        .expect("a command");
    for file in ["bundle.json", "README.txt", "kernel.wgsl", "input.in.bin", "output.bin", "expected.bin"] {
        assert!(folder.path(bundle).join(file).exists(), "{file}\n{output}");
    }
    // The bundle has the smallest wrong size.
    assert!(!bundle.contains("100x257"), "{bundle}");
    let again = folder.run(&["bench", "replay", bundle]).exits_with(3);
    assert!(again.stdout.contains("\nthe first wrong element is the same as the bundle's"), "{again}");
    let readme = folder.text(&format!("{bundle}/README.txt"));
    let first = readme.lines().nth(2).expect("an element");
    assert!(again.stdout.contains(first), "{first}\n{again}");
    // With a repaired compiler, as the suite's own kernel imitates here, the result is correct.
    let (_, tiled) = benchmark("transpose/tiled");
    folder.write(&format!("{bundle}/transpose/tiled.wgsl"), tiled.wgsl);
    let right = folder.run(&["bench", "replay", bundle]).succeeds();
    assert!(right.stdout.contains(": correct on "), "{right}");
}

#[test]
fn a_store_outside_of_a_buffer_leaves_a_bundle_that_replays() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let kernel = "@group(0) @binding(0) var<storage, read> input: array<f32>;
        @group(0) @binding(1) var<storage, read_write> output: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        GUARD output[id.x] = input[id.x] * 2.0; }";
    folder.write("k.wgsl", kernel.replace("GUARD", ""));
    folder.write("k.toml", "sizes = [\"100\"]\nlimit = \"none\"\n[verify]\nexpect = \"2.0 * input[i]\"\n");
    let output = folder.run(&["bench", "k.toml", "--epochs", "1", "--out", "r.csv"]).exits_with(3);
    let bundle = "r-wrong/k-k-f32-1";
    assert!(output.stderr.contains(&format!("`shaderbench bench replay {bundle}` reproduces the fault")), "{output}");
    let readme = folder.text(&format!("{bundle}/README.txt"));
    assert!(readme.contains(": the kernel writes outside the buffer 'output', 0 bytes after its end."), "{readme}");
    let again = folder.run(&["bench", "replay", bundle]).exits_with(3);
    assert!(
        again
            .stdout
            .contains("\nthe out-of-bounds store is the same as the bundle's; all output elements are correct\n"),
        "{again}"
    );
    let guard = "if (id.x >= arrayLength(&output)) { return; }";
    folder.write(&format!("{bundle}/bench/k.wgsl"), kernel.replace("GUARD", guard));
    let right = folder.run(&["bench", "replay", bundle]).succeeds();
    assert!(right.stdout.contains(": correct on "), "{right}");
}

#[test]
fn what_is_no_bundle_is_one_sentence() {
    let folder = Folder::new();
    folder.run(&["bench", "replay", "none"]).fails_with(1, "cannot read 'none/bundle.json'");
    folder.write("b/bundle.json", "{}");
    folder.run(&["bench", "replay", "b"]).fails_with(2, "b/bundle.json: not a bundle: missing field");
    let good = r#"{"tool_version":"0","device":"d","driver":"d","backend":"vulkan","family":"FAMILY","benchmark":"tiled",
        "dtype":"f32","n":"SIZE","params":"","stream":0,"is_unchecked":false,"first":"","wrong_elements":1,"elements":1}"#;
    for (family, size, sentence) in [("transpoze", "64x64", "transpoze"), ("transpose", "64y64", "64y64")] {
        folder.write("b/bundle.json", good.replace("FAMILY", family).replace("SIZE", size));
        folder.run(&["bench", "replay", "b"]).fails_with(2, sentence);
    }
}

/// Faults that read unwritten workgroup memory, whose contents differ from launch to launch.
const UNWRITTEN: &[(&str, &str)] = &[
    ("scan/single_pass_subgroup", "lane == lanes - 1u || "),
    ("workgroup_memory/distinct_words", "words[j * WG + t] ="),
    ("workgroup_memory/same_word", "words[j * CLUMPS + clump] ="),
    ("workgroup_memory/occupancy", "i < sizes.elements"),
    ("workgroup_memory/occupancy", "pages[page + other]"),
];

/// A replayed fault has the same first wrong elements, unless it is a race.
fn replays(family: &str) {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    for (name, before, after) in at_top().into_iter().filter(|(name, ..)| name.split('/').next() == Some(family)) {
        let (family, own) = benchmark(name);
        let dtype = common_dtype(own, *own.cases.iter().flat_map(|cases| cases.dtypes).next_back().expect("a type"));
        let wgsl = own.wgsl.replace(before, after).leak();
        let mutated: &'static Benchmark = Box::leak(Box::new(Benchmark { wgsl, ..*own }));
        let params = own.representative().2.last().into_iter().flat_map(|params| params.iter());
        let params: std::collections::BTreeMap<_, _> =
            params.map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let mut found: Option<WrongResult> = None;
        for extent in sizes(name).iter().filter(|extent| extent.count().is_multiple_of(dtype.lanes())) {
            let mut case = Case::new(family, mutated, Shape::new(dtype, *extent, params.clone()));
            #[expect(unsafe_code, reason = "the suite's kernels run without checks, and so do their faults")]
            // SAFETY: a fault leaves a buffer by a few elements at most, which the guard zone behind it holds.
            unsafe {
                case.trust();
            }
            found = pollster::block_on(wrong_result(&mut backend, &case)).expect("the device lives");
            if found.is_some() {
                break;
            }
        }
        // A store outside of a buffer and a skipped case have no wrong element.
        let Some(found) = found else { continue };
        // As text: NaN differs from itself.
        let texts = |wrong: &WrongResult| wrong.elements.iter().map(ToString::to_string).collect::<Vec<_>>();
        let is_same = |_| {
            let again: Result<Option<WrongResult>> = pollster::block_on(wrong_at(&mut backend, &found.case));
            again.expect("it runs").is_some_and(|again| texts(&again) == texts(&found))
        };
        // Timing decides whether a tile reads another one's inclusive count or those of all tiles before it.
        let is_by_time = before == "(sum + own)";
        // Only the last workgroup's store counts.
        let is_by_time = is_by_time || before == "atomicAdd(&total, tile[0])";
        let is_by_luck = is_by_time
            || before.contains("Barrier")
            || after.contains("Barrier")
            || UNWRITTEN.contains(&(name, before));
        assert!((0..3).any(is_same) || is_by_luck, "{name}: '{before}' → '{after}'");
    }
}

mod planted_faults_replay {
    crate::device::each_family!(
        #[ignore = "takes minutes: scripts/test.sh --all"]
        replay_of
    );

    fn replay_of(family: &str) {
        super::replays(family);
    }
}

/// The others replay in `scripts/test.sh --all`.
#[test]
fn planted_faults_of_a_transpose_replay() {
    replays("transpose");
}
