/* The kernel of a case: its figures, what it does, and its sources side by side. */

/** The name of a case in the address of the page. */
const caseKey = (of) => [`${of.family}/${of.benchmark}`, of.dtype, of.n, of.params].filter(Boolean).join(" ");

/** The rows of a case, one per side that has it. */
function caseFigures(model, of) {
  const rows = of.rows.filter(Boolean);
  const median = (row) => (row.low === null ? time(row.ns) : `${time(row.ns)} [${time(row.low)}, ${time(row.high)}]`);
  const notes = (row) =>
    [
      row.status === "ok" ? "" : row.status,
      row.reason,
      row.checks && `checks: ${row.checks}`,
      row.timer && `timed by ${row.timer}`,
    ]
      .filter(Boolean)
      .join("; ");
  const cells = (row) => [
    model.sides[row.side].name,
    row.ns === null ? "" : median(row),
    row.gb === null && row.gflop === null ? "" : writeRate(row),
    row.share === null ? "" : `${percent(row.share)} of ${row.ceiling}`,
    notes(row),
  ];
  return plainTable("Figures of the case", ["", "Median [95 %]", "Rate", "Of ceiling", "Notes"], rows.map(cells));
}

/** What compilers made of the kernel and what a launch costs; null where no row says it. A bar is relative to the largest. */
function costTable(model, of) {
  const rows = of.rows.filter(Boolean);
  const perJoule = (unit) => (value) => `${significant(value, 3)} ${unit}/J`;
  const columns = [
    ["Instructions", (row) => row.instructions, String],
    ["Translation", (row) => row.translation, (ms) => time(1e6 * ms, 3)],
    ["Pipeline", (row) => row.pipeline, (ms) => time(1e6 * ms, 3)],
    ["Energy of a launch", (row) => row.joules, energy],
    ["Power", (row) => row.watts, (watts) => `${significant(watts, 3)} W`],
    ["Bytes per joule", (row) => row.joules && row.gb && (row.gb * row.ns) / row.joules / 1e9, perJoule("GB")],
    ["Operations per joule", (row) => row.joules && row.gflop && (row.gflop * row.ns) / row.joules / 1e9, perJoule(isFloat(of.dtype) ? "GFLOP" : "GOP")],
  ].filter(([, get]) => rows.some((row) => get(row) !== null));
  if (columns.length === 0) return null;
  const most = columns.map(([, get]) => Math.max(...rows.map(get)));
  const line = (row) =>
    h(
      "tr",
      {},
      rowHead(model.sides[row.side].name),
      columns.map(([, get, write], index) =>
        get(row) === null ? barCell("–", null) : barCell(write(get(row)), get(row) / most[index]),
      ),
    );
  const title = "Compilation and energy";
  return scrollBox(title, screenTable(title, ["", ...columns.map(([label]) => label)], rows.map(line)));
}

/** Pixels of the longer side of a picture in the panel. */
const PICTURE = 256;

/** The rotated picture of `texture`, by the index formula of its kernels; null for other kernels. */
function rotatedPicture({ family, sides, param, dtype }) {
  if (family !== "texture" || sides.length !== 2 || !param.has("ANGLE")) return null;
  const [height, width] = sides;
  const angle = (param.get("ANGLE") * Math.PI) / 180;
  const part = Math.min(1, PICTURE / Math.max(width, height));
  const [columns, rows] = [width, height].map((length) => Math.max(1, Math.round(length * part)));
  const wrapped = (place, length) => Math.floor((place - Math.floor(place)) * length);
  const level = (x, y) => {
    const ring = Math.floor((Math.hypot(x - width / 2, y - width / 2) * 32) / width);
    return (ring % 2 === 0) === (x < width / 2 && y < width / 2) ? 48 : 208;
  };
  const canvas = h("canvas", { width: columns, height: rows, role: "img", "aria-label": "The rotated picture" });
  const drawing = canvas.getContext("2d");
  const image = drawing.createImageData(columns, rows);
  for (let at = 0; at < columns * rows; at += 1) {
    const [u, v] = [(at % columns) / columns - 0.5, Math.floor(at / columns) / rows - 0.5];
    const x = wrapped(u * Math.cos(angle) - v * Math.sin(angle) + 0.5, width);
    const y = wrapped(v * Math.cos(angle) + u * Math.sin(angle) + 0.5, height);
    const green = level(x, y);
    const grey = (green + 128) / 2;
    image.data.set(dtype.startsWith("rgba8") ? [(255 * x) / width, green, 128, 255] : [grey, grey, grey, 255], 4 * at);
  }
  drawing.putImageData(image, 0, 0);
  const size = part < 1 ? ` at ${columns} × ${rows} pixels` : "";
  const note = `The rotated picture. The page draws it${size} by the kernel's index formula, without the filter and the noise.`;
  return h("figure", { class: "picture" }, canvas, h("figcaption", { class: "note" }, note));
}

