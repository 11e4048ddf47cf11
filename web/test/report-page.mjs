// A report's page in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { ROOT } from "./built.mjs";
import { browser, folder, reasonToSkip, startFor } from "./chromium.mjs";

const shaderbench = process.env.SHADERBENCH ?? join(ROOT, "target/debug/shaderbench");
export const skip = reasonToSkip(shaderbench);
export const shots = process.env.SCREENSHOTS;

export const H100 = join(ROOT, "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv");
export const H200 = join(ROOT, "results/nvidia-h200/2026-11-30-vulkan+cuda.csv");
export const LLVMPIPE = join(ROOT, "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv");

startFor(skip, { args: ["--no-sandbox"] });

const written = new Map();

/** The path of the page of these reports. */
export function pageOf(reports) {
    const key = reports.join("\n");
    if (!written.has(key)) {
        const path = join(folder, `${written.size}`, "report.html");
        mkdirSync(join(path, ".."));
        const options = { cwd: ROOT, encoding: "utf8", stdio: "pipe" };
        assert.equal(execFileSync(shaderbench, ["report", ...reports, "--out", path], options), `${path}\n`);
        written.set(key, path);
    }
    return written.get(key);
}

/** The data in the page of these reports, as JSON. */
export function dataOf(reports) {
    const [, packed] = /id="report-data">([^<]*)</.exec(readFileSync(pageOf(reports), "utf8"));
    return inflateRawSync(Buffer.from(packed, "base64")).toString();
}

const log = new WeakMap();
/** A page's errors, console messages, dialogs and requests. */
export const faults = (page) => log.get(page);

/** Opens the page of these reports, and waits until it is drawn. */
export async function open(reports, { width = 1280, hash = "", ...options } = {}) {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    const own = `file://${pageOf(reports)}`;
    const found = [];
    log.set(page, found);
    page.on("pageerror", (error) => found.push(String(error)));
    page.on("console", (message) => found.push(`${message.type()}: ${message.text()}`));
    page.on("dialog", (dialog) => found.push(dialog.message()) && dialog.dismiss());
    page.on("request", (request) => request.url().split("#")[0] === own || found.push(request.url()));
    await page.goto(own + hash);
    await page.waitForSelector("#report > header");
    await settle(page);
    return page;
}

/** Closes a page. Asserts that it had no faults. */
export async function close(page) {
    assert.deepEqual(faults(page), []);
    await page.context().close();
}

/** Waits until the page is drawn. Size observers act one frame later. */
export const settle = (page) =>
    page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))),
    );

/** Ticks every device: software devices are not ticked at first. */
export async function tickAll(page) {
    await page.$$eval(".sides input:not(:checked)", (all) => all.forEach((input) => input.click()));
    await settle(page);
}

export const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));

/** A table column's texts, from top to bottom. */
export const column = (page, index) =>
    page.$$eval(".comparison tbody tr", (rows, index) => rows.map((row) => row.children[index]?.textContent ?? ""), index);

export const search = (page, text) => page.locator("input[type=search]").pressSequentially(text);
