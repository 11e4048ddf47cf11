// The headline figures of this tab's run, and of an address that holds some, beside those of the committed reports.

import { byId, element } from "./element.js";
import { fragmentOf, runIn } from "./link.js";

const SCALES = {
    "GB/s": ["MB/s", "GB/s", "TB/s"],
    "GFLOP/s": ["MFLOP/s", "GFLOP/s", "TFLOP/s"],
    "GOP/s": ["MOP/s", "GOP/s", "TOP/s"],
    ns: ["ns", "µs", "ms", "s"],
};

/** `3.11 TB/s`. Rates are in 10^9 per second, times in nanoseconds. */
export function figureText({ unit, value }) {
    const units = SCALES[unit];
    let scaled = unit === "ns" ? value : value * 1000;
    let index = 0;
    while (Number(scaled.toPrecision(3)) >= 1000 && index + 1 < units.length) {
        scaled /= 1000;
        index++;
    }
    const text = scaled >= 1000 ? String(Math.round(scaled)) : scaled.toPrecision(3);
    return `${text} ${units[index]}`;
}

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Connects the section. `core` is the worker that reads reports, `notify` shows a sentence. */
export function startFigures(core, notify, saveCsv) {
    let own = null;
    let linked = null;
    let models = [];

    const loaded = fetch("references.json")
        .then((answer) => (answer.ok ? answer.json() : []))
        .then((found) => (models = found))
        .catch(() => {});

    /** Reads the address, which a user may also change on the open page. */
    function readAddress() {
        try {
            linked = runIn(location.hash.slice(1));
        } catch (error) {
            linked = null;
            notify(error.message, true);
        }
        // What an address was opened for comes first.
        if (linked) document.querySelector("main").prepend(byId("figures"));
        draw();
    }

    async function draw() {
        await loaded;
        const runs = [];
        if (own) runs.push({ ...own, title: "This tab" });
        if (linked) runs.push({ ...linked, title: "This link" });
        byId("figures").hidden = runs.length === 0;
        if (runs.length === 0) return;
        const columns = [...runs, ...models.map(column)];
        byId("figures-about").replaceChildren(...about(runs));
        byId("figures-table").replaceChildren(tableOf(runs, columns));
        byId("copy-link").hidden = byId("figures-csv").hidden = !own;
        byId("link").hidden = true;
    }

    function column({ device, reports, is_software: isSoftware, figures }) {
        const note = [isSoftware && "software", reports > 1 && `median of ${reports}`].filter(Boolean).join(", ");
        return { title: device, note, figures: figures.map(([name, unit, value]) => ({ name, unit, value })) };
    }

    /** `This tab’s GPU beside 11 reports of 2 GPUs and 1 software device.` */
    function about(runs) {
        const reports = models.reduce((sum, model) => sum + model.reports, 0);
        const software = models.filter((model) => model.is_software).length;
        const kinds = [
            models.length > software && counted(models.length - software, "GPU"),
            software > 0 && counted(software, "software device"),
        ].filter(Boolean);
        const first = `${runs[0].title}: ${runs[0].device}`;
        const beside = reports > 0 ? ` beside ${counted(reports, "report")} of ${kinds.join(" and ")}` : "";
        const sentences = [element("p", {}, element("strong", {}, first), `${beside}.`)];
        if (linked)
            sentences.push(
                element(
                    "p",
                    { class: "note" },
                    `The link holds figures of ${linked.device} (${linked.driver}), ${linked.date}, shaderbench ` +
                        `${linked.version}. Nobody has checked them: anyone can write a link.`,
                ),
            );
        if (reports > 0)
            sentences.push(
                element(
                    "p",
                    { class: "quiet" },
                    "The reports of this site ran outside of a browser, through Vulkan, at more and larger sizes and " +
                        "without run-time checks: factors count here, percents do not. Latency and launch: less is " +
                        "faster. A job (sum, GEMM, …) has the figure of its fastest kernel in each report: kernels and their sources " +
                        "may differ between reports, so these figures have no bar.",
                ),
            );
        return sentences;
    }

    byId("copy-link").addEventListener("click", async () => {
        const address = new URL(location.href);
        address.search = "";
        address.hash = fragmentOf(own);
        byId("link").value = address.href;
        byId("link").hidden = false;
        byId("link").select();
        await navigator.clipboard?.writeText(address.href).catch(() => {});
    });
    byId("figures-csv").addEventListener("click", saveCsv);
    addEventListener("hashchange", readAddress);
    readAddress();

    return {
        /** Shows the rows of this tab. */
        async setOwnRows(records) {
            own = records.length > 0 ? await core.call("figures", { json: JSON.stringify(records) }) : null;
            // Where caches are told apart, what is behind them is called DRAM.
            for (const figure of own?.figures ?? []) figure.name = figure.name.replace(/^DRAM /, "memory ");
            await draw();
        },
    };
}

/** The figures of `runs`, a line for each name; bars are relative to the largest value of a line. */
function tableOf(runs, columns) {
    const names = [...new Set(runs.flatMap((run) => run.figures.map(({ name }) => name)))];
    const head = columns.map(({ title, note }) =>
        element("th", { scope: "col" }, title, note ? element("small", {}, note) : ""),
    );
    const line = (name) => {
        const cells = columns.map(({ figures }) => figures.find((figure) => figure.name === name));
        const unit = cells.find(Boolean).unit;
        const values = cells.map((figure) => (figure?.unit === unit ? figure.value : 0));
        const most = Math.max(...values);
        return element(
            "tr",
            {},
            element("th", { scope: "row" }, name),
            values.map((value, index) => element("td", {}, value > 0 ? bar(cells[index], value / most) : "–")),
        );
    };
    return element(
        "table",
        { class: "beside" },
        element("thead", {}, element("tr", {}, element("td"), head)),
        element("tbody", {}, names.map(line)),
    );
}

/** Whether a figure is a measured limit. Those of jobs may be of different kernels, so that they have no bar. */
const isLimit = (name) => /^(FMA|mma) |^launch$| (read|copy|latency)$/.test(name);

function bar(figure, part) {
    if (!isLimit(figure.name)) return [figureText(figure)];
    const fill = element("b");
    fill.style.width = `${100 * part}%`;
    return [figureText(figure), element("i", { class: "bar", "aria-hidden": "true" }, fill)];
}
