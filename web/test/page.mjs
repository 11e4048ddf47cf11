// The built page in Chromium on its software device (SwiftShader).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { MINUTE, PAGE } from "./built.mjs";
import { browser, folder, reasonToSkip, startFor } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
];

export const skip = reasonToSkip(join(PAGE, "index.html"));
// `headless: false`: otherwise, Playwright selects the old headless mode, which has no WebGPU.
startFor(skip, { headless: false, args: FLAGS });

export let server;
before(async () => {
    if (!skip) server = await serve(PAGE);
});
after(() => server?.close());

/** A new page that is ready to run. `log` has its errors and its requests. */
export async function open(query = "", prepare = () => {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const log = { faults: [], requests: [] };
    page.on("pageerror", (error) => log.faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && log.faults.push(message.text()));
    context.on("request", (request) => log.requests.push(request.url()));
    await prepare(page);
    await page.goto(server.address + query);
    await page.waitForFunction(
        () =>
            document.querySelector(".notice.bad") ||
            (document.querySelector(".device-name") && document.getElementById("plan").textContent),
        null,
        { timeout: MINUTE },
    );
    return { page, log };
}

/** Verifies the families' kernels by one launch each, in the worker with the page's device. Returns the rows. */
export async function verify(page, families, sizes, plant = "") {
    const call = async ([families, sizes, plant]) => {
        const core = await import("/pkg/shaderbench_web.js");
        return JSON.parse(await core.verify(families, sizes, plant));
    };
    // The worker that reads reports has no device.
    return Promise.any(page.workers().map((worker) => worker.evaluate(call, [families, sizes, plant])));
}

/** Serves `file` to the page and its workers with a script in front. */
export const withScript = (file, script) => (page) =>
    page.route(`**/${file}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: `{\n${script}\n}\n${await response.text()}` });
    });

export const waitForRows = (page, count) =>
    page.waitForFunction((count) => document.querySelectorAll("tr[data-status]").length >= count, count, {
        timeout: 2 * MINUTE,
    });

export async function selectFamilies(page, families) {
    await page.evaluate(() => document.getElementById("choose").setAttribute("open", ""));
    await page.click("button:text-is('None')");
    for (const family of families) await page.check(`input[value=${family}]`, { force: true });
    await page.waitForSelector("#run:enabled");
}

export const waitForEnd = (page) =>
    page.waitForFunction(
        () => document.getElementById("stop").disabled && !document.getElementById("run").disabled,
        null,
        { timeout: 10 * MINUTE },
    );

/** Downloads a button's file. Returns its path. */
export async function save(page, button) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    const path = join(folder, file.suggestedFilename());
    await file.saveAs(path);
    return path;
}

export async function drop(page, name, text) {
    const data = await page.evaluateHandle(
        ([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            return data;
        },
        [name, text],
    );
    await page.dispatchEvent("#drop", "drop", { dataTransfer: data });
}

export const notices = (page) => page.locator("#notices .notice span").allInnerTexts();

export async function measure(page, families) {
    await selectFamilies(page, families);
    const start = Date.now();
    await page.click("#run");
    await page.waitForSelector("tr[data-status]", { timeout: MINUTE });
    const first = Date.now() - start;
    await waitForEnd(page);
    console.log(`first row after ${first} ms, all after ${Math.round((Date.now() - start) / 1000)} s`);
    return JSON.parse(readFileSync(await save(page, "#save-json"), "utf8"));
}
