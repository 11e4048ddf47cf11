// The headline figures of a run beside those of the committed reports, and an address that holds them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE, PAGE, SMALL } from "./built.mjs";
import { measure, open, save, skip, waitForEnd } from "./page.mjs";

const references = () => JSON.parse(readFileSync(join(PAGE, "references.json"), "utf8"));
const shots = process.env.SCREENSHOTS;

/** The table: its columns, and the cells of each line. */
const table = async (page) => {
    const lines = await page.locator("#figures-table tr").evaluateAll((lines) =>
        lines.map((line) => [...line.cells].map((cell) => cell.firstChild?.textContent ?? "")),
    );
    const [[, ...columns], ...rest] = lines;
    return { columns, lines: Object.fromEntries(rest.map(([name, ...cells]) => [name, cells])) };
};

test("a run ends with a first screen, references, and a link to its figures", { skip, timeout: 8 * MINUTE }, async () => {
    const { page, log } = await open(SMALL);
    const rows = await measure(page, ["reduction", "transpose"]);
    await page.waitForSelector("#figures:not([hidden]) table");
    await page.waitForFunction(() => Math.abs(document.getElementById("charts").getBoundingClientRect().top) < 5);
    if (shots) await page.screenshot({ path: join(shots, "ended-1280.png") });
    const { columns, lines } = await table(page);
    const models = references();
    assert.deepEqual(columns, ["This tab", ...models.map(({ device }) => device)]);
    const [gpus, software] = [false, true].map((kind) => models.filter((model) => model.is_software === kind).length);
    const reports = models.reduce((sum, model) => sum + model.reports, 0);
    assert.match(
        await page.innerText("#figures-about"),
        new RegExp(`beside ${reports} reports of ${gpus} GPUs and ${software} software device`),
    );
    // The fastest sum of floats of this tab, at the largest size, and the median of a model's reports.
    const sums = rows.filter(
        (row) => row.family === "reduction" && row.status === "ok" && row.dtype.startsWith("f32"),
    );
    const most = Math.max(...sums.map((row) => row.bytes));
    const fastest = Math.max(...sums.filter((row) => row.bytes === most).map((row) => row.gb_per_s));
    const number = (text, units) => Number(text.split(" ")[0]) * units[text.split(" ")[1]];
    const GB = { "MB/s": 1e-3, "GB/s": 1, "TB/s": 1e3 };
    assert.ok(Math.abs(number(lines.sum[0], GB) / fastest - 1) < 0.006, `${lines.sum[0]}: ${fastest}`);
    models.forEach(({ figures }, index) => {
        const [, , value] = figures.find(([name]) => name === "sum");
        assert.ok(Math.abs(number(lines.sum[index + 1], GB) / value - 1) < 0.006, `${lines.sum}: ${value}`);
    });

    // The report's first screen is drawn in the frame; the rest of the report is folded.
    const frame = page.frameLocator("#charts-frame");
    await frame.locator(".screen, .cards").first().waitFor();
    await page.waitForSelector("#unfold:not([hidden])");
    const folded = (await page.locator("#fold").boundingBox()).height;
    await page.click("#unfold");
    assert.ok((await page.locator("#fold").boundingBox()).height > 2 * folded);
    await page.click("#unfold");
    const header = readFileSync(await save(page, "#figures-csv"), "utf8").split("\n")[0];
    assert.ok(header.includes("median_ns"), header);
    if (shots) await page.screenshot({ path: join(shots, "after-1280.png"), fullPage: true });

    await page.click("#copy-link");
    const address = await page.inputValue("#link");
    assert.ok(address.length < 2000, address);
    const other = await open(new URL(address).hash);
    await other.page.waitForSelector("#figures:not([hidden]) table");
    const linked = await table(other.page);
    assert.deepEqual(linked.columns, ["This link", ...columns.slice(1)]);
    assert.deepEqual(linked.lines, lines);
    assert.match(await other.page.innerText("#figures-about"), /Nobody has checked them/);
    assert.ok(await other.page.isHidden("#copy-link"));
    assert.deepEqual([...log.faults, ...other.log.faults], []);
    if (shots) {
        for (const width of [390, 1280]) {
            await other.page.setViewportSize({ width, height: 844 });
            await other.page.screenshot({ path: join(shots, `link-${width}.png`) });
        }
        await page.setViewportSize({ width: 390, height: 844 });
        await page.emulateMedia({ colorScheme: "dark" });
        await page.screenshot({ path: join(shots, "after-390-dark.png"), fullPage: true });
    }
    await other.page.context().close();
    await page.context().close();
});

test("text of an address stays text, and a broken one gives one sentence", { skip, timeout: MINUTE }, async () => {
    const device = "<img src=x onerror=document.title='pwned'>";
    const run = { device, driver: "", date: "2026-11-27", version: "0.1.0", f: "sum*B*12.5" };
    const parts = new URLSearchParams({ figures: "1", ...run });
    const { page, log } = await open(`#${parts}`);
    await page.waitForSelector("#figures:not([hidden]) table");
    assert.ok((await page.innerText("#figures-about")).includes(device));
    assert.equal(await page.locator("#figures img").count(), 0);
    assert.notEqual(await page.title(), "pwned");
    assert.deepEqual((await table(page)).lines.sum[0], "12.5 GB/s");
    assert.deepEqual(log.faults, []);
    await page.evaluate(() => (location.hash = "figures=1&device=x&f=sum*B*-1"));
    await page.waitForSelector("#notices .notice.bad");
    assert.match(await page.innerText("#notices"), /The figures of this link cannot be shown: its date is not valid\./);
    assert.ok(await page.isHidden("#figures"));
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
