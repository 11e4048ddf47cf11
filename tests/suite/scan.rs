//! The single-pass scans: rarely taken paths, stalled tiles, and workgroups that are no multiple of a subgroup.

use crate::catalogue::benchmark;
use crate::device::{adapter, fault, open};
use gpu::backend::Backend;
use gpu::engine::checks::output::verify;
use gpu::job::{Job, Kernel, Step};
use record::suite::{Case, Dtype, Extent, Feature, Shape};

/// The text that is replaced, and its replacement.
type Edit<'a> = (&'a str, &'a str);

/// The kernel in the language that a backend runs.
type Text = fn(&mut Kernel) -> &mut String;

/// A job of `n` elements, with these texts of its kernel replaced.
fn edited(name: &str, dtype: Dtype, n: u64, params: &[(&str, f64)], text: Text, edits: &[Edit]) -> Job {
    let (family, benchmark) = benchmark(name);
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let case = Case::new(family, benchmark, Shape::new(dtype, Extent::Linear(n), params));
    let mut job = Job::new(&case).expect("valid");
    for (before, after) in edits {
        let text = text(&mut job.kernel);
        assert!(text.contains(before), "{name}: the kernel has no '{before}'");
        *text = text.replace(before, after);
    }
    job
}

/// Rare paths on this device: every tile is late and added up from the input, or no predecessor has an inclusive sum.
#[test]
fn every_path_of_the_single_pass_scan_is_right() {
    let Some(adapter) = adapter() else { return };
    let silent = ("say(tile, INCLUSIVE, before + aggregate);", "");
    let late = [("added_up(end, t)", "added_up(end + 1u, t)"), ("sums[t] += sums[t + s]", "")];
    let partial = [("near.tiles + far.tiles", "near.tiles"), ("heard(end - 1u - t)", "heard(end - 1u)")];
    let mut backend = open(adapter);
    verify_single_pass(&mut backend, "scan/single_pass", |kernel| &mut kernel.source, silent, &late, &partial);
    if !backend.device().features.contains(&Feature::Subgroups) {
        return;
    }
    let late = [("added_up(end, t,", "added_up(end + 1u, t,"), ("sum += parts[s].x", "")];
    let partial = [("(lane < stop) | is_last", "lane < stop"), ("end - 1u - min(lane, end - 1u)", "end - 1u")];
    verify_single_pass(&mut backend, "scan/single_pass_subgroup", |kernel| &mut kernel.source, silent, &late, &partial);
}

#[cfg(feature = "cuda")]
#[test]
fn every_path_of_the_single_pass_scan_is_right_in_cuda() {
    let Some(mut backend) = crate::device::cuda() else { return };
    let silent = ("say(state, tile, INCLUSIVE, before + aggregate);", "");
    let late = [("added_up(input, sums, end,", "added_up(input, sums, end + 1u,"), ("sums[t] += sums[t + s]", "")];
    let partial = [("near.tiles + far.tiles", "near.tiles"), ("heard(state, end - 1u - t)", "heard(state, end - 1u)")];
    verify_single_pass(&mut backend, "scan/single_pass", |kernel| &mut kernel.cuda, silent, &late, &partial);
    let silent = ("say(said + tile, INCLUSIVE, before + aggregate);", "");
    let late =
        [("added_up(input, end - 1u,", "added_up(input, end,"), ("k = lane; k < 8u * WG", "k = lane; k < 7u * WG")];
    let partial = [("said + (end - 1u - lane)", "said + (end - 1u)"), (": end - tiles;", ": end - 1u;")];
    verify_single_pass(&mut backend, "scan/single_pass_subgroup", |kernel| &mut kernel.cuda, silent, &late, &partial);
}

/// Some devices start workgroups out of order: llvmpipe starts one per core, in the middle of the grid. Such a
/// workgroup sums all tiles before it, and llvmpipe's loops allow too few iterations if each tile takes many.
#[test]
fn scans_by_subgroups_are_right_if_workgroups_start_in_mid_grid() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    if !backend.device().features.contains(&Feature::Subgroups) {
        return;
    }
    let tile = "let tile = group.y * groups.x + group.x;";
    let middle = "let tile = (group.y * groups.x + group.x + sizes.tiles / 2u) % sizes.tiles;";
    assert_eq!(started_as(&mut backend, |kernel| &mut kernel.source, (tile, middle)), None);
}

