/* The first screen: the figures of the summary, with the digits that their intervals leave. */

/** A text over a bar; `part` is its length, 1 = whole. */
function barCell(text, part, attributes = {}) {
  const style = part === null || part === undefined ? null : `--share: ${Math.min(1, part)}`;
  const names = ["number", style ? "share" : "", attributes.class ?? ""].filter(Boolean).join(" ");
  return h("td", { ...attributes, class: names, style }, text);
}

/** A button that opens the kernel of a case, or the text alone. */
function caseButton(model, index, text, open) {
  if (index === null) return text;
  return h(
    "button",
    { type: "button", class: "open", "aria-haspopup": "dialog", click: () => open(model.cases[index]) },
    breakable(text),
  );
}

/** A name that may be broken behind its underscores. */
const breakable = (name) => name.split(/(?<=_)/).flatMap((part, index) => (index > 0 ? [h("wbr"), part] : [part]));

/** A table of the first screen: columns and rows of cells. */
function screenTable(caption, columns, rows) {
  const isText = (label) => ["", "Job", "Fastest kernel"].includes(label);
  const kind = (label) => (isText(label) ? null : label === "Size" && caption === "Jobs" ? "number wide" : "number");
  const head = columns.map((label) => columnHead(label, kind(label)));
  const parts = [h("caption", {}, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)];
  return h("table", { class: "figures" }, parts);
}

/** A table in a box that scrolls; null without a table. */
const titled = (label, table) => (table === null ? null : scrollBox(label, table));

const rowHead = (...content) => h("th", { scope: "row" }, ...content);

function levelTable({ levels, launch }) {
  const columns = [
    ["Read", "read"],
    ["Copy", "copy"],
    ["Latency", "latency"],
    ["Size", "size"],
  ].filter(([, key]) => levels.some((level) => level[key] !== null));
  const bar = columns[0]?.[1];
  const row = (level) =>
    h(
      "tr",
      {},
      rowHead(level.name),
      columns.map(([, key]) => barCell(level[key] ?? "", key === bar && level[key] !== null ? level.bar : null)),
    );
  const rows = levels.map(row);
  if (launch !== null) {
    const cells = columns.map(([, key]) => h("td", { class: "number" }, key === "latency" ? launch : ""));
    rows.push(h("tr", {}, rowHead("launch"), cells));
  }
  return levels.length > 0 ? screenTable("Memory", ["", ...columns.map(([label]) => label)], rows) : null;
}

function arithmeticTable({ arithmetic }) {
  const rows = arithmetic.map(([name, rate, bar]) => h("tr", {}, rowHead(name), barCell(rate, bar)));
  return rows.length > 0 ? screenTable("Arithmetic", ["", "Rate"], rows) : null;
}

/** How good a share is, as the colours of the terminal; a bar of a software device is no verdict. */
const shareClass = (share, isSoftware) =>
  isSoftware ? "" : share > 1.05 ? "above" : share >= 0.8 ? "high" : share >= 0.4 ? "middle" : "low";

function jobTable(model, { jobs, others }, isSoftware, open) {
  const hasNaive = jobs.some((job) => job.naive !== "");
  const hasLibrary = jobs.some((job) => job.library !== "");
  const compared = [
    ...(hasNaive ? ["vs naive"] : []),
    ...others.map((name) => `${name} is`),
    ...(hasLibrary ? ["Library is"] : []),
  ];
  const columns = ["Job", "Size", "Fastest kernel", "Rate", "Of peak", ...compared];
  const row = (job) => {
    const [small, kernel, cached, above] = job.marks;
    return h(
      "tr",
      {},
      rowHead(job.name, h("span", { class: "size narrow" }, small + job.size)),
      h("td", { class: "number size wide" }, small + job.size),
      h("td", { class: "kernel-name" }, caseButton(model, job.case, job.kernel, open), kernel),
      h("td", { class: "number" }, job.rate + cached),
      barCell(job.share_text + above, job.share, { class: shareClass(job.share, isSoftware) }),
      hasNaive ? h("td", { class: "number" }, job.naive) : null,
      job.others.map((text) => h("td", { class: "number" }, text)),
      hasLibrary ? h("td", { class: "number" }, job.library) : null,
    );
  };
  return jobs.length > 0 ? screenTable("Jobs", columns, jobs.map(row)) : null;
}

