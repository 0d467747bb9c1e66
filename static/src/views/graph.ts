// The graph of a function: what the step did to it, or as it is where the step left it alone. What draws is loaded when a graph is opened.

import type { GraphView } from "../graph/graphview";
import { plural } from "../store/format";
import { firstChange } from "../store/model";
import { percent, shares } from "../store/profile";
import { lateStyle } from "../widgets/latestyle";
import { afterTitle, changedFunctions, changeFirst, changeOf, changeTitle, mainFirst, sameFunctions } from "./functions";
import type { At, Entry, Make, Panel } from "./view";

export const graph: Make = (on, { compiler }) => {
  if (!compiler) return null;
  let loading: Promise<GraphView> | null = null;
  let view: GraphView | null = null;
  let now: At;

  async function load(host: HTMLElement): Promise<GraphView> {
    try {
      const [own] = await Promise.all([import("../graph/graphview"), lateStyle()]);
      return new own.GraphView(host, {
        line: (n) => on.line(n),
        history: (n, before) => on.history(n, before),
        marks: (k, n) => on.count(n === 0 ? "" : k < 0 ? plural(n, "mark") : `${k + 1} / ${n}`),
        open: (line, old) => on.open({ view: changeOf(now) ? on.preferredDiff() : "ir", fn: now.fn, line: old ? 0 : line }, old ? line : 0),
        profile: () => on.go({ view: "profile" }),
      });
    } catch {
      loading = null;
      throw new Error("the graph script could not be loaded; is the server still running?");
    }
  }

  const panel: Panel = {
    async show(host, at, reveal, signal) {
      view = await (loading ??= load(host));
      if (signal.aborted) return;
      await view.show({ ...at, line: at.state.line }, signal, () => {
        now = at;
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
      // Where kernels were measured, their share of the time tells more than their lines.
      const share = shares(at.model.profiles);
      const heated = (list: Entry[]): Entry[] => list.map((e) => (share.has(e.name) ? { ...e, note: percent(share.get(e.name)!) } : e));
      const changed = changedFunctions(at);
      return { ...changed, entries: heated(changed.entries), same: () => heated(sameFunctions(at)), others: true };
    },
    first: (at, keys) => (firstChange(at.step) ? changeFirst(at, keys) : mainFirst(at, sameFunctions(at).map((x) => x.key))),
    title: (at) => (changeOf(at) ? changeTitle(at) : afterTitle(at)),
    content(at) {
      const { step, fn } = at;
      const change = changeOf(at);
      const text = at.model.functionsAt(step).find((f) => f.name === fn)?.text;
      const pending = step !== null && ["waiting", "running", "failed"].includes(step.status);
      const key = `${at.model.id} ${at.model.profiles.length} ${step?.path} ${step?.status} ${change ? `${change.before ?? ""}/${change.after ?? ""}` : `${text}/${text}`}`;
      return pending || (!change && text === undefined) ? { nothing: null, key } : { panel, key };
    },
  };
};
