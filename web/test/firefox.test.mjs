// The page in a second engine: Firefox, on whatever adapter it finds. On Linux it wants a Vulkan driver (llvmpipe will do). It answers only
// every 100 ms: a few rows must do.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startFirefox } from "./bidi.mjs";
import { MINUTES, PAGE, SMALL, isRight } from "./built.mjs";
import { serve } from "./serve.mjs";

const BROWSER = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => path && existsSync(path));
const skip = !BROWSER ? "SKIPPED: there is no Firefox" : !existsSync(join(PAGE, "index.html")) ? `SKIPPED: ${PAGE} is not built` : false;
if (skip) console.log(skip);

/** WebGPU where it is not on by default, and on software devices. */
const PREFERENCES = { "dom.webgpu.enabled": true, "dom.webgpu.workers.enabled": true, "gfx.webgpu.ignore-blocklist": true };

test("Firefox measures what Chromium does", { skip, timeout: 6 * MINUTES }, async (t) => {
    const started = await startFirefox(BROWSER, PREFERENCES).catch((error) => error);
    if (started instanceof Error) return t.skip(`SKIPPED: ${BROWSER} cannot be driven: ${started.message}`);
    const { version, page, end } = started;
    t.signal.addEventListener("abort", end);
    const server = await serve(PAGE);
    try {
        await page.go(server.address + SMALL);
        const device = await page.until(() => (document.querySelector(".notice.bad") ?? document.querySelector(".device-name"))?.innerText);
        console.log(`Firefox ${version}: ${device}`);
        if (/has no WebGPU|gives this page no adapter/.test(device)) return t.skip(`SKIPPED: Firefox ${version}: ${device}`);
        await page.until(() => document.querySelector("input[name=family]") && !document.getElementById("run").disabled);
        await page.evaluate(() => {
            for (const input of document.querySelectorAll("input[name=family]")) {
                if (input.checked !== (input.value === "transpose")) input.click();
            }
        });
        await page.until(() => /^\d+ cases/.test(document.getElementById("plan").textContent) && !document.getElementById("run").disabled);
        await page.evaluate(() => document.getElementById("run").click());
        await page.until(() => document.querySelectorAll("tr[data-status]").length >= 3 || document.querySelector(".notice.bad"));
        await page.evaluate(() => document.getElementById("stop").click());
        await page.until(() => !document.getElementById("run").disabled);
        console.log(await page.evaluate(() => document.getElementById("timer").textContent));
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".notice")].map((notice) => notice.innerText)), []);
        const rows = await page.evaluate(async () => {
            const blob = new Promise((resolve) => {
                const { createObjectURL } = URL;
                URL.createObjectURL = (blob) => { resolve(blob); return createObjectURL.call(URL, blob); };
            });
            document.getElementById("save-json").click();
            return JSON.parse(await (await blob).text());
        });
        assert.ok(rows.length >= 3);
        for (const row of rows) {
            const name = `${row.family}/${row.benchmark} ${row.params}: ${row.reason}`;
            assert.ok((isRight(row) && row.median_ns > 0) || (row.status === "skipped" && row.reason), `${row.status} ${name}`);
            assert.deepEqual([row.backend, row.checks], ["webgpu", "on"]);
            assert.match(row.driver, /^Firefox \d+\./);
        }
    } finally {
        await end();
        server.end();
    }
});
