// Runs the suite in a worker, so that long checks never freeze the page. Answers calls by their number.

import init, * as core from "./pkg/shaderbench_web.js";
import { requestSubgroups, describeHost, unavailableReason } from "./host.js";

const NOT_LOADED = "The page’s program could not be loaded: reload the page, or use a current browser.";

const ready = init().catch(() => {
    throw new Error(NOT_LOADED);
});
// Each call reports the error.
ready.catch(() => {});

const calls = {
    choices: () => JSON.parse(core.choices()),
    count: ({ families, profile, sizes }) => core.count(families, profile, sizes),
    summarize: ({ name, text }) => JSON.parse(core.inspect(name, text)),
    csv: ({ json }) => core.csv(json),
    charts: ({ reports }) => JSON.parse(core.charts(JSON.stringify(reports))),
    async open() {
        const reason = unavailableReason();
        if (reason) throw new Error(reason);
        requestSubgroups();
        return JSON.parse(await core.open(JSON.stringify(await describeHost())));
    },
    run: ({ families, profile, sizes, epochs, seconds, plant }) =>
        core.run(families, profile, sizes, epochs, seconds, plant, (event) => postMessage(JSON.parse(event))),
    stop: () => core.stop(),
    hide: ({ isHidden }) => core.hide(isHidden),
};

// An uncaught error stopped the program in mid-work, so its state is undefined.
addEventListener("unhandledrejection", ({ reason }) => postMessage({ fault: String(reason) }));

addEventListener("message", async ({ data: { number, call, input } }) => {
    try {
        await ready;
        postMessage({ number, value: await calls[call](input ?? {}) });
    } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) postMessage({ fault: String(error) });
        else postMessage({ number, error: error.message ?? String(error) });
    }
});
