// A browser whose WGSL lacks a feature of the language: the kernels that use it are skipped with the reason.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE, SMALL } from "./built.mjs";
import { measure, open, skip, withScript } from "./page.mjs";

/** Takes these names from what the browser says of its WGSL. */
const lacking = (...names) => `
    const known = [...navigator.gpu.wgslLanguageFeatures].filter((name) => !${JSON.stringify(names)}.includes(name));
    Object.defineProperty(navigator.gpu, "wgslLanguageFeatures", { value: new Set(known) });
`;

const named = (rows, name) => rows.filter((row) => `${row.family}/${row.benchmark}` === name);

test("kernels with features of WGSL that the browser lacks are skipped", { skip, timeout: 5 * MINUTE }, async () => {
    const features = lacking("subgroup_id", "packed_4x8_integer_dot_product");
    const { page, log } = await open(SMALL, withScript("host.js", features));
    const rows = await measure(page, ["ceiling", "scan"]);
    for (const [name, feature] of [
        ["scan/single_pass_subgroup", "subgroup_id"],
        ["ceiling/dot4", "packed_4x8_integer_dot_product"],
    ]) {
        const of = named(rows, name);
        assert.ok(of.length > 0, name);
        for (const row of of) {
            assert.equal(row.status, "skipped", JSON.stringify(row));
            assert.match(row.reason, new RegExp(`^the device has no .*${feature}`));
        }
    }
    assert.ok(named(rows, "scan/single_pass").some((row) => row.status === "ok"), JSON.stringify(rows));
    assert.deepEqual(log.faults, []);
    await page.context().close();
});
