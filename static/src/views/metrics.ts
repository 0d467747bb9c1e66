// The metrics of the selected step. What shows them is loaded when they are opened.

import type { MetricsView } from "../metrics/metricsview";
import { importPath } from "../store/model";
import { changedFunctions, changeFirst } from "./functions";
import type { Make, Panel } from "./view";

export const metrics: Make = (on) => {
  let loading: Promise<MetricsView> | null = null;
  const panel: Panel = {
    async show(host, { model, step, fn }, reveal) {
      reveal();
      loading ??= import("../metrics/metricsview").then(
        (own) => new own.MetricsView(host, { select: (x) => on.select(x), openFunction: (name) => on.go({ view: "ir", fn: name, line: 0 }) }),
        () => {
          loading = null;
          throw new Error("the metrics script could not be loaded; is the server still running?");
        },
      );
      (await loading).show(model, step, fn);
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
