/* Curves over one parameter or over the size. */

/**
 * Median of `base` ÷ median of `row`, with its interval. The log distances to the interval ends are combined in
 * quadrature.
 */
function relativeSpeed(base, row) {
  const value = base.ns / row.ns;
  if (base.low === null || row.low === null) return { value, low: value, high: value };
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
        ...all.flatMap((point) => [point.low, point.high]),
        ...prediction.map(({ value }) => value),
      ]);
      const svg = plot({
        width,
        height: 340,
        x: { label, ticks: evenTicks(...extent(all.map(({ at }) => at)), width / 44) },
        y: isLog
          ? {
              type: "log",
              domain: [low * 0.9, high * 1.1],
              ticks: logTicks(low * 0.9, high * 1.1),
              tickFormat: factor,
              label: "Speed relative to the first",
              grid: true,
            }
          : { zero: true, tickFormat: factor, label: "Speed relative to the first", grid: true },
        marks: [
          Plot.line(prediction, {
            x: "at",
            y: "value",
            stroke: "currentColor",
            strokeWidth: 7,
            strokeOpacity: 0.2,
            strokeLinejoin: "round",
          }),
          ...curveMarks(series, "at", "value", ["low", "high"]),
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
        table: {
          columns: [label, "Device", "Measured", "95 % interval", "Model", "Median"],
          rows: all.map(({ row, at, value, low: from, high: to }) => [
            String(at),
            model.sides[row.side].name,
            ratioText(value),
            `${ratioNumber(from)} – ${ratioNumber(to)}`,
            row.of.model === null ? "–" : ratioText(row.of.model),
            time(row.ns),
          ]),
        },
        shown: series.map(({ side }) => side),
        lacks: lacksPoints(family, benchmark),
      };
    },
  };
}

/** Whether a level's size is known. */
const hasSize = ({ at_least: least, at_most: most }) => least !== null && most !== null;

/** Vertical rules at both ends of each cache size. Their labels are in the legend, where none overlap. */
function kneeMarks(model, sides) {
  return sides.map((side) =>
    Plot.ruleX(
      model.sides[side].levels.filter(hasSize).flatMap(({ at_least: least, at_most: most }) => [least, most]),
      { stroke: color(side), strokeDasharray: "2 3", strokeWidth: 1.5 },
    ),
  );
}

/** Legend of the rules: a level ends between its two. */
const kneeLegend = (model, sides) =>
  sides.flatMap((side) =>
    model.sides[side].levels.filter(hasSize).map(({ name, at_least: least, at_most: most }) => ({
      kind: "line",
      color: color(side),
      dash: "2 3",
      label: `${model.sides.length > 1 ? `${model.sides[side].short}: ` : ""}${name} ends between ${binary(least)} and ${binary(most)}`,
    })),
  );

/** The cache curve: latency of dependent loads, or bandwidth, over the working set. */
function cacheCurve({ id, title, benchmark, label, value, write, hasFindings }) {
  return {
    id,
    title,
    draw({ model, sides, width, isNarrow }) {
      const series = sides.flatMap((side) => {
        const rows = timed(model, [side], "cache_curve", benchmark).filter((row) => row.of.bytes);
        const at = (row, ns) => value(row, ns);
        const points = rows.sort(byCount).map((row) => {
          const ends = [row.low ?? row.ns, row.high ?? row.ns].map((ns) => at(row, ns));
          return {
            row,
            bytes: 4 * row.of.count,
            value: at(row, row.ns),
            low: Math.min(...ends),
            high: Math.max(...ends),
          };
        });
        return points.length < 3 ? [] : [{ side, ...sideStyle(side), label: model.sides[side].name, points }];
      });
      if (series.length === 0) return null;
      const shown = series.map(({ side }) => side);
      const all = series.flatMap(({ points }) => points);
      const [low, high] = extent(all.map((point) => point.value));
      const sets = extent(all.map((point) => point.bytes));
      const svg = plot({
        width,
        height: 340,
        x: {
          type: "log",
          base: 2,
          label: "Working set",
          ticks: binaryTicks(...sets, isNarrow ? 5 : 10),
          tickFormat: binary,
        },
        y: {
          type: "log",
          domain: [low / 1.3, high * 1.5],
          ticks: logTicks(low / 1.3, high * 1.5),
          tickFormat: (number) => write(number),
          label,
          grid: true,
        },
        marks: [
          ...kneeMarks(model, shown),
          ...curveMarks(series, "bytes", "value", ["low", "high"]),
          tip(all, {
            x: "bytes",
            y: "value",
            title: (point) =>
              `${model.sides[point.row.side].name}\n${binary(point.bytes)}\n${write(point.value, 4)}${point.row.noise === null ? "" : ` ± ${percent(point.row.noise)}`}`,
          }),
        ],
      });
      return {
        plots: [svg],
        legend: [...series, ...kneeLegend(model, shown)],
        takeaways: hasFindings ? findings(model, shown, "cache_curve") : [],
        table: {
          columns: ["Working set", "Device", label, "95 % interval"],
          rows: all.map((point) => [
            binary(point.bytes),
            model.sides[point.row.side].name,
            write(point.value, 4),
            `${write(point.low, 4)} – ${write(point.high, 4)}`,
          ]),
        },
        shown,
        lacks: lacksPoints("cache_curve", benchmark),
      };
    },
  };
}

