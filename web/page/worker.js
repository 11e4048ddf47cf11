// Runs the suite off the page's own thread, so that long checks never freeze the page. Answers calls by their number.

import init, * as core from "./pkg/shaderbench_web.js";
import { askForSubgroups, describeHost, whyNot } from "./host.js";

const ready = init();

const calls = {
    choices: () => JSON.parse(core.choices()),
    count: ({ families, profile, sizes }) => core.count(families, profile, sizes),
    look: ({ name, text }) => JSON.parse(core.look(name, text)),
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

addEventListener("message", async ({ data: { number, call, given } }) => {
    try {
        await ready;
        postMessage({ number, value: await calls[call](given ?? {}) });
    } catch (error) {
        // What is no Error of ours is a fault of the program: it is never to be used again.
        postMessage({ number, error: error.message ?? String(error), isFault: error instanceof WebAssembly.RuntimeError });
    }
});
