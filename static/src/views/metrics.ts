// The metrics of the selected step. What shows them is loaded when they are opened.

import { importPath } from "../store/model";
import { part } from "../widgets/dom";
import { changedFunctions, changeFirst } from "./functions";
import type { Make, Panel } from "./view";

export const metrics: Make = (on) => {
  const view = part("the metrics script", () => import("../metrics/metricsview"), (own, host: HTMLElement) => new own.MetricsView(host, { select: (x) => on.select(x), openFunction: (name) => on.go({ view: "ir", fn: name, line: 0 }) }));
  const panel: Panel = {
    async show(host, { model, step, fn }, reveal) {
      reveal();
      (await view(host)).show(model, step, fn);
    },
  };
  return {
    name: "metrics",
    label: "Metrics",
    key: { key: "m", doc: "metrics of the pass" },
    follows: true,
    tools: [],
    panel: true,
    list: changedFunctions,
    first: changeFirst,
    title: ({ step }) => `Metrics ${!step || step.path === importPath ? "of the imported module" : `of ${step.name}`}`,
    content: () => ({ panel }),
  };
};
