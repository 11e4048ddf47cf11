// In the frame: draws the data that the page sends, and reports the height.

const root = document.getElementById("report");

addEventListener("message", ({ source, data }) => {
    if (source !== parent || !data?.sides) return;
    root.replaceChildren();
    ShaderbenchReport.render(root, data);
});
/** The end of the report's first screen: its summary. */
const first = () => document.querySelector(".screen, .cards")?.getBoundingClientRect().bottom ?? 0;
new ResizeObserver(() =>
    parent.postMessage({ height: document.body.scrollHeight, first: first() }, location.origin),
).observe(document.body);
// The layout sets the width of charts: wait for the style.
addEventListener("load", () => parent.postMessage("ready", location.origin));
