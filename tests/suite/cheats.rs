//! Kernels that cheat, planted by `--shaders` on a real device: each is `wrong`, and the honest one is `ok`.

use crate::command::{Folder, has_device};
use shaderbench::results::{Record, Status};

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
    if !has_device() {
        return None;
    }
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path(benchmark.split('/').next().unwrap_or_default())).expect("created");
    folder.write(&format!("{benchmark}.wgsl"), wgsl);
    let arguments = ["run", benchmark, "--size", size, "--shaders", ".", "--profile", "quick", "--out", "r.csv"];
    let output = folder.run(&arguments);
    let records = folder.records("r.csv");
    let found = records.into_iter().find(|row| row.name() == benchmark && row.status != Status::Skipped);
    Some(found.unwrap_or_else(|| panic!("no row: {}", output.error())))
}

fn product(store: &str) -> Option<Record> {
    row("matmul/naive", "192x160x256", &PRODUCT.replace("STORE", store))
}

#[test]
fn the_honest_kernel_is_right() {
    let Some(row) = product("c[at] = right(id);") else { return };
    assert!(row.status == Status::Ok && row.median_ns.is_some(), "{row:?}");
}

#[test]
fn a_kernel_that_remembers_its_result_is_wrong() {
    let Some(row) = product("if (is_poison) { c[at] = right(id); }") else { return };
    assert_eq!(row.status, Status::Wrong, "{row:?}");
    assert!(row.reason.starts_with("a launch into a poisoned output takes"), "{}", row.reason);
}

#[test]
fn a_kernel_that_is_wrong_in_its_first_launch_is_wrong() {
    let Some(row) = product("c[at] = select(right(id), 7.0, is_poison);") else { return };
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
    let wgsl = std::fs::read_to_string("shaders/transpose/naive_coalesced_read.wgsl").expect("readable");
    assert!(wgsl.contains("sizes.rows"), "{wgsl}");
    let Some(row) = row("transpose/naive_coalesced_read", "256x256", &wgsl.replace("sizes.rows", "sizes.columns"))
    else {
        return;
    };
    assert_eq!(row.status, Status::Wrong, "{row:?}");
    assert!(row.reason.ends_with("at size 256x128"), "{}", row.reason);
}
