/* Charts that compare two sides, case by case. */

const VERDICTS = { f: "faster", S: "slower", s: "same", u: "unclear" };

/** Summarizes a match in one sentence. */
function matchSentence({ a, b, means, verdicts, rows }) {
  const [all] = means;
  if (all.ratio === null) return "";
  // The slower side is the subject.
  const [long, short, ratio] = all.ratio < 1 ? [b, a, 1 / all.ratio] : [a, b, all.ratio];
  const [faster, slower, same, undecided] = verdicts;
  const unknown = rows.filter(({ verdict, low }) => verdict === "u" && low === null).length;
  const counts = [
    [faster, `${b} is faster in`],
    [slower, "slower in"],
    [same, "the same in"],
    [undecided - unknown, "unclear in"],
    [unknown, "without an interval in"],
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${what} ${count}`);
  return `${long} takes ${ratioText(ratio)} the time of ${short} (geometric mean of ${all.cases} kernel cases); ${counts.join(", ")}.`;
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
  const lacks = `${isOneDevice ? "the first API of a card is compared with each of its others" : "two cards are compared through the API with the most common cases"}, in cases that both have`;
  return {
    id: isOneDevice ? "apis" : "devices-against",
    title: isOneDevice
      ? "Which API is faster on the same device, and by how much?"
      : "Which device is faster, and by how much?",
    choices(picked, { model, sides }) {
      const available = matchesOf(model, sides);
      const several = unique(available.map(([match]) => match.baseline)).length > 1 || !isOneDevice;
      const label = (match) =>
        match.isByApi && several ? `${model.sides[match.baseline].name.split(" · ")[0]}: ${match.title}` : match.title;
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
          ticks: roomyTicks(nearOne(logTicks(...domain)), domain, inner, factor),
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
              Plot.ruleY(shifted, { x1: "low", x2: "high", y: "at", dy, stroke: "var(--c0)", strokeOpacity: 0.85 }),
              Plot.dot(shifted, { x: "ratio", y: "at", dy, r: 2.5, fill: "var(--c0)", fillOpacity: 0.85 }),
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
        shown: matchesOf(model, sides).flatMap(([match]) => [match.baseline, match.side]),
        lacks,
      };
    },
  };
}
