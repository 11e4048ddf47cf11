// The built page in Chromium. `scripts/web.sh --test` builds the page and runs this.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE, PAGE, SMALL } from "./built.mjs";
import { filesBelow } from "./files.mjs";
import { withScript, selectFamilies, drop, waitForEnd, waitForRows, notices, open, save, skip } from "./page.mjs";

test("a planted fault gives a wrong row", { skip, timeout: 5 * MINUTE }, async () => {
    const { page } = await open("?size=256x256&plant=transpose/naive_coalesced_read");
    await selectFamilies(page, ["transpose"]);
    await page.click("#run");
    await page.waitForSelector("tr[data-status=wrong]", { timeout: 4 * MINUTE });
    await page.click("#stop").catch(() => {});
    const line = await page.innerText("tr[data-status=wrong]");
    assert.match(line, /naive_coalesced_read/);
    assert.match(line, /element 0 is .*must be/);
    assert.match((await notices(page)).join(), /Self-test/);
    await waitForEnd(page);
    await page.context().close();
});

test("Stop keeps the finished rows", { skip, timeout: 5 * MINUTE }, async () => {
    const { page } = await open();
    await selectFamilies(page, ["reduction"]);
    await page.click("#run");
    await waitForRows(page, 2);
    await page.keyboard.press("Tab");
    await page.click("#stop");
    await waitForEnd(page);
    assert.match(await page.innerText("#case"), /^Stopped after \d+ rows\.$/);
    const rows = JSON.parse(readFileSync(await save(page, "#save-json"), "utf8"));
    const [planned] = (await page.innerText("#plan")).match(/^\d+/);
    assert.ok(rows.length >= 2 && rows.length < Number(planned), `${rows.length} of ${planned}`);
    await page.context().close();
});

test("a hidden tab pauses the run, a visible one continues it", { skip, timeout: 5 * MINUTE }, async () => {
    const { page } = await open(SMALL);
    await selectFamilies(page, ["transpose"]);
    const hide = (isHidden) =>
        page.evaluate((isHidden) => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
            document.dispatchEvent(new Event("visibilitychange"));
        }, isHidden);
    const count = () => page.locator("tr[data-status]").count();
    await page.click("#run");
    await page.waitForSelector("tr[data-status]", { timeout: MINUTE });
    await hide(true);
    assert.match(await page.innerText("#left"), /paused/);
    // One case may still finish. Without the pause, an idle machine would finish several.
    const before = await count();
    await page.waitForTimeout(3000);
    assert.ok((await count()) <= before + 1, `${await count()} rows after ${before}`);
    const after = await count();
    await hide(false);
    await waitForRows(page, after + 1);
    await page.click("#stop");
    await waitForEnd(page);
    await page.context().close();
});

test("an invalid size gives one sentence", { skip, timeout: MINUTE }, async () => {
    const { page } = await open("?size=huge");
    await page.waitForFunction(() => /'huge' is not a size/.test(document.getElementById("plan").textContent), null, {
        timeout: MINUTE,
    });
    assert.ok(await page.isDisabled("#run"));
    await page.context().close();
});

test("a broken file gives one sentence, and valid files are compared", { skip, timeout: MINUTE }, async () => {
    const { page } = await open();
    await drop(page, "holiday.csv", "beach,sun\n1,2\n");
    await page.waitForSelector("#notices .notice.bad");
    const sentences = await notices(page);
    assert.equal(sentences.length, 1);
    assert.match(sentences[0], /^holiday\.csv, line 1: /);
    const [a, b] = filesBelow(join(PAGE, "results"), (path) => path.endsWith(".csv"));
    await drop(page, "a.csv", readFileSync(a, "utf8"));
    await drop(page, "b.csv", readFileSync(b, "utf8"));
    await page.frameLocator("#charts-frame").locator("#table").waitFor({ state: "attached" });
    await page.waitForFunction(() => document.querySelectorAll("#reports li").length === 2);
    await page.click("button:text-is('Make baseline')");
    await page.waitForFunction(() => document.querySelector("#reports strong").textContent === "b.csv");
    await page.context().close();
});

test("a browser without a usable device gives one sentence", { skip, timeout: MINUTE }, async () => {
    for (const [script, sentence] of [
        ["Object.defineProperty(navigator, 'gpu', { value: undefined });", /This browser has no WebGPU: use/],
        [
            "navigator.gpu.requestAdapter = async () => null; GPU.prototype.requestAdapter = async () => null;",
            /gives this page no adapter: /,
        ],
        [
            "GPUAdapter.prototype.requestDevice = async () => { throw new Error('no more'); };",
            /cannot be opened: .*: reload the page; /,
        ],
        [
            "Object.defineProperty(globalThis, 'isSecureContext', { value: false });",
            /needs a secure address for WebGPU: open it over/,
        ],
    ]) {
        const { page } = await open("", withScript("host.js", script));
        const sentences = await notices(page);
        assert.equal(sentences.length, 1, sentences.join("\n"));
        assert.match(sentences[0], sentence);
        assert.ok(await page.isDisabled("#run"));
        await page.context().close();
    }
});

test("the page fits both widths, in light and in dark, and works by keyboard", { skip, timeout: MINUTE }, async () => {
    const { page } = await open();
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 900 });
            const past = await page.evaluate(
                () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            );
            assert.equal(past, 0, `${width} pixels are too few`);
            const shots = process.env.SCREENSHOTS;
            if (shots) await page.screenshot({ path: join(shots, `${colorScheme}-${width}.png`), fullPage: true });
        }
    }
    await page.focus("input[name=profile]");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.inputValue("input[name=profile]:checked"), "standard");
    const nameless = await page.evaluate(
        () =>
            [...document.querySelectorAll("button, select, input")].filter(
                (one) => !one.labels?.length && !one.textContent && !one.getAttribute("aria-label"),
            ).length,
    );
    assert.equal(nameless, 0, "every control has a name");
    await page.context().close();
});
