//! Kernels that cheat, planted by `--shaders` on a real device: each is `wrong`, and the honest one is `ok`.

use crate::command::{Folder, has_device};
use gpu::engine::stream_of;
use record::suite::input::Values;
use record::suite::{Dtype, Scalar};
use record::{Record, Status};

/// `matmul/naive` with the store `STORE`: `at` is the element's index, and `right` computes the element.
const PRODUCT: &str = "
alias T = f32;
struct Sizes { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read_write> c: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
fn right(id: vec3<u32>) -> T {
    var sum = T();
    for (var p = 0u; p < sizes.k; p++) { sum += a[id.y * sizes.k + p] * b[p * sizes.n + id.x]; }
    return sum;
}
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= sizes.n || id.y >= sizes.m) { return; }
    let at = id.y * sizes.n + id.x;
    let is_poison = bitcast<u32>(c[at]) == 0xffc0feadu;
    STORE
}
";

fn row(benchmark: &str, size: &str, wgsl: &str) -> Option<Record> {
    // On a busy machine, the default time may suffice for the ceilings only.
    Some(rows(benchmark, &["--size", size, "--time", "10m"], wgsl)?.swap_remove(0))
}

/// The rows of `benchmark` with its kernel replaced, except skipped ones; `None` without a device.
fn rows(benchmark: &str, arguments: &[&str], wgsl: &str) -> Option<Vec<Record>> {
    if !has_device() {
        return None;
    }
    let folder = Folder::new();
    folder.write(&format!("{benchmark}.wgsl"), wgsl);
    let common = ["run", benchmark, "--shaders", ".", "--profile", "quick", "--epochs", "1", "--out", "r.csv"];
    let output = folder.run(&[&common, arguments].concat());
    let mut records = folder.records("r.csv");
    records.retain(|row| row.name() == benchmark && row.status != Status::Skipped);
    assert!(!records.is_empty(), "no row: {output}");
    Some(records)
}

fn planted(benchmark: &str, before: &str, after: &str) -> String {
    let wgsl = std::fs::read_to_string(format!("shaders/{benchmark}.wgsl")).expect("readable");
    assert!(wgsl.contains(before), "{benchmark} has no '{before}'");
    wgsl.replace(before, after)
}

/// Asserts that the default sizes find a fault in one type: rows are wrong, for a reason from `start` to `end`.
#[track_caller]
fn assert_default_sizes_find(benchmark: &str, dtype: Dtype, arguments: &[&str], wgsl: &str, [start, end]: [&str; 2]) {
    let Some(rows) = rows(benchmark, arguments, wgsl) else { return };
    let rows: Vec<&Record> = rows.iter().filter(|row| row.dtype == Some(dtype)).collect();
    if rows.is_empty() {
        eprintln!("SKIPPED: the device has no {}", dtype.name());
    }
    for row in rows {
        if row.status == Status::Skipped && row.reason.contains("one launch would take") {
            eprintln!("SKIPPED: {benchmark} takes too long on this machine");
            continue;
        }
        assert_eq!(row.status, Status::Wrong, "{row:?}");
        assert!(row.reason.starts_with(start) && row.reason.ends_with(end), "{}", row.reason);
    }
}

fn product(store: &str) -> Option<Record> {
    product_of("192x160x256", store)
}

fn product_of(size: &str, store: &str) -> Option<Record> {
    row("matmul/naive", size, &PRODUCT.replace("STORE", store))
}

