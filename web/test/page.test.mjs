// The built page in a real browser, on its software device (SwiftShader). `scripts/web.sh --test` builds the page and runs this.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { MINUTES, PAGE, ROOT, SMALL, isRight } from "./built.mjs";
import { filesOf } from "./files.mjs";
import { changed, choose, drop, ended, landed, measure, notices, open, saved, server, skip } from "./page.mjs";

/** Holds that every row has figures or is skipped with a reason, and prints how many are of each status. */
function hold(rows) {
    const counts = {};
    for (const row of rows) {
        const name = `${row.family}/${row.benchmark} ${row.dtype} ${row.n} ${row.params}: ${row.reason}`;
        assert.ok(isRight(row) || (row.status === "skipped" && row.reason), `${row.status} ${name}`);
        assert.ok(!isRight(row) || (row.median_ns > 0 && row.samples_ns.length > 0), name);
        assert.deepEqual([row.backend, row.checks], ["webgpu", "on"]);
        assert.match(row.driver, /Chrom.* \d+\./);
        counts[row.status] = (counts[row.status] ?? 0) + 1;
    }
    console.log(Object.entries(counts).map(([status, count]) => `${count} ${status}`).join(", "));
}

const names = (rows) => [...new Set(rows.map((row) => `${row.family}/${row.benchmark}`))].sort();
/** Benchmarks that have figures in one row at least, and those that have none. */
const measured = (rows) => names(rows.filter(isRight));
const missing = (rows) => names(rows).filter((name) => !measured(rows).includes(name));

/** What WebGPU cannot say, or SwiftShader does not offer: all else must have figures. */
const LACKING = [
    "bank_conflict/bytes_direct", "bank_conflict/halves_direct", "matmul/cooperative", "matmul/cublas", "memory_spaces/pointer_latency",
    "memory_spaces/spill", "sum_of_cubes/clock_in_kernel", "transfer/mapped_primary_read", "transfer/mapped_primary_write",
    "transfer/pinned_by_kernel", "transfer/pinned_to_device", "transfer/read_back_pageable", "transpose/cublas", "workgroup_memory/dynamic_size",
];

test("every kernel of three families and their ceilings is right, and the CSV is one for the command line", { skip, timeout: 10 * MINUTES }, async () => {
    const { page, seen } = await open(SMALL);
    const rows = await measure(page, ["reduction", "transpose", "bank_conflict"]);
    hold(rows);
    const own = rows.filter((row) => row.family !== "ceiling");
    assert.deepEqual(missing(own), LACKING.filter((name) => /^(reduction|transpose|bank_conflict)\//.test(name)));
    const ceilings = measured(rows);
    for (const name of ["ceiling/copy", "ceiling/launch", "ceiling/read"]) assert.ok(ceilings.includes(name), `${name} has figures`);

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

const skipAll = skip || (process.env.WEB_TESTS === "all" ? false : "SKIPPED: it takes minutes: WEB_TESTS=all runs it");

test("every case of four families at its own size is right or skipped with a reason", { skip: skipAll, timeout: 15 * MINUTES }, async () => {
    const { page } = await open();
    const rows = await measure(page, ["reduction", "transpose", "ceiling", "bank_conflict"]);
    hold(rows);
    assert.deepEqual([...new Set(rows.map((row) => row.family))].sort(), ["bank_conflict", "ceiling", "reduction", "transpose"]);
    // The others take a software device too long, or may do so where it is busy.
    const quick = ["ceiling/copy", "ceiling/fill", "ceiling/launch", "ceiling/read", "ceiling/read_tree", "reduction/vec4_grid_stride",
        "transpose/naive_coalesced_read", "transpose/naive_coalesced_write", "transpose/naive_read_write_input", "transpose/registers"];
    const found = measured(rows);
    assert.deepEqual(quick.filter((name) => !found.includes(name)), [], "have no figures");
    await page.context().close();
});

test("every kernel of every other family is right", { skip: skipAll, timeout: 15 * MINUTES }, async () => {
    const { page, seen } = await open(`${SMALL}&size=48x48x48`);
    const families = await page.$$eval("input[name=family]", (inputs) => inputs.map((input) => input.value));
    // Checks cannot be switched in a browser, and without that those kernels are other families'.
    const covered = ["ceiling", "reduction", "transpose", "bank_conflict", "safety_tax"];
    const rows = await measure(page, families.filter((name) => !covered.includes(name)));
    hold(rows);
    const own = rows.filter((row) => row.family !== "ceiling");
    assert.deepEqual(missing(own), LACKING.filter((name) => !/^(transpose|bank_conflict)\//.test(name)));
    assert.deepEqual(seen.faults, []);
    await page.context().close();
});

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
    const { page } = await open();
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
    // A case that was past its last sample may still land.
    await page.waitForTimeout(4000);
    const before = await count();
    await page.waitForTimeout(4000);
    assert.equal(await count(), before);
    await hide(false);
    await landed(page, before + 1);
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
