// In a browser, every kernel compiles and one launch of it is right. WEB_TESTS=all also measures all families.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE, ONE_EPOCH } from "./built.mjs";
import { measure, open, skip, verify } from "./page.mjs";
import { WITHOUT_FIGURES, assertRows, tooSlow, withoutFigures } from "./rows.mjs";

const PLANES = ["fft", "gemv", "matmul", "pitched", "rmsnorm", "softmax", "stencil", "texture", "transpose"];
// In browsers, run-time checks are always on, so safety_tax repeats kernels of other families.
const isOfArrays = (name) => ![...PLANES, "attention", "safety_tax"].includes(name);
/** Families by the form of their sizes. 256 attention heads would take a software device minutes. */
const GROUPS = [
    ["arrays", ["512"], isOfArrays],
    ["matrices", ["64x256", "20x20x36"], (name) => PLANES.includes(name)],
    ["attention", ["2x100"], (name) => name === "attention"],
];
const isAll = process.env.WEB_TESTS === "all";

for (const [group, sizes, isSelected] of GROUPS) {
    test(`every kernel of ${group} is right`, { skip, timeout: 15 * MINUTE }, async () => {
        assertFigures(await verified(sizes, isSelected), isSelected);
    });
    if (!isAll) continue;
    test(`every kernel of ${group} is measured`, { skip, timeout: 15 * MINUTE }, async () => {
        const isFamily = (name) => isSelected(name) && name !== "ceiling";
        assertFigures(await measured(sizes, isFamily), isFamily);
    });
}

/** Asserts that the selected families have results, except for kernels that WebGPU or SwiftShader does not support. */
function assertFigures(rows, isSelected) {
    const slow = tooSlow(rows);
    assert.ok(slow.length <= 3, `too slow: ${slow}`);
    assert.deepEqual(
        withoutFigures(rows).filter((name) => !slow.includes(name)),
        WITHOUT_FIGURES.filter((name) => isSelected(name.split("/")[0])),
    );
}

test("a planted fault is found by one launch", { skip, timeout: MINUTE }, async () => {
    const { page } = await open();
    const rows = await verify(page, ["transpose"], ["64x256"], "transpose/naive_coalesced_read");
    const wrong = rows.filter((row) => row.status === "wrong");
    assert.ok(wrong.length > 0 && wrong.every((row) => row.benchmark === "naive_coalesced_read"));
    assert.match(wrong[0].reason, /element 0 is .*must be/);
    await page.context().close();
});

async function verified(sizes, isSelected) {
    const { page, log } = await open();
    const families = await page.$$eval("input[name=family]", (inputs) => inputs.map((input) => input.value));
    const rows = await verify(page, families.filter(isSelected), sizes);
    assert.deepEqual(log.faults, []);
    await page.context().close();
    for (const { status, reason, ...row } of rows)
        assert.ok(status === "ok" || (status === "skipped" && reason), `${JSON.stringify(row)}: ${status} ${reason}`);
    return rows;
}

async function measured(sizes, isSelected) {
    const { page, log } = await open(`?size=${sizes.join("&size=")}${ONE_EPOCH}`);
    const families = await page.$$eval("input[name=family]", (inputs) => inputs.map((input) => input.value));
    const rows = await measure(page, families.filter(isSelected));
    assertRows(rows);
    assert.deepEqual(log.faults, []);
    await page.context().close();
    return rows.filter((row) => isSelected(row.family));
}