#[test]
fn the_honest_kernel_is_right() {
    let Some(row) = product("c[at] = right(id);") else { return };
    assert!(row.status == Status::Ok && row.median_ns.is_some(), "{row:?}");
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn a_kernel_that_remembers_its_result_is_wrong() {
    // Skipping this much work saves far more time than other programs on a busy machine take.
    let Some(row) = product_of("192x160x4096", "if (is_poison) { c[at] = right(id); }") else { return };
    assert_eq!(row.status, Status::Wrong, "{row:?}");
    assert!(row.reason.starts_with("a launch into a poisoned output takes"), "{}", row.reason);
}

#[test]
fn a_kernel_that_is_wrong_in_its_first_launch_is_wrong() {
    // Verification at another shape would find it first; this size has no other shape.
    let wgsl = PRODUCT.replace("STORE", "c[at] = select(right(id), 7.0, is_poison);");
    let Some(row) = row("matmul/naive", "128x96x64", &wgsl) else { return };
    assert_eq!(row.status, Status::Wrong);
    assert!(row.reason.starts_with("element 0 is 7, must be"), "{}", row.reason);
    assert!(row.reason.ends_with("after a single launch"), "{}", row.reason);
}

#[test]
fn a_kernel_that_adds_to_the_old_contents_of_its_output_is_wrong() {
    let Some(row) = product("c[at] = select(c[at], 0.0, is_poison) + right(id);") else { return };
    assert_eq!(row.status, Status::Wrong);
    assert!(row.reason.starts_with("element 0 is"), "{}", row.reason);
}

#[test]
fn a_kernel_that_is_right_only_for_squares_is_wrong_at_a_square_too() {
    let wgsl = planted("transpose/naive_coalesced_read", "sizes.rows", "sizes.columns");
    let Some(row) = row("transpose/naive_coalesced_read", "256x256", &wgsl) else { return };
    assert_eq!(row.status, Status::Wrong, "{row:?}");
    assert!(row.reason.ends_with("at size 101x256"), "{}", row.reason);
}

#[test]
fn a_fault_at_sizes_beside_the_workgroup_is_found_at_default_sizes() {
    let rounded = "i < (sizes.n & 0xffffff00u)";
    let wgsl = planted("sum_of_cubes/many_blocks_host_sum", "i < sizes.n", rounded);
    let reason = ["element ", " at size 32769"];
    assert_default_sizes_find("sum_of_cubes/many_blocks_host_sum", Dtype::U32, &[], &wgsl, reason);
    let benchmark = "transpose/naive_coalesced_read";
    let wgsl = planted(benchmark, "id.x < sizes.columns", "id.x < (sizes.columns & 0xffffffe0u)");
    assert_default_sizes_find(benchmark, Dtype::F64, &["--time", "30s"], &wgsl, ["element ", " at size 101x257"]);
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn a_fault_that_squares_hide_is_found_in_f64_at_default_sizes() {
    let wgsl = planted("transpose/naive_coalesced_read", "sizes.rows", "sizes.columns");
    let (benchmark, time) = ("transpose/naive_coalesced_read", ["--time", "30s"]);
    assert_default_sizes_find(benchmark, Dtype::F64, &time, &wgsl, ["an element is written outside", "101x257"]);
}

#[test]
fn a_missing_bounds_check_is_found_with_and_without_checks() {
    for unchecked in [&[][..], &["--unchecked"]] {
        let arguments = [&["--time", "30s"], unchecked].concat();
        for (benchmark, check, dtype, end) in [
            (
                "transpose/naive_coalesced_read",
                "id.x < sizes.columns && id.y < sizes.rows",
                Dtype::F64,
                "bytes after its end at size 101x257",
            ),
            ("barrier/exchange", "i < sizes.n", Dtype::U32, "bytes after its end at size 1025"),
        ] {
            let wgsl = planted(benchmark, check, "true");
            let start = "the kernel writes outside the buffer '";
            assert_default_sizes_find(benchmark, dtype, &arguments, &wgsl, [start, end]);
        }
    }
}

/// A right copy with one more store, `bytes` behind the end of the output.
fn copy_that_stores_behind_the_end(bytes: u32) -> String {
    let store = format!("c[i] = a[i];\n        if (i == 0u) {{ c[sizes.elements + {bytes}u / 16u] = a[i]; }}");
    planted("stream/copy", "c[i] = a[i];", &store)
}

#[test]
fn a_store_behind_a_buffer_is_wrong_at_any_size() {
    for (bytes, arguments) in [(0, &[][..]), (48, &[]), (4096, &["--unchecked"])] {
        let wgsl = copy_that_stores_behind_the_end(bytes);
        // One element (size 4) is too few for another shape, so the measured launch itself is checked.
        for size in ["4", "65536"] {
            let Some(rows) = rows("stream/copy", &[arguments, &["--size", size]].concat(), &wgsl) else { return };
            let row = rows.iter().find(|row| row.dtype == Some(Dtype::Vec4F32)).expect("a row");
            assert_eq!(row.status, Status::Wrong, "{row:?}");
            // A byte of the stored element that equals the guard's shows no change.
            let is_there = |byte| {
                row.reason.starts_with(&format!("the kernel writes outside the buffer 'c', {byte} bytes after its end"))
            };
            assert!((bytes..bytes + 16).any(is_there), "{}", row.reason);
        }
    }
}

#[test]
fn a_kernel_that_reads_the_lengths_of_its_buffers_is_right() {
    let wgsl = planted("stream/copy", "i < sizes.elements", "i < arrayLength(&c)");
    let Some(row) = row("stream/copy", "65536", &wgsl) else { return };
    assert!(matches!(row.status, Status::Ok | Status::Implausible), "{row:?}");
}

fn closed_form() -> String {
    let grown = |chain: &str| format!("x.{chain} + T(f32(32u * ROUNDS)) * max(m, T())");
    let chains = ["a", "b", "c", "d", "e", "f", "g", "h"].map(grown).join(", ");
    let wgsl = planted("ceiling/fma", "x = sixteen(sixteen(x, m), m);", &format!("x = Chains({chains});"));
    wgsl.replace("k < ROUNDS; k++", "k < 1u; k++")
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn a_closed_form_in_place_of_multiply_adds_is_no_ceiling() {
    let Some(rows) = rows("ceiling/fma", &["--time", "10m"], &closed_form()) else { return };
    let mut kinds = 0;
    for row in rows {
        // Where the device's units are known, the rate may already exceed their peak.
        let is_impossible = row.status == Status::Implausible && row.reason.contains("no kernel can be that fast");
        let is_found = row.status == Status::Wrong && row.reason.ends_with("half of them: the kernel skips work");
        assert!(is_impossible || is_found, "{row:?}");
        kinds += 1;
    }
    assert!(kinds >= 2, "{kinds} types");
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn the_suites_own_chain_is_no_closed_form_when_it_is_foreign() {
    // The comment makes the kernel foreign.
    let wgsl = format!("{}// Another kernel.\n", planted("ceiling/fma", "ROUNDS", "ROUNDS"));
    let Some(rows) = rows("ceiling/fma", &["--time", "10m"], &wgsl) else { return };
    assert!(rows.iter().all(|row| row.status == Status::Ok), "{rows:?}");
}

/// Name, status and reason of each kernel's row. The first kernel is honest, and the reference of the others.
fn bench(declaration: &str, kernels: &[(&str, String)], arguments: &[&str]) -> Vec<(String, Status, String)> {
    let folder = Folder::new();
    for (name, text) in kernels {
        folder.write(&format!("{name}.wgsl"), text);
    }
    let names: Vec<String> = kernels.iter().map(|(name, _)| format!("{name}.wgsl")).collect();
    folder.write("k.toml", format!("kernels = {names:?}\nlimit = \"none\"\n{declaration}"));
    let common = ["bench", "k.toml", "--profile", "quick", "--time", "5m", "--out", "r.csv"];
    let output = folder.run(&[&common, arguments].concat());
    let rows = folder.records("r.csv").into_iter().filter(|row| row.family == "k");
    let rows: Vec<_> = rows.map(|row| (row.benchmark, row.status, row.reason)).collect();
    assert_eq!(rows.len(), kernels.len(), "{output}");
    rows
}

/// The checks' reasons for a kernel that skips work.
const REASONS: [&str; 4] = ["the kernel skips work", "poisoned", "the kernel keeps old results", "must be"];

/// Asserts: the first kernel is the reference, the second `ok`, each other wrong for its reason (empty: one of
/// [`REASONS`]).
#[track_caller]
fn assert_cheats(declaration: &str, template: &str, kernels: &[(&str, &str, &str)], arguments: &[&str]) {
    let texts: Vec<_> = kernels.iter().map(|(name, body, _)| (*name, template.replace("BODY", body))).collect();
    let rows = bench(declaration, &texts, arguments);
    for (number, ((name, _, why), (_, status, reason))) in kernels.iter().zip(&rows).enumerate() {
        let wanted = [Status::Unverified, Status::Ok].get(number).copied().unwrap_or(Status::Wrong);
        let is_told = number < 2 || REASONS.iter().any(|known| reason.contains(known));
        assert!(*status == wanted && reason.contains(why) && is_told, "{name}: {status:?} {reason}");
    }
}

const BINDINGS: &str = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
const POISON = 0xffc0feadu;
";

/// A kernel of many values with much work each, so that its time shows on a busy machine. `aux` is a second output, and
/// `output` has room behind the n values that are compared.
const MAP: &str = "
@group(0) @binding(2) var<storage, read_write> aux: array<u32>;
fn work(i: u32) -> u32 {
    var x = input[i];
    for (var k = 0u; k < 20000u; k++) { x = x * 1664525u + 1013904223u; x = x ^ (x >> 13u); }
    return x;
}
fn count(word: u32) -> u32 { return select(word, 0u, word > 9999u); }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let n = arrayLength(&input);
    if (i >= n) { return; }
    BODY
}
";

const OF_MAP: &str = "dtype = \"u32\"\nsizes = [\"2^10\"]\n[buffers]\noutput = { length = \"2 * n\" }\n[verify]\n\
                      buffer = \"output\"\nlength = 1024\nreference = \"honest.wgsl\"\n";

#[test]
fn kernels_that_leave_out_work_are_wrong_wherever_they_note_it() {
    if !has_device() {
        return;
    }
    let by_time = "the kernel skips work";
    let kernels = [
        ("honest", "output[i] = work(i); aux[i] = 0u;", ""),
        ("control", "let x = work(i); output[i] = x; aux[i] = x;", ""),
        // These skip work by the output itself, by its neighbour, and in the epochs of some inputs only. A busy machine
        // may hide their times; then they keep the results of other inputs.
        ("itself", "if (output[i] == POISON) { output[i] = work(i); aux[i] = 0u; }", ""),
        ("neighbour", "if (output[i] == POISON && output[i ^ 1u] == POISON) { output[i] = work(i); }", ""),
        ("epoch", "if (input[0] % 64u != 5u && output[i] != POISON) { return; } output[i] = work(i); aux[i] = 0u;", ""),
        // By a count of launches, in another output or behind the compared values, and from a later launch on.
        ("aside", "let seen = count(aux[i]); if (seen >= 2u) { return; } output[i] = work(i); aux[i] = seen + 1u;", ""),
        (
            "behind",
            "let seen = count(output[n + i]); if (seen >= 2u) { return; } output[i] = work(i); output[n + i] = seen + 1u;",
            "",
        ),
        (
            "patient",
            "let seen = count(aux[i]); if (seen >= 4u && output[i] != POISON) { return; } output[i] = work(i); \
             aux[i] = seen + 1u;",
            "",
        ),
        // In seven of eight launches, and half of the values in each launch.
        (
            "eighth",
            "let seen = count(aux[i]); aux[i] = seen + 1u; if (seen % 8u == 0u || output[i] == POISON) { output[i] = work(i); }",
            "",
        ),
        (
            "half",
            "let seen = count(aux[i]); aux[i] = seen + 1u; if (seen == 0u || (i + seen) % 2u == 0u) { output[i] = work(i); }",
            "",
        ),
        ("few", "if (aux[i] == 7u && i % 16u != 0u) { return; } output[i] = work(i); aux[i] = 7u;", ""),
        // By the input of the stored result, also with a look at the output, or with a copy to restore it from.
        ("input", "if (aux[i] != ~input[i]) { output[i] = work(i); aux[i] = ~input[i]; }", ""),
        (
            "both",
            "if (aux[i] != ~input[i] || output[i] == POISON) { output[i] = work(i); aux[i] = ~input[i]; }",
            by_time,
        ),
        (
            "copy",
            "if (aux[i] != ~input[i]) { output[n + i] = work(i); aux[i] = ~input[i]; } output[i] = output[n + i];",
            by_time,
        ),
        ("blind", "if (aux[i] != 7u) { output[n + i] = work(i); aux[i] = 7u; } output[i] = output[n + i];", ""),
    ];
    assert_cheats(OF_MAP, &format!("{BINDINGS}{MAP}"), &kernels, &["--epochs", "2"]);
}

#[test]
fn kernels_of_little_work_that_leave_it_out_are_wrong() {
    if !has_device() {
        return;
    }
    // The time of a single launch shows nothing.
    let template = format!("{BINDINGS}{}", MAP.replace("20000u", "200u"));
    let kernels = [
        ("honest", "output[i] = work(i); aux[i] = 0u;", ""),
        ("control", "output[i] = work(i);", ""),
        (
            "late",
            "if (count(aux[i]) >= 3u) { return; } output[i] = work(i); aux[i] = count(aux[i]) + 1u;",
            "only the verified outputs were poisoned",
        ),
        ("itself", "if (output[i] == POISON) { output[i] = work(i); }", "other inputs"),
        (
            "neighbour",
            "if (output[i] == POISON && output[i ^ 1u] == POISON) { output[i] = work(i); }",
            "only a few output elements poisoned",
        ),
        (
            "copy",
            "if (aux[i] != 7u) { output[n + i] = work(i); aux[i] = 7u; } output[i] = output[n + i];",
            "other inputs",
        ),
        (
            "first",
            "if (output[n] == 7u && output[i] != POISON) { return; } output[i] = work(i); if (i == 0u) { output[n] = 7u; }",
            "other inputs",
        ),
    ];
    assert_cheats(OF_MAP, &template, &kernels, &["--epochs", "1"]);
}

#[test]
fn kernels_that_count_in_the_bits_that_a_tolerance_forgives_are_wrong() {
    if !has_device() {
        return;
    }
    let template = "
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
fn work(i: u32) -> f32 { return sqrt(2.0 + input[i]); }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&input)) { return; }
    let bits = bitcast<u32>(output[i]);
    let is_poison = bits == 0xffc0feadu;
    BODY
}
";
    let counted = |last: u32| {
        format!(
            "let seen = select(bits & 7u, 0u, is_poison); if (seen >= {last}u) {{ return; }} \
             output[i] = bitcast<f32>((bitcast<u32>(work(i)) & 0xfffffff8u) | (seen + 1u));"
        )
    };
    let (two, six) = (counted(2), counted(6));
    let kernels = [
        ("honest", "output[i] = work(i);", ""),
        ("control", "output[i] = work(i) * 1.000001;", ""),
        ("two", &two, "other inputs"),
        ("six", &six, "other inputs"),
        (
            "flag",
            "if ((bits & 1u) == 1u && !is_poison) { return; } output[i] = bitcast<f32>(bitcast<u32>(work(i)) | 1u);",
            "other inputs",
        ),
    ];
    let declaration = "sizes = [\"2^10\"]\n[verify]\nreference = \"honest.wgsl\"\nrelative = 1e-3\n";
    assert_cheats(declaration, template, &kernels, &["--epochs", "1"]);
}

