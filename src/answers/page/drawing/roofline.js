/* The roofline after Williams, Waterman and Patterson (2009), and the kernels that only move bytes. */

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
 * The roofline point of a row: `both` at its own operations per byte, `moves` without operations, `computes` without
 * bytes; null where memory and arithmetic do not bind it.
 */
function rooflinePoint(row) {
  const computes = isFlat(row.limit);
  if (!computes && !SLOPES.includes(row.limit)) return null;
  if (row.gb !== null && row.gflop !== null) return { row, kind: "both", x: row.gflop / row.gb, y: row.gflop };
  if (row.gflop !== null && isProduct(row.of)) {
    return { row, kind: "both", x: row.of.flops / productBytes(row.of), y: row.gflop };
  }
  // The kernels of the ceilings are the roofs themselves.
  if (row.of.family === "ceiling") return null;
  if (row.gb !== null && !computes) return { row, kind: "moves", x: row.gb };
  return row.gflop !== null && computes ? { row, kind: "computes", y: row.gflop } : null;
}

function largestOfEach(rows) {
  const largest = new Map();
  for (const row of rows) {
    const key = [row.of.family, row.of.benchmark, row.of.dtype, row.of.params].join("/");
    if (!largest.has(key) || largest.get(key).of.count < row.of.count) largest.set(key, row);
  }
  return [...largest.values()];
}

/** The points of a side: each kernel at its largest size, or every size of one family. */
function rooflinePoints(model, side, family = "") {
  const rows = model.sides[side].list.filter((row) => row.ns !== null && (family === "" || row.of.family === family));
  return largestOfEach(rows).map(rooflinePoint).filter(Boolean);
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
  const [memory] = ["copy", "read"].flatMap((limit) => named(memoryName(side), limit) ?? []).sort((a, b) => b.gb - a.gb);
  const caches = side.levels.filter(({ name }) => name !== "DRAM").map(({ name, gb_per_s: gb, text }) => ({ name, gb, text }));
  const slopes = [memory, ...caches, named("workgroup memory", "workgroup")].filter((slope) => slope?.gb > 0);
  const flats = side.ceilings
    .filter(({ limit, roof }) => isFlat(limit) && roof !== null)
    .map(({ limit, scalar, roof: [y, text] }) => ({ name: limit === "fma" ? scalar : limit.replace("_", " "), text, y }))
    .sort((a, b) => b.y - a.y);
  return memory?.gb > 0 && flats.length > 0 ? { slopes: slopes.sort((a, b) => a.gb - b.gb), flats } : null;
}

/** The roof that parts a side's chart into memory-bound and compute-bound: that of FMA on f32, which every API has. */
const mainRoof = ({ flats }) => flats.find(({ name }) => name === "f32") ?? flats[0];

/** Whether a side has roofs, and points below them. */
const hasRoofline = (model, side) =>
  roofs(model.sides[side]) !== null && rooflinePoints(model, side).some(({ kind }) => kind === "both");

/** Colour by family; families beyond the colours have hollow symbols. */
function familyStyles(families) {
  const style = (family, index) => [
    family,
    { kind: "dot", color: color(index), fill: index < COLORS ? color(index) : "var(--surface)", label: family },
  ];
  return new Map(families.map(style));
}

/** The dots of points: colour by family, symbol by side. Those that are not chosen are faint. */
function familyDots(points, styles, { x, y, isChosen }) {
  const groups = new Map();
  for (const point of points) {
    const key = `${point.row.side} ${isChosen(point)}`;
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()].map((group) =>
    Plot.dot(group, {
      x,
      y,
      symbol: symbol(group[0].row.side),
      fill: ({ row }) => styles.get(row.of.family).fill,
      stroke: ({ row }) => styles.get(row.of.family).color,
      opacity: isChosen(group[0]) ? 1 : 0.15,
      r: 4,
    }),
  );
}

