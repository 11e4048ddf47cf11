//! `bench` with kernels that are not WGSL: SPIR-V and CUDA C++.

use crate::command::{Folder, Output, has_device, has_vulkan};
use gpu::shader::Shader;
use record::suite::{Checks, Constants};
use record::{Record, Status};

/// SPIR-V that glslang compiled from GLSL.
const EXAMPLE: &[u8] = include_bytes!("../../examples/spirv/saxpy.spv");
const EXAMPLE_TOML: &str = include_str!("../../examples/spirv/saxpy.toml");

fn bench(folder: &Folder, file: &str, options: &[&str]) -> Output {
    let always = ["bench", file, "--size", "4096", "--profile", "quick", "--out", "r.csv", "--force"];
    folder.run(&[&always[..], options].concat())
}

fn rows(folder: &Folder, family: &str) -> Vec<Record> {
    folder.records("r.csv").into_iter().filter(|row| row.family == family).collect()
}

fn example() -> Folder {
    let folder = Folder::new();
    folder.write("saxpy.spv", EXAMPLE);
    folder.write("saxpy.toml", format!("limit = \"none\"\n{EXAMPLE_TOML}"));
    folder
}

fn bundle(output: &Output) -> String {
    let line = output.stderr.lines().find(|line| line.contains("shaderbench bench replay ")).expect("a bundle");
    line.split('`').nth(1).and_then(|command| command.split(' ').next_back()).expect("a command").to_owned()
}

fn spirv(wgsl: &str) -> Vec<u8> {
    let words = Shader::read(wgsl).and_then(|shader| shader.spirv(&Constants::new(), Checks::default()));
    bytemuck::cast_slice(&words.expect("valid")).to_vec()
}

#[test]
fn spirv_of_another_compiler_is_right_with_checks_and_as_it_is() {
    if !has_vulkan() {
        return;
    }
    let folder = example();
    let output = bench(&folder, "saxpy.spv", &[]).succeeds();
    let checked = rows(&folder, "saxpy");
    assert_eq!(checked.len(), 2, "{output}");
    assert!(checked.iter().all(|row| row.status == Status::Ok && row.compiler.is_empty()), "{output}");
    assert!(checked.iter().all(|row| row.cell("checks") == "on"), "{output}");
    // A specialization constant is a parameter of both, and the answer depends on it.
    let output = bench(&folder, "saxpy.spv", &["--unchecked"]).succeeds();
    let as_it_is = rows(&folder, "saxpy");
    assert_eq!(as_it_is.len(), 2, "{output}");
    assert!(as_it_is.iter().all(|row| row.status == Status::Ok && row.cell("checks") == "off"), "{output}");
    assert_ne!(as_it_is[0].shader_hash, checked[0].shader_hash, "another program runs");
}

#[test]
fn a_planted_fault_in_spirv_is_found_and_replayed() {
    if !has_vulkan() {
        return;
    }
    let folder = example();
    let toml = folder.text("saxpy.toml");
    folder.write("saxpy.toml", toml.replace("+ ROUNDS *", "- ROUNDS *"));
    let output = bench(&folder, "saxpy.spv", &["--unchecked", "--param", "ROUNDS=3"]).exits_with(3);
    assert_eq!(rows(&folder, "saxpy")[0].status, Status::Wrong, "{output}");
    let bundle = bundle(&output);
    // Without --unchecked, naga's translation runs.
    let checked = folder.run(&["bench", "replay", &bundle]).exits_with(3);
    assert!(checked.stderr.contains("it now runs with run-time checks"), "{checked}");
    let again = folder.run(&["bench", "replay", &bundle, "--unchecked"]).exits_with(3);
    assert!(again.stdout.contains("the first wrong element is the same"), "{again}");
}

/// A kernel that reads a table from a file, and differs from its reference at every odd index.
#[test]
fn a_wrong_kernel_of_the_user_leaves_a_bundle_that_runs_elsewhere() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let kernel = |sum: &str| {
        format!(
            "override SHIFT: u32 = 1u;
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    output[id.x] = {sum};
}}"
        )
    };
    let right = "(input[id.x] << SHIFT) + table[id.x % 4u]";
    folder.write("own/k.wgsl", kernel("(input[id.x] << SHIFT) + table[(id.x + (id.x & 1u)) % 4u]"));
    folder.write("own/other.wgsl", kernel(right));
    folder.write("data/right.wgsl", kernel(right));
    folder.write("data/table.bin", bytemuck::cast_slice::<u32, u8>(&[5, 6, 7, 8]));
    let toml = "name = \"sums\"
