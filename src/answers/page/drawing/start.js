/* Unpacks the parts of the page, runs its script, and draws the data. */

(async () => {
  "use strict";
  const unpacked = async (id) => {
    const text = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).text();
  };
  const [script, data] = await Promise.all([unpacked("report-script"), unpacked("report-data")]);
  const element = document.createElement("script");
  element.textContent = script;
  document.head.append(element);
  const kernels = async () => JSON.parse(await unpacked("report-kernels"));
  ShaderbenchReport.render(document.getElementById("report"), JSON.parse(data), kernels);
})();
