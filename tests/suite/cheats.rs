//! Kernels that cheat, planted by `--shaders` on a real device: each is `wrong`, and the honest one is `ok`.

use crate::command::{Folder, has_device};
use shaderbench::record::{Record, Status};
use shaderbench::suite::Dtype;

/// `matmul/naive` whose store is `STORE`: `at` is the index of the element, `right` computes it.
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

/// The row of `benchmark` at `size`, with its kernel replaced.
fn row(benchmark: &str, size: &str, wgsl: &str) -> Option<Record> {
    // More than the default, in which a busy machine may measure no more than the ceilings.
    Some(rows(benchmark, &["--size", size, "--time", "10m"], wgsl)?.swap_remove(0))
}

/// The rows of `benchmark` by these arguments, with its kernel replaced, except skipped ones; `None` without a device.
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

/// The suite's kernel with a fault in it.
fn planted(benchmark: &str, before: &str, after: &str) -> String {
    let wgsl = std::fs::read_to_string(format!("shaders/{benchmark}.wgsl")).expect("readable");
    assert!(wgsl.contains(before), "{benchmark} has no '{before}'");
    wgsl.replace(before, after)
}

/// Asserts that the default sizes find a fault in one type: its rows are wrong, with a reason that has both parts.
#[track_caller]
fn assert_default_sizes_find(benchmark: &str, dtype: Dtype, arguments: &[&str], wgsl: &str, [start, end]: [&str; 2]) {
    let Some(rows) = rows(benchmark, arguments, wgsl) else { return };
    let rows: Vec<&Record> = rows.iter().filter(|row| row.dtype == Some(dtype)).collect();
    if rows.is_empty() {
        eprintln!("SKIPPED: the device has no {}", dtype.name());
    }
    for row in rows {
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
    // Launches that skip this much work are faster by far more than what other programs on a busy machine take from them.
    let Some(row) = product_of("192x160x4096", "if (is_poison) { c[at] = right(id); }") else { return };
    assert_eq!(row.status, Status::Wrong, "{row:?}");
    assert!(row.reason.starts_with("a launch into a poisoned output takes"), "{}", row.reason);
}

#[test]
fn a_kernel_that_is_wrong_in_its_first_launch_is_wrong() {
    // Verification at another shape would find it first: this one has none.
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
            let start = "an element is written outside the buffer '";
            assert_default_sizes_find(benchmark, dtype, &arguments, &wgsl, [start, end]);
        }
    }
}

/// One store in a launch of the right copy, `bytes` behind the end of the output.
fn copy_that_stores_behind_the_end(bytes: u32) -> String {
    let store = format!("c[i] = a[i];\n        if (i == 0u) {{ c[sizes.elements + {bytes}u / 16u] = a[i]; }}");
    planted("stream/copy", "c[i] = a[i];", &store)
}

#[test]
fn a_store_behind_a_buffer_is_wrong_at_any_size() {
    for (bytes, arguments) in [(0, &[][..]), (48, &[]), (4096, &["--unchecked"])] {
        let wgsl = copy_that_stores_behind_the_end(bytes);
        // One element is too few for another shape: the measured launch itself is checked.
        for size in ["4", "65536"] {
            let Some(rows) = rows("stream/copy", &[arguments, &["--size", size]].concat(), &wgsl) else { return };
            let row = rows.iter().find(|row| row.dtype == Some(Dtype::Vec4F32)).expect("a row");
            assert_eq!(row.status, Status::Wrong, "{row:?}");
            let start = format!("an element is written outside the buffer 'c', {bytes} bytes after its end");
            assert!(row.reason.starts_with(&start), "{}", row.reason);
        }
    }
}

#[test]
fn a_kernel_that_reads_the_lengths_of_its_buffers_is_right() {
    let wgsl = planted("stream/copy", "i < sizes.elements", "i < arrayLength(&c)");
    let Some(row) = row("stream/copy", "65536", &wgsl) else { return };
    assert!(matches!(row.status, Status::Ok | Status::Implausible), "{row:?}");
}

/// The kernel of `ceiling/fma` with a closed form of all rounds in place of its loop.
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
        // On a device whose units are known, the rate may already be above what they can do.
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
    // A comment makes it foreign.
    let wgsl = format!("{}// Another kernel.\n", planted("ceiling/fma", "ROUNDS", "ROUNDS"));
    let Some(rows) = rows("ceiling/fma", &["--time", "10m"], &wgsl) else { return };
    assert!(rows.iter().all(|row| row.status == Status::Ok), "{rows:?}");
}

