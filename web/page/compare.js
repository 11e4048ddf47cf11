// Comparison of reports. Files are read in this tab and never uploaded.

import { drawCharts } from "./charts.js";
import { breakable, byId, download, element } from "./element.js";

const OWN_REPORT = "this tab.json";

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
        const input = { reports: reports.map(({ name, text }) => ({ name, text })) };
        if (reports.length > 0)
            core.call("charts", input).then(
                (data) => request === lastRequest && drawCharts(data),
                () => {},
            );
        if (reports.length < 2) return byId("comparison").replaceChildren();
        try {
            const found = await core.call("compare", input);
            if (request === lastRequest) byId("comparison").replaceChildren(...comparison(found));
        } catch (error) {
            if (request === lastRequest)
                byId("comparison").replaceChildren(element("p", { class: "notice bad" }, error.message));
        }
    }

    function entry(report, index) {
        const { about, name } = report;
        const title = name === OWN_REPORT ? "this tab’s rows" : name;
        const change = (next) => () => {
            reports = next();
            draw();
        };
        const makeBaseline = change(() => [report, ...reports.filter((other) => other !== report)]);
        const remove = change(() => reports.filter((other) => other !== report));
        return element(
            "li",
            {},
            element(
                "span",
                { class: "what" },
                element("strong", {}, title),
                ` ${about.devices.join(", ")} · ${about.rows} rows · ${about.date.slice(0, 10)}`,
            ),
            element(
                "span",
                { class: "actions" },
                index === 0
                    ? element("span", { class: "tag" }, "baseline")
                    : element("button", { type: "button", class: "small", click: makeBaseline }, "Make baseline"),
                element(
                    "button",
                    { type: "button", class: "small", click: remove, "aria-label": `Remove ${title}` },
                    "Remove",
                ),
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
        else notify(`${path} could not be loaded: check that the page's server still runs.`, true);
    });
    listCommitted();
    return {
        /** Adds the rows of this tab, or replaces them. */
        setOwnRows: (records) => (records.length > 0 ? add(OWN_REPORT, JSON.stringify(records)) : undefined),
    };
}

const MOST_BYTES = 64 << 20;

async function listCommitted() {
    const answer = await fetch("results/index.json").catch(() => null);
    const paths = answer?.ok ? await answer.json() : [];
    byId("committed").append(...paths.map((path) => element("option", { value: path }, path)));
    byId("committed").hidden = paths.length === 0;
}

function comparison(found) {
    const letters = found.sides.map((side) =>
        element(
            "li",
            {},
            element("strong", {}, side.label),
            ` ${side.title}`,
            element("span", { class: "quiet" }, ` · ${side.driver} · ${side.days}`),
        ),
    );
    const families = [...new Set(found.cases.map((one) => one.family))];
    return [
        element(
            "div",
            { class: "family" },
            element("ul", { class: "sides" }, letters),
            found.sentences.map((line) => element("p", { class: "finding" }, line)),
            element("p", { class: "quiet" }, found.rule),
            element(
                "div",
                { class: "actions" },
                element(
                    "button",
                    {
                        type: "button",
                        class: "small",
                        click: () => download("comparison.md", "text/markdown", found.markdown),
                    },
                    "Save as Markdown",
                ),
            ),
        ),
        ...families.map((family) => familyTable(family, found)),
        found.left_out.length > 0
            ? element(
                  "details",
                  {},
                  element("summary", {}, "What is not compared"),
                  element(
                      "ul",
                      {},
                      found.left_out.map((line) => element("li", { class: "quiet" }, line)),
                  ),
              )
            : "",
    ].filter(Boolean);
}

/** A change such as `+8.0 % time [7.4, 8.6]`. Narrow pages hide the interval. */
function change(text) {
    const [value, interval] = text.split(" [");
    return [value, interval ? element("span", { class: "wide" }, ` [${interval}`) : ""].filter(Boolean);
}

function familyTable(family, found) {
    const heads = [
        "kernel",
        ...found.sides.map((side) => side.label),
        ...found.matches.flatMap((label) => [`${label}: change`, ""]),
    ];
    const rows = [];
    let group;
    for (const one of found.cases.filter((one) => one.family === family)) {
        if (one.group !== group) {
            group = one.group;
            rows.push(
                element(
                    "tr",
                    { class: "group" },
                    element("th", { scope: "rowgroup", colspan: String(heads.length) }, group),
                ),
            );
        }
        const pairs = one.pairs.flatMap((pair) =>
            pair
                ? [
                      element("td", {}, change(pair.ratio)),
                      element(
                          "td",
                          {},
                          element(
                              "span",
                              { class: `tag ${pair.verdict}`, title: pair.marks.join(", ") || null },
                              pair.verdict,
                          ),
                      ),
                  ]
                : [element("td"), element("td")],
        );
        rows.push(
            element(
                "tr",
                {},
                element("th", { scope: "row" }, breakable(one.name)),
                one.times.map((time) => element("td", {}, time || "–")),
                pairs,
            ),
        );
    }
    const head = element(
        "thead",
        {},
        element(
            "tr",
            {},
            heads.map((text) => element(text ? "th" : "td", text ? { scope: "col" } : {}, text)),
        ),
    );
    return element(
        "section",
        { class: "family" },
        element("h3", {}, family),
        element(
            "div",
            { class: "scroll", tabindex: "0", role: "region", "aria-label": `Comparison: ${family}` },
            element("table", {}, head, element("tbody", {}, rows)),
        ),
    );
}
