/* Two devices or APIs: their headline figures as ratios. */

/** The figures that both sides have, as speed of `b` relative to `a`: of times, the ratio is turned around. */
function figurePairs(a, b) {
  const others = new Map(b.headlines.map((figure) => [figure.name, figure]));
  return a.headlines
    .filter(({ name, unit }) => others.get(name)?.unit === unit)
    .map((first) => {
      const second = others.get(first.name);
      const [slow, fast] = first.unit === "ns" ? [second, first] : [first, second];
      const value = fast.value / slow.value;
      const reach = (own, other) => Math.exp(Math.hypot(Math.log(own), Math.log(other)));
      return {
        name: first.name,
        first,
        second,
        value,
        low: value / reach(fast.value / fast.low, slow.high / slow.value),
        high: value * reach(fast.high / fast.value, slow.value / slow.low),
      };
    })
    .sort((x, y) => y.value - x.value);
}

/** A figure with its unit. */
function figureText({ unit, value }, digits = 3) {
  if (unit === "ns") return time(value, digits);
  return unit === "GB/s" ? byteRate(value, digits) : operationRate(value, unit === "GOP/s" ? "u32" : null, digits);
}

/** Bars from 1× to the ratio of each figure. */
function headlineBars() {
  const sidesWith = (model, sides) => sides.filter((side) => model.sides[side].headlines.length > 0);
  return {
    id: "headlines",
    title: "Which is faster in the headline figures, and by how much?",
    choices(picked, { model, sides }) {
      const available = sidesWith(model, sides).map(String);
      const a = available.includes(picked.a) ? picked.a : available[0];
      // Another device if there is one, else another API.
      const deviceOf = (side) => model.sides[Number(side)].device;
      const others = available.filter((side) => side !== a);
      const first = others.find((side) => deviceOf(side) !== deviceOf(a)) ?? others[0];
      const b = others.includes(picked.b) ? picked.b : first;
      const option = (side) => [side, model.sides[side].name];
      return [
        { key: "b", label: "Speed of", options: available.filter((side) => side !== a).map(option), value: b },
        { key: "a", label: "relative to", options: available.filter((side) => side !== b).map(option), value: a },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      const available = sidesWith(model, sides);
      if (available.length < 2) return null;
      const [a, b] = [picked.a, picked.b].map((side) => model.sides[Number(side)]);
      const figures = figurePairs(a, b);
      if (figures.length === 0) return null;
      const [low, high] = extent(figures.map(({ value }) => value));
      const domain = [Math.min(low, 0.9) / 1.15, Math.max(high, 1 / 0.9) * 1.15];
      const text = ({ value, first, second }) =>
        isNarrow ? ratioText(value) : `${ratioText(value)}   ${figureText(second)} : ${figureText(first)}`;
      const keys = figures.flatMap(({ name }) => (isNarrow ? [`title ${name}`, name] : [name]));
      const marginLeft = isNarrow ? 10 : 16 + 7.2 * Math.max(...figures.map(({ name }) => name.length));
      const marginRight = 14 + 6.7 * Math.max(...figures.map((figure) => text(figure).length));
      const ticks = roomyTicks(nearOne(logTicks(...domain)), domain, width - marginLeft - marginRight, factor);
      const fill = ({ value }) => color(value < 1 ? a.index : b.index);
      const svg = plot({
        width,
        height: 82 + keys.length * (isNarrow ? 18 : 21),
        marginTop: isNarrow ? 8 : 24,
        marginLeft,
        marginRight,
        x: { type: "log", domain, ticks, tickFormat: factor, label: "Relative speed", grid: true },
        y: { domain: keys, axis: null, padding: 0.25 },
        marks: [
          Plot.barX(figures, { x1: 1, x2: "value", y: "name", fill }),
          ...intervals("x", figures, { x1: "low", x2: "high", y: "name", stroke: "currentColor", strokeWidth: 1.5 }),
          Plot.ruleX([1], { stroke: "currentColor", strokeWidth: 1.5 }),
          isNarrow
            ? Plot.text(figures, { y: ({ name }) => `title ${name}`, frameAnchor: "left", dx: 2, dy: 4, text: "name", fill: "currentColor", stroke: "var(--surface)", strokeWidth: 4 })
            : Plot.text(figures, { y: "name", frameAnchor: "left", textAnchor: "end", dx: -8, text: "name" }),
          Plot.text(figures, { y: "name", frameAnchor: "right", textAnchor: "start", dx: 10, text }),
          isNarrow
            ? null
            : Plot.text([`${b.short} : ${a.short}`], {
                frameAnchor: "top-right",
                textAnchor: "end",
                dx: marginRight - 4,
                dy: -18,
                fontWeight: 600,
                lineWidth: (width - marginLeft) / 12,
                textOverflow: "ellipsis",
              }),
          tip(figures, {
            x: "value",
            y: "name",
            title: ({ name, first, second, value, low: from, high: to }) =>
              `${name}\n${ratioWithInterval(value, from, to)}\n${b.short}: ${figureText(second, 4)}\n${a.short}: ${figureText(first, 4)}`,
          }),
        ],
      });
      const faster = figures.filter((figure) => figure.low > 1).length;
      const slower = figures.filter((figure) => figure.high < 1).length;
      const rest = figures.length - faster - slower;
      const sentence = `Of ${figures.length} figures, ${b.short} is faster in ${faster} and slower in ${slower}${rest > 0 ? `; ${rest} are too close to tell` : ""}.`;
      return {
        plots: [svg],
        legend: [b, a].map((side) => ({ kind: "bar", color: color(side.index), label: `${side.name} is faster` })),
        takeaways: [{ text: sentence }],
        note: "Of times, the ratio is turned around: more than 1× is faster everywhere. A job's figure is that of its fastest kernel on each side.",
        table: {
          columns: ["Figure", "Unit", b.name, a.name, "Relative speed", ...intervalColumns()],
          rows: figures.map(({ name, first, second, value, low: from, high: to }) => [
            name,
            first.unit,
            cell(second.value, () => figureText(second, 4)),
            cell(first.value, () => figureText(first, 4)),
            ...[value, from, to].map((ratio) => cell(ratio, ratioText)),
          ]),
        },
        shown: available,
        lacks: "no headline figures in its report",
      };
    },
  };
}
