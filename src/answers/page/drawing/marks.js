/* Marks that Plot lacks: shaded areas, intervals cut at the frame, names at the ends of curves, levels of a hierarchy. */

/** Creates an SVG element. */
function svgElement(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return append(element, children);
}

/** A text in a chart, at pixels. */
const svgText = (text, [x, y], attributes) => svgElement("text", { x, y, fill: "currentColor", "text-anchor": "start", ...attributes }, text);

/** Keeps a text readable on lines and points. */
const HALO = { stroke: "var(--surface)", "stroke-width": 3, "paint-order": "stroke" };

/** The pixels of the frame. */
function frame({ width, height, marginLeft, marginRight, marginTop, marginBottom }) {
  return { left: marginLeft, right: width - marginRight, top: marginTop, bottom: height - marginBottom };
}

/** A filled polygon. `points` is called with the scales and the frame, and returns pixels. */
const area = (points, attributes) => (_, scales, __, dimensions) =>
  svgElement("path", { d: `M${points(scales, frame(dimensions)).map((point) => point.join(" ")).join("L")}Z`, ...attributes });

/** Moves sorted positions apart by at least `least`, each group about its middle, within [from, to] if they fit. */
function spaced(positions, least, [from, to]) {
  const groups = [];
  positions.forEach((at, index) => {
    let group = { first: index, sum: at - least * index, count: 1 };
    const mean = ({ sum, count }) => sum / count;
    while (groups.length > 0 && mean(groups.at(-1)) > mean(group)) {
      const before = groups.pop();
      group = { first: before.first, sum: before.sum + group.sum, count: before.count + group.count };
    }
    groups.push(group);
  });
  const moved = groups.flatMap(({ first, sum, count }) =>
    Array.from({ length: count }, (_, step) => sum / count + least * (first + step)),
  );
  const last = moved.length - 1;
  return moved.map((at, index) => Math.max(from + least * index, Math.min(to - least * (last - index), at)));
}

const read = (item, key) => (typeof key === "function" ? key(item) : item[key]);

/** Width of a text in a chart, in pixels: no less than it needs. */
const textWidth = (text) => 6.8 * text.length;

/** Names of curves at their ends: in the right margin, or beside the last point of a curve that ends earlier. */
function endNames(series, x, y) {
  return (_, scales, __, dimensions) => {
    const { right, top, bottom } = frame(dimensions);
    const ends = series.map(({ label, color: stroke, points }) => {
      const last = points.reduce((far, point) => (read(point, x) >= read(far, x) ? point : far));
      return { label, stroke, x: scales.x(read(last, x)), y: scales.y(read(last, y)) };
    });
    const groups = unique(ends.map((end) => Math.round(end.x))).map((at) => ends.filter((end) => Math.round(end.x) === at));
    const names = groups.flatMap((group) => {
      const sorted = group.sort((a, b) => a.y - b.y);
      const heights = spaced(sorted.map((end) => end.y), 14, [top, bottom]);
      const isInside = right - sorted[0].x > 24;
      const at = isInside ? sorted[0].x + 10 : right + 13;
      return sorted.map((end, index) => [
        svgElement("path", { d: `M${end.x + 4} ${end.y}L${at - 3} ${heights[index]}`, stroke: end.stroke }),
        svgText(end.label, [at, heights[index] + 4], HALO),
      ]);
    });
    return svgElement("g", {}, names);
  };
}

/** Whether the names of the series fit in a right margin of `endMargin`. */
const hasEndNames = (series, width, height) =>
  width >= 700 && endMargin(series) < width * 0.32 && series.length * 14 < height - 62;
const endMargin = (series) => 22 + Math.max(...series.map(({ label }) => textWidth(label)));

