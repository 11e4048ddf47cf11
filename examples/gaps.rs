//! Experiments on the kernels with the widest gaps between CUDA and Vulkan. Each variant changes one thing: a change
//! that makes the CUDA twin as slow as the WGSL, or the WGSL as fast as the twin, shows the cause of the gap. The
//! hypotheses come from the machine code (see `machine_code`). Run with `cargo run --release --example gaps --
//! [FILTER…]` on a machine with an NVIDIA GPU. Every variant is verified; `docs/research/2026-11-25-portable-cost.md` has the results.

use std::error::Error;

use shaderbench::backend::Backend;
use shaderbench::backend::cuda::{CudaBackend, devices};
use shaderbench::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use shaderbench::engine::checks::output::verify;
use shaderbench::engine::measure::{Rules, measure, select_timer};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::job::{Contents, Job, Step};
use shaderbench::record::stats;
use shaderbench::shader::Shader;
use shaderbench::suite::{Case, Dtype, Extent, Profile};

/// The text that is replaced, and its replacement.
type Edit = (&'static str, &'static str);

enum Change {
    Wgsl(&'static [Edit]),
    Cuda(&'static [Edit]),
    /// More shared memory than the twin uses, in bytes: fewer of its blocks fit on an SM at a time.
    ExtraSharedMemory(u32),
    /// The unchanged kernel in eight jobs at a time, whose outputs have different addresses.
    OtherAddresses(Api),
    /// A WGSL kernel in place of the API's own copy from a texture to a buffer.
    CopyByKernel(&'static str),
}

#[derive(Clone, Copy)]
enum Api {
    Vulkan,
    Cuda,
}

use Change::{CopyByKernel, Cuda, ExtraSharedMemory, OtherAddresses, Wgsl};

struct Gap {
    name: &'static str,
    dtype: Dtype,
    extent: Extent,
    params: &'static str,
    variants: &'static [(&'static str, Change)],
}

const fn gap(
    name: &'static str,
    dtype: Dtype,
    extent: Extent,
    params: &'static str,
    variants: &'static [(&'static str, Change)],
) -> Gap {
    Gap { name, dtype, extent, params, variants }
}

const UNCHANGED: [(&str, Change); 2] = [("unchanged", Wgsl(&[])), ("unchanged", Cuda(&[]))];

/// Of a twin with 17 KiB per block.
const FEWER_BLOCKS: &[(&str, Change)] = &[
    ("five blocks per SM", ExtraSharedMemory(24 << 10)),
    ("four blocks per SM", ExtraSharedMemory(36 << 10)),
    ("three blocks per SM", ExtraSharedMemory(56 << 10)),
    ("two blocks per SM", ExtraSharedMemory(88 << 10)),
];

