// Runs the suite off the page's own thread, so that long checks never freeze the page. Answers calls by their number.

import init, * as core from "./pkg/shaderbench_web.js";
import { askForSubgroups, describeHost, whyNot } from "./host.js";

const NOT_LOADED = "The page’s program could not be loaded: reload the page, or use a current browser.";

const ready = init().catch(() => { throw new Error(NOT_LOADED); });
// Whoever calls hears of it.
ready.catch(() => {});

const calls = {
    choices: () => JSON.parse(core.choices()),
    count: ({ families, profile, sizes }) => core.count(families, profile, sizes),
    inspect: ({ name, text }) => JSON.parse(core.inspect(name, text)),
    csv: ({ json }) => core.csv(json),
    compare: ({ reports }) => JSON.parse(core.compare(JSON.stringify(reports))),
    charts: ({ reports }) => JSON.parse(core.charts(JSON.stringify(reports))),
    async open() {
        const why = whyNot();
        if (why) throw new Error(why);
        askForSubgroups();
        return JSON.parse(await core.open(JSON.stringify(await describeHost())));
    },
    run: ({ families, profile, sizes, plant }) =>
        core.run(families, profile, sizes, plant, (what, json) => postMessage({ what, value: JSON.parse(json) })),
    stop: () => core.stop(),
    hide: ({ isHidden }) => core.hide(isHidden),
};

// What nobody has caught went through the program in the middle of its work: nothing in it can be relied on any more.
addEventListener("unhandledrejection", ({ reason }) => postMessage({ fault: String(reason) }));

addEventListener("message", async ({ data: { number, call, given } }) => {
    try {
        await ready;
        postMessage({ number, value: await calls[call](given ?? {}) });
    } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) postMessage({ fault: String(error) });
        else postMessage({ number, error: error.message ?? String(error) });
    }
});
