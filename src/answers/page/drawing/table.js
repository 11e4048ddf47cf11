/* The comparison table: one row per case, one group of columns per side. */

/** Number of rows shown at first. */
const ROWS = 100;

/** Bytes or operations per second; for dependent loads of 4 bytes, the latency. */
function writeRate({ of, gb, gflop }) {
  if (gb === null) return operationRate(gflop, of.dtype);
  return of.isLatency ? loadLatency(4 / gb) : byteRate(gb);
}

const MEASURES = {
  median: { label: "Median", get: (row) => row.ns, write: (value) => time(value) },
  noise: { label: "±", get: (row) => row.noise, write: percent },
  rate: { label: "Rate", get: (row) => row.gb ?? row.gflop, write: (_, row) => writeRate(row) },
  share: { label: "Of ceiling", get: (row) => row.share, write: percent },
};

/** The columns for the visible sides: case, measurements of each side, ratios, notes. */
function tableColumns(model, sides, measures) {
  const text = (label, get, write = get) => ({ label, get, write, isText: true });
  const fixed = [
    text("Family", (of) => of.family),
    text("Benchmark", (of) => of.benchmark),
    text("Type", (of) => of.dtype),
    { label: "Size", get: (of) => of.count, write: (of) => niceSize(of.n) },
    text("Parameters", (of) => of.params),
  ];
  const measured = sides.flatMap((side) =>
    measures.map((key) => {
      const { label, get, write } = MEASURES[key];
      const value = (of) => (of.rows[side] && of.rows[side].ns !== null ? get(of.rows[side]) : null);
      const cell = (of) => {
        const row = of.rows[side];
        if (!row) return "";
        if (row.ns === null) return key === measures[0] ? h("span", { class: `status ${row.status}` }, row.status) : "";
        return value(of) === null ? "" : write(value(of), row);
      };
      return { label, side, get: value, write: cell, isBar: key === "share" };
    }),
  );
  const matches = model.matches.filter((match) => sides.includes(match.baseline) && sides.includes(match.side));
  const ratios = matches.map((match) => ({
    label: match.title,
    isRatio: true,
    get: (of) => match.byCase.get(of)?.ratio ?? null,
    write(of) {
      const row = match.byCase.get(of);
      return row
        ? h(
            "span",
            { class: `ratio ${VERDICTS[row.verdict]}`, title: VERDICTS[row.verdict] },
            ratioWithInterval(row.ratio, row.low, row.high),
          )
        : "";
    },
  }));
  const remarks = (of) => {
    const noted = sides.filter((side) => of.rows[side]?.reason).map((side) => ({ side, reason: of.rows[side].reason }));
    const reasons = unique(noted.map(({ reason }) => reason));
    return reasons
      .map((reason) => {
        const who = noted.filter((one) => one.reason === reason).map(({ side }) => model.sides[side].short);
        return who.length < sides.length ? `${who.join(", ")}: ${reason}` : reason;
      })
      .join("; ");
  };
  return [...fixed, ...measured, ...ratios, text("Notes", remarks)];
}

/** Two header rows: the side of each group, and the column labels with sort buttons. */
function tableHead(model, columns, sorted, sort) {
  const groups = [];
  for (const column of columns) {
    const key = column.side ?? (column.isRatio ? "ratio" : "none");
    if (groups.at(-1)?.key === key) groups.at(-1).span += 1;
    else groups.push({ key, span: 1 });
  }
  const group = ({ key, span }) => {
    if (key === "none") return h("td", { colspan: span });
    const label = key === "ratio" ? "Ratio of times" : model.sides[key].name;
    return h("th", { scope: "colgroup", colspan: span }, label);
  };
  const heading = (column, index) => {
    const direction = sorted.index === index ? sorted.direction : "none";
    const arrow = { none: "↕", ascending: "↑", descending: "↓" }[direction];
    return h(
      "th",
      { scope: "col", class: column.isText ? null : "number", "aria-sort": direction === "none" ? null : direction },
      h(
        "button",
        { type: "button", click: () => sort(index) },
        column.label,
        h("span", { class: "arrow", "aria-hidden": "true" }, arrow),
      ),
    );
  };
  return h("thead", {}, h("tr", {}, groups.map(group)), h("tr", {}, columns.map(heading)));
}

function tableCell(column, of, index) {
  const content = column.write(of);
  if (index === 1) return h("th", { scope: "row" }, content);
  const cell = h("td", { class: column.isText ? (column.label === "Notes" ? "notes" : null) : "number" }, content);
  const share = column.isBar ? column.get(of) : null;
  if (share !== null) {
    cell.classList.add("share");
    cell.style.setProperty("--share", String(Math.min(1, share)));
  }
  return cell;
}

/** Sorts by the value of a column. Cases without a value come last in both directions. */
function sortCases(cases, column, direction) {
  const sign = direction === "descending" ? -1 : 1;
  const isNone = (value) => value === null || value === "";
  return [...cases].sort((a, b) => {
    const [x, y] = [column.get(a), column.get(b)];
    if (isNone(x) || isNone(y)) return isNone(x) - isNone(y);
    return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  });
}

