// The built page, opened in Chromium on its software device (SwiftShader), and what a test does on it.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { MINUTES, PAGE } from "./built.mjs";
import { serve } from "./serve.mjs";

const BROWSER = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
const FLAGS = ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

export const skip = !BROWSER ? "SKIPPED: there is no Chromium" : !existsSync(join(PAGE, "index.html")) ? `SKIPPED: ${PAGE} is not built` : false;
if (skip) console.log(skip);

export let server;
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
export async function open(query = "", prepare = () => {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const seen = { faults: [], requests: [] };
    page.on("pageerror", (error) => seen.faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && seen.faults.push(message.text()));
    context.on("request", (request) => seen.requests.push(request.url()));
    await prepare(page);
    await page.goto(server.address + query);
    await page.waitForFunction(() => document.querySelector(".notice.bad") || (document.querySelector(".device-name") && document.getElementById("plan").textContent), null, { timeout: MINUTES });
    return { page, seen };
}

/** Serves `file` with `change` in front of it, to the page's window and to its workers alike. */
export const changed = (file, change) => (page) => page.route(`**/${file}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `{\n${change}\n}\n${await answer.text()}` });
});

/** Waits until the tables have `count` rows. */
export const landed = (page, count) => page.waitForFunction((count) => document.querySelectorAll("tr[data-status]").length >= count, count, { timeout: 2 * MINUTES });

export async function choose(page, families) {
    await page.click("button:text-is('None')");
    for (const family of families) await page.check(`input[value=${family}]`, { force: true });
    await page.waitForSelector("#run:enabled");
}

export const ended = (page) => page.waitForFunction(() => document.getElementById("stop").disabled && !document.getElementById("run").disabled, null, { timeout: 10 * MINUTES });

/** The file that pressing `button` gives. */
export async function saved(page, button) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    const path = join(folder, file.suggestedFilename());
    await file.saveAs(path);
    return path;
}

export async function drop(page, name, text) {
    const data = await page.evaluateHandle(([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        return data;
    }, [name, text]);
    await page.dispatchEvent("#drop", "drop", { dataTransfer: data });
}

export const notices = (page) => page.locator("#notices .notice span").allInnerTexts();

/** Runs `families` on a ready page; gives the rows. */
export async function measure(page, families) {
    await choose(page, families);
    const start = Date.now();
    await page.click("#run");
    await page.waitForSelector("tr[data-status], .skipped", { timeout: MINUTES });
    const first = Date.now() - start;
    await ended(page);
    console.log(`first row after ${first} ms, all after ${Math.round((Date.now() - start) / 1000)} s`);
    return JSON.parse(readFileSync(await saved(page, "#save-json"), "utf8"));
}

