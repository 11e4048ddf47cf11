/* Two devices or APIs: their headline figures as ratios. */

/** A job on two sides, by the kernel that the program chose for them; null where there is none. */
function jobPair(model, job, a, b) {
  const [low, high] = [a.index, b.index].sort((one, other) => one - other);
  const found = job.pairs.find((pair) => pair[0] === low && pair[1] === high);
  if (!found) return null;
  const of = model.cases[found[2]];
  const figure = (side) => {
    const row = of.rows[side.index];
    const value = job.is_largest ? row.gb : row.gflop;
    return { unit: job.unit, value, low: (value * row.ns) / row.high, high: (value * row.ns) / row.low };
  };
  return { name: job.name, kernel: of.name, first: figure(a), second: figure(b) };
}

/** The jobs of the summary that both sides have, without a kernel of one source in common. */
function unlikeJobs(model, a, b) {
  const has = (side, { name }) => side.headlines.some((figure) => figure.name === name);
  const both = model.jobs.filter((job) => has(a, job) && has(b, job));
  return both.filter((job) => jobPair(model, job, a, b) === null).map(({ name }) => name);
}

/** The figures that both sides have, as speed of `b` relative to `a`: times are inverted. */
function figurePairs(model, a, b) {
  const jobs = new Set(model.jobs.map(({ name }) => name));
  const others = new Map(b.headlines.map((figure) => [figure.name, figure]));
  const limits = a.headlines
    .filter(({ name, unit }) => !jobs.has(name) && others.get(name)?.unit === unit)
    .map((first) => ({ name: first.name, kernel: null, first, second: others.get(first.name) }));
  return [...limits, ...model.jobs.map((job) => jobPair(model, job, a, b)).filter(Boolean)]
    .map(({ name, kernel, first, second }) => {
      const [slow, fast] = first.unit === "ns" ? [second, first] : [first, second];
      const value = fast.value / slow.value;
      const reach = (own, other) => Math.exp(Math.hypot(Math.log(own), Math.log(other)));
      return {
        name,
        kernel,
        first,
        second,
        value,
        low: value / reach(fast.value / fast.low, slow.high / slow.value),
        high: value * reach(fast.high / fast.value, slow.value / slow.low),
      };
    })
    .sort((x, y) => y.value - x.value);
}

/** A figure with its unit. */
function figureText({ unit, value }, digits = 3) {
  if (unit === "ns") return time(value, digits);
  return unit === "GB/s" ? byteRate(value, digits) : operationRate(value, unit === "GOP/s" ? "u32" : null, digits);
}

/** Bars from 1× to the ratio of each figure. */
function headlineBars() {
  const sidesWith = (model, sides) => sides.filter((side) => model.sides[side].headlines.length > 0);
  return {
    id: "headlines",
    title: "Which is faster in the headline figures, and by how much?",
    choices(picked, { model, sides }) {
      const available = sidesWith(model, sides).map(String);
      const a = available.includes(picked.a) ? picked.a : available[0];
      // Another device if there is one, else another API.
      const deviceOf = (side) => model.sides[Number(side)].device;
      const others = available.filter((side) => side !== a);
      const first = others.find((side) => deviceOf(side) !== deviceOf(a)) ?? others[0];
      const b = others.includes(picked.b) ? picked.b : first;
      const option = (side) => [side, model.sides[side].name];
      return [
        { key: "b", label: "Speed of", options: available.filter((side) => side !== a).map(option), value: b },
        { key: "a", label: "relative to", options: available.filter((side) => side !== b).map(option), value: a },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      const available = sidesWith(model, sides);
      if (available.length < 2) return null;
      const [a, b] = [picked.a, picked.b].map((side) => model.sides[Number(side)]);
      const figures = figurePairs(model, a, b);
      if (figures.length === 0) return null;
      const [low, high] = extent(figures.map(({ value }) => value));
      const domain = [Math.min(low, 0.9) / 1.15, Math.max(high, 1 / 0.9) * 1.15];
      const text = ({ value, first, second }) =>
        isNarrow ? ratioText(value) : `${ratioText(value)}   ${figureText(second)} : ${figureText(first)}`;
      const keys = figures.flatMap(({ name }) => (isNarrow ? [`title ${name}`, name] : [name]));
      const marginLeft = isNarrow ? 10 : 16 + 7.2 * Math.max(...figures.map(({ name }) => name.length));
      const marginRight = 14 + 6.7 * Math.max(...figures.map((figure) => text(figure).length));
      const ticks = roomyTicks(nearOne(logTicks(...domain)), domain, width - marginLeft - marginRight, factor);
      const fill = ({ value }) => color(value < 1 ? a.index : b.index);
      const svg = plot({
        width,
        height: 82 + keys.length * (isNarrow ? 18 : 21),
        marginTop: isNarrow ? 8 : 24,
        marginLeft,
        marginRight,
        x: { type: "log", domain, ticks, tickFormat: factor, label: "Relative speed", grid: true },
        y: { domain: keys, axis: null, padding: 0.25 },
        marks: [
          Plot.barX(figures, { x1: 1, x2: "value", y: "name", fill }),
          ...intervals("x", figures, { x1: "low", x2: "high", y: "name", stroke: "currentColor", strokeWidth: 1.5 }),
          Plot.ruleX([1], { stroke: "currentColor", strokeWidth: 1.5 }),
          isNarrow
            ? Plot.text(figures, { y: ({ name }) => `title ${name}`, frameAnchor: "left", dx: 2, dy: 4, text: "name", fill: "currentColor", stroke: "var(--surface)", strokeWidth: 4 })
            : Plot.text(figures, { y: "name", frameAnchor: "left", textAnchor: "end", dx: -8, text: "name" }),
          Plot.text(figures, { y: "name", frameAnchor: "right", textAnchor: "start", dx: 10, text }),
          isNarrow
            ? null
            : Plot.text([`${b.short} : ${a.short}`], {
                frameAnchor: "top-right",
                textAnchor: "end",
                dx: marginRight - 4,
                dy: -18,
                fontWeight: 600,
                lineWidth: (width - marginLeft) / 12,
                textOverflow: "ellipsis",
              }),
          tip(figures, {
            x: "value",
            y: "name",
            title: ({ name, kernel, first, second, value, low: from, high: to }) =>
              `${name}${kernel ? ` by ${kernel}` : ""}\n${ratioWithInterval(value, from, to)}\n${b.short}: ${figureText(second, 4)}\n${a.short}: ${figureText(first, 4)}`,
          }),
        ],
      });
      const names = unlikeJobs(model, a, b);
      const unlike = names.length > 0 ? ` Not compared, since the source of every common kernel differs: ${names.join(", ")}.` : "";
      const faster = figures.filter((figure) => figure.low > 1 + model.margin).length;
      const slower = figures.filter((figure) => figure.high < 1 / (1 + model.margin)).length;
      const rest = figures.length - faster - slower;
      const sentence = `Of ${figures.length} figures, ${b.short} is faster in ${faster} and slower in ${slower}${rest > 0 ? `; ${rest} are too close to tell` : ""}.`;
      return {
        plots: [svg],
        legend: [b, a].map((side) => ({ kind: "bar", color: color(side.index), label: `${side.name} is faster` })),
        takeaways: [{ text: sentence }],
        note: `Times are inverted, so above 1× always means faster. A job's figures are those of the fastest kernel that both sides have, at one size and of one source.${unlike}`,
        shown: available,
        lacks: "no headline figures in its report",
      };
    },
  };
}
