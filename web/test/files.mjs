// Files of a folder.

import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Every file below `folder` that `is` takes, sorted. */
export function filesOf(folder, is) {
    const entries = readdirSync(folder, { withFileTypes: true });
    const below = entries.flatMap((entry) => entry.isDirectory() ? filesOf(join(folder, entry.name), is) : [join(folder, entry.name)]);
    return below.filter(is).sort();
}
