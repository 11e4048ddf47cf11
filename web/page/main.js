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

const BROKEN_BENCH = "The measuring program broke down, often for lack of memory: the rows so far are kept; save them, then press Run to start anew.";
const BROKEN_READER = "The program that reads and compares reports broke down, often for lack of memory: take fewer reports, or smaller ones.";

let rows = [];
let hasDevice = false;
let isRunning = false;
/** The case that runs, by name. */
let current = "";
const progress = startProgress();

/** Shows a sentence until it is put away; once, where several say the same. */
function tell(sentence, isBad = false) {
    if ([...byId("notices").querySelectorAll(".notice span")].some((shown) => shown.textContent === sentence)) return;
    const notice = element("div", { class: isBad ? "notice bad" : "notice" }, element("span", {}, sentence));
    notice.append(element("button", { type: "button", "aria-label": "Put this away", click: () => notice.remove() }, "✕"));
    byId("notices").append(notice);
}

// One worker measures; the other reads files meanwhile.
const bench = startCore(BROKEN_BENCH, hear, (sentence) => {
    tell(sentence, true);
    // Once only: what breaks down while it opens its device would do so forever.
    if (hasDevice) openDevice();
    hasDevice = false;
});
const reader = startCore(BROKEN_READER, () => {}, (sentence) => tell(sentence, true));
const compare = startCompare(reader, tell);

function hear(what, value) {
    if (what === "plan") {
        // Not before: a run that cannot even start leaves the rows of the one before.
        rows = [];
        clearTables();
        byId("timer").textContent = "";
        byId("save-csv").disabled = byId("save-json").disabled = true;
        progress.begin(value.cases);
    }
    if (what === "reopened") tell(`The device was lost during ${current}, whose row says why. The run goes on with a new one; if it happens again, close what else uses the GPU.`, true);
    if (what === "timer") {
        const clock = value.is_device ? "the device’s timestamps" : "the browser’s clock";
        byId("timer").textContent = `Timed by ${clock}, in steps of ${value.tick}${value.note ? ` (${value.note})` : ""}.`;
    }
    if (what === "start") {
        current = value.case;
        progress.start(current);
    }
    if (what === "rows") {
        rows.splice(value.from, rows.length - value.from, ...value.rows);
        drawFamilies(value.families, rows);
        progress.finish();
        byId("save-csv").disabled = byId("save-json").disabled = false;
    }
}

async function run() {
    isRunning = true;
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
    isRunning = false;
    setRunning();
    compare.own(records());
}

function setRunning() {
    if (isRunning) byId("run").disabled = true;
    else showPlan();
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
    if (!byId("families").querySelector("input")) return;
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
        byId("plan").textContent = `${error.message.replace(/\.$/, "")}.`;
        byId("run").disabled = true;
    }
}

byId("choice").addEventListener("change", showPlan);
byId("choice").addEventListener("submit", (event) => { event.preventDefault(); run(); });
byId("stop").addEventListener("click", () => { byId("stop").disabled = true; progress.say("Stopping after this case …"); bench.call("stop").catch(() => {}); });
byId("save-json").addEventListener("click", () => download(fileName("json"), "application/json", `${JSON.stringify(records(), null, 2)}\n`));
byId("save-csv").addEventListener("click", async () => {
    try {
        download(fileName("csv"), "text/csv", await reader.call("csv", { json: JSON.stringify(records()) }));
    } catch (error) {
        tell(error.message, true);
    }
});
document.addEventListener("visibilitychange", () => {
    bench.call("hide", { isHidden: document.hidden }).catch(() => {});
    progress.pause(document.hidden);
});
addEventListener("beforeunload", (event) => { if (isRunning) event.preventDefault(); });

async function openDevice() {
    try {
        const told = await bench.call("open");
        await bench.call("hide", { isHidden: document.hidden });
        hasDevice = true;
        showDevice(told);
    } catch (error) {
        byId("device").replaceChildren(element("p", { class: "quiet" }, "There is nothing to run on here. Reports can still be compared below."));
        byId("device").removeAttribute("aria-busy");
        tell(error.message, true);
    }
    await showPlan();
}

const opened = openDevice();
try {
    showChoices(await reader.call("choices"));
    await opened;
    await showPlan();
} catch (error) {
    tell(error.message, true);
}
