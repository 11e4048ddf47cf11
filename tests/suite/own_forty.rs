//! Forty kernels in the manner of public ones, declared by `bench init` and at most five edited lines.

use crate::command::{Folder, has_device, has_vulkan};
use record::{Record, Status};

const XY: &str = "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
";
const UV: &str = "@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
";
const MAIN: &str = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u, \
                    @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) ";
const MAIN_2D: &str = "@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) g: vec3u, \
                       @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u) ";
const SUM: &str = "var<workgroup> s: array<f32, 64>;
fn sum(l: u32, v: f32) -> f32 {
    s[l] = v;
    workgroupBarrier();
    for (var k = 32u; k > 0u; k /= 2u) { if (l < k) { s[l] += s[l + k]; } workgroupBarrier(); }
    let all = s[0];
    workgroupBarrier();
    return all;
}
";

/// A kernel: its name, source parts and size, and edits of the file that `bench init` writes: `LINE => LINE` replaces
/// the line with that start; other lines are added.
type Kernel = (&'static str, &'static [&'static str], &'static str, &'static [&'static str]);

const ELEMENTWISE: [Kernel; 12] = [
    ("scale", &[XY, MAIN, "{ y[g.x] = 2.0 * x[g.x]; }"], "4096", &["[verify]", "expect = '2.0 * x[i]'"]),
    (
        "saxpy",
        &[
            "struct P { n: u32, a: f32 }\n@group(0) @binding(2) var<uniform> p: P;\n",
            XY,
            MAIN,
            "{ if (g.x < p.n) { y[g.x] = fma(p.a, x[g.x], y[g.x]); } }",
        ],
        "4096",
        &["p = => p = { n = 'n', a = 0.5 }", "[verify]", "expect = '0.5 * x[i] + y[i]'", "tolerance = 1e-6"],
    ),
    ("relu", &[XY, MAIN, "{ y[g.x] = max(x[g.x], 0.0); }"], "4096", &["[verify]", "expect = 'max(x[i], 0.0)'"]),
    (
        "gelu",
        &[XY, MAIN, "{ let v = x[g.x]; y[g.x] = 0.5 * v * (1.0 + tanh(0.7978846 * (v + 0.044715 * v * v * v))); }"],
        "4096",
        &[
            "[verify]",
            "expect = '0.5 * x[i] * (1.0 + tanh(0.7978846 * (x[i] + 0.044715 * x[i] * x[i] * x[i])))'",
            "tolerance = 1e-5",
        ],
    ),
    (
        "vec4_add",
        &[
            "@group(0) @binding(0) var<storage, read> a: array<vec4f>;\n@group(0) @binding(1) var<storage, read> b: \
             array<vec4f>;\n@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;\n",
            MAIN,
            "{ if (g.x < arrayLength(&c)) { c[g.x] = a[g.x] + b[g.x]; } }",
        ],
        "4096",
        &["[verify]", "expect = 'a[i] + b[i]'"],
    ),
    (
        "clip",
        &["override LOW: f32;\noverride HIGH: f32;\n", XY, MAIN, "{ y[g.x] = clamp(x[g.x], LOW, HIGH); }"],
        "4096",
        &["LOW => LOW = -0.5", "HIGH => HIGH = 0.25", "[verify]", "expect = 'min(max(x[i], LOW), HIGH)'"],
    ),
    (
        "to_integer",
        &[
            "@group(0) @binding(0) var<storage, read> x: array<f32>;\n@group(0) @binding(1) var<storage, read_write> \
             y: array<i32>;\n",
            MAIN,
            "{ y[g.x] = i32(100.0 * x[g.x]); }",
        ],
        "4096",
        &["[verify]", "expect = 'int(f32(100.0 * x[i]))'"],
    ),
    (
        "hash",
        &[UV, MAIN, "{ var v = x[g.x]; v ^= v >> 16u; v *= 668265263u; v ^= v >> 13u; y[g.x] = v; }"],
        "4096",
        &["[verify]", "expect = 'let v = x[i] ^ (x[i] >> 16); let m = v * 668265263 & 4294967295; m ^ (m >> 13)'"],
    ),
    (
        "iota",
        &["@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n", MAIN, "{ y[g.x] = g.x; }"],
        "4096",
        &["[verify]", "expect = 'i'"],
    ),
    (
        "mask",
        &[UV, MAIN, "{ y[g.x] = select(0u, 1u, (x[g.x] & 4u) != 0u); }"],
        "4096",
        &["[verify]", "expect = 'x[i] >> 2 & 1'"],
    ),
    (
        "particles",
        &[
            "struct Body { at: vec2f, v: vec2f }\n@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;\n\
             @group(0) @binding(1) var<uniform> dt: f32;\n",
            MAIN,
            "{ bodies[g.x].at += bodies[g.x].v * dt; }",
        ],
        "1024",
        &[
            "dt => dt = 0.5",
            "[verify]",
            "expect = 'if i % 4 < 2 { bodies[i] + 0.5 * bodies[i + 2] } else { bodies[i] }'",
            "tolerance = 1e-6",
        ],
    ),
    (
        "template",
        &["#define SCALE 3.0\n#ifdef OTHER\nbroken\n#else\n", XY, MAIN, "{ y[g.x] = SCALE * x[g.x]; }\n#endif\n"],
        "4096",
        &["[verify]", "expect = '3.0 * x[i]'", "tolerance = 1e-6"],
    ),
];

