// The first screen after a run, and what is above the fold.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE, ONE_EPOCH, SMALL } from "./built.mjs";
import { measure, open, skip, waitForEnd } from "./page.mjs";

const shots = process.env.SCREENSHOTS;

test("a run ends with the report's first screen", { skip, timeout: 8 * MINUTE }, async () => {
    const { page, log } = await open(SMALL + ONE_EPOCH);
    await measure(page, ["reduction", "transpose"]);
    await page.waitForFunction(
        () => Math.abs(document.getElementById("charts").getBoundingClientRect().top) < 5,
        null,
        { timeout: 3 * MINUTE },
    );
    if (shots) await page.screenshot({ path: join(shots, "ended-1280.png") });
    // It is drawn in the frame; the rest of the report is folded.
    const frame = page.frameLocator("#charts-frame");
    await frame.locator(".screen, .cards").first().waitFor();
    await page.waitForSelector("#unfold:not([hidden])");
    const folded = (await page.locator("#fold").boundingBox()).height;
    await page.click("#unfold");
    assert.ok((await page.locator("#fold").boundingBox()).height > 2 * folded);
    await page.click("#unfold");
    assert.deepEqual(log.faults, []);
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
