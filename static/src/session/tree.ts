// The pipeline as a tree of passes. The rows are flat elements with aria-level; the tree itself holds the focus.

import { signature } from "../store/counts";
import { delta } from "../widgets/delta";
import { h, setAttr } from "../widgets/dom";
import { plural, time } from "../store/format";
import { numberOf, type RunModel, type Step } from "../store/model";
import { fuzzy } from "../store/rank";
import type { Action } from "../pipeline/pipelineeditor";
import { editPrefix, userPrefix } from "../store/steps";
import { glyphs } from "../widgets/glyphs";
import { Windowed } from "../widgets/windowed";

export interface TreeState {
  selected: string;
  disabled: Set<string>;
  onlyChanged: boolean;
  filter: string;
  mayEdit: boolean;
  // reason says why nothing may be changed; empty where it may.
  reason: string;
  // notes counts the notes of each step.
  notes: Map<string, number>;
  // edits tells that passes can be moved, added and removed here.
  edits: boolean;
  // warnings says by path where the order breaks a constraint, options by number which options are not the default.
  warnings: Map<string, string[]>;
  options: Map<string, string>;
  // stale tells that the settings have changed and a new run is about to start.
  stale: boolean;
}

const rowHeight = 24;
// A pass that runs shorter than this is not shown as running: rows that come and go within a blink only disturb.
const noticeable = 120;

interface TreeListener {
  select(step: Step): void;
  toggle(step: Step): void;
  act(action: Action, step: Step): void;
  changed(): void;
}

export class PipelineTree {
  readonly box: HTMLElement;
  visible: Step[] = [];
  hidden = 0;
  private readonly list: Windowed;
  private readonly collapsed = new Set<string>();
  private model: RunModel | null = null;
  private state: TreeState | null = null;
  private longest = 1;
  // The selected row stays in view while rows come and go, until the reader scrolls the tree.
  private follows = true;
  private selected = "";
  private revealed = "";
  private signatures = new Map<string, string>();
  // While the button of the mouse is down no row is made anew: a click whose element went before it ended would be lost.
  private held = false;
  private late: [RunModel, TreeState] | null = null;