const cacheLatency = () =>
  cacheCurve({
    id: "cache-latency",
    title: "What is the latency of a dependent load, by working set?",
    benchmark: "latency",
    label: "Latency of a dependent load",
    // Each step is one load of 4 bytes.
    value: (row, ns) => (ns * 4) / row.of.bytes,
    write: (ns, precision = 1) => time(ns, Math.max(precision, ns >= 100 ? 3 : 2)),
    hasFindings: true,
  });

const cacheBandwidth = () =>
  cacheCurve({
    id: "cache-bandwidth",
    title: "What is the read bandwidth, by working set?",
    benchmark: "bandwidth",
    label: "Bandwidth",
    value: (row, ns) => row.of.bytes / ns,
    write: (gb, precision = 1) => byteRate(gb, precision),
    hasFindings: false,
  });

/** Bandwidth over the workgroup memory reserved per workgroup. */
function occupancy() {
  return {
    id: "occupancy",
    title: "What does reserved workgroup memory cost, by size?",
    draw({ model, sides, width }) {
      const series = sides.flatMap((side) => {
        const rows = sweep(model, side, "workgroup_memory", "occupancy", "WORDS").filter((row) => row.gb !== null);
        // Words have 32 bits.
        const points = rows.map((row) => ({
          row,
          bytes: 4 * row.of.param.get("WORDS"),
          ...relativeSpeed(rows[0], row),
        }));
        return points.length < 3 ? [] : [{ side, ...sideStyle(side), label: model.sides[side].name, points }];
      });
      if (series.length === 0) return null;
      const all = series.flatMap(({ points }) => points);
      const sets = extent(all.map(({ bytes }) => bytes));
      const svg = plot({
        width,
        height: 300,
        x: {
          type: "log",
          base: 2,
          label: "Workgroup memory per workgroup",
          ticks: binaryTicks(...sets, 8),
          tickFormat: binary,
        },
        y: { zero: true, label: "Bandwidth relative to the first", grid: true, ticks: 6, tickFormat: factor },
        marks: [
          ...curveMarks(series, "bytes", "value", ["low", "high"]),
          tip(all, { x: "bytes", y: "value", title: ({ row }) => describe(model, row) }),
        ],
      });
      const say = (points) =>
        `Reserving ${binary(points.at(-1).bytes)} leaves ${percent(points.at(-1).value)} of the bandwidth with ${binary(points[0].bytes)}: ${byteRate(points[0].row.gb, 3)}.`;
      const takeaways = series.map(({ side, points }) => ({
        side: model.sides.length > 1 ? model.sides[side].short : null,
        text: say(points),
      }));
      return {
        plots: [svg],
        legend: series,
        takeaways,
        table: rowsTable(
          model,
          all.map(({ row }) => row),
        ),
        shown: series.map(({ side }) => side),
        lacks: lacksPoints("workgroup_memory", "occupancy"),
      };
    },
  };
}

/** Bandwidth of copies between host and device over the size, one curve per kind of copy. */
function transfer() {
  const rowsOf = (model, side) =>
    side === undefined
      ? []
      : timed(model, [Number(side)], "transfer")
          .filter((row) => row.gb !== null)
          .sort(byCount);
  return {
    id: "transfer",
    title: "How fast are copies between host and device?",
    choices(_, { model, sides }) {
      const available = sides
        .filter((side) => isSwept(rowsOf(model, side)))
        .map((side) => [String(side), model.sides[side].name]);
      return [{ key: "side", label: "Device", options: available, value: available[0]?.[0] }];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      const rows = rowsOf(model, picked.side);
      if (!isSwept(rows)) return null;
      const series = unique(rows.map((row) => row.of.name)).map((label, index) => ({
        label,
        ...sideStyle(index),
        points: rows.filter((row) => row.of.name === label),
      }));
      const bytes = (row) => row.of.bytes;
      const [low, high] = extent(rows.map((row) => row.gb));
      const svg = plot({
        width,
        height: 360,
        x: {
          type: "log",
          base: 2,
          label: "Bytes copied",
          ticks: binaryTicks(...extent(rows.map(bytes)), isNarrow ? 5 : 10),
          tickFormat: binary,
        },
        y: {
          type: "log",
          label: "Bandwidth",
          ticks: logTicks(low, high),
          tickFormat: (gb) => byteRate(gb, 1),
          grid: true,
        },
        marks: [
          ...curveMarks(series, bytes, "gb", [rateLow("gb"), rateHigh("gb")]),
          tip(rows, { x: bytes, y: "gb", title: (row) => describe(model, row) }),
        ],
      });
      return {
        plots: [svg],
        legend: series,
        takeaways: findings(model, [Number(picked.side)], "transfer"),
        table: rowsTable(model, rows),
        shown: sides.filter((side) => isSwept(rowsOf(model, side))),
        lacks: "fewer than three sizes of transfer",
      };
    },
  };
}
