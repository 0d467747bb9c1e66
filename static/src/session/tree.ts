// The pipeline as a tree of passes, the functions of the selected pass as its children. The rows are flat elements with aria-level; the
// tree itself holds the focus. The arrows up and down walk over the passes; the arrow to the right leads into the functions.

import { apart, signature } from "../store/counts";
import { plural } from "../store/format";
import { numberOf, type RunModel, type Step } from "../store/model";
import { tails } from "../store/names";
import { Visible } from "../store/visible";
import type { Action } from "../pipeline/pipelineeditor";
import { h, later, setAttr } from "../widgets/dom";
import { Windowed } from "../widgets/windowed";
import type { Entry, Listing } from "../views/view";
import { functionRow, moreRow, type Place, stepRow, type TreeState } from "./treerows";

export type { TreeState } from "./treerows";

export const rowHeight = 24;
// atFirst is how many functions are listed before the reader asks for all.
const atFirst = 60;

// Functions are those that the tree shows below the selected step, or below the generated code.
export interface Functions extends Omit<Listing, "same" | "sameCount"> {
  selected: string;
  ofCode: boolean;
  // same lists the sameCount functions that the step left alone, where they can be shown.
  same: (() => Entry[]) | null;
  sameCount: number;
}

type Row =
  | { kind: "step"; step: Step }
  | { kind: "function"; step: Step | null; entry: Entry; same: boolean }
  | { kind: "more"; step: Step | null; text: string; what: "rest" | "same" }
  | { kind: "code"; step: null };

interface TreeListener {
  select(step: Step): void;
  // choose shows a function; same tells that the step left it alone.
  choose(key: string, same: boolean): void;
  code(): void;
  toggle(step: Step): void;
  act(action: Action, step: Step): void;
  changed(): void;
  // schedule returns what opens a function as a schedule; null where it is no kernel that can be scheduled.
  schedule(fn: string): (() => void) | null;
}

export class PipelineTree {
  readonly box: HTMLElement;
  // shown are the steps that have rows, below the rows of the functions of the selected one, or of the generated code.
  readonly shown = new Visible();
  // The rows are those of the steps that are shown and that of the code, with the rows below behind index at.
  private below: Row[] = [];
  private code: Row[] = [];
  private at = -1;
  private readonly list: Windowed;
  private readonly collapsed = new Set<string>();
  private model: RunModel | null = null;
  private state: TreeState | null = null;
  private functions: Functions = { entries: [], count: "", selected: "", ofCode: false, same: null, sameCount: 0 };
  private tails = new Map<string, string>();
  // What the reader opened and closed below the selected step, until another is selected.
  private closed = false;
  private all = false;
  private withSame = false;
  // inside tells that the arrows move in the functions.
  private inside = false;
  // The selected row stays in view while rows come and go, until the reader scrolls the tree.
  private follows = true;
  private selected = "";
  private revealed = "";
  // drawn says of each row that has an element what it shows, keys which rows there are beside those of steps.
  private readonly drawn = new Map<number, string>();
  private keys = "";
  // While the button of the mouse is down no row is made anew: a click whose element went before it ended would be lost.
  private held = false;
  private late: [RunModel, TreeState, Functions] | null = null;

  constructor(host: HTMLElement, private readonly on: TreeListener) {
    this.box = h("div", { class: "tree", id: "tree", role: "tree", tabindex: 0, "aria-label": "Passes", "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown Delete" });
    host.replaceChildren(this.box);
    this.list = new Windowed(this.box, { rowHeight, render: (i) => this.render(i), remove: (i) => this.drawn.delete(i) }, "none");
    new ResizeObserver(() => this.reveal()).observe(this.box);
    for (const name of ["wheel", "touchmove"]) this.box.addEventListener(name, () => (this.follows = false), { passive: true });
    // The scroll bar belongs to the box itself; what is clicked within lies in a row.
    this.box.addEventListener("pointerdown", (e) => (this.follows = this.follows && e.target !== this.box));
    this.box.addEventListener("click", (e) => this.click(e));
    // The focus stays with the tree, whose rows come and go.
    this.box.addEventListener("mousedown", (e) => {
      if ((e.target as HTMLElement).closest("[data-more]")) {
        e.preventDefault();
        this.box.focus();
      }
    });
    this.box.addEventListener("contextmenu", (e) => {
      const target = e.target as HTMLElement;
      const row = this.row(Number(target.closest<HTMLElement>(".fn[data-key]")?.dataset.i ?? -1));
      if (row?.kind === "function" && this.functionMenu(row.entry, { left: e.clientX, right: e.clientX, top: e.clientY, bottom: e.clientY })) return e.preventDefault();
      const step = this.stepAt(target.closest<HTMLElement>(".row"));
      if (step && this.menu(step, { left: e.clientX, right: e.clientX, top: e.clientY, bottom: e.clientY })) e.preventDefault();
    });
    this.box.addEventListener("keydown", (e) => this.key(e));
    this.box.addEventListener("pointerdown", (e) => (this.held = e.pointerType !== "touch"));
    for (const name of ["pointerup", "pointercancel", "pointermove"]) window.addEventListener(name, (e) => this.release(e as PointerEvent), { passive: true });
  }

