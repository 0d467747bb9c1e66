// What a step did to a function, in two forms: one text with marked lines, and two texts side by side.

import type { DiffQuery } from "../store/api";
import { DiffSource } from "../store/diffsource";
import { firstChange } from "../store/model";
import type { Form, FunctionChange } from "../wire";
import { changedFunctions, changeFirst, changeOf, changeTitle, stateOf } from "./functions";
import type { Make, View } from "./view";

export const unified: Make = () => diff("unified", "Unified: what was and what is in one text  u");
export const split: Make = () => diff("split", "Side by side: what was and what is in two texts  u");

function diff(name: DiffQuery["view"], doc: string): View {
  const query = (c: FunctionChange, form: Form): DiffQuery => ({ before: c.before ?? "", after: c.after ?? "", view: name, form, context: 3 });
  const warm = new Set<string>();
  return {
    name,
    label: "Diff",
    doc: "what the pass changed",
    layout: { doc, icon: name },
    follows: true,
    text: "diff",
    tools: ["words", "marks", "form", "wrap", "hunks"],
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
      const { form } = at.state;
      return { rows: (signal) => open(query(change, form), change, signal), key, form, label: `what ${at.step?.name} did to ${at.fn}` };
    },
    prefetch(step, form) {
      const change = firstChange(step);
      const key = `${change?.before}/${change?.after} ${form}`;
      if (!change || warm.has(key)) return;
      warm.add(key);
      DiffSource.open(query(change, form), new AbortController().signal).catch(() => warm.delete(key));
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
