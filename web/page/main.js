// Sends the selected families to the worker, and shows the rows that it measures.

import { revealCharts } from "./charts.js";
import { startCompare } from "./compare.js";
import { startCore } from "./core.js";
import { byId, download, element } from "./element.js";
import { startProgress } from "./progress.js";
import { clearRows, drawRows } from "./table.js";

const ASKED = new URLSearchParams(location.search);
const PLANT = ASKED.get("plant") ?? "";
/** Sizes that replace those of the profile. */
const SIZES = ASKED.getAll("size");
/** Epochs of each case, and the time limit in seconds; empty for the profile's. */
const EPOCHS = ASKED.get("epochs") ?? "";
const SECONDS = ASKED.get("time") ?? "";

/** Each profile's sizes and length of a run. */
const HINTS = {
    quick: "headline sizes, a minute or two",
    standard: "every size, several minutes",
    thorough: "every size, until the times settle",
};

const SOFTWARE_NOTE =
    "This is a software device on the CPU, not a GPU. Its results are verified, but its times say nothing about a " +
    "GPU, and a run takes minutes longer.";
const RUNNER_FAILED =
    "The measuring program failed, often because of too little memory. The finished rows are still here: " +
    "save them, then press Run to start again.";
const READER_FAILED =
    "The program that reads and compares reports failed, often because of too little memory: " +
    "load fewer reports, or smaller ones.";

let rows = [];
let hasDevice = false;
let isRunning = false;
/** The running case. */
let current = "";
const progress = startProgress();

/** Shows a sentence, once, until the user dismisses it. */
function notify(sentence, isBad = false) {
    if ([...byId("notices").querySelectorAll(".notice span")].some((shown) => shown.textContent === sentence)) return;
    const notice = element("div", { class: isBad ? "notice bad" : "notice" }, element("span", {}, sentence));
    notice.append(element("button", { type: "button", "aria-label": "Dismiss", click: () => notice.remove() }, "✕"));
    byId("notices").append(notice);
}

// One worker measures; the other reads files meanwhile.
const runner = startCore(
    RUNNER_FAILED,
    (what, value) => events[what](value),
    (sentence) => {
        notify(sentence, true);
        // Only once: a worker that fails while opening the device would fail again.
        if (hasDevice) openDevice();
        hasDevice = false;
    },
);
const reader = startCore(
    READER_FAILED,
    () => {},
    (sentence) => notify(sentence, true),
);
const compare = startCompare(reader, notify);

/** A function for each event of a run in `web/src/event.rs`. */
const events = {
    // Not earlier: a run that fails to start keeps the previous rows.
    Pass({ count }) {
        rows = [];
        clearRows();
        byId("timer").textContent = "";
        byId("save-csv").disabled = byId("save-json").disabled = true;
        progress.begin(count);
    },
    Reopened() {
        const lost = `The device was lost during ${current}; its row has the reason.`;
        const advice = "If this happens again, close other programs that use the GPU.";
        notify(`${lost} The run continues with a new device. ${advice}`, true);
    },
    Timer({ is_device, tick, note }) {
        const clock = is_device ? "the device’s timestamps" : "the browser’s clock";
        byId("timer").textContent = `Timed by ${clock}, in steps of ${tick}${note ? ` (${note})` : ""}.`;
    },
    Plan: ({ epochs }) => progress.expect(epochs),
    Start(value) {
        current = value.case;
        progress.start(current);
    },
    Rows({ from, rows: changed, ends_pass }) {
        if (!ends_pass) progress.finish();
        rows.splice(from, rows.length - from, ...changed);
        drawRows(from, changed);
        byId("save-csv").disabled = byId("save-json").disabled = false;
    },
};

async function run() {
    isRunning = true;
    byId("notices").replaceChildren();
    if (PLANT) notify(`Self-test: the kernel ${PLANT} has a planted fault; its rows must have the status “wrong”.`);
    setRunning();
    try {
        const isInterrupted = await runner.call("run", {
            families: selected("family"),
            profile: selected("profile")[0],
            sizes: SIZES,
            epochs: EPOCHS,
            seconds: SECONDS,
            plant: PLANT,
        });
        progress.end(isInterrupted ? `Stopped after ${rows.length} rows.` : `Done: ${rows.length} rows.`);
    } catch (error) {
        notify(error.message, true);
        progress.end(`Ended early after ${rows.length} rows.`);
    }
    isRunning = false;
    setRunning();
    // Show the plan's text first, so that the scroll position below it is final.
    await showPlan();
    await compare.setOwnRows(records());
    if (rows.length > 0) revealCharts();
}