/** Rows that need a look, in one sentence; null if there are none. */
function troubleText([wrong, failed, implausible, unsteady, skipped]) {
  const kinds = [
    [wrong, "wrong"],
    [failed, "failed"],
    [implausible, "implausible"],
    [unsteady, "unsteady (±5 % or more)"],
    [skipped, "skipped"],
  ].filter(([count]) => count > 0);
  return kinds.length > 0 ? `Rows: ${kinds.map(([count, kind]) => `${count} ${kind}`).join(", ")}.` : null;
}

function cardScreen(model, card, open) {
  const isSoftware = model.sides.some((side) => side.isSoftware);
  const bars = card.jobs.some((job) => job.share !== null) ? ["bar: share of the measured peak"] : [];
  const legend = [...bars, ...card.marks].join("; ");
  const means = card.others.map((name, index) => {
    const families = card.means[index].map(([family, text]) => `${text} in ${family}`).join(", ");
    return h("p", { class: "note" }, h("b", {}, `${name} is `), families, ".");
  });
  return [
    h("div", { class: "tables" }, titled("Memory", levelTable(card)), titled("Arithmetic", arithmeticTable(card))),
    titled("Jobs", jobTable(model, card, isSoftware, open)),
    legend ? h("p", { class: "note" }, legend) : null,
    means.length > 0 ? fold({ class: "means" }, "By family", means) : null,
    model.sides[0].cards > 1 ? h("p", { class: "note" }, `Rows of the median of ${model.sides[0].cards} cards.`) : null,
    troubleText(card.troubles) ? h("p", { class: "note" }, troubleText(card.troubles)) : null,
  ];
}

/** Sides that the table of several shows at first. */
const FIRST_COLUMNS = 16;

function sidesScreen(model, lines, open) {
  const box = scrollBox("Headline figures");
  const more = h("button", { type: "button", class: "more", click: () => fill(model.sides.length) });
  // Software devices come last.
  const ordered = [...model.sides].sort((a, b) => a.isSoftware - b.isSoftware);
  function fill(count) {
    const sides = ordered.slice(0, count);
    const heads = sides.map((side) =>
      h(
        "th",
        { scope: "col", class: "number", style: `--side: ${color(side.index)}` },
        side.name,
        h("small", { class: "version" }, [side.tool_version, side.dates[0]?.slice(0, 10)].filter(Boolean).join(", ")),
        side.cards > 1 ? h("span", { class: "badge" }, `median of ${side.cards} cards`) : null,
        side.isSoftware ? h("span", { class: "badge" }, "software") : null,
      ),
    );
    const cell = (found) =>
      found === null
        ? h("td", { class: "number" }, "–")
        : barCell([caseButton(model, found.case, found.text, open), found.is_unlike ? " ≠" : null], found.bar);
    const row = ({ name, cells }) =>
      h(
        "tr",
        {},
        rowHead(name),
        sides.map((side) => cell(cells[side.index])),
      );
    box.replaceChildren(
      h(
        "table",
        { class: "figures sides-table" },
        h(
          "caption",
          { class: "sr" },
          "Headline figures of every device; a bar is relative to the highest of its line through the same API",
        ),
        h("thead", {}, h("tr", {}, h("td"), heads)),
        h("tbody", {}, lines.map(row)),
      ),
    );
    more.hidden = sides.length === model.sides.length;
    more.textContent = `Show all ${model.sides.length} devices`;
  }
  fill(FIRST_COLUMNS);
  const several = model.sides.some((side) => side.dates.length > 1 && side.cards === 1);
  const newest = several ? " Of several runs of a device, the newest with the family counts." : "";
  const isMedian = model.sides.some(({ cards }) => cards > 1);
  const median = isMedian ? " A figure of several cards is that of the median card, of two the faster." : "";
  const unlike = model.screen.unlike === null ? "" : ` ${model.screen.unlike}.`;
  const note = `Bars are relative to the highest rate of a line through the same API.${unlike}${newest}${median}`;
  const faster = model.screen.faster.map((line) => h("p", { class: "note" }, line));
  return [box, more, h("p", { class: "note" }, note), ...faster];
}

/** The summary of one card, or of all sides side by side. */
function firstScreen(model, open) {
  const { card, table } = model.screen;
  const software = model.sides.filter((side) => side.isSoftware).map((side) => side.name);
  const names = software.length > 4 ? `${software.length} of ${model.sides.length}` : software.join("; ");
  const name = model.sides.length > 1 ? `${names}: ` : "";
  return append(h("div", { class: "screen" }), [
    card === null ? sidesScreen(model, table, open) : cardScreen(model, card, open),
    software.length > 0 ? h("p", { class: "note" }, name, h("b", {}, `${model.softwareNote}.`)) : null,
  ]);
}
