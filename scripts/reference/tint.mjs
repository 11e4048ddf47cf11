// `node tint.mjs IN.wgsl OUT.spv`: the SPIR-V that tint makes of a kernel inside Dawn, the npm package `webgpu` of the folder
// DAWN. Dawn prints the SPIR-V when it makes a pipeline on a Vulkan device that it accepts: DAWN_ICD names the driver, by
// default Chromium's SwiftShader. spirv-as (spirv-tools) assembles it. Robustness and the zeroing of workgroup memory are
// off. Dawn numbers buffers, textures and samplers in this order; the numbers of the WGSL are restored.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";

const fail = (text) => {
  console.error(text);
  process.exit(1);
};

const on = "dump_shaders,disable_robustness,disable_workgroup_init,allow_unsafe_apis";
const off = "use_vulkan_memory_model,use_spirv_1_4";

// Makes the pipeline, so that Dawn prints its SPIR-V.
const inner = async (file) => {
  const require = createRequire(`${process.env.DAWN ?? process.cwd()}/index.js`);
  const { create } = await import(require.resolve("webgpu"));
  const gpu = create([`enable-dawn-features=${on}`, `disable-dawn-features=${off}`, "backend=vulkan"]);
  const adapter = (await gpu.requestAdapter()) ?? fail("Dawn accepts no Vulkan device");
  const wanted = ["shader-f16", "subgroups"].filter((feature) => adapter.features.has(feature));
  const names = ["maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupStorageSize",
    "maxStorageBuffersPerShaderStage"];
  const requiredLimits = Object.fromEntries(names.map((name) => [name, adapter.limits[name]]));
  const device = await adapter.requestDevice({ requiredFeatures: wanted, requiredLimits });
  const module = device.createShaderModule({ code: fs.readFileSync(file, "utf8") });
  const { messages } = await module.getCompilationInfo();
  const fault = messages.find((message) => message.type === "error");
  if (fault) fail(`FAULT line ${fault.lineNum}: ${fault.message}`);
  const compute = { module, entryPoint: "main" };
  await device.createComputePipelineAsync({ layout: "auto", compute }).catch((error) => fail(`FAULT ${error.message}`));
};

const outer = (input, output) => {
  const driver = process.env.DAWN_ICD ?? "/usr/lib/chromium/vk_swiftshader_icd.json";
  const env = { ...process.env, VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver };
  const child = spawnSync(process.execPath, [import.meta.filename, "--inner", input], { encoding: "utf8", env, maxBuffer: 1 << 28 });
  const printed = child.stdout + child.stderr;
  const fault = /^FAULT (.*)/m.exec(printed);
  if (fault) fail(fault[1]);
  const start = printed.indexOf("; SPIR-V\n");
  const lastOf = (text) => text.trim().split("\n").pop();
  // An uncaught error of Node.js ends with its version.
  if (start < 0) fail(/^\w*Error: .*/m.exec(printed)?.[0] ?? (lastOf(printed) || "Dawn printed no SPIR-V"));
  const lines = printed.slice(start).split("\n");
  const last = lines.findLastIndex((line) => line.includes("OpFunctionEnd"));
  let text = lines.slice(0, last + 1).join("\n").replace('"dawn_entry_point"', '"main"');
  const found = fs.readFileSync(input, "utf8").matchAll(/@group\(0\)\s*@binding\((\d+)\)\s*var(<[^>]*>)?\s*\w+\s*:\s*(\w+)/g);
  const rank = ([, , space, type]) => (space ? 0 : type.startsWith("texture") ? 1 : 2);
  const declared = [...found].sort((a, b) => rank(a) - rank(b) || a[1] - b[1]).map(([, binding]) => binding);
  const used = text.match(/ Binding \d+$/gm)?.length ?? 0;
  if (used !== declared.length) fail(`the kernel declares ${declared.length} bindings and uses ${used}`);
  text = text.replace(/ Binding (\d+)$/gm, (_, number) => ` Binding ${declared[number]}`);
  const assembled = spawnSync("spirv-as", ["--target-env", "spv1.3", "-o", output, "-"], { input: text, encoding: "utf8" });
  if (assembled.status !== 0) fail(assembled.error?.message ?? assembled.stderr);
};

const [first, second] = process.argv.slice(2);
if (first === "--inner") {
  await inner(second);
} else if (first === "--version") {
  const require = createRequire(`${process.env.DAWN ?? process.cwd()}/index.js`);
  const folder = require.resolve("webgpu").replace(/index\.js$/, "");
  console.log(`tint of webgpu ${JSON.parse(fs.readFileSync(`${folder}package.json`)).version}`);
} else {
  outer(first, second);
}
