/* Saves charts as SVG. Nothing leaves the page: the files are made in it. */

/** The computed style that a copy outside of the page needs. */
const PAINT = ["fill", "stroke", "color", "fontFamily", "fontSize", "fontWeight"];

function painted(element) {
  const copy = element.cloneNode(true);
  const [own, copies] = [element, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  own.forEach((part, index) => {
    const style = getComputedStyle(part);
    for (const name of PAINT) copies[index].style[name] = style[name];
  });
  copy.querySelectorAll("style").forEach((sheet) => sheet.remove());
  return copy;
}

/** Saves a chart with its title and legend, and of each side the date, the driver and the version. */
function savePicture(box, plot, sides, model) {
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const style = getComputedStyle(box);
  const text = (x, y, words, size = 12) =>
    svg("text", { x, y, fill: style.color, "font-family": style.fontFamily, "font-size": size }, words);
  const at = (element, x, y) => {
    const copy = painted(element);
    for (const [name, value] of Object.entries({ x, y })) copy.setAttribute(name, value);
    return copy;
  };
  const height = 40 + plot.height.baseVal.value;
  const entries = [...box.querySelectorAll(".legend li")].flatMap((entry, row) => [
    at(entry.querySelector("svg"), 12, height + 18 * row),
    text(42, height + 11 + 18 * row, entry.lastChild.textContent),
  ]);
  const sources = sides.map((side) => {
    const { name, device, driver, tool_version: version } = model.sides[side];
    return `${name}: ${[device, datesOf(model.sides[side]), driver, `shaderbench ${version}`].filter(Boolean).join(", ")}`;
  });
  const start = height + 9 * entries.length + 20;
  const lines = sources.map((line, row) => text(12, start + 18 * row, line));
  const width = Math.max(plot.width.baseVal.value, ...sources.map((line) => 24 + textWidth(line)));
  const size = { xmlns: "http://www.w3.org/2000/svg", width, height: start + 18 * lines.length };
  const ground = svg("rect", { width: "100%", height: "100%", fill: style.backgroundColor });
  const title = text(12, 26, box.querySelector("h3").textContent, 16);
  const picture = svg("svg", size, ground, title, at(plot, 0, 36), ...entries, ...lines);
  const file = new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
  const url = URL.createObjectURL(file);
  h("a", { href: url, download: `${box.id}.svg` }).click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