/// A kernel of one value. Each variant declares `output`.
const SUM: &str = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
var<workgroup> tile: array<u32, 256>;
fn sum(t: u32) -> u32 {
    var s = 0u;
    for (var i = t; i < arrayLength(&input); i += 256u) { s += input[i]; }
    tile[t] = s;
    workgroupBarrier();
    for (var k = 128u; k > 0u; k /= 2u) {
        if (t < k) { tile[t] += tile[t + k]; }
        workgroupBarrier();
    }
    return tile[0];
}
BODY
";

#[test]
fn kernels_that_count_beside_a_single_value_are_wrong() {
    if !has_device() {
        return;
    }
    let main = |kind: &str, body: &str| {
        format!(
            "@group(0) @binding(1) var<storage, read_write> output: array<{kind}>;\n\
             @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) t: u32) {{ {body} }}"
        )
    };
    let counter = |lane: &str, last: u32| {
        main(
            "vec4<u32>",
            &format!(
                "let seen = select(output[0].{lane}, 0u, output[0].{lane} == 0xffc0feadu); if (seen >= {last}u) {{ return; }} \
                 let s = sum(t); if (t == 0u) {{ output[0].x = s; output[0].{lane} = seen + 1u; }}"
            ),
        )
    };
    let honest = main("u32", "let s = sum(t); if (t == 0u) { output[0] = s; }");
    let wide = main("vec4<u32>", "let s = sum(t); if (t == 0u) { output[0] = vec4(s, 1u, 2u, 3u); }");
    let remembers =
        main("u32", "if (output[0] != 0xffc0feadu) { return; } let s = sum(t); if (t == 0u) { output[0] = s; }");
    let kernels = [
        ("honest", &*honest, ""),
        ("control", &wide, ""),
        ("remembers", &remembers, ""),
        // The launch with only the output poisoned finds these; on a fast machine, their times may show them first.
        ("y", &counter("y", 4), ""),
        ("w", &counter("w", 2), ""),
    ];
    let declaration = "dtype = \"u32\"\nsizes = [\"2^18\"]\ngroups = 1\n[buffers]\noutput = { length = 1 }\n[verify]\n\
                       reference = \"honest.wgsl\"\n";
    assert_cheats(declaration, SUM, &kernels, &["--epochs", "1"]);
}

