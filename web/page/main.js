// The page: what is chosen goes to the worker, what it measures comes back row by row.

import { startCompare } from "./compare.js";
import { startCore } from "./core.js";
import { byId, download, element } from "./element.js";
import { startProgress } from "./progress.js";
import { clearTables, drawFamilies } from "./table.js";

const ASKED = new URLSearchParams(location.search);
const PLANT = ASKED.get("plant") ?? "";
/** Sizes in place of the profile's. */
const SIZES = ASKED.getAll("size");

/** What each profile is good for. */
const HINTS = { quick: "headline sizes, a minute or two", standard: "every size, some minutes", thorough: "every size, until it settles" };

let rows = [];
let isRunning = false;
const progress = startProgress();

/** Shows a sentence until it is put away. */
function tell(sentence, isBad = false) {
    const notice = element("div", { class: isBad ? "notice bad" : "notice" }, element("span", {}, sentence));
    notice.append(element("button", { type: "button", "aria-label": "Put this away", click: () => notice.remove() }, "✕"));
    byId("notices").append(notice);
}

// One worker measures; the other reads files meanwhile.
const bench = startCore(hear, (sentence) => { tell(sentence, true); rest(); byId("run").disabled = true; });
const reader = startCore(() => {}, (sentence) => tell(sentence, true));
const compare = startCompare(reader, tell);

function hear(what, value) {
    if (what === "plan") progress.begin(value.cases);
    if (what === "timer") {
        const clock = value.is_device ? "the device’s timestamps" : "the browser’s clock";
        byId("timer").textContent = `Timed by ${clock}, in steps of ${value.tick}${value.note ? ` (${value.note})` : ""}.`;
    }
    if (what === "start") progress.start(value.case);
    if (what === "rows") {
        rows.splice(value.from, rows.length - value.from, ...value.rows);
        drawFamilies(value.families, rows);
        progress.finish();
        byId("save-csv").disabled = byId("save-json").disabled = false;
    }
}

async function run() {
    isRunning = true;
    rows = [];
    clearTables();
    byId("notices").replaceChildren();
    if (PLANT) tell(`Self-test: the kernel ${PLANT} carries a planted fault; its rows must say “wrong”.`);
    setRunning();
    try {
        const ended = await bench.call("run", { families: chosen("family"), profile: chosen("profile")[0], sizes: SIZES, plant: PLANT });
        progress.end(ended === "complete" ? `Done: ${rows.length} rows.` : `Stopped: the ${rows.length} rows so far are kept.`);
    } catch (error) {
        tell(error.message, true);
        progress.end(`Ended early: the ${rows.length} rows so far are kept.`);
    }
    rest();
    compare.own(records());
}

function rest() {
    isRunning = false;
    setRunning();
}

function setRunning() {
    byId("run").disabled = isRunning;
    byId("stop").disabled = !isRunning;
    for (const input of byId("choice").querySelectorAll("input")) input.disabled = isRunning;
    for (const button of byId("families").querySelectorAll("button")) button.disabled = isRunning;
}

const chosen = (name) => [...byId("choice").querySelectorAll(`input[name=${name}]:checked`)].map((input) => input.value);
const records = () => rows.map((row) => row.record);

/** `nvidia-ampere-webgpu-2026-11-20.csv`. */
function fileName(ending) {
    const [first] = records();
    const device = first.device.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    return `${device}-${first.backend}-${first.date.slice(0, 10)}.${ending}`;
}

function showDevice(told) {
    const value = (name) => told.find(([section, own]) => section === "" && own === name)?.[2];
    const pair = ([, name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text || "yes"));
    const basics = told.filter(([section, name, text]) => section === "" && text && name !== "name");
    const rest = told.filter(([section]) => section !== "");
    byId("device").replaceChildren(
        element("p", { class: "device-name" }, value("name")),
        value("type") === "software" ? element("p", { class: "note" }, "This is a program on the processor, no GPU: its answers are checked as any, its speed says nothing about a GPU. It takes minutes over what a GPU does at once.") : "",
        element("dl", { class: "facts" }, basics.map(pair)),
        element("details", {}, element("summary", {}, "Everything that the browser tells"), element("dl", { class: "facts" }, rest.map(pair))));
    byId("device").removeAttribute("aria-busy");
}

function showChoices({ version, profiles, families }) {
    byId("version").textContent = version;
    const chip = (type, name, value, isOn, title) => element("label", { class: "chip", title },
        element("input", { type, name, value, checked: isOn }), element("span", {}, value));
    byId("profiles").append(...profiles.map((name, place) => chip("radio", "profile", name, place === 0, HINTS[name])));
    byId("families").append(...families.map(({ name, summary }) => chip("checkbox", "family", name, true, summary)));
    const all = (isOn) => () => {
        for (const input of byId("families").querySelectorAll("input")) input.checked = isOn;
        showPlan();
    };
    byId("families").append(
        element("button", { type: "button", class: "small", click: all(true) }, "All"),
        element("button", { type: "button", class: "small", click: all(false) }, "None"));
}

async function showPlan() {
    const families = chosen("family");
    const [profile] = chosen("profile");
    if (families.length === 0) {
        byId("plan").textContent = "Choose at least one family.";
        byId("run").disabled = true;
        return;
    }
    try {
        const count = await reader.call("count", { families, profile, sizes: SIZES });
        const what = SIZES.length > 0 ? `size ${SIZES.join(", ")}, as the address says` : HINTS[profile];
        byId("plan").textContent = `${count} cases, ceilings included: ${what}.`;
        byId("run").disabled = isRunning || !hasDevice;
    } catch (error) {
        byId("plan").textContent = `${error.message}.`;
        byId("run").disabled = true;
    }
}

let hasDevice = false;

byId("choice").addEventListener("change", showPlan);
byId("choice").addEventListener("submit", (event) => { event.preventDefault(); run(); });
byId("stop").addEventListener("click", () => { byId("stop").disabled = true; progress.say("Stopping after this case …"); bench.call("stop"); });
byId("save-json").addEventListener("click", () => download(fileName("json"), "application/json", `${JSON.stringify(records(), null, 2)}\n`));
byId("save-csv").addEventListener("click", async () => download(fileName("csv"), "text/csv", await reader.call("csv", { json: JSON.stringify(records()) })));
document.addEventListener("visibilitychange", () => {
    bench.call("hide", { isHidden: document.hidden });
    progress.pause(document.hidden);
});
addEventListener("beforeunload", (event) => { if (isRunning) event.preventDefault(); });

try {
    showChoices(await reader.call("choices"));
    await showPlan();
    showDevice(await bench.call("open"));
    hasDevice = true;
    await showPlan();
} catch (error) {
    byId("device").replaceChildren(element("p", { class: "quiet" }, "There is nothing to run on here. Reports can still be compared below."));
    byId("device").removeAttribute("aria-busy");
    tell(error.message, true);
}
