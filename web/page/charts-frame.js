// In the frame: draws what the page sends, and says how tall it is.

const root = document.getElementById("report");

addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    root.replaceChildren();
    ShaderbenchReport.render(root, data);
});
new ResizeObserver(() => parent.postMessage({ height: document.body.scrollHeight }, location.origin)).observe(document.body);
parent.postMessage("ready", location.origin);
