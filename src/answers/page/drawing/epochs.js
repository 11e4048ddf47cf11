/* The epochs of a row in time order, and its samples where the report has them. */

/** The slowest epoch ÷ the fastest. */
const spreadOf = ({ epochs }) => Math.max(...epochs) / Math.min(...epochs);

/** The series of a row on the given sides. */
const seriesOn = (model, sides, isWanted) =>
  sides.flatMap((side) => model.sides[side].series.filter(isWanted).map((series) => ({ ...series, side })));

/** Runs of one row: its epochs over time, with the interval of its median. */
function epochStrips() {
  const widest = (list) => list.reduce((most, series) => (most === null || spreadOf(series) > spreadOf(most) ? series : most), null);
  const nameOfRow = ({ of }) => `${of.name} ${of.kind}`;
  return {
    id: "epochs",
    title: "How steady is a measurement over the run?",
    choices(picked, { model, sides }) {
      const all = seriesOn(model, sides, () => true);
      // Of rows on several sides, if there are any: they show more.
      const known = new Map();
      for (const { of } of all) known.set(of, (known.get(of) ?? 0) + 1);
      const [, most] = extent(known.values());
      const first = widest(all.filter(({ of }) => known.get(of) === most));
      const families = unique(all.map(({ of }) => of.family));
      const family = families.includes(picked.family) ? picked.family : first?.of.family;
      const inFamily = all.filter(({ of }) => of.family === family);
      const rows = [...new Map(inFamily.map((series) => [String(series.of.index), nameOfRow(series)]))];
      const row = rows.some(([key]) => key === picked.row) ? picked.row : String((family === first?.of.family ? first : widest(inFamily))?.of.index);
      return [
        { key: "family", label: "Family", options: families.map((name) => [name, name]), value: family },
        { key: "row", label: "Row", options: rows, value: row },
      ];
    },
    draw({ model, sides, width, isNarrow, picked }) {
      const index = Number(picked.row);
      const series = seriesOn(model, sides, ({ of }) => of.index === index);
      if (series.length === 0) return null;
      const at = (count, number, columns) => 1 + ((columns - 1) * number) / Math.max(1, count - 1);
      const columns = Math.max(...series.map(({ epochs }) => epochs.length));
      const points = series.flatMap(({ side, epochs }) => epochs.map((value, number) => ({ side, number: number + 1, value })));
      const samples = series.flatMap(({ side, samples: known }) =>
        (known?.relative ?? []).map((value, number, list) => ({ side, value, at: at(list.length, number, columns) })),
      );
      const bands = series.map(({ side, of }) => ({ side, row: of.rows[side] })).filter(({ row }) => row?.low);
      const [low, high] = extent([
        1,
        ...[...points, ...samples].map(({ value }) => value),
        ...bands.flatMap(({ row }) => [row.low / row.ns, row.high / row.ns].map((end) => Math.min(1.5, Math.max(0.7, end)))),
      ]);
      const room = 0.08 * (high - low) || 0.001;
      const svg = plot({
        width,
        height: 300,
        marginLeft: 70,
        x: {
          label: "Epoch, in the order of time",
          domain: [0.5, columns + 0.5],
          ticks: evenTicks(1, columns, isNarrow ? 8 : 20),
          tickFormat: String,
        },
        y: {
          label: "Time relative to the median",
          domain: [low - room, high + room],
          tickFormat: (value) => `${Number(value.toPrecision(5))}×`,
          ticks: 6,
          grid: true,
        },
        marks: [
          ...bands.map(({ side, row }) =>
            area(({ y }, { left, right, ...box }) => {
              const [top, bottom] = [row.high, row.low].map((ns) => Math.min(box.bottom, Math.max(box.top, y(ns / row.ns))));
              return [[left, top], [right, top], [right, bottom], [left, bottom]];
            }, { fill: color(side), "fill-opacity": 0.12, stroke: color(side) }),
          ),
          Plot.ruleY([1], { stroke: "currentColor" }),
          ...series.map(({ side }) =>
            Plot.dot(
              samples.filter((sample) => sample.side === side),
              { x: "at", y: "value", r: 2, stroke: color(side), strokeOpacity: 0.85 },
            ),
          ),
          ...series.flatMap(({ side }) => {
            const own = points.filter((point) => point.side === side);
            return [
              Plot.line(own, { x: "number", y: "value", stroke: color(side), strokeWidth: 1.5, strokeDasharray: dash(side) }),
              Plot.dot(own, { x: "number", y: "value", fill: color(side), symbol: symbol(side), r: 4.5 }),
            ];
          }),
          tip(points, {
            x: "number",
            y: "value",
            title: ({ side, number, value }) =>
              `${model.sides[side].name}\nepoch ${number}: ${significant(value, 5)}× the median`,
          }),
        ],
      });
      const sentences = series.map((own) => ({
        side: model.sides.length > 1 ? model.sides[own.side].short : null,
        text: `The slowest of ${own.epochs.length} epochs takes ${ratioText(spreadOf(own))} the time of the fastest.`,
      }));
      const noise = sides.map((side) => model.sides[side]).filter(({ noise: [half] }) => half !== null);
      const overall = noise.map(
        ({ short, noise: [half, most] }) => `${model.sides.length > 1 ? `${short} ` : ""}± ${noiseText(half)} and ± ${noiseText(most)}`,
      );
      return {
        plots: [svg],
        legend: [
          ...sideLegend(model, series.map(({ side }) => side)),
          { kind: "band", label: "95 % interval of the median" },
          ...(samples.length > 0 ? [{ kind: "dot", fill: "none", label: "samples" }] : []),
        ],
        takeaways: sentences,
        note: overall.length > 0 ? `The 95 % interval of half of all rows, and of 90 % of them, is within: ${overall.join("; ")}.` : null,
        table: {
          columns: ["Device", "Epoch", "Time relative to the median"],
          rows: points.map(({ side, number, value }) => [model.sides[side].name, cell(number), cell(value, (ratio) => `${significant(ratio, 5)}×`)]),
        },
        shown: unique(series.map(({ side }) => side)),
        lacks: "no epochs of this row in its report, or on a page of many devices its epochs vary less than those of others",
      };
    },
  };
}
