// Assertions about the rows of a run.

import assert from "node:assert/strict";
import { isRight } from "./built.mjs";

/** Asserts that every row has figures or a reason to be skipped. Prints the number of rows of each status. */
export function assertRows(rows) {
    const counts = {};
    for (const row of rows) {
        const name = `${row.family}/${row.benchmark} ${row.dtype} ${row.n} ${row.params}: ${row.reason}`;
        assert.ok(isRight(row) || (row.status === "skipped" && row.reason), `${row.status} ${name}`);
        assert.ok(!isRight(row) || (row.median_ns > 0 && row.samples_ns.length > 0), name);
        assert.deepEqual([row.backend, row.checks], ["webgpu", "on"]);
        assert.match(row.driver, /Chrom.* \d+\./);
        counts[row.status] = (counts[row.status] ?? 0) + 1;
    }
    console.log(
        Object.entries(counts)
            .map(([status, count]) => `${count} ${status}`)
            .join(", "),
    );
}

const names = (rows) => [...new Set(rows.map((row) => `${row.family}/${row.benchmark}`))].sort();
export const withFigures = (rows) => names(rows.filter(isRight));
export const withoutFigures = (rows) =>
    names(rows).filter((name) => !withFigures(rows).includes(name) && !isLibrary(name));
/** Vendor library calls, which exist only through CUDA. */
const isLibrary = (name) => /\/(cub|cublas|cudnn|cufft|cusparse)(_|$)/.test(name);

const TOO_SLOW = /one launch would take|the run reached its time limit/;

/** Names without figures because the machine is too slow, as the rows report: a busy machine is slower. */
export function tooSlow(rows) {
    const slow = withoutFigures(rows).filter((name) =>
        rows.some((row) => `${row.family}/${row.benchmark}` === name && TOO_SLOW.test(row.reason ?? "")),
    );
    for (const name of slow) console.log(`SKIPPED: ${name} takes too long on this machine`);
    return slow;
}

/** Benchmarks that WebGPU or SwiftShader does not support. All others must have figures. */
export const WITHOUT_FIGURES = [
    "attention/cooperative",
    "attention/wgmma",
    "bank_conflict/bytes_direct",
    "bank_conflict/halves_direct",
    "ceiling/fma_f16",
    "ceiling/tensor",
    "ceiling/tensor_bf16",
    "ceiling/tensor_fp8",
    "ceiling/tensor_int8",
    "ceiling/tensor_tf32",
    "gemv/split_k",
    "gemv/vec4",
    "host_cost/graph",
    "host_cost/immediates",
    "host_cost/pipeline_again",
    "host_cost/pipeline_first",
    "matmul/cooperative",
    "matmul/cooperative_f16",
    "matmul/cublaslt_bf16",
    "matmul/cublaslt_fp8",
    "matmul/cublaslt_int8",
    "matmul/wgmma",
    "memory_spaces/pinned_latency",
    "memory_spaces/pointer_latency",
    "memory_spaces/spill",
    "pitched/copy_2d",
    "pitched/copy_3d",
    "reduction/interleaved_dynamic",
    "sum_of_cubes/clock_in_kernel",
    "transfer/both_ways",
    "transfer/far_to_device",
    "transfer/far_to_host",
    "transfer/mapped_primary_read",
    "transfer/mapped_primary_write",
    "transfer/peer_both",
    "transfer/peer_latency",
    "transfer/peer_read",
    "transfer/peer_read_by_kernel",
    "transfer/peer_write",
    "transfer/peer_write_by_kernel",
    "transfer/pinned_by_kernel",
    "transfer/pinned_to_device",
    "transfer/read_back_pageable",
    "workgroup_memory/dynamic_bytes",
    "workgroup_memory/dynamic_size",
    "workgroup_memory/static_and_dynamic",
];
