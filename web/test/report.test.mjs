// A report page in Chromium: axe finds nothing, each choice is a history step, a kernel shows its sources, each chart
// is saved as a picture, a narrow screen shows the second device, and paper fits every table.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { MINUTE, ROOT } from "./built.mjs";
import { folder, reasonToSkip } from "./chromium.mjs";
import { H100, close, open, shots, skip, texts } from "./report-page.mjs";

const AXE = join(ROOT, "web/node_modules/axe-core/axe.min.js");

/** Reports of one card, of two cards (the second is the first, renamed), and of kernels of `bench`. */
const reports = { one: [H100] };

before(() => {
    if (skip) return;
    const text = readFileSync(H100, "utf8");
    const [, ...cards] = /(GPU|card)-[0-9a-f-]+/.exec(text) ?? [];
    assert.ok(cards.length > 0, "the report names its card");
    reports.two = [H100, join(folder, "other.csv")];
    const renamed = text.replaceAll("NVIDIA H100 80GB HBM3", "NVIDIA H900").replaceAll(/(GPU|card)-[0-9a-f]/g, "$1-0");
    writeFileSync(reports.two[1], renamed);
    reports.own = [join(folder, "own.csv")];
    const head = text.slice(0, text.indexOf("\n") + 1);
    const rows = text.split("\n").filter((line) => line.includes(",transpose,") && line.includes(",vulkan,"));
    writeFileSync(reports.own[0], head + rows.join("\n").replaceAll(",transpose,", ",mine,") + "\n");
});

const violations = (page) =>
    page.evaluate(async () => {
        const { violations: found } = await globalThis.axe.run(document);
        return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(" | ")}`);
    });

test("axe finds no violation, at two widths, in light and dark, with and without a kernel", { skip: skip || reasonToSkip(AXE), timeout: 5 * MINUTE }, async () => {
    // Each pair of a report, a width and a scheme; WEB_TESTS=all adds the other half of all combinations.
    const half = [["one", 1280, "light"], ["one", 390, "dark"], ["two", 1280, "dark"], ["two", 390, "light"]];
    const other = half.map(([name, width, scheme]) => [name, width, scheme === "light" ? "dark" : "light"]);
    for (const [name, width, colorScheme] of process.env.WEB_TESTS === "all" ? [...half, ...other] : half) {
        const page = await open(reports[name], { width, colorScheme, bypassCSP: true });
        await page.addScriptTag({ path: AXE });
        assert.deepEqual(await violations(page), [], `${name} at ${width}, ${colorScheme}`);
        await page.locator("button.open:visible").first().click();
        await page.waitForSelector("dialog[open] pre");
        assert.deepEqual(await violations(page), [], `a kernel of ${name} at ${width}, ${colorScheme}`);
        await close(page);
    }
});

const TITLE = "the keyboard opens a kernel's sources, and Back closes them, undoes a menu, and leaves the page last";
test(TITLE, { skip, timeout: MINUTE }, async () => {
    const page = await open(reports.one);
    assert.equal(await page.title(), "NVIDIA H100 80GB HBM3, 2026-11-28 – shaderbench");
    const isOpen = () => page.evaluate(() => document.querySelector("dialog[open]") !== null);
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    const family = page.locator("#ladders [data-key=family] select");
    const first = await family.inputValue();
    await page.keyboard.press("Tab");
    for (let steps = 1; !(await page.evaluate(() => document.activeElement.matches(".screen button.open"))); steps += 1) {
        assert.ok(steps < 40, "the keyboard reaches a kernel of the first screen");
        await page.keyboard.press("Tab");
    }
    const kernel = await focused();
    await page.keyboard.press("Enter");
    const title = await page.locator("dialog[open] h2").textContent();
    assert.ok(title.includes(kernel), title);
    await page.waitForSelector("dialog[open] pre");
    const [wgsl, cuda] = await texts(page, "dialog pre");
    assert.ok(wgsl.includes("@compute") && cuda.includes("__global__"), `${wgsl}\n${cuda}`);
    assert.match(await page.locator("dialog dl").textContent(), /look for/);
    assert.match(page.url(), /#.*row=/);
    await page.goBack();
    await page.waitForSelector("dialog[open]", { state: "detached" });
    assert.equal(await focused(), kernel, "the focus is where it was");
    await page.goForward();
    await page.waitForSelector("dialog[open]");
    // Closing it is the same as Back.
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => location.hash === "");
    assert.equal(await isOpen(), false);
    assert.equal(await focused(), kernel, "the focus is where it was");
    // A click on a table row opens its kernel too.
    await page.click(".comparison tbody tr:nth-child(3) td:nth-child(2)");
    assert.equal(await isOpen(), true);
    await page.goBack();
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
    await close(page);
});

test("a tooltip is that of the whole row of a bar, and a click there opens its kernel", { skip, timeout: MINUTE }, async () => {
    const page = await open(reports.one);
    const figure = page.locator("#transpose");
    await figure.scrollIntoViewIfNeeded();
    const bars = await figure.locator("g[aria-label=bar] rect").all();
    const box = await bars[0].boundingBox();
    const tips = figure.locator("g[aria-label=tip] text");
    // At the start of the bar, far from its end.
    await page.mouse.move(box.x + 4, box.y + box.height / 2);
    // Plot separates lines by zero-width spaces.
    const first = (await tips.first().textContent()).replaceAll("\u200b", "");
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
    assert.equal((await tips.first().textContent()).replaceAll("\u200b", ""), first);
    await page.mouse.click(box.x + 4, box.y + box.height / 2);
    const title = await page.locator("dialog[open] h2").textContent();
    assert.ok(first.startsWith(title.split(" ")[0]), `${title}: ${first}`);
    await close(page);
});

test("a chart has six colours at most, and the page of own kernels begins with their verdict", { skip, timeout: MINUTE }, async () => {
    const page = await open(reports.two);
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
    await close(page);
    const own = await open(reports.own);
    assert.match(await own.locator(".answer").textContent(), /^(Vulkan: )?\S.* (is fastest: |No clear difference ).*results are correct\.$|^No clear/);
    assert.equal(await own.locator(".screen table").count(), 0, "no table without figures");
    await close(own);
});

test("every chart is saved with its title, its devices, their dates, drivers and versions", { skip, timeout: 2 * MINUTE }, async () => {
    for (const name of ["one", "two"]) {
        const page = await open(reports[name]);
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
            if (shots) writeFileSync(join(shots, `${name}-${id}.svg`), text);
            await picture.close();
        }
        await close(page);
    }
});

test("a narrow screen shows numbers, two devices and that there is more; paper has room for all", { skip, timeout: MINUTE }, async () => {
    const narrow = await open(reports.one, { width: 390 });
    const number = await narrow.locator(".comparison tbody td.number").first().boundingBox();
    assert.ok(number.x + number.width <= 390, `the first number of the table ends at ${number.x + number.width}`);
    await close(narrow);
    const page = await open(reports.two, { width: 390 });
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
    await close(page);
    // A4 between its margins.
    const width = Math.floor((210 - 2 * 9) / 25.4 * 96);
    for (const name of ["one", "two"]) {
        const paper = await open(reports[name], { width });
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
        await close(paper);
    }
});
