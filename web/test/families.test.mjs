// The kernels of all families that kernels.test.mjs does not measure.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE, SMALL } from "./built.mjs";
import { measure, open, skip as lacks } from "./page.mjs";
import { WITHOUT_FIGURES, assertRows, withoutFigures } from "./rows.mjs";

/** With the sizes of quick for GPUs a software device takes more than ten minutes. */
const skip = lacks || (process.env.WEB_TESTS !== "all" && "takes too long on a software device: WEB_TESTS=all runs it");

test("every kernel of every other family is right", { skip, timeout: 15 * MINUTE }, async () => {
    const { page, log } = await open(`${SMALL}&size=48x48x48`);
    const families = await page.$$eval("input[name=family]", (inputs) => inputs.map((input) => input.value));
    // kernels.test.mjs measures four. In a browser checks are always on, so safety_tax repeats kernels of other
    // families.
    const covered = ["ceiling", "reduction", "transpose", "bank_conflict", "safety_tax", "attention"];
    const rows = await measure(
        page,
        families.filter((name) => !covered.includes(name)),
    );
    assertRows(rows);
    const own = rows.filter((row) => row.family !== "ceiling");
    assert.deepEqual(
        withoutFigures(own),
        WITHOUT_FIGURES.filter((name) => !/^(reduction|transpose|bank_conflict|attention)\//.test(name)),
    );
    assert.deepEqual(log.faults, []);
    await page.context().close();
});

// 256 heads would take a software device minutes.
test("every kernel of attention is right", { skip, timeout: 5 * MINUTE }, async () => {
    const { page, log } = await open("?size=2x100");
    const rows = await measure(page, ["attention"]);
    assertRows(rows);
    const own = rows.filter((row) => row.family === "attention");
    assert.deepEqual(
        withoutFigures(own),
        WITHOUT_FIGURES.filter((name) => name.startsWith("attention/")),
    );
    assert.deepEqual(log.faults, []);
    await page.context().close();
});
