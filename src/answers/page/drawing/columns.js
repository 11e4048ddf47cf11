/* The columns of the comparison table. */

/** Bytes or operations per second; for dependent loads of 4 bytes, the latency. */
function writeRate({ of, gb, gflop }) {
  if (gb === null) return operationRate(gflop, of.dtype);
  return of.isLatency ? loadLatency(4 / gb) : byteRate(gb);
}

const MEASURES = {
  median: { label: "Median", get: (row) => row.ns, write: (value) => time(value) },
  noise: { label: "±", get: (row) => row.noise, write: percent },
  rate: { label: "Rate", get: (row) => row.gb ?? row.gflop, write: (_, row) => writeRate(row) },
  share: { label: "Of ceiling", get: (row) => row.share, write: percent },
};

/** The matches whose ratios the table has: APIs of one card, and the first visible card with each other one. */
function tableMatches(model, sides) {
  const isVisible = (match) => sides.includes(match.baseline) && sides.includes(match.side);
  const visible = model.matches.filter(isVisible);
  const first = visible.find((match) => !match.is_one_device);
  return visible.filter((match) => match.is_one_device || match.baseline === first?.baseline);
}

/** The columns for the visible sides: case, measurements of each side, ratios, notes. `open` shows the kernel of a case. */
function tableColumns(model, sides, measures, open) {
  const text = (label, get, write = get) => ({ label, get, write, isText: true });
  const name = (of) => `${of.family}/${of.name}`;
  const opener = (of) => caseButton(model, of.index, name(of), open);
  const fixed = [{ ...text("Case", name, opener), isHead: true }, text("Size", (of) => of.kind)];
  const measured = sides.flatMap((side) =>
    measures.map((key) => {
      const { label, get, write } = MEASURES[key];
      const value = (of) => (of.rows[side] && of.rows[side].ns !== null ? get(of.rows[side]) : null);
      const cell = (of) => {
        const row = of.rows[side];
        if (!row) return "";
        if (row.ns === null) {
          const attributes = { type: "button", class: `status ${row.status}`, click: () => open(of) };
          const status = h("button", attributes, row.status);
          return key === measures[0] ? status : "";
        }
        return value(of) === null ? "" : write(value(of), row);
      };
      return { label, side, get: value, write: cell, isBar: key === "share" };
    }),
  );
  const cards = unique(sides.map((side) => model.sides[side].card + model.sides[side].device)).length;
  const ratios = tableMatches(model, sides).map((match) => ({
    label: cards > 1 ? `${model.sides[match.baseline].name} ÷ ${model.sides[match.side].name}` : match.title,
    isRatio: true,
    get: (of) => match.byCase.get(of)?.ratio ?? null,
    write(of) {
      const row = match.byCase.get(of);
      return row
        ? h(
            "span",
            { class: `ratio ${VERDICTS[row.verdict]}`, title: VERDICTS[row.verdict] },
            ratioWithInterval(row.ratio, row.low, row.high),
          )
        : "";
    },
  }));
  const remarks = (of) => {
    const noted = sides.filter((side) => of.rows[side]?.reason);
    const reasonOf = (side) => of.rows[side].reason;
    const who = (reason) => noted.filter((side) => reasonOf(side) === reason).map((side) => model.sides[side].short);
    const remark = (reason) => (who(reason).length < sides.length ? `${who(reason).join(", ")}: ${reason}` : reason);
    return unique(noted.map(reasonOf)).map(remark).join("; ");
  };
  return [...fixed, ...measured, ...ratios, text("Notes", remarks)];
}

/** Two header rows: the side of each group, and the column labels with sort buttons. */
function tableHead(model, columns, sorted, sort) {
  const groups = [];
  for (const column of columns) {
    const key = column.side ?? (column.isRatio ? "ratio" : "none");
    if (groups.at(-1)?.key === key) groups.at(-1).span += 1;
    else groups.push({ key, span: 1 });
  }
  const group = ({ key, span }) => {
    if (key === "none") return h("td", { colspan: span });
    const label = key === "ratio" ? "Ratio of times" : model.sides[key].name;
    return h("th", { scope: "colgroup", colspan: span }, label);
  };
  const heading = (column, index) => {
    const direction = sorted.index === index ? sorted.direction : "none";
    const arrow = { none: "↕", ascending: "↑", descending: "↓" }[direction];
    const sorting = direction === "none" ? null : direction;
    const mark = h("span", { class: "arrow", "aria-hidden": "true" }, arrow);
    const button = h("button", { type: "button", click: () => sort(index) }, column.label, mark);
    return h("th", { scope: "col", class: column.isText ? null : "number", "aria-sort": sorting }, button);
  };
  return h("thead", {}, h("tr", {}, groups.map(group)), h("tr", {}, columns.map(heading)));
}

function tableCell(column, of) {
  const content = column.write(of);
  if (column.isHead) return h("th", { scope: "row" }, content);
  const cell = h("td", { class: column.isText ? (column.label === "Notes" ? "notes" : null) : "number" }, content);
  const share = column.isBar ? column.get(of) : null;
  if (share !== null) {
    cell.classList.add("share");
    cell.style.setProperty("--share", String(Math.min(1, share)));
  }
  return cell;
}

/** Sorts by the value of a column. Cases without a value come last in both directions. */
function sortCases(cases, column, direction) {
  const sign = direction === "descending" ? -1 : 1;
  const isNone = (value) => value === null || value === "";
  return [...cases].sort((a, b) => {
    const [x, y] = [column.get(a), column.get(b)];
    if (isNone(x) || isNone(y)) return isNone(x) - isNone(y);
    return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  });
}

/** Whether the texts of the case contain every search word. */
function isFound(model, of, words) {
  const names = of.rows.filter(Boolean).map((row) => `${model.sides[row.side].name} ${row.status} ${row.reason}`);
  const text = [of.family, of.benchmark, of.dtype, of.n, niceSize(of.n), of.params, ...names].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