const GAPS: &[Gap] = &[
    gap(
        "reduction/interleaved_global",
        Dtype::F32,
        Extent::Linear(1 << 28),
        "",
        &[
            ("t & (2s - 1) for t % 2s", Wgsl(&[("t % (2u * s)", "(t & (2u * s - 1u))")])),
            ("barriers of the workgroup's memory alone", Wgsl(&[("storageBarrier()", "workgroupBarrier()")])),
            ("both", Wgsl(&[("t % (2u * s)", "(t & (2u * s - 1u))"), ("storageBarrier()", "workgroupBarrier()")])),
            ("loop not unrolled", Cuda(&[("for (u32 s = 1u", "#pragma unroll 1\n    for (u32 s = 1u")])),
            ("fence of the whole device", Cuda(&[("__threadfence_block()", "__threadfence()")])),
            (
                "both",
                Cuda(&[
                    ("for (u32 s = 1u", "#pragma unroll 1\n    for (u32 s = 1u"),
                    ("__threadfence_block()", "__threadfence()"),
                ]),
            ),
        ],
    ),
    gap(
        "reduction/interleaved_workgroup",
        Dtype::F32,
        Extent::Linear(1 << 28),
        "",
        &[
            ("t & (2s - 1) for t % 2s", Wgsl(&[("t % (2u * s)", "(t & (2u * s - 1u))")])),
            ("loop not unrolled", Cuda(&[("for (u32 s = 1u", "#pragma unroll 1\n    for (u32 s = 1u")])),
        ],
    ),
    gap(
        "barrier/exchange",
        Dtype::U32,
        Extent::Linear(2048),
        "ROUNDS=1000;WG=64",
        &[
            (
                "loop unrolled eight times",
                Wgsl(&[
                    ("k < ROUNDS; k++", "k < ROUNDS; k += 8u"),
                    (
                        "        let half = (k & 1u) * WG;
        tile[half + t] = x;
        workgroupBarrier();
        x = tile[half + neighbour] + k;
",
                        "        tile[t] = x; workgroupBarrier(); x = tile[neighbour] + k;
        tile[WG + t] = x; workgroupBarrier(); x = tile[WG + neighbour] + k + 1u;
        tile[t] = x; workgroupBarrier(); x = tile[neighbour] + k + 2u;
        tile[WG + t] = x; workgroupBarrier(); x = tile[WG + neighbour] + k + 3u;
        tile[t] = x; workgroupBarrier(); x = tile[neighbour] + k + 4u;
        tile[WG + t] = x; workgroupBarrier(); x = tile[WG + neighbour] + k + 5u;
        tile[t] = x; workgroupBarrier(); x = tile[neighbour] + k + 6u;
        tile[WG + t] = x; workgroupBarrier(); x = tile[WG + neighbour] + k + 7u;
",
                    ),
                ]),
            ),
            ("loop not unrolled", Cuda(&[("for (u32 k = 0u", "#pragma unroll 1\n    for (u32 k = 0u")])),
        ],
    ),
    gap(
        "scan/three_kernels",
        Dtype::U32,
        Extent::Linear(1 << 26),
        "",
        &[
            ("sums added one by one in a loop", Wgsl(ONE_BY_ONE)),
            ("sums added one by one in a loop", Cuda(ONE_BY_ONE_IN_CUDA)),
            (
                "strong loads and stores of sums",
                Cuda(&[
                    ("struct Sizes", STRONG),
                    ("T a = output[first];", "T a = strong_load(output + first);"),
                    ("T b = output[first + 1u];", "T b = strong_load(output + first + 1u);"),
                    ("T c = output[first + 2u];", "T c = strong_load(output + first + 2u);"),
                    ("T d = output[first + 3u];", "T d = strong_load(output + first + 3u);"),
                    ("output[first] = a + before;", "strong_store(output + first, a + before);"),
                    ("output[first + 1u] = b + before;", "strong_store(output + first + 1u, b + before);"),
                    ("output[first + 2u] = c + before;", "strong_store(output + first + 2u, c + before);"),
                    ("output[first + 3u] = d + before;", "strong_store(output + first + 3u, d + before);"),
                ]),
            ),
            (
                "loop of the scan not unrolled",
                Cuda(&[("for (u32 s = 1u", "#pragma unroll 1\n        for (u32 s = 1u")]),
            ),
        ],
    ),
    gap("scan/single_pass", Dtype::U32, Extent::Linear(1 << 28), "", &[]),
    gap(
        "scan/single_pass_subgroup",
        Dtype::F32,
        Extent::Linear(1 << 28),
        "WG=256",
        &[
            ("without look-back (intentionally wrong)", Wgsl(&[("var end = tile;", "var end = 0u;")])),
            ("waits for 32 tiles, adds none (wrong)", Wgsl(WAIT_ONLY)),
            ("without a pause", Wgsl(&[("round < PAUSE", "round < 0u")])),
            ("without look-back (intentionally wrong)", Cuda(&[("u32 end = tile;", "u32 end = 0u;")])),
            ("without a pause", Cuda(&[("__nanosleep(7u * PAUSE);", "")])),
        ],
    ),
    gap(
        "histogram/global_atomic",
        Dtype::U32,
        Extent::Linear(1 << 26),
        "",
        &[
            (
                "test whether all lanes have one address",
                Cuda(&[("struct Sizes", MATCH), ("atomicAdd(&bins[", "matched_add(&bins[")]),
            ),
            ("bins at other addresses", OtherAddresses(Api::Vulkan)),
            ("bins at other addresses", OtherAddresses(Api::Cuda)),
        ],
    ),
    gap(
        "histogram/workgroup_atomic",
        Dtype::U32,
        Extent::Linear(1 << 22),
        "",
        &[
            (
                "no merging (intentionally wrong)",
                Wgsl(&[(
                    "atomicAdd(&bins[bin], atomicLoad(&counts[bin]))",
                    "if (sizes.n == 0u) { atomicAdd(&bins[bin], 1u); }",
                )]),
            ),
            (
                "no merging (intentionally wrong)",
                Cuda(&[("atomicAdd(&bins[bin], counts[bin])", "if (sizes.n == 0u) { atomicAdd(&bins[bin], 1u); }")]),
            ),
            ("bins at other addresses", OtherAddresses(Api::Vulkan)),
            ("bins at other addresses", OtherAddresses(Api::Cuda)),
        ],
    ),
    gap(
        "workgroup_memory/occupancy",
        Dtype::Vec4F32,
        Extent::Linear(1 << 26),
        "WORDS=8192",
        &[
            ("three blocks per SM", ExtraSharedMemory(40 << 10)),
            ("two blocks per SM", ExtraSharedMemory(72 << 10)),
            ("one block per SM", ExtraSharedMemory(120 << 10)),
        ],
    ),
    gap(
        "workgroup_memory/occupancy",
        Dtype::Vec4F32,
        Extent::Linear(1 << 26),
        "WORDS=4096",
        &[
            ("four blocks per SM", ExtraSharedMemory(36 << 10)),
            ("three blocks per SM", ExtraSharedMemory(56 << 10)),
            ("two blocks per SM", ExtraSharedMemory(88 << 10)),
        ],
    ),
    gap("fft/stockham", Dtype::F32, Extent::Matrix(8192, 4096), "RADIX=2", FEWER_BLOCKS),
    gap("fft/stockham", Dtype::F32, Extent::Matrix(8192, 4096), "RADIX=8", FEWER_BLOCKS),
    gap(
        "spmv/subgroup",
        Dtype::F32,
        Extent::Linear(4_194_304),
        "MATRIX=1",
        &[
            ("loop not unrolled", Cuda(&[("for (u32 k =", "#pragma unroll 1\n        for (u32 k =")])),
            ("index checked", Cuda(&[("x[columns[k]]", "(columns[k] < sizes.rows ? x[columns[k]] : 0.0f)")])),
            ("x past L1", Cuda(&[("x[columns[k]]", "__ldcg(x + columns[k])")])),
            (
                "all past L1",
                Cuda(&[
                    ("x[columns[k]]", "__ldcg(x + __ldcg(columns + k))"),
                    ("values[k]", "__ldcg(values + k)"),
                    ("starts[row + 1u]", "__ldcg(starts + row + 1u)"),
                    ("starts[row]", "__ldcg(starts + row)"),
                ]),
            ),
            ("four blocks per SM", ExtraSharedMemory(52 << 10)),
            ("two blocks per SM", ExtraSharedMemory(100 << 10)),
            ("subgroups of 32 as a constant", Wgsl(&[("WG / lanes", "8u"), ("lanes = min(full, WG)", "lanes = 32u")])),
            ("loads for four sums first", Wgsl(FOUR_AT_ONCE)),
        ],
    ),
    gap(
        "workgroup_memory/zero_init",
        Dtype::U32,
        Extent::Linear(1 << 24),
        "ZEROING=0",
        &[("three blocks per SM", ExtraSharedMemory(56 << 10)), ("two blocks per SM", ExtraSharedMemory(88 << 10))],
    ),
    gap(
        "safety_tax/workgroup_fill",
        Dtype::U32,
        Extent::Linear(1 << 20),
        "",
        &[("three blocks per SM", ExtraSharedMemory(56 << 10)), ("two blocks per SM", ExtraSharedMemory(88 << 10))],
    ),
    gap(
        "workgroup_memory/carved",
        Dtype::U32,
        Extent::Linear(1 << 22),
        "",
        &[(
            "loop not unrolled",
            Cuda(&[("for (u32 k = 0u; k < ROUNDS", "#pragma unroll 1\n    for (u32 k = 0u; k < ROUNDS")]),
        )],
    ),
    gap(
        "workgroup_memory/structured",
        Dtype::U32,
        Extent::Linear(1 << 22),
        "",
        &[(
            "loop not unrolled",
            Cuda(&[("for (u32 k = 0u; k < ROUNDS", "#pragma unroll 1\n    for (u32 k = 0u; k < ROUNDS")]),
        )],
    ),
    gap(
        "workgroup_memory/distinct_words",
        Dtype::U32,
        Extent::Linear(1 << 21),
        "",
        &[(
            "loop not unrolled",
            Cuda(&[("for (u32 k = 0u; k < ROUNDS", "#pragma unroll 1\n    for (u32 k = 0u; k < ROUNDS")]),
        )],
    ),
    gap(
        "memory_spaces/storage_latency",
        Dtype::U32,
        Extent::Linear(1),
        "",
        &[("bounds checked", Cuda(&[("= cycle[at];", "= at < sizes.shift + 1000000u ? cycle[at] : 0u;")]))],
    ),
    gap(
        "memory_spaces/table_storage",
        Dtype::U32,
        Extent::Linear(1 << 18),
        "EACH=0;ROUNDS=32",
        &[(
            "bounds checked",
            Cuda(&[
                ("struct Sizes", "#define TABLE(i) ((i) < sizes.invocations ? table[i] : 0u)\nstruct Sizes"),
                ("+ table[at + 2u]", "+ TABLE(at + 2u)"),
                ("+ table[at + 4u]", "+ TABLE(at + 4u)"),
                ("+ table[at + 6u]", "+ TABLE(at + 6u)"),
                ("+ table[at + 8u]", "+ TABLE(at + 8u)"),
                ("+ table[at + 10u]", "+ TABLE(at + 10u)"),
                ("+ table[at + 12u]", "+ TABLE(at + 12u)"),
                ("+ table[at + 14u]", "+ TABLE(at + 14u)"),
                ("+ table[at + 16u]", "+ TABLE(at + 16u)"),
                ("+ table[at + 18u]", "+ TABLE(at + 18u)"),
                ("+ table[at + 20u]", "+ TABLE(at + 20u)"),
                ("+ table[at + 22u]", "+ TABLE(at + 22u)"),
                ("+ table[at + 24u]", "+ TABLE(at + 24u)"),
                ("+ table[at + 26u]", "+ TABLE(at + 26u)"),
                ("+ table[at + 28u]", "+ TABLE(at + 28u)"),
                ("+ table[at + 30u]", "+ TABLE(at + 30u)"),
            ]),
        )],
    ),
    gap(
        "coalescing/broadcast_storage",
        Dtype::F32,
        Extent::Linear(1 << 26),
        "",
        &[
            ("bounds of y and z checked", Cuda(&[("if (i < sizes.n) {", "if (i < sizes.n && i * 4u + 4u > i) {")])),
            (
                "strong stores to z",
                Cuda(&[("struct Sizes", STRONG), ("z[i] = x[0] + y[i]", "strong_store(&z[i], x[0] + y[i])")]),
            ),
        ],
    ),
    gap(
        "safety_tax/transpose",
        Dtype::F32,
        Extent::Matrix(2048, 2048),
        "PAD=1",
        &[("loop not unrolled", Cuda(&[("for (", "#pragma unroll 1\n    for (")]))],
    ),
    gap(
        "pitched/texture_to_buffer",
        Dtype::U32,
        Extent::Matrix(4096, 4096),
        "",
        &[("copy by a kernel", CopyByKernel(COPY_TEXELS))],
    ),
    gap(
        "matmul/cooperative",
        Dtype::F16,
        Extent::Product(4096, 4096, 4096),
        "",
        &[
            ("a test before every load", Wgsl(&[("is_inside & (sizes.k % (2u * DEPTH) == 0u)", "sizes.k == 0u")])),
            ("without its loads (intentionally wrong)", Wgsl(NO_LOADS)),
            ("without loads and stores to the tiles", Wgsl(&[NO_STORES])),
            ("without barriers either", Wgsl(&[NO_STORES, NO_BARRIERS])),
        ],
    ),
    gap(
        "ceiling/fill",
        Dtype::Vec4F32,
        Extent::Linear(1 << 28),
        "",
        &[
            ("strong stores", Cuda(&[("output[i] = splat<T>(", FILL_STRONGLY)])),
            (
                "stored with device scope",
                Cuda(&[("output[i] = splat<T>(", FILL_STRONGLY), ("relaxed.cta", "relaxed.gpu")]),
            ),
        ],
    ),
    gap(
        "memory_spaces/private_bandwidth",
        Dtype::U32,
        Extent::Linear(1 << 18),
        "ROUNDS=4",
        &[(
            "the array zeroed first",
            Cuda(&[("u32 own[OWN];", "u32 own[OWN] = {};\n    asm volatile(\"\" : : \"l\"(own) : \"memory\");")]),
        )],
    ),
];

