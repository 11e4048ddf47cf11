// The default sizes of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { measure, open, skip as lacks } from "./page.mjs";
import { assertRows, withFigures } from "./rows.mjs";

/** With the sizes of quick for GPUs a software device takes more than ten minutes. */
const skip = lacks || (process.env.WEB_TESTS !== "all" && "takes too long on a software device: WEB_TESTS=all runs it");

/** Two more families add minutes and few rows: a software device skips most of their cases. */
const isAll = process.env.WEB_TESTS === "all";
const FAMILIES = isAll ? ["reduction", "transpose", "ceiling", "bank_conflict"] : ["reduction", "transpose"];

test(
    `every case of ${FAMILIES.length} families at its own size is right or skipped with a reason`,
    { skip, timeout: 15 * MINUTE },
    async () => {
        const { page } = await open();
        const rows = await measure(page, FAMILIES);
        assertRows(rows);
        assert.deepEqual(
            [...new Set(rows.map((row) => row.family))].sort(),
            [...new Set([...FAMILIES, "ceiling"])].sort(),
        );
        // Other cases may take too long on a busy software device.
        const quick = [
            "ceiling/copy",
            "ceiling/launch",
            "ceiling/read",
            "reduction/vec4_grid_stride",
            "transpose/naive_coalesced_read",
            "transpose/naive_coalesced_write",
            "transpose/naive_read_write_input",
            "transpose/registers",
        ];
        if (isAll) quick.push("ceiling/fill", "ceiling/read_tree");
        const found = withFigures(rows);
        assert.deepEqual(
            quick.filter((name) => !found.includes(name)),
            [],
            "have no figures",
        );
        await page.context().close();
    },
);