function sourceBox(language, text) {
  return h("section", {}, h("h3", {}, language), h("pre", { tabindex: "0", role: "region", "aria-label": `${language} source` }, text));
}

/** Sources and explanation, once they are unpacked; a sentence where the page has none. */
function kernelText(model, kernel) {
  if (!kernel) return [h("p", { class: "note" }, "The page has no source of this kernel.")];
  const texts = kernel.texts.map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, sentence(text))));
  const sources = [
    ["WGSL", kernel.wgsl],
    ["CUDA", kernel.cuda],
  ].filter(([, text]) => text !== "");
  return [
    h("dl", { class: "explained" }, texts),
    h("div", { class: "sources" }, sources.map(([language, text]) => sourceBox(language, text))),
    h(
      "p",
      { class: "note" },
      `Sources of shaderbench ${model.toolVersion}, before types and parameters are filled in: `,
      h("code", {}, `shaderbench show ${kernel.name}`),
      " prints the kernel of a case.",
    ),
  ];
}

/**
 * The panel of a kernel. `kernels` returns a promise of the sources; a page without them has `null`. `open` shows a
 * case; the focus returns to where it was.
 */
function kernelPanel(model, kernels, state) {
  let known = null;
  const title = h("h2", { id: "kernel-title" });
  const body = h("div");
  const close = h("button", { type: "button", class: "close", click: () => dialog.close() }, "Close");
  const dialog = h(
    "dialog",
    {
      class: "kernel",
      "aria-labelledby": "kernel-title",
      close: () => state.set("row", ""),
      click: (event) => event.target === dialog && dialog.close(),
    },
    h("div", { class: "inside" }, h("header", {}, title, close), body),
  );
  async function open(of, from = document.activeElement) {
    title.replaceChildren(`${of.family}/${of.benchmark}`, h("span", {}, ` ${[of.kind, of.params].join(" ")}`));
    const waiting = h("p", { class: "note" }, kernels ? "Unpacking the sources." : "");
    const shown = [scrollBox("Figures of the case", caseFigures(model, of)), costTable(model, of), rotatedPicture(of)];
    const figures = append(h("div"), shown);
    body.replaceChildren(figures, waiting);
    state.set("row", caseKey(of));
    // In a frame as high as its page, the middle of the frame may be off the screen.
    const top = Math.max(0, from.getBoundingClientRect().top - 80);
    if (window.parent !== window) Object.assign(dialog.style, { margin: "12px auto", top: `${top}px` });
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    if (!kernels) return;
    known ??= kernels().then((all) => new Map(all.map((kernel) => [kernel.name, kernel])));
    const found = (await known).get(`${of.family}/${of.benchmark}`);
    if (body.contains(waiting)) body.replaceChildren(figures, ...kernelText(model, found));
  }
  return { dialog, open };
}

/** A click on a mark of a chart opens its kernel: Plot keeps the datum under the pointer. */
function openMarks(root, open) {
  const caseAt = ({ target }) => {
    const datum = target.closest?.(".plots > svg")?.value;
    return datum?.row?.of ?? datum?.of;
  };
  root.addEventListener("click", (event) => {
    const of = caseAt(event);
    if (of) open(of, event.target);
  });
  root.addEventListener("input", (event) => {
    const svg = event.target.closest?.(".plots > svg");
    if (svg) svg.style.cursor = caseAt(event) ? "pointer" : "";
  });
}
