// What only scripts can find out about the browser and its adapter.

/** Why nothing can run here, with what to do; null where something can. */
export function whyNot() {
    if (!globalThis.isSecureContext) {
        return "This page needs a secure address for WebGPU: open it by https://, or on localhost.";
    }
    if (!navigator.gpu) {
        return "This browser has no WebGPU: use a current Chrome, Edge, Safari (26 or newer) or Firefox; on Linux it may have to be switched on first.";
    }
    return null;
}

/** Names of vendors as people write them. */
const VENDORS = {
    amd: "AMD", apple: "Apple", arm: "Arm", google: "Google", "img-tec": "Imagination", intel: "Intel", mesa: "Mesa",
    microsoft: "Microsoft", nvidia: "NVIDIA", qualcomm: "Qualcomm",
};

/** Browser, host and adapter, as far as the browser tells. */
export async function describeHost() {
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    const info = adapter?.info ?? {};
    const vendor = VENDORS[info.vendor] ?? info.vendor ?? "";
    const architecture = info.architecture === "swiftshader" ? "SwiftShader" : info.architecture;
    const words = [vendor, architecture].filter(Boolean).join(" ");
    const isSoftware = Boolean(info.isFallbackAdapter) || /swiftshader|llvmpipe|basic render/i.test(words + info.description);
    const threads = navigator.hardwareConcurrency;
    return {
        ...await describeBrowser(),
        cpu: threads ? `${threads} threads` : "",
        device: info.description || words || "a GPU that the browser does not name",
        vendor: vendor || "unknown",
        is_software: isSoftware,
    };
}

/** Browser with its version, and operating system. */
async function describeBrowser() {
    const agent = navigator.userAgent;
    const told = navigator.userAgentData;
    if (told?.getHighEntropyValues) {
        const more = await told.getHighEntropyValues(["fullVersionList", "platformVersion"]).catch(() => ({}));
        const brands = (more.fullVersionList ?? told.brands).filter((brand) => !/not.?a.?brand/i.test(brand.brand));
        const own = brands.find((brand) => brand.brand !== "Chromium") ?? brands[0];
        return {
            browser: own ? `${own.brand} ${own.version}` : agent,
            os: [told.platform, more.platformVersion].filter(Boolean).join(" "),
        };
    }
    const known = [["Edge", /Edg\/([\d.]+)/], ["Firefox", /Firefox\/([\d.]+)/], ["Chrome", /Chrome\/([\d.]+)/], ["Safari", /Version\/([\d.]+).*Safari/]];
    const found = known.map(([name, pattern]) => [name, agent.match(pattern)]).find(([, match]) => match);
    const os = agent.match(/\(([^)]*)\)/)?.[1].split(";").find((part) => /Windows|Mac|Linux|Android|iPhone|iPad/.test(part));
    return { browser: found ? `${found[0]} ${found[1][1]}` : agent, os: os?.trim() ?? "" };
}

/** wgpu 30 does not know the feature `subgroups` in a browser, and cannot ask for it: this asks for it in its stead. */
export function askForSubgroups() {
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = function (descriptor = {}) {
        const wanted = [...descriptor.requiredFeatures ?? []];
        if (this.features.has("subgroups")) wanted.push("subgroups");
        descriptor.requiredFeatures = wanted;
        return request.call(this, descriptor);
    };
}