/// Always the same tiles: no DRAM reads after the first round.
const NO_LOADS: &[Edit] = &[("let next = min(first + round * DEPTH, sizes.k - DEPTH);", "let next = 0u;")];
/// Without the stores the compiler removes the loads too.
const NO_STORES: Edit = ("                    keep(t, of_a, of_b);\n", "");
const NO_BARRIERS: Edit = ("                    workgroupBarrier();\n", "");

/// Each tile waits until the 32 tiles before it have published their sums, and adds nothing.
const WAIT_ONLY: &[Edit] = &[
    ("let seen = looked_back(end, lane, lanes);", "let seen = waited(end, lane, lanes);"),
    (
        "/// Waits for PAUSE rounds.",
        "fn waited(tile: u32, lane: u32, lanes: u32) -> Found {
    var looks = pause(tile);
    while (looks < 100000u) {
        let is_published = atomicLoad(&state[2u * (tile - 1u - min(lane, tile - 1u)) + 2u]) != 0u;
        looks = select(looks + 1u, 100000u, subgroupAll(is_published));
    }
    return Found(T(), 0u);
}

/// Waits for PAUSE rounds.",
    ),
];

const ONE_BY_ONE: &[Edit] = &[
    ("if (first + 3u < sizes.n) {\n ", "if (sizes.n == 0u) {\n "),
    ("i < sizes.n; i++", "i < min(first + 4u, sizes.n); i++"),
];

