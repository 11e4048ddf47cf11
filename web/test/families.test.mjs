// Every kernel of the families that kernels.test.mjs leaves out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTES, SMALL } from "./built.mjs";
import { measure, open, skip } from "./page.mjs";
import { LACKING, hold, missing } from "./rows.mjs";

test("every kernel of every other family is right", { skip, timeout: 15 * MINUTES }, async () => {
    const { page, seen } = await open(`${SMALL}&size=48x48x48`);
    const families = await page.$$eval("input[name=family]", (inputs) => inputs.map((input) => input.value));
    // kernels.test.mjs runs four. Checks cannot be switched in a browser, and without that those kernels are other families'.
    const covered = ["ceiling", "reduction", "transpose", "bank_conflict", "safety_tax"];
    const rows = await measure(page, families.filter((name) => !covered.includes(name)));
    hold(rows);
    const own = rows.filter((row) => row.family !== "ceiling");
    assert.deepEqual(missing(own), LACKING.filter((name) => !/^(transpose|bank_conflict)\//.test(name)));
    assert.deepEqual(seen.faults, []);
    await page.context().close();
});
