//! Faults planted in the kernels, at least two in each: verification finds every one on a real device, which may be a
//! software one.

use crate::catalogue::{benchmark, benchmarks};
use crate::device::{adapter, common_dtype, fault, open};
use shaderbench::job::Job;
use shaderbench::shader::Shader;
use shaderbench::suite::{Benchmark, Case, Dtype, Extent, Family, Params, Shape};
use shaderbench::suite::{DeviceType, Interface};

/// A fault planted in a kernel: the kernel, the text that is replaced, and its replacement.
pub(crate) type Mutation = (&'static str, &'static str, &'static str);

/// At least two for each kernel: a wrong index, a missing barrier, a skipped tail, a lost lane.
pub(crate) const MUTATIONS: &[Mutation] = &[
    ("ceiling/copy", "output[i] = input[i]", "output[i] = input[i ^ 1u]"),
    ("ceiling/copy", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("ceiling/copy", "let i = (group.y", "let i = 1u + (group.y"),
    ("ceiling/read", "var j = i; j <", "var j = i + stride; j <"),
    ("ceiling/read", "d += input[i + 3u * stride]", "d += input[i + 2u * stride]"),
    ("ceiling/read", "(sum.z + sum.w)", "(sum.z + sum.z)"),
    ("ceiling/read", "j < sizes.elements; j += stride", "j + stride < sizes.elements; j += stride"),
    ("ceiling/read_tree", "d += input[i + 3u * stride]", "d += input[i + 2u * stride]"),
    ("ceiling/read_tree", "var j = i; j <", "var j = i + stride; j <"),
    ("ceiling/read_tree", "half > 0u", "half > 1u"),
    ("ceiling/fill", "(i & 1023u)", "(i & 1022u)"),
    ("ceiling/fill", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("ceiling/fma", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/fma", "+ (x.g + x.h)", "+ (x.g + x.g)"),
    ("ceiling/fma", "fma(x.f, m, m)", "x.f"),
    ("ceiling/fma", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("ceiling/fma_f16", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/fma_f16", "(x.c - x.d)", "(x.c - x.c)"),
    ("ceiling/fma_f16", "fma(x.f, m, p)", "x.f"),
    ("ceiling/fma_f16", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("ceiling/tensor", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/tensor", "coopMultiplyAdd(a1, b2, x12)", "coopMultiplyAdd(a1, b1, x12)"),
    ("ceiling/tensor", "(x12 + x13)", "(x12 + x12)"),
    ("ceiling/tensor", "to < sizes.elements", "to + 256u < sizes.elements"),
    ("ceiling/mad", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/mad", "x.f * m + p", "x.f * p + m"),
    ("ceiling/dot4", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/dot4", "step(x.c, m, p)", "step(x.c, m & 0xffffffu, p)"),
    ("ceiling/workgroup_read", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/workgroup_read", "table[at + 15u * STEP]", "table[at + 14u * STEP]"),
    ("ceiling/workgroup_read", "= input[k]", "= input[k ^ 1u]"),
    ("ceiling/launch", "output[0] = sizes.sign", "output[0] = sizes.sign + 1u"),
    ("ceiling/launch", "output[0] = sizes.sign", "output[1] = sizes.sign"),
    ("transfer/pinned_by_kernel", "output[i] = input[i]", "output[i] = input[i ^ 1u]"),
    ("transfer/pinned_by_kernel", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("host_cost/dispatch", "* 5u", "* 3u"),
    ("host_cost/dispatch", "input[t]", "input[t ^ 1u]"),
    ("host_cost/immediates", "* 5u", "* 3u"),
    ("host_cost/immediates", "+ own.number", "+ 2u * own.number"),
    ("host_cost/uniform_write", "* 5u", "* 3u"),
    ("host_cost/uniform_write", "+ own.number", "+ 2u * own.number"),
    ("host_cost/pipeline_first", "* 5u", "* 3u"),
    ("host_cost/pipeline_first", "is_asked == 1u", "is_asked == 0u"),
    ("cache_curve/latency", "k < sizes.steps", "k + 16u < sizes.steps"),
    ("cache_curve/latency", "at = cycle[at].next", "at = cycle[at].check"),
    ("cache_curve/latency", "cycle[at].check ^ cycle[first].expected", "cycle[at].check ^ cycle[at].expected"),
    ("cache_curve/chains", "k < sizes.steps", "k + 1u < sizes.steps"),
    ("cache_curve/chains", "at = cycle[at].next", "at = cycle[at].rest[0]"),
    ("cache_curve/chains", "i < THREADS", "i + 1u < THREADS"),
    ("cache_curve/bandwidth", "d += input[(at + 3u * WG)", "d += input[(at + 2u * WG)"),
    ("cache_curve/bandwidth", "k < ROUNDS", "k + 4u < ROUNDS"),
    ("cache_curve/bandwidth", "(sum.z + sum.w)", "(sum.z + sum.z)"),
    ("cache_curve/read_once", "(k + 3u) * WG < sizes.elements", "k * WG < sizes.elements"),
    ("cache_curve/read_once", "k * WG < sizes.elements; k += 1u", "(k + 1u) * WG < sizes.elements; k += 1u"),
    ("cache_curve/read_once", "(sum.z + sum.w)", "(sum.z + sum.z)"),
    ("cache_curve/slices", "k < ROUNDS * WG", "k + 4u * WG < ROUNDS * WG"),
    ("cache_curve/slices", "(block + (k >> sizes.shift) * step)", "(block + 1u + (k >> sizes.shift) * step)"),
    ("cache_curve/slices", "d += input[at(block, k + 3u * WG", "d += input[at(block, k + 2u * WG"),
    ("cache_curve/granule", "k < sizes.steps", "k + 8u < sizes.steps"),
    ("cache_curve/granule", "APART / 4u +", "APART / 128u +"),
    ("cache_curve/granule", "let next = cycle[at * BLOCK]", "let next = cycle[at * BLOCK + 1u]"),
    ("memory_spaces/storage_bandwidth", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/storage_bandwidth", "table[at + 120u]", "table[at + 112u]"),
    ("memory_spaces/storage_bandwidth", "sum.z) * 3u + sum.w", "sum.z) * 3u + sum.z"),
    ("memory_spaces/texture_bandwidth", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/texture_bandwidth", "texel(at + 120u)", "texel(at + 112u)"),
    ("memory_spaces/texture_bandwidth", "at & 15u, at >> 4u", "at >> 4u, at & 15u"),
    ("memory_spaces/texture_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/texture_latency", "at & 31u, at >> 5u", "at >> 5u, at & 31u"),
    ("texture/rotate_sampled", "v * sizes.cos + u * sizes.sin", "v * sizes.cos - u * sizes.sin"),
    ("texture/rotate_sampled", "f32(id.x) / f32(sizes.width)", "(f32(id.x) + 0.05) / f32(sizes.width)"),
    ("texture/rotate_sampled", "id.x >= sizes.width", "id.x + 1u >= sizes.width"),
    ("texture/rotate_by_hand", "left + 1u == sizes.width", "false"),
    ("texture/rotate_by_hand", "part.x);\n    let below", "part.y);\n    let below"),
    ("texture/rotate_by_hand", "length - 1 - rest, at < 0", "length - 1 - rest, at < -1"),
    ("texture/rotate_by_hand", "(sizes.height)) - 0.5", "(sizes.height)) - 0.49"),
    ("texture/rotate_sampled_float", "v * sizes.cos + u * sizes.sin", "v * sizes.cos - u * sizes.sin"),
    ("texture/rotate_sampled_float", "f32(id.x) / f32(sizes.width)", "(f32(id.x) + 0.05) / f32(sizes.width)"),
    ("texture/rotate_by_hand_float", "part.x);\n    let below", "part.y);\n    let below"),
    ("texture/rotate_by_hand_float", "length - 1 - rest, at < 0", "length - 1 - rest, at < -1"),
    ("memory_spaces/uniform_bandwidth", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/uniform_bandwidth", "table[at + 120u]", "table[at + 112u]"),
    ("memory_spaces/uniform_bandwidth", "(block + 37u * k)", "(block + 36u * k)"),
    ("memory_spaces/workgroup_bandwidth", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/workgroup_bandwidth", "= input[k]", "= input[k ^ 1u]"),
    ("memory_spaces/workgroup_bandwidth", "i < sizes.invocations", "i + 1u < sizes.invocations"),
    ("memory_spaces/private_bandwidth", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/private_bandwidth", "own[at + 15u]", "own[at + 14u]"),
    ("memory_spaces/private_bandwidth", "& 1023u] + i", "& 1023u]"),
    ("memory_spaces/register_bandwidth", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/register_bandwidth", "h = (h + a) ^ b", "h = (h + a) ^ c"),
    ("memory_spaces/register_bandwidth", "(g + 3u * h)", "(g + 3u * g)"),
    ("memory_spaces/table_const", "table[at + 30u]", "table[at + 28u]"),
    ("memory_spaces/table_const", "0x", "1u ^ 0x"),
    ("memory_spaces/table_const", "EACH == 1u", "EACH == 0u"),
    ("memory_spaces/table_uniform", "at % 4u", "(at + 1u) % 4u"),
    ("memory_spaces/table_uniform", "EACH == 1u", "EACH == 0u"),
    ("memory_spaces/table_bytes", "at / 4u % 4u", "at % 4u"),
    ("memory_spaces/table_bytes", "(8u * (at % 4u))", "(8u * (at / 64u))"),
    ("memory_spaces/table_bytes", "EACH == 1u", "EACH == 0u"),
    ("memory_spaces/table_storage", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/table_storage", "+ sizes.shift", "+ 1u + sizes.shift"),
    ("memory_spaces/storage_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/storage_latency", "at = cycle[at]", "at = cycle[at ^ 1u]"),
    ("memory_spaces/pinned_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/pinned_latency", "at = cycle[at].next", "at = cycle[at].check"),
    ("memory_spaces/pinned_latency", "cycle[at].check ^ cycle[first].expected", "cycle[at].check ^ cycle[at].expected"),
    ("memory_spaces/uniform_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/uniform_latency", "cycle[at].x", "cycle[at].y"),
    ("memory_spaces/workgroup_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/workgroup_latency", "= cycle[k]", "= cycle[k ^ 1u]"),
    ("memory_spaces/private_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/private_latency", "(cycle[k] + sizes.shift)", "cycle[k]"),
    ("reduction/interleaved_global", "data[i] += data[i + s]", "data[i] += data[i + 1u]"),
    ("reduction/interleaved_global", "i + s < sizes.n", "i + s + 1u < sizes.n"),
    ("reduction/interleaved_global", "s = 1u; s < WG", "s = 1u; 2u * s < WG"),
    ("reduction/interleaved_global", "        storageBarrier();\n", ""),
    ("reduction/interleaved_workgroup", "s = 1u; s < WG", "s = 2u; s < WG"),
    ("reduction/interleaved_workgroup", "if (i < sizes.n) {\n        own", "if (i + 1u < sizes.n) {\n        own"),
    ("reduction/interleaved_workgroup", "        workgroupBarrier();\n", ""),
    ("reduction/interleaved_device_barrier", "s = 1u; s < WG", "s = 2u; s < WG"),
    ("reduction/interleaved_device_barrier", "tile[t] += tile[t + s]", "tile[t] += tile[t + 1u]"),
    ("reduction/interleaved_device_barrier", "        storageBarrier();\n        workgroupBarrier();\n", ""),
    ("reduction/sequential", "if (t < s)", "if (t + 1u < s)"),
    ("reduction/sequential", "s = WG / 2u", "s = WG / 4u"),
    ("reduction/sequential", "        workgroupBarrier();\n", ""),
    ("reduction/first_add", "own += input[i + WG]", "own += input[i + WG - 1u]"),
    ("reduction/first_add", "if (i + WG < sizes.n)", "if (i + WG + 1u < sizes.n)"),
    ("reduction/first_add", "        workgroupBarrier();\n", ""),
    ("reduction/subgroup", "t + half < left", "t + half + 1u < left"),
    ("reduction/subgroup", "atomicAdd(&slots, 1u)", "atomicAdd(&slots, 0u)"),
    ("reduction/subgroup", "if (i + WG < sizes.n)", "if (i + WG + 1u < sizes.n)"),
    ("reduction/vec4_grid_stride", "vec4<u32>(rest)", "vec4<u32>(rest - 1u)"),
    ("reduction/vec4_grid_stride", "    while (i < whole) {", "    while (i + 1u < whole) {"),
    ("reduction/vec4_grid_stride", "(sum.z + sum.w)", "(sum.z + sum.x)"),
    ("reduction/vec4_grid_stride", "        workgroupBarrier();\n", ""),
    ("reduction/atomic", "atomicAdd(&total, tile[0])", "atomicAdd(&total, tile[0] + 1u)"),
    ("reduction/atomic", "atomicAdd(&total, tile[0])", "atomicStore(&total, tile[0])"),
    ("reduction/atomic", "        workgroupBarrier();\n", ""),
    ("stream/copy", "c[i] = a[i]", "c[i] = a[i ^ 1u]"),
    ("stream/copy", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("stream/mul", "* c[i]", "* c[i ^ 1u]"),
    ("stream/mul", "T(bitcast<f32>(sizes.scalar)) * ", ""),
    ("stream/mul", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("stream/add", "a[i] + b[i]", "a[i] + a[i] + T() * b[i]"),
    ("stream/add", "a[i] + b[i]", "a[i] + b[i ^ 1u]"),
    ("stream/add", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("stream/triad", "T(bitcast<f32>(sizes.scalar)) * ", ""),
    ("stream/triad", "b[i] + ", "b[i ^ 1u] + "),
    ("stream/triad", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("stream/dot", "b[i + 3u * stride];", "b[i + 2u * stride];"),
    ("stream/dot", "while (i < sizes.elements)", "while (i + stride < sizes.elements)"),
    ("stream/dot", "(r + s)", "(r + r)"),
    ("stream/dot", "        workgroupBarrier();\n", ""),
    ("stream/nstream", "b[i] + ", "b[i ^ 1u] + "),
    ("stream/nstream", "* c[i]", "* c[i ^ 1u]"),
    ("stream/nstream", "T(bitcast<f32>(sizes.scalar)) * ", ""),
    ("stream/nstream", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("sum_of_cubes/one_invocation", "(; i < sizes.n", "(; i + 1u < sizes.n"),
    ("sum_of_cubes/one_invocation", "x * x * x", "x * x"),
    ("sum_of_cubes/one_invocation", "eight(i + 24u)", "eight(i + 16u)"),
    ("sum_of_cubes/one_invocation", "var i = 0u", "var i = 1u"),
    ("sum_of_cubes/one_block_chunks", "sizes.n + WG - 1u", "sizes.n"),
    ("sum_of_cubes/one_block_chunks", "i < end", "i + 1u < end"),
    ("sum_of_cubes/one_block_interleaved", "i < sizes.n", "i + 1u < sizes.n"),
    ("sum_of_cubes/one_block_interleaved", "sums[t] = sum", "sums[t ^ 1u] = sum"),
    ("sum_of_cubes/many_blocks_host_sum", "i < sizes.n", "i + 1u < sizes.n"),
    ("sum_of_cubes/many_blocks_host_sum", "i += stride", "i += stride + 1u"),
    ("sum_of_cubes/serial_block_sum", "k < WG", "k + 1u < WG"),
    ("sum_of_cubes/serial_block_sum", "i < sizes.n", "i + 1u < sizes.n"),
    ("sum_of_cubes/serial_block_sum", "    workgroupBarrier();\n", ""),
    ("sum_of_cubes/accumulate_in_workgroup", "k < WG", "k + 1u < WG"),
    ("sum_of_cubes/accumulate_in_workgroup", "i < sizes.n", "i + 1u < sizes.n"),
    ("sum_of_cubes/accumulate_in_workgroup", "    workgroupBarrier();\n", ""),
    ("sum_of_cubes/tree_block_sum", "s = WG / 2u", "s = WG / 4u"),
    ("sum_of_cubes/tree_block_sum", "i < sizes.n", "i + 1u < sizes.n"),
    ("sum_of_cubes/tree_block_sum", "        workgroupBarrier();\n", ""),
    ("histogram/global_atomic", "i < sizes.n", "i + 1u < sizes.n"),
    ("histogram/global_atomic", "word >> 16u", "word >> 8u"),
    ("histogram/global_atomic", "word >> 24u], 1u", "word >> 24u], 2u"),
    ("histogram/workgroup_atomic", "i < sizes.n", "i + 1u < sizes.n"),
    ("histogram/workgroup_atomic", "atomicStore(&counts[bin], 0u)", "atomicStore(&counts[bin], 1u)"),
    ("histogram/workgroup_atomic", "atomicAdd(&bins[bin]", "atomicStore(&bins[bin]"),
    ("histogram/vec4", "count(four.w)", "count(four.z)"),
    ("histogram/vec4", "if (i == whole)", "if (i + 1u == whole)"),
    ("histogram/vec4", "word >> 24u", "word >> 25u"),
    ("histogram/private", "i < sizes.n", "i + 1u < sizes.n"),
    ("histogram/private", "copy < COPIES", "copy + 1u < COPIES"),
    ("histogram/private", "own + (word >> 24u)", "word >> 25u"),
    ("atomics/same_address", "own + k)", "own)"),
    ("atomics/same_address", "i < sizes.n", "i + 1u < sizes.n"),
    ("atomics/same_address", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("atomics/spread", "i & (SLOTS - 1u)", "(i ^ 1u) & (SLOTS - 1u)"),
    ("atomics/spread", "i < sizes.n", "i + 1u < sizes.n"),
    ("atomics/workgroup", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("atomics/workgroup", "atomicStore(&counter, 0u)", "atomicStore(&counter, 1u)"),
    ("atomics/workgroup", "if (i < sizes.n) {\n        let own", "if (i + 1u < sizes.n) {\n        let own"),
    ("barrier/exchange", "        workgroupBarrier();\n", ""),
    ("barrier/exchange", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("barrier/exchange", "(t + 1u) % WG", "t"),
    ("transpose/naive_coalesced_read", "id.x * sizes.rows", "id.x * sizes.columns"),
    ("transpose/naive_coalesced_read", "id.x < sizes.columns", "id.x + 1u < sizes.columns"),
    ("transpose/naive_coalesced_write", "input[id.x * sizes.columns + id.y]", "input[id.y * sizes.rows + id.x]"),
    ("transpose/naive_coalesced_write", "id.y < sizes.columns", "id.y + 1u < sizes.columns"),
    ("transpose/naive_read_write_input", "input[id.x * sizes.columns + id.y]", "input[id.y * sizes.rows + id.x]"),
    ("transpose/naive_read_write_input", "id.y < sizes.columns", "id.y + 1u < sizes.columns"),
    ("pitched/rows_2d", "row * sizes.pitch + x", "row * sizes.columns + x"),
    ("pitched/rows_2d", "x < sizes.columns", "x + 1u < sizes.columns"),
    ("pitched/slices_3d", "group.x * sizes.pitch", "group.x * sizes.width"),
    ("pitched/slices_3d", "x < sizes.width", "x + 1u < sizes.width"),
    ("scan/three_kernels", "own += sums[t - s]", "own += sums[t - 1u]"),
    ("scan/three_kernels", "before = sums[t - 1u]", "before = sums[t]"),
    ("scan/three_kernels", "first + 3u < sizes.n) { d", "first + 4u < sizes.n) { d"),
    ("scan/three_kernels", "i < sizes.n; i++", "i + 1u < sizes.n; i++"),
    ("scan/three_kernels", "output[first + 3u] = d + before", "output[first + 3u] = d"),
    ("scan/single_pass", "own += sums[half + t - 2u * s]", "own += sums[half + t - s]"),
    ("scan/single_pass", "vec4<T>(T(), all.x, all.x + all.y,", "vec4<T>(T(), all.x, all.y,"),
    ("scan/single_pass", "sums[half + t] = own;\n        workgroupBarrier();\n", "sums[half + t] = own;\n"),
    ("scan/single_pass", "atomicAdd(&state[0], 1u)", "atomicAdd(&state[0], 2u)"),
    ("scan/single_pass", "(bits >> 16u)", "(bits >> 15u)"),
    ("scan/single_pass", "before + aggregate)", "aggregate)"),
    ("scan/single_pass", "4u * i < sizes.n) {\n        output[i].x", "4u * i + 1u < sizes.n) {\n        output[i].x"),
    ("scan/single_pass_subgroup", "upto - own", "upto"),
    ("scan/single_pass_subgroup", "lane == lanes - 1u || ", ""),
    ("scan/single_pass_subgroup", "let is_before = s < subgroup;", "let is_before = s <= subgroup;"),
    ("scan/single_pass_subgroup", "    workgroupBarrier();\n    var all", "    var all"),
    ("scan/single_pass_subgroup", "(bits >> 16u)", "(bits >> 15u)"),
    ("scan/single_pass_subgroup", "before + aggregate)", "aggregate)"),
    ("scan/single_pass_subgroup", "d + starts.w;", "d + starts.z;"),
    ("scan/single_pass_subgroup", "scanned(input[i + WG])", "scanned(input[i])"),
    ("scan/single_pass_subgroup", "= again_upto;", "= upto;"),
    ("scan/single_pass_subgroup", "starts += half + vec4", "starts += vec4"),
    ("scan/single_pass_subgroup", "scanned(four(i + 2u * WG))", "scanned(four(i + WG))"),
    (
        "scan/single_pass_subgroup",
        "4u * i < sizes.n) {\n        output[i].x",
        "4u * i + 1u < sizes.n) {\n        output[i].x",
    ),
    ("transpose/registers", "vec4<T>(a.z, b.z, c.z, d.z)", "vec4<T>(a.z, b.z, c.z, c.z)"),
    ("transpose/registers", "output[to + 3u * height]", "output[to + 2u * height]"),
    ("transpose/registers", "min(y + 4u, sizes.rows)", "min(y + 3u, sizes.rows)"),
    ("transpose/tiled_wide", "number % groups.y", "number / groups.y"),
    ("transpose/tiled_wide", "keep(cell + 32u, d)", "keep(cell + 32u, b)"),
    ("transpose/tiled_wide", "y < sizes.columns", "y + 1u < sizes.columns"),
    ("transpose/tiled", "    workgroupBarrier();\n", ""),
    ("transpose/tiled", "corner.yx", "corner.xy"),
    ("transpose/tiled", "tile[t.x * (TILE + PAD) + k]", "tile[k * (TILE + PAD) + t.x]"),
    ("safety_tax/workgroup_fill", "2654435761u", "2654435759u"),
    ("safety_tax/workgroup_fill", "    workgroupBarrier();\n", ""),
    ("safety_tax/workgroup_fill", "first + t < sizes.elements", "first + t + 1u < sizes.elements"),
    ("transpose/tiled_vec4", "    workgroupBarrier();\n", ""),
    ("transpose/tiled_vec4", "tile[cell + 3u] = four.w", "tile[cell + 3u] = four.z"),
    ("transpose/tiled_vec4", "output[at + 24u * pitch] = column(cell + 24u);", ""),
    ("transpose/tiled_vec4", "k < TILE; k += 2u", "k + 1u < TILE; k += 2u"),
    ("bank_conflict/stride", "STRIDE * i", "(STRIDE - 1u) * i"),
    ("bank_conflict/stride", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("bank_conflict/stride", "c += table[at + 14u * STEP]", "c += table[at + 13u * STEP]"),
    ("bank_conflict/stride", "sizes.advance * k", "k"),
    ("bank_conflict/stride", "i < sizes.n", "i + 1u < sizes.n"),
    ("bank_conflict/broadcast", "i / GROUP", "i / (2u * GROUP)"),
    ("bank_conflict/broadcast", "= input[k]", "= input[k ^ 1u]"),
    ("bank_conflict/broadcast", "(c + d)", "(c + c)"),
    ("bank_conflict/bytes", "(1u << BITS) - 1u", "(1u << BITS) - 2u"),
    ("bank_conflict/bytes", "place % each * BITS", "8u"),
    ("bank_conflict/bytes", "APART * i", "i"),
    ("bank_conflict/halves", "(1u << BITS) - 1u", "(1u << (BITS - 1u)) - 1u"),
    ("bank_conflict/halves", "place % each * BITS", "0u"),
    ("bank_conflict/halves", "= input[k]", "= input[k ^ 1u]"),
    ("coalescing/offset", "x[at] + y[at + LEAD]", "x[at] + y[at]"),
    ("coalescing/offset", "z[i] = x[i]", "z[i] = x[i + 1u]"),
    ("coalescing/offset", "at < sizes.n", "at + 1u < sizes.n"),
    ("coalescing/offset", "i < min(OFFSET, sizes.n)", "i + 1u < min(OFFSET, sizes.n)"),
    ("coalescing/offset_reads", "let at = i + OFFSET", "let at = i + OFFSET / 2u"),
    ("coalescing/offset_reads", "x[at] + y[at + LEAD]", "x[at] + y[at]"),
    ("coalescing/offset_reads", "i < sizes.n", "i + 1u < sizes.n"),
    ("coalescing/offset_apart", "z[i] = x[i]", "z[i] = x[i + 1u]"),
    ("coalescing/offset_apart", "number < even)", "number < even + 1u)"),
    ("coalescing/offset_apart", "number - even", "number + 1u - even"),
    ("coalescing/offset_apart", "at < sizes.n", "at + 1u < sizes.n"),
    ("coalescing/stride", "x[STRIDE * i]", "x[STRIDE * i + 1u]"),
    ("coalescing/stride", "i < sizes.n", "i + 1u < sizes.n"),
    ("coalescing/broadcast_storage", "x[0] + y[i]", "x[1] + y[i]"),
    ("coalescing/broadcast_storage", "y[i]", "y[i ^ 1u]"),
    ("coalescing/broadcast_storage", "i < sizes.n", "i + 1u < sizes.n"),
    ("coalescing/broadcast_uniform", "x.x + y[i]", "x.y + y[i]"),
    ("coalescing/broadcast_uniform", "y[i]", "y[i ^ 1u]"),
    ("coalescing/broadcast_uniform", "i < sizes.n", "i + 1u < sizes.n"),
    ("workgroup_memory/fixed_size", "(t + 37u)", "(t + 36u)"),
    ("workgroup_memory/fixed_size", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/fixed_size", "own;\n        workgroupBarrier();\n", "own;\n"),
    ("workgroup_memory/override_size", "(t + 37u)", "(t + 36u)"),
    ("workgroup_memory/override_size", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/override_size", "own;\n        workgroupBarrier();\n", "own;\n"),
    ("workgroup_memory/fixed_bytes", "(t + 3u)", "(t + 2u)"),
    ("workgroup_memory/fixed_bytes", "own << (8u * (t % 4u))", "own << (8u * (t % 2u))"),
    ("workgroup_memory/structured", "2u * pair + 1u] = high", "2u * pair + 1u] = low"),
    ("workgroup_memory/structured", "block.ints[i];", "block.ints[i ^ 1u];"),
    ("workgroup_memory/structured", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/structured", "        }\n        workgroupBarrier();\n", "        }\n"),
    ("workgroup_memory/carved", "16u - 16u * (i % 2u)", "16u * (i % 2u)"),
    ("workgroup_memory/carved", ">> 16u;\n}", ">> 15u;\n}"),
    ("workgroup_memory/carved", "INTS = 512u / 4u", "INTS = 256u / 4u"),
    ("workgroup_memory/carved", "        }\n        workgroupBarrier();\n", "        }\n"),
    ("workgroup_memory/distinct_words", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/distinct_words", "words[j * WG + t] = base + lane", "words[j * WG + t] = base"),
    ("workgroup_memory/distinct_words", "words[j * WG + t] =", "words[t] ="),
    ("workgroup_memory/same_word", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/same_word", "= base + lane", "= base + CLUMP + lane"),
    ("workgroup_memory/same_word", "words[j * CLUMPS + clump] =", "words[j * CLUMPS] ="),
    ("workgroup_memory/atomic_word", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/atomic_word", "atomicMax(", "atomicMin("),
    ("workgroup_memory/atomic_word", "base + lane", "base + lane / 2u"),
    ("workgroup_memory/bytes_of_word", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/bytes_of_word", "<< (8u * (t % 4u))", "<< (8u * (t % 2u))"),
    ("workgroup_memory/bytes_of_word", "&words[other + j], 0u", "&words[here + j], 0u"),
    ("workgroup_memory/bytes_of_word", "+ 4u * peer", "+ 4u * (peer ^ 1u)"),
    ("workgroup_memory/occupancy", "pages[page + other]", "pages[page + t]"),
    ("workgroup_memory/occupancy", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("workgroup_memory/occupancy", "j < sizes.elements", "j + 1u < sizes.elements"),
    ("workgroup_memory/zero_init", "block[page + other]", "block[page + t]"),
    ("workgroup_memory/zero_init", "    workgroupBarrier();\n    let other", "    let other"),
    ("workgroup_memory/zero_init", "i < sizes.n", "i + 1u < sizes.n"),
    ("matmul/naive", "p < sizes.k", "p + 1u < sizes.k"),
    ("matmul/naive", "b[p * sizes.n + id.x]", "b[id.x * sizes.k + p]"),
    ("matmul/naive", "id.y < sizes.m", "id.y + 1u < sizes.m"),
    ("matmul/tiled", "from_b;\n        workgroupBarrier();\n", "from_b;\n"),
    ("matmul/tiled", "a_tile[t.y * TILE + p]", "a_tile[p * TILE + t.y]"),
    ("matmul/tiled", "first + t.x < sizes.k", "first + t.x + 1u < sizes.k"),
    ("matmul/register_blocked", "next_b;\n        workgroupBarrier();\n", "next_b;\n"),
    ("matmul/register_blocked", "fma(vec4<T>(from_a.w)", "fma(vec4<T>(from_a.z)"),
    ("matmul/register_blocked", "first + DEPTH + t.y, column", "first + t.y, column"),
    ("matmul/register_blocked", "column + 3u < sizes.n", "column + 4u < sizes.n"),
    ("matmul/register_blocked", "row < sizes.m && p < sizes.k", "row + 1u < sizes.m && p < sizes.k"),
    ("matmul/double_buffered", "    workgroupBarrier();\n    let next_step", "    let next_step"),
    ("matmul/double_buffered", "fma(vec4<T>(step.bottom.w), step.right", "fma(vec4<T>(step.bottom.z), step.right"),
    ("matmul/double_buffered", "first + 2u * DEPTH, is_whole", "first + DEPTH, is_whole"),
    ("matmul/double_buffered", "place.a_read ^ 4u, p >= 4u", "place.a_read, p >= 4u"),
    ("matmul/double_buffered", "row < sizes.m && p < sizes.k", "row < sizes.m && p + 1u < sizes.k"),
    ("matmul/double_buffered", "min(4u, sizes.n - column)", "min(3u, sizes.n - column)"),
    ("matmul/double_buffered", "row + 3u, column, fourth", "row + 3u, column, third"),
    (
        "matmul/cooperative",
        "                    workgroupBarrier();\n                    keep(t, of_a",
        "                    keep(t, of_a",
    ),
    ("matmul/cooperative", "keep(t, of_a, of_b);\n                    workgroupBarrier();", "keep(t, of_a, of_b);"),
    (
        "matmul/cooperative",
        "                keep_guarded(t, corner, first);\n                workgroupBarrier();",
        "                keep_guarded(t, corner, first);",
    ),
    ("matmul/cooperative", "p < DEPTH", "p + 16u < DEPTH"),
    ("matmul/cooperative", "a[next_a + 16u * i * a_pitch]", "a[next_a + 15u * i * a_pitch]"),
    ("matmul/cooperative", "b_from + next * b_pitch", "b_from + first * b_pitch"),
    ("matmul/cooperative", "min(first + round * DEPTH", "min(first + DEPTH"),
    ("matmul/cooperative", "place % 2u * 4u", "place % 2u * 3u"),
    ("matmul/cooperative", "column + 2u < sizes.n", "column + 3u < sizes.n"),
    ("matmul/cooperative", "coopMultiplyAdd(late_a[y], late_b[x]", "coopMultiplyAdd(late_a[y], late_b[x / 2u]"),
    ("matmul/cooperative", "coopMultiplyAdd(early_a[y], early_b[x]", "coopMultiplyAdd(early_a[y], early_b[x / 2u]"),
    ("matmul/cooperative", "part / 2u * 64u + y * 16u", "part / 2u * 64u + y * 15u"),
    ("matmul/cooperative", "corner.x + part_column + 16u * x", "corner.x + part_column + x / 2u * 32u"),
    ("radix_sort/three_kernels", "i < end; i += WG", "i + 1u < end; i += WG"),
    ("radix_sort/three_kernels", "counts[k] = before;", "counts[k] = own;"),
    ("radix_sort/three_kernels", "sum += counts[totals + d];", "sum += counts[d];"),
    ("radix_sort/three_kernels", "k + 1u - starts[digit]", "k - starts[digit]"),
    ("radix_sort/three_kernels", "before += sums[0] << 16u;", ""),
    ("radix_sort/three_kernels", "source[sizes.n + begin]", "source[sizes.n + begin / 2u]"),
    ("radix_sort/three_kernels", "bit < 16u + BITS", "bit < 12u + BITS"),
    ("radix_sort/three_kernels", "    workgroupBarrier();\n    for (var bit", "    for (var bit"),
    // Keys of which 16 bits are sorted.
    ("radix_sort/three_kernels", "(key >> sizes.shift)", "((key & 0xffff0000u) >> sizes.shift)"),
    ("radix_sort/onesweep", "(key >> sizes.shift)", "((key & 0xffff0000u) >> sizes.shift)"),
    ("radix_sort/onesweep", "(sum + own)", "sum"),
    ("radix_sort/onesweep", "atomicAdd(&state[k], sum)", "atomicAdd(&state[k], 1u)"),
    ("radix_sort/onesweep", "keep(&to, &keys, 8u * half * WG)", "keep(&to, &to, 8u * half * WG)"),
    ("radix_sort/onesweep", "sum += own;\n        }\n        starts[d]", "sum = own;\n        }\n        starts[d]"),
    ("radix_sort/onesweep", "countOneBits(same & ((1u << lane) - 1u))", "0u"),
    (
        "radix_sort/onesweep",
        "atomicAdd(&words[row + digit_of(keys[e])], 1u)",
        "atomicAdd(&words[row + digit_of(keys[e / 2u])], 1u)",
    ),
    ("radix_sort/onesweep", "firstLeadingBit(same)", "firstTrailingBit(same)"),
    ("radix_sort/onesweep", "let at = (*to)[e] - begin;", "let at = (*to)[e];"),
    ("fft/stockham", "a.x * b.y + a.y * b.x", "a.x * b.y - a.y * b.x"),
    ("fft/stockham", "C(a.y, -a.x)", "C(-a.y, a.x)"),
    ("fft/stockham", "factor(min(4u * apart", "factor(min(3u * apart"),
    ("fft/stockham", "min(4u * apart + g, 15u)", "min(4u * apart, 15u)"),
    ("fft/stockham", "times(w[m], w[k])", "times(w[m], w[k / 2u + 1u])"),
    ("fft/stockham", "w[e / apart]", "w[e / apart - u32(e / apart == 4u)]"),
    ("fft/stockham", "COS = T(0.92387953251128674)", "COS = T(0.9238)"),
    ("fft/stockham", "index(begin, e * step.each", "index(begin, (e ^ u32(e == 7u)) * step.each"),
    ("fft/stockham", "((j - k) << step.log_radix) + k", "((j - k) << step.log_radix)"),
    ("fft/stockham", "            workgroupBarrier();\n            if (is_split)", "            if (is_split)"),
    ("fft/stockham", "workgroupBarrier(); // until all invocations have read the last parts", ""),
    ("fft/stockham", "e * each] = x[e]", "e * each] = x[e - u32(e == 9u)]"),
    ("fft/stockham", "first < sizes.transforms <<", "first + 256u < sizes.transforms <<"),
    ("fft/stockham", "(1u << step.log_done) - RADIX", "(1u << step.log_done) - RADIX + 1u"),
    ("fft/stockham", "* middle] = (*x)[e][part]", "* middle] = (*x)[e - part * u32(e == 5u)][part]"),
    ("fft/stockham", "((m - 1u) << step.log_done) + k", "((m - 1u) << step.log_done)"),
    ("spmv/row", "x[columns[k]]", "x[columns[k] / 2u]"),
    ("spmv/row", "k < end", "k + 1u < end"),
    ("spmv/row", "row >= sizes.rows", "row + 1u >= sizes.rows"),
    ("spmv/subgroup", "starts[row] + lane", "starts[row] + lane + 1u"),
    ("spmv/subgroup", "subgroupAdd(sum)", "sum"),
    ("spmv/subgroup", "first + WG / 4u, sizes.rows", "first + WG / 8u, sizes.rows"),
    ("spmv/lanes", "at < vec4<u32>(end)", "at < vec4<u32>(end + 1u)"),
    ("spmv/lanes", "step < lanes; step", "2u * step < lanes; step"),
    ("spmv/lanes", "bounds[t + 1u] = starts[first + t + 1u]", "bounds[t + 1u] = starts[first + t]"),
    ("spmv/lanes", "own == 0u && row < rows", "own == 0u && row + 1u < rows"),
    ("spmv/lanes", "    workgroupBarrier();\n    let lanes", "    let lanes"),
    ("spmv/merge", "corners[k + 1u] == row", "k == at"),
    ("spmv/merge", "sum_of_own += sums[t - 1u]", "sum_of_own += T()"),
    ("spmv/merge", "items[nonzeros + low] + low <= k", "items[nonzeros + low] + low < k"),
    ("spmv/merge", "starts[middle + 1u] + middle < position", "starts[middle + 1u] + middle <= position"),
    ("spmv/merge", "items[k + 2u * WG] = products.z", "items[k + 2u * WG] = products.y"),
    ("spmv/merge", "    workgroupBarrier();\n    // Where this", "    // Where this"),
    ("spmv/merge", "carries[tile] = sum", "carries[tile] = T()"),
    ("stencil/naive_2d", "input[i - sizes.columns]", "input[i - 1u]"),
    ("stencil/naive_2d", "id.y + 1u < sizes.rows", "id.y < sizes.rows"),
    ("stencil/naive_2d", "id.x >= sizes.columns ||", "id.x + 1u >= sizes.columns ||"),
    ("stencil/tiled_2d", "tile[at + ROW]", "tile[at + 1u]"),
    ("stencil/tiled_2d", "    workgroupBarrier();\n", ""),
    ("stencil/tiled_2d", "k % ROW, 1u) - 1u", "k % ROW, 0u)"),
    ("stencil/tiled_2d", "x + 1u < sizes.columns && y > 0u", "y > 0u"),
    ("stencil/rolled_2d", "put(x, y + 2u, b, c, d, beside_c)", "put(x, y + 2u, b, c, d, beside_b)"),
    ("stencil/rolled_2d", "max(x, 1u) - 1u].w", "max(x, 1u) - 1u].z"),
    ("stencil/rolled_2d", "own = below;", "own = above;"),
    ("stencil/rolled_2d", "4u * x + 4u == sizes.columns", "4u * x + 5u == sizes.columns"),
    ("stencil/rolled_2d", "first, 1u) - 1u);\n    var own = four", "first, 1u));\n    var own = four"),
    ("stencil/naive_3d", "input[i + slice]", "input[i - slice]"),
    ("stencil/naive_3d", "all(id + 1u < size)", "all(id < size)"),
    ("stencil/tiled_3d", "tile[at - SLICE]", "tile[at - ROW]"),
    ("stencil/tiled_3d", "    workgroupBarrier();\n", ""),
    ("stencil/tiled_3d", "k % SLICE / ROW", "k / ROW"),
    ("stencil/tiled_3d", "all(id + 1u < size)", "all(id < size)"),
    ("stencil/rolled_3d", "before = b;", "before = own;"),
    ("stencil/rolled_3d", "rows_b + (own + c)", "rows_b + (before + c)"),
    ("stencil/rolled_3d", "min(y + 1u, sizes.height - 1u), z)", "y, z)"),
    ("stencil/rolled_3d", "z + 1u == sizes.depth)", "z == sizes.depth)"),
    ("stencil/rolled_3d", "own = after;", "own = before;"),
    ("gemv/naive", "column < sizes.columns", "column + 1u < sizes.columns"),
    ("gemv/naive", "f32(x[column])", "f32(x[column ^ 1u])"),
    ("gemv/naive", "row < sizes.rows", "row + 1u < sizes.rows"),
    ("gemv/workgroup", "column += WG", "column += WG + 1u"),
    ("gemv/workgroup", "    parts[t] = sum;\n    workgroupBarrier();\n", "    parts[t] = sum;\n"),
    ("gemv/workgroup", "s = WG / 2u", "s = WG / 4u"),
    ("gemv/subgroup", "column += lanes", "column += lanes + 1u"),
    ("gemv/subgroup", "subgroupAdd(own)", "own"),
    ("gemv/subgroup", "lane == 0u && row < sizes.rows", "lane == 0u && row + 1u < sizes.rows"),
    ("gemv/vec4", "    parts[t] = sums;\n    workgroupBarrier();\n", "    parts[t] = sums;\n"),
    ("gemv/vec4", "if (i < width)", "if (i + lanes < width)"),
    ("gemv/vec4", "products(vec4<f32>(x[j]), a1, b1, c1, d1)", "products(vec4<f32>(x[j]), a1, b1, c1, d0)"),
    ("gemv/vec4", "row + lane < sizes.rows", "row + lane + 1u < sizes.rows"),
    ("gemv/vec4", "[column % 4u]", "[column % 2u]"),
    ("gemv/packed", "    parts[t] = sums;\n    workgroupBarrier();\n", "    parts[t] = sums;\n"),
    ("gemv/packed", "unpack2x16float(words.w)", "unpack2x16float(words.z)"),
    ("gemv/packed", "dot(own.high, from_x.high)", "dot(own.high, from_x.low)"),
    ("gemv/packed", "i / 2u % 4u", "i / 2u % 2u"),
    ("gemv/packed", "i += 2u * lanes", "i += lanes"),
    ("gemv/split_k", "    parts[t] = sums;\n    workgroupBarrier();\n", "    parts[t] = sums;\n"),
    ("gemv/split_k", "chunk < sizes.chunks; chunk++", "chunk + 1u < sizes.chunks; chunk++"),
    ("gemv/split_k", "(chunk + 1u) * CHUNK", "(chunk + 2u) * CHUNK"),
    ("gemv/split_k", "while (i + WG < end)", "while (i + 2u * WG < end)"),
    ("gemv/q8_naive", "column % 32u)", "column % 16u)"),
    ("gemv/q8_naive", "16u * (block % 2u)", "0u"),
    ("gemv/q8_naive", "(sizes.columns + 31u) / 32u", "sizes.columns / 32u"),
    ("gemv/q8_vec4", "    parts[t] = sums;\n    workgroupBarrier();\n", "    parts[t] = sums;\n"),
    ("gemv/q8_vec4", "half / 2u % 2u", "half % 2u"),
    ("gemv/q8_vec4", "words.w >> 16u", "words.w >> 15u"),
    ("gemv/q8_vec4", "0x80808080u", "0x80808000u"),
    ("gemv/q8_vec4", "16u * i + 16u <= sizes.columns", "16u * i <= sizes.columns"),
    ("gemv/q8_vec4", "product(from_x, d)", "product(from_x, c)"),
    ("gemv/q4_naive", "4u * (k / 16u)", "4u * (k / 32u)"),
    ("gemv/q4_naive", " - 8.0f", " - 7.0f"),
    ("gemv/q4_naive", "row < sizes.rows", "row + 1u < sizes.rows"),
    // Eight invocations share a row: a software device of eight lanes runs them at once, and a race would not show.
    ("gemv/q4_vec4", "s = lanes / 2u", "s = lanes / 4u"),
    ("gemv/q4_vec4", "(rest & 0x00f000f0u)", "(word & 0x00f000f0u)"),
    ("gemv/q4_vec4", "word >> 8u", "word >> 4u"),
    ("gemv/q4_vec4", "HIGH_OFFSET = 72.0f", "HIGH_OFFSET = 64.0f"),
    ("gemv/q4_vec4", "+ 4u * i < vec4<u32>(sizes.columns)", "+ 4u * i <= vec4<u32>(sizes.columns)"),
    ("gemv/q4_vec4", "near[place + 7u]", "near[place + 6u]"),
    ("gemv/q4_vec4", "blocks - first)", "blocks - first - 1u)"),
    ("gemv/q4_vec4", "near[place + 8u][half % 2u]", "near[place + 8u][0u]"),
    ("gemv/q4_vec4", "block % 2u", "block % 1u"),
    ("gemv/q4_dot4", "s = lanes / 2u", "s = lanes / 4u"),
    ("gemv/q4_dot4", "(own.a + 128) >> by", "own.a >> by"),
    ("gemv/q4_dot4", "own >> vec4<u32>(4u)", "own >> vec4<u32>(8u)"),
    ("gemv/q4_dot4", "own.scales.odd * by_block", "own.scales.even * by_block"),
    ("gemv/q4_dot4", "high, near[place + 5u]", "high, near[place + 4u]"),
    ("softmax/three_pass", "max(top, input[first + column])", "min(top, input[first + column])"),
    ("softmax/three_pass", "sum += exp(input[first + column] - top)", "sum += exp(input[first + column])"),
    ("softmax/three_pass", "* factor", "/ factor"),
    ("softmax/three_pass", "    parts[t] = sum;\n    workgroupBarrier();\n", "    parts[t] = sum;\n"),
    ("softmax/online", "sum * exp(top - x) + 1.0f", "sum + 1.0f"),
    ("softmax/online", "exp(tops[t + s] - both)", "exp(tops[t] - both)"),
    ("softmax/online", "    parts[t] = sum;\n    workgroupBarrier();\n", "    parts[t] = sum;\n"),
    ("softmax/online", "if (x > top)", "if (x > top && column != 0u)"),
    ("softmax/subgroup", "total.sum * exp(total.top - top) + more", "total.sum + more"),
    ("softmax/subgroup", "        workgroupBarrier();\n        // The", "        // The"),
    ("softmax/subgroup", "own.sum * exp(own.top - top)", "own.sum"),
    ("softmax/subgroup", "subgroupShuffleXor(sum, step)", "sum"),
    ("softmax/subgroup", "let d = fetch(first, v + 3u * lanes, end)", "let d = fetch(first, v + 2u * lanes, end)"),
    ("softmax/subgroup", "element(first, 4u * v + 3u)", "element(first, 4u * v + 2u)"),
    ("softmax/subgroup", "total.sum = added(sums)", "total.sum = added(sums) + 1.0f"),
    ("softmax/subgroup", "totals[start + s]", "totals[s]"),
    ("rmsnorm/two_pass", "sum += x * x", "sum += x"),
    ("rmsnorm/two_pass", "    parts[t] = sum;\n    workgroupBarrier();\n", "    parts[t] = sum;\n"),
    ("rmsnorm/two_pass", "gains[column]", "gains[column ^ 1u]"),
    ("rmsnorm/workgroup", "s = WG / 2u", "s = WG / 4u"),
    ("rmsnorm/workgroup", "    parts[t] = sum;\n    workgroupBarrier();\n", "    parts[t] = sum;\n"),
    ("rmsnorm/workgroup", "+ EPSILON", "+ 10.0f * EPSILON"),
    ("rmsnorm/subgroup", "subgroupShuffleXor(sum, step)", "sum"),
    ("rmsnorm/subgroup", "        workgroupBarrier();\n        // The", "        // The"),
    ("rmsnorm/subgroup", "squares += x[2] * x[2] + x[3] * x[3]", "squares += x[2] * x[2]"),
    ("rmsnorm/subgroup", "(c * c + d * d)", "c * c"),
    ("rmsnorm/subgroup", "normalised * gains[v]", "normalised"),
    ("rmsnorm/subgroup", "element(first, 4u * v + 1u)", "element(first, 4u * v + 2u)"),
    ("attention/naive", "c < D;", "c + 1u < D;"),
    ("attention/naive", " * inverseSqrt(f32(D))", ""),
    ("attention/naive", "key <= row % length", "key < row % length"),
    ("attention/naive", "        parts[t] = sum;\n        workgroupBarrier();\n", "        parts[t] = sum;\n"),
    ("attention/naive", "key < end; key++", "key + 1u < end; key++"),
    ("attention/naive", "row / length * length + key", "key"),
    ("attention/tiled", "exp(top_0 - new_0)", "1.0f"),
    ("attention/tiled", "key + lane <= limit_1", "key + lane < limit_1"),
    ("attention/tiled", "        workgroupBarrier();\n        let among_0", "        let among_0"),
    ("attention/tiled", "        // Before the next keys.\n        workgroupBarrier();\n", ""),
    ("attention/tiled", "sum_2 *= factor_2;", ""),
    ("attention/tiled", "o_13 *= factor_1;", ""),
    ("attention/tiled", "p_3.z * v_2", "p_3.z * v_1"),
    ("attention/tiled", "weights[(own + 32u) * 5u + 2u + lane / 4u]", "weights[(own + 32u) * 5u + lane / 4u]"),
    ("attention/cooperative", "factor = exp2(reference - top)", "factor = 1.0f"),
    ("attention/cooperative", "top > reference + GROWTH", "top > reference + 64.0f"),
    ("attention/cooperative", "number + 4u * i <=", "number + 5u * i <="),
    ("attention/cooperative", "key + KEYS > whole", "key > whole"),
    ("attention/cooperative", "sum = sum * factor +", "sum = sum +"),
    ("attention/cooperative", "coopMultiplyAdd(p, own, o[i])", "coopMultiplyAdd(p, own, o[i / 2u])"),
    ("attention/cooperative", "k[at + KEYS * width + i * WG]", "k[at + i * WG]"),
    ("roofline/fma_an_element", "k < FMAS / 16u", "k + 1u < FMAS / 16u"),
    ("roofline/fma_an_element", "x > T(0.0)", "x > T(0.5)"),
    ("roofline/fma_an_element", "i < sizes.elements", "i + 1u < sizes.elements"),
];

/// A change that makes a kernel right for special inputs only, or replaces what it measures by a formula: the kernel, the text
/// that is replaced, its replacement, and the parameters that must find it (empty for any).
type Special = (&'static str, &'static str, &'static str, Params);

/// At least two for each family whose inputs were once special: numbers in (0, 1), whole scales, the same matrix in each run.
const SPECIAL: &[Special] = &[
    ("transpose/tiled", "= tile[t.x * (TILE + PAD) + k];", "= abs(tile[t.x * (TILE + PAD) + k]);", &[]),
    ("transpose/tiled", "= tile[t.x * (TILE + PAD) + k];", "= clamp(tile[t.x * (TILE + PAD) + k], 0.0, 1.0);", &[]),
    ("transpose/tiled", "= tile[t.x * (TILE + PAD) + k];", "= clamp(tile[t.x * (TILE + PAD) + k], -1e30, 1e30);", &[]),
    (
        "transpose/naive_coalesced_write",
        "= input[id.x * sizes.columns + id.y];",
        "= trunc(input[id.x * sizes.columns + id.y] * 16777216.0) / 16777216.0;",
        &[],
    ),
    ("gemv/q8_naive", "column % 32u) * x[column];", "column % 32u) * sign(x[column]);", &[]),
    ("gemv/q8_naive", "sum += scale *", "sum += floor(scale) *", &[]),
    ("gemv/q8_naive", "sum += scale *", "sum += abs(scale) *", &[]),
    ("gemv/q4_naive", "sum += scale *", "sum += floor(scale) *", &[]),
    ("gemv/q4_naive", "column % 32u) * x[column];", "column % 32u) * clamp(x[column], -1.0, 1.0);", &[]),
    ("gemv/naive", "* f32(x[column]);", "* abs(f32(x[column]));", &[]),
    ("scan/three_kernels", "output[first] = before + a;", "output[first] = trunc((before + a) * 128.0) / 128.0;", &[]),
    ("scan/three_kernels", "a = input[first];", "a = clamp(input[first], -1.0, 1.0);", &[]),
    ("scan/single_pass_subgroup", "before + aggregate)", "trunc((before + aggregate) * 128.0) / 128.0)", &[]),
    ("softmax/three_pass", "maxima[row] = parts[0];", "maxima[row] = 0.0f;", &[]),
    ("softmax/three_pass", "maxima[row] = parts[0];", "maxima[row] = 60.0f;", &[]),
    ("softmax/three_pass", "maxima[row] = parts[0];", "maxima[row] = 87.0f;", &[]),
    ("softmax/online", "var top = LOWEST;", "var top = -100.0f;", &[]),
    ("softmax/subgroup", "Total(largest(tops), 0.0f)", "Total(max(largest(tops), 0.0f), 0.0f)", &[]),
    ("attention/naive", "        top = parts[0];", "        top = 0.0f;", &[]),
    ("attention/naive", "        top = parts[0];", "        top = 60.0f;", &[]),
    ("attention/naive", "        top = parts[0];", "        top = 87.0f;", &[]),
    ("attention/naive", "var top = LOWEST;", "var top = -60.0f;", &[]),
    ("attention/tiled", "var top_0 = LOWEST;", "var top_0 = 0.0f;", &[]),
    (
        "spmv/row",
        "x[columns[k]]",
        "x[(0u * columns[k] + row + k - starts[row] + sizes.rows - 8u) % sizes.rows]",
        &[("MATRIX", 0.0)],
    ),
    ("spmv/row", "x[columns[k]]", "x[(columns[starts[row]] + k - starts[row]) % sizes.rows]", &[("MATRIX", 0.0)]),
    ("spmv/row", "x[columns[k]]", "x[0u * columns[k] + high_product(murmured(k), sizes.rows)]", &[("MATRIX", 1.0)]),
    ("spmv/row", "x[columns[k]]", "x[0u * columns[k] + high_product(hashed(k), sizes.rows)]", &[("MATRIX", 1.0)]),
    (
        "radix_sort/three_kernels",
        "result[to] = source[begin];",
        "if (k == 0u || source[begin] != source[corner + (tile[max(k, 1u) - 1u] & 0xffffu)]) { result[to] = source[begin]; }",
        &[],
    ),
    ("radix_sort/three_kernels", "result[to] = source[begin];", "result[to] = max(source[begin], 1u);", &[]),
    ("radix_sort/three_kernels", "result[to] = source[begin];", "result[to] = min(source[begin], 0xfffffffeu);", &[]),
    ("fft/stockham", "e * each] = x[e];", "e * each] = round(x[e] * 4194304.0) / 4194304.0;", &[]),
    ("fft/stockham", "e * each] = x[e];", "e * each] = round(x[e] * 65536.0) / 65536.0;", &[]),
    ("fft/stockham", "e * each] = x[e];", "e * each] = round(x[e] * 16384.0) / 16384.0;", &[]),
    ("fft/stockham", "e * each] = x[e];", "e * each] = clamp(x[e], C(-65504.0), C(65504.0));", &[]),
    ("fft/stockham", "e * each] = x[e];", "e * each] = select(x[e], C(), abs(x[e]) < C(1e-5));", &[]),
    (
        "atomics/same_address",
        "for (var k = 0u; k < ROUNDS; k++) {",
        "if (i == 0u) { atomicStore(&counters[0], ROUNDS * (sizes.n * (sizes.n - 1u) / 2u) + sizes.n * (ROUNDS * (ROUNDS - 1u) / 2u)); } for (var k = ROUNDS; k < ROUNDS; k++) {",
        &[],
    ),
    ("atomics/same_address", "scrambled(input[i & 1023u] ^ i)", "0u * input[0] + i", &[]),
    ("atomics/spread", "scrambled(input[i & 1023u] ^ i)", "scrambled(0u * input[0] + i)", &[]),
    ("atomics/workgroup", "scrambled(input[i & 1023u] ^ i)", "scrambled(input[i & 1023u])", &[]),
    (
        "barrier/exchange",
        "for (var k = 0u; k < ROUNDS; k++) {",
        "x = input[min(i - t + (t + ROUNDS) % WG, sizes.n - 1u)] + ROUNDS * (ROUNDS - 1u) / 2u; for (var k = ROUNDS; k < ROUNDS; k++) {",
        &[],
    ),
    ("barrier/exchange", "(x ^ k)", "k", &[]),
    ("barrier/exchange", "k = 0u; k < ROUNDS", "k = ROUNDS / 2u; k < ROUNDS", &[]),
    (
        "cache_curve/latency",
        "for (var k = 0u; k < sizes.steps; k += 16u) {",
        "at = (first + sizes.steps) % sizes.places; for (var k = sizes.steps; k < sizes.steps; k += 16u) {",
        &[],
    ),
    ("cache_curve/latency", "cycle[at].check ^ cycle[first].expected", "sizes.steps % sizes.places", &[]),
    ("cache_curve/latency", "cycle[at].check ^ cycle[first].expected", "cycle[first].expected", &[]),
    ("cache_curve/granule", "k < sizes.steps", "k + 40u < sizes.steps", &[]),
    (
        "roofline/fma_an_element",
        "for (var k = 0u; k < FMAS / 16u; k++) {",
        "x = select(x, fma(p, T(f32(FMAS)), x), m > T(0.0)); for (var k = FMAS; k < FMAS / 16u; k++) {",
        &[("FMAS", 256.0)],
    ),
    (
        "roofline/fma_an_element",
        "four(four(four(four(x, m, p), m, p), m, p), m, p)",
        "fma(fma(x, m, 8.0 * p), m, 8.0 * p)",
        &[("FMAS", 256.0)],
    ),
    ("roofline/fma_an_element", "T(bitcast<f32>(sizes.addend))", "T(3.0 / 128.0)", &[]),
    ("memory_spaces/storage_latency", "k < STEPS", "k + STEPS < STEPS", &[]),
    ("memory_spaces/storage_latency", "k < STEPS", "k + STEPS / 2u < STEPS", &[]),
    ("memory_spaces/workgroup_latency", "k < STEPS", "k + STEPS < STEPS", &[]),
    ("memory_spaces/pinned_latency", "cycle[at].check ^ cycle[first].expected", "STEPS % sizes.places", &[]),
];

/// What changes of `spmv` use: the hashes from which matrices were and are made, without the run's seed.
const SPECIAL_FUNCTIONS: &str = "
fn high_product(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let mid = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (mid & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (mid >> 16u) + (other >> 16u);
}
fn murmured(index: u32) -> u32 {
    var h = index ^ 0x5eedc0deu;
    h = (h ^ (h >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}
fn hashed(index: u32) -> u32 {
    var h = index ^ 0x5eedc0deu;
    h = (h ^ (h >> 16u)) * 0x7feb352du;
    h = (h ^ (h >> 15u)) * 0x846ca68bu;
    return h ^ (h >> 16u);
}
";

/// The same for kernels in CUDA only, and for twins: those that share little code with their WGSL, and those of the
/// language models, sorts, transforms and sparse matrices. None leaves its buffers: CUDA checks no index.
#[cfg(feature = "cuda")]
const CUDA_MUTATIONS: &[Mutation] = &[
    ("transfer/peer_write_by_kernel", "output[i] = input[i]", "output[i] = input[i ^ 1u]"),
    ("transfer/peer_write_by_kernel", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("transfer/peer_read_by_kernel", "output[i] = input[i]", "output[i] = input[i ^ 1u]"),
    ("transfer/peer_read_by_kernel", "i < sizes.elements", "i + 1u < sizes.elements"),
    ("transfer/peer_latency", "k < STEPS", "k + 16u < STEPS"),
    ("transfer/peer_latency", "at = cycle[at].next", "at = cycle[at].check"),
    ("host_cost/graph", "* 5u", "* 3u"),
    ("host_cost/graph", "+ 1u", "+ 2u"),
    ("sum_of_cubes/clock_in_kernel", "k < WG", "k + 1u < WG"),
    ("sum_of_cubes/clock_in_kernel", "i < sizes.n", "i + 1u < sizes.n"),
    ("bank_conflict/bytes_direct", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("bank_conflict/bytes_direct", "table.parts[at + 15u * STEP]", "table.parts[at + 14u * STEP]"),
    ("bank_conflict/halves_direct", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("bank_conflict/halves_direct", "= input[k]", "= input[k ^ 1u]"),
    ("memory_spaces/pointer_latency", "k < STEPS", "k + 16u < STEPS"),
    ("memory_spaces/pointer_latency", "8ull * cycle[k]", "8ull * (cycle[k] ^ 1u)"),
    ("ceiling/tensor", "pair + 8u, row + 8u * half", "pair, row + 8u * half"),
    ("ceiling/tensor", "chains[y][3][half][j])", "chains[y][2][half][j])"),
    ("ceiling/tensor_bf16", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/tensor_bf16", "chains[y][3][half][j])", "chains[y][2][half][j])"),
    ("ceiling/tensor_bf16", "packed(tile, row + 8u, word + 4u)", "packed(tile, row, word + 4u)"),
    ("ceiling/tensor_tf32", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/tensor_tf32", "chains[y][3][half][j])", "chains[y][2][half][j])"),
    ("ceiling/tensor_tf32", "packed(tile, row + 8u, word + 4u)", "packed(tile, row, word + 4u)"),
    ("ceiling/tensor_int8", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("ceiling/tensor_int8", "chains[y][3][half][j])", "chains[y][2][half][j])"),
    ("ceiling/tensor_int8", "packed(tile, row + 8u, word + 4u)", "packed(tile, row, word + 4u)"),
    ("ceiling/tensor_fp8", "first += SHORT", "first += SHORT + 1u"),
    ("ceiling/tensor_fp8", "chains[1][3][half][j]))", "chains[1][2][half][j]))"),
    ("ceiling/tensor_fp8", "packed(tile, row + 8u, word + 4u)", "packed(tile, row, word + 4u)"),
    ("matmul/cooperative", "p + lane % 16u", "p + lane % 8u"),
    ("matmul/cooperative", "column + 2u * w < columns", "column + 2u * w + 1u < columns"),
    ("matmul/cooperative", "row + 8u, column", "row + 7u, column"),
    ("matmul/cooperative", "first + a_chunk * CHUNK", "first + a_chunk * CHUNK + 1u"),
    ("matmul/cooperative", "read(next, round + 1u, 0u)", "read(next, round, 0u)"),
    ("matmul/cooperative", "copy(into_b, from_b + (first +", "copy(into_b, from_b + (DEPTH +"),
    ("matmul/wgmma", "sums[4u * x + 2u], sums[4u * x + 3u]", "sums[4u * x], sums[4u * x + 3u]"),
    ("matmul/wgmma", "p, at.x + chunk, full", "p, at.x, full"),
    ("matmul/wgmma", "row + 8u < sizes.m", "row + 9u < sizes.m"),
    ("attention/wgmma", "fmaf(rows.sum[half], rows.factor[half], added)", "rows.sum[half] + added"),
    ("attention/wgmma", "number > limit ?", "number > limit + 1u ?"),
    ("attention/wgmma", "rows.factor[i / 2u % 2u]", "rows.factor[0]"),
    ("attention/cooperative", "lane / 8u % 2u);", "lane / 16u);"),
    ("attention/cooperative", "power_of_two(top[b][half] - larger)", "1.0f"),
    ("attention/cooperative", "at + 1u > limit", "at > limit"),
    ("attention/cooperative", "p[b][1] = packed(s[b][2u * m][2]", "p[b][1] = packed(s[b][2u * m][0]"),
    ("attention/cooperative", "(own_values ^ 32u * n)", "(own_values ^ 32u * (n ^ 1u))"),
    ("attention/cooperative", "from_k + (key + KEYS) * D", "from_k + key * D"),
    ("gemv/vec4", "s = lanes / 2u; s > 0u", "s = lanes / 2u; s > 1u"),
    ("gemv/vec4", "lane < 4u && row", "lane < 3u && row"),
    ("gemv/q4_vec4", "s = lanes / 2u; s > 0u", "s = lanes / 2u; s > 1u"),
    ("gemv/q4_vec4", "lane < 4u && row", "lane < 3u && row"),
    ("gemv/q4_dot4", "own.scales.odd * own.odd", "own.scales.odd * own.even"),
    ("gemv/q4_dot4", "wholes[k] = carried(wholes[k])", "wholes[k].x >>= 8"),
    ("gemv/q4_dot4", "high, near[5]", "high, near[4]"),
    ("scan/single_pass_subgroup", "again_starts.y + before", "again_starts.x + before"),
    ("scan/single_pass_subgroup", "vec4<T>{half, half + all.x", "vec4<T>{half, all.x"),
    ("gemv/q8_vec4", "s = lanes / 2u; s > 0u", "s = lanes / 2u; s > 1u"),
    ("gemv/q8_vec4", "lane < 4u && row", "lane < 3u && row"),
    ("gemv/split_k", "s = WG / 2u; s > 0u", "s = WG / 2u; s > 1u"),
    ("gemv/split_k", "chunk < sizes.chunks; chunk++", "chunk + 1u < sizes.chunks; chunk++"),
    ("softmax/subgroup", "total.sum += powers(x[k], total.top)", "total.sum = powers(x[k], total.top)"),
    ("softmax/subgroup", "first / 4u + own + k * lanes", "first / 4u + own"),
    ("rmsnorm/subgroup", "squares += x[k] * x[k];", "squares = x[k] * x[k];"),
    ("rmsnorm/subgroup", "first / 4u + own + k * lanes", "first / 4u + own"),
    ("stencil/rolled_2d", "x < sizes.columns / 4u", "x + 1u < sizes.columns / 4u"),
    ("stencil/rolled_2d", "x < sizes.columns) {", "x + 1u < sizes.columns) {"),
    ("stencil/tiled_3d", "tile[at - SLICE] + tile[at + SLICE]", "tile[at - SLICE] + tile[at - SLICE]"),
    ("stencil/tiled_3d", "y > 0u && z > 0u", "y > 0u"),
    ("stencil/rolled_3d", "x < sizes.width / 4u", "x + 1u < sizes.width / 4u"),
    ("stencil/rolled_3d", "x < sizes.width) {", "x + 1u < sizes.width) {"),
    ("spmv/subgroup", "values[k] * x[columns[k]]", "values[k]"),
    ("spmv/subgroup", "lane == 0u", "lane == 0u && row > first"),
    ("spmv/lanes", "sum += __shfl_xor_sync", "sum = __shfl_xor_sync"),
    ("spmv/lanes", "(sums[0] + sums[1])", "(sums[0] + sums[0])"),
    ("spmv/merge", "products[k] = values[nonzero + k] * ", "products[k] = "),
    ("spmv/merge", "y[row] += sum;", "y[row] = sum;"),
    ("radix_sort/onesweep", "result[moved[k]] = key", "result[moved[k]] = key & ~1u"),
    ("radix_sort/onesweep", "atomicAdd(&state[k], sum)", "atomicAdd(&state[k], 1u)"),
    ("fft/stockham", "make_float2(SIN, -COS)", "make_float2(COS, -COS)"),
    ("fft/stockham", "16u * (e * EACH >> 8)", "0u * (e * EACH >> 8)"),
    ("memory_spaces/spill", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("memory_spaces/spill", "x[(j + 1u) % VALUES]", "x[(j + 2u) % VALUES]"),
    ("memory_spaces/spill", "u32 sum = i", "u32 sum = 0u"),
    ("memory_spaces/spill", "i < sizes.invocations", "i + 1u < sizes.invocations"),
    ("reduction/interleaved_dynamic", "s = 1u; s < THREADS", "s = 2u; s < THREADS"),
    ("reduction/interleaved_dynamic", "if (i < sizes.n) {\n        own", "if (i + 1u < sizes.n) {\n        own"),
    ("workgroup_memory/static_and_dynamic", "own = given[(t + 37u)", "own = given[(t + 36u)"),
    ("workgroup_memory/static_and_dynamic", "k < ROUNDS", "k + 2u < ROUNDS"),
    ("workgroup_memory/static_and_dynamic", "given[t] = own", "given[(t + 1u) % LENGTH] = own"),
    ("workgroup_memory/dynamic_bytes", "(t + 3u) % LENGTH", "(t + 2u) % LENGTH"),
    ("workgroup_memory/dynamic_bytes", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/dynamic_size", "(t + 37u) % LENGTH", "(t + 36u) % LENGTH"),
    ("workgroup_memory/dynamic_size", "k < ROUNDS", "k + 1u < ROUNDS"),
    ("workgroup_memory/dynamic_size", "if (i < sizes.n) {\n        own", "if (i + 1u < sizes.n) {\n        own"),
];

/// Benchmarks that measure the kernel of another, whose faults are planted there.
const BORROWED: &[&str] = &[
    "safety_tax/fma",
    "safety_tax/transpose",
    "safety_tax/matmul",
    "host_cost/encode",
    "host_cost/bind_group",
    "host_cost/submit",
    "host_cost/wait",
    "host_cost/indirect",
    "host_cost/pipeline_again",
];

/// Sizes at which a planted fault must be found: odd ones, with several workgroups.
pub(crate) fn sizes(case: &str) -> &'static [Extent] {
    match case.split('/').next() {
        Some("pitched") if case.ends_with("3d") => &[Extent::Product(5, 7, 129)],
        Some("pitched") => &[Extent::Matrix(100, 257)],
        Some("barrier") => &[Extent::Linear(1025), Extent::Linear(2048)],
        Some("bank_conflict") => &[Extent::Linear(1025), Extent::Linear(4097)],
        Some("rates") => &[Extent::Linear(1025), Extent::Linear(4097)],
        Some("fft") => &[Extent::Matrix(19, 256), Extent::Matrix(5, 2048)],
        Some("stencil") if case.ends_with("3d") => &[Extent::Product(37, 21, 140), Extent::Product(9, 19, 101)],
        Some("stencil") => &[Extent::Matrix(70, 132), Extent::Matrix(100, 257)],
        Some("transpose") => &[Extent::Matrix(64, 96), Extent::Matrix(100, 257)],
        Some("attention") => &[Extent::Matrix(3, 100), Extent::Matrix(2, 257)],
        Some("gemv") => {
            &[Extent::Matrix(101, 257), Extent::Matrix(67, 512), Extent::Matrix(7, 8200), Extent::Matrix(6, 9001)]
        }
        // The longest row has all four loads of a round beyond the registers.
        Some("softmax" | "rmsnorm") => {
            &[Extent::Matrix(101, 257), Extent::Matrix(67, 512), Extent::Matrix(7, 8200), Extent::Matrix(3, 16_404)]
        }
        Some("texture") => &[Extent::Matrix(64, 96), Extent::Matrix(101, 257)],
        Some("matmul") if case.ends_with("cooperative") => {
            &[Extent::Product(133, 267, 70), Extent::Product(130, 260, 40), Extent::Product(136, 264, 128)]
        }
        Some("matmul") if case.ends_with("wgmma") => &[Extent::Product(133, 264, 72), Extent::Product(300, 512, 128)],
        Some("matmul") if case.ends_with("double_buffered") => {
            &[Extent::Product(133, 267, 37), Extent::Product(128, 256, 48)]
        }
        Some("matmul") => &[Extent::Product(65, 67, 33), Extent::Product(70, 100, 37)],
        _ => &[Extent::Linear(70_001), Extent::Linear(69_996), Extent::Linear(16_384)],
    }
}

/// The parameters of a benchmark's first cases, the last ones first. A fault may lie in code that some of them alone have.
fn parameters(benchmark: &Benchmark) -> Vec<Params> {
    let declared = benchmark.cases[0].params;
    if declared.is_empty() { vec![&[]] } else { declared.iter().rev().copied().collect() }
}

/// The job of a benchmark with the last of its first set of parameters.
#[cfg(feature = "cuda")]
fn job(family: &'static Family, benchmark: &'static Benchmark, dtype: Dtype, extent: Extent) -> Job {
    job_with(family, benchmark, dtype, extent, parameters(benchmark)[0])
}

fn job_with(
    family: &'static Family,
    benchmark: &'static Benchmark,
    dtype: Dtype,
    extent: Extent,
    params: Params,
) -> Job {
    job_of_stream(family, benchmark, dtype, extent, params, STREAMS[0])
}

/// Streams of the epochs in which a planted fault must be found: any but 0, which a formula may know.
const STREAMS: [u64; 2] = [5, 7];

fn job_of_stream(
    family: &'static Family,
    benchmark: &'static Benchmark,
    dtype: Dtype,
    extent: Extent,
    params: Params,
    stream: u64,
) -> Job {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let shape = Shape { stream, ..Shape::new(dtype, extent, params) };
    Job::new(&Case::new(family, benchmark, shape)).expect("valid")
}

/// Every planted fault: those in the list, and two in each kernel of `rates`, which share their text. Chains of atomic
/// operations may also share a word.
fn mutations() -> Vec<Mutation> {
    let rates = benchmarks().into_iter().filter(|(_, family, _)| family.name == "rates").flat_map(|(name, ..)| {
        let name: &'static str = name.leak();
        let word = name.contains("_atomic_").then_some((name, "return p;", "return i % WG;"));
        let sum = (name, "stored(x.g.a) + stored(x.h.a)", "stored(x.g.a) + stored(x.g.a)");
        [(name, "one_more(x.f, m)", "x.f"), sum].into_iter().chain(word)
    });
    // An exponential of 12 bits.
    let coarse = ("rates/f32_exp2", "exp2(-x)", "bitcast<f32>(bitcast<u32>(exp2(-x)) & 0xfffff000u)");
    MUTATIONS.iter().copied().chain(rates).chain([coarse]).collect()
}

/// One test for each family, so that they run in parallel: most of their time is compilation on one core.
mod planted_faults_are_found {
    crate::device::each_family!(find_in);

    fn find_in(family: &str) {
        super::find_planted_faults_of(family);
    }
}

fn find_planted_faults_of(family: &str) {
    let Some(adapter) = adapter() else { return };
    let is_software = adapter.device.kind == DeviceType::Software;
    let mut backend = open(adapter);
    for (name, before, after) in mutations().into_iter().filter(|(name, ..)| name.split('/').next() == Some(family)) {
        let (family, benchmark) = benchmark(name);
        let dtype = *benchmark.cases.iter().flat_map(|cases| cases.dtypes).next_back().expect("a type");
        let dtype = common_dtype(benchmark, dtype);
        let mut is_found = false;
        let extents = || sizes(name).iter().filter(|extent| extent.count().is_multiple_of(dtype.lanes()));
        for (params, extent) in
            parameters(benchmark).into_iter().flat_map(|params| extents().map(move |extent| (params, extent)))
        {
            let mut job = job_with(family, benchmark, dtype, *extent, params);
            assert!(benchmark.wgsl.contains(before), "{name}: the kernel has no '{before}'");
            let faulty = benchmark.wgsl.replace(before, after);
            let shader = Shader::parse_for(&faulty, dtype.name(), &job.kernel.constants);
            let shader = shader.expect("a planted fault is valid WGSL");
            job.kernel.source = shader.source().to_owned();
            let interface: Interface = shader.interface(&job.kernel.constants).expect("resolved");
            assert_eq!(interface.bindings, job.kernel.interface.bindings, "{name}: a planted fault keeps the bindings");
            match fault(&mut backend, &mut job) {
                Ok(fault) => is_found = fault.is_some(),
                Err(error) if error.is_skip() => is_found = true,
                Err(error) => panic!("{name}: {error}"),
            }
            if is_found {
                break;
            }
        }
        // A race may give the right result on a GPU. A software device runs each invocation up to the next barrier, and
        // one tile after the other: there a race always shows.
        let is_race = before.contains("Barrier") && !after.contains("Barrier") || before == "before + aggregate)";
        if is_race && !is_found && !is_software {
            eprintln!("{name}: '{}' is a race with the right result on this device", before.trim());
            continue;
        }
        assert!(is_found, "{name}: '{before}' -> '{after}' is not found");
    }
}

/// One test for each family.
mod kernels_that_are_right_for_special_inputs_only_are_found {
    crate::device::each_family!(find_in);

    fn find_in(family: &str) {
        super::find_special_changes_of(family);
    }
}

fn find_special_changes_of(family: &str) {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let mut hidden = Vec::new();
    for (name, before, after, only) in SPECIAL.iter().filter(|(name, ..)| name.split('/').next() == Some(family)) {
        let (family, benchmark) = benchmark(name);
        let dtypes = || benchmark.cases.iter().flat_map(|cases| cases.dtypes).copied();
        // Integers have no special inputs.
        let dtype = dtypes().find(|dtype| dtype.scalar().is_float()).or_else(|| dtypes().next()).expect("a type");
        let dtype = common_dtype(benchmark, dtype);
        let sets = if only.is_empty() { parameters(benchmark) } else { vec![*only] };
        let extents = || sizes(name).iter().filter(|extent| extent.count().is_multiple_of(dtype.lanes()));
        let all = STREAMS.into_iter().flat_map(|stream| {
            sets.iter().flat_map(move |params| extents().map(move |extent| (*params, *extent, stream)))
        });
        let mut is_found = false;
        for (params, extent, stream) in all {
            let mut job = job_of_stream(family, benchmark, dtype, extent, params, stream);
            assert!(benchmark.wgsl.contains(before), "{name}: the kernel has no '{before}'");
            let faulty = benchmark.wgsl.replace(before, after) + SPECIAL_FUNCTIONS;
            let shader = Shader::parse_for(&faulty, dtype.name(), &job.kernel.constants);
            job.kernel.source = shader.expect("a planted fault is valid WGSL").source().to_owned();
            match fault(&mut backend, &mut job) {
                Ok(fault) => is_found = fault.is_some(),
                Err(error) if error.is_skip() => is_found = true,
                Err(error) => panic!("{name}: {error}"),
            }
            if is_found {
                break;
            }
        }
        if !is_found {
            hidden.push(format!("{name}: '{before}' -> '{after}'"));
        }
    }
    assert!(hidden.is_empty(), "not found:\n{}", hidden.join("\n"));
}

#[cfg(feature = "cuda")]
#[test]
fn planted_faults_in_cuda_kernels_are_found() {
    let mut backend = crate::device::cuda();
    for (name, before, after) in CUDA_MUTATIONS {
        let (family, benchmark) = benchmark(name);
        assert!(benchmark.cuda.contains(before), "{name}: the kernel has no '{before}'");
        let Some(backend) = &mut backend else { continue };
        let block = &benchmark.cases[0];
        let extents = if block.extents[0].count() == 1 { block.extents } else { sizes(name) };
        let is_found = extents.iter().any(|extent| {
            let mut job = job(family, benchmark, block.dtypes[0], *extent);
            job.kernel.cuda = job.kernel.cuda.replace(before, after);
            match fault(backend, &mut job) {
                // A kernel of two cards.
                Err(error) if error.is_skip() => {
                    eprintln!("SKIPPED: {name}: {error}");
                    true
                }
                found => found.unwrap_or_else(|error| panic!("{name}: {error}")).is_some(),
            }
        });
        assert!(is_found, "{name}: '{before}' -> '{after}' is not found");
    }
}

fn assert_two_faults(mutations: &[Mutation], has_faults: impl Fn(&str, &Benchmark) -> bool) {
    for (name, ..) in benchmarks().into_iter().filter(|(name, _, benchmark)| has_faults(name, benchmark)) {
        let count = mutations.iter().filter(|(mutated, ..)| *mutated == name).count();
        assert!(count >= 2, "{name} has {count}");
    }
}

#[cfg(feature = "cuda")]
#[test]
fn every_kernel_in_cuda_only_has_at_least_two_planted_faults() {
    assert_two_faults(CUDA_MUTATIONS, |_, benchmark| benchmark.wgsl.is_empty() && !benchmark.cuda.is_empty());
}

#[test]
fn the_documents_number_of_planted_faults_is_right() {
    let count = mutations().len();
    let hundreds = format!("more than {} ", count / 100 * 100);
    for path in ["README.md", "docs/method.md"] {
        let text = std::fs::read_to_string(path).expect("readable");
        assert!(text.contains(&hundreds), "{path}: {count} faults are planted");
    }
}

#[test]
fn every_wgsl_kernel_has_at_least_two_planted_faults() {
    assert_two_faults(&mutations(), |name, benchmark| !benchmark.wgsl.is_empty() && !BORROWED.contains(&name));
}
