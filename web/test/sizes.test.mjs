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
        // More epochs and larger sizes would use up the two minutes that the page gives a run.
        const { page } = await open(isAll ? "" : "?time=20");
        const rows = await measure(page, FAMILIES);
        assertRows(rows);
        assert.deepEqual(
            [...new Set(rows.map((row) => row.family))].sort(),
            [...new Set([...FAMILIES, "ceiling"])].sort(),
        );
        // The cases within the time limit depend on the machine's load; the others have the reason.
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
