// The place of the metrics in the middle of the page. What shows them is loaded when they are opened.

import { byId } from "../widgets/dom";
import type * as Views from "../metrics/metricsview";
import type { RunModel, Step } from "../store/model";

export class MetricsPane {
  readonly host = byId("metrics");
  private loading: Promise<Views.MetricsView> | null = null;

  constructor(private readonly on: Views.MetricsListener) {}

  async show(model: RunModel, step: Step | null, fn: string): Promise<void> {
    this.loading ??= import("../metrics/metricsview").then(
      (own) => new own.MetricsView(this.host, this.on),
      () => {
        this.loading = null;
        throw new Error("the script that shows metrics cannot be loaded; is the server still running?");
      },
    );
    (await this.loading).show(model, step, fn);
  }
}
