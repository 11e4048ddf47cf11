/* Saves charts as pictures, and their tables as CSV. Nothing leaves the page: files are made in it. */

/** Offers `parts` as a file to save. */
function download(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  h("a", { href: url, download: name }).click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Digits of a number in CSV: one more than the page's data has. */
const DIGITS = 6;

/** A text as a field of CSV: a spreadsheet would compute one that begins like a formula. */
const csvText = (text) => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text);

/** A table as CSV, by RFC 4180. Numbers are in the unit that the header names. */
function csvOf({ columns, rows }) {
  const field = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const header = columns.map((column) => csvText(typeof column === "string" ? column : column.csv));
  const plain = (value) =>
    typeof value === "number" ? String(Number(value.toPrecision(DIGITS))) : csvText(String(value ?? ""));
  const cells = rows.map((row) => row.map((part) => (typeof part === "string" ? csvText(part) : plain(part.value))));
  return [header, ...cells].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Texts in lines of at most `width` pixels. */
function wrapped(words, width) {
  const lines = [[]];
  let used = 0;
  for (const word of words) {
    if (used + word.width > width && lines.at(-1).length > 0) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1).push({ ...word, x: used });
    used += word.width;
  }
  return lines;
}

/** One SVG with the title, the legend and the plots of a chart, in the colours that the page has now. */
function picture(title, { plots, legend: entries = [] }, sides) {
  const gap = 16;
  const width = Math.max(420, ...plots.map((plot) => Number(plot.getAttribute("width")))) + 2 * gap;
  const line = (text, y, attributes) => svgText(text, [gap, y], { "font-size": 12, ...attributes });
  const parts = [];
  let y = 10;
  const words = (text, pixels) => text.split(" ").map((word) => ({ word, width: pixels * (word.length + 1) }));
  for (const row of wrapped(words(title, 8.6), width - 2 * gap)) {
    parts.push(line(row.map(({ word }) => word).join(" "), (y += 20), { "font-size": 16, "font-weight": 600 }));
  }
  for (const row of wrapped(words(sides.join("; "), 6.8), width - 2 * gap)) {
    parts.push(line(row.map(({ word }) => word).join(" "), (y += 18), {}));
  }
  y += 8;
  const items = entries.map((entry) => ({ entry, width: 48 + textWidth(entry.label) }));
  for (const row of items.length > 0 ? wrapped(items, width - 2 * gap) : []) {
    y += 18;
    for (const { entry, x } of row) {
      const swatchPart = swatch(entry);
      for (const [name, value] of [["x", gap + x], ["y", y - 11]]) swatchPart.setAttribute(name, value);
      parts.push(swatchPart, svgText(entry.label, [gap + x + 27, y], { "font-size": 12 }));
    }
  }
  y += 8;
  for (const plot of plots) {
    const copy = plot.cloneNode(true);
    copy.setAttribute("x", gap);
    copy.setAttribute("y", y);
    parts.push(copy);
    y += Number(plot.getAttribute("height")) + 8;
  }
  const style = getComputedStyle(document.documentElement);
  const resolved = (text) => text.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  const root = svgElement(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height: y + gap,
      viewBox: `0 0 ${width} ${y + gap}`,
      color: "var(--text)",
      "font-family": "system-ui, sans-serif",
    },
    svgElement("rect", { width: "100%", height: "100%", fill: "var(--surface)" }),
    parts,
  );
  // The pointer's box, and the page's rule for grids.
  root.querySelectorAll('[data-mark="tip"], [aria-label="tip"]').forEach((tip) => tip.remove());
  root.querySelectorAll('[data-mark$="grid"]').forEach((grid) => grid.setAttribute("stroke-opacity", "0.12"));
  return { width, height: y + gap, text: resolved(new XMLSerializer().serializeToString(root)) };
}

/** Pixels of a PNG for each of the page's. */
const DENSITY = 2;

async function savePng(name, { width, height, text }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h("canvas", { width: DENSITY * width, height: DENSITY * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(`${name}.png`, "image/png", [blob]));
}

/** The buttons that save a chart. `current` returns what is drawn now, and its sides. */
function saveButtons(name, title, current) {
  const drawing = () => picture(title, current().drawn, current().sides);
  const kinds = [
    ["SVG", "picture as SVG", () => download(`${name}.svg`, "image/svg+xml", [drawing().text])],
    ["PNG", "picture as PNG", () => savePng(name, drawing())],
    ["CSV", "data as CSV", () => download(`${name}.csv`, "text/csv", [csvOf(current().drawn.table)])],
  ];
  const button = ([label, what, click]) =>
    h("button", { type: "button", "aria-label": `Save the ${what}: ${title}`, title: `Save the ${what}`, click }, label);
  return h("div", { class: "save" }, kinds.map(button));
}
