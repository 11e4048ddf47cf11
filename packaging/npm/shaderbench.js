#!/usr/bin/env node
// Starts the program of the package for this platform, one of optionalDependencies: npm installs the one that fits.
"use strict";
const { spawn } = require("child_process");

const platform = `${process.platform}-${process.arch}`;
const name = process.platform === "win32" ? "shaderbench.exe" : "shaderbench";
let program;
try {
  program = require.resolve(`shaderbench-${platform}/bin/${name}`);
} catch (error) {
  console.error(`error: the package shaderbench-${platform} is not installed. Either npm ran with --omit=optional, or`);
  console.error("there is no package for this platform: build from source (docs/install.md)");
  process.exit(1);
}
// A terminal sends Ctrl-C to both processes: the program completes its report and ends, then this one.
process.on("SIGINT", () => {});
process.on("SIGHUP", () => {});
process.on("SIGTERM", () => child.kill());
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 130 : code));