#[test]
fn inputs_follow_from_the_seed_that_the_report_has() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let main = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>)";
    folder.write("k.wgsl", format!("{BINDINGS}{main} {{ output[id.x] = input[id.x]; }}"));
    let verify = "[verify]\nexpect = \"input[i] + 1\"\nwrap = true\n";
    folder.write("k.toml", format!("dtype = \"u32\"\nsizes = [64]\nlimit = \"none\"\n{verify}"));
    let run = |seed: &[&str]| {
        let common = ["bench", "k.toml", "--profile", "quick", "--epochs", "1", "--out", "r.csv", "--force"];
        folder.run(&[&common, seed].concat()).exits_with(3);
        let seed = folder.records("r.csv").iter().find_map(|row| row.seed).expect("a seed");
        // The bundle has the smallest size, which is wrong too and has the same first inputs.
        let bundle =
            std::fs::read_dir(folder.path("r-wrong")).expect("bundles").next().expect("one").expect("readable");
        (seed, std::fs::read(bundle.path().join("input.in.bin")).expect("the input"))
    };
    let (seed, drawn) = run(&[]);
    let again = run(&["--seed", &seed.to_string()]);
    assert_eq!(again, (seed, drawn.clone()));
    let (another, other) = run(&[]);
    assert!(another != seed && other != drawn, "{seed} {another}");
}