const ONE_BY_ONE_IN_CUDA: &[Edit] = &[
    ("if (first + 3u < sizes.n) {\n ", "if (sizes.n == 0u) {\n "),
    (
        "for (u32 i = first; i < sizes.n; i++)",
        "_Pragma(\"unroll 1\") for (u32 i = first; i < min(first + 4u, sizes.n); i++)",
    ),
];

/// The Vulkan driver adds this to every global atomic of the suite: if all lanes have the same address, one lane adds
/// for all.
const MATCH: &str = "__device__ __forceinline__ void matched_add(u32* to, u32 value) {
    int is_same;
    const unsigned active = __activemask();
    __match_all_sync(active, reinterpret_cast<unsigned long long>(to), &is_same);
    if (!is_same) {
        atomicAdd(to, value);
        return;
    }
    const u32 lanes = __popc(active);
    if ((threadIdx.x & 31u) == 31u - __clz(active)) {
        atomicAdd(to, value * lanes);
    }
}
struct Sizes";

/// Loads and stores that other threads of the block must see: LDG.E.STRONG.SM and STG.E.STRONG.SM, which the Vulkan
/// driver uses for every access to a buffer that a kernel writes.
const STRONG: &str = "template <typename V> __device__ __forceinline__ V strong_load(const V* from) {
    u32 bits;
    asm volatile(\"ld.relaxed.cta.global.u32 %0, [%1];\" : \"=r\"(bits) : \"l\"(from));
    return *reinterpret_cast<V*>(&bits);
}
template <typename V> __device__ __forceinline__ void strong_store(V* to, V value) {
    asm volatile(\"st.relaxed.cta.global.u32 [%0], %1;\" : : \"l\"(to), \"r\"(*reinterpret_cast<u32*>(&value)));
}
struct Sizes";

/// The same for the 16-byte store of a fill.
const FILL_STRONGLY: &str = "const auto stored = [&](float x) {
            asm volatile(\"st.relaxed.cta.global.v4.f32 [%0], {%1, %1, %1, %1};\"
                : : \"l\"(output + i), \"f\"(x) : \"memory\");
        };
        stored(";

/// The products of `spmv/subgroup` four at a time.
const FOUR_AT_ONCE: &[Edit] = &[(
    "for (var k = starts[row] + lane; k < stop; k += lanes) {",
    "var k = starts[row] + lane;
        while (k + 3u * lanes < stop) {
            let a = values[k] * x[columns[k]];
            let b = values[k + lanes] * x[columns[k + lanes]];
            let c = values[k + 2u * lanes] * x[columns[k + 2u * lanes]];
            let d = values[k + 3u * lanes] * x[columns[k + 3u * lanes]];
            sum += a;
            sum += b;
            sum += c;
            sum += d;
            k += 4u * lanes;
        }
        for (; k < stop; k += lanes) {",
)];

const COPY_TEXELS: &str = "
@group(0) @binding(0) var input: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(input);
    if (all(id.xy < size)) {
        output[id.y * size.x + id.x] = textureLoad(input, id.xy, 0).x;
    }
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let filters: Vec<String> = std::env::args().skip(1).collect();
    pollster::block_on(async {
        let adapter = adapters(None).await.into_iter().next().ok_or("no adapter")?;
        println!("{}, {}", adapter.device.name, adapter.device.driver);
        let mut vulkan = WgpuBackend::open(adapter, Timeouts::DEFAULT).await?;
        let mut cuda =
            devices().and_then(|mut found| CudaBackend::open(found.swap_remove(0), Timeouts::DEFAULT.idle))?;
        for gap in GAPS {
            if !filters.is_empty() && !filters.iter().any(|filter| gap.name.contains(filter.as_str())) {
                continue;
            }
            let case = case(gap)?;
            println!("{} {} {} {}", gap.name, gap.dtype.name(), gap.extent, gap.params);
            for (label, change) in UNCHANGED.iter().chain(gap.variants) {
                let (api, backend): (_, &mut dyn Backend) = match change {
                    Wgsl(_) | CopyByKernel(_) | OtherAddresses(Api::Vulkan) => ("vulkan", &mut vulkan),
                    Cuda(_) | ExtraSharedMemory(_) | OtherAddresses(Api::Cuda) => ("cuda", &mut cuda),
                };
                let times = if matches!(change, OtherAddresses(_)) { 8 } else { 1 };
                let line = match changed(&case, change) {
                    Ok(job) => row(backend, &job, times).await.unwrap_or_else(|error| error.to_string()),
                    Err(why) => why,
                };
                println!("  {api:<7}{label:<42}{line}");
            }
        }
        Ok(())
    })
}

fn case(gap: &Gap) -> Result<Case, Box<dyn Error>> {
    let filters = vec![gap.name.to_owned()];
    let found = plan(&Request::new(filters, Profile::Thorough))?;
    let is_searched = |case: &Case| {
        let shape = &case.shape;
        let params = case.params_text();
        let has = |param: &str| params.split(';').any(|found| found == param);
        case.name() == gap.name
            && shape.dtype == gap.dtype
            && shape.extent == gap.extent
            && gap.params.split(';').filter(|param| !param.is_empty()).all(has)
            && !["BOUNDS", "LOOPS", "ZERO_INIT"].iter().any(|check| params.contains(check))
    };
    found.into_iter().find(is_searched).ok_or_else(|| format!("{} has no such case", gap.name).into())
}

fn changed(case: &Case, change: &Change) -> Result<Job, String> {
    let mut job = Job::new(case).map_err(|error| error.to_string())?;
    let edit = |text: &mut String, edits: &[Edit]| {
        edits.iter().try_for_each(|(from, to)| {
            if !text.contains(from) {
                return Err(format!("'{from}' is not in the kernel"));
            }
            *text = text.replace(from, to);
            Ok(())
        })
    };
    match change {
        Wgsl(edits) => {
            // The file's text, before its marked loops are unrolled.
            let mut text = case.benchmark.wgsl.to_owned();
            edit(&mut text, edits)?;
            let shader = Shader::parse_for(&text, case.shape.dtype.name(), &job.kernel.constants);
            shader.map_err(|error| error.to_string())?.source().clone_into(&mut job.kernel.source);
        }
        Cuda(edits) => edit(&mut job.kernel.cuda, edits)?,
        OtherAddresses(_) => {}
        ExtraSharedMemory(bytes) => job.kernel.dynamic_bytes += bytes,
        CopyByKernel(source) => {
            let shader = Shader::parse(source, "").map_err(|error| error.to_string())?;
            let interface = shader.interface(&job.kernel.constants).map_err(|error| error.to_string())?;
            (job.kernel.source, job.kernel.interface) = (shader.source().to_owned(), interface);
            let sides = job.buffers.iter().find_map(|buffer| match &buffer.contents {
                Contents::Texture(texture) => Some((texture.width as u32, texture.height as u32)),
                _ => None,
            });
            let (width, height) = sides.ok_or("there is no texture")?;
            let groups = [width.div_ceil(32), height.div_ceil(8), 1];
            job.steps = vec![Step::bound(groups, vec![0, 1])];
        }
    }
    Ok(job)
}

/// Prepares the job `times` times, keeps all alive, and returns the time of each.
async fn row(backend: &mut dyn Backend, job: &Job, times: usize) -> Result<String, shaderbench::error::Error> {
    let (mut jobs, mut text) = (Vec::new(), String::new());
    for _ in 0..times {
        jobs.push(backend.prepare(job).await?);
        let Some(prepared) = jobs.last_mut() else { continue };
        let timer = select_timer(prepared.as_mut()).await?;
        let mut rules = Rules::with_budget(400e6);
        rules.max_launches = rules.max_launches.min(500);
        let series = measure(prepared.as_mut(), &timer, &rules).await?;
        let median = stats::median(&series.samples_ns).unwrap_or(f64::NAN);
        text += &format!("{:>10.2}", median / 1e3);
        if let Some(wrong) = verify(prepared.as_mut(), job, 7).await? {
            text += &format!(" (WRONG: {wrong})");
        }
    }
    Ok(text + " µs")
}
