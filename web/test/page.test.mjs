// The built page in a real browser, on its software device (SwiftShader). `scripts/web.sh --test` builds the page and runs this.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { MINUTES, PAGE, ROOT, SMALL } from "./built.mjs";
import { filesOf } from "./files.mjs";
import { changed, choose, drop, ended, landed, notices, open, saved, skip } from "./page.mjs";

test("a planted fault shows as wrong", { skip, timeout: 5 * MINUTES }, async () => {
    const { page } = await open("?size=256x256&plant=transpose/naive_coalesced_read");
    await choose(page, ["transpose"]);
    await page.click("#run");
    await page.waitForSelector("tr[data-status=wrong]", { timeout: 4 * MINUTES });
    await page.click("#stop").catch(() => {});
    const line = await page.innerText("tr[data-status=wrong]");
    assert.match(line, /naive_coalesced_read/);
    assert.match(line, /element 0 is .*must be/);
    assert.match((await notices(page)).join(), /Self-test/);
    await ended(page);
    await page.context().close();
});

test("stopping leaves the rows that are finished", { skip, timeout: 5 * MINUTES }, async () => {
    const { page } = await open();
    await choose(page, ["reduction"]);
    await page.click("#run");
    await landed(page, 2);
    await page.keyboard.press("Tab");
    await page.click("#stop");
    await ended(page);
    assert.match(await page.innerText("#case"), /^Stopped: the \d+ rows so far are kept\.$/);
    const rows = JSON.parse(readFileSync(await saved(page, "#save-json"), "utf8"));
    const [planned] = (await page.innerText("#plan")).match(/^\d+/);
    assert.ok(rows.length >= 2 && rows.length < Number(planned), `${rows.length} of ${planned}`);
    await page.context().close();
});

test("a hidden tab measures nothing and goes on when it is seen", { skip, timeout: 5 * MINUTES }, async () => {
    const { page } = await open(SMALL);
    await choose(page, ["transpose"]);
    const hide = (isHidden) => page.evaluate((isHidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
        document.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);
    const count = () => page.locator("tr[data-status]").count();
    await page.click("#run");
    await page.waitForSelector("tr[data-status]", { timeout: MINUTES });
    await hide(true);
    assert.match(await page.innerText("#left"), /paused/);
    // A case that was past its last sample still lands; on a machine that does nothing else a dozen would.
    const before = await count();
    await page.waitForTimeout(5000);
    assert.ok(await count() <= before + 1, `${await count()} rows after ${before}`);
    const after = await count();
    await hide(false);
    await landed(page, after + 1);
    await page.click("#stop");
    await ended(page);
    await page.context().close();
});

test("a size that is none is said in one sentence", { skip, timeout: MINUTES }, async () => {
    const { page } = await open("?size=huge");
    await page.waitForFunction(() => /'huge' is no size/.test(document.getElementById("plan").textContent), null, { timeout: MINUTES });
    assert.ok(await page.isDisabled("#run"));
    await page.context().close();
});

test("a broken file gives one sentence, and whole ones are compared", { skip, timeout: MINUTES }, async () => {
    const { page } = await open();
    await drop(page, "holiday.csv", "beach,sun\n1,2\n");
    await page.waitForSelector("#notices .notice.bad");
    const said = await notices(page);
    assert.equal(said.length, 1);
    assert.match(said[0], /^holiday\.csv, line 1: /);
    const [a, b] = filesOf(join(ROOT, "results"), (path) => path.endsWith(".csv"));
    await drop(page, "a.csv", readFileSync(a, "utf8"));
    await drop(page, "b.csv", readFileSync(b, "utf8"));
    await page.waitForSelector("#comparison table");
    assert.equal(await page.locator("#reports li").count(), 2);
    await page.click("button:text-is('Make baseline')");
    await page.waitForFunction(() => document.querySelector("#reports strong").textContent === "b.csv");
    await page.context().close();
});

test("what is in the way is said in one sentence", { skip, timeout: MINUTES }, async () => {
    for (const [change, sentence] of [
        ["Object.defineProperty(navigator, 'gpu', { value: undefined });", /This browser has no WebGPU: use/],
        ["navigator.gpu.requestAdapter = async () => null; GPU.prototype.requestAdapter = async () => null;", /gives this page no adapter: /],
        ["GPUAdapter.prototype.requestDevice = async () => { throw new Error('no more'); };", /cannot be opened: .*: reload the page; /],
        ["Object.defineProperty(globalThis, 'isSecureContext', { value: false });", /needs a secure address for WebGPU: open it by/],
    ]) {
        const { page } = await open("", changed("host.js", change));
        const said = await notices(page);
        assert.equal(said.length, 1, said.join("\n"));
        assert.match(said[0], sentence);
        assert.ok(await page.isDisabled("#run"));
        await page.context().close();
    }
});

test("the page fits both widths, in light and in dark, and works by keyboard", { skip, timeout: MINUTES }, async () => {
    const { page } = await open();
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 900 });
            const past = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.equal(past, 0, `${width} pixels are too few`);
            const shots = process.env.SCREENSHOTS;
            if (shots) await page.screenshot({ path: join(shots, `${colorScheme}-${width}.png`), fullPage: true });
        }
    }
    await page.focus("input[name=profile]");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.inputValue("input[name=profile]:checked"), "standard");
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input")].filter((one) => !one.labels?.length && !one.textContent && !one.getAttribute("aria-label")).length);
    assert.equal(nameless, 0, "every control has a name");
    await page.context().close();
});

test("the whole page is a small download", { skip: existsSync(PAGE) ? false : skip }, () => {
    const files = filesOf(PAGE, (path) => !path.includes("/reports/"));
    const bytes = files.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
    console.log(`${bytes} bytes compressed`);
    assert.ok(bytes < 1_500_000);
});
