/* Charts that compare sides, the cost of run-time checks, and the spread of samples. */

const VERDICTS = { f: "faster", S: "slower", s: "same", u: "unclear" };

/** Summarizes a match in one sentence. */
function matchSentence({ a, b, means, verdicts }) {
  const [all] = means;
  if (all.ratio === null) return "";
  // The slower side is the subject.
  const [long, short, ratio] = all.ratio < 1 ? [b, a, 1 / all.ratio] : [a, b, all.ratio];
  const [faster, slower, same, unclear] = verdicts;
  const counts = [
    [faster, `${b} is faster in`],
    [slower, "slower in"],
    [same, "the same in"],
    [unclear, "unclear in"],
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${what} ${count}`);
  return `${long} takes ${ratioText(ratio)} the time of ${short} (geometric mean of ${all.cases} cases); ${counts.join(", ")}.`;
}

/**
 * The points of a match. For one family: means by benchmark, and cases. For all families: means by family, and by
 * benchmark.
 */
function matchLevels(match, family) {
  const large = match.means.filter((mean) =>
    family === "" ? mean.family !== null && mean.benchmark === null : mean.family === family && mean.benchmark !== null,
  );
  const name = (mean) => (family === "" ? mean.family : mean.benchmark);
  const small =
    family === ""
      ? match.means
          .filter((mean) => mean.benchmark !== null)
          .map((mean) => ({
            ...mean,
            at: mean.family,
            name: mean.benchmark,
            text: `${mean.family}/${mean.benchmark}\nmean of ${mean.cases}`,
          }))
      : match.rows
          .filter((row) => row.of.family === family)
          .map((row) => ({
            ...row,
            at: row.of.benchmark,
            name: [row.of.kind, row.of.params].join(" ").trim(),
            text: `${row.of.name}\n${row.of.kind}\n${VERDICTS[row.verdict]}`,
          }));
  return {
    large: large.map((mean) => ({ ...mean, at: name(mean), text: `${name(mean)}\ngeometric mean of ${mean.cases}` })),
    small,
  };
}

/** Spreads the points of each row over the height of its band, in order. */
function spread(points, band) {
  const keys = new Map();
  for (const point of points) keys.set(point.at, [...(keys.get(point.at) ?? []), point]);
  return [...keys.values()].flatMap((group) =>
    group.map((point, index) => ({
      ...point,
      shift: group.length === 1 ? 0 : (index / (group.length - 1) - 0.5) * band,
    })),
  );
}

/** Maximum number of points with a name. */
const NAMED = 10;

/**
 * The points farthest from the mean of their row, by a factor of at least `least`. Of points whose names, in `box`, would
 * overlap, only the farthest is included.
 */
function farthest(points, large, least, box) {
  const means = new Map(large.map(({ at, ratio }) => [at, ratio]));
  const distance = ({ at, ratio }) => Math.abs(Math.log(ratio / means.get(at)));
  const far = points
    .filter((point) => distance(point) > Math.log(least))
    .map((point) => ({ ...point, isBelow: point.ratio < means.get(point.at) }));
  far.sort((a, b) => distance(b) - distance(a));
  return apart(far, box).slice(0, NAMED);
}

function against(isOneDevice) {
  /** The matches of the sides, with their indices. */
  const matchesOf = (model, sides) =>
    model.matches
      .map((match, index) => [match, String(index)])
      .filter(
        ([match]) =>
          match.is_one_device === isOneDevice && sides.includes(match.baseline) && sides.includes(match.side),
      );
  const lacks = `${isOneDevice ? "the first API of a device is compared with each of its others" : "the first device is compared with each other one, by the first API of each"}, in cases that both have`;
  return {
    id: isOneDevice ? "apis" : "devices-against",
    title: isOneDevice
      ? "Which API is faster on the same device, and by how much?"
      : "Which device is faster, and by how much?",
    choices(picked, { model, sides }) {
      const available = matchesOf(model, sides);
      const several = unique(available.map(([match]) => match.baseline)).length > 1 || !isOneDevice;
      const label = (match) =>
        match.isByApi && several ? `${model.sides[match.baseline].device}: ${match.title}` : match.title;
      const options = available.map(([match, index]) => [index, label(match)]);
      const match = options.some(([key]) => key === picked.match) ? picked.match : options[0]?.[0];
      const families = match === undefined ? [] : unique(model.matches[Number(match)].rows.map((row) => row.of.family));
      return [
        { key: "match", label: "Ratio of times", options, value: match },
        { key: "family", label: "Family", options: [["", "all"], ...families.map((name) => [name, name])], value: "" },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      if (picked.match === undefined) {
        // Ticked devices do not vanish without a word.
        const hasAny = sides.length > 0 && model.matches.some((match) => match.is_one_device === isOneDevice);
        return hasAny ? { plots: [], shown: [], lacks } : null;
      }
      const match = model.matches[Number(picked.match)];
      const { large, small } = matchLevels(match, picked.family);
      if (large.length === 0) return null;
      const row = 30;
      const points = spread(small, row * 0.6);
      const [low, high] = extent([...points, ...large].flatMap((point) => [point.ratio, point.low, point.high]));
      const domain = [Math.min(low, 0.8) / 1.15, Math.max(high, 1.25) * 1.15];
      const title = (point) =>
        `${point.text}\n${match.title}: ${ratioWithInterval(point.ratio, point.low, point.high)}`;
      const marginLeft = Math.min(isNarrow ? 170 : 240, 16 + 7.4 * Math.max(...large.map(({ at }) => at.length)));
      // A name points away from the mean, unless it would leave the frame.
      const inner = width - marginLeft - (isNarrow ? 16 : 60);
      const offset = ({ ratio }) => (inner * Math.log(ratio / domain[0])) / Math.log(domain[1] / domain[0]);
      const needed = ({ name }) => 6.5 * name.length + 10;
      const isLeft = (point) =>
        point.isBelow ? offset(point) > needed(point) : inner - offset(point) < needed(point);
      const box = (point) => {
        const [at, length] = [offset(point), needed(point)];
        const middle = row * large.findIndex((mean) => mean.at === point.at) + point.shift;
        return isLeft(point) ? [at - length, at, middle] : [at, at + length, middle];
      };
      // Ticks near 1× come first.
      const ticks = logTicks(...domain).sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
      const tickBox = (ratio) => [-1, 1].map((end) => offset({ ratio }) + end * (4 + 3.6 * factor(ratio).length)).concat(0);
      // The meaning of both directions: on one line if both names fit.
      const room = inner / 12;
      const isBoth = (match.a.length + match.b.length + 20) * 0.66 < room;
      const end = { fontWeight: 600, lineWidth: room - 1, textOverflow: "ellipsis" };
      // One mark per shift: Plot shifts whole marks, not points.
      const shifts = unique(points.map(({ shift }) => shift));
      const svg = plot({
        width,
        height: 92 + row * large.length,
        marginTop: 42,
        marginLeft,
        marginRight: isNarrow ? 16 : 60,
        x: {
          type: "log",
          domain,
          ticks: apart(ticks, tickBox),
          tickFormat: factor,
          label: isNarrow ? "Ratio of times" : `${match.title}, ratio of times`,
          grid: true,
        },
        y: { domain: large.map(({ at }) => at), label: null, tickSize: 0, type: "band", padding: 0.1 },
        marks: [
          Plot.ruleX([1], { stroke: "currentColor", strokeWidth: 1.5 }),
          Plot.text([`← ${match.a} faster`], { ...end, frameAnchor: "top-left", dy: -36 }),
          Plot.text([`${match.b} faster →`], { ...end, frameAnchor: "top-right", dy: isBoth ? -36 : -20 }),
          ...shifts.flatMap((dy) => {
            const shifted = points.filter(({ shift }) => shift === dy);
            return [
              Plot.ruleY(shifted, { x1: "low", x2: "high", y: "at", dy, stroke: "var(--c0)", strokeOpacity: 0.7 }),
              Plot.dot(shifted, { x: "ratio", y: "at", dy, r: 2.5, fill: "var(--c0)", fillOpacity: 0.65 }),
            ];
          }),
          Plot.ruleY(large, { x1: "low", x2: "high", y: "at", stroke: "var(--c1)", strokeWidth: 3 }),
          Plot.dot(large, {
            x: "ratio",
            y: "at",
            symbol: "diamond",
            r: 6,
            fill: "var(--c1)",
            stroke: "var(--surface)",
            strokeWidth: 1,
          }),
          ...(isNarrow
            ? []
            : farthest(points, large, 1.4, box).map((point) =>
                Plot.text([point], {
                  x: "ratio",
                  y: "at",
                  dy: point.shift,
                  dx: isLeft(point) ? -7 : 7,
                  text: "name",
                  textAnchor: isLeft(point) ? "end" : "start",
                  fontSize: 11,
                  fill: "var(--soft)",
                  stroke: "var(--surface)",
                  strokeWidth: 4,
                }),
              )),
          isNarrow
            ? null
            : Plot.text(large, {
                x: domain[1],
                y: "at",
                text: ({ ratio }) => ratioText(ratio),
                textAnchor: "start",
                dx: 8,
                fontWeight: 600,
              }),
          tip([...points, ...large], { x: "ratio", y: "at", title }),
        ],
      });
      const legendSmall = picked.family === "" ? "a benchmark: geometric mean of its cases" : "a case";
      return {
        plots: [svg],
        legend: [
          { kind: "dot", color: "var(--c0)", label: `${legendSmall}, with its 95 % interval` },
          {
            kind: "dot",
            symbol: "diamond",
            color: "var(--c1)",
            label: `geometric mean of the ${picked.family === "" ? "family" : "benchmark"}`,
          },
        ],
        takeaways: [{ text: matchSentence(match) }],
        note: `Right of 1×, ${match.b} is faster; left of 1×, ${match.a}. Only cases timed by the same clock are compared.`,
        table: {
          columns: [picked.family === "" ? "Benchmark" : "Case", match.title, "95 % interval"],
          rows: [...large, ...small].map((point) => [
            point.text.replaceAll("\n", ", "),
            ratioText(point.ratio),
            point.low === null ? "–" : `${ratioNumber(point.low)} – ${ratioNumber(point.high)}`,
          ]),
        },
        shown: matchesOf(model, sides).flatMap(([match]) => [match.baseline, match.side]),
        lacks,
      };
    },
  };
}

const CHECKS = [
  ["BOUNDS", "bounds checks"],
  ["LOOPS", "loop bounds"],
  ["ZERO_INIT", "zero-initialisation"],
];

/**
 * For each benchmark of the safety tax, at its largest size: the time of each row relative to the row without checks.
 */
function taxes(model, side) {
  const rows = timed(model, [side], "safety_tax");
  return unique(rows.map((row) => row.of.benchmark)).flatMap((name) => {
    const ofName = rows.filter((row) => row.of.benchmark === name);
    const [, largest] = extent(ofName.map((row) => row.of.count));
    const at = ofName.filter((row) => row.of.count === largest);
    const on = (row) => CHECKS.filter(([check]) => row.of.param.get(check) === 1).map(([check]) => check);
    const off = at.find((row) => on(row).length === 0);
    if (!off) return [];
    const relative = (row) => {
      // Time of the row ÷ time of `off` equals the speed of `off` relative to the row.
      const { value, low, high } = relativeSpeed(row, off);
      return { name, row, on: on(row), value, low, high };
    };
    return [at.map(relative)];
  });
}

const isTaxed = (model, side) => taxes(model, side).some((tax) => tax.length > 1);

function safetyTax() {
  return {
    id: "safety",
    title: "What do run-time checks cost?",
    choices(_, { model, sides }) {
      const options = sides.filter((side) => isTaxed(model, side)).map((side) => [String(side), model.sides[side].name]);
      return [{ key: "side", label: "Device", options, value: options[0]?.[0] }];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      if (picked.side === undefined) return null;
      const groups = taxes(model, Number(picked.side)).filter((tax) => tax.length > 1);
      const all = groups.flat();
      const label = ({ on }) => (on.length === 0 ? "none" : on.length === CHECKS.length ? "all" : "one");
      const key = (point) => `${point.name} ${label(point)}`;
      const pairs = all.filter((point) => label(point) !== "one");
      const singles = all.filter((point) => label(point) === "one");
      const keys = groups.flatMap(([{ name }]) => [
        ...(isNarrow ? [`title ${name}`] : []),
        `${name} none`,
        `${name} all`,
        `gap ${name}`,
      ]);
      const titles = groups.map(([point]) => ({
        name: `${point.name} ${niceSize(point.row.of.n)}`,
        key: isNarrow ? `title ${point.name}` : `${point.name} none`,
      }));
      const [, longest] = extent(all.flatMap(({ value, high }) => [value, high]));
      const fill = (point) => (label(point) === "none" ? "var(--c7)" : "var(--c0)");
      const title = ({ row, on, value, low, high }) =>
        `${row.of.family}/${row.of.benchmark}\n${on.length === 0 ? "no checks" : on.map((check) => new Map(CHECKS).get(check)).join(", ")}\n${ratioWithInterval(value, low, high)} relative to no checks\n${time(row.ns)}`;
      const style = {
        BOUNDS: { symbol: "triangle", color: "var(--c1)" },
        LOOPS: { symbol: "square", color: "var(--c3)" },
        ZERO_INIT: { symbol: "diamond", color: "var(--c4)" },
      };
      const svg = plot({
        width,
        height: 70 + keys.length * 18,
        marginTop: 8,
        marginLeft: isNarrow ? 10 : 160,
        marginRight: 56,
        x: {
          domain: [0, longest * 1.04],
          label: "Time relative to no checks",
          tickFormat: factor,
          ticks: isNarrow ? 4 : 8,
          grid: true,
        },
        y: { domain: keys, axis: null, padding: 0.15 },
        marks: [
          Plot.barX(pairs, { x1: 0, x2: "value", y: key, fill }),
          Plot.ruleY(pairs, { x1: "low", x2: "high", y: key, stroke: "currentColor", strokeWidth: 1.5 }),
          ...CHECKS.map(([check]) =>
            Plot.dot(
              singles.filter(({ on }) => on[0] === check),
              {
                x: "value",
                y: ({ name }) => `${name} all`,
                symbol: style[check].symbol,
                fill: style[check].color,
                stroke: "var(--surface)",
                r: 5,
              },
            ),
          ),
          Plot.text(titles, {
            x: 0,
            y: "key",
            text: "name",
            textAnchor: isNarrow ? "start" : "end",
            dx: isNarrow ? 2 : -8,
          }),
          Plot.text(pairs, {
            x: longest * 1.04,
            y: key,
            text: ({ value }) => ratioText(value),
            textAnchor: "start",
            dx: 8,
          }),
          Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "3 3" }),
          tip(pairs, { x: "value", y: key, title }),
        ],
      });
      return {
        plots: [svg],
        legend: [
          { kind: "bar", color: "var(--c7)", label: "no checks" },
          { kind: "bar", color: "var(--c0)", label: "all checks" },
          ...CHECKS.map(([check, text]) => ({ kind: "dot", ...style[check], label: `${text} alone` })),
        ],
        takeaways: findings(model, [Number(picked.side)], "safety_tax"),
        table: {
          columns: ["Benchmark", "Checks", "Time relative to none", "Median"],
          rows: all.map(({ row, on, value, low, high }) => [
            `${row.of.benchmark} ${row.of.kind}`,
            on.join(", ") || "none",
            ratioWithInterval(value, low, high),
            time(row.ns),
          ]),
        },
        shown: sides.filter((side) => isTaxed(model, side)),
        lacks: "no times of safety_tax with and without checks",
      };
    },
  };
}

const hasSeries = (model, side) => model.sides[side].series.length > 0;

/** The samples of the series with the largest spread. */
function scatter() {
  return {
    id: "scatter",
    title: "Which measurements vary the most?",
    choices(_, { model, sides }) {
      const options = sides.filter((side) => hasSeries(model, side)).map((side) => [String(side), model.sides[side].name]);
      return [{ key: "side", label: "Device", options, value: options[0]?.[0] }];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      if (picked.side === undefined) return null;
      const side = model.sides[Number(picked.side)];
      const name = ({ of }) => `${of.family}/${of.name} ${of.kind}`;
      const points = side.series.flatMap((series) =>
        series.relative.map((value) => ({ series, key: name(series), value })),
      );
      const keys = side.series.flatMap((series) =>
        isNarrow ? [`title ${name(series)}`, name(series)] : [name(series)],
      );
      const titles = side.series.map((series) => ({
        name: name(series),
        key: isNarrow ? `title ${name(series)}` : name(series),
      }));
      const svg = plot({
        width,
        height: 60 + keys.length * (isNarrow ? 18 : 24),
        marginTop: 8,
        marginLeft: isNarrow ? 10 : Math.min(400, 16 + 7.4 * Math.max(...titles.map((title) => title.name.length))),
        x: {
          label: "Sample relative to the median",
          tickFormat: factor,
          ticks: isNarrow ? 4 : 8,
          grid: true,
          nice: true,
        },
        y: { domain: keys, axis: null, type: "band" },
        marks: [
          Plot.ruleX([1], { stroke: "currentColor" }),
          Plot.dot(points, {
            x: "value",
            y: "key",
            r: 3,
            fill: color(side.index),
            fillOpacity: 0.4,
            symbol: symbol(side.index),
          }),
          Plot.text(
            titles,
            isNarrow
              ? { y: "key", text: "name", frameAnchor: "left", lineWidth: width / 13, textOverflow: "ellipsis" }
              : { y: "key", text: "name", frameAnchor: "left", textAnchor: "end", dx: -8 },
          ),
          tip(points, {
            x: "value",
            y: "key",
            title: ({ series, value }) => `${name(series)}\n${ratioText(value)} the median\n${series.count} samples`,
          }),
        ],
      });
      const [half, most] = side.noise;
      const noise =
        half === null
          ? ""
          : `The 95 % interval is within ± ${percent(half)} of the median for half of the rows, and within ± ${percent(most)} for 90 % of them.`;
      return {
        plots: [svg],
        takeaways: [{ text: noise }],
        note: `The ${side.series.length} series of samples that vary the most.`,
        table: {
          columns: ["Case", "Samples", "Fastest", "Slowest"],
          rows: side.series.map((series) => [
            name(series),
            String(series.count),
            ratioText(series.relative[0]),
            ratioText(series.relative.at(-1)),
          ]),
        },
        shown: sides.filter((each) => hasSeries(model, each)),
        lacks: "no samples in the report: only a run's JSON report has them",
      };
    },
  };
}
