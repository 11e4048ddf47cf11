/* Compares the kernels of a family: bars with ceilings, and curves over the size. */

const METRICS = {
  gb: { label: "Bandwidth", write: (gb, _, digits) => byteRate(gb, digits) },
  gflop: { label: "Arithmetic", write: (gflop, { of }, digits) => operationRate(gflop, of.dtype, digits) },
};

/** Tick format of a linear axis of rates of rows like this one. */
const rateTick = (metric, row) => (tick) => (tick === 0 ? "0" : METRICS[metric].write(tick, row, 2));

/** The metric of a family's rows: bytes per second if any row has it, else operations per second. */
const metricOf = (rows) => (rows.some((row) => row.gb !== null) ? "gb" : "gflop");

const rateLow = (metric) => (row) => (row.high === null ? row[metric] : (row[metric] * row.ns) / row.high);
const rateHigh = (metric) => (row) => (row.low === null ? row[metric] : (row[metric] * row.ns) / row.low);
const ceilingOf = (metric) => (row) => (row.share ? row[metric] / row.share : null);

/** The tooltip of a row. */
function describe(model, row) {
  const lines = [`${row.of.family}/${row.of.name}`, row.of.kind];
  if (model.sides.length > 1) lines.push(model.sides[row.side].name);
  lines.push(`${time(row.ns)}${row.noise === null ? "" : ` ± ${percent(row.noise)}`}`);
  if (row.gb !== null) lines.push(byteRate(row.gb));
  if (row.gflop !== null) lines.push(operationRate(row.gflop, row.of.dtype));
  if (row.share !== null) lines.push(`${percent(row.share)} of ${row.ceiling}`);
  return lines.join("\n");
}

/** The data table of a chart. */
function rowsTable(model, rows) {
  const cell = (value, write) => (value === null ? "–" : write(value));
  return {
    columns: ["Benchmark", "Type and size", "Device", "Median", "95 % interval", "GB/s", "GFLOP/s or GOP/s", "Of ceiling"],
    rows: rows.map((row) => [
      `${row.of.family}/${row.of.name}`,
      row.of.kind,
      model.sides[row.side].name,
      time(row.ns),
      row.low === null ? "–" : `${time(row.low)} – ${time(row.high)}`,
      cell(row.gb, (value) => significant(value, 4)),
      cell(row.gflop, (value) => significant(value, 4)),
      cell(row.share, percent),
    ]),
  };
}

/** A size can be the default only if it has at least this fraction of the largest number of kernels at any size. */
const MOST_KERNELS = 0.7;

/**
 * Type and size options of a family. The default is the largest size that has most of the kernels, for the first such
 * type.
 */
function kinds(rows) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row.of.kind) ?? {
      names: new Set(),
      count: row.of.count,
      kind: row.of.kind,
      dtype: row.of.dtype,
    };
    group.names.add(row.of.name);
    groups.set(row.of.kind, group);
  }
  const [, most] = extent([...groups.values()].map(({ names }) => names.size));
  const full = [...groups.values()].filter(({ names }) => names.size >= MOST_KERNELS * most);
  const first = full.filter(({ dtype }) => dtype === full[0].dtype).sort((a, b) => b.count - a.count)[0];
  const options = [...groups.values()].filter((group) => group.names.size > 1).map(({ kind }) => [kind, kind]);
  return { options, value: first?.kind };
}

const sideStyle = (side) => ({ color: color(side), symbol: symbol(side), dash: dash(side) });
const sideLegend = (model, sides, kind = "point") =>
  sides.map((side) => ({ ...sideStyle(side), kind, label: model.sides[side].name }));
/** Findings about a family, by side. */
function findings(model, sides, family) {
  const known = sides.filter((side) => model.sides[side].finding.has(family));
  return known.map((side) => ({
    side: model.sides.length > 1 ? model.sides[side].short : null,
    text: model.sides[side].finding.get(family).text,
  }));
}

/** Layout keys of a ladder: one group per kernel, one bar per side. */
function ladderKeys(rows, isNarrow) {
  const names = unique(rows.map((row) => row.of.name));
  const keys = [];
  const titles = [];
  const bars = [];
  for (const name of names) {
    const ofName = rows.filter((row) => row.of.name === name);
    if (isNarrow) {
      titles.push({ key: `title ${name}`, name });
      keys.push(`title ${name}`);
    } else {
      titles.push({ key: `${name} ${ofName[Math.floor((ofName.length - 1) / 2)].side}`, name });
    }
    for (const row of ofName) {
      const key = `${name} ${row.side}`;
      keys.push(key);
      bars.push({ row, key });
    }
    if (ofName.length > 1 && !isNarrow) keys.push(`gap ${name}`);
  }
  return { keys, titles, bars };
}