#[cfg(feature = "cuda")]
#[test]
fn scans_by_subgroups_are_right_if_blocks_start_in_mid_grid_in_cuda() {
    let Some(mut backend) = crate::device::cuda() else { return };
    let tile = "const u32 tile = blockIdx.y * gridDim.x + blockIdx.x;";
    let middle = "const u32 tile = (blockIdx.y * gridDim.x + blockIdx.x + sizes.tiles / 2u) % sizes.tiles;";
    assert_eq!(started_as(&mut backend, |kernel| &mut kernel.cuda, (tile, middle)), None);
}

/// The fault of a scan of 2^24 elements with the tiles in another order.
fn started_as(backend: &mut dyn Backend, text: Text, order: Edit) -> Option<String> {
    let mut job = edited("scan/single_pass_subgroup", Dtype::F32, 1 << 24, &[], text, &[order]);
    fault(backend, &mut job).expect("it ends")
}

/// With `silent`, tiles publish no inclusive sums. `late` faults must be found if tiles are late, `partial` ones if
/// silent.
fn verify_single_pass(
    backend: &mut dyn Backend,
    name: &str,
    text: Text,
    silent: Edit,
    late: &[Edit],
    partial: &[Edit],
) {
    let mut fault_of = |dtype, n, looks: f64, edits: &[Edit]| {
        let mut job = edited(name, dtype, n, &[("LOOKS", looks)], text, edits);
        for step in &mut job.steps {
            // A folded grid with surplus workgroups, like those of large arrays.
            if let Step::Dispatch(own) = step {
                own.groups = [7, own.groups[0].div_ceil(7) + 1, 1];
            }
        }
        fault(backend, &mut job).expect("it runs")
    };
    for (dtype, n) in [(Dtype::F32, 4097), (Dtype::F32, 300_007), (Dtype::U32, 300_007)] {
        assert_eq!(fault_of(dtype, n, 0.0, &[]), None, "{n} {dtype:?}, every tile late");
        assert_eq!(fault_of(dtype, n, 64.0, &[silent]), None, "{n} {dtype:?}, no inclusive sums");
    }
    for planted in late {
        assert!(fault_of(Dtype::F32, 300_007, 0.0, &[*planted]).is_some(), "{planted:?} is not found");
    }
    for planted in partial {
        assert!(fault_of(Dtype::F32, 300_007, 64.0, &[silent, *planted]).is_some(), "{planted:?} is not found");
    }
}

/// A single-pass scan in WGSL, and its statement that publishes another tile's sum.
struct Scan {
    name: &'static str,
    publish: &'static str,
    /// Elements of a tile per invocation.
    elements: u32,
}

fn scans(backend: &dyn Backend) -> Vec<Scan> {
    let mut scans = vec![Scan { name: "scan/single_pass", publish: "say_for(end, sum);", elements: 16 }];
    if backend.device().features.contains(&Feature::Subgroups) {
        scans.push(Scan { name: "scan/single_pass_subgroup", publish: "say_for(end, sum);", elements: 32 });
    }
    scans
}

const IN_WGSL: Text = |kernel| &mut kernel.source;
const NO_INCLUSIVE: Edit = ("say(tile, INCLUSIVE, before + aggregate);", "");

/// Every second tile publishes nothing before its inclusive sum.
const STALLED: Edit = ("if (t == 0u) {\n        say(tile,", "if (t == 0u && tile % 2u == 0u) {\n        say(tile,");

/// Every second tile waits until another workgroup publishes for it, so that both publish at the same time.
const LATE: Edit = (
    "if (t == 0u) {\n        say(tile,",
    "if (t == 0u) {
        for (var k = 0u; k < 4096u && tile % 2u == 1u && atomicLoad(&state[2u * tile + 2u]) == 0u; k++) {}
        say(tile,",
);

#[test]
fn single_pass_scans_are_right_where_every_second_tile_stalls() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    for Scan { name, .. } in scans(&backend) {
        let mut fault_of = |dtype, looks, edits: &[Edit]| {
            let params = [("WG", 32.0), ("LOOKS", looks)];
            fault(&mut backend, &mut edited(name, dtype, 300_007, &params, IN_WGSL, edits)).expect("it ends")
        };
        for edits in [&[STALLED][..], &[STALLED, NO_INCLUSIVE], &[LATE], &[LATE, NO_INCLUSIVE]] {
            for (dtype, looks) in [(Dtype::F32, 1.0), (Dtype::U32, 16.0)] {
                assert_eq!(fault_of(dtype, looks, edits), None, "{name} {dtype:?}, {looks} looks, {edits:?}");
            }
        }
        let wrong_half = ("(ADDED << 16u) | (bits >> 16u)", "(ADDED << 16u) | (bits >> 15u)");
        assert!(fault_of(Dtype::F32, 16.0, &[STALLED, NO_INCLUSIVE, wrong_half]).is_some(), "{name}");
    }
}

