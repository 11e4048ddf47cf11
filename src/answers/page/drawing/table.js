/* The comparison table: one row per case, one group of columns per ticked side. */

/** Number of rows shown at first. */
const ROWS = 100;

/** The part of the page with the table. */
function comparisonTable(context, open) {
  const { model, state } = context;
  const initial = { family: "", text: "", measure: model.sides.length > 2 ? "median" : "all" };
  const filter = Object.fromEntries(Object.keys(initial).map((key) => [key, state.get(key) ?? initial[key]]));
  /** The column that sorts, by its key; a dash before it is descending. */
  let sortedBy = state.get("sort") ?? "";
  let shown = ROWS;
  const status = h("p", { class: "count", role: "status" });
  const box = scrollBox("Comparison table");
  const showAll = () => {
    shown = Infinity;
    draw();
  };
  const more = h("button", { type: "button", class: "more", click: showAll });
  const measures = () => (filter.measure === "all" ? Object.keys(MEASURES) : [filter.measure]);
  const columns = () => tableColumns(model, context.sides, measures(), open);
  const keyOf = ({ label, side }) => (side === undefined ? label : `${label}.${side}`);

  function sort(index) {
    const key = keyOf(columns()[index]);
    sortedBy = sortedBy === key ? `-${key}` : sortedBy === `-${key}` ? "" : key;
    state.set("sort", sortedBy);
    draw();
    box.querySelectorAll("thead tr:last-child button")[index].focus();
  }
  const change = (key) => (value) => {
    filter[key] = value;
    shown = ROWS;
    state.set(key, value, initial[key], key === "text");
    draw();
  };
  const menu = (key, label, options) => {
    const { element, set } = choice(key, label, change(key));
    set(options, filter[key]);
    return element;
  };
  const controls = h(
    "div",
    { class: "controls" },
    menu("family", "Family", [["", "all families"], ...model.families.map(({ name }) => [name, name])]),
    menu("measure", "Show", [
      ["all", "everything"],
      ...Object.entries(MEASURES).map(([key, { label }]) => [key, key === "noise" ? "noise" : label.toLowerCase()]),
    ]),
    h(
      "label",
      { class: "choice search" },
      h("span", {}, "Search"),
      h("input", {
        type: "search",
        placeholder: "tiled f32 2^20",
        value: filter.text,
        input: (event) => change("text")(event.target.value),
      }),
    ),
  );

  function draw() {
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = model.cases.filter(
      (of) =>
        context.sides.some((side) => of.rows[side]) &&
        (filter.family === "" || of.family === filter.family) &&
        isFound(model, of, words),
    );
    const all = columns();
    const index = all.findIndex((column) => [keyOf(column), `-${keyOf(column)}`].includes(sortedBy));
    const sorted = { index, direction: sortedBy.startsWith("-") ? "descending" : "ascending" };
    const cases = index < 0 ? found : sortCases(found, all[index], sorted.direction);
    const rows = cases.slice(0, shown).map((of) =>
      h(
        "tr",
        { click: (event) => event.target.closest("button") ?? open(of, event.currentTarget) },
        all.map((column) => tableCell(column, of)),
      ),
    );
    const empty = h("tr", {}, h("td", { colspan: all.length }, "No case matches the filters."));
    const [x, y] = [box.scrollLeft, box.scrollTop];
    box.replaceChildren(
      h(
        "table",
        { class: "comparison" },
        h("caption", { class: "sr" }, "Every case with its measurements; the buttons in the headings sort the table"),
        tableHead(model, all, sorted, sort),
        h("tbody", {}, rows.length > 0 ? rows : empty),
      ),
    );
    box.scrollTo(x, y);
    more.hidden = rows.length === cases.length;
    more.textContent = `Show all ${cases.length}`;
    const part = more.hidden ? "" : `, the first ${rows.length} shown`;
    status.textContent = `${cases.length} of ${model.cases.length} cases${part}`;
  }
  return { box: h("section", { id: "table" }, h("h2", {}, "Every case"), controls, status, box, more), draw };
}
