// Firefox by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/): Playwright needs its own build of Firefox, this
// does not.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";

/** Starts a headless Firefox with these preferences and a new profile. Returns its version, a page and `close`. */
export async function startFirefox(program, preferences) {
    const profile = mkdtempSync(join(tmpdir(), "shaderbench-firefox-"));
    const lines = Object.entries(preferences).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(profile, "user.js"), lines.join(""));
    const child = spawn(program, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"], {
        stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = new Promise((resolve) => {
        child.once("exit", resolve).once("error", resolve);
    });
    const close = async () => {
        child.kill();
        await ended;
        rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    };
    try {
        const send = await connect(`${await addressOf(child)}/session`);
        const { capabilities } = await send("session.new", { capabilities: {} });
        const {
            contexts: [{ context }],
        } = await send("browsingContext.getTree", {});
        return { version: capabilities.browserVersion, page: pageOf(send, context), close };
    } catch (error) {
        await close();
        throw error;
    }
}

/** The address of the browser, which it prints to stderr. */
const addressOf = (child) =>
    new Promise((resolve, reject) => {
        let stderr = "";
        child.stderr.on("data", (piece) => {
            stderr += piece;
            const address = stderr.match(/WebDriver BiDi listening on (ws:\S+)/)?.[1];
            if (address) resolve(address);
        });
        child.once("error", reject);
        setTimeout(() => reject(new Error(`no address after a minute: ${stderr.slice(-500)}`)), 60_000).unref();
        child.once("exit", (code) => reject(new Error(`Firefox ended with ${code}: ${stderr.slice(-500)}`)));
    });

/** Connects. Returns a function that sends a command and waits for its result. */
async function connect(address) {
    const socket = new WebSocket(address);
    const pending = new Map();
    let lastId = 0;
    await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("error", () => reject(new Error(`${address} does not answer`)));
    });
    socket.addEventListener("message", ({ data }) => {
        const { id, type, result, error, message } = JSON.parse(data);
        const waiting = pending.get(id);
        pending.delete(id);
        if (type === "success") waiting?.resolve(result);
        else if (type === "error") waiting?.reject(new Error(`${error}: ${message}`));
    });
    socket.addEventListener("close", () =>
        pending.forEach(({ reject }) => reject(new Error("Firefox has closed the connection"))),
    );
    return (method, params) =>
        new Promise((resolve, reject) => {
            const id = ++lastId;
            pending.set(id, { resolve, reject });
            socket.send(JSON.stringify({ id, method, params }));
        });
}

function pageOf(send, context) {
    const target = { context };
    /** The result of a function on the page, as JSON. */
    async function evaluate(call, ...input) {
        const expression = `(async () => JSON.stringify(await (${call})(...${JSON.stringify(input)})) ?? "null")()`;
        const { result, exceptionDetails } = await send("script.evaluate", { expression, target, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return JSON.parse(result.value);
    }
    return {
        navigate: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
        evaluate,
        /** Waits until a function on the page returns a true value. Returns that value. */
        async waitFor(condition, ...input) {
            for (;;) {
                const found = await evaluate(condition, ...input);
                if (found) return found;
                await new Promise((done) => {
                    setTimeout(done, 200);
                });
            }
        },
    };
}