  // release shows what came while the button of the mouse was down, behind the click that its end makes.
  private release(e: PointerEvent): void {
    if (!this.held || (e.type === "pointermove" && e.buttons !== 0)) return;
    this.held = false;
    window.setTimeout(() => {
      const late = this.late;
      this.late = null;
      if (late) this.update(...late);
    });
  }

  update(model: RunModel, state: TreeState, functions: Functions): void {
    if (this.held) {
      this.late = [model, state, functions];
      return;
    }
    this.late = null;
    this.model = model;
    this.state = state;
    if (state.selected !== this.selected) {
      this.closed = this.all = this.withSame = this.inside = false;
      this.follows = true;
    }
    this.selected = state.selected;
    this.functions = functions;
    this.box.classList.toggle("stale", state.stale);
    const others = this.shown.update(model, state, this.collapsed);
    this.code = model.code && (!state.filter || functions.ofCode) ? [{ kind: "code", step: null }] : [];
    this.at = functions.ofCode ? this.shown.steps.length + this.code.length - 1 : this.shown.indexOf(model.steps.get(state.selected));
    this.below = functions.ofCode ? this.rowsOf(null) : this.at < 0 ? [] : this.rowsOf(this.shown.steps[this.at]!);
    const keys = [this.below.length > 0 && this.at, ...[...this.below, ...this.code].map((r) => (r.kind === "function" ? `=${r.entry.key}` : r.kind))].join("\n");
    const same = !others && keys === this.keys;
    this.keys = keys;
    if (same) this.list.redrawWhere((i) => this.drawn.get(i) !== this.signature(this.row(i)!));
    else {
      this.tails = tails(functions.entries.map((x) => x.name));
      this.list.reset(this.length);
    }
    this.reveal(!same || this.revealed !== state.selected);
  }

  // rowsOf lists the rows of the functions of a step, or of the generated code.
  private rowsOf(step: Step | null): Row[] {
    const { entries, same, sameCount } = this.functions;
    if (this.closed) return [];
    const shown = this.all ? entries : entries.slice(0, atFirst);
    const out = shown.map((entry): Row => ({ kind: "function", step, entry, same: false }));
    if (shown.length < entries.length) out.push({ kind: "more", step, text: `${plural(entries.length - shown.length, "more function")}`, what: "rest" });
    if (same && this.withSame) out.push(...same().map((entry): Row => ({ kind: "function", step, entry, same: true })));
    else if (sameCount > 0) out.push({ kind: "more", step, text: `${sameCount.toLocaleString("en")} unchanged`, what: "same" });
    return out;
  }

  // row is the one at an index. Steps may be very many, so no list of all rows is made.
  private row(i: number): Row | undefined {
    const first = this.firstBelow;
    const { steps } = this.shown;
    const of = (k: number): Row | undefined => (k < steps.length ? { kind: "step", step: steps[k]! } : this.code[k - steps.length]);
    if (i < first) return of(i);
    return this.below[i - first] ?? of(i - this.below.length);
  }

  // firstBelow is the index of the first row of the functions: behind the row of the step, or of the code.
  private get firstBelow(): number {
    return this.at + 1;
  }

  // chosen is the place of the chosen function in the rows below, chosenRow that of its row.
  private chosen(): number {
    return this.below.findIndex((r) => r.kind === "function" && r.entry.key === this.functions.selected);
  }

  private chosenRow(): number {
    const k = this.chosen();
    return k < 0 ? -1 : this.firstBelow + k;
  }

  private stepRowOf(path: string): number {
    const k = this.shown.indexOf(this.model?.steps.get(path));
    return k > this.at ? k + this.below.length : k;
  }

