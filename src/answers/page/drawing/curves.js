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

/** Speed over a parameter, relative to its first value: measured for each side, and predicted by the family's model. */
function modelled(family, benchmark, { id = `${family}-${benchmark}`, title, label, isLog, isDotted, say }) {
  const param = benchmark.toUpperCase();
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
      const shown = series.map(({ side }) => side);
      const all = series.flatMap(({ points }) => points);
      const predicted = new Map(all.map(({ at, row }) => [at, row.of.model]).filter(([, value]) => value !== null));
      const prediction = [...predicted].sort((a, b) => a[0] - b[0]);
      const [low, high] = extent([...all.map(({ value }) => value), ...predicted.values()]);
      const y = isLog ? { type: "log", domain: [low * 0.85, high * 1.15], ticks: 5 } : { domain: [0, 1.05 * high] };
      const title = ({ row, at, value, low: from, high: to }) =>
        [
          model.sides[row.side].name,
          `${param} ${at}`,
          `measured ${ratioWithInterval(value, from, to)}`,
          row.of.model === null ? "" : `model ${ratioText(row.of.model)}`,
          time(row.ns),
        ]
          .filter(Boolean)
          .join("\n");
      return {
        plot: plot({
          width,
          height: 340,
          x: { label, inset: INSET, ticks: width / 80 },
          y: { ...y, tickFormat: factor, label: "Speed relative to the first value", grid: true },
          marks: [
            isDotted
              ? Plot.dot(prediction, { r: 7, stroke: "currentColor", strokeOpacity: 0.45, strokeWidth: 2 })
              : Plot.line(prediction, { stroke: "currentColor", strokeWidth: 6, strokeOpacity: 0.45 }),
            ...curveMarks(series, "at", isDotted),
            tip(all, { x: "at", y: "value", title }),
          ],
        }),
        legend: [...series, { kind: isDotted ? "ring" : "band", label: "model" }],
        takeaways: say
          ? series.map(({ side, points }) => ({ side: sideName(model, side), text: say(points) }))
          : findings(model, shown, family),
        shown,
        lacks: `fewer than three timed cases of ${family}/${benchmark}`,
      };
    },
  };
}
