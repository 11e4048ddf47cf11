// The charts stand in a frame of their own: they bring the report page's style with them.

import { byId } from "./element.js";

let isLoaded = false;
let data = null;

/** Draws what the worker has worked out of the reports. */
export function drawCharts(fresh) {
    data = fresh;
    const frame = byId("charts-frame");
    byId("charts").hidden = frame.hidden = false;
    if (!frame.src) frame.src = "charts.html";
    if (isLoaded) show();
}

const show = () => byId("charts-frame").contentWindow.postMessage(data, location.origin);

addEventListener("message", ({ source, data: said }) => {
    const frame = byId("charts-frame");
    if (source !== frame.contentWindow) return;
    if (said === "ready") {
        isLoaded = true;
        show();
    } else if (said.height) {
        frame.style.height = `${Math.ceil(said.height)}px`;
    }
});
