/* Compares the kernels of a family: bars with ceilings. */

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
