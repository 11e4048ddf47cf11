// In the frame: draws what the page sends, and says how tall it is.

const root = document.getElementById("report");

addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    root.replaceChildren();
    ShaderbenchReport.render(root, data);
});
new ResizeObserver(() => parent.postMessage({ height: document.body.scrollHeight }, location.origin)).observe(document.body);
// Charts take their width from what is laid out: not before the style is there.
addEventListener("load", () => parent.postMessage("ready", location.origin));
