// One Chromium process for the tests of a file; each test opens its own pages.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const program = [process.env.CHROMIUM, ...PROGRAMS].find((path) => path && existsSync(path));

/** The reason to skip tests of pages that need these files, or `false`. */
export function reasonToSkip(...needed) {
    const missing = needed.find((path) => !existsSync(path));
    if (!program) return "SKIPPED: Chromium is not installed";
    return missing ? `SKIPPED: ${missing} is not built or not installed` : false;
}

export let browser;
/** An empty folder for the files of the tests. */
export let folder;

/** Starts Chromium before the tests and ends it after them, unless they are skipped. */
export function startFor(skip, options) {
    before(async () => {
        if (skip) return console.log(skip);
        // Later hooks start before this one ends, so the folder must exist at once.
        folder = mkdtempSync(join(tmpdir(), "shaderbench-"));
        const { chromium } = await import("playwright-core");
        browser = await chromium.launch({ executablePath: program, ...options });
    });
    after(async () => {
        await browser?.close();
        if (folder) rmSync(folder, { recursive: true });
    });
}
