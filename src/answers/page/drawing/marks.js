/* Marks of curves and bars that several charts draw. */

/** Width of a text in a chart, in pixels: no less than it needs. */
const textWidth = (text) => 6.8 * text.length;

/** Pixels between the frame and the outermost points of curves, whose marks would else be cut in half. */
const INSET = 6;

const lowEnd = ({ low, value }) => low ?? value;
const highEnd = ({ high, value }) => high ?? value;

/** The marks of curves: lines unless the values between the points are unknown, intervals, points. */
function curveMarks(series, x, isDotted = false) {
  return series.flatMap(({ points, color: stroke, symbol: shape, dash: pattern }) => [
    isDotted ? null : Plot.line(points, { x, y: "value", stroke, strokeWidth: 1.75, strokeDasharray: pattern }),
    Plot.ruleX(points, { x, y1: lowEnd, y2: highEnd, stroke, strokeWidth: 1.25, clip: true }),
    Plot.dot(points, { x, y: "value", symbol: shape, fill: stroke, r: 3 }),
  ]);
}

/** Height of the row of a side's levels above a chart. */
const LEVEL_ROW = 18;

/**
 * The levels of the memory hierarchy, shaded from the smallest to the largest working set well inside, with a row of names
 * for each side above the frame. `text` is what stands behind a level's name.
 */
function levelMarks(model, sides, sets, width, text) {
  const inFrame = (bytes) => Math.min(sets[1], Math.max(sets[0], bytes));
  const of = (side) =>
    model.sides[side].levels
      .filter(({ inside }) => inside !== null)
      .map((level) => ({ ...level, from: inFrame(level.inside[0]), to: inFrame(level.inside[1]) }));
  const known = sides.filter((side) => of(side).length > 0);
  const isOne = unique(known.map((side) => model.sides[side].device)).length === 1;
  const shaded = isOne ? known.slice(0, 1) : known;
  const shade = (side) =>
    Plot.barX(of(side), {
      x1: "from",
      x2: "to",
      fill: isOne ? "currentColor" : color(side),
      fillOpacity: 0.1 / shaded.length,
    });
  const rows = known.map((side, row) => {
    let free = sets[0];
    const levels = of(side).map((level) => {
      const room = (width * Math.log(level.to / free)) / Math.log(sets[1] / sets[0]);
      const words = [level.name, text(level)].filter(Boolean).join(" · ");
      free = level.to;
      return { ...level, words: [words, level.name, ""].find((words) => textWidth(words) < room) };
    });
    const dy = -LEVEL_ROW * (known.length - row) + 6;
    return Plot.text(levels, { x: "to", frameAnchor: "top", textAnchor: "end", dy, text: "words", fill: color(side) });
  });
  return { marks: [...shaded.map(shade), ...rows], height: LEVEL_ROW * known.length, known };
}
