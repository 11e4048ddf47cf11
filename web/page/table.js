// The rows of this run as they are measured, a table for each family. The report above them has bars, marks and charts.

import { breakable, byId, element } from "./element.js";

const HEADINGS = ["kernel", "median", "±", "rate", "of ceiling", "speed"];
const drawn = new Map();

/** Removes all tables. */
export function clearTables() {
    drawn.clear();
    byId("tables").replaceChildren();
}

/** Draws the tables of these families again, from all rows so far. */
export function drawFamilies(families, rows) {
    byId("empty")?.remove();
    for (const family of families) {
        const fresh = familySection(
            family,
            rows.filter((row) => row.record.family === family.name),
        );
        if (drawn.has(family.name)) drawn.get(family.name).replaceWith(fresh);
        else byId("tables").append(fresh);
        drawn.set(family.name, fresh);
    }
}

function familySection(family, rows) {
    const shown = rows.filter((row) => row.record.status !== "skipped");
    const title = `family-${family.name}`;
    const heads = HEADINGS.map((text) => element("th", { scope: "col" }, text));
    const table = element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": title },
        element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, shown.map(line))),
    );
    return element(
        "section",
        { class: "family" },
        element("h3", { id: title }, family.name),
        element("p", { class: "quiet" }, family.summary),
        shown.length > 0 ? table : null,
        family.finding ? element("p", { class: "finding" }, family.finding) : null,
        skipped(rows.filter((row) => row.record.status === "skipped")),
    );
}

function line({ record, texts }) {
    const name = element("th", { scope: "row" }, breakable(`${texts.group} ${texts.name}`));
    if (record.status !== "ok") name.append(" ", element("span", { class: `tag ${record.status}` }, record.status));
    if (record.reason) name.append(element("span", { class: "why" }, record.reason));
    const percent = record.share * 100;
    const share = record.share === null ? "" : `${percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
    const cells = [texts.median, texts.noise, texts.rate, share, texts.speed];
    return element("tr", { "data-status": record.status }, name, cells.map((text) => element("td", {}, text)));
}

/** The skipped rows with their reasons. */
function skipped(rows) {
    const item = ({ record, texts }) => element("li", {}, `${texts.group} ${texts.name}: ${record.reason}`);
    const title = element("summary", {}, `${rows.length} skipped, with the reason`);
    return rows.length > 0 ? element("details", { class: "skipped" }, title, element("ul", {}, rows.map(item))) : null;
}
