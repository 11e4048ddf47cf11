/* The page: device cards, charts and table. */

const day = (date) => date.slice(0, 10);

function datesOf(side) {
  const days = unique(side.dates.map(day)).filter(Boolean).sort();
  const span = days.length > 1 ? `${days[0]} to ${days.at(-1)}` : (days[0] ?? "");
  return side.dates.length > 1 ? `${side.dates.length} runs, ${span}` : span;
}

function card(side) {
  const about = [
    ["Card", [side.card, side.host].filter(Boolean).join(", ")],
    ["Driver", side.driver],
    ["Subgroup", side.subgroup && `${unique(side.subgroup).join(" to ")} threads`],
    ["Measured", datesOf(side)],
    ["Host", [side.cpu, side.os].filter(Boolean).join(", ")],
    ["Version", side.tool_version && `shaderbench ${side.tool_version}`],
    ["Rows", side.statuses.map(([status, count]) => `${count} ${status}`).join(", ")],
    ["Files", side.reports.join(", ")],
  ].filter(([, value]) => value);
  return h(
    "article",
    { class: "card", style: `--side: ${color(side.index)}` },
    h("h3", {}, side.device, h("span", { class: "api" }, side.api)),
    h("p", { class: "type" }, [side.name, side.device_type, side.vendor].filter(Boolean).join(" · ")),
    h(
      "dl",
      {},
      about.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
  );
}

/** A sentence with the speed at some values of a sweep, relative to the first value. */
const remains = (name, values) => (points) => {
  const shares = points
    .filter(({ at }) => values.includes(at))
    .map(({ at, value }) => `${percent(value)} at ${name} ${at}`);
  return shares.length > 0 ? `Relative to the speed at ${name} ${points[0].at}: ${shares.join(", ")}.` : "";
};

const STRIDES = { title: "What does strided memory access cost?", label: "Stride (4-byte elements)" };
const OFFSETS = { title: "What does misaligned memory access cost?", label: "Offset (4-byte elements)" };
const BANKS = { id: "bank-conflict", title: "What do bank conflicts cost?", label: "Stride (32-bit words)" };

const SECTIONS = [
  ["Kernels", (model) => [roofline(), ...titledLadders(model), otherLadders()]],
  [
    "Memory",
    () => [
      cacheLatency(),
      cacheBandwidth(),
      modelled("bank_conflict", "stride", { ...BANKS, isLog: true, isDotted: true }),
      modelled("coalescing", "stride", { ...STRIDES, say: remains("stride", [2, 8, 32]) }),
      modelled("coalescing", "offset", { ...OFFSETS, say: remains("offset", [1]) }),
    ],
  ],
  ["Comparisons", (model) => (model.screen.is_versus ? [] : [versus()])],
];

/**
 * The sides that charts show at first: of each model those of its newest report with the most APIs. A software device is among
 * them only on a page without others.
 */
function firstSides(model) {
  const hardware = model.sides.filter((side) => !side.isSoftware);
  const reports = groups(hardware.length > 0 ? hardware : model.sides, (side) => side.device + side.reports.at(-1));
  const newest = (sides) => sides.flatMap(({ dates }) => dates).reduce((a, b) => (a > b ? a : b), "");
  const better = (a, b) => b.length - a.length || newest(b).localeCompare(newest(a));
  const models = groups([...reports.values()].sort(better), ([{ device }]) => device);
  const chosen = [...models.values()].map(([best]) => best);
  const rest = [...models.values()].flatMap(([, ...others]) => others);
  return [...chosen, ...rest]
    .flat()
    .slice(0, FIRST_SIDES)
    .map((side) => side.index);
}

/** The ticked sides of the address, else the first ones. */
function shownSides(model, state) {
  const named = (state.get("sides") ?? "").split(".").filter(Boolean).map(Number);
  const known = named.filter((index) => model.sides[index] !== undefined);
  return new Set(state.get("sides") === null ? firstSides(model) : known);
}

/** Checkboxes for the sides that charts and table show. */
function sideChoice(model, shown, changed) {
  if (model.sides.length < 2) return null;
  const boxes = model.sides.map((side) =>
    h(
      "label",
      { class: "side" },
      h("input", {
        type: "checkbox",
        checked: shown.has(side.index),
        change(event) {
          shown[event.target.checked ? "add" : "delete"](side.index);
          changed();
        },
      }),
      swatch({ ...sideStyle(side.index), kind: "dot" }),
      h("span", {}, side.name),
      side.isSoftware ? h("span", { class: "badge" }, "software") : null,
    ),
  );
  return h("fieldset", { class: "sides" }, h("legend", {}, "Devices"), boxes);
}

/** Number of sides that charts show at first. */
const FIRST_SIDES = 4;

/** The findings of each family, by side; null without one. */
function findingsSection(model) {
  const all = model.sides.map((side) => side.index);
  const families = model.families.map((family) => [family, findings(model, all, family.name)]);
  const known = families.filter(([, found]) => found.length > 0);
  const text = ({ side, text }) => h("p", {}, side ? h("b", {}, `${side}: `) : null, sentence(text));
  const part = ([{ name, summary }, found]) => fold({}, [h("b", {}, name), ` ${summary}`], found.map(text));
  const heading = h("h2", {}, "Findings");
  return known.length > 0
    ? h("section", { id: "findings", class: "findings" }, heading, h("div", {}, known.map(part)))
    : null;
}

/** APIs, drivers and number of cases. */
function subject(model) {
  const [apis, drivers] = ["api", "driver"].map((key) => unique(model.sides.map((side) => side[key])).filter(Boolean));
  return [apis.join(" + "), drivers.length > 2 ? "" : drivers.join(", "), `${model.cases.length} cases`]
    .filter(Boolean)
    .join(", ");
}

/** What stands on paper instead of the long tables. */
const onPaper = (model) => h("p", { class: "printed note" }, `Not printed: the table of ${model.cases.length} cases.`);

/** Links to the parts that the page has, which keep the rest of its address. */
function parts(root) {
  const links = [
    ["devices", "Summary"],
    ["charts", "Charts"],
    ["findings", "Findings"],
    ["table", "Table"],
  ];
  const follow = (part) => (event) => {
    event.preventDefault();
    part.scrollIntoView();
  };
  const link = ([id, label]) => {
    const part = root.querySelector(`#${id}`);
    return part && h("a", { href: `#${id}`, click: follow(part) }, label);
  };
  return h("nav", { "aria-label": "Parts of the page" }, links.map(link));
}

const UNITS =
  "Medians with 95 % confidence intervals; 1 GB/s is 10⁹ bytes per second; an FMA counts as two operations.";

/** What ends with a drawing: its observers and listeners, by root element. */
const drawings = new WeakMap();

/**
 * Draws `data`, the object from `answers::page::data`, into `root` and replaces its content. Can be called again with
 * new data. `kernels` returns a promise of the sources, see `kernelPanel`.
 */
function render(root, data, kernels = null) {
  drawings.get(root)?.abort();
  const drawing = new AbortController();
  drawings.set(root, drawing);
  const model = decode(data);
  const state = addressState();
  const shown = shownSides(model, state);
  const initial = firstSides(model)
    .sort((a, b) => a - b)
    .join(".");
  const panel = kernelPanel(model, kernels, state);
  const context = {
    model,
    state,
    get sides() {
      return [...shown].sort((a, b) => a - b);
    },
  };
  const sections = SECTIONS.map(([title, make]) => ({
    title,
    charts: make(model).map((spec) => chart(spec, context)),
  }));
  const first = model.screen.is_versus ? [chart(versus(), context)] : [];
  const charts = [...first, ...sections.flatMap(({ charts }) => charts)];
  const table = comparisonTable(context, panel.open);
  const boxes = sections.map(({ title, charts }) =>
    h(
      "section",
      { class: "charts" },
      h("h2", {}, title),
      charts.map(({ box }) => box),
    ),
  );
  const drawCharts = () => {
    for (const section of boxes) section.hidden = false;
    for (const { draw } of charts) draw();
    for (const section of boxes)
      section.hidden = [...section.querySelectorAll("figure")].every((figure) => figure.hidden);
  };
  const tick = () => {
    drawCharts();
    table.draw();
    state.set("sides", context.sides.join("."), initial);
  };
  const boxesFirst = first.map(({ box }) => box);
  const main = append(h("main"), [
    h("section", { id: "devices" }, h("h2", { class: "sr" }, "Summary"), boxesFirst, firstScreen(model, panel.open)),
    fold({ class: "specification" }, "Specification and driver", h("div", { class: "cards" }, model.sides.map(card))),
    sideChoice(model, shown, tick),
    h("div", { id: "charts" }, boxes),
    findingsSection(model),
    table.box,
    onPaper(model),
  ]);
  const answer = h("p", { class: "answer" }, sentence(model.screen.answer.join(" ")));
  const about = h("div", {}, h("h1", {}, model.title), answer, h("p", {}, subject(model)));
  root.replaceChildren(
    h("header", { class: "top" }, about, parts(main)),
    main,
    h("footer", {}, h("p", {}, `Generated by shaderbench ${model.toolVersion}. ${UNITS}`)),
    panel.dialog,
  );
  drawCharts();
  table.draw();
  const { signal } = drawing;
  openMarks(root, panel.open, signal);
  const paper = (event) => {
    isPaper = event.type === "beforeprint";
    drawCharts();
  };
  for (const name of ["beforeprint", "afterprint"]) addEventListener(name, paper, { signal });
  const observer = new ResizeObserver(() => requestAnimationFrame(() => charts.forEach(({ fit }) => fit())));
  observer.observe(root);
  signal.addEventListener("abort", () => observer.disconnect());
  const showRow = () => {
    const row = model.cases.find((of) => caseKey(of) === state.get("row"));
    if (row) panel.open(row);
    else panel.dialog.close();
    return row;
  };
  const withoutRow = (url) => new URL(url).hash.replace(/[#&]row=[^&]*/, "");
  // Another address, by Back, from a link or by hand: the page as it says.
  const follow = ({ oldURL, newURL }) =>
    withoutRow(oldURL) === withoutRow(newURL) ? showRow() : render(root, data, kernels);
  addEventListener("hashchange", follow, { signal });
  if (!showRow()) document.getElementById(location.hash.slice(1).split("&")[0])?.scrollIntoView();
}
