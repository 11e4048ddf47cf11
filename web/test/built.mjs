// Shared by all tests of the built page.

import { join } from "node:path";

export const ROOT = new URL("../..", import.meta.url).pathname;
export const PAGE = process.env.PAGE ?? join(ROOT, "target/web-page-test");
/** A minute of an idle machine, in milliseconds: a busy one may need three times as long. */
export const MINUTE = 3 * 60_000;
/** Sizes of several workgroups that a software device finishes with every kernel. */
export const SMALL = "?size=512&size=256x256";
/** One epoch verifies most kernels; each epoch takes a software device a second. */
export const ONE_EPOCH = "&epochs=1";
/** Whether a row's answer is right. On a busy machine, a slow ceiling may make a row implausible. */
export const isRight = (row) => ["ok", "implausible"].includes(row.status);
