/* The comparison table: one row per case, one group of columns per side. */

/** Number of rows shown at first. */
const ROWS = 100;

/** The part of the page with the table, which is drawn when the reader comes near. */
function comparisonTable(model, state, open) {
  const narrow = matchMedia("(max-width: 620px)");
  const initial = {
    family: "",
    device: "",
    api: "",
    size: "",
    text: "",
    measure: model.sides.length > 2 || narrow.matches ? "median" : "all",
  };
  const filter = Object.fromEntries(Object.keys(initial).map((key) => [key, state.get(key) ?? initial[key]]));
  /** The column that sorts, by its key; a dash before it is descending. */
  let sortedBy = state.get("sort") ?? "";
  let shown = Number(state.get("rows")) || ROWS;
  /** What the filters leave, in the order of the table. */
  let cases = [];
  const status = h("p", { class: "count", role: "status" });
  const box = scrollBox("Comparison table");
  const more = h("button", { type: "button", class: "more", click: () => grow() });

  // Software devices come last.
  const ordered = [...model.sides].sort((a, b) => a.isSoftware - b.isSoftware);
  const visibleSides = () =>
    ordered
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
    tableColumns(model, visibleSides(), filter.measure === "all" ? Object.keys(MEASURES) : [filter.measure], {
      isNarrow: narrow.matches,
      open,
    });

  const keyOf = ({ label, side }) => (side === undefined ? label : `${label}.${side}`);
  function sortBy(key) {
    sortedBy = key;
    state.set("sort", key);
  }
  function sort(index) {
    const key = keyOf(columns()[index]);
    sortBy(sortedBy === key ? `-${key}` : sortedBy === `-${key}` ? "" : key);
    fill();
    box.querySelectorAll("thead tr:last-child button")[index].focus();
  }
  function showRows(count) {
    shown = count;
    state.set("rows", String(count), String(ROWS));
  }
  function grow() {
    showRows(shown + ROWS * 2);
    fill();
  }
  function change(key) {
    return (value) => {
      filter[key] = value;
      showRows(ROWS);
      state.set(key, value, initial[key]);
      if (["device", "api", "measure"].includes(key)) sortBy("");
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
    h("input", {
      type: "search",
      placeholder: "tiled f32 2^20",
      value: filter.text,
      input: (event) => change("text")(event.target.value),
    }),
  );
  const controls = h(
    "div",
    { class: "controls" },
    Object.values(chosen).map(({ element }) => element),
    search,
    h(
      "button",
      {
        type: "button",
        class: "csv",
        click: () => download("shaderbench.csv", "text/csv", [csvOf(casesForCsv(model, visibleSides(), cases))]),
      },
      "Save as CSV",
    ),
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
    const index = all.findIndex((column) => [keyOf(column), `-${keyOf(column)}`].includes(sortedBy));
    const by = all[index];
    const sorted = { index, direction: sortedBy.startsWith("-") ? "descending" : "ascending" };
    cases = by === undefined ? found : sortCases(found, by, sorted.direction);
    const rows = cases.slice(0, shown).map((of) =>
      h(
        "tr",
        { click: (event) => event.target.closest("button") ?? open(of, event.currentTarget) },
        all.map((column) => tableCell(column, of)),
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
    const part = left > 0 ? `, the first ${rows.length} shown; the CSV has all` : "";
    status.textContent = `${cases.length} of ${model.cases.length} cases${part}`;
    more.hidden = left <= 0;
    more.textContent = `Show ${Math.min(left, ROWS * 2)} more`;
  }
  narrow.addEventListener("change", fill);
  const part = h("section", { id: "table", class: "waiting" }, h("h2", {}, "Every case"), controls, status, box, more);
  const isWaiting = () => part.classList.contains("waiting");
  const draw = () => {
    part.classList.remove("waiting");
    offer();
    fill();
  };
  return { box: part, draw, isWaiting, wait() {} };
}
