// What a graph is asked for: a function at a step of a run, and what of it the reader wants to see.

import { importPath, type RunModel, type Step } from "../store/model";
import type { FunctionChange } from "../wire";
import type { Drawing } from "./drawing";

// Place is a function at a step of a run, and a line that the reader was at, 0 for none.
export interface Place {
  model: RunModel;
  step: Step | null;
  fn: string;
  line: number;
}

export class Asked {
  readonly before: string;
  readonly after: string;
  readonly label: string;
  private readonly change: FunctionChange | undefined;

  constructor(readonly at: Place) {
    const { model, step, fn } = at;
    this.change = step?.finished?.functions.find((c) => c.name === fn);
    const text = model.functionsAt(step).find((f) => f.name === fn)?.text ?? "";
    [this.before, this.after] = this.change ? [this.change.before ?? "", this.change.after ?? ""] : [text, text];
    this.label = this.change ? `what ${step?.name} did to ${fn}` : `${fn} after ${step?.name ?? "import"}`;
  }

  // diff tells whether the step changed the function.
  get diff(): boolean {
    return this.before !== this.after;
  }

  // url is where its drawing is.
  url(view: Wanted): string {
    const { model, step, fn } = this.at;
    const q = new URLSearchParams();
    if (view.hide) q.set("hide", view.hide);
    q.set("run", model.id);
    q.set("step", step?.path ?? importPath);
    q.set("function", fn);
    if (view.near) {
      q.set("near", view.near);
      q.set("steps", String(view.steps));
    }
    if (view.all) q.set("groups", view.all);
    for (const id of [...view.open].slice(0, 200)) q.append("open", id);
    for (const id of [...view.shut].slice(0, 200)) q.append("shut", id);
    return `/graph/${this.before || "-"}/${this.after || "-"}?${q.toString()}`;
  }
}

// Wanted is what the reader wants to see of a graph. It stays when another function or step is shown.
export class Wanted {
  hide = "";
  // near is the node around which the graph is shown, so many steps far; empty for all of it.
  near = "";
  steps = 2;
  // all says what groups are unless they are in open or shut; empty where the size of the graph decides.
  all: "" | "open" | "folded" = "";
  readonly open = new Set<string>();
  readonly shut = new Set<string>();

  // turn opens or folds a group.
  turn(id: string, open: boolean): void {
    (open ? this.open : this.shut).add(id);
    (open ? this.shut : this.open).delete(id);
  }

  // turnAll opens or folds all groups.
  turnAll(all: "open" | "folded"): void {
    this.all = all;
    this.open.clear();
    this.shut.clear();
  }

  // allIs tells whether all groups of a drawing are open, or folded.
  static allIs(d: Drawing, folded: boolean): boolean {
    return (d.groups ?? []).every((g) => Boolean(g.folded) === folded);
  }
}
