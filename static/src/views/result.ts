// What a run came to: outputs, latency, and what code was generated. What shows it is loaded when it is opened.

import type * as Results from "../result/resultview";
import { given } from "../store/api";
import { codePath } from "../store/model";
import { part } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";
import type { CheckReport } from "../wire";
import type { Make, Panel } from "./view";

export const result: Make = (on, offer) => {
  const results = part("the results script", () => Promise.all([import("../result/resultview"), lateStyle()]), ([own]) => own);
  let parts: Results.Part[] = [];
  const panel: Panel = {
    async show(host, { model }, reveal, signal) {
      reveal();
      const { drawResult, CheckView, FaultView, InputsView, WhatIfView } = await results();
      const kept = offer.compiler ? undefined : given<CheckReport>(`/api/runs/${model.id}/check`);
      if ((offer.compiler || kept) && parts.length === 0) {
        const listen = { open: (pass: string, fn: string) => on.go(pass === codePath ? { view: "code", fn, line: 0 } : { pass, fn, view: on.preferredDiff(), line: 0 }), line: (pass: string, fn: string, line: number) => on.go({ pass, fn, view: "ir", line }), marked: () => on.go({}) };
        parts = kept ? [new CheckView(listen, kept)] : [new InputsView(on), new CheckView(listen), new FaultView(listen), new WhatIfView()];
      }
      if (!signal.aborted) drawResult(host, model, (kernel) => on.go({ view: "code", fn: kernel, line: 0 }), (to) => on.open(to, 0), parts);
    },
  };
  return {
    name: "result",
    label: "Result",
    doc: "outputs, latency, and checks",
    follows: false,
    tools: [],
    panel: true,
    saysFailure: true,
    list: () => ({ entries: [], count: "" }),
    first: () => "",
    title: () => "Result",
    content({ model }) {
      const { inputs, expected, seed } = on.runs().settings; // which may be known later than the run
      return { panel, key: JSON.stringify([model.id, model.executions.length, !model.code, !model.finished, inputs, expected, seed]) };
    },
  };
};