function setRunning() {
    if (isRunning) byId("run").disabled = true;
    byId("stop").disabled = !isRunning;
    for (const input of byId("choice").querySelectorAll("input")) input.disabled = isRunning;
    for (const button of byId("families").querySelectorAll("button")) button.disabled = isRunning;
}

const selected = (name) =>
    [...byId("choice").querySelectorAll(`input[name=${name}]:checked`)].map((input) => input.value);
const records = () => rows.map((row) => row.record);

/** `nvidia-ampere-webgpu-2026-11-20.csv`. */
function fileName(ending) {
    const [first] = records();
    const device = first.device
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
    return `${device}-${first.backend}-${first.date.slice(0, 10)}.${ending}`;
}

async function saveCsv() {
    try {
        download(fileName("csv"), "text/csv", await reader.call("csv", { json: JSON.stringify(records()) }));
    } catch (error) {
        notify(error.message, true);
    }
}

function showDevice(facts) {
    const value = (name) => facts.find(([section, own]) => section === "" && own === name)?.[2];
    const pair = ([, name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text || "yes"));
    const basics = facts.filter(([section, name, text]) => section === "" && text && name !== "name");
    const rest = facts.filter(([section]) => section !== "");
    byId("device").replaceChildren(
        element("p", { class: "device-name" }, value("name")),
        element("p", { class: "quiet" }, ["vendor", "type", "driver"].map(value).filter(Boolean).join(" · ")),
        value("type") === "software" ? element("p", { class: "note" }, SOFTWARE_NOTE) : "",
    );
    byId("properties").hidden = false;
    byId("properties").querySelector("dl")?.remove();
    byId("properties").append(element("dl", { class: "facts" }, [...basics, ...rest].map(pair)));
    byId("device").removeAttribute("aria-busy");
}

function showChoices({ version, profiles, families }) {
    byId("version").textContent = version;
    const chip = (type, name, value, isOn, title) =>
        element(
            "label",
            { class: "chip", title },
            element("input", { type, name, value, checked: isOn }),
            element("span", {}, value),
        );
    byId("profiles").append(...profiles.map((name, index) => chip("radio", "profile", name, index === 0, HINTS[name])));
    byId("families").append(...families.map(({ name, summary }) => chip("checkbox", "family", name, true, summary)));
    const all = (isOn) => () => {
        for (const input of byId("families").querySelectorAll("input")) input.checked = isOn;
        showPlan();
    };
    byId("families").append(
        element("button", { type: "button", class: "small", click: all(true) }, "All"),
        element("button", { type: "button", class: "small", click: all(false) }, "None"),
    );
}

async function showPlan() {
    if (!byId("families").querySelector("input")) return;
    const families = selected("family");
    const [profile] = selected("profile");
    if (families.length === 0) {
        byId("plan").textContent = "Choose at least one family.";
        byId("run").disabled = true;
        return;
    }
    try {
        const count = await reader.call("count", { families, profile, sizes: SIZES });
        const what = SIZES.length > 0 ? `size ${SIZES.join(", ")}, from the address` : HINTS[profile];
        byId("plan").textContent = `${count} cases, ceilings included: ${what}.`;
        byId("run").disabled = isRunning || !hasDevice;
    } catch (error) {
        byId("plan").textContent = `${error.message.replace(/\.$/, "")}.`;
        byId("run").disabled = true;
    }
}

byId("choice").addEventListener("change", showPlan);
byId("choice").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
});
byId("stop").addEventListener("click", () => {
    byId("stop").disabled = true;
    progress.show("Stopping after this case …");
    runner.call("stop").catch(() => {});
});
byId("save-json").addEventListener("click", () =>
    download(fileName("json"), "application/json", `${JSON.stringify(records(), null, 2)}\n`),
);
byId("save-csv").addEventListener("click", saveCsv);
document.addEventListener("visibilitychange", () => {
    runner.call("hide", { isHidden: document.hidden }).catch(() => {});
    progress.pause(document.hidden);
});
addEventListener("beforeunload", (event) => {
    if (isRunning) event.preventDefault();
});

async function openDevice() {
    try {
        const facts = await runner.call("open");
        await runner.call("hide", { isHidden: document.hidden });
        hasDevice = true;
        showDevice(facts);
    } catch (error) {
        byId("device").replaceChildren(
            element("p", { class: "quiet" }, "No device is available. Reports can still be compared below."),
        );
        byId("device").removeAttribute("aria-busy");
        notify(error.message, true);
    }
    await showPlan();
}

const opened = openDevice();
try {
    showChoices(await reader.call("choices"));
    await opened;
    await showPlan();
} catch (error) {
    notify(error.message, true);
}
