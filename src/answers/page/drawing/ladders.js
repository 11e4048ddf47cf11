/* Compares the kernels of a family: bars with ceilings, and curves over the size. */

/** What a family's kernels are compared by. `has` says which rows have it; less is better where `isTime`. */
const METRICS = {
  gb: {
    label: () => "Bandwidth",
    has: (row) => row.gb !== null && !row.of.isLatency,
    value: (row, ns) => (row.gb * row.ns) / ns,
    write: (gb, _, digits = 3) => byteRate(gb, digits),
  },
  gflop: {
    label: (rows) => (rows.every((row) => isFloat(row.of.dtype)) ? "FLOP per second" : "Operations per second"),
    has: (row) => row.gflop !== null,
    value: (row, ns) => (row.gflop * row.ns) / ns,
    write: (gflop, row, digits = 3) => operationRate(gflop, row.of.dtype, digits),
  },
  load: {
    label: () => "Latency of a load",
    isTime: true,
    has: (row) => row.of.isLatency && row.gb !== null,
    // Each load is of 4 bytes.
    value: (row, ns) => (4 * ns) / (row.gb * row.ns),
    write: (ns, _, digits = 3) => time(ns, digits),
  },
  ns: {
    label: () => "Time of one launch",
    isTime: true,
    has: () => true,
    value: (_, ns) => ns,
    write: (ns, _, digits = 3) => time(ns, digits),
  },
};

/** The metrics that rows have, the best known first. Times of whole launches count only where there is no other. */
function metricsOf(rows) {
  const names = Object.keys(METRICS).filter((name) => name !== "ns" && rows.some(METRICS[name].has));
  return names.length > 0 || rows.length === 0 ? names : ["ns"];
}
const metricOptions = (rows) => metricsOf(rows).map((name) => [name, METRICS[name].label(rows.filter(METRICS[name].has))]);

/** A row's value of a metric with the ends of its interval, and its ceiling. */
function measured(metric, row) {
  const at = (ns) => METRICS[metric].value(row, ns);
  const ends = [row.low, row.high].map((ns) => (ns === null ? null : at(ns)));
  const [low, high] = METRICS[metric].isTime ? ends : ends.reverse();
  const value = at(row.ns);
  return { row, value, low, high, ceiling: row.share && !METRICS[metric].isTime ? value / row.share : null };
}
const lowEnd = ({ low, value }) => low ?? value;
const highEnd = ({ high, value }) => high ?? value;

/** Tick format of a linear axis of values of rows like this one. */
const metricTick = (metric, row) => (tick) => (tick === 0 ? "0" : METRICS[metric].write(tick, row, 2));

/** The tooltip of a row. */
function describe(model, row) {
  const lines = [`${row.of.family}/${row.of.name}`, row.of.kind];
  if (model.sides.length > 1) lines.push(model.sides[row.side].name);
  lines.push(`${time(row.ns)}${row.noise === null ? "" : ` ± ${noiseText(row.noise)}`}`);
  if (METRICS.load.has(row)) lines.push(`${time(METRICS.load.value(row, row.ns), 3)} a load`);
  if (METRICS.gb.has(row)) lines.push(byteRate(row.gb));
  if (row.gflop !== null) lines.push(operationRate(row.gflop, row.of.dtype));
  if (row.share !== null) lines.push(`${percent(row.share)} of ${row.ceiling}`);
  return lines.join("\n");
}

const NANOSECONDS = [column("Median", "median (ns)"), ...intervalColumns("ns")];
const nanoseconds = (row) => [cell(row.ns, time), cell(row.low, time), cell(row.high, time)];

