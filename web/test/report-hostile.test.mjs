// Strangers' reports as pages in Chromium: names are text, no number breaks the page, and the page sends nothing.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { folder } from "./chromium.mjs";
import { H200, LLVMPIPE, close, dataOf, faults, open, pageOf, settle, skip, texts } from "./report-page.mjs";

/** Writes a report of these rows. Returns its path. */
function written(name, rows) {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(rows));
    return path;
}

/** Draws other data in an open page, with all boxes open. */
const draw = (page, data) =>
    page.evaluate((data) => {
        const root = document.getElementById("report");
        ShaderbenchReport.render(root, JSON.parse(data));
        for (const box of root.querySelectorAll("details")) box.open = true;
        return new Promise((done) => setTimeout(done, 20));
    }, data);

const SCRIPT = "<script>alert(1)</script>";
const MARKED = ["driver", "vendor", "os", "cpu", "date", "tool_version", "shader_hash", "reason"];

test("markup in names is text", { skip, timeout: MINUTE }, async () => {
    const markup = (name) =>
        `</script><script>window.${name}=1</script><img src=x onerror=window.${name}=1>&amp;\u2028`;
    const row = (name, median_ns) => ({
        ...Object.fromEntries(MARKED.map((column) => [column, markup(column)])),
        device: SCRIPT,
        backend: "vulkan",
        family: "reduction",
        benchmark: name + markup("benchmark"),
        dtype: "f32",
        n: 1024,
        params: `${SCRIPT}=1`,
        status: median_ns === null ? "skipped" : "ok",
        share: 0.5,
        bytes: 4096,
        median_ns,
        ci_low_ns: median_ns && median_ns * 0.99,
        ci_high_ns: median_ns && median_ns * 1.01,
    });
    const report = written("<img src=x onerror=window.file=1>.json", [row("a", 10), row("b", 20), row("skipped", null)]);
    const text = readFileSync(pageOf([report]), "utf8");
    assert.equal(text.match(/<script/g).length, 4, "data, kernels, script, start");
    assert.ok(!text.includes("<img") && !text.includes("alert(1)<"));
    const page = await open([report]);
    await page.$$eval("details", (all) => all.forEach((box) => (box.open = true)));
    await settle(page);
    assert.equal(await page.$eval(".card h3", (title) => title.firstChild.textContent), SCRIPT);
    assert.equal(await page.locator("script").count(), 5, "and the unpacked one");
    assert.equal(await page.locator("img").count(), 0);
    const planted = (names) => names.filter((name) => window[name] === 1);
    assert.deepEqual(await page.evaluate(planted, [...MARKED, "benchmark", "file"]), []);
    assert.match(await page.locator(".comparison").textContent(), /<script>window\.benchmark=1/);
    await close(page);
});

test("render draws other data, and the page defines one global name", { skip, timeout: MINUTE }, async () => {
    const page = await open([H200]);
    assert.equal(await page.evaluate(() => typeof Plot), "undefined");
    await draw(page, dataOf([LLVMPIPE]));
    const cards = await page.$$eval(".card h3", (all) => all.map((title) => title.firstChild.textContent));
    assert.deepEqual(cards, ["llvmpipe (LLVM 15.0.6, 256 bits)"]);
    await close(page);
});

test("the policy of the page blocks requests and foreign scripts", { skip, timeout: MINUTE }, async () => {
    const page = await open([LLVMPIPE]);
    assert.deepEqual(faults(page), []);
    await page.evaluate(() => console.warn("planted"));
    await settle(page);
    assert.deepEqual(faults(page), ["warning: planted"]);
    await page.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => {}));
    await settle(page);
    assert.match(faults(page).slice(1).join("\n"), /Content Security Policy/, "the policy blocks the request and logs it");
    const isPlanted = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.planted = 1";
        document.body.append(script);
        return window.planted !== undefined;
    });
    assert.equal(isPlanted, false, "a script that the policy does not name does not run");
    await page.context().close();
});

const EXTREMES = "0 -0 1e-300 5e-324 100000000000 1e308 18446744073709551615 9007199254740993 -1e308".split(" ");
const WHOLE = ["samples", "launches", "bytes", "flops", "seed"];

function isAccepted(column, value) {
    if (column === "n") return /^[1-9]\d{0,11}$/.test(value);
    if (WHOLE.includes(column)) return /^\d+$/.test(value);
    return ["drift", "params"].includes(column) || !value.startsWith("-");
}

/** The rows with other values in columns. Values that the reader refuses stay as they are. */
function changed(rows, columns, valueOf) {
    return rows.map((row, index) => {
        const value = valueOf(index);
        const own = columns.filter((name) => (row[name] || name === "model") && isAccepted(name, value));
        const text = (name) => (name === "params" ? row.params.replaceAll(/=[^;]*/g, `=${value}`) : value);
        return { ...row, ...Object.fromEntries(own.map((name) => [name, text(name)])) };
    });
}

function rowsOf(report) {
    const cells = (line) =>
        [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain);
    const [names, ...lines] = readFileSync(report, "utf8").trim().split("\n").map(cells);
    return lines.map((values) => Object.fromEntries(names.map((name, index) => [name, values[index]])));
}

test("no number freezes the page, which shows no number that is none", { skip, timeout: 5 * MINUTE }, async () => {
    const rows = rowsOf(LLVMPIPE).map((row) => {
        const median = Number(row.median_ns);
        return { ...row, samples_ns: median ? [0.9 * median, median, 1.2 * median] : [] };
    });
    const page = await open([LLVMPIPE]);
    const wrong = [];
    let files = 0;
    const check = async (label, rows) => {
        const data = dataOf([written(`${(files += 1)}.json`, rows)]);
        assert.ok(data.length < 4 << 20, `${label}: ${data.length} characters`);
        await draw(page, data);
        const html = await page.$eval("#report", (root) => root.outerHTML);
        const bad = /.{0,150}(NaN|Infinity|undefined|null×).{0,50}/.exec(html);
        if (bad) wrong.push(`${label}: ${bad[0]}`);
    };
    await check("as measured", rows);
    const isNumber = (cell) => cell !== undefined && cell.split(/[;x]/).every((part) => Number.isFinite(Number(part)));
    const others = ["schema", "workgroup_size", "subgroup_size", "samples_ns"];
    const isNumeric = (name) => !others.includes(name) && rows.every((row) => isNumber(row[name]));
    const columns = Object.keys(rows[0]).filter(isNumeric);
    assert.ok(columns.length > 25 && columns.includes("median_ns"), columns.join());
    columns.push("params");
    for (let at = 0; at < columns.length; at += 6) {
        const several = columns.slice(at, at + 6);
        await check(`${several}: all`, changed(rows, several, (index) => EXTREMES[index % EXTREMES.length]));
    }
    // Columns that define axes, with every row at one end.
    const axes = [["median_ns", "ci_low_ns", "ci_high_ns"], ["bytes", "share", "model"], ["n", "params"]];
    for (const value of ["0", "100000000000", "1e308"])
        for (const several of axes) await check(`${several}: ${value}`, changed(rows, several, () => value));
    for (const samples_ns of [[1e-300, 1e308, 5], [5e-324, 1], [1e308, 1e308, 1e308]])
        await check(`samples ${samples_ns}`, rows.map((row) => ({ ...row, samples_ns })));
    assert.deepEqual(wrong, []);
    await close(page);
});
