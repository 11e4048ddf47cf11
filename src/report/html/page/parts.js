/* Pieces of the page. Text gets into it as text alone: no markup is ever parsed. */

const SVG = "http://www.w3.org/2000/svg";

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** An element with attributes (functions become listeners) and children (strings become text). */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  return append(element, children);
}

/** Colours by Okabe and Ito, which people with any colour vision tell apart; the shapes say it again. */
const COLORS = 8;
const SYMBOLS = ["circle", "triangle", "square", "diamond", "cross", "star", "wye", "asterisk"];
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"];
const color = (place) => `var(--c${place % COLORS})`;
const symbol = (place) => SYMBOLS[place % SYMBOLS.length];
const dash = (place) => DASHES[Math.floor(place / COLORS) % DASHES.length];

/** What a mark looks like in the legend: drawn by the library itself, so that both agree. */
function swatch({ kind = "point", color: stroke = "currentColor", symbol: shape = "circle", dash: pattern = "none" }) {
  const x = [2, 20];
  const line = () => Plot.line([[x[0], 7], [x[1], 7]], { stroke, strokeWidth: 2, strokeDasharray: pattern });
  const marks = {
    point: () => [line(), Plot.dot([[11, 7]], { symbol: shape, fill: stroke, r: 3.5 })],
    dot: () => [Plot.dot([[11, 7]], { symbol: shape, fill: stroke, r: 4 })],
    line: () => [line()],
    bar: () => [Plot.barX([{ a: 2, b: 20, y: 0 }], { x1: "a", x2: "b", fill: stroke })],
    tick: () => [Plot.ruleX([11], { stroke, strokeWidth: 2.5 })],
  };
  const y = kind === "bar" ? { axis: null } : { axis: null, domain: [0, 14], range: [0, 14] };
  const node = Plot.plot({ width: 22, height: 14, margin: 0, x: { axis: null, domain: [0, 22], range: [0, 22] }, y, marks: marks[kind]() });
  node.setAttribute("aria-hidden", "true");
  return node;
}

function legend(entries) {
  return h("ul", { class: "legend" }, entries.map((entry) => h("li", {}, swatch(entry), h("span", {}, entry.label))));
}

/** A labelled choice; `changed` gets the value. */
function choice(label, options, value, changed) {
  const select = h("select", { change: (event) => changed(event.target.value) });
  append(select, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

/** A table whose first column names its rows. */
function plainTable(caption, columns, rows) {
  const head = h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)));
  const body = rows.map((row) =>
    h("tr", {}, row.map((cell, place) => (place === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell)))),
  );
  return h("table", {}, h("caption", { class: "sr" }, caption), h("thead", {}, head), h("tbody", {}, body));
}

/** A box whose content may be wider than the page: it scrolls by itself, by keyboard too. */
function scrollBox(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

function foldOut(title, table) {
  const box = h("details", { class: "data" }, h("summary", {}, "Data"));
  // Built when it is opened: most are never looked at.
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) {
      box.append(scrollBox(`Data: ${title}`, plainTable(title, table.columns, table.rows)));
    }
  });
  return box;
}

/** What all plots share. */
function plot(options) {
  return Plot.plot({
    marginTop: 24,
    marginRight: 16,
    marginBottom: 38,
    marginLeft: 62,
    style: { background: "transparent", fontFamily: "inherit", fontSize: "12px", overflow: "visible" },
    ...options,
    x: { labelAnchor: "center", labelArrow: "none", ...options.x },
    y: { labelArrow: "none", labelAnchor: "top", ...options.y },
  });
}

/** A note that follows the pointer. */
function tip(data, options) {
  return Plot.tip(data, Plot.pointer({ fill: "var(--surface)", stroke: "var(--line)", fontSize: 12, lineHeight: 1.35, lineWidth: 24, ...options }));
}

/**
 * A chart: a question, what the numbers answer, the picture, and its data.
 *
 * `spec.choices(picked, context)` gives the chart's own choices; `spec.draw({ width, picked, ... })` gives `{ plots, legend, takeaways,
 * table }`, or null where there is nothing to draw.
 */
function chart(spec, context) {
  const picked = {};
  const box = h("figure", { class: "chart", id: spec.id });
  let drawnWidth = 0;

  function draw() {
    const width = Math.max(280, Math.floor(box.clientWidth || 640));
    drawnWidth = width;
    const choices = spec.choices ? spec.choices(picked, context) : [];
    for (const { key, options, value } of choices) {
      if (!options.some(([known]) => known === picked[key])) picked[key] = value;
    }
    const drawn = spec.draw({ ...context, width, isNarrow: width < 520, picked });
    box.replaceChildren();
    box.hidden = drawn === null;
    if (drawn === null) return;
    const change = (key) => (value) => {
      picked[key] = value;
      draw();
      box.querySelector(`[data-key="${key}"] select`).focus();
    };
    const controls = choices.filter(({ options }) => options.length > 1).map(({ key, label, options }) => {
      const element = choice(label, options, picked[key], change(key));
      element.dataset.key = key;
      return element;
    });
    const sentences = (drawn.takeaways ?? []).filter(({ text }) => text);
    for (const [place, svg] of drawn.plots.entries()) {
      svg.setAttribute("role", "img");
      const part = drawn.plots.length > 1 ? ` (${place + 1} of ${drawn.plots.length})` : "";
      svg.setAttribute("aria-label", `${spec.title}${part} ${sentences.map(({ text }) => text).join(" ")}`.trim());
    }
    const marked = sentences.map(({ side, text }) => h("p", { class: "takeaway" }, side ? h("b", {}, `${side}: `) : null, text));
    append(box, [
      h("figcaption", {}, h("h3", {}, spec.title), marked, drawn.note ? h("p", { class: "note" }, drawn.note) : null),
      controls.length > 0 ? h("div", { class: "controls" }, controls) : null,
      drawn.legend ? legend(drawn.legend) : null,
      h("div", { class: drawn.plots.length > 1 ? "plots pair" : "plots" }, drawn.plots),
      drawn.table ? foldOut(spec.title, drawn.table) : null,
    ]);
  }

  return {
    box,
    draw,
    /** Draws again where the width is another one. */
    fit() {
      if (!box.hidden && Math.abs(box.clientWidth - drawnWidth) > 4) draw();
    },
  };
}
