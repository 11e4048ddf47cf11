// The built page in a real browser, on its software device (SwiftShader). `scripts/web.sh --test` builds the page and runs this.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { filesOf } from "./files.mjs";
import { serve } from "./serve.mjs";

const ROOT = new URL("../..", import.meta.url).pathname;
const PAGE = process.env.PAGE ?? join(ROOT, "target/web-page");
const BROWSER = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
const FLAGS = ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const MINUTES = 60_000;

const skip = !BROWSER ? "SKIPPED: there is no Chromium" : !existsSync(join(PAGE, "index.html")) ? `SKIPPED: ${PAGE} is not built` : false;
if (skip) console.log(skip);

let server;
let browser;
let folder;

before(async () => {
    if (skip) return;
    const { chromium } = await import("playwright-core");
    server = await serve(PAGE);
    folder = mkdtempSync(join(tmpdir(), "shaderbench-"));
    // `headless: false`, so that the flag alone decides: the old headless mode has no WebGPU.
    browser = await chromium.launch({ executablePath: BROWSER, headless: false, args: FLAGS });
});

after(async () => {
    await browser?.close();
    server?.end();
    if (folder) rmSync(folder, { recursive: true });
});

/** A page of its own that is ready to run. Notes what goes wrong on it and what it asks for. */
async function open(query = "", prepare = () => {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const seen = { faults: [], requests: [] };
    page.on("pageerror", (error) => seen.faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && seen.faults.push(message.text()));
    context.on("request", (request) => seen.requests.push(request.url()));
    await prepare(page);
    await page.goto(server.address + query);
    await page.waitForSelector(".device-name, .notice.bad", { timeout: MINUTES });
    return { page, seen };
}

async function choose(page, families) {
    await page.click("button:text-is('None')");
    for (const family of families) await page.check(`input[value=${family}]`, { force: true });
    await page.waitForSelector("#run:enabled");
}

const ended = (page) => page.waitForFunction(() => document.getElementById("stop").disabled && !document.getElementById("run").disabled, null, { timeout: 10 * MINUTES });

/** The file that pressing `button` gives. */
async function saved(page, button) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    const path = join(folder, file.suggestedFilename());
    await file.saveAs(path);
    return path;
}

async function drop(page, name, text) {
    const data = await page.evaluateHandle(([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        return data;
    }, [name, text]);
    await page.dispatchEvent("#drop", "drop", { dataTransfer: data });
}

const notices = (page) => page.locator("#notices .notice span").allInnerTexts();

/** Runs `families` on a ready page; gives the rows. */
async function measure(page, families) {
    await choose(page, families);
    const start = Date.now();
    await page.click("#run");
    await page.waitForSelector("tr[data-status], .skipped", { timeout: MINUTES });
    const first = Date.now() - start;
    await ended(page);
    console.log(`first row after ${first} ms, all after ${Math.round((Date.now() - start) / 1000)} s`);
    assert.ok(first < 5000, `the first row took ${first} ms`);
    return JSON.parse(readFileSync(await saved(page, "#save-json"), "utf8"));
}

/** Holds that every row has figures or is skipped with a reason. */
function hold(rows) {
    for (const row of rows) {
        const name = `${row.family}/${row.benchmark} ${row.dtype} ${row.n} ${row.params}: ${row.reason}`;
        assert.ok(row.status === "ok" || (row.status === "skipped" && row.reason), `${row.status} ${name}`);
        assert.ok(row.status !== "ok" || (row.median_ns > 0 && row.samples_ns.length > 0), name);
        assert.deepEqual([row.backend, row.checks], ["webgpu", "on"]);
        assert.match(row.driver, /Chrom.* \d+\./);
    }
}

const names = (rows) => [...new Set(rows.map((row) => `${row.family}/${row.benchmark}`))].sort();
/** Benchmarks that have figures in one row at least, and those that have none. */
const measured = (rows) => names(rows.filter((row) => row.status === "ok"));
const missing = (rows) => names(rows).filter((name) => !measured(rows).includes(name));

/** What WebGPU cannot say, or SwiftShader does not offer: all else must have figures. */
const LACKING = [
    "bank_conflict/bytes_direct", "bank_conflict/halves_direct", "matmul/cooperative", "matmul/cublas", "memory_spaces/pointer_latency",
    "memory_spaces/spill", "sum_of_cubes/clock_in_kernel", "transfer/mapped_primary_read", "transfer/mapped_primary_write",
    "transfer/read_back_pageable", "transpose/cublas", "workgroup_memory/dynamic_size",
];
/** Small enough for a software device to finish every kernel. */
const SMALL = "?size=1024&size=256x256";

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
    const quick = ["ceiling/copy", "ceiling/fill", "ceiling/launch", "ceiling/read", "reduction/vec4_grid_stride",
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
    await page.waitForFunction(() => document.querySelectorAll("tr[data-status]").length >= 2, null, { timeout: MINUTES });
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
    await page.waitForFunction((before) => document.querySelectorAll("tr[data-status]").length > before, before, { timeout: MINUTES });
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
    // In the page's own window and in its workers alike: the scripts are served changed.
    const without = (change) => (page) => page.route("**/host.js", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: `${change}\n${await answer.text()}` });
    });
    for (const [change, sentence] of [
        ["Object.defineProperty(navigator, 'gpu', { value: undefined });", /This browser has no WebGPU: use/],
        ["navigator.gpu.requestAdapter = async () => null; GPU.prototype.requestAdapter = async () => null;", /gives this page no adapter: /],
    ]) {
        const { page } = await open("", without(change));
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
