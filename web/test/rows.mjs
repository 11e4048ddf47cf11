// What the rows of a run must be.

import assert from "node:assert/strict";
import { isRight } from "./built.mjs";

/** Holds that every row has figures or is skipped with a reason, and prints how many are of each status. */
export function hold(rows) {
    const counts = {};
    for (const row of rows) {
        const name = `${row.family}/${row.benchmark} ${row.dtype} ${row.n} ${row.params}: ${row.reason}`;
        assert.ok(isRight(row) || (row.status === "skipped" && row.reason), `${row.status} ${name}`);
        assert.ok(!isRight(row) || (row.median_ns > 0 && row.samples_ns.length > 0), name);
        assert.deepEqual([row.backend, row.checks], ["webgpu", "on"]);
        assert.match(row.driver, /Chrom.* \d+\./);
        counts[row.status] = (counts[row.status] ?? 0) + 1;
    }
    console.log(Object.entries(counts).map(([status, count]) => `${count} ${status}`).join(", "));
}

const names = (rows) => [...new Set(rows.map((row) => `${row.family}/${row.benchmark}`))].sort();
/** Benchmarks that have figures in one row at least, and those that have none. */
export const measured = (rows) => names(rows.filter(isRight));
export const missing = (rows) => names(rows).filter((name) => !measured(rows).includes(name));

/** What WebGPU cannot say, or SwiftShader does not offer: all else must have figures. */
export const LACKING = [
    "bank_conflict/bytes_direct", "bank_conflict/halves_direct", "matmul/cooperative", "matmul/cublas", "memory_spaces/pointer_latency",
    "memory_spaces/spill", "sum_of_cubes/clock_in_kernel", "transfer/mapped_primary_read", "transfer/mapped_primary_write",
    "transfer/pinned_by_kernel", "transfer/pinned_to_device", "transfer/read_back_pageable", "transpose/cublas", "workgroup_memory/dynamic_size",
];
