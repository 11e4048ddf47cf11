// Facts about the browser and its adapter that only scripts can read.

/** The reason that no kernel can run here, with advice; null if kernels can run. */
export function unavailableReason() {
    if (!globalThis.isSecureContext) {
        return "This page needs a secure address for WebGPU: open it over https:// or on localhost.";
    }
    if (!navigator.gpu) {
        return (
            "This browser has no WebGPU: use a current Chrome, Edge, Safari (26 or newer) or Firefox. " +
            "On Linux it may be off by default."
        );
    }
    return null;
}

const VENDORS = {
    amd: "AMD",
    apple: "Apple",
    arm: "Arm",
    google: "Google",
    "img-tec": "Imagination",
    intel: "Intel",
    mesa: "Mesa",
    microsoft: "Microsoft",
    nvidia: "NVIDIA",
    qualcomm: "Qualcomm",
};

/** Browser, host and adapter, as far as the browser exposes them. */
export async function describeHost() {
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    const info = adapter?.info ?? {};
    const vendor = VENDORS[info.vendor] ?? info.vendor ?? "";
    const architecture = info.architecture === "swiftshader" ? "SwiftShader" : info.architecture;
    const words = [vendor, architecture].filter(Boolean).join(" ");
    const isSoftware =
        Boolean(info.isFallbackAdapter) || /swiftshader|llvmpipe|basic render/i.test(words + info.description);
    const threads = navigator.hardwareConcurrency;
    return {
        ...(await describeBrowser()),
        cpu: threads ? `${threads} threads` : "",
        device: info.description || words || "a GPU that this browser does not name",
        vendor: vendor || "unknown",
        is_software: isSoftware,
    };
}

async function describeBrowser() {
    const agent = navigator.userAgent;
    const data = navigator.userAgentData;
    if (data?.getHighEntropyValues) {
        const more = await data.getHighEntropyValues(["fullVersionList", "platformVersion"]).catch(() => ({}));
        const brands = (more.fullVersionList ?? data.brands).filter((brand) => !/not.?a.?brand/i.test(brand.brand));
        const own = brands.find((brand) => brand.brand !== "Chromium") ?? brands[0];
        return {
            browser: own ? `${own.brand} ${own.version}` : agent,
            os: [data.platform, more.platformVersion].filter(Boolean).join(" "),
        };
    }
    const known = [
        ["Edge", /Edg\/([\d.]+)/],
        ["Firefox", /Firefox\/([\d.]+)/],
        ["Chrome", /Chrome\/([\d.]+)/],
        ["Safari", /Version\/([\d.]+).*Safari/],
    ];
    const found = known.map(([name, pattern]) => [name, agent.match(pattern)]).find(([, match]) => match);
    const os = agent
        .match(/\(([^)]*)\)/)?.[1]
        .split(";")
        .find((part) => /Windows|Mac|Linux|Android|iPhone|iPad/.test(part));
    return { browser: found ? `${found[0]} ${found[1][1]}` : agent, os: os?.trim() ?? "" };
}

/** wgpu 30 cannot request the feature `subgroups` in a browser, so this adds it to every request for a device. */
export function requestSubgroups() {
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = function (descriptor = {}) {
        const wanted = [...(descriptor.requiredFeatures ?? [])];
        if (this.features.has("subgroups")) wanted.push("subgroups");
        descriptor.requiredFeatures = wanted;
        return request.call(this, descriptor);
    };
}
