// A report's page in Chromium: axe finds nothing, each choice is a step of the history, every chart is saved as a picture,
// a narrow screen shows the second device, and paper has room for every table.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { MINUTE, ROOT } from "./built.mjs";
import { program } from "./page.mjs";

const shaderbench = process.env.SHADERBENCH ?? join(ROOT, "target/debug/shaderbench");
const H100 = join(ROOT, "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv");
const AXE = join(ROOT, "web/node_modules/axe-core/axe.min.js");
const needs = [program, shaderbench, AXE].find((path) => !path || !existsSync(path));
const skip = needs === undefined ? false : `SKIPPED: ${needs ?? "Chromium"} is not installed or not built`;

let browser;
let folder;
/** Pages of one card, of two (the second is the first under another name), and of kernels of `bench`. */
const pages = {};

before(async () => {
    if (skip) return console.log(skip);
    const { chromium } = await import("playwright-core");
    folder = mkdtempSync(join(tmpdir(), "shaderbench-"));
    const text = readFileSync(H100, "utf8");
    const [, ...cards] = /(GPU|card)-[0-9a-f-]+/.exec(text) ?? [];
    assert.ok(cards.length > 0, "the report names its card");
    const other = join(folder, "other.csv");
    const renamed = text.replaceAll("NVIDIA H100 80GB HBM3", "NVIDIA H900").replaceAll(/(GPU|card)-[0-9a-f]/g, "$1-0");
    writeFileSync(other, renamed);
    const own = join(folder, "own.csv");
    const head = text.slice(0, text.indexOf("\n") + 1);
    const rows = text.split("\n").filter((line) => line.includes(",transpose,") && line.includes(",vulkan,"));
    writeFileSync(own, head + rows.join("\n").replaceAll(",transpose,", ",mine,") + "\n");
    for (const [name, reports] of Object.entries({ one: [H100], two: [H100, other], own: [own] })) {
        pages[name] = join(folder, `${name}.html`);
        execFileSync(shaderbench, ["report", ...reports, "--out", pages[name]], { cwd: ROOT });
    }
    browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
});

after(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true });
});

async function open(name, { width = 1280, colorScheme = "light", bypassCSP = false } = {}) {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme, bypassCSP, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`file://${pages[name]}`);
    await page.waitForSelector("#report > header");
    return page;
}

