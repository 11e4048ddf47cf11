/* The frame of a chart: question, answer, menus, plots. */

/** Names the ticked sides that a chart does not show, with the reason. */
function absence({ model, sides }, { shown, lacks }) {
  const absent = sides.filter((side) => !shown.includes(side)).map((side) => model.sides[side].name);
  return absent.length > 0
    ? h("p", { class: "note absent" }, `Not shown: ${absent.join("; ")}. Reason: ${lacks}.`)
    : null;
}

/** Sentences above a chart; more are folded. */
const MOST_TAKEAWAYS = 2;

/** Widths of a plot in pixels: the least, the one on paper, and that below which a chart is narrow. */
const LEAST = 260;
const PAPER = 330;
const NARROW = 520;

/** Whether charts are drawn for paper: a wide chart on narrow paper would have small text. */
let isPaper = false;

/**
 * A chart. `spec.choices(picked, context)` returns the menus of the chart. `spec.draw({ width, picked, ... })` returns
 * `{ plot, legend, takeaways, note, shown, lacks }`, or null if there is nothing to draw: `shown` are the sides that the chart
 * or its menu has, `lacks` is what each other side lacks.
 */
function chart(spec, context) {
  const picked = context.state.menus(spec.id);
  const caption = h("figcaption");
  const controls = h("div", { class: "controls" });
  const body = h("div");
  const box = h("figure", { class: "chart", id: spec.id }, caption, controls, body);
  const known = new Map();
  let drawnWidth = 0;

  function offer({ key, label, options, value }) {
    if (!options.some(([name]) => name === picked[key])) picked[key] = value;
    const change = (chosen) => {
      picked[key] = chosen;
      context.state.set(`${spec.id}.${key}`, chosen);
      draw();
    };
    if (!known.has(key)) {
      known.set(key, choice(key, label, change));
      controls.append(known.get(key).element);
    }
    known.get(key).set(options, picked[key]);
  }

  function draw() {
    // A hidden box has no width, so show it first.
    box.hidden = false;
    drawnWidth = box.clientWidth;
    const style = getComputedStyle(box);
    // A page that is being left has no styles.
    const padding = [style.paddingLeft, style.paddingRight].map((side) => parseFloat(side) || 0);
    const room = Math.floor(drawnWidth - padding[0] - padding[1]);
    const width = isPaper ? PAPER : Math.max(LEAST, room);
    spec.choices?.(picked, context).forEach(offer);
    controls.hidden = [...controls.children].every((element) => element.hidden);
    const drawn = spec.draw({ ...context, width, isNarrow: width < NARROW, picked });
    box.hidden = drawn === null;
    if (drawn === null) return;
    const sentences = drawn.takeaways.filter(({ text }) => text);
    drawn.plot.setAttribute("role", "img");
    for (const part of drawn.plot.querySelectorAll("g[aria-label]")) part.setAttribute("role", "group");
    drawn.plot.setAttribute("aria-label", [spec.title, ...sentences.map(({ text }) => text)].join(" "));
    const takeaways = sentences.map(({ side, text }) =>
      h("p", { class: "takeaway" }, side ? h("b", {}, `${side}: `) : null, sentence(text)),
    );
    const rest = takeaways.splice(MOST_TAKEAWAYS);
    const more = rest.length > 0 ? fold({ class: "data" }, `${rest.length} more`, rest) : null;
    caption.replaceChildren();
    append(caption, [
      h("h3", {}, spec.title),
      takeaways,
      more,
      drawn.note ? h("p", { class: "note" }, drawn.note) : null,
    ]);
    body.replaceChildren(legend(drawn.legend), h("div", { class: "plots" }, drawn.plot));
    const saved = unique(drawn.shown).filter((side) => context.sides.includes(side));
    const save = () => savePicture(box, drawn.plot, saved, context.model);
    const button = h("button", { type: "button", class: "save", click: save }, "Save picture");
    append(body, [absence(context, drawn), button]);
  }

  /** Redraws if the width has changed. */
  const fit = () => !isPaper && !box.hidden && Math.abs(box.clientWidth - drawnWidth) > 4 && draw();
  return { box, draw, fit };
}