/// The kernel has a table of first elements and sums, for five epochs of seed 7.
#[test]
fn a_kernel_that_knows_its_answers_by_heart_is_wrong() {
    if !has_device() {
        return;
    }
    let n = 1 << 12;
    let known = (0..5).map(|epoch| {
        let input = Values::MixedFrom(0).of(stream_of(7, epoch));
        let sum = input.sum(Scalar::U32, 0..n);
        format!("case {}u: {{ output[0] = {sum}u; }}\n", input.at(Scalar::U32, 0))
    });
    let main = "@compute @workgroup_size(1) fn main()";
    let heart = format!("{BINDINGS}{main} {{ switch input[0] {{ {} default: {{}} }} }}", known.collect::<String>());
    let loops = "var s = 0u; for (var i = 0u; i < arrayLength(&input); i++) { s += input[i]; } output[0] = s;";
    let honest = format!("{BINDINGS}{main} {{ {loops} }}");
    let declaration = format!(
        "dtype = \"u32\"\nsizes = [{n}]\ngroups = 1\n[buffers]\noutput = {{ length = 1 }}\n[verify]\n\
         compute = \"let s = 0; for i in 0..n {{ s += input[i]; }} right[0] = s % 4294967296;\"\n"
    );
    // Even if the table has all inputs of the run's epochs.
    for (arguments, why) in [(&["--epochs", "5"][..], "never written"), (&["--seed", "7"], "other inputs")] {
        let rows = bench(&declaration, &[("honest", honest.clone()), ("heart", heart.clone())], arguments);
        assert_eq!((rows[0].1, rows[1].1), (Status::Ok, Status::Wrong), "{rows:?}");
        assert!(rows[1].2.contains(why), "{rows:?}");
    }
}

