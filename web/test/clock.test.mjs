// Browsers without timestamps, and with timestamps in coarse steps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MINUTE, SMALL } from "./built.mjs";
import { withScript, selectFamilies, waitForEnd, waitForRows, open, save, skip } from "./page.mjs";

/** Hides the adapter's timestamps. */
const WITHOUT_TIMESTAMPS = `
    const { get } = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "features");
    const { requestDevice } = GPUAdapter.prototype;
    Object.defineProperty(GPUAdapter.prototype, "features", {
        get() { return new Set([...get.call(this)].filter((name) => name !== "timestamp-query")); }
    });
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
        if ([...descriptor.requiredFeatures].includes("timestamp-query")) throw new TypeError("no such feature");
        return requestDevice.call(this, descriptor);
    };`;

/**
 * Timestamps in steps of `step` nanoseconds. With the flag for WebGPU on SwiftShader, headless Chromium has timestamps
 * in nanoseconds. This script rounds them down when they are read, as Chromium does on a GPU.
 */
const IN_STEPS = (step) => `
    const { resolveQuerySet, copyBufferToBuffer } = GPUCommandEncoder.prototype;
    const { getMappedRange } = GPUBuffer.prototype;
    const stamped = new WeakSet();
    GPUCommandEncoder.prototype.resolveQuerySet = function (queries, first, count, to, offset) {
        stamped.add(to);
        return resolveQuerySet.call(this, queries, first, count, to, offset);
    };
    GPUCommandEncoder.prototype.copyBufferToBuffer = function (from, ...others) {
        if (stamped.has(from)) stamped.add(others.find((other) => other instanceof GPUBuffer));
        return copyBufferToBuffer.call(this, from, ...others);
    };
    GPUBuffer.prototype.getMappedRange = function (...range) {
        const bytes = getMappedRange.call(this, ...range);
        if (stamped.has(this)) {
            const stamps = new BigUint64Array(bytes);
            stamps.forEach((stamp, index) => { stamps[index] = stamp - stamp % ${step}n; });
        }
        return bytes;
    };`;

/** Measures `count` rows. Returns the rows of the CSV report as objects, and the page's sentence about the clock. */
async function measureRows(script, count) {
    const { page, log } = await open(SMALL, withScript("host.js", script));
    await selectFamilies(page, ["transpose"]);
    await page.click("#run");
    await waitForRows(page, count);
    await page.click("#stop");
    await waitForEnd(page);
    const timer = await page.innerText("#timer");
    const [names, ...lines] = readFileSync(await save(page, "#save-csv"), "utf8")
        .trim()
        .split("\n")
        .map(cells);
    assert.deepEqual(log.faults, []);
    await page.context().close();
    const rows = lines.map((line) => Object.fromEntries(names.map((name, index) => [name, line[index]])));
    return { timer, rows: rows.filter((row) => row.status === "ok") };
}

const cells = (line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
    );

test(
    "without timestamps the page and the rows name the browser's clock",
    { skip, timeout: 5 * MINUTE },
    async () => {
        const { timer, rows } = await measureRows(WITHOUT_TIMESTAMPS, 4);
        assert.match(timer, /^Timed by the browser’s clock, in steps of .* \(the device writes no timestamps\)\.$/);
        assert.ok(rows.length >= 4);
        assert.deepEqual([...new Set(rows.map((row) => row.timer))], ["wall"]);
    },
);

for (const [step, shown] of [
    [65_536, "65.5 µs"],
    [100_000, "100 µs"],
]) {
    test(
        `timestamps in steps of ${shown} are measured, and samples last many steps`,
        { skip, timeout: 5 * MINUTE },
        async () => {
            const { timer, rows } = await measureRows(IN_STEPS(step), 8);
            // On a busy machine, the page may add that the host's clock cannot confirm them.
            const sentence = `Timed by the device’s timestamps, in steps of ${shown}`;
            const noisy = " (the host's clock is too noisy to confirm the timestamps within 10 %)";
            assert.ok([`${sentence}.`, `${sentence}${noisy}.`].includes(timer), timer);
            const most = Math.max(...rows.map((row) => Number(row.launches)));
            const steps = [];
            for (const row of rows) {
                assert.deepEqual([row.timer, Number(row.tick_ns)], ["timestamp", step], row.benchmark);
                // The limit of launches shortens other samples.
                if (Number(row.launches) < 8000) steps.push((Number(row.launches) * Number(row.median_ns)) / step);
            }
            steps.sort((a, b) => a - b);
            const list = steps.map((count) => count.toFixed(1)).join(", ");
            const all = `steps in a sample: ${list}; at most ${most} launches`;
            console.log(all);
            // Rust tests check the rule of 100 steps on exact times; the page must follow it roughly.
            assert.ok(steps.length >= 4 && steps[Math.floor(steps.length / 2)] >= 50, all);
        },
    );
}
