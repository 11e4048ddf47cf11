// Reports that the page draws beside this tab's rows. Files are read in this tab and never uploaded.

import { drawCharts } from "./charts.js";
import { byId, element } from "./element.js";

const OWN_REPORT = "this tab.json";
const MOST_BYTES = 64 << 20;

/** Connects the section. `core` is the worker that reads reports, `notify` shows a sentence. */
export function startCompare(core, notify) {
    let reports = [];
    let lastRequest = 0;

    async function add(name, text) {
        try {
            const about = await core.call("summarize", { name, text });
            reports = [...reports.filter((report) => report.name !== name), { name, text, about }];
            about.notes.forEach((note) => notify(`${name}: ${note}`));
            await draw();
        } catch (error) {
            notify(error.message, true);
        }
    }

    async function draw() {
        byId("reports").replaceChildren(...reports.map(entry));
        const request = ++lastRequest;
        if (reports.length === 0) return;
        const data = await core.call("charts", { reports: reports.map(({ name, text }) => ({ name, text })) });
        if (request === lastRequest) drawCharts(data);
    }

    function entry(report, index) {
        const { about, name } = report;
        const title = name === OWN_REPORT ? "this tab’s rows" : name;
        const change = (next) => () => {
            reports = next();
            draw().catch((error) => notify(error.message, true));
        };
        const button = (text, click, label) =>
            element("button", { type: "button", class: "small", click, "aria-label": label }, text);
        const makeBaseline = change(() => [report, ...reports.filter((other) => other !== report)]);
        const remove = change(() => reports.filter((other) => other !== report));
        const facts = ` ${about.devices.join(", ")} · ${about.rows} rows · ${about.date.slice(0, 10)}`;
        return element(
            "li",
            {},
            element("span", { class: "what" }, element("strong", {}, title), facts),
            element(
                "span",
                { class: "actions" },
                index === 0 ? element("span", { class: "tag" }, "baseline") : button("Make baseline", makeBaseline),
                button("Remove", remove, `Remove ${title}`),
            ),
        );
    }

    async function addFiles(files) {
        for (const file of files) {
            if (file.size > MOST_BYTES) notify(`${file.name} is larger than 64 MiB, the limit for a report.`, true);
            else await add(file.name, await file.text());
        }
    }

    const drop = byId("drop");
    const preventNavigation = (event) => {
        event.preventDefault();
        drop.classList.toggle("over", event.type === "dragover");
    };
    // A file dropped outside of the frame must not replace the page.
    for (const name of ["dragover", "dragleave", "drop"]) addEventListener(name, preventNavigation);
    addEventListener("drop", (event) => addFiles(event.dataTransfer.files));
    byId("files").addEventListener("change", async ({ target }) => {
        await addFiles(target.files);
        target.value = "";
    });
    byId("committed").addEventListener("change", async ({ target }) => {
        const path = target.value;
        target.value = "";
        if (!path) return;
        const answer = await fetch(`results/${path}`).catch(() => null);
        if (answer?.ok) await add(path, await answer.text());
        else notify(`${path} could not be loaded: check that the page's server is still running.`, true);
    });
    listCommitted();
    return {
        /** Adds or replaces this tab's rows. */
        setOwnRows: (records) => (records.length > 0 ? add(OWN_REPORT, JSON.stringify(records)) : undefined),
    };
}

async function listCommitted() {
    const answer = await fetch("results/index.json").catch(() => null);
    const paths = answer?.ok ? await answer.json() : [];
    byId("committed").append(...paths.map((path) => element("option", { value: path }, path)));
    byId("committed").hidden = paths.length === 0;
}
