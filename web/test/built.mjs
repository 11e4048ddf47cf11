// What every test of the built page knows.

import { join } from "node:path";

export const ROOT = new URL("../..", import.meta.url).pathname;
export const PAGE = process.env.PAGE ?? join(ROOT, "target/web-page");
/** One, in milliseconds, of a machine that does nothing else: where other programs run it may take three. */
export const MINUTES = 3 * 60_000;
/** Small enough for a software device to finish every kernel, and several workgroups. */
export const SMALL = "?size=512&size=256x256";
/** Whether a row is right. Where other programs slow a ceiling down a row may seem implausible: its answer is right all the same. */
export const isRight = (row) => ["ok", "implausible"].includes(row.status);
