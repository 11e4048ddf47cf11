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

/** Okabe-Ito palette, for readers with colour vision deficiency. Symbols and dashes repeat the distinction. */
const COLORS = 8;
const SYMBOLS = ["circle", "triangle", "square", "diamond", "cross", "star", "wye"];
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"];
const color = (index) => `var(--c${index % COLORS})`;
const symbol = (index) => SYMBOLS[index % SYMBOLS.length];
const dash = (index) => DASHES[Math.floor(index / COLORS) % DASHES.length];

/** The groups in a plot are no elements to name: Plot's labels of them become data. */
function hideGroups(svg) {
  for (const group of svg.querySelectorAll("g[aria-label]")) {
    group.dataset.mark = group.getAttribute("aria-label");
    group.removeAttribute("aria-label");
  }
}

/** A legend symbol, drawn with Plot so that it matches the chart. */
function swatch({ kind = "point", color: stroke = "currentColor", symbol: shape = "circle", dash: pattern = "none", fill = stroke }) {
  const x = [2, 20];
  const line = () =>
    Plot.line(
      [
        [x[0], 7],
        [x[1], 7],
      ],
      { stroke, strokeWidth: 2, strokeDasharray: pattern },
    );
  const marks = {
    point: () => [line(), Plot.dot([[11, 7]], { symbol: shape, fill: stroke, r: 3.5 })],
    dot: () => [Plot.dot([[11, 7]], { symbol: shape, fill, stroke, r: 4 })],
    line: () => [line()],
    band: () => [
      Plot.line(
        [
          [x[0], 7],
          [x[1], 7],
        ],
        { stroke, strokeWidth: 6, strokeOpacity: 0.45 },
      ),
    ],
    bar: () => [Plot.barX([{ a: 2, b: 20, y: 0 }], { x1: "a", x2: "b", fill: stroke })],
    tick: () => [Plot.ruleX([11], { stroke, strokeWidth: 2.5 })],
  };
  const y = kind === "bar" ? { axis: null } : { axis: null, domain: [0, 14], range: [0, 14] };
  const node = Plot.plot({
    width: 22,
    height: 14,
    margin: 0,
    x: { axis: null, domain: [0, 22], range: [0, 22] },
    y,
    marks: marks[kind](),
  });
  node.setAttribute("aria-hidden", "true");
  hideGroups(node);
  return node;
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

/** A table whose first column is the row header. */
function plainTable(caption, columns, rows) {
  const head = h(
    "tr",
    {},
    columns.map((label) => columnHead(label)),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      row.map((text, index) => (index === 0 ? h("th", { scope: "row" }, text) : h("td", {}, text))),
    ),
  );
  return h("table", {}, h("caption", { class: "sr" }, caption), h("thead", {}, head), h("tbody", {}, body));
}

/** A box with horizontal scrolling, also by keyboard. */
function scrollBox(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/** A part that unfolds; the address names the open ones. `content` may be a function, which is called at first opening. */
function fold(state, part, attributes, summary, content) {
  const box = h("details", { ...attributes, open: state.isUnfolded(part) }, h("summary", {}, summary));
  const fill = () => box.children.length === 1 && append(box, [content()]);
  if (typeof content !== "function") append(box, [content]);
  else if (box.open) fill();
  box.addEventListener("toggle", () => {
    if (box.open) fill();
    state.unfold(part, box.open);
  });
  return box;
}

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

/**
 * The items whose texts overlap neither `taken` nor those of earlier items. `box` returns the left, right and middle of a
 * text in pixels.
 */
function apart(items, box, taken = []) {
  const boxes = [...taken];
  const touch = (a, b) => a[0] < b[1] && b[0] < a[1] && Math.abs(a[2] - b[2]) < 16;
  return items.filter((item) => {
    const own = box(item);
    return !boxes.some((other) => touch(own, other)) && boxes.push(own);
  });
}

/** Those of `ticks` whose texts do not overlap on a logarithmic axis of `width` pixels; the first ones come first. */
function roomyTicks(ticks, [low, high], width, write) {
  const at = (tick) => (width * Math.log(tick / low)) / Math.log(high / low);
  const half = (tick) => 4 + 3.6 * write(tick).length;
  return apart(ticks, (tick) => [at(tick) - half(tick), at(tick) + half(tick), 0]);
}

/** Ticks of ratios: those near 1× come first. */
const nearOne = (ticks) => ticks.sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
