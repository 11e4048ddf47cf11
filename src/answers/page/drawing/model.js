/* Decodes the data object into rows for the charts and the table. */

function decodeCases(data) {
  const { cases, texts } = data;
  return cases.family.map((_, index) => {
    const of = (column) => texts[column[index]];
    const n = of(cases.n);
    const benchmark = of(cases.benchmark);
    const params = of(cases.params);
    const family = of(cases.family);
    const known = data.families.find(({ name }) => name === family);
    const kind = `${of(cases.dtype)} ${niceSize(n)}`;
    return {
      index,
      family,
      isLatency: known?.latencies.includes(benchmark) ?? false,
      isLibrary: known?.libraries.includes(benchmark) ?? false,
      benchmark,
      dtype: of(cases.dtype),
      n,
      sides: data.values.sides[cases.n[index]],
      count: data.values.sides[cases.n[index]].reduce((product, side) => product * side, 1),
      elementBytes: data.values.element_bytes[cases.dtype[index]],
      params,
      param: new Map(Object.entries(data.values.params[cases.params[index]] ?? {})),
      bytes: cases.bytes[index],
      flops: cases.flops[index],
      model: cases.model[index],
      ceiling: cases.ceiling[index],
      kind,
      name: params === "" ? benchmark : `${benchmark} ${params}`,
      rows: [],
    };
  });
}

/** Expands ranges (first, count) to indices. */
const ranges = (list) => list.flatMap(([first, count]) => Array.from({ length: count }, (_, step) => first + step));

function decodeRows(data, side, index, cases) {
  const { rows } = side;
  const sparse = (list) => new Map(list.map(([row, ...rest]) => [row, rest]));
  const lists = [rows.notes, rows.checks, rows.timer, rows.work, rows.ceiling, rows.compiled, rows.energy];
  const [notes, checks, timers, works, ceilings, compiled, energies] = lists.map(sparse);
  return ranges(rows.case).map((at, number) => {
    const of = cases[at];
    const ns = rows.median_ns[number];
    const [status, reason] = notes.get(number) ?? ["ok", null];
    const [bytes, flops] = works.get(number) ?? [of.bytes, of.flops];
    // Rounding may take the lower end of a wide interval to zero, which a logarithmic axis does not have.
    const isKnown = rows.below[number] !== null && rows.above[number] !== null && rows.below[number] < 1e4;
    const reach = (column, sign) => (isKnown ? ns * (1 + (sign * column[number]) / 1e4) : null);
    const [translation, pipeline, instructions] = compiled.get(number)?.[0] ?? [null, null, null];
    const [joules, watts] = energies.get(number)?.[0] ?? [null, null];
    const share = rows.share[number];
    const ceiling = share === null ? null : (ceilings.get(number)?.[0] ?? of.ceiling);
    const rate = (amount) => (ns === null || amount === null ? null : amount / ns);
    const row = {
      of,
      side: index,
      ns,
      low: reach(rows.below, -1),
      high: reach(rows.above, 1),
      noise: ns === null || !isKnown ? null : (rows.below[number] + rows.above[number]) / 2e4,
      gb: rate(bytes),
      gflop: rate(flops),
      share,
      ceiling: ceiling === null ? "" : data.texts[ceiling],
      limit: data.values.limits[ceiling] ?? null,
      translation,
      pipeline,
      instructions,
      joules,
      watts,
      status,
      reason: reason === null ? "" : data.texts[reason],
      checks: checks.has(number) ? data.texts[checks.get(number)[0]] : "",
      timer: timers.has(number) ? data.texts[timers.get(number)[0]] : "",
    };
    of.rows[index] = row;
    return row;
  });
}

/** The interval of a ratio from its half width on a log scale; ends are null if it is unknown, as in an empty column. */
function ratioInterval(ratio, reach) {
  const factor = typeof reach === "number" ? Math.exp(reach / 1e4) : null;
  return { low: factor && ratio / factor, high: factor && ratio * factor };
}

/** The means of a match as rows. */
function decodeMeans({ means }, texts) {
  const text = (index) => (index === null ? null : texts[index]);
  return means.ratio.map((ratio, number) => ({
    family: text(means.family[number]),
    benchmark: text(means.benchmark[number]),
    cases: means.cases[number],
    ratio,
    ...ratioInterval(ratio, means.reach[number]),
  }));
}

function decodeMatch(match, sides, cases, texts) {
  const rows = ranges(match.case).map((index, number) => {
    const ratio = match.ratio[number];
    return {
      of: cases[index],
      ratio,
      ...ratioInterval(ratio, match.reach[number]),
      verdict: match.verdict[number],
    };
  });
  const [baseline, side] = [sides[match.baseline], sides[match.side]];
  const isByApi = match.is_one_device && baseline.api !== side.api;
  // Two cards through one API.
  const names = [baseline.name, side.name].map((name) => name.replace(` · ${side.api}`, ""));
  const isOneApi = baseline.api === side.api && names[0] !== names[1];
  const [a, b] = isByApi ? [baseline.api, side.api] : isOneApi ? names : [baseline.name, side.name];
  return {
    ...match,
    verdicts: match.means.verdicts,
    means: decodeMeans(match, texts),
    rows,
    byCase: new Map(rows.map((row) => [row.of, row])),
    a,
    b,
    isByApi,
    title: `${a} ÷ ${b}`,
  };
}

/** Decodes the data object. Sides and rows are new objects; the data is not modified. */
function decode(data) {
  const sides = data.sides.map((side, index) => ({
    ...side,
    index,
    isSoftware: side.is_software,
    finding: new Map(side.findings),
  }));
  const cases = decodeCases(data);
  for (const side of sides) {
    side.list = decodeRows(data, side, side.index, cases);
  }
  const matches = data.matches.map((match) => decodeMatch(match, sides, cases, data.texts));
  return {
    screen: data.screen,
    families: data.families,
    title: data.title,
    sides,
    cases,
    matches,
    toolVersion: data.tool_version,
    softwareNote: data.software_note,
  };
}

/** Rows with a time on the given sides, for a family or one of its benchmarks. */
function timed(model, sides, family, benchmark = null) {
  return sides.flatMap((side) =>
    model.sides[side].list.filter(
      (row) => row.ns !== null && row.of.family === family && (benchmark === null || row.of.benchmark === benchmark),
    ),
  );
}
