// The graph of a function: what the step did to it, or as it is where the step left it alone. What draws is loaded when a graph is opened.

import type { GraphView } from "../graph/graphview";
import { plural } from "../store/format";
import { firstChange } from "../store/model";
import { afterTitle, changedFunctions, changeFirst, changeOf, changeTitle, mainFirst, sameFunctions } from "./functions";
import type { Make, Panel } from "./view";

export const graph: Make = (on, { compiler }) => {
  if (!compiler) return null;
  let loading: Promise<GraphView> | null = null;
  let view: GraphView | null = null;
  // open shows the line of a node in the text of what is drawn.
  let open: (line: number, before: boolean) => void = () => undefined;

  async function load(host: HTMLElement): Promise<GraphView> {
    try {
      const own = await import("../graph/graphview");
      return new own.GraphView(host, {
        line: (n) => on.line(n),
        history: (n, before) => on.history(n, before),
        marks: (k, n) => on.count(n === 0 ? "" : k < 0 ? plural(n, "mark") : `${k + 1} / ${n}`),
        open: (line, before) => open(line, before),
      });
    } catch {
      loading = null;
      throw new Error("the graph script could not be loaded; is the server still running?");
    }
  }

  const panel: Panel = {
    async show(host, at, reveal, signal) {
      const { step, fn } = at;
      const change = changeOf(at);
      const text = at.model.functionsAt(step).find((f) => f.name === fn)?.text ?? "";
      const [before, after] = change ? [change.before ?? "", change.after ?? ""] : [text, text];
      const label = change ? `what ${step?.name} did to ${fn}` : `${fn} after ${step?.name ?? "import"}`;
      view = await (loading ??= load(host));
      if (signal.aborted) return;
      await view.show(before, after, label, at.state.line, signal, () => {
        open = (line, old) => on.open({ view: change ? on.preferredDiff() : "ir", fn, line: old ? 0 : line }, old ? line : 0);
        reveal();
      });
    },
    move: (dir) => view?.moveMark(dir),
    focus: () => view?.focus(),
  };

  return {
    name: "graph",
    label: "Graph",
    key: { key: "g", doc: "graph of the function" },
    follows: true,
    tools: ["hunks", "history"],
    panel: true,
    hasLines: true,
    list(at) {
      const changed = changedFunctions(at);
      return { ...changed, others: true };
    },
    first: (at, keys) => (firstChange(at.step) ? changeFirst(at, keys) : mainFirst(at, sameFunctions(at).map((x) => x.key))),
    title: (at) => (changeOf(at) ? changeTitle(at) : afterTitle(at)),
    content(at) {
      const { step, fn } = at;
      const change = changeOf(at);
      const text = at.model.functionsAt(step).find((f) => f.name === fn)?.text;
      const pending = step !== null && ["waiting", "running", "failed"].includes(step.status);
      const key = `${step?.path} ${step?.status} ${change ? `${change.before ?? ""}/${change.after ?? ""}` : `${text}/${text}`}`;
      return pending || (!change && text === undefined) ? { nothing: null, key } : { panel, key };
    },
  };
};
