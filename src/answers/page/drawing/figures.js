/* Formats numbers, sizes and times. */

/* The rules and examples of src/record/format.rs apply. Here a no-break space precedes the percent sign. */

/** `value` with `digits` significant digits, without an exponent. Digits before the decimal point are never rounded. */
function significant(value, digits) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  if (Math.abs(value) < 1e-9) return value.toExponential(digits - 1);
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.max(0, digits - 1 - exponent);
  const scale = 10 ** decimals;
  // 9.996 rounds to 10.0, not to 10.00.
  const gainsDigit = Math.round(Math.abs(value) * scale) / scale >= 10 ** (exponent + 1);
  return value.toFixed(gainsDigit ? Math.max(0, decimals - 1) : decimals);
}

/** `value` in the first of `units` in which it is below `step`. Each unit is `step` times the previous one. */
function scaled(value, units, digits, step = 1000) {
  // A value that rounds to 1000 uses the next unit.
  const limit = step === 1000 ? 1000 - 0.5 * 10 ** (3 - Math.max(3, digits)) : step;
  let unit = 0;
  while (value >= limit && unit + 1 < units.length) {
    value /= step;
    unit += 1;
  }
  return `${significant(value, digits)} ${units[unit]}`;
}

const time = (ns, digits = 3) => scaled(ns, ["ns", "µs", "ms", "s"], digits);
const loadLatency = (ns) => scaled(ns, ["ns/load", "µs/load"], 3);
const byteRate = (gb, digits = 3) => scaled(gb * 1000, ["MB/s", "GB/s", "TB/s"], digits);
/** Whether operations on a type are FLOP. `type` is `f32`, `vec4<f16>`, `u32`, or null for floats. */
const isFloat = (type) => type === null || /\bf\d/.test(type);

/** Operations per second, from 10^9. */
function operationRate(gflop, type, digits = 3) {
  const operation = isFloat(type) ? "FLOP/s" : "OP/s";
  return scaled(
    gflop * 1000,
    ["M", "G", "T"].map((prefix) => prefix + operation),
    digits,
  );
}
const energy = (joules) => scaled(joules * 1e6, ["µJ", "mJ", "J", "kJ"], 3);
const binary = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 3, 1024).replace(/\.0+(?= )/, "");

function percent(fraction) {
  const value = fraction * 100;
  if (value < 0.1) return "<0.1\u00a0%";
  return `${value.toFixed(value < 9.95 ? 1 : 0)}\u00a0%`;
}

/** The noise of a row, as on the terminal. */
const noiseText = (noise) => (noise > 1 ? ">100\u00a0%" : percent(noise));

/** A ratio without the × sign: three significant digits, two below 0.01. */
const ratioNumber = (value) => significant(value, value < 0.01 ? 2 : 3);
const ratioText = (value) => `${ratioNumber(value)}×`;
const ratioWithInterval = (value, low, high) =>
  low === null || high === null ? ratioText(value) : `${ratioText(value)} [${ratioNumber(low)}, ${ratioNumber(high)}]`;

/** A number of elements, or rows × columns. Powers of two from 1024 on are written as 2^20. */
function niceSize(n) {
  const count = Number(n);
  const power = Math.log2(count);
  return count >= 1024 && Number.isInteger(power) ? `2^${power}` : n.replaceAll("x", "×");
}

/** Maximum number of decades that get a tick each. */
const DECADES = 24;

/** Ticks of a logarithmic axis: powers of ten, with more steps between them if the range is short. */
function logTicks(low, high) {
  if (!(low > 0 && high >= low && high < Infinity)) return [];
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = last - first > 3 ? [1] : high / low > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const ticks = [];
  const apart = Math.ceil((last - first + 1) / DECADES);
  for (let decade = first; decade <= last; decade += apart) {
    for (const step of steps) ticks.push(step * 10 ** decade);
  }
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/** At most `most` evenly spaced powers of two from `low` to `high`. */
function binaryTicks(low, high, most) {
  if (!(low > 0 && high >= low && high < Infinity)) return [];
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(2 ** power);
  return ticks;
}

/** At most `most` multiples of a round step from `low` to `high`. */
function evenTicks(low, high, most) {
  if (!(high >= low && high - low < Infinity)) return [];
  // The least power of two that leaves fewer steps than `most`, and that numbers of this size can tell.
  let step = 1;
  while ((high - low) / step >= Math.max(1, most) || Math.max(-low, high) / step > 2 ** 50) step *= 2;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, index) => first + index * step);
}

/** At most `most` + 1 multiples of 1, 2 or 5 times a power of ten, from 0 to `high`. */
function roundTicks(high, most) {
  if (!(high > 0 && high < Infinity)) return [];
  const least = high / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= least * 0.999);
  return Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, index) => index * step);
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
