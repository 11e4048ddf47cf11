// A report page's charts in Chromium: each is drawn with every option, for the ticked devices, on screen and on paper.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { H100, H200, LLVMPIPE, close, column, open, search, settle, shots, skip, texts, tickAll } from "./report-page.mjs";

/** Every chart of the committed reports. */
const CHARTS = [
    "roofline",
    "reduction",
    "transpose",
    "ladders",
    "cache-latency",
    "cache-bandwidth",
    "bank-conflict",
    "coalescing-stride",
    "coalescing-offset",
    "versus",
];

/**
 * In the page: the visible charts' names, marks per plot, elements outside of the frame, and overlapping texts. Lines
 * of text are taller than their letters; boxes of rotated texts are larger than the texts.
 */
function survey(selector) {
    const marks = (svg) => [
        ...svg.querySelectorAll("[aria-label=bar] rect, [aria-label=dot] :is(path, circle), [aria-label=line] path"),
    ];
    const isOver = ([, a], [, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    const overlaps = (svg) => {
        const all = [...svg.querySelectorAll("text:not([transform*=rotate])")];
        const boxes = all.map((text) => [text.textContent, text.getBoundingClientRect()]);
        return boxes.flatMap((one, index) =>
            boxes.slice(index + 1).flatMap((other) => (isOver(one, other) ? [`${one[0]} | ${other[0]}`] : [])),
        );
    };
    return [...document.querySelectorAll(`${selector}:not([hidden])`)].map((figure) => {
        const box = figure.getBoundingClientRect();
        const plots = [...figure.querySelectorAll(".plots > svg")];
        const isOutside = (element) => {
            const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
            const isPast = left < box.left - 1 || right > box.right + 1 || top < box.top || bottom > box.bottom;
            return width + height > 0 && isPast;
        };
        const parts = plots.flatMap((svg) => [...marks(svg), ...svg.querySelectorAll("text")]);
        return {
            id: figure.id,
            marks: plots.map((svg) => marks(svg).length),
            outside: parts.filter(isOutside).map((element) => element.outerHTML.slice(0, 200)),
            overlaps: plots.flatMap(overlaps),
            unnamed: plots.filter((svg) => svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")).length,
            isTitled: Boolean(figure.querySelector("figcaption h3").textContent),
            isWide: plots.some((svg) => svg.getBoundingClientRect().width > box.width),
        };
    });
}

/** In the page: the findings of `survey` for each chart with each of its options. */
const surveyOptions = (survey) =>
    [...document.querySelectorAll("figure.chart:not([hidden]) .controls select")].flatMap((select) => {
        const { id } = select.closest("figure");
        const first = select.value;
        const set = (value) => {
            select.value = value;
            select.dispatchEvent(new Event("change"));
        };
        const values = [...select.options].map(({ value }) => value);
        const found = values.map((value) => {
            set(value);
            return { where: `${id} with ${value}`, chart: survey(`figure#${id}`)[0] };
        });
        set(first);
        return found;
    });

function assertDrawn(chart, where) {
    assert.ok(chart, `${where}: not shown`);
    const { id, marks, ...faults } = chart;
    assert.ok(marks.length > 0 && marks.every((count) => count > 1), `${where}, ${id}: ${marks} marks`);
    const none = { outside: [], overlaps: [], unnamed: 0, isTitled: true, isWide: false };
    assert.deepEqual(faults, none, `${where}, ${id}`);
}

test("every chart of the committed reports is drawn without an error", { skip, timeout: 3 * MINUTE }, async () => {
    const page = await open([H200, LLVMPIPE]);
    await tickAll(page);
    for (const width of [1280, 390]) {
        for (const colorScheme of ["light", "dark"]) {
            const where = `at ${width}, ${colorScheme}`;
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme });
            await settle(page);
            const charts = await page.evaluate(survey, "figure.chart");
            assert.deepEqual(charts.map(({ id }) => id), CHARTS, where);
            for (const chart of charts) assertDrawn(chart, where);
            const scrolled = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.equal(scrolled, width, "the page itself never scrolls sideways");
            const options = colorScheme === "light" ? await page.evaluate(`(${surveyOptions})(${survey})`) : [];
            for (const option of options) assertDrawn(option.chart, `${where}, ${option.where}`);
            if (shots) await page.screenshot({ path: join(shots, `report-${colorScheme}-${width}.png`), fullPage: true });
        }
    }
    await close(page);
});

test("three reports print on few pages with every chart", { skip, timeout: MINUTE }, async () => {
    const page = await open([H100, H200, LLVMPIPE]);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const widths = await page.$$eval(".plots > svg", (all) => all.map((svg) => svg.getAttribute("width")));
    assert.deepEqual([...new Set(widths)], ["330"], "charts are drawn for paper");
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.printToPDF", { paperWidth: 8.27, paperHeight: 11.69 });
    const pages = Buffer.from(data, "base64").toString("latin1").match(/\/Type \/Page(?!s)/g).length;
    assert.ok(pages >= 5 && pages <= 15, `${pages} pages`);
    await close(page);
});

test("the table and the charts show the ticked devices, or name them with the reason", { skip, timeout: MINUTE }, async () => {
    const page = await open([H200, LLVMPIPE]);
    const ticked = () => texts(page, ".side:has(:checked) > span:not(:has(svg))");
    const compared = () => texts(page, ".comparison [scope=colgroup]");
    /** The devices that a chart leaves out, with the reason. */
    const absent = async (chart) => (await texts(page, `figure#${chart}:not([hidden]) .absent`)).join();
    const [vulkan, cuda, llvmpipe] = ["H200, 30 Nov · Vulkan", "H200, 30 Nov · CUDA", "llvmpipe, 22 Nov · Vulkan"];
    assert.deepEqual(await ticked(), [vulkan, cuda], "no software device");
    assert.deepEqual(await compared(), [vulkan, cuda, "Ratio of times"]);
    await tickAll(page);
    assert.deepEqual((await ticked()).slice(-2), [llvmpipe, "software"]);
    assert.deepEqual(await compared(), [vulkan, cuda, llvmpipe, "Ratio of times"]);
    assert.equal(await absent("reduction"), `Not shown: ${llvmpipe}. Reason: reduction has no times at f32 2^28.`);
    assert.equal(await absent("cache-latency"), "", "every device is shown");
    assert.equal(await absent("versus"), "");
    await search(page, "4096x4096");
    const sizes = await column(page, 1);
    assert.ok(sizes.length > 0 && sizes.every((size) => size.includes(" 4096×4096")), sizes.join());
    // A deselected device is in no chart.
    await page.click(".sides .side:nth-of-type(1) input");
    assert.ok(!(await compared()).includes(vulkan));
    const [legend] = await texts(page, "#cache-latency .legend");
    assert.ok(!legend.includes(vulkan) && legend.includes(cuda), legend);
    await close(page);
});
