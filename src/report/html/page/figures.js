/* Numbers, sizes and times as people read them. */

/** `value` to so many significant digits, without an exponent. */
function digits(value, precision) {
  const whole = value >= 1 ? Math.floor(Math.log10(value)) + 1 : 1;
  return value.toFixed(Math.max(0, precision - whole));
}

function scaled(value, units, precision, step = 1000) {
  let unit = 0;
  while (value >= step * 0.99995 && unit + 1 < units.length) {
    value /= step;
    unit += 1;
  }
  return `${digits(value, precision)} ${units[unit]}`;
}

const time = (ns, precision = 4) => scaled(ns, ["ns", "µs", "ms", "s"], precision);
const bandwidth = (gb, precision = 4) => (gb < 1 ? `${digits(gb * 1000, precision)} MB/s` : scaled(gb, ["GB/s", "TB/s"], precision));
const arithmetic = (gflop, precision = 3) => scaled(gflop, ["GFLOP/s", "TFLOP/s"], precision);
const binary = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 3, 1024).replace(/\.0+(?= )/, "");

function percent(fraction) {
  const value = fraction * 100;
  if (value > 0 && value < 0.1) return "<0.1\u00a0%";
  return value < 9.95 ? `${value.toFixed(1)}\u00a0%` : `${value.toFixed(0)}\u00a0%`;
}

/** A ratio with three digits; below 1 three behind the point, so that both sides of 1 are told as finely. */
function ratioFigure(value) {
  if (value < 0.01) return String(Number(value.toPrecision(2)));
  if (value < 0.0995) return value.toFixed(4);
  return value < 0.9995 ? value.toFixed(3) : digits(value, 3);
}

const times = (value) => `${ratioFigure(value)}×`;
const withInterval = (value, low, high) => (low === null || high === null ? times(value) : `${times(value)} [${ratioFigure(low)}, ${ratioFigure(high)}]`);

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
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, place) => first + place * step);
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
