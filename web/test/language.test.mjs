// If a browser's WGSL lacks a language feature, the kernels that use it are skipped with the reason.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { open, skip, verify, withScript } from "./page.mjs";

/** Removes this name from the browser's WGSL language features. */
const lacking = (name) => `
    const known = [...navigator.gpu.wgslLanguageFeatures].filter((known) => known !== ${JSON.stringify(name)});
    Object.defineProperty(navigator.gpu, "wgslLanguageFeatures", { value: new Set(known) });
`;

const named = (rows, name) => rows.filter((row) => `${row.family}/${row.benchmark}` === name);

// Packed dot products, checked the same way, are not tested: their ceilings take a software device minutes.
test("kernels with features of WGSL that the browser lacks are skipped", { skip, timeout: 5 * MINUTE }, async () => {
    const { page, log } = await open("", withScript("host.js", lacking("subgroup_id")));
    const rows = await verify(page, ["scan"], ["512"]);
    const lacks = named(rows, "scan/single_pass_subgroup");
    assert.ok(lacks.length > 0, JSON.stringify(rows));
    for (const row of lacks) {
        assert.equal(row.status, "skipped", JSON.stringify(row));
        assert.match(row.reason, /^the device has no .*subgroup_id/);
    }
    assert.ok(named(rows, "scan/single_pass").some((row) => row.status === "ok"), JSON.stringify(rows));
    assert.deepEqual(log.faults, []);
    await page.context().close();
});
