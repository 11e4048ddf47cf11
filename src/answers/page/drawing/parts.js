/* Building blocks of the page. Text is inserted only as text nodes; markup is never parsed. */

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Creates an element with attributes (functions become listeners) and children (strings become text). */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  return append(element, children);
}

/** Colours that readers with deuteranopia tell apart. Symbols and dashes repeat the distinction. */
const COLORS = 6;
const SYMBOLS = ["circle", "triangle", "square", "diamond", "cross", "star", "wye"];
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"];
const color = (index) => `var(--c${index % COLORS})`;
const symbol = (index) => SYMBOLS[index % SYMBOLS.length];
const dash = (index) => DASHES[Math.floor(index / COLORS) % DASHES.length];

/** A legend symbol, drawn with Plot so that it matches the chart. */
function swatch({
  kind = "point",
  color: stroke = "currentColor",
  symbol: shape = "circle",
  dash: pattern = "none",
  fill = stroke,
}) {
  const line = (options) =>
    Plot.ruleY([7], { x1: 2, x2: 20, stroke, strokeWidth: 2, strokeDasharray: pattern, ...options });
  const point = (options) => Plot.dot([[11, 7]], { symbol: shape, fill, r: 3.5, ...options });
  const marks = {
    point: [line(), point()],
    dot: [point({ stroke, r: 4 })],
    line: [line()],
    ring: [point({ fill: "none", stroke, strokeOpacity: 0.45, strokeWidth: 2, r: 5 })],
    band: [line({ strokeWidth: 6, strokeOpacity: 0.45 })],
    bar: [line({ strokeWidth: 12 })],
    tick: [Plot.ruleX([11], { stroke, strokeWidth: 2.5 })],
  };
  const axis = (length) => ({ axis: null, domain: [0, length], range: [0, length] });
  const size = { width: 22, height: 14, margin: 0, x: axis(22), y: axis(14) };
  return h("span", { "aria-hidden": "true" }, Plot.plot({ ...size, marks: marks[kind] }));
}

function legend(entries) {
  return h(
    "ul",
    { class: "legend" },
    entries.map((entry) => h("li", {}, swatch(entry), h("span", {}, entry.label))),
  );
}

/** Text of a finding: backquotes become code elements, and numbers keep their signs through no-break spaces. */
function sentence(text) {
  const parts = text.replaceAll(" %", "\u00a0%").replaceAll("± ", "±\u00a0").split("`");
  return parts.map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}

/** A labelled menu. `changed` gets the new value. `set` replaces the options without losing the focus. */
function choice(key, label, changed) {
  const select = h("select", { change: (event) => changed(event.target.value) });
  const element = h("label", { class: "choice", "data-key": key }, h("span", {}, label), select);
  let known = "";
  function set(options, value) {
    const text = JSON.stringify(options);
    if (text !== known) select.replaceChildren(...options.map(([name, shown]) => h("option", { value: name }, shown)));
    known = text;
    select.value = value;
    element.hidden = options.length < 2;
  }
  return { element, set };
}

/** The head of a column; a column without a label has none. */
const columnHead = (label, kind = null) => (label === "" ? h("td") : h("th", { scope: "col", class: kind }, label));

/** A box with horizontal scrolling, also by keyboard. */
function scrollBox(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/** A part that unfolds. */
const fold = (attributes, summary, ...content) => h("details", attributes, h("summary", {}, summary), content);

/** Height of a plot on paper, where it is narrow, relative to that on a screen. */
const PAPER_HEIGHT = 0.85;

/** Defaults for all plots. */
function plot(options) {
  return Plot.plot({
    marginTop: 24,
    marginRight: 16,
    marginBottom: 38,
    marginLeft: 62,
    style: { background: "transparent", fontFamily: "inherit", fontSize: "12px", overflow: "visible" },
    ...options,
    height: options.height * (isPaper ? PAPER_HEIGHT : 1),
    x: { labelAnchor: "center", labelArrow: "none", ...options.x },
    y: { labelArrow: "none", labelAnchor: "top", ...options.y },
  });
}

/** A tooltip that follows the pointer. */
function tip(data, options) {
  return Plot.tip(
    data,
    Plot.pointer({
      fill: "var(--surface)",
      stroke: "var(--line)",
      fontSize: 12,
      lineHeight: 1.35,
      lineWidth: 24,
      ...options,
    }),
  );
}

/** Names cut off at the end, so that they fit beside an axis in so many pixels. */
const cutTo = (width) => (name) => {
  const most = Math.floor((width - 16) / 7.4);
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
};
