#!/usr/bin/env bash
# Bundles the page's chart library (Observable Plot and the parts of D3 that it needs) with all licences into
# src/answers/page/drawing/vendor/plot.js, in the versions of package-lock.json beside it. Needs node and npm. Only a change
# of the versions needs this script.
set -euo pipefail
vendor="$(cd "$(dirname "$0")/../src/answers/page/drawing/vendor" && pwd)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$vendor"/entry.js "$vendor"/package.json "$work"
cd "$work"
if [ -e "$vendor/package-lock.json" ]; then
    cp "$vendor/package-lock.json" .
    npm ci --silent
else
    npm install --silent
fi
npx esbuild entry.js --bundle --minify --format=iife --global-name=Plot --target=es2020 --charset=utf8 \
    --outfile=bundle.js --metafile=meta.json --log-level=warning
node - "$vendor/plot.js" <<'JS'
const fs = require("fs");
const inputs = Object.keys(JSON.parse(fs.readFileSync("meta.json")).inputs);
const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
const packages = [...new Set(names.filter(Boolean))].sort();
const notices = packages.map((name) => {
  const folder = `node_modules/${name}`;
  const about = JSON.parse(fs.readFileSync(`${folder}/package.json`));
  const file = fs.readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  const text = file ? fs.readFileSync(`${folder}/${file}`, "utf8").trim() : `Licence: ${about.license}`;
  return [`${name} ${about.version}`, text];
});
// One notice for all packages with the same text.
const byText = new Map();
for (const [name, text] of notices) byText.set(text, [...(byText.get(text) ?? []), name]);
const banner = [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n----\n\n");
const bundle = fs.readFileSync("bundle.js", "utf8").replaceAll("</script", "<\\/script");
const notice = `Bundled and minified by scripts/vendor.sh from:\n\n${banner.replaceAll("*/", "* /")}`;
fs.writeFileSync(process.argv[2], `/*! ${notice}\n*/\n${bundle}`);
JS
wc -c "$vendor/plot.js"
