// In the frame: draws the data that the page sends, and reports the height.

const root = document.getElementById("report");

addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    root.replaceChildren();
    ShaderbenchReport.render(root, data);
});
new ResizeObserver(() => parent.postMessage({ height: document.body.scrollHeight }, location.origin)).observe(
    document.body,
);
// The layout sets the width of charts: wait for the style.
addEventListener("load", () => parent.postMessage("ready", location.origin));
