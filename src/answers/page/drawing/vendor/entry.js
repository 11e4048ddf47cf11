// What the page uses of Observable Plot; scripts/vendor.sh bundles it.
export { axisX, axisY, barX, dot, gridX, gridY, line, plot, pointer, ruleX, ruleY, text, tickX, tip } from "@observablehq/plot";