/// Outputs too large to be compared whole, with a known seed.
#[test]
fn holes_of_a_thousandth_are_found_whatever_the_seed() {
    if !has_device() {
        return;
    }
    let template = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&output)) { return; }
    BODY
    output[i] = input[i] + i;
}
";
    let declaration = "dtype = \"u32\"\nsizes = [\"2^20\"]\n[verify]\nexpect = \"(input[i] + i) % 4294967296\"\n";
    let kernels = [
        ("all", "", Status::Ok),
        ("piece", "if (i >= 700000u && i < 701049u) { return; }", Status::Wrong),
        ("rows", "if (i / 256u % 1000u == 77u) { return; }", Status::Wrong),
        ("scalars", "if ((i * 2654435769u) >> 10u < 4195u) { return; }", Status::Wrong),
        ("parts", "if (i % 8192u >= 98u) { return; }", Status::Wrong),
    ];
    let texts: Vec<_> = kernels.iter().map(|(name, body, _)| (*name, template.replace("BODY", body))).collect();
    let rows = bench(declaration, &texts, &["--epochs", "1", "--seed", "42"]);
    for ((name, _, wanted), (_, status, reason)) in kernels.iter().zip(&rows) {
        assert!(status == wanted && (*status == Status::Ok || reason.contains("never written")), "{name}: {reason}");
    }
}

