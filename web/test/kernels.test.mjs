// The kernels of three families and the ceilings; their rows in `shaderbench compare` and on the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE, ONE_EPOCH, PAGE, ROOT, SMALL } from "./built.mjs";
import { filesBelow } from "./files.mjs";
import { measure, open, save, server, skip } from "./page.mjs";
import { WITHOUT_FIGURES, assertRows, tooSlow, withFigures, withoutFigures } from "./rows.mjs";

test(
    "every kernel of three families and every ceiling is right, and `compare` reads the CSV",
    { skip, timeout: 10 * MINUTE },
    async () => {
        const { page, log } = await open(SMALL + ONE_EPOCH);
        const rows = await measure(page, ["reduction", "transpose", "bank_conflict", "ceiling"]);
        assertRows(rows);
        const own = rows.filter((row) => row.family !== "ceiling");
        const slow = tooSlow(own);
        assert.ok(slow.length <= 3, `too slow: ${slow}`);
        assert.deepEqual(
            withoutFigures(own).filter((name) => !slow.includes(name)),
            WITHOUT_FIGURES.filter((name) => /^(reduction|transpose|bank_conflict)\//.test(name)),
        );
        const ceilings = withFigures(rows);
        for (const name of ["ceiling/copy", "ceiling/fill", "ceiling/launch", "ceiling/read", "ceiling/read_tree"])
            assert.ok(ceilings.includes(name), `${name} has figures`);

        const csv = await save(page, "#save-csv");
        const program = process.env.SHADERBENCH ?? join(ROOT, "target/debug/shaderbench");
        const isNative = (path) => path.includes("llvmpipe") && path.endsWith(".csv");
        const [native] = filesBelow(join(PAGE, "results"), isNative);
        if (existsSync(program)) {
            const text = execFileSync(program, ["compare", native, csv], { encoding: "utf8" });
            assert.match(text, /llvmpipe/);
            assert.match(text, /WebGPU/);
        } else {
            console.log(`SKIPPED: ${program} is not built: "compare" does not read the CSV`);
        }

        // The comparison on the page.
        await page.selectOption("#committed", { index: 1 });
        await page.frameLocator("#charts-frame").getByText(/WebGPU/).filter({ visible: true }).first().waitFor();
        assert.deepEqual(log.faults, []);
        const foreign = log.requests.filter(
            (address) =>
                !address.startsWith(server.address) && !address.startsWith("blob:") && !address.startsWith("data:"),
        );
        assert.deepEqual(foreign, [], "no request leaves the origin");
        await page.context().close();
    },
);
