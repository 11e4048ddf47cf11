// A run of one family: its rows, its first screen above the fold, and its rows in comparisons.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE, ONE_EPOCH, PAGE, ROOT, SMALL } from "./built.mjs";
import { filesBelow } from "./files.mjs";
import { measure, open, save, server, skip, waitForEnd } from "./page.mjs";
import { assertRows, tooSlow, withFigures, withoutFigures } from "./rows.mjs";

const shots = process.env.SCREENSHOTS;

const TITLE = "a run ends with the report's first screen, and `compare` reads its CSV";
test(TITLE, { skip, timeout: 8 * MINUTE }, async () => {
    const { page, log } = await open(SMALL + ONE_EPOCH);
    const rows = await measure(page, ["transpose"]);
    assertRows(rows);
    const own = rows.filter((row) => row.family === "transpose");
    assert.deepEqual(tooSlow(own), []);
    assert.deepEqual(withoutFigures(own), []);
    for (const name of ["ceiling/copy", "ceiling/launch"])
        assert.ok(withFigures(rows).includes(name), `${name} has figures`);
    await page.waitForFunction(
        () => Math.abs(document.getElementById("charts").getBoundingClientRect().top) < 5,
        null,
        { timeout: 3 * MINUTE },
    );
    if (shots) await page.screenshot({ path: join(shots, "ended-1280.png") });
    // The report is drawn in the frame, and folded below its first screen.
    const frame = page.frameLocator("#charts-frame");
    await frame.locator(".screen, .cards").first().waitFor();
    await page.waitForSelector("#unfold:not([hidden])");
    const folded = (await page.locator("#fold").boundingBox()).height;
    await page.click("#unfold");
    assert.ok((await page.locator("#fold").boundingBox()).height > 2 * folded);
    await page.click("#unfold");

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

    await page.selectOption("#committed", { index: 1 });
    await frame.getByText(/WebGPU/).filter({ visible: true }).first().waitFor();
    assert.deepEqual(log.faults, []);
    const isOwn = (address) => [server.address, "blob:", "data:"].some((start) => address.startsWith(start));
    const foreign = log.requests.filter((address) => !isOwn(address));
    assert.deepEqual(foreign, [], "no request leaves the origin");
    await page.context().close();
});

test("Run and the progress of a run are above the fold", { skip, timeout: 5 * MINUTE }, async () => {
    const { page } = await open(SMALL);
    for (const [width, height] of [
        [1280, 720],
        [390, 844],
    ]) {
        await page.setViewportSize({ width, height });
        await page.evaluate(() => scrollTo(0, 0));
        const run = await page.locator("#run").boundingBox();
        assert.ok(run.y + run.height < height - 100, `Run ends at ${run.y + run.height} of ${height}`);
        if (shots) await page.screenshot({ path: join(shots, `start-${width}.png`) });
    }
    await page.click("#run");
    await page.waitForSelector("tr[data-status]", { timeout: 2 * MINUTE });
    const progress = await page.locator("#progress").boundingBox();
    assert.ok(progress.y > 0 && progress.y + progress.height < 844, `progress ends at ${progress.y + progress.height}`);
    if (shots) await page.screenshot({ path: join(shots, "running-390.png") });
    await page.click("#stop");
    await waitForEnd(page);
    await page.context().close();
});