  // reveal scrolls the selected row into view, unless the reader has scrolled away from it.
  reveal(scroll = true): void {
    const i = this.inside || this.functions.ofCode ? this.chosenRow() : this.stepRowOf(this.selected);
    if (i >= 0 && scroll && this.follows && this.list.visible) {
      this.list.show(i);
      this.revealed = this.selected;
    }
    setAttr(this.box, "data-at", this.inside ? "function" : null);
    setAttr(this.box, "aria-activedescendant", i >= 0 && this.list.element(i) ? `row-${i}` : null);
  }

  // enter leads the arrows into the functions.
  enter(): void {
    this.box.focus();
    if (this.functions.entries.length === 0) return;
    this.closed = false;
    this.inside = true;
    this.on.changed();
    this.reveal();
  }

  // stepAt is the step that a row shows or belongs to.
  stepAt(row: HTMLElement | number | null): Step | null {
    return row === null ? null : (this.row(typeof row === "number" ? row : Number(row.dataset.i))?.step ?? null);
  }

  get length(): number {
    return this.shown.steps.length + this.below.length + this.code.length;
  }

  // next finds the next visible step in a direction, only changed or failed ones where asked.
  next(from: string, dir: 1 | -1, changed: boolean): Step | null {
    let i = this.shown.indexOf(this.model?.steps.get(from));
    if (i < 0) i = dir > 0 ? -1 : this.shown.steps.length;
    for (i += dir; i >= 0 && i < this.shown.steps.length; i += dir) {
      const step = this.shown.steps[i]!;
      if (!changed || (step.kind !== "sequential" && (step.status === "changed" || step.status === "failed"))) return step;
    }
    return null;
  }

  // signature changes with what a row shows.
  private signature(row: Row): string {
    const st = this.state!;
    if (row.kind === "code") return "";
    if (row.kind === "more") return row.text;
    if (row.kind === "function") return [row.entry.name, row.entry.note, signature(row.entry.lines), row.entry.key === this.functions.selected].join("|");
    const { step } = row;
    return [
      step.status, step.text, signature(step.finished), step.measured.total, step.reused, step.children.length, step.diagnostics.length,
      st.edits, st.warnings.get(step.path), st.options.get(numberOf(step)), step.why, step.fault, apart(),
      this.openness(step), st.selected === step.path, st.disabled.has(step.name), st.mayEdit, st.notes.get(step.path), this.model!.tally().longest,
    ].join("|");
  }

  // openness tells whether what is below a step is shown; null where there is nothing.
  private openness(step: Step): boolean | null {
    if (step.children.length > 0) return !this.collapsed.has(step.path);
    if (step.path !== this.selected || this.functions.ofCode || this.functions.entries.length === 0) return null;
    return !this.closed;
  }

  private render(i: number): HTMLElement {
    const row = this.row(i)!;
    this.drawn.set(i, this.signature(row));
    const { base } = this.shown;
    const depth = Math.max(0, (row.step?.depth ?? base) - base);
    if (row.kind === "step") {
      const { step } = row;
      const at: Place = { i, depth, ...this.shown.place(i > this.at ? i - this.below.length : i), open: this.openness(step) };
      return stepRow(step, at, this.state!, step === this.model!.imported, (step.measured.total ?? 0) / this.model!.tally().longest);
    }
    if (row.kind === "code") {
      const el = moreRow("Generated code", { i, depth: 0, posinset: 1, setsize: 1, open: null });
      el.classList.add("of-code");
      return el;
    }
    const at: Place = { i, depth: depth + 1, posinset: this.below.indexOf(row) + 1, setsize: this.below.length, open: null };
    if (row.kind === "more") return moreRow(row.text, at);
    return functionRow(row.entry, at, row.entry.key === this.functions.selected, this.tails.get(row.entry.name) ?? "");
  }

  private click(e: MouseEvent): void {
    const target = e.target as HTMLElement;
    const el = target.closest<HTMLElement>("[data-i]");
    const row = el ? this.row(Number(el.dataset.i)) : undefined;
    if (!row) return;
    if (row.kind === "code") return this.on.code();
    if (row.kind === "more") return this.more(row.what);
    if (row.kind === "function") {
      this.inside = true;
      return this.on.choose(row.entry.key, row.same);
    }
    const { step } = row;
    this.inside = false;
    if (target.closest(".twisty") && this.openness(step) !== null) this.fold(step, this.openness(step)!);
    else if (target.closest(".tick")) this.on.toggle(step);
    else if (target.closest("[data-more]")) this.menu(step, target.closest("[data-more]")!.getBoundingClientRect());
    else this.on.select(step);
  }