#[cfg(feature = "cuda")]
#[test]
fn cuda_twins_of_scans_are_right_where_every_second_tile_stalls() {
    let mut backend = crate::device::cuda();
    for (name, own, stalled, inclusive) in [
        (
            "scan/single_pass",
            "if (t == 0u) {\n        say(state, tile, tile",
            "if (t == 0u && tile % 2u == 0u) {\n        say(state, tile, tile",
            "say(state, tile, INCLUSIVE, before + aggregate);",
        ),
        (
            "scan/single_pass_subgroup",
            "if (lane == 0u) {\n            say(said + tile, tile",
            "if (lane == 0u && tile % 2u == 0u) {\n            say(said + tile, tile",
            "say(said + tile, INCLUSIVE, before + aggregate);",
        ),
    ] {
        for edits in [&[(own, stalled)][..], &[(own, stalled), (inclusive, "")]] {
            for (dtype, looks) in [(Dtype::F32, 1.0), (Dtype::U32, 16.0)] {
                let params = [("WG", 32.0), ("LOOKS", looks)];
                let mut job = edited(name, dtype, 300_007, &params, |kernel| &mut kernel.cuda, edits);
                let Some(backend) = &mut backend else { continue };
                let fault = fault(backend, &mut job).expect("it ends");
                assert_eq!(fault, None, "{name} {dtype:?}, {looks} looks, {edits:?}");
            }
        }
    }
}

#[test]
fn workgroups_do_not_repeat_the_sum_of_a_stalled_tile() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    for Scan { name, publish, elements } in scans(&backend) {
        let mut sums_of = |publish_and_count: &str| {
            let edits = [STALLED, NO_INCLUSIVE, (publish, publish_and_count)];
            let params = [("WG", 32.0), ("LOOKS", 4.0)];
            let job = edited(name, Dtype::F32, 300_007, &params, IN_WGSL, &edits);
            pollster::block_on(second_word(&mut backend, &job))
        };
        let tiles = 300_007_u32.div_ceil(elements * 32);
        // Concurrent workgroups may add up the same tile.
        let few = tiles * tiles / 16;
        let count = "atomicAdd(&state[1], 1u);";
        let published = sums_of(&format!("{count} {publish}"));
        // The last tile has no successor to add it up.
        assert!(((tiles - 1) / 2..few).contains(&published), "{name}: {published} sums of {tiles} tiles");
        let unpublished = sums_of(count);
        assert!(unpublished > few, "{name}: {unpublished} sums of {tiles} tiles");
    }
}

/// After one launch with a right result, the second word of the buffer `state`, which the kernels leave at 0.
async fn second_word(backend: &mut dyn Backend, job: &Job) -> u32 {
    let mut prepared = backend.prepare(job).await.expect("prepared");
    prepared.sample(1).await.expect("it runs");
    assert_eq!(verify(prepared.as_mut(), job, 7).await.expect("it runs"), None);
    let state = job.buffers.iter().position(|buffer| buffer.name == "state").expect("declared");
    let mut bytes = Vec::new();
    prepared.read(state, 16, &mut |_, part| bytes.extend_from_slice(part)).await.expect("read");
    u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes"))
}

#[test]
fn workgroups_that_are_no_multiple_of_a_subgroup_are_right() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    if !backend.device().features.contains(&Feature::Subgroups) {
        return;
    }
    let lanes = backend.device().subgroup.map_or(0, |size| size.least);
    let mut fault_of = |wg: u32, looks, edits: &[Edit]| {
        let params = [("WG", f64::from(wg)), ("LOOKS", looks)];
        let name = "scan/single_pass_subgroup";
        fault(&mut backend, &mut edited(name, Dtype::F32, 70_001, &params, IN_WGSL, edits))
            .unwrap_or_else(|error| panic!("WG={wg}, {looks} looks, {edits:?}: {error}"))
    };
    for (wg, looks) in [4, 12, 32, 100, 200].into_iter().flat_map(|wg| [(wg, 0.0), (wg, 64.0)]) {
        for edits in [&[][..], &[NO_INCLUSIVE]] {
            assert_eq!(fault_of(wg, looks, edits), None, "WG={wg}, {looks} looks, {edits:?}");
        }
    }
    if (8..=64).contains(&lanes) {
        // If more lanes than exist count as full, the look-back passes more tiles than are left.
        let bounded = ("end - stop", "end - min(end, stop)");
        for (wg, planted) in [(100, (" || t == WG - 1u", "")), (4, ("min(full, WG)", "full"))] {
            assert!(fault_of(wg, 64.0, &[NO_INCLUSIVE, bounded, planted]).is_some(), "{planted:?} is not found");
        }
    }
}
