// The charts are in a frame, because they have the style of the report page.

import { byId } from "./element.js";

let isLoaded = false;
let data = null;

/** Draws the chart data that the worker computes from the reports. */
export function drawCharts(fresh) {
    data = fresh;
    const frame = byId("charts-frame");
    byId("charts").hidden = frame.hidden = false;
    if (!frame.src) frame.src = "charts.html";
    if (isLoaded) show();
}

const show = () => byId("charts-frame").contentWindow.postMessage(data, location.origin);

addEventListener("message", ({ source, data: message }) => {
    const frame = byId("charts-frame");
    if (source !== frame.contentWindow) return;
    if (message === "ready") {
        isLoaded = true;
        show();
    } else if (message.height) {
        frame.style.height = `${Math.ceil(message.height)}px`;
    }
});
