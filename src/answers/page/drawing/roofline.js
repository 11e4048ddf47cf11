/* The roofline chart with all kernels. */

/** Minimum bytes that a matrix product moves: each matrix once. The result of f16 products is f32. */
function productBytes(of) {
  const [rows, columns, inner] = of.sides;
  const result = of.dtype === "f16" ? 4 : of.elementBytes;
  return of.elementBytes * (rows * inner + inner * columns) + result * rows * columns;
}

/** The roofline point of a row, by the figures it has: bytes and operations, only bytes, or only operations. */
function rooflinePoint(row) {
  const isMemory = ["copy", "read", "fill"].includes(row.limit);
  if (row.gb !== null && row.gflop !== null && isMemory)
    return { row, kind: "both", x: row.gflop / row.gb, y: row.gflop };
  if (row.of.family === "matmul" && row.of.sides.length === 3 && row.gflop !== null)
    return { row, kind: "both", x: row.of.flops / productBytes(row.of), y: row.gflop };
  if (row.gb !== null && isMemory) return { row, kind: "moves", gb: row.gb };
  if (row.gflop !== null && ["fma", "tensor"].includes(row.limit)) return { row, kind: "computes", y: row.gflop };
  return null;
}

function largestOfEach(rows) {
  const largest = new Map();
  for (const row of rows) {
    const key = [row.of.family, row.of.benchmark, row.of.dtype, row.of.params].join("/");
    if (!largest.has(key) || largest.get(key).of.count < row.of.count) largest.set(key, row);
  }
  return [...largest.values()];
}

const KINDS = {
  both: { color: "var(--c0)", symbol: "circle", label: "counts operations and bytes" },
  moves: {
    color: "var(--c2)",
    symbol: "triangle",
    label: "counts only bytes: at the left edge, height shows bandwidth",
  },
  computes: { color: "var(--c3)", symbol: "square", label: "counts only operations: at the right edge" },
};

/** The measured limits of a side as roofs. */
function roofs(side) {
  const memory = side.ceilings.filter(({ limit, gb_per_s }) => ["copy", "read"].includes(limit) && gb_per_s !== null);
  const slope = memory.sort((a, b) => b.gb_per_s - a.gb_per_s)[0];
  const flat = side.ceilings.filter(
    ({ limit, gflop_per_s }) => ["fma", "tensor"].includes(limit) && gflop_per_s !== null,
  );
  return slope && flat.length > 0 ? { slope, flat } : null;
}

function rooflinePoints(model, side) {
  const rows = largestOfEach(model.sides[side].list.filter((row) => row.ns !== null));
  return rows.map(rooflinePoint).filter((point) => point !== null && point.y !== 0);
}

/** Text style that stays readable on lines and points. */
const HALO = { stroke: "var(--surface)", strokeWidth: 5, fill: "currentColor", fontWeight: 600 };

/** Whether a side has roofs, and points below them. */
const hasRoofline = (model, side) =>
  roofs(model.sides[side]) !== null && rooflinePoints(model, side).some(({ kind }) => kind === "both");