/** Whether the texts of the case contain every search word. */
function isFound(model, of, words) {
  const names = of.rows.filter(Boolean).map((row) => `${model.sides[row.side].name} ${row.status} ${row.reason}`);
  const text = [of.family, of.benchmark, of.dtype, of.n, niceSize(of.n), of.params, ...names].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function comparisonTable(model) {
  const filter = {
    family: "",
    device: "",
    api: "",
    size: "",
    text: "",
    measure: model.sides.length > 2 ? "median" : "all",
  };
  let sorted = { index: -1, direction: "none" };
  let shown = ROWS;
  const status = h("p", { class: "count", role: "status" });
  const box = scrollBox("Comparison table");
  const more = h("button", { type: "button", class: "more", click: () => grow() });

  const visibleSides = () =>
    model.sides
      .filter((side) =>
        [
          ["device", side.device],
          ["api", side.api],
        ].every(([key, value]) => filter[key] === "" || filter[key] === value),
      )
      .map((side) => side.index);
  const matchesBut = (but) => {
    const sides = visibleSides();
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    return model.cases.filter(
      (of) =>
        sides.some((side) => of.rows[side]) &&
        (but === "family" || filter.family === "" || of.family === filter.family) &&
        (but === "size" || filter.size === "" || of.n === filter.size) &&
        isFound(model, of, words),
    );
  };
  const columns = () =>
    tableColumns(model, visibleSides(), filter.measure === "all" ? Object.keys(MEASURES) : [filter.measure]);

  function sort(index) {
    const next = { none: "ascending", ascending: "descending", descending: "none" };
    const direction = next[sorted.index === index ? sorted.direction : "none"];
    sorted = { index: direction === "none" ? -1 : index, direction };
    fill();
    box.querySelectorAll("thead tr:last-child button")[index].focus();
  }
  function grow() {
    shown += ROWS * 2;
    fill();
  }
  function change(key) {
    return (value) => {
      filter[key] = value;
      shown = ROWS;
      if (["device", "api", "measure"].includes(key)) sorted = { index: -1, direction: "none" };
      offer();
      fill();
    };
  }
  const chosen = Object.fromEntries(
    [
      ["family", "Family"],
      ["device", "Device"],
      ["api", "Backend"],
      ["size", "Size"],
      ["measure", "Show"],
    ].map(([key, label]) => [key, choice(key, label, change(key))]),
  );
  const search = h(
    "label",
    { class: "choice search" },
    h("span", {}, "Search"),
    h("input", { type: "search", placeholder: "tiled f32 2^20", input: (event) => change("text")(event.target.value) }),
  );
  const controls = h(
    "div",
    { class: "controls" },
    Object.values(chosen).map(({ element }) => element),
    search,
  );
  /** Updates the filter options. Sizes are those of the selected family. */
  function offer() {
    const all = (values, label) => [
      ["", label],
      ...unique(values)
        .filter(Boolean)
        .map((value) => [value, value]),
    ];
    const sizes = new Map(
      matchesBut("size")
        .sort((a, b) => a.count - b.count)
        .map((of) => [of.n, niceSize(of.n)]),
    );
    if (!sizes.has(filter.size)) filter.size = "";
    const options = {
      family: all(
        model.families.map(({ name }) => name),
        "all families",
      ),
      device: all(
        model.sides.map((side) => side.device),
        "all devices",
      ),
      api: all(
        model.sides.map((side) => side.api),
        "all backends",
      ),
      size: [["", "all sizes"], ...sizes],
      measure: [
        ["all", "everything"],
        ...Object.entries(MEASURES).map(([key, { label }]) => [key, key === "noise" ? "noise" : label.toLowerCase()]),
      ],
    };
    for (const [key, { set }] of Object.entries(chosen)) set(options[key], filter[key]);
  }
  function fill() {
    const all = columns();
    const found = matchesBut(null);
    const cases = sorted.index < 0 ? found : sortCases(found, all[sorted.index], sorted.direction);
    const rows = cases.slice(0, shown).map((of) =>
      h(
        "tr",
        {},
        all.map((column, index) => tableCell(column, of, index)),
      ),
    );
    const empty = h("tr", {}, h("td", { colspan: all.length }, "No case matches the filters."));
    const left = cases.length - rows.length;
    const [x, y] = [box.scrollLeft, box.scrollTop];
    box.replaceChildren(
      h(
        "table",
        { class: "comparison" },
        h("caption", { class: "sr" }, "Every case with what was measured; the buttons in the headings sort"),
        tableHead(model, all, sorted, sort),
        h("tbody", {}, rows.length > 0 ? rows : empty),
      ),
    );
    box.scrollTo(x, y);
    status.textContent = `${cases.length} of ${model.cases.length} cases${left > 0 ? `, the first ${rows.length} shown` : ""}`;
    more.hidden = left <= 0;
    more.textContent = `Show ${Math.min(left, ROWS * 2)} more`;
  }
  offer();
  fill();
  return [controls, status, box, more];
}