  private more(what: "rest" | "same"): void {
    if (what === "rest") this.all = true;
    else if (this.functions.same) this.withSame = true;
    else return;
    this.on.changed();
  }

  // functionMenu opens what can be done with a function; false where nothing can.
  private functionMenu(entry: Entry, at: { left: number; right: number; top: number; bottom: number }): boolean {
    const run = this.on.schedule(entry.name);
    if (!run) return false;
    later(import("../widgets/popmenu"), (own) => own.popMenu(entry.name, [{ id: "schedule", text: "Schedule this kernel", keys: "d", run }], at, this.box), "The menu");
    return true;
  }

  // menu opens what can be done with a step; false where nothing can.
  private menu(step: Step, at: { left: number; right: number; top: number; bottom: number }): boolean {
    const st = this.state!;
    if (!st.mayEdit || step.parent === "" || step.line) return false;
    later(import("./stepmenu"), (own) => own.stepMenu(step, st, this.on, at, this.box), "The menu");
    return true;
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey) return;
    const selected = this.state?.selected ?? "";
    const step = this.shown.steps[this.shown.indexOf(this.model?.steps.get(selected))];
    if (this.inside && (e.key === "ContextMenu" || (e.key === "F10" && e.shiftKey))) {
      const row = this.below[this.chosen()];
      const el = this.list.element(this.chosenRow());
      if (row?.kind === "function" && el && this.functionMenu(row.entry, el.getBoundingClientRect())) e.preventDefault();
      return;
    }
    if (step && (e.key === "ContextMenu" || (e.key === "F10" && e.shiftKey))) {
      const row = this.list.element(this.stepRowOf(selected));
      if (row && this.menu(step, row.getBoundingClientRect())) e.preventDefault();
      return;
    }
    const action = actionOf(e);
    if (action && step) this.on.act(action, step);
    if (action) e.preventDefault();
    if (action || e.altKey) return;
    if (this.inside && this.keyInside(e, step)) return e.preventDefault();
    let handled = true;
    const go = (to: Step | null | undefined): void => {
      if (to) this.on.select(to);
    };
    switch (e.key) {
      case "ArrowDown": go(this.next(selected, 1, false)); break;
      case "ArrowUp": go(this.next(selected, -1, false)); break;
      case "Home": go(this.shown.steps[0]); break;
      case "End": go(this.shown.steps.at(-1)); break;
      case "ArrowLeft":
        if (step && step.children.length > 0 && !this.collapsed.has(step.path)) this.fold(step, true);
        else go(step && this.shown.steps.find((x) => x.path === step.parent));
        break;
      case "ArrowRight":
        if (step && this.collapsed.has(step.path)) this.fold(step, false);
        else if (step && step.children.length > 0) go(this.next(selected, 1, false));
        else this.enter();
        break;
      case " ":
        if (step) this.on.toggle(step);
        break;
      default: handled = false;
    }
    if (handled) e.preventDefault();
  }

  // keyInside moves in the functions; it tells whether the key did something.
  private keyInside(e: KeyboardEvent, step: Step | undefined): boolean {
    const k = this.chosen();
    const last = this.below.length - 1;
    if (e.key === "ArrowLeft" || (e.key === "ArrowUp" && k <= 0)) {
      this.inside = false;
      if (step && this.functions.ofCode) this.on.select(step);
      this.reveal();
      return true;
    }
    if (e.key === "ArrowDown" && k === last) {
      const to = step && this.next(step.path, 1, false);
      if (to) this.on.select(to);
      return true;
    }
    const to = { ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: last, PageDown: k + 10, PageUp: k - 10 }[e.key];
    const row = to === undefined ? undefined : this.below[Math.max(0, Math.min(last, to))];
    if (row?.kind === "function") this.on.choose(row.entry.key, row.same);
    else if (row?.kind === "more") this.more(row.what);
    else return false;
    this.follows = true;
    this.reveal();
    return true;
  }

  private fold(step: Step, closed: boolean): void {
    if (step.children.length === 0) this.closed = closed;
    else if (closed) this.collapsed.add(step.path);
    else this.collapsed.delete(step.path);
    this.on.changed();
  }
}

// actionOf returns what the keys of an event do with the selected step.
function actionOf(e: KeyboardEvent): Action | null {
  if (e.key === "ArrowUp" || e.key === "ArrowDown") return e.altKey ? (e.key === "ArrowUp" ? "up" : "down") : null;
  return e.key === "Delete" && !e.altKey ? "remove" : null;
}
