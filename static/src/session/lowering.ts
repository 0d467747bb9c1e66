// What a reader should know who switched lowering passes off. It is loaded when one is.

import "../shared";
import type { Runs } from "../store/runs";
import { h, withButton } from "../widgets/dom";

// loweringNotes say what happens without lowering passes, those with which the same does in one note.
export function loweringNotes(runs: Runs, off: string[], turnOn: (names: string[]) => void): HTMLElement[] {
  const f = runs.model.finished;
  return [...Map.groupBy(off, (name) => runs.passes.get(name)?.without ?? "")].map(([text, names]) => {
    const [is, it] = names.length === 1 ? ["is a lowering pass", "it"] : ["are lowering passes", "them"];
    const well = text ? "this run did not fail" : "this model does not need " + it;
    const came = runs.stale || !f ? "the next run will show what is missing" : f.status === "failed" ? "this run failed" : well;
    return withButton(h("p", { class: "note warning" }, `${names.join(", ")} ${is}: without ${it} ${text || "code generation usually fails"}; ${came}. `), "Turn on again", () => turnOn(names), "data-turn-on");
  });
}
