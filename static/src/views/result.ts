// What a run came to: outputs, latency, and what code was generated.

import { drawResult } from "./resultparts";
import type { Make, Panel } from "./view";

export const result: Make = (on) => {
  const panel: Panel = {
    show(host, { model }, reveal) {
      reveal();
      drawResult(host, model, (kernel) => on.go({ view: "code", fn: kernel, line: 0 }));
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
