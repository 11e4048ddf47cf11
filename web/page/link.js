// Headline figures in the fragment of an address, which no browser sends to a server. Whoever opens such an address gets
// text of a stranger: it is read within limits, and shown as text.

/** A run: `device`, `driver`, `date` (a day), `version`, and `figures`, each with `name`, `unit` and `value`. */

const MOST_CHARACTERS = 4000;
const MOST_FIGURES = 40;
const UNITS = { B: "GB/s", F: "GFLOP/s", O: "GOP/s", T: "ns" };
const LARGEST = 1e15;

/** What the other parts of a run look like. Letters of every script, but nothing invisible. */
const PARTS = {
    device: /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,80}$/u,
    driver: /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{0,80}$/u,
    date: /^\d{4}-\d{2}-\d{2}$/,
    version: /^[\w.+-]{1,20}$/,
};
const NAME = /^[A-Za-z0-9][A-Za-z0-9 -]{0,29}$/;

/** The fragment of a run, without `#`. */
export function fragmentOf(run) {
    const parts = new URLSearchParams({ figures: "1" });
    for (const name of Object.keys(PARTS)) parts.set(name, run[name].slice(0, 80));
    const letterOf = (unit) => Object.keys(UNITS).find((letter) => UNITS[letter] === unit);
    for (const { name, unit, value } of run.figures.slice(0, MOST_FIGURES))
        parts.append("f", [name, letterOf(unit), Number(value.toPrecision(3))].join("*"));
    return parts.toString();
}

/** The run in a fragment; `null` if the fragment holds none. Throws a sentence if it holds a broken one. */
export function runIn(fragment) {
    const parts = new URLSearchParams(fragment.slice(0, MOST_CHARACTERS));
    if (!parts.has("figures")) return null;
    const broken = (what) => new Error(`The figures of this link cannot be shown: ${what}.`);
    if (fragment.length > MOST_CHARACTERS) throw broken("it is too long");
    if (parts.get("figures") !== "1") throw broken("a newer version wrote them");
    const run = { figures: [] };
    for (const [name, pattern] of Object.entries(PARTS)) {
        run[name] = parts.get(name) ?? "";
        if (!pattern.test(run[name])) throw broken(`its ${name} is not valid`);
    }
    const seen = new Set();
    for (const text of parts.getAll("f")) {
        const [name, letter, number, ...rest] = text.split("*");
        const [unit, value] = [Object.hasOwn(UNITS, letter) ? UNITS[letter] : undefined, Number(number)];
        const isValid = NAME.test(name) && unit && value > 0 && value < LARGEST && rest.length === 0 && !seen.has(name);
        if (!isValid || seen.size >= MOST_FIGURES) throw broken("a figure is not valid");
        seen.add(name);
        run.figures.push({ name, unit, value });
    }
    if (run.figures.length === 0) throw broken("it has none");
    return run;
}
