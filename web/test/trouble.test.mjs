// A run that loses the device or the measuring program: the page shows one sentence, keeps the rows and can run again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MINUTE, SMALL } from "./built.mjs";
import { withScript, selectFamilies, waitForEnd, waitForRows, notices, open, save, skip } from "./page.mjs";

/** In the worker: destroys the device opened last, in mid-case after `after` rows; `isGone` then hides the adapter. */
const LOSABLE = (isGone, after = 3) => `
    const { requestDevice } = GPUAdapter.prototype;
    const { requestAdapter } = GPU.prototype;
    const { submit } = GPUQueue.prototype;
    const post = globalThis.postMessage;
    let [rows, submitsLeft] = [0, Infinity];
    GPU.prototype.requestAdapter = async function (options) {
        return globalThis.isGone ? null : requestAdapter.call(this, options);
    };
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
        return globalThis.device = await requestDevice.call(this, descriptor);
    };
    globalThis.postMessage = (message) => {
        post(message);
        if (message.what === "Rows" && ++rows === ${after}) submitsLeft = 10;
    };
    GPUQueue.prototype.submit = function (commands) {
        submit.call(this, commands);
        if (--submitsLeft === 0) [globalThis.isGone] = [${isGone}, globalThis.device.destroy()];
    };`;

const inWorkers = (page, call) => Promise.all(page.workers().map((worker) => worker.evaluate(call)));

/** Presses Run, and Stop after `count` rows. Returns the rows. */
async function runUntil(page, count) {
    // Rows of an earlier run would count too.
    await page.evaluate(() => document.getElementById("tables").replaceChildren());
    await page.click("#run");
    await waitForRows(page, count);
    await page.click("#stop");
    await waitForEnd(page);
    return savedRows(page);
}

const savedRows = async (page) => JSON.parse(readFileSync(await save(page, "#save-json"), "utf8"));
const statuses = (rows) => rows.map((row) => row.status);

test(
    "a lost device fails one case, and the run continues with a new device",
    { skip, timeout: 5 * MINUTE },
    async () => {
        const { page, log } = await open(SMALL, withScript("host.js", LOSABLE(false)));
        await selectFamilies(page, ["transpose"]);
        const rows = await runUntil(page, 6);
        assert.deepEqual(
            statuses(rows).slice(0, 5),
            ["ok", "ok", "ok", "failed", "ok"],
            JSON.stringify(rows.map((row) => row.reason)),
        );
        assert.match(rows[3].reason, /^device lost: /);
        const sentences = await notices(page);
        assert.equal(sentences.length, 1, sentences.join("\n"));
        const { family, benchmark } = rows[3];
        assert.ok(sentences[0].startsWith(`The device was lost during ${family}/${benchmark} `), sentences[0]);
        assert.match(sentences[0], /^[^;]*; its row has the reason\. /);
        assert.match(sentences[0], / The run continues with a new device\. /);
        assert.match(sentences[0], / If this happens again, close other programs that use the GPU\.$/);
        assert.match(readFileSync(await save(page, "#save-csv"), "utf8"), /,failed,.*device lost: /);
        assert.deepEqual(log.faults, []);
        await page.context().close();
    },
);

test(
    "a device that is not replaced ends the run, and a later run may find another",
    { skip, timeout: 5 * MINUTE },
    async () => {
        const { page, log } = await open(SMALL, withScript("host.js", LOSABLE(true)));
        await selectFamilies(page, ["transpose"]);
        const start = /^Nothing more can be measured: .*no other adapter\. Press Run to try again; /;
        const end = /; if that does not help, save the rows and restart the browser\.$/;
        for (const attempt of ["the run that loses it", "a run while it is gone"]) {
            await page.click("#run");
            await page.waitForSelector("#notices .notice.bad", { timeout: MINUTE });
            await waitForEnd(page);
            const sentences = await notices(page);
            assert.equal(sentences.length, 1, `${attempt}: ${sentences.join("\n")}`);
            assert.match(sentences[0], start);
            assert.match(sentences[0], end);
            assert.match(await page.innerText("#case"), /^Ended early after 4 rows\.$/);
            assert.deepEqual(statuses(await savedRows(page)), ["ok", "ok", "ok", "failed"]);
        }
        await inWorkers(page, () => {
            globalThis.isGone = false;
        });
        const rows = await runUntil(page, 2);
        assert.deepEqual(statuses(rows).slice(0, 2), ["ok", "ok"]);
        assert.deepEqual(await notices(page), []);
        assert.deepEqual(log.faults, []);
        await page.context().close();
    },
);

