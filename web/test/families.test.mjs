// The kernels of all families that kernels.test.mjs does not measure.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE, ONE_EPOCH } from "./built.mjs";
import { measure, open, skip } from "./page.mjs";
import { WITHOUT_FIGURES, assertRows, tooSlow, withoutFigures } from "./rows.mjs";

/** Families of matrices and volumes. */
const PLANES = ["fft", "gemv", "matmul", "pitched", "rmsnorm", "softmax", "stencil", "texture"];

test("every kernel of every other family of arrays is right", { skip, timeout: 15 * MINUTE }, async () => {
    // kernels.test.mjs measures four. In a browser checks are always on, so safety_tax repeats kernels of other
    // families.
    const other = ["ceiling", "reduction", "transpose", "bank_conflict", "safety_tax", "attention", ...PLANES];
    await assertRight("?size=512", (name) => !other.includes(name));
});

test("every kernel of every other family of matrices is right", { skip, timeout: 15 * MINUTE }, async () => {
    await assertRight("?size=64x256&size=20x20x36", (name) => PLANES.includes(name));
});

// 256 heads would take a software device minutes.
test("every kernel of attention is right", { skip, timeout: 5 * MINUTE }, async () => {
    await assertRight("?size=2x100", (name) => name === "attention");
});

/** Measures the selected families at the sizes of an address. */
async function assertRight(address, isSelected) {
    const { page, log } = await open(address + ONE_EPOCH);
    const families = await page.$$eval("input[name=family]", (inputs) => inputs.map((input) => input.value));
    const rows = await measure(page, families.filter(isSelected));
    assertRows(rows);
    const own = rows.filter((row) => isSelected(row.family));
    const slow = tooSlow(own);
    assert.ok(slow.length <= 3, `too slow: ${slow}`);
    assert.deepEqual(
        withoutFigures(own).filter((name) => !slow.includes(name)),
        WITHOUT_FIGURES.filter((name) => isSelected(name.split("/")[0])),
    );
    assert.deepEqual(log.faults, []);
    await page.context().close();
}
