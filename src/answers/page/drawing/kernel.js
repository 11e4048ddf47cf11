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

function sourceBox(language, text) {
  return h("section", {}, h("h3", {}, language), h("pre", { tabindex: "0", "aria-label": `${language} source` }, text));
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
