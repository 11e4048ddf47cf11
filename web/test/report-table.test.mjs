// A report page's table in Chromium: it sorts and filters, and the address holds the reader's choices.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { H200, LLVMPIPE, close, column, open, search, settle, skip } from "./report-page.mjs";

/** The button in a column's heading. */
const heading = (index) => `.comparison thead tr:last-child th:nth-child(${index + 1}) button`;
const MEDIAN = 2;

/** The table's times in nanoseconds. */
function nanoseconds(cells) {
    const units = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };
    const parts = cells.map((cell) => cell.split(" ")).filter(([, unit]) => unit in units);
    return parts.map(([number, unit]) => Number(number) * units[unit]);
}

test("the table is sorted and filtered by click and by keyboard", { skip, timeout: MINUTE }, async () => {
    const page = await open([H200]);
    const sortOf = (index) =>
        page.$eval(heading(index), (button) => button.parentElement.getAttribute("aria-sort") ?? "none");
    // By click: ascending, descending, unsorted.
    const before = await column(page, MEDIAN);
    for (const [direction, sign] of [["ascending", 1], ["descending", -1]]) {
        await page.click(heading(MEDIAN));
        assert.equal(await sortOf(MEDIAN), direction);
        const times = nanoseconds(await column(page, MEDIAN));
        assert.ok(times.length > 90, `${times.length} times`);
        assert.deepEqual(times, times.toSorted((a, b) => sign * (a - b)), direction);
    }
    await page.click(heading(MEDIAN));
    assert.equal(await sortOf(MEDIAN), "none");
    assert.deepEqual(await column(page, MEDIAN), before);
    // By keyboard: Tab moves from the search field to the headings, and Enter sorts.
    await page.focus("input[type=search]");
    for (let times = 0; times < 2; times += 1) await page.keyboard.press("Tab");
    assert.match(await page.evaluate(() => document.activeElement.closest("th")?.textContent), /^Case↕*$/);
    for (const [direction, sign] of [["ascending", 1], ["descending", -1]]) {
        await page.keyboard.press("Enter");
        assert.equal(await sortOf(0), direction, "the focus stays where it is");
        const cases = await column(page, 0);
        const [first, last] = [cases[0], cases.at(-1)];
        assert.ok(sign > 0 ? first < last : first > last, `${first} ${last}`);
    }
    // A filter by keyboard: typing selects an option.
    await page.focus("#table [data-key=family] select");
    await page.keyboard.type("transp");
    await page.keyboard.press("Tab");
    const families = await column(page, 0);
    assert.ok(families.length > 20 && families.every((name) => name.startsWith("transpose/")), families.join());
    // A filter by search.
    await page.click("input[type=search]");
    await page.keyboard.type("pad=1 f64");
    const found = await column(page, 0);
    assert.ok(found.length > 0 && found.every((name) => name === "transpose/tiled PAD=1"), found.join());
    const sizes = await column(page, 1);
    assert.ok(sizes.every((size) => size.startsWith("f64 ")), sizes.join());
    const count = await page.locator(".count").textContent();
    assert.ok(count.startsWith(`${found.length} of `) && count.includes(" cases"), count);
    await close(page);
});

test("the address holds what the reader chose", { skip, timeout: MINUTE }, async () => {
    const page = await open([H200, LLVMPIPE]);
    assert.equal(await page.evaluate(() => location.hash), "", "what is as at first is not in the address");
    await page.click(".sides label:nth-of-type(3) input");
    await page.selectOption("#table [data-key=family] select", "transpose");
    const ladders = page.locator("#ladders [data-key] select").first();
    await ladders.selectOption({ index: (await ladders.locator("option").count()) - 1 });
    await search(page, "tiled");
    for (let times = 0; times < 2; times += 1) await page.click(heading(MEDIAN));
    await page.click(".comparison tbody tr:nth-child(2) th button");
    const stateOf = (page) =>
        page.evaluate(() => ({
            hash: location.hash,
            ticks: [...document.querySelectorAll(".sides input")].map((input) => input.checked),
            menus: [...document.querySelectorAll("#table select, #ladders select")].map((select) => select.value),
            search: document.querySelector("input[type=search]").value,
            sort: document.querySelector(".comparison [aria-sort]")?.textContent,
            title: document.querySelector("dialog[open] h2")?.textContent,
        }));
    const state = await stateOf(page);
    for (const part of ["sides=0.1.2", "family=transpose", "text=tiled", "sort=-Median.0", "row=transpose"])
        assert.ok(state.hash.includes(part), `${part}: ${state.hash}`);
    // The same link in another browser profile.
    const other = await open([H200, LLVMPIPE], { hash: state.hash });
    assert.deepEqual(await stateOf(other), state);
    assert.deepEqual(await column(other, 0), await column(page, 0));
    // Another link into the same page shows the chart that it names.
    await other.goto(`${other.url().split("#")[0]}#coalescing-offset&text=tiled`);
    await settle(other);
    const top = await other.$eval("#coalescing-offset", (figure) => figure.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `${top}`);
    await close(page);
    await close(other);
});
