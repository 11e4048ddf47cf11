// In the frame: draws the page's data, and reports the height.

const root = document.getElementById("report");

addEventListener("message", ({ source, data }) => {
    if (source !== parent || !data?.sides) return;
    root.replaceChildren();
    ShaderbenchReport.render(root, data);
});
/** The bottom of the report's first screen, its summary. */
const first = () => document.querySelector(".screen, .cards")?.getBoundingClientRect().bottom ?? 0;
new ResizeObserver(() =>
    parent.postMessage({ height: document.body.scrollHeight, first: first() }, location.origin),
).observe(document.body);
// The layout sets the charts' width: wait for the style.
addEventListener("load", () => parent.postMessage("ready", location.origin));