/** Intervals along x or y. What leaves the frame is cut there, with an arrow head. */
function intervals(axis, points, options) {
  const across = axis === "x";
  const rule = across ? Plot.ruleY : Plot.ruleX;
  const [low, high] = [`${axis}1`, `${axis}2`].map((end) => options[end]);
  const cut = (_, scales, __, dimensions) => {
    const box = frame(dimensions);
    const [from, to] = across ? [box.left, box.right] : [box.bottom, box.top];
    const isBeyond = (pixel, edge) => (edge === Math.max(from, to) ? pixel > edge + 1 : pixel < edge - 1);
    const other = across ? scales.y : scales.x;
    const middle = (point) => other(read(point, across ? options.y : options.x)) + (across ? other.bandwidth?.() ?? 0 : 0) / 2;
    const head = (point, edge, sign) => {
      const at = middle(point);
      const base = edge - sign * 5;
      const corners = across
        ? [[edge, at], [base, at - 3.5], [base, at + 3.5]]
        : [[at, edge], [at - 3.5, base], [at + 3.5, base]];
      return svgElement("path", { d: `M${corners.map((corner) => corner.join(" ")).join("L")}Z`, fill: options.stroke });
    };
    const heads = points.flatMap((point) =>
      [low, high].flatMap((end) => {
        const value = read(point, end);
        if (value === null) return [];
        const pixel = scales[axis](value);
        return [from, to].filter((edge) => isBeyond(pixel, edge)).map((edge) => head(point, edge, Math.sign(edge - (from + to) / 2)));
      }),
    );
    return heads.length > 0 ? svgElement("g", {}, heads) : null;
  };
  return [rule(points, { clip: true, ...options }), cut];
}

/** Pixels between the frame and the outermost points of curves, whose marks would else be cut in half. */
const INSET = 6;

/** The marks of curves: lines, intervals, points. */
function curveMarks(series, x, y, [low, high]) {
  return series.flatMap(({ points, color: stroke, symbol: shape, dash: pattern }) => [
    Plot.line(points, { x, y, stroke, strokeWidth: 1.75, strokeDasharray: pattern, clip: true }),
    ...intervals("y", points, { x, y1: low, y2: high, stroke, strokeWidth: 1.25 }),
    Plot.dot(points, { x, y, symbol: shape, fill: stroke, r: 3 }),
  ]);
}

/** Height of the row of a side's levels above a chart. */
const LEVEL_ROW = 18;

/**
 * The levels of the memory hierarchy, by working set: each side has a row above the frame; with one side, or several of
 * one device, the frame is shaded. A level reaches from the smallest to the largest set well inside. `text` is what
 * stands behind a level's name.
 */
function levelMarks(model, sides, text) {
  const known = sides.filter((side) => model.sides[side].levels.some(({ inside }) => inside !== null));
  const isOne = unique(known.map((side) => model.sides[side].device)).length === 1;
  const clamped = ({ inside }, scale, { left, right }) =>
    inside.map((bytes) => Math.min(right, Math.max(left, scale(Math.max(bytes, 1)))));
  const levelsOf = (side) => model.sides[side].levels.filter(({ inside }) => inside !== null);
  const shade = (_, { x }, __, dimensions) => {
    const box = frame(dimensions);
    const rects = (isOne ? levelsOf(known[0]) : []).map((level) => {
      const [from, to] = clamped(level, x, box);
      const size = { x: from, y: box.top, width: Math.max(0, to - from), height: box.bottom - box.top };
      return svgElement("rect", { ...size, fill: "currentColor", "fill-opacity": 0.06 });
    });
    return svgElement("g", {}, rects);
  };
  const rows = (_, { x }, __, dimensions) => {
    const box = frame(dimensions);
    const bars = known.flatMap((side, row) => {
      const y = box.top - LEVEL_ROW * (known.length - row);
      let free = box.left;
      return levelsOf(side).map((level) => {
        const [from, to] = clamped(level, x, box);
        const words = [level.name, text(level)].filter(Boolean).join(" · ");
        // A text wider than its level reaches into the room before it.
        const shown = [words, level.name, ""].find((words) => textWidth(words) < to - free);
        const isWide = textWidth(shown) > to - from;
        const at = isWide ? to - 3 : (from + to) / 2;
        const size = { x: from, y, width: Math.max(0, to - from), height: LEVEL_ROW - 3, rx: 2 };
        free = to + 4;
        return [
          svgElement("rect", { ...size, fill: color(side), "fill-opacity": 0.18, stroke: color(side) }),
          svgText(shown, [at, y + 12], { "text-anchor": isWide ? "end" : "middle", "font-size": 11 }),
        ];
      });
    });
    return svgElement("g", {}, bars);
  };
  return { marks: [shade, rows], height: LEVEL_ROW * known.length, known };
}
