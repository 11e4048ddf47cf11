// This run's rows as they are measured. The report above them has findings, bars and charts.

import { byId, element } from "./element.js";

const HEADINGS = ["kernel", "median", "±", "rate", "of ceiling"];
let body = null;

export function clearRows() {
    body = element("tbody");
    const heads = HEADINGS.map((text) => element("th", { scope: "col" }, text));
    const table = element("table", {}, element("thead", {}, element("tr", {}, heads)), body);
    const label = "Rows of this run";
    byId("tables").replaceChildren(
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table),
    );
}

/** Replaces all rows from index `from`. */
export function drawRows(from, rows) {
    for (const line of [...body.rows].slice(from)) line.remove();
    body.append(...rows.map(line));
}

function line({ record, texts }) {
    const { family, benchmark, params, dtype, n, status, reason } = record;
    const words = [`${family}/${benchmark}`, params, dtype, n].filter(Boolean);
    const name = element("th", { scope: "row" }, `${words.join(" ")} `);
    if (status !== "ok") name.append(element("span", { class: `tag ${status}` }, status));
    if (reason) name.append(element("span", { class: "why" }, reason));
    const cells = [texts.median, texts.noise, texts.rate, texts.share];
    return element(
        "tr",
        { "data-status": status },
        name,
        cells.map((text) => element("td", {}, text)),
    );
}