/** The roofs of a side: lines, their names, ridge points. `isOnly` says whether the chart has one side. */
function roofMarks(side, { slopes, flats }, isOnly, [left, right]) {
  const stroke = isOnly ? "currentColor" : color(side.index);
  const [top] = flats;
  const prefix = isOnly ? "" : `${side.short}: `;
  const pattern = isOnly ? "none" : dash(side.index);
  const shownFlats = isOnly ? flats : flats.filter((flat) => flat === top || flat === mainRoof({ flats }));
  const [memory] = slopes;
  const own = [memory, ...(isOnly ? slopes.filter((slope) => slope !== memory) : [])];
  const line = { stroke, strokeDasharray: pattern, clip: true };
  const slopeLines = own.map(({ gb }) =>
    Plot.line([left, top.y / gb].map((x) => ({ x, y: x * gb })), { ...line, x: "x", y: "y", strokeWidth: gb === memory.gb ? 2.25 : 1.25 }),
  );
  const flatLines = Plot.ruleY(shownFlats, { ...line, y: "y", x1: ({ y }) => y / own.at(-1).gb, x2: right, strokeWidth: 2 });
  const ridges = shownFlats.map(({ y }) => ({ x: y / memory.gb, y }));
  const ridge = Plot.dot(ridges, { x: "x", y: "y", symbol: "diamond", r: 5, stroke, fill: "var(--surface)", strokeWidth: 1.75 });
  const slopeNames = (_, { x, y }, __, dimensions) => {
    const box = frame(dimensions);
    const texts = own.map(({ name, gb, text }, index) => {
      // Where the slope enters the frame, or further along for every other one.
      const enters = Math.max(box.left, x(y.invert(box.bottom) / gb));
      const at = Math.min(enters + 16 + (index % 2) * 110, box.right - 60);
      const value = x.invert(at);
      const [from, to] = [y(value * gb), y(value * 2 * gb)];
      const angle = (Math.atan2(to - from, x(value * 2) - at) * 180) / Math.PI;
      // Below its line where the next one is close above.
      const isClose = own[index + 1]?.gb < 1.8 * gb;
      return svgText(`${name} ${text ?? ""}`, [0, isClose ? 13 : -5], {
        transform: `translate(${at},${from}) rotate(${angle})`,
        "font-size": 11,
        "font-weight": 600,
        ...HALO,
      });
    });
    return svgElement("g", {}, texts);
  };
  return { lines: [...slopeLines, flatLines], ridge, names: isOnly ? [slopeNames] : [], flats: shownFlats.map((flat) => ({ ...flat, prefix })), ridges };
}

/** Names of the flat roofs in the right margin, level with them. Roofs of one height share a line. */
function flatNames(flats) {
  return (_, { y }, __, dimensions) => {
    const { right, top, bottom } = frame(dimensions);
    const sorted = [...flats].sort((a, b) => b.y - a.y);
    const heights = spaced(sorted.map((flat) => y(flat.y)), 14, [top + 8, bottom]);
    const texts = sorted.map((flat, index) => [
      svgElement("path", { d: `M${right} ${y(flat.y)}L${right + 10} ${heights[index]}`, stroke: "currentColor", fill: "none" }),
      svgText(`${flat.prefix}${flat.name} ${flat.text ?? ""}`, [right + 13, heights[index] + 4], { "font-size": 11 }),
    ]);
    return svgElement("g", {}, texts);
  };
}

