/* Numbers, sizes and times as text. */

/* Quantities follow the rules of src/results/format.rs and its examples; a percent sign cannot be parted from its number here. */

/** `value` to so many significant digits, without an exponent. Digits before the point are never rounded away. */
function significant(value, digits) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(100, Math.max(0, digits - 1 - exponent));
  const scale = 10 ** decimals;
  // 9.996 rounds to 10.0, not to 10.00.
  const gainsDigit = Math.round(Math.abs(value) * scale) / scale >= 10 ** (exponent + 1);
  return value.toFixed(gainsDigit ? Math.max(0, decimals - 1) : decimals);
}

/** `value` in the first of `units`, each `step` times the one before, in which it stays below a step. */
function scaled(value, units, digits, step = 1000) {
  // What rounds to 1000 belongs to the next unit.
  const limit = step === 1000 ? 1000 - 0.5 * 10 ** (3 - Math.max(3, digits)) : step;
  let unit = 0;
  while (value >= limit && unit + 1 < units.length) {
    value /= step;
    unit += 1;
  }
  return `${significant(value, digits)} ${units[unit]}`;
}

const time = (ns, digits = 4) => scaled(ns, ["ns", "µs", "ms", "s"], digits);
const loadLatency = (ns) => scaled(ns, ["ns/load", "µs/load"], 3);
const byteRate = (gb, digits = 4) => scaled(gb * 1000, ["MB/s", "GB/s", "TB/s"], digits);
const flopRate = (gflop, digits = 3) => scaled(gflop * 1000, ["MFLOP/s", "GFLOP/s", "TFLOP/s"], digits);
const binary = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 3, 1024).replace(/\.0+(?= )/, "");

function percent(fraction) {
  const value = fraction * 100;
  if (value < 0.1) return "<0.1\u00a0%";
  return `${value.toFixed(value < 9.95 ? 1 : 0)}\u00a0%`;
}

/** The number of a ratio: three significant digits, two below 0.01. */
const ratioNumber = (value) => significant(value, value < 0.01 ? 2 : 3);
const ratioText = (value) => `${ratioNumber(value)}×`;
const ratioWithInterval = (value, low, high) => (low === null || high === null ? ratioText(value) : `${ratioText(value)} [${ratioNumber(low)}, ${ratioNumber(high)}]`);

/** A number of elements, or rows x columns: 2^20 for powers of two. */
function niceSize(n) {
  const count = Number(n);
  const power = Math.log2(count);
  return count >= 1024 && Number.isInteger(power) ? `2^${power}` : n.replaceAll("x", "×");
}

/** Ticks of a logarithmic axis: decades, or the more within them the fewer they are. */
function logTicks(low, high) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = last - first > 3 ? [1] : high / low > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const ticks = [];
  for (let decade = first; decade <= last; decade += 1) {
    for (const step of steps) ticks.push(step * 10 ** decade);
  }
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/** At most `most` powers of two that lie between `low` and `high`, evenly apart. */
function binaryTicks(low, high, most) {
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(2 ** power);
  return ticks;
}

/** Multiples of a round step from `low` to `high`, at most `most` of them. */
function evenTicks(low, high, most) {
  const step = [1, 2, 4, 8, 16, 32, 64].find((size) => (high - low) / size < most) ?? 128;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, index) => first + index * step);
}

/** A factor on an axis: 0.5×. */
const factor = (value) => `${Number(value.toPrecision(3))}×`;

function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return [low, high];
}

const unique = (values) => [...new Set(values)];
