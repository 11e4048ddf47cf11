// The page in Firefox, on any adapter. On Linux that needs a Vulkan driver, which may be llvmpipe. Firefox answers
// every 100 ms only, so this test measures a few rows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startFirefox } from "./bidi.mjs";
import { MINUTE, PAGE, SMALL, findBrowser, isRight } from "./built.mjs";
import { serve } from "./serve.mjs";

const { program, skip } = findBrowser("Firefox", [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"]);

/** Enables WebGPU where it is off by default, and on software devices. */
const PREFERENCES = {
    "dom.webgpu.enabled": true,
    "dom.webgpu.workers.enabled": true,
    "gfx.webgpu.ignore-blocklist": true,
};

test("Firefox measures rows", { skip, timeout: 6 * MINUTE }, async (t) => {
    const started = await startFirefox(program, PREFERENCES).catch((error) => error);
    if (started instanceof Error) return t.skip(`SKIPPED: ${program} cannot be started: ${started.message}`);
    const { version, page, close } = started;
    t.signal.addEventListener("abort", close);
    const server = await serve(PAGE);
    try {
        await page.navigate(server.address + SMALL);
        const device = await page.waitFor(
            () => (document.querySelector(".notice.bad") ?? document.querySelector(".device-name"))?.innerText,
        );
        console.log(`Firefox ${version}: ${device}`);
        if (/has no WebGPU|gives this page no adapter/.test(device))
            return t.skip(`SKIPPED: Firefox ${version}: ${device}`);
        await page.waitFor(
            () => document.querySelector("input[name=family]") && !document.getElementById("run").disabled,
        );
        await page.evaluate(() => {
            for (const input of document.querySelectorAll("input[name=family]")) {
                if (input.checked !== (input.value === "transpose")) input.click();
            }
        });
        await page.waitFor(
            () =>
                /^\d+ cases/.test(document.getElementById("plan").textContent) &&
                !document.getElementById("run").disabled,
        );
        await page.evaluate(() => document.getElementById("run").click());
        await page.waitFor(
            () => document.querySelectorAll("tr[data-status]").length >= 3 || document.querySelector(".notice.bad"),
        );
        await page.evaluate(() => document.getElementById("stop").click());
        await page.waitFor(() => !document.getElementById("run").disabled);
        console.log(await page.evaluate(() => document.getElementById("timer").textContent));
        assert.deepEqual(
            await page.evaluate(() => [...document.querySelectorAll(".notice")].map((notice) => notice.innerText)),
            [],
        );
        const rows = await page.evaluate(async () => {
            const blob = new Promise((resolve) => {
                const { createObjectURL } = URL;
                URL.createObjectURL = (blob) => {
                    resolve(blob);
                    return createObjectURL.call(URL, blob);
                };
            });
            document.getElementById("save-json").click();
            return JSON.parse(await (await blob).text());
        });
        assert.ok(rows.length >= 3);
        for (const row of rows) {
            const name = `${row.family}/${row.benchmark} ${row.params}: ${row.reason}`;
            assert.ok(
                (isRight(row) && row.median_ns > 0) || (row.status === "skipped" && row.reason),
                `${row.status} ${name}`,
            );
            assert.deepEqual([row.backend, row.checks], ["webgpu", "on"]);
            assert.match(row.driver, /^Firefox \d+\./);
        }
    } finally {
        await close();
        server.close();
    }
});
