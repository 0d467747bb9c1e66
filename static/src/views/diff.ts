// What a step did to a function, in two forms: one text with marked lines, and two texts side by side.

import type { DiffQuery } from "../store/api";
import { DiffSource } from "../store/diffsource";
import { firstChange } from "../store/model";
import type { FunctionChange } from "../wire";
import { changedFunctions, changeFirst, changeOf, changeTitle, stateOf } from "./functions";
import type { Make, View } from "./view";

export const unified: Make = () => diff("unified", "Unified");
export const split: Make = () => diff("split", "Split");

function diff(name: DiffQuery["view"], label: string): View {
  const query = (c: FunctionChange): DiffQuery => ({ before: c.before ?? "", after: c.after ?? "", view: name, context: 3 });
  const warm = new Set<string>();
  return {
    name,
    label,
    follows: true,
    text: "diff",
    tools: ["words", "marks", "hunks", "functions"],
    names: true,
    list: changedFunctions,
    first: changeFirst,
    title: changeTitle,
    // The imported module has no diff.
    instead: ({ model, step }) => (step !== null && step === model.imported ? "ir" : ""),
    content(at) {
      const change = changeOf(at);
      const key = `${stateOf(at)} ${at.fn} ${change ? `${change.before}/${change.after}` : ""}`;
      if (!change) return { nothing: null, key };
      return { rows: (signal) => open(query(change), change, signal), key, label: `what ${at.step?.name} did to ${at.fn}` };
    },
    prefetch(step) {
      const change = firstChange(step);
      const key = `${change?.before}/${change?.after}`;
      if (!change || warm.has(key)) return;
      warm.add(key);
      DiffSource.open(query(change), new AbortController().signal).catch(() => warm.delete(key));
    },
  };
}

// open asks for a difference. Where the server has no texts any more, the lines of the event stand in.
async function open(query: DiffQuery, change: FunctionChange, signal: AbortSignal): Promise<DiffSource> {
  try {
    return await DiffSource.open(query, signal);
  } catch (err) {
    const source = signal.aborted ? null : DiffSource.fromHunks(change);
    if (!source) throw err;
    return source;
  }
}
