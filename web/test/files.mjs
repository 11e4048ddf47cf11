import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder for which `isWanted` is true, sorted. */
export function filesBelow(folder, isWanted) {
    const entries = readdirSync(folder, { withFileTypes: true });
    const below = entries.flatMap((entry) =>
        entry.isDirectory() ? filesBelow(join(folder, entry.name), isWanted) : [join(folder, entry.name)],
    );
    return below.filter(isWanted).sort();
}
