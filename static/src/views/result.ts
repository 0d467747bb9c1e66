// What a run came to: outputs, latency, and what code was generated. What shows it is loaded when it is opened.

import type * as Results from "../result/resultview";
import type { Make, Panel } from "./view";

export const result: Make = (on) => {
  let loading: Promise<typeof Results> | null = null;
  const panel: Panel = {
    async show(host, { model }, reveal, signal) {
      reveal();
      loading ??= import("../result/resultview").catch(() => {
        loading = null;
        throw new Error("the results script could not be loaded; is the server still running?");
      });
      const { drawResult } = await loading;
      if (!signal.aborted) drawResult(host, model, (kernel) => on.go({ view: "code", fn: kernel, line: 0 }));
    },
  };
  return {
    name: "result",
    label: "Result",
    follows: false,
    tools: [],
    panel: true,
    saysFailure: true,
    list: () => ({ entries: [], count: "" }),
    first: () => "",
    title: () => "Result",
    content: ({ model }) => ({ panel, key: `${model.id} ${model.executions.length} ${model.code !== null} ${model.finished !== null}` }),
  };
};
