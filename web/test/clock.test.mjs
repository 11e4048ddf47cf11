// The clocks that browsers offer: no timestamps at all, and timestamps in coarse steps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MINUTES, SMALL } from "./built.mjs";
import { changed, choose, ended, landed, open, saved, skip } from "./page.mjs";

/** The adapter does not have the feature, and refuses it. */
const WITHOUT_TIMESTAMPS = `
    const { get } = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "features"), { requestDevice } = GPUAdapter.prototype;
    Object.defineProperty(GPUAdapter.prototype, "features", { get() { return new Set([...get.call(this)].filter((name) => name !== "timestamp-query")); } });
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
        if ([...descriptor.requiredFeatures].includes("timestamp-query")) throw new TypeError("there is no such feature");
        return requestDevice.call(this, descriptor);
    };`;

/**
 * Timestamps in steps of `step` nanoseconds. Chromium's flag that gives a headless one WebGPU on SwiftShader also gives it timestamps to the
 * nanosecond, whatever other flags say: so they are rounded where they are read, down to a multiple, as Chromium does on a GPU.
 */
const IN_STEPS = (step) => `
    const { resolveQuerySet, copyBufferToBuffer } = GPUCommandEncoder.prototype, { getMappedRange } = GPUBuffer.prototype;
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
            stamps.forEach((stamp, place) => { stamps[place] = stamp - stamp % ${step}n; });
        }
        return bytes;
    };`;

/** The rows of a CSV report as objects, after `count` of a run; and what the page says of the clock. */
async function timed(change, count) {
    const { page, seen } = await open(SMALL, changed("host.js", change));
    await choose(page, ["transpose"]);
    await page.click("#run");
    await landed(page, count);
    await page.click("#stop");
    await ended(page);
    const said = await page.innerText("#timer");
    const [names, ...lines] = readFileSync(await saved(page, "#save-csv"), "utf8").trim().split("\n").map(cells);
    assert.deepEqual(seen.faults, []);
    await page.context().close();
    const rows = lines.map((line) => Object.fromEntries(names.map((name, place) => [name, line[place]])));
    return { said, rows: rows.filter((row) => row.status === "ok") };
}

const cells = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);

test("without timestamps the browser's clock counts, and page and rows say so", { skip, timeout: 5 * MINUTES }, async () => {
    const { said, rows } = await timed(WITHOUT_TIMESTAMPS, 4);
    assert.match(said, /^Timed by the browser’s clock, in steps of .* \(the device writes no timestamps\)\.$/);
    assert.ok(rows.length >= 4);
    assert.deepEqual([...new Set(rows.map((row) => row.timer))], ["wall"]);
});

for (const [step, shown] of [[65_536, "65.54 µs"], [100_000, "100.0 µs"]]) {
    test(`timestamps in steps of ${shown} are seen as such, and samples last long beside them`, { skip, timeout: 5 * MINUTES }, async () => {
        const { said, rows } = await timed(IN_STEPS(step), 8);
        assert.equal(said, `Timed by the device’s timestamps, in steps of ${shown}.`);
        const most = Math.max(...rows.map((row) => Number(row.launches)));
        const steps = [];
        for (const row of rows) {
            assert.deepEqual([row.timer, Number(row.tick_ns)], ["timestamp", step], row.benchmark);
            // What would need more launches than a sample may have stays shorter.
            if (Number(row.launches) < 8000) steps.push(Number(row.launches) * Number(row.median_ns) / step);
        }
        steps.sort((a, b) => a - b);
        const all = `steps in a sample: ${steps.map((count) => count.toFixed(1)).join(", ")}; at most ${most} launches`;
        console.log(all);
        // That it is a hundred is for the tests of the rule, on times that no other program can slow; here, that the page goes by it.
        assert.ok(steps.length >= 4 && steps[Math.floor(steps.length / 2)] >= 50, all);
    });
}