  constructor(host: HTMLElement, private readonly on: TreeListener) {
    this.box = h("div", { class: "tree", id: "tree", role: "tree", tabindex: 0, "aria-label": "Passes", "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown Delete" });
    host.replaceChildren(this.box);
    this.list = new Windowed(this.box, { rowHeight, render: (i) => this.render(i) }, "none");
    // The list of functions below takes room from the tree as it grows.
    new ResizeObserver(() => this.reveal()).observe(this.box);
    for (const name of ["wheel", "touchmove"]) this.box.addEventListener(name, () => (this.follows = false), { passive: true });
    // The scroll bar belongs to the box itself; what is clicked within lies in a row.
    this.box.addEventListener("pointerdown", (e) => (this.follows = this.follows && e.target !== this.box));
    this.box.addEventListener("click", (e) => this.click(e));
    // The focus stays with the tree, whose rows come and go.
    this.box.addEventListener("mousedown", (e) => {
      if ((e.target as HTMLElement).closest("[data-act]")) {
        e.preventDefault();
        this.box.focus();
      }
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

  update(model: RunModel, state: TreeState): void {
    if (this.held) {
      this.late = [model, state];
      return;
    }
    this.late = null;
    this.model = model;
    this.state = state;
    this.box.classList.toggle("stale", state.stale);
    const before = this.visible;
    const all = model.all();
    this.visible = all.filter((step) => this.shows(step));
    this.hidden = all.filter((step) => step.kind !== "sequential").length - this.visible.filter((step) => step.kind !== "sequential").length;
    this.longest = Math.max(1, ...all.filter((step) => step.kind !== "sequential").map((step) => step.measured.total ?? 0));
    const same = before.length === this.visible.length && before.every((step, i) => step.path === this.visible[i]!.path);
    if (!same) {
      this.signatures = new Map(this.visible.map((step) => [step.path, this.signature(step)]));
      this.list.reset(this.visible.length);
    } else {
      const old = this.signatures;
      this.signatures = new Map(this.visible.map((step) => [step.path, this.signature(step)]));
      this.list.redrawWhere((i) => old.get(this.visible[i]!.path) !== this.signatures.get(this.visible[i]!.path));
    }
    if (state.selected !== this.selected) this.follows = true;
    this.selected = state.selected;
    this.reveal(!same || this.revealed !== state.selected);
  }

  // reveal scrolls the selected row into view, unless the reader has scrolled away from it.
  reveal(scroll = true): void {
    const i = this.visible.findIndex((step) => step.path === this.selected);
    if (i >= 0 && scroll && this.follows && this.box.clientHeight > 0) {
      this.list.show(i);
      this.revealed = this.selected;
    }
    setAttr(this.box, "aria-activedescendant", i >= 0 && this.list.element(i) ? `row-${i}` : null);
  }

  // next finds the next visible step in a direction, only changed or failed ones where asked.
  next(from: string, dir: 1 | -1, changed: boolean): Step | null {
    let i = this.visible.findIndex((step) => step.path === from);
    if (i < 0) i = dir > 0 ? -1 : this.visible.length;
    for (i += dir; i >= 0 && i < this.visible.length; i += dir) {
      const step = this.visible[i]!;
      if (!changed || (step.kind !== "sequential" && (step.status === "changed" || step.status === "failed"))) return step;
    }
    return null;
  }

  private shows(step: Step): boolean {
    const st = this.state!;
    for (let p = this.model!.steps.get(step.parent); p; p = this.model!.steps.get(p.parent)) if (this.collapsed.has(p.path)) return false;
    const filter = st.filter.toLowerCase();
    if (step.children.length > 0 && step.children.some((c) => this.matches(c, filter))) return true;
    return this.matches(step, filter);
  }

  private matches(step: Step, filter: string): boolean {
    const st = this.state!;
    if (filter && !fuzzy(step.name.toLowerCase(), filter)) return step.children.some((c) => this.matches(c, filter));
    if (!st.onlyChanged || filter || step.path === st.selected || step === this.model!.imported || st.disabled.has(step.name) || st.notes.has(step.path)) return true;
    if (step.children.length > 0) return step.children.some((c) => this.matches(c, filter));
    if (step.status === "running") return performance.now() - step.seen > noticeable;
    return step.status === "changed" || step.status === "failed" || (step.status === "skipped" && step.reason !== "stopped");
  }

  private signature(step: Step): string {
    const st = this.state!;
    return [
      step.status, step.text, signature(step.finished), step.measured.total, step.reused, step.children.length, step.diagnostics.length,
      st.edits, st.warnings.get(step.path), st.options.get(numberOf(step)), step.why,
      this.collapsed.has(step.path), st.selected === step.path, st.disabled.has(step.name), st.mayEdit, st.notes.get(step.path), this.longest,
    ].join("|");
  }

  private render(i: number): HTMLElement {
    const step = this.visible[i]!;
    const st = this.state!;
    const group = step.kind === "sequential";
    const imported = step === this.model!.imported;
    // A sequential within another is filtered by name as any pass; the outermost one holds the pipeline.
    const tickable = step.parent !== "";
    const on = !st.disabled.has(step.name);
    const open = step.children.length > 0 ? !this.collapsed.has(step.path) : null;
    const siblings = this.visible.filter((s) => s.parent === step.parent);
    const row = h(
      "div",
      {
        class: `row is-${step.status}${group ? " group" : ""}${imported ? " imported" : ""}${step.role === "lowering" ? " lowering" : ""}`,
        id: `row-${i}`,
        role: "treeitem",
        "data-i": i,
        "data-step": step.path,
        "aria-level": step.depth + 1,
        "aria-posinset": siblings.indexOf(step) + 1,
        "aria-setsize": siblings.length,
        "aria-selected": String(step.path === st.selected),
        "aria-checked": tickable ? String(on) : null,
        "aria-expanded": open === null ? null : String(open),
      },
      h("span", { class: "twisty", "aria-hidden": "true" }, open === null ? "" : open ? "▾" : "▸"),
      !tickable ? null : h("span", { class: `tick${on ? " on" : ""}${st.mayEdit ? "" : " fixed"}`, title: st.reason || tickTitle(step, on) }),
      h("span", { class: "glyph", "aria-hidden": "true" }, imported ? "↧" : glyphs[step.status]),
      imported ? null : h("span", { class: "vh" }, `${step.status} `),
      h("span", { class: "name", title: step.name }, step.name),
      step.name.startsWith(editPrefix) ? h("span", { class: "by-user", title: "IR edited by hand" }, "✎", h("span", { class: "vh" }, " edited IR ")) : null,
      step.name.startsWith(userPrefix) ? h("span", { class: "by-user", title: "Written by a user" }, "✎", h("span", { class: "vh" }, " written by a user ")) : null,
      step.role === "lowering" && !group ? h("span", { class: "vh" }, " (lowering pass) ") : null,
      optionMark(st.options.get(numberOf(step))),
      step.level > 0 && !group && step.status !== "skipped" ? h("span", { class: "level", title: `runs from opt_level ${step.level} on` }, String(step.level)) : null,
      warned(step) ? h("span", { class: "warned", title: step.diagnostics[0]!.message }, "⚠", h("span", { class: "vh" }, " has a warning")) : null,
      step.diagnostics.some((d) => d.code === "print") ? h("span", { class: "by-user", title: "A script printed something; see the details" }, "≡", h("span", { class: "vh" }, " with printed lines ")) : null,
      noted(st.notes.get(step.path) ?? 0),
      ...this.figures(step),
      st.edits && movable(step) ? rowTools(step) : null,
    );
    row.style.setProperty("--depth", String(step.depth));
    const share = group ? 0 : (step.measured.total ?? 0) / this.longest;
    row.style.setProperty("--share", share.toFixed(3));
    return row;
  }

  private figures(step: Step): HTMLElement[] {
    const order = this.state!.warnings.get(step.path);
    if (order && step.status !== "failed") return [h("span", { class: "reason order", title: order.join("\n") }, `⚠ ${order[0]!.replace(`${step.name} `, "")}`)];
    if (step.status === "skipped") return [h("span", { class: "reason", title: step.text }, reason(step))];
    if (step.status === "failed") return [h("span", { class: "reason failed" }, "failed")];
    const out: HTMLElement[] = [];
    const f = step.finished;
    if (step.why) out.push(h("span", { class: "reason why", title: step.why }, step.why));
    if (f?.changed && step.kind !== "sequential") {
      out.push(delta(f));
    }
    if (step.measured.total !== undefined) {
      out.push(
        h("span", { class: "time", title: step.reused ? "reused from an earlier run" : null }, step.reused ? "↺ " : "", time(step.measured.total), step.reused ? h("span", { class: "vh" }, " reused") : null),
      );
    }
    return out;
  }

  private click(e: MouseEvent): void {
    const target = e.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-i]");
    const step = row ? this.visible[Number(row.dataset.i)] : undefined;
    if (!step) return;
    if (target.closest(".twisty") && step.children.length > 0) this.fold(step, !this.collapsed.has(step.path));
    else if (target.closest(".tick")) this.on.toggle(step);
    else if (target.closest("[data-act]")) this.on.act(target.closest<HTMLElement>("[data-act]")!.dataset.act as Action, step);
    else this.on.select(step);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey) return;
    const selected = this.state?.selected ?? "";
    const step = this.visible.find((x) => x.path === selected);
    const action = actionOf(e);
    if (action && step) this.on.act(action, step);
    if (action) e.preventDefault();
    if (action || e.altKey) return;
    let handled = true;
    const go = (to: Step | null | undefined): void => {
      if (to) this.on.select(to);
    };
    switch (e.key) {
      case "ArrowDown": go(this.next(selected, 1, false)); break;
      case "ArrowUp": go(this.next(selected, -1, false)); break;
      case "Home": go(this.visible[0]); break;
      case "End": go(this.visible.at(-1)); break;
      case "ArrowLeft":
        if (step && step.children.length > 0 && !this.collapsed.has(step.path)) this.fold(step, true);
        else go(step && this.model!.steps.get(step.parent));
        break;
      case "ArrowRight":
        if (step && this.collapsed.has(step.path)) this.fold(step, false);
        else if (step && step.children.length > 0) go(this.next(selected, 1, false));
        break;
      case " ":
        if (step) this.on.toggle(step);
        break;
      default: handled = false;
    }
    if (handled) e.preventDefault();
  }

  private fold(step: Step, closed: boolean): void {
    if (closed) this.collapsed.add(step.path);
    else this.collapsed.delete(step.path);
    this.on.changed();
  }
}

// movable tells whether a step stands in the pipeline by itself: it is no outermost one and none that another asked for.
function movable(step: Step): boolean {
  return step.parent !== "" && /^[\d.]+$/.test(numberOf(step));
}

// actionOf returns what the keys of an event do with the selected step.
function actionOf(e: KeyboardEvent): Action | null {
  if (e.key === "ArrowUp" || e.key === "ArrowDown") return e.altKey ? (e.key === "ArrowUp" ? "up" : "down") : null;
  return e.key === "Delete" && !e.altKey ? "remove" : null;
}

const tools: [Action, string, string][] = [["up", "↑", "Move %s up (Alt+↑)"], ["down", "↓", "Move %s down (Alt+↓)"], ["remove", "✕", "Remove %s (Delete)"]];

// rowTools are buttons for what the keys of the tree do, which holds the focus.
function rowTools(step: Step): HTMLElement {
  const button = ([action, sign, doc]: [Action, string, string]): HTMLElement => {
    const title = doc.replace("%s", step.name);
    return h("button", { type: "button", tabindex: -1, "data-act": action, title, "aria-label": title }, sign);
  };
  return h("span", { class: "row-tools" }, ...tools.map(button));
}

function optionMark(set: string | undefined): HTMLElement | null {
  if (!set) return null;
  return h("span", { class: "optioned", title: set }, h("span", { "aria-hidden": "true" }, "{…}"), h("span", { class: "vh" }, ` with ${set} `));
}

function noted(n: number): HTMLElement | null {
  if (n === 0) return null;
  return h("span", { class: "noted-step", title: plural(n, "note") }, h("span", { "aria-hidden": "true" }, "◆"), String(n), h("span", { class: "vh" }, n === 1 ? " note " : " notes "));
}

function warned(step: Step): boolean {
  return step.diagnostics.some((d) => d.severity !== "note");
}

// reason is the short form of why a step was skipped; the whole sentence stands in its title and in the details.
function reason(step: Step): string {
  if (step.reason === "disabled") return "off";
  return step.reason === "opt_level" ? step.text.replace("opt_level ", "") : step.text;
}

function tickTitle(step: Step, on: boolean): string {
  const what = step.role === "lowering" ? "Lowering pass: code generation needs it. " : "";
  return `${what}${on ? "Turn off" : "Turn on"} ${step.name} (x)`;
}
