// The default sizes of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { measure, open, skip } from "./page.mjs";
import { assertRows, tooSlow, withFigures } from "./rows.mjs";

/** Three more families add minutes and few rows: a software device skips most of their cases. */
const isAll = process.env.WEB_TESTS === "all";
const FAMILIES = isAll ? ["reduction", "transpose", "ceiling", "bank_conflict"] : ["transpose"];

test(
    `every case of ${FAMILIES.join(", ")} at its own size is right or skipped with a reason`,
    { skip, timeout: 15 * MINUTE },
    async () => {
        // Further epochs and larger sizes would take the two minutes that the page gives a run.
        const { page } = await open(isAll ? "" : "?time=20");
        const rows = await measure(page, FAMILIES);
        assertRows(rows);
        assert.deepEqual(
            [...new Set(rows.map((row) => row.family))].sort(),
            [...new Set([...FAMILIES, "ceiling"])].sort(),
        );
        // Which cases fit into the time limit depends on how busy a software device is: what did not fit says so.
        const families = (names) => new Set(names.map((name) => name.split("/")[0]));
        const [found, slow] = [families(withFigures(rows)), families(tooSlow(rows))];
        assert.ok(found.has("ceiling"), [...found].join());
        assert.deepEqual(
            FAMILIES.filter((name) => !found.has(name) && !slow.has(name)),
            [],
            "have no figures",
        );
        await page.context().close();
    },
);
