// The text of a function after a step, or of the whole module.

import { wholeModule } from "../store/model";
import { TextSource } from "../store/textsource";
import { afterTitle, allFunctions, mainFirst, stateOf } from "./functions";
import type { Make } from "./view";

export const ir: Make = (on) => ({
  name: "ir",
  label: "IR",
  doc: "the whole text after the pass",
  follows: true,
  text: "after",
  tools: ["form", "wrap", "edit"],
  names: true,
  list: allFunctions,
  first: mainFirst,
  title: afterTitle,
  content(at) {
    const { fn, step, state: { form } } = at;
    const parts = at.model.functionsAt(step).filter((f) => fn === wholeModule || f.name === fn).map((f) => ({ title: f.name, hash: f.text, lines: f.lines }));
    const key = `${stateOf(at)} ${fn} ${parts.map((p) => p.hash).join()}`;
    if (parts.length === 0) return { nothing: null, key };
    return { rows: (signal) => TextSource.open(parts, form, signal), key, form, origins: (find) => find.inCode(at.model, fn, parts[0]!.hash, on.go), label: `${fn === wholeModule ? "whole module" : fn} after ${step?.name ?? "import"}` };
  },
});