limit = \"none\"
kernels = [\"k.wgsl\", { file = \"other.wgsl\", groups = \"n / 64\" }]
[params]
SHIFT = [1, 3]
[buffers]
table = { file = \"../data/table.bin\", length = 4 }
[verify]
reference = \"../data/right.wgsl\"
";
    folder.write("own/k.toml", toml);
    let output = bench(&folder, "own/k.wgsl", &["--param", "SHIFT=3"]).exits_with(3);
    let own = rows(&folder, "sums");
    let is_wrong = |name: &str| own.iter().any(|row| row.benchmark == name && row.status == Status::Wrong);
    assert!(is_wrong("k") && !is_wrong("other"), "{output}");
    let bundle = bundle(&output);
    // As elsewhere, without the files that it came from.
    folder.write("own/k.wgsl", "");
    folder.write("data/table.bin", "");
    let again = folder.run(&["bench", "replay", &bundle]).exits_with(3);
    assert!(again.stdout.contains("the first wrong element is the same"), "{again}");
    assert!(again.stdout.starts_with("sums/k u32 2 SHIFT=3: "), "the smallest wrong size is 2\n{again}");
    folder.write(&format!("{bundle}/bench/k.wgsl"), kernel(right));
    let repaired = folder.run(&["bench", "replay", &bundle]).succeeds();
    assert!(repaired.stdout.contains(": correct on "), "{repaired}");
}

#[test]
fn a_reference_may_bind_other_buffers_in_another_order() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "k.wgsl",
        "@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read> unused_elsewhere: array<f32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    output[id.x] = input[id.x] + 0.0 * unused_elsewhere[id.x];
}",
    );
    let reference = "@group(0) @binding(0) var<storage, read_write> output: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { output[id.x] = input[id.x]; }";
    folder.write("right.wgsl", reference);
    let options = ["--reference", "right.wgsl"];
    folder.write("k.toml", "limit = \"none\"\n");
    let output = bench(&folder, "k.wgsl", &options).succeeds();
    assert_eq!(rows(&folder, "k")[0].status, Status::Ok, "{output}");
    folder.write("right.wgsl", reference.replace("output", "result"));
    let output = bench(&folder, "k.wgsl", &options);
    assert!(rows(&folder, "k")[0].reason.contains("writes no buffer 'output'"), "{output}");
}

#[test]
fn a_file_that_is_no_kernel_is_one_sentence() {
    let folder = Folder::new();
    let faults: [(&str, Vec<u8>, &str); 6] = [
        ("a.spv", Vec::new(), "the file is empty"),
        ("b.spv", b"#version 450".to_vec(), "the file does not start with SPIR-V's magic number"),
        ("c.spv", EXAMPLE[..EXAMPLE.len() - 2].to_vec(), "the file is cut off after"),
        ("d.spv", EXAMPLE[..EXAMPLE.len() / 8 * 4].to_vec(), "SPIR-V"),
        (
            "e.cu",
            b"__global__ void add(float* x) {}".to_vec(),
            "e.cu needs a declaration that defines entry; `shaderbench bench init e.cu`",
        ),
        ("f.metal", b"void main() {}".to_vec(), "bench runs .wgsl, .spv, .cu, .comp, .hlsl and .slang files"),
    ];
    for (name, bytes, why) in faults {
        folder.write(name, &bytes);
        folder.run(&["bench", name, "--dry-run"]).fails_with(2, why);
    }
    folder.run(&["bench", "none.spv", "--dry-run"]).fails_with(1, "none.spv");
}

#[test]
fn damaged_spirv_ends_with_a_sentence() {
    let folder = example();
    // Every third word, so that the test stays short.
    for at in (20..EXAMPLE.len()).step_by(12 * 5) {
        let mut bytes = EXAMPLE.to_vec();
        bytes[at] ^= 0xff;
        folder.write("saxpy.spv", &bytes);
        let output = folder.run(&["bench", "saxpy.spv", "--dry-run"]);
        assert!(!output.stderr.contains("panicked"), "byte {at}: {output}");
        assert!(matches!(output.code, Some(0 | 2)), "byte {at}: {output}");
    }
}

#[test]
fn spirv_without_names_binds_by_number() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let wgsl = "@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { output[id.x] = 2.0 * input[id.x]; }";
    folder.write("k.spv", spirv(wgsl));
    folder.write("k.toml", "limit = \"none\"\n[verify]\nexpect = \"2.0 * binding_0[i]\"\n");
    let output = bench(&folder, "k.spv", &[]).succeeds();
    assert_eq!(rows(&folder, "k")[0].status, Status::Ok, "{output}");
    folder.write("k.toml", "[buffers]\nbinding_7 = { length = 1 }\n");
    bench(&folder, "k.spv", &[]).fails_with(2, "has no binding 'binding_7', only binding_0, binding_1");
}

#[test]
fn a_cuda_kernel_needs_cuda_and_a_twin_beside_wgsl_comes_along() {
    if !has_vulkan() {
        return;
    }
    let folder = Folder::new();
    let twin =
        "extern \"C\" __global__ void __launch_bounds__(WG) kernel(const float* __restrict__ input, float* output) {
    output[blockIdx.x * WG + threadIdx.x] = 2.0f * input[blockIdx.x * WG + threadIdx.x];
}";
    folder.write("k.cu", twin);
    folder.write("k.toml", "limit = \"none\"\n[params]\nWG = [64, 128]\n[verify]\nexpect = \"2.0 * input[i]\"\n");
    let output = bench(&folder, "k.cu", &["--backend", "vulkan"]).succeeds();
    let own = rows(&folder, "k");
    assert_eq!(own.len(), 2, "{output}");
    let reason = "the kernel is written in CUDA C++";
    assert!(own.iter().all(|row| row.status == Status::Skipped && row.reason == reason), "{output}");
    let wgsl = "override WG: u32 = 64u;
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(WG) fn main(@builtin(global_invocation_id) id: vec3<u32>) { output[id.x] = 2.0 * input[id.x]; }";
    folder.write("k.wgsl", wgsl);
    for more in [&["--backend", "vulkan"][..], &["k.cu", "--backend", "vulkan"]] {
        let output = bench(&folder, "k.wgsl", more).succeeds();
        let own = rows(&folder, "k");
        assert!(own.len() == 2 && own.iter().all(|row| row.status == Status::Ok), "{output}");
    }
}
