// The place of the graph in the middle of the page. What draws it is loaded when a graph is opened.

import { byId } from "../widgets/dom";
import type * as Graphs from "../graph/graphview";

// Open shows a line of the text after a pass, or of the text before it.
export type Open = (line: number, before: boolean) => void;

export class GraphPane {
  readonly host = byId("graph");
  // drawn tells that a graph stands in the host, and no message in its place.
  drawn = false;
  private loading: Promise<Graphs.GraphView> | null = null;
  private view: Graphs.GraphView | null = null;
  private open: Open = () => undefined;

  constructor(private readonly on: Omit<Graphs.GraphListener, "open">) {}

  // show draws a graph, see GraphView.show. What the host stands in the place of hides when the drawing is there.
  async show(before: string, after: string, label: string, line: number, signal: AbortSignal, open: Open, reveal: () => void): Promise<void> {
    this.loading ??= this.load();
    this.view = await this.loading;
    if (signal.aborted) return;
    await this.view.show(before, after, label, line, signal, () => {
      this.open = open;
      this.drawn = true;
      this.host.hidden = false;
      reveal();
    });
  }

  hide(): void {
    this.drawn = false;
    this.host.hidden = true;
  }

  focus(): void {
    this.view?.focus();
  }

  moveMark(dir: 1 | -1): void {
    this.view?.moveMark(dir);
  }

  private async load(): Promise<Graphs.GraphView> {
    try {
      const own = await import("../graph/graphview");
      return new own.GraphView(this.host, { ...this.on, open: (line, before) => this.open(line, before) });
    } catch {
      this.loading = null;
      throw new Error("the script that draws graphs cannot be loaded; is the server still running?");
    }
  }
}
