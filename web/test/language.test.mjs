// A browser whose WGSL lacks a feature of the language: the kernels that use it are skipped with the reason.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "./built.mjs";
import { open, skip, verify, withScript } from "./page.mjs";

/** Takes this name from what the browser says of its WGSL. */
const lacking = (name) => `
    const known = [...navigator.gpu.wgslLanguageFeatures].filter((known) => known !== ${JSON.stringify(name)});
    Object.defineProperty(navigator.gpu, "wgslLanguageFeatures", { value: new Set(known) });
`;

const named = (rows, name) => rows.filter((row) => `${row.family}/${row.benchmark}` === name);

// Of the kernels with packed dot products, which are ceilings, a software device has enough for minutes: they are asked
// the same question.
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