/** A family's kernels as bars, each with its ceiling. */
function ladder(id, title, family, takesFindings = true) {
  return {
    id,
    title,
    choices(_, { model, sides }) {
      return [{ key: "kind", label: "Type and size", ...kinds(timed(model, sides, family)) }];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      const all = timed(model, sides, family).filter((row) => row.of.kind === picked.kind);
      const metric = metricOf(all);
      const rows = all.filter((row) => row[metric] !== null);
      if (rows.length < 2) return null;
      const { keys, titles, bars } = ladderKeys(rows, isNarrow);
      const ceiling = ceilingOf(metric);
      const rate = ({ row }) => row[metric];
      const [, longest] = extent(rows.flatMap((row) => [row[metric], ceiling(row)]));
      const marginLeft = isNarrow ? 10 : Math.min(280, 16 + 7.4 * Math.max(...titles.map(({ name }) => name.length)));
      const value = (row) =>
        `${METRICS[metric].write(row[metric], row, 3)}${row.share === null ? "" : ` · ${percent(row.share)}`}`;
      const svg = plot({
        width,
        height: 66 + keys.length * (isNarrow ? 18 : 20),
        marginLeft,
        marginRight: 14 + 6.9 * Math.max(...rows.map((row) => value(row).length)),
        marginTop: 8,
        x: {
          domain: [0, longest * 1.01],
          label: METRICS[metric].label,
          ticks: isNarrow ? 2 : 6,
          tickFormat: rateTick(metric, rows[0]),
          grid: true,
        },
        y: { domain: keys, axis: null, padding: 0.22 },
        marks: [
          Plot.barX(bars, { x1: 0, x2: rate, y: "key", fill: ({ row }) => color(row.side) }),
          Plot.ruleY(bars, {
            x1: ({ row }) => rateLow(metric)(row),
            x2: ({ row }) => rateHigh(metric)(row),
            y: "key",
            stroke: "currentColor",
            strokeWidth: 1.5,
          }),
          Plot.tickX(
            bars.filter(({ row }) => ceiling(row) !== null),
            {
              x: ({ row }) => ceiling(row),
              y: "key",
              stroke: "currentColor",
              strokeWidth: 2.5,
              insetTop: -2,
              insetBottom: -2,
            },
          ),
          Plot.text(titles, {
            y: "key",
            x: 0,
            text: "name",
            textAnchor: isNarrow ? "start" : "end",
            dx: isNarrow ? 2 : -8,
            dy: isNarrow ? 4 : 0,
          }),
          Plot.text(bars, {
            y: "key",
            x: longest * 1.01,
            text: ({ row }) => value(row),
            textAnchor: "start",
            dx: 10,
            fillOpacity: 0.85,
          }),
          Plot.ruleX([0]),
          tip(bars, { x: rate, y: "key", title: ({ row }) => describe(model, row) }),
        ],
        color: { type: "identity" },
      });
      return {
        plots: [svg],
        legend: [
          ...sideLegend(model, unique(rows.map((row) => row.side)), "bar"),
          { kind: "tick", label: "ceiling at this working set" },
        ],
        takeaways: takesFindings ? findings(model, sides, family) : [],
        table: rowsTable(model, rows),
        shown: rows.map((row) => row.side),
        lacks: `no times of ${family} at ${picked.kind}`,
      };
    },
  };
}

/** The charts of kernels that have a title of their own. */
const titledLadders = (model) =>
  model.families.filter((family) => family.ladder).map(({ name, ladder: title }) => ladder(name, title, name));

/** The families without one, in one chart with a menu. */
function otherLadders() {
  return {
    id: "ladders",
    title: "How do the kernels of the other families compare?",
    choices(picked, { model, sides }) {
      const others = model.families.filter((family) => family.ladder === "").map((family) => family.name);
      const available = others.filter((name) => {
        const rows = timed(model, sides, name);
        return rows.some((row) => row[metricOf(rows)] !== null) && kinds(rows).options.length > 0;
      });
      const chosen = available.includes(picked.family) ? picked.family : available[0];
      const sizes = kinds(timed(model, sides, chosen));
      return [
        { key: "family", label: "Family", options: available.map((name) => [name, name]), value: chosen },
        { key: "kind", label: "Type and size", ...sizes },
      ];
    },
    draw: (context) => ladder("ladders", "", context.picked.family).draw(context),
  };
}