#[test]
fn a_sort_that_loses_equal_keys_is_wrong() {
    if !has_device() {
        return;
    }
    let template = "
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> piece: array<u32, 256>;
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = group.x * 256u;
    for (var k = t; k < 256u; k += 128u) { piece[k] = keys[first + k]; }
    workgroupBarrier();
    for (var k = t; k < 256u; k += 128u) {
        var rank = 0u;
        for (var other = 0u; other < 256u; other++) {
            let is_before = BODY;
            rank += select(0u, 1u, is_before);
        }
        keys[first + rank] = piece[k];
    }
}
";
    let kernels = [
        ("honest", "piece[other] < piece[k] || (piece[other] == piece[k] && other < k)", ""),
        ("control", "piece[other] < piece[k] || (piece[other] == piece[k] && other > k)", ""),
        ("loses", "piece[other] < piece[k]", ""),
    ];
    let declaration = "dtype = \"u32\"\nsizes = [\"2^11\"]\ngroups = \"n / 256\"\n[buffers]\n\
                       keys = { contents = \"random\" }\n[verify]\nreference = \"honest.wgsl\"\n";
    assert_cheats(declaration, template, &kernels, &["--epochs", "1"]);
}

/// Of 16 right values, 15 are 0. The kernel stores `STORED` there, and later skips elements that have it.
const ZEROS: &str = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&input)) { return; }
    if (bitcast<u32>(output[i]) == STOREDu) { return; }
    var x = input[i];
    for (var k = 0u; k < 60000u; k++) { x = x * 1664525u + 1013904223u; x = x ^ (x >> 13u); }
    output[i] = select(f32(x >> 8u), bitcast<f32>(STOREDu), (i / 64u) % 16u != 0u);
}
";

#[test]
fn a_kernel_that_notes_its_launch_in_the_sign_of_a_zero_is_wrong() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "honest.wgsl",
        ZEROS.replace("if (bitcast<u32>(output[i]) == STOREDu) { return; }", "").replace("STORED", "0"),
    );
    folder.write("noted.wgsl", ZEROS.replace("STORED", "2147483648"));
    let found = |tolerance: &str| {
        folder.write(
            "k.toml",
            format!(
                "kernels = [\"honest.wgsl\", \"noted.wgsl\"]\nsizes = [\"2^10\"]\nlimit = \"none\"\n\
                 [verify]\nreference = \"honest.wgsl\"\n{tolerance}"
            ),
        );
        let ran = folder.run(&["bench", "k.toml", "--epochs", "1", "--time", "5m", "--out", "r.csv", "--force"]);
        let row = folder.records("r.csv").into_iter().find(|row| row.benchmark == "noted");
        let row = row.unwrap_or_else(|| panic!("no row\n{ran}"));
        assert_eq!(row.status, Status::Wrong, "{tolerance}: {ran}");
        row.reason
    };
    // Where values must be equal, -0 is not 0; with a tolerance, the time shows that most of the work is skipped.
    let exact = found("tolerance = 0.0\n");
    assert!(exact.contains("-0"), "{exact}");
    let within = found("tolerance = 1e-6\n");
    assert!(within.ends_with("the kernel skips work"), "{within}");
}