test(
    "a device that is lost before the run is opened again without a sentence",
    { skip, timeout: 5 * MINUTE },
    async () => {
        const { page } = await open(SMALL, withScript("host.js", LOSABLE(false, Infinity)));
        await selectFamilies(page, ["transpose"]);
        await inWorkers(page, async () => {
            globalThis.device?.destroy();
            await globalThis.device?.lost;
        });
        const rows = await runUntil(page, 2);
        assert.deepEqual(statuses(rows).slice(0, 2), ["ok", "ok"]);
        assert.deepEqual(await notices(page), []);
        await page.context().close();
    },
);

function withMemoryOf(bytes, program) {
    const number = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]);
    const numberAt = (at) => {
        let [value, shift] = [0, 0];
        for (; ; at += 1, shift += 7) {
            value |= (program[at] & 0x7f) << shift;
            if (program[at] < 0x80) return [value, at + 1];
        }
    };
    // After magic and version: sections (kind, length, contents). Section 5 has the memories: count, kind, limits.
    for (let at = 8; at < program.length;) {
        const [length, start] = numberAt(at + 1);
        if (program[at] === 5) {
            assert.deepEqual([...program.subarray(start, start + 2)], [1, 0], "one memory without an end");
            const [least] = numberAt(start + 2);
            const memory = [1, 1, ...number(least), ...number(bytes / 65536)];
            return Buffer.concat([
                program.subarray(0, at),
                Buffer.from([5, ...number(memory.length), ...memory]),
                program.subarray(start + length),
            ]);
        }
        at = start + length;
    }
    throw new Error("the program has no memory");
}

test(
    "a measuring program that runs out of memory keeps its rows, and Run starts it again",
    { skip, timeout: 5 * MINUTE },
    async () => {
        const { page } = await open("?size=1024&size=8388608", (page) =>
            page.route("**/*.wasm", async (route) => {
                const response = await route.fetch();
                await route.fulfill({ response, body: withMemoryOf(40 << 20, await response.body()) });
            }),
        );
        await selectFamilies(page, ["transfer"]);
        await page.click("#run");
        await page.waitForSelector("#notices .notice.bad", { timeout: 2 * MINUTE });
        await waitForEnd(page);
        const sentences = await notices(page);
        assert.equal(sentences.length, 1, sentences.join("\n"));
        console.log(sentences[0]);
        assert.match(sentences[0], /^The measuring program failed, often because of too little memory\. /);
        assert.match(sentences[0], / save them, then press Run to start again\. \(.*\)$/);
        assert.match(await page.innerText("#case"), /^Ended early after \d+ rows\.$/);
        const rows = await savedRows(page);
        assert.ok(
            rows.length > 0 && statuses(rows).every((status) => status !== "failed"),
            JSON.stringify(statuses(rows)),
        );
        // Ceilings copy nothing into the memory of the program.
        await selectFamilies(page, ["ceiling"]);
        const again = await runUntil(page, 2);
        // On a busy machine, the larger of two sizes may be left out for its time.
        assert.equal(statuses(again)[0], "ok");
        assert.ok(statuses(again).every((status) => status === "ok" || status === "skipped"));
        await page.context().close();
    },
);

test("a program that cannot be loaded gives one sentence", { skip, timeout: MINUTE }, async () => {
    for (const file of ["worker.js", "*.wasm"]) {
        const { page } = await open("", (page) => page.route(`**/${file}`, (route) => route.fulfill({ status: 404 })));
        const sentences = await notices(page);
        assert.deepEqual(sentences, [
            "The page’s program could not be loaded: reload the page, or use a current browser.",
        ]);
        assert.ok(await page.isDisabled("#run"));
        await page.context().close();
    }
});
