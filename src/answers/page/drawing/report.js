/* The page: device cards, charts and table. */

const THEMES = [
  ["auto", "system"],
  ["light", "light"],
  ["dark", "dark"],
];

function themeChoice() {
  const root = document.documentElement;
  const changed = (theme) =>
    theme === "auto" ? root.removeAttribute("data-theme") : root.setAttribute("data-theme", theme);
  const theme = choice("theme", "Colours", changed);
  theme.set(THEMES, root.getAttribute("data-theme") ?? "auto");
  return theme.element;
}

const day = (date) => date.slice(0, 10);

function datesOf(side) {
  const days = unique(side.dates.map(day)).filter(Boolean).sort();
  const span = days.length > 1 ? `${days[0]} to ${days.at(-1)}` : (days[0] ?? "");
  return side.dates.length > 1 ? `${side.dates.length} runs, ${span}` : span;
}

/** Device limits from the measurements, as label and value. */
function facts(side) {
  const rate = ({ gb_per_s: gb, gflop_per_s: gflop, ns, scalar }) =>
    ns !== null ? time(ns, 3) : gb !== null ? byteRate(gb, 3) : gflop !== null ? operationRate(gflop, scalar) : null;
  const names = {
    copy: "DRAM, copy",
    read: "DRAM, read",
    fill: "DRAM, write",
    workgroup: "Workgroup memory",
    tensor: "Tensor cores, f16",
    launch: "Launch",
  };
  const limits = side.ceilings
    .map((ceiling) => [names[ceiling.limit] ?? `Arithmetic, ${ceiling.scalar}`, rate(ceiling)])
    .filter(([, value]) => value !== null);
  const found = side.finding.get("bank_conflict")?.values ?? {};
  const banks = found.banks
    ? String(found.banks.value)
    : found["least banks"] && `at least ${found["least banks"].value}`;
  const levels = side.levels
    .map(({ name, at_least: least, at_most: most, latency_ns: ns }) => [
      name[0].toUpperCase() + name.slice(1),
      [least === null ? "" : `${binary(least)}–${binary(most)}`, ns === null ? "" : `${ns} ns`].filter(Boolean).join(", "),
    ])
    .filter(([, value]) => value !== "");
  const subgroup = side.subgroup ? [["Subgroup", `${[...new Set(side.subgroup)].join(" to ")} lanes`]] : [];
  return { limits, inferred: [...levels, ...(banks ? [["Banks", banks]] : []), ...subgroup] };
}

function factList(title, entries) {
  if (entries.length === 0) return null;
  return h(
    "div",
    { class: "facts" },
    h("h4", {}, title),
    h(
      "dl",
      {},
      entries.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
  );
}

function card(side) {
  const { limits, inferred } = facts(side);
  const about = [
    ["Card", [side.card, side.host].filter(Boolean).join(", ")],
    ["Driver", side.driver],
    ["Measured", datesOf(side)],
    ["Host", [side.cpu, side.os].filter(Boolean).join(", ")],
    ["Version", side.tool_version && `shaderbench ${side.tool_version}`],
    ["Rows", side.statuses.map(([status, count]) => `${count} ${status}`).join(", ")],
  ].filter(([, value]) => value);
  return h(
    "article",
    { class: "card", style: `--side: ${color(side.index)}` },
    h("h3", {}, side.device, h("span", { class: "api" }, side.api)),
    h("p", { class: "type" }, [side.device_type, side.vendor].filter(Boolean).join(" · ")),
    h(
      "dl",
      { class: "about" },
      about.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    factList("Measured limits", limits),
    factList("Inferred", inferred),
    h("p", { class: "from" }, side.reports.join(", ")),
  );
}

/** A sentence with the speed at some values of a sweep, relative to the first value. */
const remains = (name, values) => (points) => {
  const shares = points
    .filter(({ at }) => values.includes(at))
    .map(({ at, value }) => `${percent(value)} at ${name} ${at}`);
  return shares.length > 0 ? `Relative to the speed at ${name} ${points[0].at}: ${shares.join(", ")}.` : "";
};

const SECTIONS = [
  [
    "Kernels",
    (model) => [
      roofline(),
      ...titledLadders(model),
      otherLadders(),
      overSize(),
    ],
  ],
  [
    "Memory",
    () => [
      cacheLatency(),
      cacheBandwidth(),
      modelled({
        id: "bank-conflict",
        title: "What do bank conflicts cost, by stride?",
        family: "bank_conflict",
        benchmark: "stride",
        param: "STRIDE",
        label: "Stride (words of 32 bits)",
        isLog: true,
      }),
      modelled({
        id: "coalescing-stride",
        title: "What does strided access to memory cost?",
        family: "coalescing",
        benchmark: "stride",
        param: "STRIDE",
        label: "Stride (elements of 4 bytes)",
        isLog: false,
        say: remains("stride", [2, 8, 32]),
      }),
      modelled({
        id: "coalescing-offset",
        title: "What does misaligned access to memory cost?",
        family: "coalescing",
        benchmark: "offset",
        param: "OFFSET",
        label: "Offset (elements of 4 bytes)",
        isLog: false,
        say: remains("offset", [1]),
      }),
      occupancy(),
      transfer(),
    ],
  ],
  ["Comparisons", () => [headlineBars(), against(true), against(false), safetyTax()]],
  ["Trust", () => [epochStrips()]],
];

/** Checkboxes for the sides that charts show. */
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
          if (event.target.checked) shown.add(side.index);
          else shown.delete(side.index);
          changed();
        },
      }),
      swatch({ ...sideStyle(side.index), kind: "dot" }),
      h("span", {}, side.name),
    ),
  );
  return h("fieldset", { class: "sides" }, h("legend", {}, "Charts show"), boxes);
}

