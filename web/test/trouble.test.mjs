// What goes wrong while a run is under way: the device is lost, the program that measures breaks down. The page says it in one sentence,
// keeps the rows, and can run again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MINUTES, SMALL } from "./built.mjs";
import { changed, choose, ended, landed, notices, open, saved, skip } from "./page.mjs";

/** In the worker: `device` is the one that was opened last, and is destroyed amid a case after `after` rows; `isGone` hides the adapter. */
const LOSABLE = (isGone, after = 3) => `
    const { requestDevice } = GPUAdapter.prototype, { requestAdapter } = GPU.prototype, { submit } = GPUQueue.prototype;
    const post = globalThis.postMessage;
    let [rows, submitsLeft] = [0, Infinity];
    GPU.prototype.requestAdapter = async function (options) { return globalThis.isGone ? null : requestAdapter.call(this, options); };
    GPUAdapter.prototype.requestDevice = async function (descriptor) { return globalThis.device = await requestDevice.call(this, descriptor); };
    globalThis.postMessage = (said) => {
        post(said);
        if (said.what === "rows" && ++rows === ${after}) submitsLeft = 10;
    };
    GPUQueue.prototype.submit = function (commands) {
        submit.call(this, commands);
        if (--submitsLeft === 0) [globalThis.isGone] = [${isGone}, globalThis.device.destroy()];
    };`;

/** Evaluates in the workers of the page. */
const inWorkers = (page, what) => Promise.all(page.workers().map((worker) => worker.evaluate(what)));

/** Presses Run, and Stop when there are `count` rows; gives the rows. */
async function runUntil(page, count) {
    // Rows of a run before would count.
    await page.evaluate(() => document.getElementById("tables").replaceChildren());
    await page.click("#run");
    await landed(page, count);
    await page.click("#stop");
    await ended(page);
    return savedRows(page);
}

const savedRows = async (page) => JSON.parse(readFileSync(await saved(page, "#save-json"), "utf8"));
const statuses = (rows) => rows.map((row) => row.status);

test("a device that is lost costs one case, and the run goes on with a new one", { skip, timeout: 5 * MINUTES }, async () => {
    const { page, seen } = await open(SMALL, changed("host.js", LOSABLE(false)));
    await choose(page, ["transpose"]);
    const rows = await runUntil(page, 6);
    assert.deepEqual(statuses(rows).slice(0, 5), ["ok", "ok", "ok", "failed", "ok"], JSON.stringify(rows.map((row) => row.reason)));
    assert.match(rows[3].reason, /^device lost: /);
    const said = await notices(page);
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0], /^The device was lost during ceiling\/.*, whose row says why\. The run goes on with a new one; if it happens again, close/);
    assert.match(readFileSync(await saved(page, "#save-csv"), "utf8"), /,failed,.*device lost: /);
    assert.deepEqual(seen.faults, []);
    await page.context().close();
});

test("a device that is lost for good ends the run, leaves its rows, and a later run may find another", { skip, timeout: 5 * MINUTES }, async () => {
    const { page, seen } = await open(SMALL, changed("host.js", LOSABLE(true)));
    await choose(page, ["transpose"]);
    const sentence = /^Nothing more can be measured: .*no adapter any more\. Press Run to try again; where that does not help, save the rows and restart the browser\.$/;
    for (const attempt of ["the run that loses it", "a run while it is gone"]) {
        await page.click("#run");
        await page.waitForSelector("#notices .notice.bad", { timeout: MINUTES });
        await ended(page);
        const said = await notices(page);
        assert.equal(said.length, 1, `${attempt}: ${said.join("\n")}`);
        assert.match(said[0], sentence);
        assert.match(await page.innerText("#case"), /^Ended early: the 4 rows so far are kept\.$/);
        assert.deepEqual(statuses(await savedRows(page)), ["ok", "ok", "ok", "failed"]);
    }
    await inWorkers(page, () => { globalThis.isGone = false; });
    const rows = await runUntil(page, 2);
    assert.deepEqual(statuses(rows).slice(0, 2), ["ok", "ok"]);
    assert.deepEqual(await notices(page), []);
    assert.deepEqual(seen.faults, []);
    await page.context().close();
});

test("a device that is lost before the run is opened anew in silence", { skip, timeout: 5 * MINUTES }, async () => {
    const { page } = await open(SMALL, changed("host.js", LOSABLE(false, Infinity)));
    await choose(page, ["transpose"]);
    await inWorkers(page, async () => {
        globalThis.device?.destroy();
        await globalThis.device?.lost;
    });
    const rows = await runUntil(page, 2);
    assert.deepEqual(statuses(rows).slice(0, 2), ["ok", "ok"]);
    assert.deepEqual(await notices(page), []);
    await page.context().close();
});

/** The program with a memory that ends at `bytes`. */
function withMemoryOf(bytes, program) {
    const number = (value) => value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
    const numberAt = (at) => {
        let [value, shift] = [0, 0];
        for (; ; at += 1, shift += 7) {
            value |= (program[at] & 0x7f) << shift;
            if (program[at] < 0x80) return [value, at + 1];
        }
    };
    // After magic and version, sections: kind, length, contents. Memories are of kind 5: their number, then kind and limits of each.
    for (let at = 8; at < program.length;) {
        const [length, start] = numberAt(at + 1);
        if (program[at] === 5) {
            assert.deepEqual([...program.subarray(start, start + 2)], [1, 0], "one memory without an end");
            const [least] = numberAt(start + 2);
            const memory = [1, 1, ...number(least), ...number(bytes / 65536)];
            return Buffer.concat([program.subarray(0, at), Buffer.from([5, ...number(memory.length), ...memory]), program.subarray(start + length)]);
        }
        at = start + length;
    }
    throw new Error("the program has no memory");
}

test("a measuring program that runs out of memory leaves its rows, and Run starts anew", { skip, timeout: 5 * MINUTES }, async () => {
    const { page } = await open("?size=1024&size=8388608", (page) => page.route("**/*.wasm", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: withMemoryOf(40 << 20, await answer.body()) });
    }));
    await choose(page, ["transfer"]);
    await page.click("#run");
    await page.waitForSelector("#notices .notice.bad", { timeout: 2 * MINUTES });
    await ended(page);
    const said = await notices(page);
    assert.equal(said.length, 1, said.join("\n"));
    console.log(said[0]);
    assert.match(said[0], /^The measuring program broke down, often for lack of memory: the rows so far are kept; save them, then press Run to start anew\. \(.*\)$/);
    assert.match(await page.innerText("#case"), /^Ended early: the \d+ rows so far are kept\.$/);
    const rows = await savedRows(page);
    assert.ok(rows.length > 0 && statuses(rows).every((status) => status !== "failed"), JSON.stringify(statuses(rows)));
    // Which copies nothing into the program's memory.
    await choose(page, ["ceiling"]);
    const again = await runUntil(page, 2);
    assert.deepEqual(statuses(again).slice(0, 2), ["ok", "ok"]);
    await page.context().close();
});

test("a program that cannot be loaded is said in one sentence", { skip, timeout: MINUTES }, async () => {
    for (const file of ["worker.js", "*.wasm"]) {
        const { page } = await open("", (page) => page.route(`**/${file}`, (route) => route.fulfill({ status: 404 })));
        const said = await notices(page);
        assert.deepEqual(said, ["The page’s program could not be loaded: reload the page, or use a current browser."]);
        assert.ok(await page.isDisabled("#run"));
        await page.context().close();
    }
});
