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

/** Half the interval of a row, relative to its median; empty if unknown. */
const plusMinus = ({ noise }) => (noise === null ? "" : ` ± ${noiseText(noise)}`);

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

/** The values by a key, as a map. */
const groups = (values, key) =>
  new Map(unique(values.map(key)).map((name) => [name, values.filter((value) => key(value) === name)]));
