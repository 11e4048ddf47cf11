// Firefox without a driver: WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/), as far as a test of the page needs it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";

/** Starts `program` headless with these preferences, in a profile of its own; gives its version, a page to use, and a function that ends it. */
export async function startFirefox(program, preferences) {
    const profile = mkdtempSync(join(tmpdir(), "shaderbench-firefox-"));
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
    writeFileSync(join(profile, "user.js"), lines.join(""));
    const child = spawn(program, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"], { stdio: ["ignore", "ignore", "pipe"] });
    const ended = new Promise((resolve) => { child.once("exit", resolve).once("error", resolve); });
    const end = async () => {
        child.kill();
        await ended;
        rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    };
    try {
        const send = await connect(`${await addressOf(child)}/session`);
        const { capabilities } = await send("session.new", { capabilities: {} });
        const { contexts: [{ context }] } = await send("browsingContext.getTree", {});
        return { version: capabilities.browserVersion, page: pageOf(send, context), end };
    } catch (error) {
        await end();
        throw error;
    }
}

/** Where the browser listens, which it says on its standard error. */
const addressOf = (child) => new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (piece) => {
        said += piece;
        const address = said.match(/WebDriver BiDi listening on (ws:\S+)/)?.[1];
        if (address) resolve(address);
    });
    child.once("error", reject);
    setTimeout(() => reject(new Error(`it does not listen after a minute: ${said.slice(-500)}`)), 60_000).unref();
    child.once("exit", (code) => reject(new Error(`Firefox ended with ${code}: ${said.slice(-500)}`)));
});

/** Connects; gives a function that sends a command and waits for its result. */
async function connect(address) {
    const socket = new WebSocket(address);
    const open = new Map();
    let numbers = 0;
    await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("error", () => reject(new Error(`${address} does not answer`)));
    });
    socket.addEventListener("message", ({ data }) => {
        const { id, type, result, error, message } = JSON.parse(data);
        const waiting = open.get(id);
        open.delete(id);
        if (type === "success") waiting?.resolve(result);
        else if (type === "error") waiting?.reject(new Error(`${error}: ${message}`));
    });
    socket.addEventListener("close", () => open.forEach(({ reject }) => reject(new Error("Firefox is gone"))));
    return (method, params) => new Promise((resolve, reject) => {
        const id = ++numbers;
        open.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
    });
}

function pageOf(send, context) {
    const target = { context };
    /** What the function `what` gives on the page, through JSON. */
    async function evaluate(what, ...given) {
        const expression = `(async () => JSON.stringify(await (${what})(...${JSON.stringify(given)})) ?? "null")()`;
        const { result, exceptionDetails } = await send("script.evaluate", { expression, target, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return JSON.parse(result.value);
    }
    return {
        go: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
        evaluate,
        /** Waits until the function `is` gives something on the page; gives it. */
        async until(is, ...given) {
            for (;;) {
                const found = await evaluate(is, ...given);
                if (found) return found;
                await new Promise((done) => { setTimeout(done, 200); });
            }
        },
    };
}