/** Both halves under the roof of a side, shaded and named. */
function halves(slope, flat, end) {
  const at = ({ x, y }, { left, right, bottom }) => {
    const ridge = [x(flat.y / slope), y(flat.y)];
    const start = y(x.invert(left) * slope);
    const low = start > bottom ? [x(y.invert(bottom) / slope), bottom] : [left, start];
    return { ridge, low, left, right, bottom };
  };
  const memory = area((scales, box) => {
    const { ridge, low, left, bottom } = at(scales, box);
    return [low, ridge, [ridge[0], bottom], [left, bottom], [left, Math.min(low[1], bottom)]];
  }, { fill: "var(--c0)", "fill-opacity": 0.07 });
  const compute = area((scales, box) => {
    const { ridge, bottom } = at(scales, box);
    const right = scales.x(end);
    return [ridge, [right, ridge[1]], [right, bottom], [ridge[0], bottom]];
  }, { fill: "var(--c1)", "fill-opacity": 0.07 });
  const words = (_, scales, __, dimensions) => {
    const { ridge, left, right, bottom } = at(scales, frame(dimensions));
    const word = (text, x, anchor) => svgText(text, [x, bottom - 8], { "text-anchor": anchor, "font-size": 13, "font-weight": 600, fill: "var(--soft)" });
    const x = ridge[0];
    return svgElement(
      "g",
      {},
      svgElement("path", { d: `M${x} ${ridge[1]}V${bottom}`, stroke: "currentColor", "stroke-dasharray": "2 3" }),
      x - left > 110 ? word("memory-bound", x - 8, "end") : [],
      right - x > 130 ? word("compute-bound", x + 8, "start") : [],
      svgText(`ridge: ${significant(flat.y / slope, 3)} OP/B`, [x + (right - x > 130 ? 8 : -8), bottom - 26], {
        "font-size": 11,
        "text-anchor": right - x > 130 ? "start" : "end",
      }),
    );
  };
  return [memory, compute, words];
}

/** Names beside the points, where they overlap neither each other nor the frame, nor the words at the ridge. */
function pointNames(points, ridge) {
  return (_, { x, y }, __, dimensions) => {
    const box = frame(dimensions);
    const width = ({ row }) => 8 + textWidth(row.of.name);
    const isTight = (point) => x(point.x) - box.left < width(point);
    const place = (point) => {
      const [from, to] = isTight(point) ? [8, width(point)] : [-width(point), -8];
      return [x(point.x) + from, x(point.x) + to, y(point.y)];
    };
    const sorted = [...points].sort((a, b) => b.y - a.y).filter((point) => place(point)[1] < dimensions.width);
    const words = [10, 26].map((above) => [x(ridge) - 120, x(ridge) + 120, box.bottom - above]);
    const names = apart(sorted, place, words).map((point) =>
      svgText(point.row.of.name, [x(point.x) + (isTight(point) ? 8 : -8), y(point.y) + 4], {
        "text-anchor": isTight(point) ? "start" : "end",
        "font-size": 11,
        ...HALO,
      }),
    );
    return svgElement("g", {}, names);
  };
}

