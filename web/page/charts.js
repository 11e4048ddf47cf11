// The report of this page's rows and reports, in a frame with the report page's style; folded to its first screen.

import { byId } from "./element.js";

let isLoaded = false;
let data = null;
let isUnfolded = false;
/** Heights of the report and of its first screen, in pixels. */
let heights = { all: 0, first: 0 };
let whenDrawn = null;

/** Draws the data that the worker computes from the reports. */
export function drawCharts(fresh) {
    data = fresh;
    const frame = byId("charts-frame");
    byId("charts").hidden = frame.hidden = false;
    if (!frame.src) frame.src = "charts.html";
    if (isLoaded) show();
}

/** Scrolls to the first screen once it is drawn. */
export function revealCharts() {
    whenDrawn = () => byId("charts").scrollIntoView({ block: "start" });
    if (heights.all > 0) whenDrawn();
}

const show = () => byId("charts-frame").contentWindow.postMessage(data, location.origin);

function fold() {
    const canFold = heights.first > 0 && heights.first < heights.all;
    byId("charts-frame").style.height = `${heights.all}px`;
    byId("fold").style.height = canFold && !isUnfolded ? `${heights.first}px` : "";
    byId("unfold").hidden = !canFold;
    byId("unfold").textContent = isUnfolded ? "Show the first screen only" : "Show all charts";
    byId("unfold").setAttribute("aria-expanded", String(isUnfolded));
}

byId("unfold").addEventListener("click", () => {
    isUnfolded = !isUnfolded;
    fold();
});

addEventListener("message", ({ source, data: message }) => {
    const frame = byId("charts-frame");
    if (source !== frame.contentWindow) return;
    if (message === "ready") {
        isLoaded = true;
        show();
    } else if (message.height) {
        heights = { all: Math.ceil(message.height), first: Math.ceil(message.first) };
        fold();
        whenDrawn?.();
        whenDrawn = null;
    }
});
