// Writes the subsets of the fonts into the folder that is given. The packages lie in node_modules of the current one.
//
// Kept are printable ASCII, the Latin letters with accents, and the signs that the page uses. A sign outside of them comes from a font
// of the system. The weights are those that the style sheets name; of the features, Inter keeps what it needs for its spacing, tabular
// figures and the plain one-storey a. JetBrains Mono keeps none: in code a ligature would hide what was typed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import subset from "subset-font";

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join("");
const text = range(0x20, 0x7e) + range(0xa0, 0x17f) + "–—‘’“”•…‹›←↑→↓↕↺√∞≈≠≤≥⊘▲▼●○◆⚠✓−␣";
const woff2 = { targetFormat: "woff2", noHinting: true };

const fonts = {
  inter: ["inter-ui/variable/InterVariable.woff2", { variationAxes: { wght: { min: 400, max: 700 }, opsz: 14 }, keepFeatures: ["kern", "ccmp", "locl", "mark", "mkmk", "calt", "case", "tnum", "cv11"] }],
  "jetbrains-mono": ["@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2", { variationAxes: { wght: { min: 400, max: 700 } }, keepFeatures: [] }],
};
for (const [name, [from, options]] of Object.entries(fonts)) {
  writeFileSync(join(process.argv[2], `${name}.woff2`), await subset(readFileSync(join("node_modules", from)), text, { ...woff2, ...options }));
}
