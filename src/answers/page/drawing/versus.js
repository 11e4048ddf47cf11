/* The chart that compares two sides, case by case. */

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
    [faster, "faster in"],
    [slower, "slower in"],
    [same, "the same in"],
    [undecided - unknown, "unclear in"],
    [unknown, "without an interval in"],
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${what} ${count}`);
  const mean = `geometric mean of ${all.cases} kernel cases`;
  return `${long} takes ${ratioText(ratio)} the time of ${short} (${mean}); ${b} is ${counts.join(", ")}.`;
}

/**
 * The points of a match. For one family: means by benchmark, and cases. For all families: means by family, and by
 * benchmark.
 */
function matchLevels(match, family) {
  const about = ({ cases }) => (cases === 1 ? "1 case" : `geometric mean of ${cases} cases`);
  const mean = (mean, at) => ({ ...mean, at, text: `${at}\n${about(mean)}` });
  const byBenchmark = match.means.filter(({ benchmark }) => benchmark !== null);
  if (family === "") {
    const byFamily = match.means.filter((mean) => mean.family !== null && mean.benchmark === null);
    const small = byBenchmark.map((own) => ({ ...mean(own, `${own.family}/${own.benchmark}`), at: own.family }));
    return { large: byFamily.map((own) => mean(own, own.family)), small };
  }
  const cases = match.rows.filter((row) => row.of.family === family);
  const text = ({ of, verdict }) => `${of.name}\n${of.kind}\n${VERDICTS[verdict]}`;
  return {
    large: byBenchmark.filter((mean) => mean.family === family).map((own) => mean(own, own.benchmark)),
    small: cases.map((row) => ({ ...row, at: row.of.benchmark, text: text(row) })),
  };
}

/** A ratio is grey unless its whole interval lies beyond the margin, as in a verdict. */
const UNCLEAR = "var(--unclear)";
const SAME = 1.0125;
const colored = (sure) => (point) => (point.low > SAME || point.high < 1 / SAME ? sure : UNCLEAR);

function versus() {
  /** The matches of the sides, with their indices. */
  const matchesOf = (model, sides) =>
    [...model.matches.entries()].filter(([, { baseline, side }]) => sides.includes(baseline) && sides.includes(side));
  return {
    id: "versus",
    title: "Which is faster, and by how much?",
    choices(picked, { model, sides }) {
      const available = matchesOf(model, sides);
      const isOne = unique(available.map(([, match]) => match.baseline)).length === 1;
      const card = (match) => (match.isByApi && !isOne ? `${model.sides[match.baseline].name.split(" · ")[0]}: ` : "");
      const options = available.map(([index, match]) => [String(index), card(match) + match.title]);
      const first = available.find(([, match]) => !(model.screen.is_versus && match.is_one_device)) ?? available[0];
      const match = options.some(([key]) => key === picked.match) ? picked.match : first && String(first[0]);
      const families = match === undefined ? [] : unique(model.matches[Number(match)].rows.map((row) => row.of.family));
      return [
        { key: "match", label: "Ratio of times", options, value: match },
        { key: "family", label: "Family", options: [["", "all"], ...families.map((name) => [name, name])], value: "" },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      if (picked.match === undefined) return null;
      const match = model.matches[Number(picked.match)];
      const { large, small } = matchLevels(match, picked.family);
      if (large.length === 0) return null;
      const [low, high] = extent([...small, ...large].flatMap((point) => [point.ratio, point.low, point.high]));
      const marginLeft = Math.min(isNarrow ? 170 : 240, 16 + 7.4 * Math.max(...large.map(({ at }) => at.length)));
      const x = { x: "ratio", y: "at" };
      const interval = { x1: "low", x2: "high", y: "at" };
      const end = { fontWeight: 600, lineWidth: (width - marginLeft) / (isNarrow ? 14 : 28), textOverflow: "ellipsis" };
      const svg = plot({
        width,
        height: 88 + 30 * large.length,
        marginTop: 40,
        marginLeft,
        marginRight: 60,
        x: {
          type: "log",
          domain: [Math.min(low, 0.8) / 1.15, Math.max(high, 1.25) * 1.15],
          ticks: isNarrow ? 3 : 8,
          tickFormat: factor,
          label: "Ratio of times",
          grid: true,
        },
        y: { domain: large.map(({ at }) => at), label: null, tickFormat: cutTo(marginLeft), tickSize: 0, type: "band", padding: 0.1 },
        marks: [
          Plot.ruleX([1], { stroke: "currentColor", strokeWidth: 1.5 }),
          Plot.text([`← ${match.a} faster`], { ...end, frameAnchor: "top-left", dy: isNarrow ? -32 : -16 }),
          Plot.text([`${match.b} faster →`], { ...end, frameAnchor: "top-right", dy: -16 }),
          Plot.ruleY(small, { ...interval, stroke: colored("var(--c0)"), strokeOpacity: 0.3 }),
          Plot.dot(small, { ...x, r: 2.5, fill: colored("var(--c0)"), fillOpacity: 0.6 }),
          Plot.ruleY(large, { ...interval, stroke: colored("var(--c1)"), strokeWidth: 3 }),
          Plot.dot(large, {
            ...x,
            symbol: "diamond",
            r: 6,
            fill: colored("var(--c1)"),
            stroke: "var(--surface)",
            strokeWidth: 1,
          }),
          Plot.text(large, {
            y: "at",
            frameAnchor: "right",
            text: ({ ratio }) => ratioText(ratio),
            textAnchor: "start",
            dx: 8,
            fontWeight: 600,
          }),
          tip([...small, ...large], {
            ...x,
            title: ({ text, ratio, low: from, high: to }) =>
              `${text}\n${match.title}: ${ratioWithInterval(ratio, from, to)}`,
          }),
        ],
      });
      const [of, inside] =
        picked.family === "" ? ["family", "a benchmark: geometric mean of its cases"] : ["benchmark", "a case"];
      return {
        plot: svg,
        legend: [
          { kind: "dot", color: "var(--c0)", label: `${inside}, with its 95 % interval` },
          { kind: "dot", symbol: "diamond", color: "var(--c1)", label: `geometric mean of the ${of}` },
          { kind: "dot", color: UNCLEAR, label: "unclear, or within 1.25 %" },
        ],
        takeaways: [{ text: matchSentence(match) }],
        note: `Right of 1×, ${match.b} is faster; left of 1×, ${match.a} is. Cases timed by different kinds of clock are left out.`,
        shown: matchesOf(model, sides).flatMap(([, match]) => [match.baseline, match.side]),
        lacks:
          "a card's first API is compared with its other APIs, two cards through the API with the most cases in common",
      };
    },
  };
}
