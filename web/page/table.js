// The rows of this run as tables, one per family.

import { breakable, byId, element } from "./element.js";

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
    return element(
        "section",
        { class: "family" },
        element("h3", { id: title }, family.name),
        element("p", { class: "quiet" }, family.summary),
        (shown.length > 0 &&
            element(
                "div",
                { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": title },
                element("table", {}, heading(), element("tbody", {}, body(shown))),
            )) ||
            "",
        family.finding && element("p", { class: "finding" }, withCode(family.finding)),
        skipped(rows.filter((row) => row.record.status === "skipped")),
    );
}

function heading() {
    const cell = (text, kind) => element("th", { scope: "col", class: kind }, text);
    return element(
        "thead",
        {},
        element(
            "tr",
            {},
            cell("kernel"),
            cell("median"),
            cell("±", "wide"),
            cell("rate"),
            cell("of ceiling"),
            cell("speed", "wide"),
        ),
    );
}

function body(rows) {
    const lines = [];
    let group;
    for (const row of rows) {
        if (row.texts.group !== group) {
            group = row.texts.group;
            lines.push(element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: "6" }, group)));
        }
        lines.push(...linesOf(row));
    }
    return lines;
}

function linesOf({ record, texts }) {
    const name = element("th", { scope: "row" }, breakable(texts.name));
    const attributes = { "data-status": record.status };
    if (record.status !== "ok") name.append(" ", element("span", { class: `tag ${record.status}` }, record.status));
    if (record.median_ns === null) {
        return [element("tr", attributes, name, element("td", { class: "why", colspan: "5" }, record.reason))];
    }
    const figures = element(
        "tr",
        attributes,
        name,
        element("td", {}, texts.median),
        element("td", { class: "wide" }, texts.noise),
        element("td", {}, texts.rate),
        element("td", {}, share(record)),
        element("td", { class: "wide" }, texts.speed),
    );
    return record.reason
        ? [figures, element("tr", {}, element("td", { class: "note", colspan: "6" }, record.reason))]
        : [figures];
}

/** A sentence whose parts in backticks are code. */
function withCode(sentence) {
    return sentence.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
}

function share(record) {
    if (record.share === null) return "";
    const percent = record.share * 100;
    const fill = element("b");
    fill.style.width = `${Math.min(100, percent)}%`;
    const text = `${percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
    return element(
        "span",
        { class: "share", title: `share of the ceiling ${record.ceiling}` },
        element("i", { "aria-hidden": "true" }, fill),
        element("span", {}, text),
    );
}

/** The skipped rows by reason. */
function skipped(rows) {
    if (rows.length === 0) return null;
    const reasons = new Map();
    for (const row of rows) {
        const names = reasons.get(row.record.reason) ?? [];
        reasons.set(row.record.reason, [...names, `${row.texts.group} ${row.texts.name}`]);
    }
    const lines = [...reasons].map(([reason, names]) => element("li", {}, `${reason}: ${names.join(", ")}`));
    return element(
        "details",
        { class: "skipped" },
        element("summary", {}, `${rows.length} skipped, with the reason`),
        element("ul", {}, lines),
    );
}