/** The chart above: operations per second over operations per byte. */
function intensityPlot({ model, sides, width, isNarrow }, points, styles, isChosen, isNamed) {
  const isOnly = sides.length === 1;
  const all = sides.map((side) => ({ side: model.sides[side], ...roofs(model.sides[side]) }));
  const known = points.filter(({ kind }) => kind === "both");
  const ridges = all.flatMap(({ slopes, flats }) => flats.map(({ y }) => y / slopes[0].gb));
  const [least, most] = extent([...known.map(({ x }) => x), ...ridges]);
  const computing = points.filter(({ kind }) => kind === "computes");
  const [left, right] = [least / 2.5, most * 2.5];
  // Kernels whose bytes are not counted stand in a column of their own.
  const column = right * 2;
  for (const point of computing) point.x = column;
  const x = [left, computing.length > 0 ? column * 2 : right];
  const drawn = [...known, ...computing];
  const top = Math.max(...all.map(({ flats }) => flats[0].y));
  const [lowest] = extent([...drawn.map((point) => point.y), ...all.map(({ slopes }) => slopes[0].gb * left)]);
  const y = [lowest / 2, top * 2];
  const marks = all.map(({ side, slopes, flats }) => roofMarks(side, { slopes, flats }, isOnly, [left, right]));
  const flats = marks.flatMap((mark) => mark.flats);
  const nameOfFlat = (flat) => `${flat.prefix}${flat.name} ${flat.text ?? ""}`;
  const [main] = all;
  return plot({
    width,
    height: isNarrow ? 400 : 500,
    marginLeft: 84,
    marginRight: isNarrow ? 12 : 26 + Math.max(...flats.map((flat) => 6.4 * nameOfFlat(flat).length)),
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
    marks: [
      ...halves(main.slopes[0].gb, mainRoof(main), right),
      computing.length > 0 ? Plot.ruleX([right], { stroke: "currentColor", strokeOpacity: 0.5 }) : null,
      computing.length > 0
        ? Plot.text([{ x: column }], { x: "x", frameAnchor: "top", dy: -12, text: () => (isNarrow ? "no bytes" : "bytes not counted"), fontSize: 11 })
        : null,
      ...marks.flatMap((mark) => mark.lines),
      ...(isNarrow ? [] : marks.flatMap((mark) => mark.names)),
      isNarrow ? null : flatNames(flats),
      ...marks.map((mark) => mark.ridge),
      isNamed ? pointNames(drawn.filter(isChosen), mainRoof(main).y / main.slopes[0].gb) : null,
      ...familyDots(drawn, styles, { x: "x", y: "y", isChosen }),
      tip(drawn.filter(isChosen), {
        x: "x",
        y: "y",
        title: ({ row, kind, x: intensity }) => `${describe(model, row)}${kind === "both" ? `\n${significant(intensity, 3)} OP/B` : ""}`,
      }),
    ],
  });
}

/** Entries of the legend for roofs that have no room for a name: those of memory with several sides, all if narrow. */
function roofLegend(model, sides, isNarrow) {
  const isOnly = sides.length === 1;
  return sides.flatMap((side) => {
    const { slopes, flats } = roofs(model.sides[side]);
    const shown = isOnly ? slopes : slopes.slice(0, 1);
    const texts = [
      ...(isOnly && !isNarrow ? [] : shown.map(({ name, text }) => `${name} ${text ?? ""}`)),
      ...(isNarrow ? (isOnly ? flats : [mainRoof({ flats })]).map(({ name, text }) => `${name} ${text ?? ""}`) : []),
    ];
    if (texts.length === 0) return [];
    return [isOnly ? { kind: "line", label: texts.join(", ") } : { ...sideStyle(side), label: `${model.sides[side].short}: ${texts.join(", ")}` }];
  });
}

/** The strip below: the bandwidth of kernels without operations, a row for each family. */
function bandwidthStrip({ model, sides, width }, points, styles, isChosen) {
  const families = unique(points.map(({ row }) => row.of.family));
  const all = sides.map((side) => ({ side, memory: roofs(model.sides[side]).slopes[0] }));
  const [low, high] = extent([...points.map(({ x }) => x), ...all.map(({ memory }) => memory.gb)]);
  const domain = [low / 1.4, high * 1.4];
  const [marginLeft, marginRight] = [14 + Math.max(...families.map(textWidth)), 22];
  const write = (gb) => byteRate(gb, 1);
  return plot({
    width,
    height: 72 + 20 * families.length,
    marginTop: 30,
    marginLeft,
    marginRight,
    x: {
      type: "log",
      domain,
      ticks: roomyTicks(logTicks(...domain), domain, width - marginLeft - marginRight, write),
      tickFormat: write,
      label: "Bandwidth of kernels without operations",
      grid: true,
    },
    y: { domain: families, label: null, tickSize: 0, type: "band" },
    marks: [
      ...all.map(({ side, memory }) =>
        Plot.ruleX([memory.gb], { stroke: sides.length === 1 ? "currentColor" : color(side), strokeWidth: 2, strokeDasharray: sides.length === 1 ? "none" : dash(side) }),
      ),
      sides.length === 1
        ? Plot.text([all[0].memory], {
            x: "gb",
            frameAnchor: "top",
            dy: -12,
            fontSize: 11,
            textAnchor: "end",
            dx: 6,
            text: ({ name, text }) => `${name} ${text ?? ""}`,
          })
        : null,
      ...familyDots(points, styles, { x: "x", y: ({ row }) => row.of.family, isChosen }),
      tip(points.filter(isChosen), { x: "x", y: ({ row }) => row.of.family, title: ({ row }) => describe(model, row) }),
    ],
  });
}