function roofline() {
  return {
    id: "roofline",
    title: "Which kernels are memory-bound, and which compute-bound?",
    choices(picked, { model, sides }) {
      const available = sides
        .filter((side) => hasRoofline(model, side))
        .map((side) => [String(side), model.sides[side].name]);
      const side = available.some(([key]) => key === picked.side) ? picked.side : available[0]?.[0];
      const points = side === undefined ? [] : rooflinePoints(model, Number(side));
      const families = unique(points.map(({ row }) => row.of.family)).map((name) => [name, name]);
      return [
        { key: "side", label: "Device", options: available, value: side },
        { key: "family", label: "Family", options: [["", "all"], ...families], value: "" },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      if (picked.side === undefined) return null;
      const side = model.sides[Number(picked.side)];
      const { slope, flat } = roofs(side);
      const points = rooflinePoints(model, side.index);
      const known = points.filter(({ kind }) => kind === "both");
      const top = Math.max(...flat.map(({ gflop_per_s }) => gflop_per_s));
      const [least, most] = extent([...known.map(({ x }) => x), top / slope.gb_per_s]);
      const [left, right] = [least / 4, most * 4];
      for (const point of points) {
        if (point.kind === "moves") Object.assign(point, { x: left, y: point.gb * left });
        if (point.kind === "computes") point.x = right;
      }
      const isChosen = ({ row }) => picked.family === "" || row.of.family === picked.family;
      const slant = (limit) => [left, limit / slope.gb_per_s].map((x) => ({ x, y: x * slope.gb_per_s }));
      const roof = ({ limit, scalar, gflop_per_s: y }) => ({ limit, scalar, y, from: y / slope.gb_per_s });
      const flats = flat.map(roof);
      // Limits too close for two labels share a label.
      const labels = [...flats]
        .sort((a, b) => b.y - a.y)
        .reduce((all, { limit, scalar, y: at }) => {
          const near = all.find((label) => label.y / at < 1.6);
          const alike = near?.parts.find(({ type }) => isFloat(type) === isFloat(scalar));
          const part = { limits: [[limit, scalar].filter(Boolean).join(" ")], y: at, type: scalar };
          if (alike) alike.limits.push(scalar ?? limit);
          else if (near) near.parts.push(part);
          else all.push({ y: at, parts: [part] });
          return all;
        }, [])
        .map(({ y, parts }) => ({
          y,
          text: parts.map((part) => `${part.limits.join(", ")} ${operationRate(part.y, part.type)}`).join(", "),
        }));
      const [lowest] = extent(points.map(({ y }) => y));
      const y = [lowest / 2, top * 2];
      const height = isNarrow ? 400 : 460;
      const x = [left / 1.3, right * 1.3];
      const part = (value, [from, to]) => Math.log(value / from) / Math.log(to / from);
      const across = (value) => 84 + part(value, x) * (width - 100);
      const down = (value) => height - 38 - part(value, y) * (height - 62);
      // Put a name left of its point if there is room, else right of it, else nowhere.
      const nameWidth = ({ row }) => 8 + 6.5 * row.of.name.length;
      const isTight = (point) => across(point.x) - 84 < nameWidth(point);
      const nameBox = (point) => {
        const ends = isTight(point) ? [8, nameWidth(point)] : [-nameWidth(point), -8];
        return [...ends.map((end) => across(point.x) + end), down(point.y)];
      };
      const end = across(right) - 8;
      const taken = labels.map((label) => [end - 7.6 * label.text.length, end, down(label.y) - 8]);
      const isNamed = (point) => picked.family !== "" && isChosen(point) && point.kind === "both" && nameBox(point)[1] < width;
      const named = apart(
        points.filter(isNamed).sort((a, b) => b.y - a.y),
        nameBox,
        taken,
      );
      const names = (of, index) =>
        Plot.text(of, {
          x: "x",
          y: "y",
          text: ({ row }) => row.of.name,
          fontSize: 11,
          fill: "currentColor",
          stroke: "var(--surface)",
          strokeWidth: 4,
          ...index,
        });
      const describePoint = (point) =>
        `${describe(model, point.row)}${point.kind === "both" ? `\n${significant(point.x, 3)} OP/B` : ""}`;
      const svg = plot({
        width,
        height,
        x: {
          type: "log",
          domain: x,
          ticks: logTicks(left, right).filter((tick) => Number.isInteger(Math.log10(tick))),
          tickFormat: (value) => String(value < 1 ? Number(value.toPrecision(1)) : value),
          label: "Operations per byte",
        },
        y: {
          type: "log",
          domain: y,
          ticks: logTicks(...y),
          tickFormat: (gflop) => scaled(gflop * 1000, ["M", "G", "T"], 1),
          label: "Operations per second",
          grid: true,
        },
        marginLeft: 84,
        marks: [
          Plot.ruleX([left, right], { stroke: "currentColor", strokeOpacity: 0.15 }),
          Plot.line(slant(top), { x: "x", y: "y", stroke: "currentColor", strokeWidth: 2 }),
          Plot.ruleY(flats, { y: "y", x1: "from", x2: right, stroke: "currentColor", strokeWidth: 2 }),
          ...Object.entries(KINDS).flatMap(([kind, style]) => {
            const ofKind = points.filter((point) => point.kind === kind);
            const dots = (of, opacity) =>
              Plot.dot(of, {
                x: "x",
                y: "y",
                symbol: style.symbol,
                fill: style.color,
                fillOpacity: opacity,
                r: 4,
                stroke: "var(--surface)",
                strokeWidth: 0.75,
              });
            return [
              dots(
                ofKind.filter((point) => !isChosen(point)),
                0.12,
              ),
              dots(ofKind.filter(isChosen), 0.9),
            ];
          }),
          Plot.text(labels, {
            ...HALO,
            y: "y",
            x: right,
            text: "text",
            textAnchor: "end",
            dy: -8,
            dx: -8,
          }),
          names(
            named.filter((point) => !isTight(point)),
            { textAnchor: "end", dx: -8 },
          ),
          names(named.filter(isTight), { textAnchor: "start", dx: 8 }),
          tip(points.filter(isChosen), { x: "x", y: "y", title: describePoint }),
        ],
      });
      return {
        plots: [svg],
        legend: [
          ...Object.entries(KINDS).map(([, style]) => ({ kind: "dot", ...style })),
          { kind: "line", label: `measured limits, the slope: ${slope.limit} ${byteRate(slope.gb_per_s, 3)}` },
        ],
        takeaways: findings(model, [side.index], "roofline"),
        note: "Each kernel at its largest size. Matrix products count each matrix once; kernels that no limit here binds (workgroup memory, latencies, copies over the bus) are left out.",
        table: {
          columns: ["Benchmark", "Type and size", "OP/B", "GOP/s", "GB/s", "Of ceiling"],
          rows: points.map(({ row, kind, x }) => [
            `${row.of.family}/${row.of.name}`,
            row.of.kind,
            kind === "both" ? significant(x, 3) : "–",
            row.gflop === null ? "–" : significant(row.gflop, 4),
            row.gb === null ? "–" : significant(row.gb, 4),
            row.share === null ? "–" : percent(row.share),
          ]),
        },
        shown: sides.filter((each) => hasRoofline(model, each)),
        lacks: "no measured peaks of memory and of arithmetic, or no kernel that counts both",
      };
    },
  };
}