const REDUCTIONS: [Kernel; 12] = [
    (
        "block_sums",
        &[SUM, XY, MAIN, "{ let all = sum(l, x[g.x]); if (l == 0u) { y[w.x] = all; } }"],
        "4096",
        &["[verify]", "expect = 'let s = 0.0; for k in 0..64 { s += x[64 * i + k]; } s'", "tolerance = 1e-4"],
    ),
    (
        "block_max",
        &[
            "var<workgroup> top: atomic<u32>;\n",
            UV,
            MAIN,
            "{ atomicMax(&top, x[g.x]); workgroupBarrier(); if (l == 0u) { y[w.x] = atomicLoad(&top); } }",
        ],
        "4096",
        &["[verify]", "expect = 'let m = 0; for k in 0..64 { m = max(m, x[64 * i + k]); } m'"],
    ),
    (
        "total",
        &[
            "@group(0) @binding(0) var<storage, read> x: array<u32>;\n@group(0) @binding(1) var<storage, read_write> \
             result: atomic<u32>;\n",
            MAIN,
            "{ atomicAdd(&result, x[g.x] & 255u); }",
        ],
        "4096",
        &["[verify]", "expect = 'let s = 0; for k in 0..n { s += x[k] & 255; } s'"],
    ),
    (
        "histogram",
        &[
            "@group(0) @binding(0) var<storage, read> x: array<u32>;\n@group(0) @binding(1) var<storage, read_write> \
             bins: array<atomic<u32>>;\n",
            MAIN,
            "{ atomicAdd(&bins[x[g.x] & 15u], 1u); }",
        ],
        "4096",
        &[
            "bins => bins = { length = 16, contents = 'zero' }",
            "[verify]",
            "expect = 'let s = 0; for k in 0..n { if x[k] & 15 == i { s += 1; } } s'",
        ],
    ),
    (
        "softmax",
        &[SUM, XY, MAIN, "{ let v = exp(x[g.x]); let all = sum(l, v); y[g.x] = v / all; }"],
        "1024",
        &[
            "[verify]",
            "expect = 'let s = 0.0; for k in 0..64 { s += exp(x[i / 64 * 64 + k]); } exp(x[i]) / s'",
            "tolerance = 1e-5",
        ],
    ),
    (
        "rms_norm",
        &[SUM, XY, MAIN, "{ let v = x[g.x]; let all = sum(l, v * v); y[g.x] = v * inverseSqrt(all / 64.0 + 1e-6); }"],
        "1024",
        &[
            "[verify]",
            "expect = 'let s = 0.0; for k in 0..64 { s += x[i / 64 * 64 + k].pow(2); } x[i] / sqrt(s / 64.0 + 1e-6)'",
            "tolerance = 1e-4",
        ],
    ),
    (
        "layer_norm",
        &[
            SUM,
            XY,
            MAIN,
            "{ let m = sum(l, x[g.x]) / 64.0; let d = x[g.x] - m; let v = sum(l, d * d) / 64.0; y[g.x] = d / sqrt(v + \
             1e-5); }",
        ],
        "1024",
        &[
            "[verify]",
            "expect = 'let b = i / 64 * 64; let m = 0.0; for k in 0..64 { m += x[b + k] / 64.0; } let v = 0.0; for k \
             in 0..64 { v += (x[b + k] - m).pow(2) / 64.0; } (x[i] - m) / sqrt(v + 1e-5)'",
            "tolerance = 1e-3",
        ],
    ),
    (
        "block_scan",
        &[
            "var<workgroup> s: array<u32, 64>;\n",
            UV,
            MAIN,
            "{ s[l] = x[g.x] & 255u; workgroupBarrier(); for (var k = 1u; k < 64u; k *= 2u) { var add = 0u; if (l >= \
             k) { add = s[l - k]; } workgroupBarrier(); s[l] += add; workgroupBarrier(); } y[g.x] = s[l]; }",
        ],
        "4096",
        &["[verify]", "expect = 'let s = 0; for k in 0..i % 64 + 1 { s += x[i - k] & 255; } s'"],
    ),
    (
        "block_sort",
        &[
            "var<workgroup> s: array<u32, 64>;\n",
            UV,
            MAIN,
            "{ s[l] = x[g.x]; workgroupBarrier(); var rank = 0u; for (var k = 0u; k < 64u; k++) { if (s[k] < s[l] || \
             (s[k] == s[l] && k < l)) { rank++; } } y[64u * w.x + rank] = s[l]; }",
        ],
        "1024",
        &[
            "[verify]",
            "compute = 'for q in 0..n { let b = q / 64 * 64; let r = 0; for k in 0..64 { if x[b + k] < x[q] || x[b + \
             k] == x[q] && b + k < q { r += 1; } } right[b + r] = x[q]; }'",
        ],
    ),
    (
        "scan_chain",
        &["@group(0) @binding(0) var<storage, read> x: array<u32>;\n@group(0) @binding(1) var<storage, read_write> \
             sums: array<u32>;\n@group(0) @binding(2) var<storage, read_write> y: array<u32>;\n\
             @compute @workgroup_size(64) fn blocks(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) \
             l: u32) { if (l == 0u) { var s = 0u; for (var k = 0u; k < 64u; k++) { s += x[64u * w.x + k] & 255u; } \
             sums[w.x] = s; } }\n@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) g: vec3u, \
             @builtin(workgroup_id) w: vec3u) { var s = 0u; for (var k = 0u; k < w.x; k++) { s += sums[k]; } for (var k \
             = 64u * w.x; k <= g.x; k++) { s += x[k] & 255u; } y[g.x] = s; }"],
        "1024",
        &["[verify]", "buffer = 'y'", "expect = 'let s = 0; for k in 0..i + 1 { s += x[k] & 255; } s'"],
    ),
    (
        "matvec",
        &[
            SUM,
            "@group(0) @binding(0) var<storage, read> a: array<f32>;\n@group(0) @binding(1) var<storage, read> x: \
             array<f32>;\n@group(0) @binding(2) var<storage, read_write> y: array<f32>;\n",
            MAIN,
            "{ let all = sum(l, a[64u * w.x + l] * x[l]); if (l == 0u) { y[w.x] = all; } }",
        ],
        "4096",
        &["[verify]", "expect = 'let s = 0.0; for k in 0..64 { s += a[64 * i + k] * x[k]; } s'", "tolerance = 1e-4"],
    ),
    (
        "compact_flags",
        &[
            "override LIMIT: u32 = 128u;\n",
            UV,
            MAIN,
            "{ var s = 0u; for (var k = 64u * w.x; k < g.x; k++) { s += select(0u, 1u, (x[k] & 255u) < LIMIT); } \
             y[g.x] = s; }",
        ],
        "1024",
        &["[verify]", "expect = 'let s = 0; for k in i / 64 * 64..i { if x[k] & 255 < LIMIT { s += 1; } } s'"],
    ),
];

