/* The roofline of one side, after Williams, Waterman and Patterson (2009). */

/** Minimum bytes that a matrix product moves: each matrix once. The result of f16 products is f32. */
function productBytes(of) {
  const [rows, columns, inner] = of.sides;
  const result = of.dtype === "f16" ? 4 : of.elementBytes;
  return of.elementBytes * (rows * inner + inner * columns) + result * rows * columns;
}

/** Whether a case is a matrix product: three dimensions, and a multiply-add for each element of their product. */
const isProduct = ({ sides, count, flops }) => sides.length === 3 && flops === 2 * count;

/** Limits of memory and of arithmetic. Kernels bound by others (workgroup memory, a launch) have no point. */
const SLOPES = ["copy", "read", "fill"];
const isFlat = (limit) => limit === "fma" || (limit ?? "").startsWith("tensor");

/** The points of a side: each kernel at its largest size, if it counts bytes and operations. */
function rooflinePoints(model, side) {
  const largest = new Map();
  for (const row of model.sides[side].list.filter(({ ns }) => ns !== null)) {
    const key = [row.of.family, row.of.benchmark, row.of.dtype, row.of.params].join("/");
    if (!largest.has(key) || largest.get(key).of.count < row.of.count) largest.set(key, row);
  }
  return [...largest.values()].flatMap((row) => {
    const gb = row.gb ?? (isProduct(row.of) ? productBytes(row.of) / row.ns : null);
    const isBound = isFlat(row.limit) || SLOPES.includes(row.limit);
    return isBound && gb !== null && row.gflop !== null ? [{ row, x: row.gflop / gb, y: row.gflop }] : [];
  });
}

/** What the memory of a side is called: a CPU's is not DRAM on a card. */
const memoryName = (side) => side.levels.find(({ name }) => name === "DRAM")?.name ?? "memory";

/**
 * The measured limits of a side as roofs: `slopes` of memory with the slowest first, `flats` of arithmetic. Null if it
 * lacks one of them.
 */
function roofs(side) {
  const named = (name, limit) =>
    side.ceilings.filter((ceiling) => ceiling.limit === limit).map(({ gb_per_s: gb, text }) => ({ name, gb, text }))[0];
  const [memory] = ["copy", "read"]
    .flatMap((limit) => named(memoryName(side), limit) ?? [])
    .sort((a, b) => b.gb - a.gb);
  const caches = side.levels
    .filter(({ name }) => name !== "DRAM")
    .map(({ name, gb_per_s: gb, text }) => ({ name, gb, text }));
  const slopes = [memory, ...caches, named("workgroup memory", "workgroup")].filter((slope) => slope?.gb > 0);
  const flats = side.ceilings
    .filter(({ limit, roof }) => isFlat(limit) && roof !== null)
    .map(({ limit, scalar, roof: [y, text] }) => ({
      name: limit === "fma" ? scalar : limit.replace("_", " "),
      text,
      y,
    }))
    .sort((a, b) => b.y - a.y);
  return memory?.gb > 0 && flats.length > 0 ? { slopes: slopes.sort((a, b) => a.gb - b.gb), flats } : null;
}

/** The roof that parts the chart into memory-bound and compute-bound: that of FMA on f32, which every API has. */
const mainRoof = ({ flats }) => flats.find(({ name }) => name === "f32") ?? flats[0];

/** The sides that have roofs, and points below them. */
const withRoofline = (model, sides) =>
  sides.filter((side) => roofs(model.sides[side]) !== null && rooflinePoints(model, side).length > 0);

/** A family's colour; families beyond the colours have hollow symbols. */
const familyStyle = (index) => ({ color: color(index), fill: index < COLORS ? color(index) : "var(--surface)" });

/** The positions of names beside the right frame, at least `step` times apart from each other. */
function apart(flats, step) {
  let next = Infinity;
  return flats.map((flat) => {
    next = Math.min(flat.y, next / step);
    return { ...flat, at: next };
  });
}

const roofName = ({ name, text }) => `${name} ${text ?? ""}`;
const HALO = { fill: "currentColor", stroke: "var(--surface)", strokeWidth: 3 };

