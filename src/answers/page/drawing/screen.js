/* The first screen: the figures of the summary, with the digits that their intervals leave. */

/** A figure, over a bar of this length; 1 is the whole cell. */
function barCell(text, part = null, kind = "") {
  const style = part === null ? null : `--share: ${Math.min(1, part)}`;
  return h("td", { class: `number ${style ? `share ${kind}` : ""}`, style }, text);
}

const note = (text) => (text ? h("p", { class: "note" }, text) : null);

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
  const cell = (level, key) => barCell(level[key] ?? "", key === bar && level[key] !== null ? level.bar : null);
  const cells = (level) => columns.map(([, key]) => cell(level, key));
  const rows = levels.map((level) => h("tr", {}, rowHead(level.name), cells(level)));
  if (launch !== null) {
    rows.push(h("tr", {}, rowHead("launch"), columns.map(([, key]) => barCell(key === "latency" ? launch : ""))));
  }
  return columns.length > 0 ? screenTable("Memory", ["", ...columns.map(([label]) => label)], rows) : null;
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
      barCell(job.rate + cached),
      barCell(job.share_text + above, job.share, shareClass(job.share, isSoftware)),
      hasNaive ? barCell(job.naive) : null,
      job.others.map((text) => barCell(text)),
      hasLibrary ? barCell(job.library) : null,
    );
  };
  return jobs.length > 0 ? screenTable("Jobs", columns, jobs.map(row)) : null;
}

function cardScreen(model, card, open) {
  const isSoftware = model.sides.some((side) => side.isSoftware);
  const bars = card.jobs.some((job) => job.share !== null) ? ["bar: share of the measured peak"] : [];
  const legend = [...bars, ...card.marks].join("; ");
  return [
    h("div", { class: "tables" }, titled("Memory", levelTable(card)), titled("Arithmetic", arithmeticTable(card))),
    titled("Jobs", jobTable(model, card, isSoftware, open)),
    note(legend),
    note(model.sides[0].cards > 1 && `Rows are from the median of ${model.sides[0].cards} cards.`),
  ];
}

/** The columns of several sides; none without figures, as of kernels of `bench`. */
function sidesScreen(model, open) {
  const { columns, table, unlike, faster } = model.screen;
  if (table.length === 0) return [];
  const all = columns.map((column, index) => ({ ...column, index, of: column.sides.map((side) => model.sides[side]) }));
  // Software devices come last.
  const ordered = all.sort((a, b) => a.of[0].isSoftware - b.of[0].isSoftware);
  const head = ({ name, of }) => {
    const [first] = of;
    const cards = of.reduce((count, side) => count + side.cards, 0);
    const version = [first.tool_version, first.dates[0]?.slice(0, 10)].filter(Boolean).join(", ");
    const about = h("small", { class: "version" }, cards > 1 ? `median of ${cards}` : version);
    const badge = first.isSoftware ? h("span", { class: "badge" }, "software") : null;
    return h("th", { scope: "col", class: "number", style: `--side: ${color(first.index)}` }, name, about, badge);
  };
  const cell = (found) => {
    if (found === null) return barCell("–");
    const range = found.range && h("small", { class: "version" }, found.range);
    const figure = caseButton(model, found.case, found.text, open);
    return barCell([figure, found.is_unlike ? " ≠" : null, range], found.bar);
  };
  const cells = (line) => ordered.map(({ index }) => cell(line.cells[index]));
  const rows = table.map((line) => h("tr", {}, rowHead(line.name), cells(line)));
  const bars = "Bars are relative to the highest rate in their line through the same API.";
  const parts = [
    h("caption", { class: "sr" }, `Headline figures of every device. ${bars}`),
    h("thead", {}, h("tr", {}, h("td"), ordered.map(head))),
    h("tbody", {}, rows),
  ];
  const several = model.sides.some((side) => side.dates.length > 1 && side.cards === 1);
  const newest = several && "If a device has several runs, each figure is from the newest run with its family.";
  const isMedian = all.some(({ of }) => of.length > 1 || of[0].cards > 1);
  const median = isMedian && "For several cards: the rate of the median card (of two, the lower) above the range.";
  const notes = [bars, unlike && `${unlike}.`, newest, median].filter(Boolean).join(" ");
  const box = scrollBox("Headline figures", h("table", { class: "figures sides-table" }, parts));
  return [box, note(notes), faster.map(note)];
}

/** The card beside the reference reports of other models; null without any. */
function knownTable(known) {
  if (known === null) return null;
  const cell = (found) => barCell(...(found ?? ["–"]));
  const row = ({ name, cells }) => h("tr", {}, rowHead(name), cells.map(cell));
  return screenTable("Your card among known cards", ["", ...known.columns], known.rows.map(row));
}

/** The summary of one card, or of all sides side by side. */
function firstScreen(model, open) {
  const { card, known } = model.screen;
  const software = model.sides.filter((side) => side.isSoftware).map((side) => side.name);
  const names = software.length > 4 ? `${software.length} of ${model.sides.length}` : software.join("; ");
  const name = model.sides.length > 1 ? `${names}: ` : "";
  return append(h("div", { class: "screen" }), [
    card === null ? sidesScreen(model, open) : cardScreen(model, card, open),
    titled("Known cards", knownTable(known)),
    software.length > 0 ? h("p", { class: "note" }, name, h("b", {}, `${model.softwareNote}.`)) : null,
  ]);
}
