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
    label: () => "Latency per load",
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
const metricOptions = (rows) =>
  metricsOf(rows).map((name) => [name, METRICS[name].label(rows.filter(METRICS[name].has))]);

/** A row's value of a metric with the ends of its interval, and its ceiling. */
function measured(metric, row) {
  const at = (ns) => METRICS[metric].value(row, ns);
  const ends = [row.low, row.high].map((ns) => (ns === null ? null : at(ns)));
  const [low, high] = METRICS[metric].isTime ? ends : ends.reverse();
  const value = at(row.ns);
  return { row, value, low, high, ceiling: row.share && !METRICS[metric].isTime ? value / row.share : null };
}
/** The tooltip of a row. */
function describe(model, row) {
  const lines = [`${row.of.family}/${row.of.name}`, row.of.kind];
  if (model.sides.length > 1) lines.push(model.sides[row.side].name);
  lines.push(time(row.ns) + plusMinus(row));
  if (METRICS.load.has(row)) lines.push(`${time(METRICS.load.value(row, row.ns), 3)} per load`);
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
/** A side before a sentence about it; null on a page of one side. */
const sideName = (model, side) => (model.sides.length > 1 ? model.sides[side].short : null);
/** Findings about a family, by side. */
const findings = (model, sides, family) =>
  sides
    .filter((side) => model.sides[side].finding.has(family))
    .map((side) => ({ side: sideName(model, side), text: model.sides[side].finding.get(family) }));

/** Intervals longer than this many of the longest bars leave the frame. */
const LONGEST_INTERVAL = 1.25;

/** A family's kernels as groups of bars, one for each side, each with its ceiling. */
function drawLadder({ model, sides, width, isNarrow, picked }, family) {
  const { has, label, write } = METRICS[picked.metric] ?? METRICS.ns;
  const rows = timed(model, sides, family).filter((row) => row.of.kind === picked.kind && has(row));
  if (rows.length === 0) return null;
  const bars = rows.map((row) => ({ name: row.of.name, side: row.side, ...measured(picked.metric, row) }));
  const names = unique(bars.map(({ name }) => name));
  const shown = unique(bars.map(({ side }) => side));
  const [, longest] = extent(bars.flatMap(({ value, ceiling }) => [value, ceiling]));
  const [, end] = extent(bars.map((bar) => Math.min(highEnd(bar), LONGEST_INTERVAL * longest)));
  const text = ({ row, value }) => `${write(value, row)}${row.share === null ? "" : ` · ${percent(row.share)}`}`;
  const nameWidth = Math.min(0.36 * width, 16 + 7.4 * Math.max(...names.map((name) => name.length)));
  const hasCeilings = bars.some(({ ceiling }) => ceiling !== null);
  const across = { fy: "name", y: "side" };
  return {
    plot: plot({
      width,
      height: 66 + names.length * (shown.length * 18 + (isNarrow ? 26 : 10)),
      marginLeft: isNarrow ? 10 : nameWidth,
      marginRight: 14 + 6.9 * Math.max(...bars.map((bar) => text(bar).length)),
      marginTop: 8,
      x: {
        domain: [0, Math.max(longest, end) * 1.01],
        label: label(rows),
        ticks: isNarrow ? 1 : 5,
        tickFormat: (tick) => (tick === 0 ? "0" : write(tick, rows[0], 2)),
        grid: true,
      },
      y: { domain: shown, axis: null, type: "band", padding: 0.1, insetTop: isNarrow ? 18 : 0 },
      fy: { domain: names, axis: isNarrow ? null : "left", label: null, tickFormat: cutTo(nameWidth), padding: 0.15 },
      marks: [
        Plot.barX(bars, { ...across, x1: 0, x2: "value", fill: ({ side }) => color(side) }),
        Plot.ruleY(bars, { ...across, x1: lowEnd, x2: highEnd, stroke: "currentColor", strokeWidth: 1.5, clip: true }),
        Plot.tickX(bars, {
          ...across,
          x: "ceiling",
          stroke: "currentColor",
          strokeWidth: 2.5,
          insetTop: -2,
          insetBottom: -2,
        }),
        isNarrow
          ? Plot.text(names, { fy: (name) => name, frameAnchor: "top-left", text: cutTo(width), dx: 2 })
          : null,
        Plot.text(bars, { ...across, frameAnchor: "right", text, textAnchor: "start", dx: 10 }),
        Plot.ruleX([0]),
        // Anywhere in the row of a bar.
        tip(bars, { ...across, x: "value", px: () => 0, maxRadius: Infinity, title: ({ row }) => describe(model, row) }),
      ],
    }),
    legend: [
      ...shown.map((side) => ({ kind: "bar", color: color(side), label: model.sides[side].name })),
      ...(hasCeilings ? [{ kind: "tick", label: "ceiling at this working set" }] : []),
    ],
    takeaways: findings(model, sides, family),
    note: METRICS[picked.metric].isTime ? "Shorter is faster." : null,
    shown,
    lacks: `${family} has no times at ${picked.kind}`,
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

/** The other families in one chart with a menu: first those whose kernels do the same work. */
const otherLadders = () => ({
  id: "ladders",
  title: "How do the kernels of a family compare?",
  choices(picked, context) {
    const { model, sides } = context;
    const others = model.families.filter(({ name, ladder }) => !ladder && timed(model, sides, name).length > 0);
    const available = others.sort((a, b) => (a.ladder === null) - (b.ladder === null)).map(({ name }) => name);
    const chosen = available.includes(picked.family) ? picked.family : available[0];
    return [
      { key: "family", label: "Family", options: available.map((name) => [name, name]), value: chosen },
      ...ladderChoices(context, picked, chosen),
    ];
  },
  draw: (context) => drawLadder(context, context.picked.family),
});
