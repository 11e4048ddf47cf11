/* The kernel of a case: its figures, what it does, and its sources side by side. */

/** The name of a case in the address of the page. */
const caseKey = (of) => [`${of.family}/${of.benchmark}`, of.dtype, of.n, of.params].filter(Boolean).join(" ");

/** The rows of a case, one per side that has it, with the columns that a row has. */
function caseFigures(model, of) {
  const rows = of.rows.filter(Boolean);
  const interval = (row) => (row.low === null ? "" : ` [${time(row.low)}, ${time(row.high)}]`);
  const notes = (row) =>
    [
      row.status === "ok" ? "" : row.status,
      row.reason,
      row.checks && `checks: ${row.checks}`,
      row.timer && `timed by ${row.timer}`,
    ]
      .filter(Boolean)
      .join("; ");
  const perJoule = (rate, row) => row.joules && rate && (rate * row.ns) / row.joules / 1e9;
  const known = (value, write) => (value === null || value === undefined ? "" : write(value));
  const figure = (value) => significant(value, 3);
  const columns = [
    ["Median [95 %]", (row) => known(row.ns, time) + interval(row)],
    ["Rate", (row) => (row.gb === null && row.gflop === null ? "" : writeRate(row))],
    ["Of ceiling", (row) => known(row.share, (share) => `${percent(share)} of ${row.ceiling}`)],
    ["Instructions", (row) => known(row.instructions, String)],
    ["Translation", (row) => known(row.translation, (ms) => time(1e6 * ms))],
    ["Pipeline", (row) => known(row.pipeline, (ms) => time(1e6 * ms))],
    ["Energy per launch", (row) => known(row.joules, energy)],
    ["Power", (row) => known(row.watts, (watts) => `${figure(watts)} W`)],
    ["Bytes per joule", (row) => known(perJoule(row.gb, row), (gb) => `${figure(gb)} GB/J`)],
    [
      "Operations per joule",
      (row) => known(perJoule(row.gflop, row), (gflop) => `${figure(gflop)} ${isFloat(of.dtype) ? "GFLOP" : "GOP"}/J`),
    ],
    ["Notes", notes],
  ].filter(([, write]) => rows.some((row) => write(row) !== ""));
  const head = ["", ...columns.map(([label]) => label)].map((label) => columnHead(label));
  const cells = (row) => columns.map(([, write]) => h("td", {}, write(row)));
  const line = (row) => h("tr", {}, rowHead(model.sides[row.side].name), cells(row));
  const caption = h("caption", { class: "sr" }, "Figures of the case");
  return h("table", {}, caption, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows.map(line)));
}

function sourceBox(language, text) {
  const source = h("pre", { tabindex: "0", role: "region", "aria-label": `${language} source` }, text);
  return h("section", {}, h("h3", {}, language), source);
}

/** Sources and explanation, once they are unpacked; a sentence where the page has none. */
function kernelText(model, kernel) {
  if (!kernel) return [h("p", { class: "note" }, "The page contains no source for this kernel.")];
  const texts = kernel.texts.map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, sentence(text))));
  const sources = [
    ["WGSL", kernel.wgsl],
    ["CUDA", kernel.cuda],
  ].filter(([, text]) => text !== "");
  return [
    h("dl", { class: "explained" }, texts),
    h(
      "div",
      { class: "sources" },
      sources.map(([language, text]) => sourceBox(language, text)),
    ),
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
      // Back has closed it, or closing goes back.
      close() {
        if (state.get("row") !== null && history.state?.key === "row") history.back();
        else state.set("row", "", "", true);
      },
      click: (event) => event.target === dialog && dialog.close(),
    },
    h("div", { class: "inside" }, h("header", {}, title, close), body),
  );
  async function open(of, from = document.activeElement) {
    title.replaceChildren(`${of.family}/${of.benchmark}`, h("span", {}, ` ${[of.kind, of.params].join(" ")}`));
    const waiting = h("p", { class: "note" }, kernels ? "Unpacking the sources." : "");
    const figures = scrollBox("Figures of the case", caseFigures(model, of));
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
function openMarks(root, open, signal) {
  const caseAt = ({ target }) => {
    const datum = target.closest?.(".plots > svg")?.value;
    return datum?.row?.of ?? datum?.of;
  };
  const click = (event) => {
    const of = caseAt(event);
    if (of) open(of, event.target);
  };
  const input = (event) => {
    const svg = event.target.closest?.(".plots > svg");
    if (svg) svg.style.cursor = caseAt(event) ? "pointer" : "";
  };
  root.addEventListener("click", click, { signal });
  root.addEventListener("input", input, { signal });
}