const MATRICES: [Kernel; 8] = [
    (
        "transpose",
        &[
            "var<workgroup> t: array<array<f32, 9>, 8>;\nstruct P { rows: u32, columns: u32 }\n@group(0) @binding(2) \
             var<uniform> p: P;\n",
            XY,
            MAIN_2D,
            "{ t[l.y][l.x] = x[g.y * p.columns + g.x]; workgroupBarrier(); let r = 8u * w.x + l.y; let c = 8u * w.y + \
             l.x; y[r * p.rows + c] = t[l.x][l.y]; }",
        ],
        "64x32",
        &["[verify]", "expect = 'x[i % rows * columns + i / rows]'"],
    ),
    (
        "matmul",
        &[
            "override N: u32 = 64u;\n@group(0) @binding(0) var<storage, read> a: array<f32>;\n@group(0) @binding(1) \
             var<storage, read> b: array<f32>;\n@group(0) @binding(2) var<storage, read_write> c: array<f32>;\n",
            MAIN_2D,
            "{ var s = 0.0; for (var k = 0u; k < N; k++) { s += a[g.y * N + k] * b[k * N + g.x]; } c[g.y * N + g.x] = \
             s; }",
        ],
        "64x64",
        &[
            "[verify]",
            "expect = 'let s = 0.0; for k in 0..N { s += a[i / N * N + k] * b[k * N + i % N]; } s'",
            "tolerance = 1e-4",
        ],
    ),
    (
        "stencil",
        &[
            "struct P { width: u32, height: u32 }\n@group(0) @binding(2) var<uniform> p: P;\n",
            XY,
            MAIN_2D,
            "{ let i = g.y * p.width + g.x; var v = x[i]; if (g.x > 0u && g.x + 1u < p.width) { v = 0.5 * (x[i - 1u] + \
             x[i + 1u]); } y[i] = v; }",
        ],
        "32x64",
        &[
            "[verify]",
            "expect = 'if i % columns > 0 && i % columns + 1 < columns { 0.5 * (x[i - 1] + x[i + 1]) } else { x[i] }'",
            "tolerance = 1e-6",
        ],
    ),
    (
        "life",
        &[
            "struct P { w: u32, h: u32 }\n@group(0) @binding(2) var<uniform> p: P;\n",
            UV,
            MAIN_2D,
            "{ let i = g.y * p.w + g.x; let right = g.y * p.w + (g.x + 1u) % p.w; y[i] = (x[i] ^ x[right]) & 1u; }",
        ],
        "32x64",
        &["[verify]", "expect = '(x[i] ^ x[i / columns * columns + (i % columns + 1) % columns]) & 1'"],
    ),
    (
        "row_maxima",
        &[
            "struct P { columns: u32 }\n@group(0) @binding(2) var<uniform> p: P;\n",
            UV,
            "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { var m = 0u; for (var k = \
             0u; k < p.columns; k++) { m = max(m, x[g.x * p.columns + k]); } y[g.x] = m; }",
        ],
        "64x32",
        &[
            "sizes => sizes = ['64x32']",
            "groups => groups = 'ceil_div(rows, workgroup)'",
            "y = => y = { length = 'rows' }",
            "[verify]",
            "expect = 'let m = 0; for k in 0..columns { m = max(m, x[i * columns + k]); } m'",
        ],
    ),
    (
        "outer_product",
        &["override N: u32 = 64u;\n", XY, MAIN_2D, "{ y[g.y * N + g.x] = x[g.y] * x[g.x]; }"],
        "64x64",
        &["[verify]", "expect = 'x[i / N] * x[i % N]'"],
    ),
    (
        "blur",
        &[
            "const TAPS = array<f32, 3>(0.25, 0.5, 0.25);\nstruct P { cols: u32, pad: u32 }\n@group(0) @binding(2) \
             var<uniform> p: P;\n",
            XY,
            MAIN_2D,
            "{ var s = 0.0; for (var k = 0u; k < 3u; k++) { s += TAPS[k] * x[g.y * p.cols + (g.x + k) % p.cols]; } \
             y[g.y * p.cols + g.x] = s; }",
        ],
        "32x64",
        &[
            "[verify]",
            "expect = 'let r = i / columns * columns; let c = i % columns; 0.25 * x[i] + 0.5 * x[r + (c + 1) % \
             columns] + 0.25 * x[r + (c + 2) % columns]'",
            "tolerance = 1e-6",
        ],
    ),
    (
        "f16_scale",
        &[
            "enable f16;\n@group(0) @binding(0) var<storage, read> x: array<f16>;\n@group(0) @binding(1) \
             var<storage, read_write> y: array<f16>;\n",
            MAIN,
            "{ y[g.x] = 2.0h * x[g.x]; }",
        ],
        "4096",
        &["[verify]", "expect = '2.0 * x[i]'"],
    ),
];