/** The data table of a chart: the columns that any of its rows has. */
function rowsTable(model, rows) {
  const number = (value) => significant(value, 4);
  const rates = [
    ["GB/s", (row) => (METRICS.gb.has(row) ? row.gb : null), number],
    ["ns/load", (row) => (METRICS.load.has(row) ? METRICS.load.value(row, row.ns) : null), number],
    ["GFLOP/s", (row) => (isFloat(row.of.dtype) ? row.gflop : null), number],
    ["GOP/s", (row) => (isFloat(row.of.dtype) ? null : row.gflop), number],
    ["Of ceiling", (row) => row.share, percent],
  ].filter(([, get]) => rows.some((row) => get(row) !== null));
  return {
    columns: ["Benchmark", "Type and size", "Device", ...NANOSECONDS, ...rates.map(([name]) => name)],
    rows: rows.map((row) => [
      `${row.of.family}/${row.of.name}`,
      row.of.kind,
      model.sides[row.side].name,
      ...nanoseconds(row),
      ...rates.map(([, get, write]) => cell(get(row), write)),
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
  const several = [...groups.values()].filter((group) => group.names.size > 1);
  const options = (several.length > 0 ? several : [...groups.values()]).map(({ kind }) => [kind, kind]);
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

/** Intervals longer than this many of the longest bars leave the frame. */
const LONGEST_INTERVAL = 1.25;

/** A family's kernels as bars, each with its ceiling. */
function drawLadder({ model, sides, width, isNarrow, picked }, family) {
  const { has, label, write } = METRICS[picked.metric] ?? METRICS.ns;
  const rows = timed(model, sides, family).filter((row) => row.of.kind === picked.kind && has(row));
  if (rows.length === 0) return null;
  const { keys, titles, bars } = ladderKeys(rows, isNarrow);
  for (const bar of bars) Object.assign(bar, measured(picked.metric, bar.row));
  const [, longest] = extent(bars.flatMap(({ value, ceiling }) => [value, ceiling]));
  const [, end] = extent(bars.map((bar) => Math.min(highEnd(bar), LONGEST_INTERVAL * longest)));
  const right = Math.max(longest, end) * 1.01;
  const marginLeft = isNarrow ? 10 : Math.min(0.36 * width, 16 + 7.4 * Math.max(...titles.map(({ name }) => name.length)));
  const text = ({ row, value }) => `${write(value, row)}${row.share === null ? "" : ` · ${percent(row.share)}`}`;
  const marginRight = 14 + 6.9 * Math.max(...bars.map((bar) => text(bar).length));
  const tickFormat = metricTick(picked.metric, rows[0]);
  const room = (width - marginLeft - marginRight) / (24 + textWidth(tickFormat(right)));
  const hasCeilings = bars.some(({ ceiling }) => ceiling !== null);
  const svg = plot({
    width,
    height: 66 + keys.length * (isNarrow ? 18 : 20),
    marginLeft,
    marginRight,
    marginTop: 8,
    x: {
      domain: [0, right],
      label: label(rows),
      ticks: roundTicks(right, Math.min(6, Math.floor(room))),
      tickFormat,
      grid: true,
    },
    y: { domain: keys, axis: null, padding: 0.22 },
    marks: [
      Plot.barX(bars, { x1: 0, x2: "value", y: "key", fill: ({ row }) => color(row.side) }),
      ...intervals("x", bars, { x1: lowEnd, x2: highEnd, y: "key", stroke: "currentColor", strokeWidth: 1.5 }),
      Plot.tickX(
        bars.filter(({ ceiling }) => ceiling !== null),
        { x: "ceiling", y: "key", stroke: "currentColor", strokeWidth: 2.5, insetTop: -2, insetBottom: -2 },
      ),
      Plot.text(titles, {
        y: "key",
        x: 0,
        text: "name",
        textAnchor: isNarrow ? "start" : "end",
        dx: isNarrow ? 2 : -8,
        dy: isNarrow ? 4 : 0,
      }),
      Plot.text(bars, { y: "key", x: right, text, textAnchor: "start", dx: 10 }),
      Plot.ruleX([0]),
      tip(bars, { x: "value", y: "key", title: ({ row }) => describe(model, row) }),
    ],
    color: { type: "identity" },
  });
  return {
    plots: [svg],
    legend: [
      ...sideLegend(model, unique(rows.map((row) => row.side)), "bar"),
      ...(hasCeilings ? [{ kind: "tick", label: "ceiling at this working set" }] : []),
    ],
    takeaways: findings(model, sides, family),
    note: METRICS[picked.metric].isTime ? "Shorter is faster." : null,
    table: rowsTable(model, rows),
    shown: rows.map((row) => row.side),
    lacks: `no times of ${family} at ${picked.kind}`,
  };
}

/** The menus of a family's kernels. */
function ladderChoices({ model, sides }, picked, family) {
  const rows = timed(model, sides, family);
  const metrics = metricOptions(rows);
  const metric = metrics.some(([name]) => name === picked.metric) ? picked.metric : metrics[0]?.[0];
  const having = metric === undefined ? [] : rows.filter(METRICS[metric].has);
  return [
    { key: "metric", label: "Measure", options: metrics, value: metric },
    { key: "kind", label: "Type and size", ...kinds(having) },
  ];
}

/** The charts of kernels that have a title of their own. */
const titledLadders = (model) =>
  model.families
    .filter((family) => family.ladder)
    .map(({ name, ladder: title }) => ({
      id: name,
      title,
      choices: (picked, context) => ladderChoices(context, picked, name),
      draw: (context) => drawLadder(context, name),
    }));

/** Names of the families: first those whose kernels do the same work, then those with a chart of their own. */
const kernelFamiliesFirst = (model) =>
  [true, false].flatMap((isFirst) => model.families.filter(({ ladder }) => (ladder !== null) === isFirst).map(({ name }) => name));

/** The families without one, in one chart with a menu. */
function otherLadders() {
  return {
    id: "ladders",
    title: "How do the kernels of a family compare?",
    choices(picked, context) {
      const { model, sides } = context;
      const isTitled = (name) => model.families.some((family) => family.name === name && family.ladder);
      const others = kernelFamiliesFirst(model).filter((name) => !isTitled(name));
      const available = others.filter((name) => timed(model, sides, name).length > 0);
      const chosen = available.includes(picked.family) ? picked.family : available[0];
      return [
        { key: "family", label: "Family", options: available.map((name) => [name, name]), value: chosen },
        ...ladderChoices(context, picked, chosen),
      ];
    },
    draw: (context) => drawLadder(context, context.picked.family),
  };
}

const isSwept = (rows) => unique(rows.map((row) => row.of.count)).length > 2;
const byCount = (a, b) => a.of.count - b.of.count;

/** Width from which two plots stand side by side. */
const HALVED = 700;

/** What the product of a size's dimensions counts. */
function sizeLabel(rows) {
  const dimensions = Math.max(...rows.map((row) => row.of.sides.length));
  if (dimensions < 2) return "Elements";
  return rows.every(({ of }) => isProduct(of)) ? "M·N·K, the multiply-adds of a matrix product" : `Size: product of its ${dimensions} dimensions`;
}

/** The kernels of one side over the size: time and rate. */
function overSize() {
  const rowsOf = (model, side, family) => (side === undefined ? [] : timed(model, [Number(side)], family));
  /** The types at which a side has three sizes or more. */
  const sweptTypes = (model, side, family) => {
    const rows = rowsOf(model, side, family);
    return unique(rows.map((row) => row.of.dtype)).filter((type) => isSwept(rows.filter((row) => row.of.dtype === type)));
  };
  return {
    id: "over-size",
    title: "How do time and rate grow with the size?",
    choices(picked, { model, sides }) {
      const families = kernelFamiliesFirst(model).filter((name) => sides.some((side) => sweptTypes(model, side, name).length > 0));
      const family = families.includes(picked.family) ? picked.family : families[0];
      const available = sides.filter((side) => sweptTypes(model, side, family).length > 0).map(String);
      const side = available.includes(picked.side) ? picked.side : available[0];
      const types = sweptTypes(model, side, family);
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
      const rows = rowsOf(model, picked.side, picked.family)
        .filter((row) => row.of.dtype === picked.dtype)
        .sort(byCount);
      if (!isSwept(rows)) return null;
      const seriesOf = (points) =>
        unique(points.map(({ row }) => row.of.name)).map((label, index) => ({
          label,
          ...sideStyle(index),
          points: points.filter(({ row }) => row.of.name === label),
        }));
      const count = ({ row }) => row.of.count;
      const sizes = extent(rows.map((row) => row.of.count));
      const x = {
        type: "log",
        base: 2,
        domain: sizes,
        inset: INSET,
        label: sizeLabel(rows),
        ticks: binaryTicks(...sizes, isNarrow ? 5 : 6),
        tickFormat: (n) => (n < 1024 ? `${n}` : `2^${Math.log2(n)}`),
      };
      const pointer = { x: count, title: ({ row }) => describe(model, row) };
      const [metric] = metricsOf(rows).filter((name) => name !== "ns");
      const each = width < HALVED || metric === undefined ? width : Math.floor((width - 24) / 2);
      const marksOf = (points) => [
        ...curveMarks(seriesOf(points), count, "value", [lowEnd, highEnd]),
        tip(points, { ...pointer, y: "value" }),
      ];
      const times = rows.map((row) => measured("ns", row));
      const [low, high] = extent(rows.map((row) => row.ns));
      const plots = [
        plot({
          width: each,
          height: 320,
          x,
          y: {
            type: "log",
            domain: [low / 1.3, high * 1.3],
            label: "Time of one launch",
            ticks: logTicks(low, high),
            tickFormat: (ns) => time(ns, 1),
            grid: true,
          },
          marks: marksOf(times),
        }),
      ];
      const values = metric === undefined ? [] : rows.filter(METRICS[metric].has).map((row) => measured(metric, row));
      const ceilings = values.filter(({ row, ceiling }) => ceiling !== null && row.limit !== "launch");
      const limit = [...new Map(ceilings.map((point) => [`${point.row.limit} ${count(point)}`, point])).values()];
      if (values.length > 0) {
        const [, top] = extent(values.flatMap((point) => [point.value, ...limit.map(({ ceiling }) => ceiling)]));
        plots.push(
          plot({
            width: each,
            height: 320,
            x,
            y: {
              domain: [0, 1.05 * top],
              label: METRICS[metric].label(values.map(({ row }) => row)),
              grid: true,
              ticks: 6,
              tickFormat: metricTick(metric, values[0].row),
            },
            marks: [
              Plot.line(limit, { x: count, y: "ceiling", z: ({ row }) => row.limit, stroke: "currentColor", strokeWidth: 1.5, strokeDasharray: "4 3" }),
              ...marksOf(values),
            ],
          }),
        );
      }
      return {
        plots,
        legend: [
          ...seriesOf(times),
          ...(limit.length > 0 ? [{ kind: "line", dash: "4 3", label: "ceiling at this working set" }] : []),
        ],
        takeaways: [],
        table: rowsTable(model, rows),
        shown: sides.filter((side) => sweptTypes(model, side, picked.family).length > 0),
        lacks: `fewer than three sizes of ${picked.family} at one type`,
      };
    },
  };
}
