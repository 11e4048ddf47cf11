/* Curves over one parameter. */

/**
 * Median of `base` ÷ median of `row`, with its interval. The log distances to the interval ends are combined in
 * quadrature.
 */
function relativeSpeed(base, row) {
  const value = base.ns / row.ns;
  if (base.low === null || row.low === null) return { value, low: null, high: null };
  const reach = (a, b) => Math.exp(Math.hypot(Math.log(a), Math.log(b)));
  return {
    value,
    low: value / reach(base.ns / base.low, row.high / row.ns),
    high: value * reach(base.high / base.ns, row.ns / row.low),
  };
}

/** The rows of a sweep, at the size with the most points; among equals, the largest size. */
function sweep(model, side, family, benchmark, name) {
  const rows = timed(model, [side], family, benchmark).filter((row) => row.of.param.has(name));
  const sizes = unique(rows.map((row) => row.of.n)).map((n) => rows.filter((row) => row.of.n === n));
  sizes.sort((a, b) => b.length - a.length || b[0].of.count - a[0].of.count);
  return (sizes[0] ?? []).sort((a, b) => a.of.param.get(name) - b.of.param.get(name));
}

const lacksPoints = (family, benchmark) => `fewer than three times of ${family}/${benchmark}`;

/** Speed over a parameter, relative to its first value: measured for each side, and predicted by the family's model. */
function modelled({ id, title, family, benchmark, param, label, isLog, say }) {
  return {
    id,
    title,
    draw({ model, sides, width }) {
      const series = sides.flatMap((side) => {
        const rows = sweep(model, side, family, benchmark, param);
        if (rows.length < 3) return [];
        const points = rows.map((row) => ({ row, at: row.of.param.get(param), ...relativeSpeed(rows[0], row) }));
        return [{ side, ...sideStyle(side), label: `${model.sides[side].name}, measured`, points }];
      });
      if (series.length === 0) return null;
      const all = series.flatMap(({ points }) => points);
      const predicted = new Map(
        all.filter(({ row }) => row.of.model !== null).map(({ at, row }) => [at, row.of.model]),
      );
      const prediction = [...predicted].sort((a, b) => a[0] - b[0]).map(([at, value]) => ({ at, value }));
      const [low, high] = extent([
        ...all.map(({ value }) => value),
        ...prediction.map(({ value }) => value),
      ]);
      const svg = plot({
        width,
        height: 340,
        x: { label, inset: INSET, ticks: evenTicks(...extent(all.map(({ at }) => at)), width / 44) },
        y: isLog
          ? {
              type: "log",
              domain: [low * 0.85, high * 1.15],
              ticks: logTicks(low * 0.85, high * 1.15),
              tickFormat: factor,
              label: "Speed relative to the first",
              grid: true,
            }
          : { domain: [0, 1.05 * high], tickFormat: factor, label: "Speed relative to the first", grid: true },
        marks: [
          Plot.line(prediction, {
            x: "at",
            y: "value",
            stroke: "currentColor",
            strokeWidth: 6,
            strokeOpacity: 0.45,
            strokeLinejoin: "round",
          }),
          ...curveMarks(series, "at", "value", [lowEnd, highEnd]),
          tip(all, {
            x: "at",
            y: "value",
            title: ({ row, at, value, low: from, high: to }) =>
              `${model.sides[row.side].name}\n${param} ${at}\nmeasured ${ratioWithInterval(value, from, to)}${row.of.model === null ? "" : `\nmodel ${ratioText(row.of.model)}`}\n${time(row.ns)}`,
          }),
        ],
      });
      return {
        plots: [svg],
        legend: [...series, { kind: "band", label: "model" }],
        takeaways: say
          ? series.map(({ side, points }) => ({
              side: model.sides.length > 1 ? model.sides[side].short : null,
              text: say(points),
            }))
          : findings(
              model,
              series.map(({ side }) => side),
              family,
            ),
        shown: series.map(({ side }) => side),
        lacks: lacksPoints(family, benchmark),
      };
    },
  };
}