const TEXTURES_AND_MORE: [Kernel; 8] = [
    (
        "texture_to_buffer",
        &[
            "@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var<storage, read_write> y: \
             array<f32>;\n",
            MAIN_2D,
            "{ y[g.y * textureDimensions(t).x + g.x] = textureLoad(t, g.xy, 0).y; }",
        ],
        "32x64",
        &["[verify]", "expect = 't[4 * i + 1] / 255'", "tolerance = 1e-6"],
    ),
    (
        "sampled",
        &[
            "@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var s: sampler;\n@group(0) \
             @binding(2) var<storage, read_write> y: array<f32>;\n",
            MAIN_2D,
            "{ let size = vec2f(textureDimensions(t)); y[g.y * u32(size.x) + g.x] = textureSampleLevel(t, s, \
             (vec2f(g.xy) + 0.5) / size, 0.0).x; }",
        ],
        "32x64",
        &["[verify]", "expect = 't[4 * i] / 255'", "tolerance = 0.01"],
    ),
    (
        "drawn",
        &[
            "@group(0) @binding(0) var o: texture_storage_2d<rgba8unorm, write>;\n",
            MAIN_2D,
            "{ textureStore(o, g.xy, vec4f(f32(g.x % 2u), 0.0, 1.0, 1.0)); }",
        ],
        "32x64",
        &["[verify]", "expect = 'if i % 4 == 0 { 255 * (i / 4 % 2) } else { if i % 4 == 1 { 0 } else { 255 } }'"],
    ),
    (
        "inverted",
        &[
            "@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var o: \
             texture_storage_2d<rgba8unorm, write>;\n",
            MAIN_2D,
            "{ textureStore(o, g.xy, 1.0 - textureLoad(t, g.xy, 0)); }",
        ],
        "32x64",
        &["[verify]", "expect = '255 - t[i]'"],
    ),
    (
        "layers",
        &[
            "@group(0) @binding(0) var t: texture_2d_array<f32>;\n@group(0) @binding(1) var<storage, read_write> y: \
             array<f32>;\n",
            MAIN_2D,
            "{ let d = textureDimensions(t); if (all(g.xy < d)) { y[g.y * d.x + g.x] = textureLoad(t, g.xy, 2, 0).x; } \
             }",
        ],
        "31x63",
        &["[verify]", "expect = 't[4 * (2 * rows * columns + i)] / 255'", "tolerance = 1e-6"],
    ),
    (
        "immediate",
        &["var<immediate> k: f32;\n", XY, MAIN, "{ y[g.x] = k * x[g.x]; }"],
        "4096",
        &["k => k = 4.0", "[verify]", "expect = '4.0 * x[i]'"],
    ),
    (
        "numbered",
        &["@id(1) override WG: u32 = 64u;\n@id(2) override BIAS: i32 = -3;\n@group(0) @binding(0) var<storage, \
             read_write> y: array<i32>;\n@compute @workgroup_size(WG) fn main(@builtin(global_invocation_id) g: vec3u) \
             { y[g.x] = i32(g.x) + BIAS; }"],
        "4096",
        &["WG => WG = [32, 64]", "[verify]", "expect = 'i + BIAS'"],
    ),
    (
        "ping_pong",
        &["@group(0) @binding(0) var<storage, read> source: array<f32>;\n@group(0) @binding(1) var<storage, \
             read_write> result: array<f32>;\n@compute @workgroup_size(64) fn first(@builtin(global_invocation_id) g: \
             vec3u) { result[g.x] = source[g.x] + 1.0; }\n@compute @workgroup_size(64) fn second( \
             @builtin(global_invocation_id) g: vec3u) { result[g.x] = 2.0 * result[g.x]; }"],
        "4096",
        &["[verify]", "expect = '2.0 * f32(source[i] + 1.0)'"],
    ),
];