/** Number of sides that charts show at first. */
const FIRST_SIDES = 4;

function findingsSection(model) {
  const families = model.families.map(({ name, summary }) => {
    const found = findings(
      model,
      model.sides.map((side) => side.index),
      name,
    );
    return found.length === 0
      ? null
      : h(
          "details",
          {},
          h("summary", {}, h("b", {}, name), ` ${summary}`),
          found.map(({ side, text }) => h("p", {}, side ? h("b", {}, `${side}: `) : null, sentence(text))),
        );
  });
  const any = families.some(Boolean);
  return any
    ? h("section", { id: "findings", class: "findings" }, h("h2", {}, "Findings"), h("div", {}, families))
    : null;
}

/** The tour: a chapter per article, each claim with the verdict of each side that has one. */
function tourSection(model) {
  if (model.tour.length === 0) {
    return null;
  }
  const judged = model.sides.filter((side) => side.tour.length > 0);
  const name = (side) => h("b", {}, `${model.sides.length > 1 ? side.short : side.api}: `);
  const step = (own, index) => [
    h("p", {}, h("b", {}, `${own.id} ${own.title}. `), sentence(`${own.claim} Expected: ${own.expected}`)),
    judged.map((side) => h("p", {}, name(side), sentence(side.tour[index]))),
  ];
  const chapters = unique(model.tour.map(({ chapter }) => chapter)).map((chapter) =>
    h(
      "details",
      {},
      h("summary", {}, h("b", {}, chapter.slice(0, 1)), ` ${chapter.slice(3)}`),
      model.tour.map((own, index) => (own.chapter === chapter ? step(own, index) : null)),
    ),
  );
  return h(
    "section",
    { id: "tour", class: "findings" },
    h("h2", {}, "CUDA memory in five chapters"),
    h("div", {}, chapters),
  );
}

/** The resize observer of each root element. A redraw disconnects the old observer. */
const observers = new WeakMap();

/**
 * Draws `data`, the object from `report::html::data`, into `root` and replaces its content. Can be called again with
 * new data.
 */
function render(root, data) {
  observers.get(root)?.disconnect();
  const model = decode(data);
  const shown = new Set(model.sides.slice(0, FIRST_SIDES).map((side) => side.index));
  const context = {
    model,
    get sides() {
      return [...shown].sort((a, b) => a - b);
    },
  };
  const sections = SECTIONS.map(([title, make]) => ({ title, charts: make(model).map((spec) => chart(spec, context)) }));
  const all = sections.flatMap(({ charts }) => charts);
  const devices = unique(model.sides.map((side) => side.device));
  const boxes = sections.map(({ title, charts }) =>
    h(
      "section",
      { class: "charts" },
      h("h2", {}, title),
      charts.map(({ box }) => box),
    ),
  );
  const hideEmpty = () =>
    boxes.forEach((box) => {
      box.hidden = [...box.querySelectorAll("figure")].every((figure) => figure.hidden);
    });
  const drawAll = () => {
    all.forEach(({ draw }) => draw());
    hideEmpty();
  };
  root.replaceChildren(
    h(
      "header",
      { class: "top" },
      h("div", {}, h("h1", {}, "shaderbench"), h("p", {}, `${devices.join(", ")}: ${model.cases.length} cases`)),
      h(
        "nav",
        { "aria-label": "Parts of the page" },
        [
          ["devices", "Devices"],
          ["charts", "Charts"],
          ["findings", "Findings"],
          ...(model.tour.length > 0 ? [["tour", "Tour"]] : []),
          ["table", "Table"],
        ].map(([id, label]) => h("a", { href: `#${id}` }, label)),
      ),
      themeChoice(),
    ),
    h(
      "main",
      {},
      h(
        "section",
        { id: "devices" },
        h("h2", { class: "sr" }, "Devices"),
        h("div", { class: "cards" }, model.sides.map(card)),
      ),
      h("div", { id: "charts" }, sideChoice(model, shown, drawAll), boxes),
      append(h("div", {}), [findingsSection(model), tourSection(model)]),
      h("section", { id: "table" }, h("h2", {}, "Every case"), comparisonTable(model)),
    ),
    h(
      "footer",
      {},
      h(
        "p",
        {},
        `Generated by shaderbench ${model.toolVersion}. Medians with 95 % confidence intervals; 1 GB/s is 10⁹ bytes per second; an FMA counts as two operations.`,
      ),
    ),
  );
  drawAll();
  const observer = new ResizeObserver(() => requestAnimationFrame(() => all.forEach(({ fit }) => fit())));
  observer.observe(root);
  observers.set(root, observer);
}
