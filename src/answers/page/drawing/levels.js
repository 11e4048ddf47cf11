/* Latency and bandwidth over the working set, with the levels of the memory hierarchy. */

/** Loads of `slices` that are surely in one SM's cache: of its workgroups, at most so many run on one SM at a time. */
const RESIDENT = 16;
const SLICES = 1024;

/** Working set of a row in bytes. Words have 32 bits. */
const workingSet = (row) => 4 * row.of.count;

/** The kernels of the bandwidth chart: which rows, and what their working set is. */
const READS = [
  {
    name: "one array",
    words: "all workgroups read one array",
    has: ({ of }) => of.benchmark === "bandwidth",
    bytes: workingSet,
  },
  {
    name: "own slices",
    words: `each workgroup rereads its own slice; the working set counts the slices of one SM, at most ${RESIDENT}`,
    has: ({ of }) => of.benchmark === "slices" && of.param.get("ROTATE") === 0,
    bytes: (row) => (workingSet(row) / SLICES) * RESIDENT,
    isPrivate: true,
  },
  {
    name: "others' slices",
    words: "each workgroup reads the slices of all workgroups in turn",
    has: ({ of }) => of.benchmark === "slices" && of.param.get("ROTATE") === 1,
    bytes: workingSet,
  },
  {
    name: "read once",
    words: "each byte is read once",
    has: ({ of }) => of.benchmark === "read_once",
    bytes: workingSet,
  },
];

const LATENCY = [{ name: "", words: "", has: ({ of }) => of.benchmark === "latency", bytes: workingSet }];

/** The curves of a side, one for each kernel. `isOnly` says whether the chart has one side. */
function levelSeries(model, side, kernels, value, isOnly) {
  const rows = timed(model, [side], "cache_curve").filter((row) => row.of.bytes);
  const [first] = model.sides[side].levels;
  return kernels.flatMap((kernel, index) => {
    const points = rows
      .filter(kernel.has)
      .map((row) => {
        const at = (ns) => (ns === null ? null : value(row, ns));
        const [low, high] = [at(row.low), at(row.high)].sort((a, b) => a - b);
        return { row, kernel, bytes: kernel.bytes(row), value: at(row.ns), low, high };
      })
      // Beyond the first level it is unknown how many of the slices are resident.
      .filter(({ bytes }) => !kernel.isPrivate || !first?.inside || bytes <= first.inside[1])
      .sort((a, b) => a.bytes - b.bytes);
    if (points.length === 0) return [];
    const style = { color: color(side), symbol: symbol(kernels.length > 1 ? index : side), dash: dash(COLORS * index) };
    return [{ side, kernel, ...style, label: (isOnly && kernel.name) || model.sides[side].short, points }];
  });
}

/** A chart over the working set. */
function levelChart({ id, title, kernels, label, value, write, atLevel, takeaways, note }) {
  const hasCurve = (model, side) =>
    levelSeries(model, side, kernels.slice(0, 1), value, true).some(({ points }) => points.length > 2);
  return {
    id,
    title,
    draw({ model, sides, width, isNarrow }) {
      const shown = sides.filter((side) => hasCurve(model, side));
      const isOnly = shown.length === 1;
      const series = shown.flatMap((side) => levelSeries(model, side, kernels, value, isOnly));
      if (series.length === 0) return null;
      const all = series.flatMap(({ points }) => points);
      const [low, high] = extent(all.map((point) => point.value));
      const sets = extent(all.map((point) => point.bytes));
      const levels = levelMarks(model, shown, sets, width - 90, atLevel);
      // With several sides, the legend has a side once, and each kernel.
      const names = isOnly ? series : series.filter(({ kernel }) => kernel === kernels[0]);
      const used =
        isOnly || kernels.length === 1 ? [] : kernels.map((kernel) => series.find((own) => own.kernel === kernel));
      const kernelNames = used
        .filter(Boolean)
        .map((own) => ({ ...own, color: "currentColor", label: own.kernel.name }));
      return {
        plot: plot({
          width,
          height: 330 + levels.height,
          marginTop: 28 + levels.height,
          x: {
            type: "log",
            base: 2,
            domain: sets,
            inset: INSET,
            label: "Working set",
            ticks: isNarrow ? 5 : 10,
            tickFormat: binary,
          },
          y: {
            type: "log",
            domain: [low / 1.4, high * 1.4],
            ticks: 5,
            tickFormat: (number) => write(number),
            label,
            grid: true,
          },
          marks: [
            ...levels.marks,
            ...curveMarks(series, "bytes"),
            tip(all, {
              x: "bytes",
              y: "value",
              title: ({ row, kernel, bytes, value: at }) =>
                [model.sides[row.side].name, kernel.words, binary(bytes), write(at, 4) + plusMinus(row)]
                  .filter(Boolean)
                  .join("\n"),
            }),
          ],
        }),
        legend: [
          ...names,
          ...kernelNames,
          ...(levels.known.length > 0 ? [{ kind: "band", label: "working sets well inside a level" }] : []),
        ],
        takeaways: takeaways ? findings(model, shown, "cache_curve") : [],
        note,
        shown,
        lacks: `fewer than three timed cases of cache_curve/${kernels === LATENCY ? "latency" : "bandwidth"}`,
      };
    },
  };
}

const writeLatency = (ns, precision = 1) => time(ns, Math.max(precision, ns >= 100 ? 3 : 2));
const writeBandwidth = (gb, precision = 1) => byteRate(gb, precision);

const cacheLatency = () =>
  levelChart({
    id: "cache-latency",
    title: "How does load latency depend on the working set?",
    kernels: LATENCY,
    label: "Latency of a dependent load",
    // Each step is one load of 4 bytes.
    value: (row, ns) => (ns * 4) / row.of.bytes,
    write: writeLatency,
    atLevel: ({ latency_ns: ns }) => (ns === null ? "" : `${ns} ns`),
    takeaways: true,
  });

const cacheBandwidth = () =>
  levelChart({
    id: "cache-bandwidth",
    title: "How does read bandwidth depend on the working set?",
    kernels: READS,
    label: "Bandwidth",
    value: (row, ns) => row.of.bytes / ns,
    write: writeBandwidth,
    atLevel: ({ text }) => text ?? "",
    takeaways: false,
    note: "All workgroups read one array at once and share its cache lines. A slice has one reader at a time.",
  });