function drawRoofline({ model, width, isNarrow, picked }, side) {
  const { slopes, flats } = roofs(model.sides[side]);
  const points = rooflinePoints(model, side);
  const chosen = points.filter(({ row }) => picked.family === "" || row.of.family === picked.family);
  const families = unique(points.map(({ row }) => row.of.family));
  const style = (family) => familyStyle(families.indexOf(family));
  const [memory, main, highest] = [slopes[0].gb, mainRoof({ flats }), flats[0].y];
  const ridges = flats.map(({ y }) => ({ x: y / memory, y }));
  const [least, most] = extent([...points, ...ridges].map(({ x }) => x));
  const [left, right] = [least / 2.5, most * 2.5];
  const [bottom, top] = [Math.min(left * memory, ...points.map(({ y }) => y)) / 2, highest * 2];
  const ridge = main.y / memory;
  const roof = (x) => Math.min(x * memory, main.y);
  /** The area under the roof, from one intensity to another. */
  const half = ([from, to], fill) => {
    const corners = [
      [from, bottom],
      [from, roof(from)],
      [to, roof(to)],
      [to, bottom],
    ];
    return Plot.line(corners, { fill, fillOpacity: 0.07, stroke: "none", curve: "linear-closed" });
  };
  const size = {
    width,
    height: isNarrow ? 400 : 500,
    marginTop: 24,
    marginBottom: 38,
    marginLeft: 84,
    marginRight: isNarrow ? 12 : 26 + Math.max(...flats.map((flat) => textWidth(roofName(flat)))),
  };
  const [inner, height] = [
    size.width - size.marginLeft - size.marginRight,
    size.height - size.marginTop - size.marginBottom,
  ];
  const rotate = (-Math.atan2(height / Math.log(top / bottom), inner / Math.log(right / left)) * 180) / Math.PI;
  // Every other name is further along its roof: roofs may be close.
  const named = slopes.map((slope, index) => ({ ...slope, x: left * (right / left) ** (0.02 + 0.14 * (index % 2)) }));
  const isBeyond = points.some(({ row }) => row.gb > 1.05 * memory);
  return {
    plot: plot({
      ...size,
      x: {
        type: "log",
        domain: [left, right],
        ticks: isNarrow ? 3 : 6,
        tickFormat: String,
        label: "Operations per byte",
      },
      y: {
        type: "log",
        domain: [bottom, top],
        ticks: 4,
        tickFormat: (gflop) => scaled(gflop * 1000, ["M", "G", "T"], 1),
        label: "Operations per second",
        grid: true,
      },
      marks: [
        half([left, ridge], "var(--c0)"),
        half([ridge, right], "var(--c1)"),
        Plot.ruleX([ridge], { y1: bottom, y2: main.y, stroke: "currentColor", strokeDasharray: "2 3" }),
        ...slopes.map(({ gb }) =>
          Plot.line(
            [
              [left, left * gb],
              [highest / gb, highest],
            ],
            { stroke: "currentColor", strokeWidth: gb === memory ? 2.25 : 1.25 },
          ),
        ),
        Plot.ruleY(flats, {
          y: "y",
          x1: ({ y }) => y / slopes.at(-1).gb,
          x2: right,
          stroke: "currentColor",
          strokeWidth: 2,
          clip: true,
        }),
        ...(isNarrow
          ? []
          : [
              Plot.text(named, {
                x: "x",
                y: ({ gb, x }) => gb * x,
                rotate,
                dy: -6,
                textAnchor: "start",
                fontWeight: 600,
                text: roofName,
                ...HALO,
              }),
              Plot.text(apart(flats, (top / bottom) ** (14 / height)), {
                y: "at",
                frameAnchor: "right",
                textAnchor: "start",
                dx: 8,
                text: roofName,
              }),
            ]),
        Plot.dot(ridges, {
          x: "x",
          y: "y",
          symbol: "diamond",
          r: 5,
          stroke: "currentColor",
          fill: "var(--surface)",
          strokeWidth: 1.75,
        }),
        Plot.dot(chosen, {
          x: "x",
          y: "y",
          fill: ({ row }) => style(row.of.family).fill,
          stroke: ({ row }) => style(row.of.family).color,
          r: 4,
        }),
        tip(chosen, {
          x: "x",
          y: "y",
          title: ({ row, x }) => `${describe(model, row)}\n${significant(x, 3)} OP/B`,
        }),
      ],
    }),
    legend: [
      ...families.map((family) => ({ kind: "dot", label: family, ...style(family) })),
      ...(isNarrow ? [{ kind: "line", label: [...slopes, ...flats].map(roofName).join(", ") }] : []),
      { kind: "dot", symbol: "diamond", fill: "var(--surface)", label: "ridge points" },
      { kind: "band", color: "var(--c0)", label: "memory-bound" },
      { kind: "band", color: "var(--c1)", label: "compute-bound" },
    ],
    takeaways: findings(model, [side], "roofline"),
    note: `Left of the ridge point (${significant(ridge, 3)} OP/B for ${main.name}) memory limits a kernel, right of it arithmetic. Each kernel that counts bytes and operations, at its largest size; matrix products count each matrix once.${isBeyond ? " Where a kernel is faster than memory, its largest working set fits in a cache." : ""}`,
  };
}

const roofline = () => ({
  id: "roofline",
  title: "Which kernels are memory-bound, and which compute-bound?",
  choices(picked, { model, sides }) {
    const devices = withRoofline(model, sides).map((side) => [String(side), model.sides[side].name]);
    const side = devices.some(([key]) => key === picked.side) ? picked.side : devices[0]?.[0];
    const points = side === undefined ? [] : rooflinePoints(model, Number(side));
    const families = unique(points.map(({ row }) => row.of.family)).map((name) => [name, name]);
    return [
      { key: "side", label: "Device", options: devices, value: side },
      { key: "family", label: "Family", options: [["", "all"], ...families], value: "" },
    ];
  },
  draw(context) {
    const { model, sides, picked } = context;
    if (picked.side === undefined) return null;
    const shown = withRoofline(model, sides);
    const lacks = "no measured peaks of memory and of arithmetic, or no kernel that counts both";
    return { ...drawRoofline(context, Number(picked.side)), shown, lacks };
  },
});