fn rows(folder: &Folder, options: &[&str], size: &str) -> (Vec<Record>, String) {
    let always =
        ["bench", "k.wgsl", "--size", size, "--profile", "quick", "--epochs", "1", "--out", "r.csv", "--force"];
    let output = folder.run(&[&always[..], options].concat());
    if !folder.path("r.csv").exists() {
        return (Vec::new(), output.to_string());
    }
    (folder.records("r.csv").into_iter().filter(|row| row.family == "k").collect(), output.to_string())
}

/// Every kernel runs as `bench init` declares it, and is right with at most five edited lines.
fn assert_all_run(kernels: &[Kernel]) {
    if !has_device() {
        return;
    }
    let needs_vulkan = |name: &str| ["f16_scale", "immediate"].contains(&name);
    for (name, parts, size, edits) in kernels.iter().filter(|kernel| !needs_vulkan(kernel.0) || has_vulkan()) {
        let folder = Folder::new();
        folder.write("k.wgsl", parts.concat());
        folder.run(&["bench", "init", "k.wgsl"]).succeeds();
        let initial = folder.text("k.toml");
        let mut lines: Vec<String> = initial.lines().map(str::to_owned).collect();
        // Peaks would take most of the time.
        lines.insert(0, "limit = \"none\"".to_owned());
        folder.write("k.toml", lines.join("\n"));
        if *name == kernels[0].0 {
            let (rows, output) = rows(&folder, &[], size);
            assert!(
                !rows.is_empty() && rows.iter().all(|row| row.status == Status::Unverified),
                "{name}: {output}\n{initial}"
            );
            assert!(output.contains("The rate is based on guessed bytes"), "{output}");
        }
        assert!(edits.len() <= 5, "{name}");
        for edit in *edits {
            match edit.split_once(" => ") {
                Some((old, new)) => {
                    let line = lines.iter_mut().find(|line| line.starts_with(old));
                    *line.unwrap_or_else(|| panic!("{name}: no line '{old}' in\n{initial}")) = new.to_owned();
                }
                None => lines.push((*edit).to_owned()),
            }
        }
        folder.write("k.toml", lines.join("\n"));
        let (rows, output) = rows(&folder, &[], size);
        let is_right = !rows.is_empty() && rows.iter().all(|row| row.status == Status::Ok);
        let reasons: Vec<_> = rows.iter().map(|row| &row.reason).collect();
        assert!(is_right, "{name}: {reasons:?}\n{output}\n{}", lines.join("\n"));
    }
}

#[test]
fn elementwise_kernels_run_as_declared_by_init() {
    assert_all_run(&ELEMENTWISE);
}

#[test]
fn reductions_scans_and_sorts_run_as_declared_by_init() {
    assert_all_run(&REDUCTIONS);
}

#[test]
fn kernels_of_matrices_run_as_declared_by_init() {
    assert_all_run(&MATRICES);
}

#[test]
fn kernels_of_textures_and_chains_run_as_declared_by_init() {
    assert_all_run(&TEXTURES_AND_MORE);
}
