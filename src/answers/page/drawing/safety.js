/* The cost of run-time checks. */

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
      const [, slowest] = extent(all.map(({ value }) => value));
      const [, end] = extent(pairs.map((point) => Math.min(highEnd(point), LONGEST_INTERVAL * slowest)));
      const longest = Math.max(slowest, end);
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
          ...intervals("x", pairs, { x1: lowEnd, x2: highEnd, y: key, stroke: "currentColor", strokeWidth: 1.5 }),
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
          columns: ["Benchmark", "Checks", "Time relative to none", ...intervalColumns(), ...NANOSECONDS],
          rows: all.map(({ row, on, value, low, high }) => [
            `${row.of.benchmark} ${row.of.kind}`,
            on.join(", ") || "none",
            ...[value, low, high].map((ratio) => cell(ratio, ratioText)),
            ...nanoseconds(row),
          ]),
        },
        shown: sides.filter((side) => isTaxed(model, side)),
        lacks: "no times of safety_tax with and without checks",
      };
    },
  };
}
