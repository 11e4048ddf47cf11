// Every kernel of the families that a reader looks at first, and what the command line and the page make of their rows.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTES, ROOT, SMALL } from "./built.mjs";
import { filesOf } from "./files.mjs";
import { measure, open, saved, server, skip } from "./page.mjs";
import { LACKING, hold, measured, missing } from "./rows.mjs";

test("every kernel of three families and all ceilings are right, and the CSV is one for the command line", { skip, timeout: 10 * MINUTES }, async () => {
    const { page, seen } = await open(SMALL);
    const rows = await measure(page, ["reduction", "transpose", "bank_conflict", "ceiling"]);
    hold(rows);
    const own = rows.filter((row) => row.family !== "ceiling");
    assert.deepEqual(missing(own), LACKING.filter((name) => /^(reduction|transpose|bank_conflict)\//.test(name)));
    const ceilings = measured(rows);
    for (const name of ["ceiling/copy", "ceiling/fill", "ceiling/launch", "ceiling/read", "ceiling/read_tree"]) assert.ok(ceilings.includes(name), `${name} has figures`);

    const csv = await saved(page, "#save-csv");
    const program = process.env.SHADERBENCH ?? join(ROOT, "target/debug/shaderbench");
    const native = filesOf(join(ROOT, "results"), (path) => path.includes("llvmpipe") && path.endsWith(".csv"))[0];
    if (existsSync(program)) {
        const text = execFileSync(program, ["compare", native, csv], { encoding: "utf8" });
        assert.match(text, /llvmpipe/);
        assert.match(text, /WebGPU/);
    } else {
        console.log(`SKIPPED: ${program} is not built: the CSV is not read by the command line`);
    }

    // The same verdicts on the page.
    await page.selectOption("#committed", { index: 1 });
    await page.waitForSelector("#comparison .sides");
    assert.match(await page.innerText("#comparison .sides"), /WebGPU/);
    assert.deepEqual(seen.faults, []);
    const foreign = seen.requests.filter((address) => !address.startsWith(server.address) && !address.startsWith("blob:") && !address.startsWith("data:"));
    assert.deepEqual(foreign, [], "no request leaves the origin");
    await page.context().close();
});
