// Which steps the tree shows: all, or those that changed something, by name, and none of a sequence that is closed. A run may have very many
// steps, so the list is made anew only where it can have changed.

import type { RunModel, Step } from "./model";
import { fuzzy } from "./fuzzy";

// A pass that runs shorter than this, in milliseconds, is not shown as running: rows that come and go within a blink only disturb.
const noticeable = 120;

export interface Wanted {
  selected: string;
  disabled: ReadonlySet<string>;
  onlyChanged: boolean;
  filter: string;
  notes: ReadonlyMap<string, number>;
}

export class Visible {
  steps: Step[] = [];
  // hidden counts the passes that are not shown.
  hidden = 0;
  // base is the depth of the outermost rows: a step that holds the whole pipeline has no row, since its time is that of the run.
  base = 0;
  private model: RunModel | null = null;
  private key = "";
  // places says of each step which one it is of those beside it, sizes how many they are, by the step that holds them. They are made
  // when somebody asks for them: the list then has not changed since.
  private places: Int32Array | null = null;
  private readonly sizes = new Map<string, number>();

  // update makes the list, and tells whether it holds other steps than before. What is closed is told by path.
  update(model: RunModel, want: Wanted, closed: ReadonlySet<string>): boolean {
    const { selected } = want;
    const filter = want.filter.toLowerCase();
    const special = (step: Step): boolean => step === model.imported || want.disabled.has(step.name) || want.notes.has(step.path);
    const leaf = (step: Step): boolean => {
      if (!want.onlyChanged || filter || special(step)) return true;
      if (step.status === "running") return performance.now() - step.seen > noticeable;
      return step.status === "changed" || step.status === "failed" || (step.status === "skipped" && step.reason !== "stopped");
    };
    const now = model.tally().running;
    const chosen = model.steps.get(selected);
    const key = [
      model.version, filter, want.onlyChanged, now && leaf(now), [...closed], [...want.disabled], [...want.notes.keys()],
      // One that is shown anyway makes no difference.
      want.onlyChanged && !filter && !(chosen?.children.length === 0 && leaf(chosen)) && selected,
    ].join("\n");
    if (model === this.model && key === this.key) return false;
    this.model = model;
    this.key = key;
    this.places = null;
    const old = this.steps;
    const out: Step[] = [];
    const roots = model.roots.filter((step) => step.children.length > 0);
    this.base = roots.length === 1 ? 1 : 0;
    const top = this.base ? roots[0] : null;
    // A step is shown where it is wanted itself, or one in it: then its row stays, and what was listed behind it.
    const matches = new Map<string, boolean>(); // many steps share a name
    const named = (name: string): boolean => {
      const known = matches.get(name) ?? fuzzy(name.toLowerCase(), filter);
      matches.set(name, known);
      return known;
    };
    const walk = (step: Step): boolean => {
      const at = out.length;
      if (step !== top) out.push(step);
      const first = out.length;
      let inside = false;
      for (const child of step.children) inside = walk(child) || inside;
      const wanted = inside || ((!filter || named(step.name)) && (step.path === selected || (step.children.length > 0 && want.onlyChanged && !filter ? special(step) : leaf(step))));
      if (!wanted) out.length = at;
      else if (closed.has(step.path)) out.length = first;
      return wanted;
    };
    for (const root of model.roots) walk(root);
    this.steps = out;
    this.hidden = model.tally().total - out.reduce((n, step) => n + (step.kind === "sequential" ? 0 : 1), 0);
    return out.length !== old.length || out.some((step, i) => step.path !== old[i]!.path);
  }

  // indexOf is the place of a step in the list, -1 where it is not shown.
  indexOf(step: Step | undefined): number {
    return step ? this.steps.indexOf(step) : -1;
  }

  // place says which of the steps beside it the step at an index is, from 1, and how many they are.
  place(i: number): { posinset: number; setsize: number } {
    if (!this.places) {
      this.sizes.clear();
      this.places = Int32Array.from(this.steps, ({ parent }) => {
        const n = (this.sizes.get(parent) ?? 0) + 1;
        this.sizes.set(parent, n);
        return n;
      });
    }
    return { posinset: this.places[i]!, setsize: this.sizes.get(this.steps[i]!.parent)! };
  }
}