/** The marks of curves: lines, intervals, points. */
function curveMarks(series, x, y, interval) {
  return series.flatMap(({ points, color: stroke, symbol: shape, dash: pattern, opacity = 1 }) => [
    Plot.line(points, { x, y, stroke, strokeWidth: 1.75, strokeDasharray: pattern, strokeOpacity: opacity }),
    interval ? Plot.ruleX(points, { x, y1: interval[0], y2: interval[1], stroke, strokeWidth: 1.25 }) : null,
    Plot.dot(points, { x, y, symbol: shape, fill: stroke, r: 3 }),
  ]);
}

const isSwept = (rows) => unique(rows.map((row) => row.of.count)).length > 2;
const byCount = (a, b) => a.of.count - b.of.count;

/** The kernels of one side over the size: time and rate. */
function overSize() {
  const rowsOf = (model, side, family) => (side === undefined ? [] : timed(model, [Number(side)], family));
  return {
    id: "over-size",
    title: "How do time and rate grow with the size?",
    choices(picked, { model, sides }) {
      const ladders = model.families.filter((family) => family.ladder !== null).map((family) => family.name);
      const families = ladders.filter((name) => isSwept(timed(model, sides, name)));
      const family = families.includes(picked.family) ? picked.family : families[0];
      const available = sides.filter((side) => isSwept(rowsOf(model, side, family))).map(String);
      const side = available.includes(picked.side) ? picked.side : available[0];
      const types = unique(rowsOf(model, side, family).map((row) => row.of.dtype));
      return [
        { key: "family", label: "Family", options: families.map((name) => [name, name]), value: family },
        {
          key: "side",
          label: "Device",
          options: available.map((index) => [index, model.sides[index].name]),
          value: side,
        },
        { key: "dtype", label: "Type", options: types.map((name) => [name, name]), value: types[0] },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      const all = rowsOf(model, picked.side, picked.family).filter((row) => row.of.dtype === picked.dtype);
      const metric = metricOf(all);
      const rows = all.filter((row) => row[metric] !== null).sort(byCount);
      if (!isSwept(rows)) return null;
      const series = unique(rows.map((row) => row.of.name)).map((label, index) => ({
        label,
        ...sideStyle(index),
        points: rows.filter((row) => row.of.name === label),
      }));
      const ceilings = rows.filter((row) => row.share !== null && row.limit !== "launch");
      const limit = [
        ...new Map(
          ceilings.map((row) => [row.of.count, { count: row.of.count, rate: ceilingOf(metric)(row) }]),
        ).values(),
      ];
      const each = isNarrow ? width : Math.floor((width - 24) / 2);
      const [low, high] = extent(rows.map((row) => row.ns));
      const sizes = extent(rows.map((row) => row.of.count));
      const x = {
        type: "log",
        base: 2,
        label: "Elements",
        ticks: binaryTicks(...sizes, isNarrow ? 5 : 6),
        tickFormat: (n) => (n < 1024 ? `${n}` : `2^${Math.log2(n)}`),
      };
      const count = (row) => row.of.count;
      const pointer = { x: count, title: (row) => describe(model, row) };
      const times = plot({
        width: each,
        height: 320,
        x,
        y: {
          type: "log",
          label: "Time of one launch",
          ticks: logTicks(low, high),
          tickFormat: (ns) => time(ns, 1),
          grid: true,
        },
        marks: [...curveMarks(series, count, "ns", ["low", "high"]), tip(rows, { ...pointer, y: "ns" })],
      });
      const rates = plot({
        width: each,
        height: 320,
        x,
        y: { label: METRICS[metric].label, grid: true, zero: true, ticks: 6, tickFormat: rateTick(metric, rows[0]) },
        marks: [
          Plot.line(limit, { x: "count", y: "rate", stroke: "currentColor", strokeWidth: 1.5, strokeDasharray: "4 3" }),
          ...curveMarks(series, count, metric, [rateLow(metric), rateHigh(metric)]),
          tip(rows, { ...pointer, y: metric }),
        ],
      });
      return {
        plots: [times, rates],
        legend: [...series, { kind: "line", dash: "4 3", label: "ceiling at this working set" }],
        takeaways: [],
        table: rowsTable(model, rows),
        shown: sides.filter((side) => isSwept(rowsOf(model, side, picked.family))),
        lacks: `fewer than three sizes of ${picked.family}`,
      };
    },
  };
}
