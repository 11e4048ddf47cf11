// Figures in the fragment of an address: what is written is read, and nothing else is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fragmentOf, runIn } from "../page/link.js";

const run = {
    device: "NVIDIA GeForce RTX 4090 “Löwe”",
    driver: "Chromium 140.0.1",
    date: "2026-11-27",
    version: "0.1.0+3f9c2a1",
    figures: [
        { name: "memory read", unit: "GB/s", value: 924.5 },
        { name: "L2 latency", unit: "ns", value: 210.25 },
        { name: "FMA u32", unit: "GOP/s", value: 41000 },
        { name: "GEMM f32", unit: "GFLOP/s", value: 0.0125 },
    ],
};

test("a run survives its address", () => {
    const fragment = fragmentOf(run);
    assert.ok(!/[^\w%+*.&=-]/.test(fragment), fragment);
    const rounded = run.figures.map((one) => ({ ...one, value: Number(one.value.toPrecision(3)) }));
    assert.deepEqual(runIn(fragment), { ...run, figures: rounded });
    assert.equal(runIn(""), null);
    assert.equal(runIn("results"), null);
});

test("a run of any size has an address that can be read", () => {
    const figure = (_, index) => ({ name: `figure ${index}`, unit: "GB/s", value: index + 1 });
    const figures = Array.from({ length: 60 }, figure);
    assert.equal(runIn(fragmentOf({ ...run, device: "ü".repeat(200), figures })).figures.length, 40);
});

const REFUSED = /^Error: The figures of this link cannot be shown: .+\.$/;

test("broken and hostile addresses are refused with a sentence", () => {
    const with_ = (changes) => {
        const parts = new URLSearchParams(fragmentOf(run));
        for (const [name, value] of Object.entries(changes)) parts.set(name, value);
        return parts.toString();
    };
    assert.ok(runIn(with_({})));
    for (const changes of [
        { figures: "2" },
        { device: "" },
        { device: "x".repeat(81) },
        { device: "a\u202Eb" },
        { device: "a\nb" },
        { date: "yesterday" },
        { version: "1 2" },
        { f: "" },
        { f: "sum*B" },
        { f: "sum*B*1*2" },
        { f: "sum*constructor*1" },
        { f: "sum*X*1" },
        { f: "sum*B*-1" },
        { f: "sum*B*0" },
        { f: "sum*B*NaN" },
        { f: "sum*B*1e999" },
        { f: "<b>*B*1" },
        { f: `${"s".repeat(31)}*B*1` },
        { more: "x".repeat(5000) },
    ])
        assert.throws(() => runIn(with_(changes)), REFUSED, JSON.stringify(changes));
    const twice = new URLSearchParams(fragmentOf(run));
    twice.append("f", "GEMM f32*F*2");
    assert.throws(() => runIn(twice.toString()), /a figure is not valid/);
    const many = new URLSearchParams(fragmentOf({ ...run, figures: [] }));
    for (let index = 0; index < 41; index++) many.append("f", `f${index}*B*1`);
    assert.throws(() => runIn(many.toString()), /a figure is not valid/);
    many.delete("f");
    assert.throws(() => runIn(many.toString()), /it has none/);
});