/** Width of a chart with room for names of roofs beside it: less for those of one side. */
const ROOMY = [520, 800];

function roofline() {
  /** The sides that the menu has picked. */
  const pickedSides = (picked, available) => (picked.side === "" ? available : [Number(picked.side)]);
  return {
    id: "roofline",
    title: "Which kernels are memory-bound, and which compute-bound?",
    choices(picked, { model, sides }) {
      const available = sides.filter((side) => hasRoofline(model, side));
      const options = available.map((side) => [String(side), model.sides[side].name]);
      const devices = [...(available.length > 1 ? [["", "all that are ticked"]] : []), ...options];
      const side = devices.some(([key]) => key === picked.side) ? picked.side : devices[0]?.[0];
      const points = side === undefined ? [] : pickedSides({ side }, available).flatMap((index) => rooflinePoints(model, index));
      const families = unique(points.map(({ row }) => row.of.family)).map((name) => [name, name]);
      return [
        { key: "side", label: "Device", options: devices, value: side },
        { key: "family", label: "Family", options: [["", "all"], ...families], value: "" },
      ];
    },
    draw(context) {
      const { model, picked } = context;
      if (picked.side === undefined) return null;
      const available = context.sides.filter((side) => hasRoofline(model, side));
      const sides = pickedSides(picked, available);
      const points = sides.flatMap((side) => rooflinePoints(model, side));
      const moving = points.filter(({ kind }) => kind === "moves");
      const others = points.filter(({ kind }) => kind !== "moves");
      const styles = familyStyles(unique([...others, ...moving].map(({ row }) => row.of.family)));
      const isChosen = ({ row }) => picked.family === "" || row.of.family === picked.family;
      const own = { ...context, sides, isNarrow: context.width < ROOMY[sides.length === 1 ? 0 : 1] };
      const plots = [intensityPlot(own, others, styles, isChosen, picked.family !== "")];
      if (moving.length > 0) plots.push(bandwidthStrip(own, moving, styles, isChosen));
      const used = unique(others.map(({ row }) => row.of.family));
      const { slopes, flats } = roofs(model.sides[sides[0]]);
      const ridge = `${significant(mainRoof({ flats }).y / slopes[0].gb, 3)} OP/B`;
      const isBeyond = points.some(({ row, kind }) => kind !== "computes" && row.gb > 1.05 * roofs(model.sides[row.side]).slopes[0].gb);
      const whose = sides.length > 1 ? ` The halves are those of ${model.sides[sides[0]].short}.` : "";
      return {
        plots,
        isStacked: true,
        legend: [
          ...used.map((family) => styles.get(family)),
          ...roofLegend(model, sides, own.isNarrow),
          { kind: "dot", symbol: "diamond", fill: "var(--surface)", label: "ridge points" },
        ],
        takeaways: findings(model, sides, "roofline"),
        note: `Left of the ridge point (${ridge} for ${mainRoof({ flats }).name}) memory limits a kernel, right of it arithmetic.${whose} Each kernel at its largest size; matrix products count each matrix once.${isBeyond ? " Where a kernel is faster than memory, its largest working set fits in a cache." : ""}`,
        shown: available,
        lacks: "no measured peaks of memory and of arithmetic, or no kernel that counts both",
      };
    },
  };
}
