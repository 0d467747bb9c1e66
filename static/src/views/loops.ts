// The loops of a kernel after the selected step: their order, extents, kinds, and what each touches. What draws is loaded when it is opened.

import { given } from "../store/api";
import { importPath } from "../store/model";
import { part } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";
import { afterTitle, changedFunctions, changeOf, sameFunctions, stateOf } from "./functions";
import type { Entry, Make, Panel } from "./view";

export const loops: Make = (on, { compiler }) => {
  if (!compiler && !given("/loops/")) return null; // an exported page may have them
  const made = part("the script of the loops", () => Promise.all([import("../loops/loopview"), lateStyle()]), ([own], host: HTMLElement) => new own.LoopView(host, (line) => on.open({ view: "ir", fn: now, line }, 0)));
  const panel: Panel = {
    async show(host, at, reveal, signal) {
      const view = await made(host);
      if (signal.aborted) return;
      now = at.fn;
      const change = changeOf(at);
      const text = at.model.functionsAt(at.step).find((f) => f.name === at.fn)?.text ?? "";
      await view.show(text, change?.change === "changed" ? (change.before ?? "") : "", signal);
      reveal();
    },
  };
  let now = "";
  const kernels = (list: Entry[]): Entry[] => list.filter((e) => e.badge === "T");
  return {
    name: "loops",
    label: "Loops",
    key: { key: "L", doc: "loops of the kernel: extents, kinds, and bytes touched" },
    follows: true,
    tools: [],
    panel: true,
    hasLines: true,
    list(at) {
      const changed = changedFunctions(at);
      return { ...changed, entries: kernels(changed.entries), sameCount: kernels(sameFunctions(at)).length, same: () => kernels(sameFunctions(at)), others: true };
    },
    first: (at, keys) => keys[0] ?? kernels(sameFunctions(at))[0]?.key ?? "",
    title: afterTitle,
    content(at) {
      const { step, fn, model } = at;
      const f = model.functionsAt(step).find((x) => x.name === fn);
      const key = `${model.id} ${stateOf(at)} ${fn} ${f?.text}`;
      if (step !== null && ["waiting", "running", "failed"].includes(step.status)) return { nothing: null, key };
      if (f?.kind === "prim_func") return { panel, key };
      return { nothing: ["No loops here", `${step && step.path !== importPath ? `After ${step.name} the` : "The imported"} module has no PrimFunc yet: LegalizeOps makes kernels, whose loops are shown here.`], key };
    },
  };
};
