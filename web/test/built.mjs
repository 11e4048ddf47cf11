// What all tests of the built page share.

import { join } from "node:path";

export const ROOT = new URL("../..", import.meta.url).pathname;
export const PAGE = process.env.PAGE ?? join(ROOT, "target/web-page-test");
/** A minute of an idle machine in milliseconds: a busy machine may need three times as long. */
export const MINUTE = 3 * 60_000;
/** Sizes of several workgroups that a software device finishes with every kernel. */
export const SMALL = "?size=512&size=256x256";
/** Of most kernels one epoch is enough: it verifies them, and each takes a second of a software device. */
export const ONE_EPOCH = "&epochs=1";
/** Whether the answer of a row is right. On a busy machine a row may be implausible, because its ceiling was slow. */
export const isRight = (row) => ["ok", "implausible"].includes(row.status);