/// A kernel that does its work in the first launches after each poison only, as far as it can tell: `SEEN` is the number of
/// launches that it knows of, and `NOTE` keeps it.
const COUNTER: &str = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> aux: array<u32>;
SPARE
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&input)) { return; }
    let is_poisoned = output[i] == 0xffc0feadu;
    let seen = SEEN;
    if (seen >= 2u) { return; }
    var x = input[i];
    for (var k = 0u; k < ROUNDSu; k++) { x = x * 1664525u + 1013904223u; x = x ^ (x >> 13u); }
    output[i] = x;
    NOTE
}
";

/// The statuses and reasons of kernels with so many rounds, of which the first is honest and the reference of the others.
fn counters(rounds: &str, kernels: &[(&str, &str, &str)]) -> Vec<(String, Status, String)> {
    let folder = Folder::new();
    for (name, seen, note) in kernels {
        let spare = "@group(0) @binding(3) var<storage, read_write> spare: array<u32>;";
        let spare = if note.contains("spare") { spare } else { "" };
        let text =
            COUNTER.replace("SEEN", seen).replace("NOTE", note).replace("ROUNDS", rounds).replace("SPARE", spare);
        folder.write(&format!("{name}.wgsl"), text);
    }
    let names: Vec<String> = kernels.iter().map(|(name, ..)| format!("{name}.wgsl")).collect();
    let has_spare = kernels.iter().any(|(_, _, note)| note.contains("spare"));
    let spare = if has_spare { "spare = { length = \"n\" }\n" } else { "" };
    folder.write(
        "k.toml",
        format!(
            "kernels = {names:?}\ndtype = \"u32\"\nsizes = [\"2^10\"]\nlimit = \"none\"\n[buffers]\n\
             output = {{ length = \"2 * n\" }}\n{spare}[verify]\nbuffer = \"output\"\nlength = 1024\n\
             reference = \"honest.wgsl\"\n"
        ),
    );
    let output = folder.run(&["bench", "k.toml", "--epochs", "1", "--time", "5m", "--out", "r.csv"]);
    let rows = folder.records("r.csv").into_iter().filter(|row| row.family == "k");
    let rows: Vec<_> = rows.map(|row| (row.benchmark, row.status, row.reason)).collect();
    assert_eq!(rows.len(), kernels.len(), "{output}");
    rows
}

#[test]
fn kernels_that_count_their_launches_anywhere_are_wrong() {
    if !has_device() {
        return;
    }
    let honest = ("honest", "select(0u, 0u, is_poisoned)", "aux[i] = 0u;");
    let many = "select(aux[i], 0u, aux[i] > 64u)";
    let padding = "output[i + arrayLength(&input)]";
    let seen_in_padding = format!("select({padding}, 0u, {padding} > 64u)");
    let noted_in_padding = format!("{padding} = seen + 1u;");
    // Work that is long beside what other programs on a busy machine take.
    let found = counters(
        "60000",
        &[
            honest,
            // In another buffer, which is poisoned with the output.
            ("aside", many, "aux[i] = seen + 1u;"),
            // Beyond the end of what is verified.
            ("padding", &seen_in_padding, &noted_in_padding),
            // By the input whose result it has.
            ("input", "select(0u, 2u, aux[i] == (input[i] ^ 0x5bd1e995u))", "aux[i] = input[i] ^ 0x5bd1e995u;"),
            // In a buffer that the honest kernel does not bind.
            ("spare", "select(spare[i], 0u, spare[i] > 64u)", "aux[i] = 0u; spare[i] = seen + 1u;"),
            // By the output itself.
            ("itself", "select(2u, 0u, is_poisoned)", "aux[i] = 0u;"),
        ],
    );
    for (name, status, reason) in &found[1..] {
        assert_eq!(*status, Status::Wrong, "{name}");
        assert!(reason.ends_with("the kernel skips work") || reason.contains("alone poisoned"), "{name}: {reason}");
    }
    // Little work: the time of single launches tells nothing.
    let late = "select(0u, 2u, aux[i] >= 3u && aux[i] <= 64u)";
    let found = counters("200", &[honest, ("late", late, "aux[i] = select(aux[i] + 1u, 1u, aux[i] > 64u);")]);
    assert_eq!((found[0].1, found[1].1), (Status::Unverified, Status::Wrong), "{found:?}");
    assert!(found[1].2.ends_with("after a launch that finds this output alone poisoned"), "{found:?}");
}

/// Of 16 right values 15 are 0. `STORED` is what the kernel stores there, and what tells it later that it has been there.
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
    // -0 is not 0 where values must be equal; where they need not be, time tells that most of the work is left out.
    let exact = found("tolerance = 0.0\n");
    assert!(exact.contains("-0"), "{exact}");
    let within = found("tolerance = 1e-6\n");
    assert!(within.ends_with("the kernel skips work"), "{within}");
}
