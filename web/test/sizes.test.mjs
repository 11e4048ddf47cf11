// The sizes that a user of the page gets who says nothing of sizes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTES } from "./built.mjs";
import { measure, open, skip } from "./page.mjs";
import { hold, measured } from "./rows.mjs";

/** The others add minutes and no kernel: what they have of such sizes a software device mostly skips. */
const isAll = process.env.WEB_TESTS === "all";
const FAMILIES = isAll ? ["reduction", "transpose", "ceiling", "bank_conflict"] : ["reduction", "transpose"];

test(`every case of ${FAMILIES.length} families at its own size is right or skipped with a reason`, { skip, timeout: 15 * MINUTES }, async () => {
    const { page } = await open();
    const rows = await measure(page, FAMILIES);
    hold(rows);
    assert.deepEqual([...new Set(rows.map((row) => row.family))].sort(), [...new Set([...FAMILIES, "ceiling"])].sort());
    // The others take a software device too long, or may do so where it is busy.
    const quick = ["ceiling/copy", "ceiling/launch", "ceiling/read", "reduction/vec4_grid_stride", "transpose/naive_coalesced_read",
        "transpose/naive_coalesced_write", "transpose/naive_read_write_input", "transpose/registers"];
    if (isAll) quick.push("ceiling/fill", "ceiling/read_tree");
    const found = measured(rows);
    assert.deepEqual(quick.filter((name) => !found.includes(name)), [], "have no figures");
    await page.context().close();
});
