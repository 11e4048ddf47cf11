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

/**
 * The points of a side: of each family the fastest kernel, and that of each library of the same report, if it counts bytes and
 * operations; those of tensor cores apart from the others.
 */
function rooflinePoints(model, side) {
  const own = model.sides[side];
  const isBeside = (other) => other.device === own.device && other.reports.some((name) => own.reports.includes(name));
  const rows = model.sides.filter(isBeside).flatMap((other) => other.list);
  const fastest = new Map();
  for (const row of rows.filter(({ ns, of, side: on }) => ns && (of.isLibrary || on === side))) {
    const gb = row.gb ?? (isProduct(row.of) ? productBytes(row.of) / row.ns : null);
    if (!(isFlat(row.limit) || SLOPES.includes(row.limit)) || gb === null || row.gflop === null) continue;
    const dtype = isFlat(row.limit) ? ` ${row.of.dtype}` : "";
    const label = row.of.isLibrary ? row.of.benchmark : row.of.family + dtype;
    const key = row.of.family + label + dtype;
    if (!(fastest.get(key)?.y >= row.gflop)) fastest.set(key, { row, label, x: row.gflop / gb, y: row.gflop });
  }
  return [...fastest.values()].sort((a, b) => b.y - a.y);
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

/** Where the name of a point may be: right or left of it, above or below. */
const BESIDE = [
  { dx: 8, dy: 0, textAnchor: "start" },
  { dx: -8, dy: 0, textAnchor: "end" },
  { dx: 0, dy: -13, textAnchor: "middle" },
  { dx: 0, dy: 13, textAnchor: "middle" },
];

/** The names of the points that have room for one, by their place in `BESIDE`. `at` is the position of a point in pixels. */
function placed(points, at, [least, most]) {
  const taken = points.map((point) => {
    const [x, y] = at(point);
    return [x - 5, x + 5, y - 5, y + 5];
  });
  const groups = BESIDE.map(() => []);
  for (const point of points) {
    const [x, y] = at(point);
    const width = textWidth(point.label);
    const box = ({ dx, dy, textAnchor }) => {
      const left = x + dx - width * { start: 0, middle: 0.5, end: 1 }[textAnchor];
      return [left, left + width, y + dy - 8, y + dy + 8];
    };
    const isFree = ([left, right, top, bottom]) =>
      left > least &&
      right < most &&
      taken.every((of) => right < of[0] || left > of[1] || bottom < of[2] || top > of[3]);
    const place = BESIDE.findIndex((way) => isFree(box(way)));
    if (place < 0) continue;
    taken.push(box(BESIDE[place]));
    groups[place].push(point);
  }
  return groups;
}

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

function drawRoofline({ model, width, isNarrow }, side) {
  const { slopes, flats } = roofs(model.sides[side]);
  const points = rooflinePoints(model, side);
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
  const part = (value, [low, high]) => Math.log(value / low) / Math.log(high / low);
  const at = ({ x, y }) => [
    size.marginLeft + inner * part(x, [left, right]),
    size.marginTop + height * (1 - part(y, [bottom, top])),
  ];
  const names = placed(points, at, [size.marginLeft, size.marginLeft + inner]);
  const pointColor = ({ row }) => (row.of.isLibrary ? "var(--c3)" : "var(--c2)");
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
        Plot.dot(points, { x: "x", y: "y", fill: pointColor, r: 4 }),
        ...names.map((group, place) => Plot.text(group, { x: "x", y: "y", text: "label", ...BESIDE[place], ...HALO })),
        tip(points, {
          x: "x",
          y: "y",
          title: ({ row, x }) => `${describe(model, row)}\n${significant(x, 3)} OP/B`,
        }),
      ],
    }),
    legend: [
      { kind: "dot", color: "var(--c2)", label: "fastest kernel of each family" },
      { kind: "dot", color: "var(--c3)", label: "library" },
      ...(isNarrow ? [{ kind: "line", label: [...slopes, ...flats].map(roofName).join(", ") }] : []),
      { kind: "dot", symbol: "diamond", fill: "var(--surface)", label: "ridge points" },
      { kind: "band", color: "var(--c0)", label: "memory-bound" },
      { kind: "band", color: "var(--c1)", label: "compute-bound" },
    ],
    takeaways: findings(model, [side], "roofline"),
    note: `Left of the ridge point (${significant(ridge, 3)} OP/B for ${main.name}), memory limits a kernel; right of it, arithmetic does. Only kernels and libraries with byte and operation counts are shown. Matrix products count each matrix once.${isBeyond ? " A kernel faster than memory has a working set that fits in a cache." : ""}`,
  };
}

const roofline = () => ({
  id: "roofline",
  title: "Which kernels are memory-bound, and which compute-bound?",
  choices(picked, { model, sides }) {
    const devices = withRoofline(model, sides).map((side) => [String(side), model.sides[side].name]);
    const side = devices.some(([key]) => key === picked.side) ? picked.side : devices[0]?.[0];
    return [{ key: "side", label: "Device", options: devices, value: side }];
  },
  draw(context) {
    const { model, sides, picked } = context;
    if (picked.side === undefined) return null;
    const shown = withRoofline(model, sides);
    const lacks = "no measured peaks of memory and arithmetic, or no kernel with byte and operation counts";
    return { ...drawRoofline(context, Number(picked.side)), shown, lacks };
  },
});
