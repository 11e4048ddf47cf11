/* The frame of a chart: question, answer, menus, plots. */

/** Names the ticked sides that a chart does not show, with the reason. */
function absence({ model, sides }, { shown, lacks }) {
  const absent = sides.filter((side) => !shown.includes(side)).map((side) => model.sides[side].name);
  return absent.length > 0 ? h("p", { class: "note absent" }, `Not shown: ${absent.join("; ")}. Reason: ${lacks}.`) : null;
}

/** Sentences above a chart; more are folded. */
const MOST_TAKEAWAYS = 2;

/** Widths of a plot in pixels: the least, the one on paper, and that below which a chart is narrow. */
const LEAST = 260;
const PAPER = 330;
const NARROW = 520;

/** Charts in the page, drawn for paper and back: a wide chart on narrow paper would have small text. */
const charts = new Set();
let isPaper = false;
for (const [event, now] of [
  ["beforeprint", true],
  ["afterprint", false],
]) {
  window.addEventListener(event, () => {
    isPaper = now;
    for (const entry of charts) {
      if (!entry.box.isConnected) charts.delete(entry);
      else if (entry.isWaiting() || !entry.box.hidden) entry.draw();
    }
  });
}

/** Gives a plot its name. The groups in it are no elements to name: Plot's labels of them become data. */
function nameOf(svg, label) {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  hideGroups(svg);
}

/**
 * Draws charts one by one: those in view at once, the others while the browser is idle. Returns a function that draws all
 * of them anew. `drawn` is called after each.
 */
function drawInTurn(all, drawn, signal) {
  const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 30));
  const byBox = new Map(all.map((chart) => [chart.box, chart]));
  let isIdling = false;
  const draw = (chart) => {
    chart.draw();
    drawn();
  };
  const inView = new IntersectionObserver(
    (entries) => {
      const seen = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => byBox.get(target));
      seen.filter((chart) => chart.isWaiting()).forEach(draw);
    },
    { rootMargin: "200px" },
  );
  signal.addEventListener("abort", () => inView.disconnect());
  function next() {
    const waiting = signal.aborted ? undefined : all.find((chart) => chart.isWaiting());
    isIdling = waiting !== undefined;
    if (!isIdling) return;
    whenIdle(next);
    draw(waiting);
  }
  return () => {
    inView.disconnect();
    for (const chart of all) {
      chart.wait();
      inView.observe(chart.box);
    }
    if (!isIdling) whenIdle(next);
    isIdling = true;
  };
}

/**
 * A chart. `spec.choices(picked, context)` returns the menus of the chart. `spec.draw({ width, picked, ... })` returns
 * `{ plots, legend, takeaways, shown, lacks }`, or null if there is nothing to draw: `shown` are the sides that the
 * chart or its menu has, `lacks` is what each other side lacks.
 */
function chart(spec, context) {
  const picked = context.state.menus(spec.id);
  const caption = h("figcaption", {}, h("h3", {}, spec.title));
  const controls = h("div", { class: "controls" });
  const body = h("div");
  const box = h("figure", { class: "chart", id: spec.id }, caption, controls, body);
  const known = new Map();
  let drawnWidth = 0;
  let isDrawn = false;

  function offer(choices) {
    for (const { key, label, options, value } of choices) {
      if (!options.some(([name]) => name === picked[key])) picked[key] = value;
      if (!known.has(key)) {
        known.set(
          key,
          choice(key, label, (chosen) => {
            picked[key] = chosen;
            draw();
          }),
        );
        controls.append(known.get(key).element);
      }
      known.get(key).set(options, picked[key]);
    }
    controls.hidden = [...controls.children].every((element) => element.hidden);
  }

  /** Keeps in the address what is not as it would be without the reader's choice. */
  function keep(choices) {
    for (const { key } of choices.filter(({ options }) => options.length > 0)) {
      const { [key]: own, ...others } = picked;
      const initial = spec.choices(others, context).find((choice) => choice.key === key)?.value;
      context.state.set(`${spec.id}.${key}`, own, initial);
    }
  }

  function widthOf() {
    if (isPaper) return PAPER;
    const style = getComputedStyle(box);
    return Math.max(LEAST, Math.floor(drawnWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)));
  }

  const isWaiting = () => box.classList.contains("waiting");

  function draw() {
    box.classList.remove("waiting");
    // A hidden box has no width, so show it first.
    box.hidden = false;
    drawnWidth = box.clientWidth;
    const width = widthOf();
    const choices = spec.choices ? spec.choices(picked, context) : [];
    offer(choices);
    if (isDrawn) keep(choices);
    isDrawn = true;
    const drawn = spec.draw({ ...context, width, isNarrow: width < NARROW, picked });
    box.hidden = drawn === null;
    if (drawn === null) return;
    const sentences = (drawn.takeaways ?? []).filter(({ text }) => text);
    const answer = sentences.map(({ text }) => text).join(" ");
    drawn.plots.forEach((svg, index) => {
      const part = drawn.plots.length > 1 ? ` (${index + 1} of ${drawn.plots.length})` : "";
      nameOf(svg, `${spec.title}${part} ${answer}`.trim());
    });
    const takeaways = sentences.map(({ side, text }) =>
      h("p", { class: "takeaway" }, side ? h("b", {}, `${side}: `) : null, sentence(text)),
    );
    caption.replaceChildren();
    const rest = takeaways.splice(MOST_TAKEAWAYS);
    const more = rest.length > 0 ? fold(context.state, `${spec.id}-more`, { class: "data" }, `${rest.length} more`, rest) : null;
    append(caption, [h("h3", {}, spec.title), takeaways, more, drawn.note ? h("p", { class: "note" }, drawn.note) : null]);
    body.replaceChildren();
    const isPair = drawn.plots.length > 1 && !drawn.isStacked;
    append(body, [
      drawn.legend ? legend(drawn.legend) : null,
      h("div", { class: isPair ? "plots pair" : "plots" }, drawn.plots),
      absence(context, drawn),
    ]);
  }

  charts.add({ box, draw, isWaiting });
  return {
    box,
    draw,
    isWaiting,
    /** Marks the chart to be drawn anew. */
    wait: () => box.classList.add("waiting"),
    /** Redraws if the width has changed. */
    fit() {
      if (!isPaper && !isWaiting() && !box.hidden && Math.abs(box.clientWidth - drawnWidth) > 4) draw();
    },
  };
}