const violations = (page) =>
    page.evaluate(async () => {
        const { violations: found } = await globalThis.axe.run(document);
        return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(" | ")}`);
    });

test("axe finds no violation, at two widths, in light and dark, with and without a kernel", { skip, timeout: 5 * MINUTE }, async () => {
    for (const name of ["one", "two"]) {
        for (const width of [1280, 390]) {
            for (const colorScheme of ["light", "dark"]) {
                const page = await open(name, { width, colorScheme, bypassCSP: true });
                await page.addScriptTag({ path: AXE });
                assert.deepEqual(await violations(page), [], `${name} at ${width}, ${colorScheme}`);
                await page.locator("button.open:visible").first().click();
                await page.waitForSelector("dialog[open] pre");
                assert.deepEqual(await violations(page), [], `a kernel of ${name} at ${width}, ${colorScheme}`);
                await page.context().close();
            }
        }
    }
});

test("Back closes a kernel and undoes a menu, and leaves the page last", { skip, timeout: MINUTE }, async () => {
    const page = await open("one");
    const isOpen = () => page.evaluate(() => document.querySelector("dialog[open]") !== null);
    const family = page.locator("#ladders [data-key=family] select");
    const first = await family.inputValue();
    await page.keyboard.press("Tab");
    for (let steps = 0; !(await page.evaluate(() => document.activeElement.matches("button.open"))); steps += 1) {
        assert.ok(steps < 40, "the keyboard reaches a kernel");
        await page.keyboard.press("Tab");
    }
    const kernel = await page.evaluate(() => document.activeElement.textContent);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]");
    await page.goBack();
    await page.waitForSelector("dialog[open]", { state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), kernel, "the focus is where it was");
    await page.goForward();
    await page.waitForSelector("dialog[open]");
    // Closing it is the same as Back.
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => location.hash === "");
    assert.equal(await isOpen(), false);
    const options = await family.locator("option").evaluateAll((all) => all.map(({ value }) => value));
    const chosen = options.filter((value) => value !== first).slice(0, 2);
    for (const value of chosen) await family.selectOption(value);
    await page.locator("button.open:visible").first().click();
    await page.waitForSelector("dialog[open]");
    await page.goBack();
    assert.equal(await family.inputValue(), chosen[1]);
    await page.goBack();
    assert.equal(await family.inputValue(), chosen[0]);
    await page.goBack();
    assert.equal(await family.inputValue(), first);
    await page.goBack();
    assert.equal(page.url(), "about:blank", "every step was a choice");
    await page.context().close();
});

test("a tooltip is that of the whole row of a bar, and a click there opens its kernel", { skip, timeout: MINUTE }, async () => {
    const page = await open("one");
    const figure = page.locator("#transpose");
    await figure.scrollIntoViewIfNeeded();
    const bars = await figure.locator("g[aria-label=bar] rect").all();
    const box = await bars[0].boundingBox();
    const tips = figure.locator("g[aria-label=tip] text");
    // At the start of the bar, far from its end.
    await page.mouse.move(box.x + 4, box.y + box.height / 2);
    // Plot separates lines by spaces without width.
    const first = (await tips.first().textContent()).replaceAll("\u200b", "");
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
    assert.equal((await tips.first().textContent()).replaceAll("\u200b", ""), first);
    await page.mouse.click(box.x + 4, box.y + box.height / 2);
    const title = await page.locator("dialog[open] h2").textContent();
    assert.ok(first.startsWith(title.split(" ")[0]), `${title}: ${first}`);
    await page.context().close();
});

test("a chart has six colours at most, and the page of own kernels begins with their verdict", { skip, timeout: MINUTE }, async () => {
    const page = await open("two");
    const counts = await page.$$eval("figure.chart:not([hidden]) .plots", (plots) =>
        plots.map((plot) => {
            const paints = [...plot.querySelectorAll("[fill], [stroke]")].flatMap((part) => [
                part.getAttribute("fill"),
                part.getAttribute("stroke"),
            ]);
            return new Set(paints.filter((paint) => /var\(--c\d\)/.test(paint ?? ""))).size;
        }),
    );
    assert.ok(counts.length >= 10 && counts.every((count) => count <= 6), counts.join());
    await page.context().close();
    const own = await open("own");
    assert.match(await own.locator(".answer").textContent(), /^(Vulkan: )?\S.* (is fastest: |No clear difference ).*results are right\.$|^No clear/);
    assert.equal(await own.locator(".screen table").count(), 0, "no table without figures");
    await own.context().close();
});

test("every chart is saved with its title, its devices, their dates, drivers and versions", { skip, timeout: 2 * MINUTE }, async () => {
    for (const name of ["one", "two"]) {
        const page = await open(name);
        const charts = await page.$$eval("figure.chart:not([hidden])", (all) => all.map(({ id }) => id));
        assert.ok(charts.length >= 10, charts.join());
        for (const id of charts) {
            const figure = page.locator(`figure#${id}`);
            const [download] = await Promise.all([page.waitForEvent("download"), figure.locator("button.save").click()]);
            assert.equal(download.suggestedFilename(), `${id}.svg`);
            const text = readFileSync(await download.path(), "utf8");
            const title = await figure.locator("h3").textContent();
            const devices = name === "two" ? ["NVIDIA H100", "NVIDIA H900"] : ["NVIDIA H100"];
            const label = await figure.locator(".legend li span:last-child").first().textContent();
            assert.ok(!text.includes(">:where"), id);
            for (const part of [title, label, ...devices, "2026-11-28", "NVIDIA 5", "shaderbench 0."])
                assert.ok(text.includes(part), `${name}, ${id}: no ${part}`);
            const picture = await page.context().newPage();
            const size = await picture.evaluate(async (svg) => {
                const image = new Image();
                image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
                await image.decode();
                const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
                const context = canvas.getContext("2d");
                context.drawImage(image, 0, 0);
                const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
                const colours = new Set();
                for (let at = 0; at < data.length; at += 4) colours.add(data.slice(at, at + 3).join());
                return { width: canvas.width, height: canvas.height, colours: colours.size };
            }, text);
            assert.ok(size.width > 260 && size.height > 150 && size.colours > 20, `${id}: ${JSON.stringify(size)}`);
            if (process.env.SCREENSHOTS) writeFileSync(join(process.env.SCREENSHOTS, `${name}-${id}.svg`), text);
            await picture.close();
        }
        await page.context().close();
    }
});

test("a narrow screen shows two devices and that there is more; paper has room for all", { skip, timeout: MINUTE }, async () => {
    const page = await open("two", { width: 390 });
    const heads = await page.$$eval(".sides-table thead th", (all) =>
        all.map((head) => ({ text: head.textContent, right: head.getBoundingClientRect().right })),
    );
    assert.match(heads[0].text, /^H100/);
    assert.match(heads[1].text, /^H900/);
    assert.ok(heads[1].right <= 390, `the second device ends at ${heads[1].right}`);
    const cue = await page.$eval(".sides-table", (table) => {
        const box = table.parentElement;
        return { isWide: box.scrollWidth > box.clientWidth, shadow: getComputedStyle(box).backgroundImage };
    });
    assert.ok(!cue.isWide || cue.shadow.includes("gradient"), cue.shadow);
    await page.context().close();
    // A4 between its margins.
    const width = Math.floor((210 - 2 * 9) / 25.4 * 96);
    for (const name of ["one", "two"]) {
        const paper = await open(name, { width });
        await paper.emulateMedia({ media: "print" });
        await paper.evaluate(() => dispatchEvent(new Event("beforeprint")));
        const wide = await paper.evaluate(
            (width) =>
                [...document.querySelectorAll("table, figure, svg, p")]
                    .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > width + 1)
                    .map((part) => part.outerHTML.slice(0, 200)),
            width,
        );
        assert.deepEqual(wide, [], name);
        await paper.context().close();
    }
});
