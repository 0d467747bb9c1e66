// The editor of a session's pipeline: what moving, adding, removing and setting options do. It is loaded when it is needed.

import "../shared";
import { post } from "../store/api";
import { ContextDialog } from "./contextdialog";
import { ask } from "../widgets/dialogs";
import { announce, byId, tell } from "../widgets/dom";
import { Drag } from "./drag";
import { messageOf } from "../store/format";
import { numberOf, type RunModel, type Step } from "../store/model";
import type { Pipelining } from "./pipelining";
import { OptionsForm } from "./optionsform";
import { planned } from "../store/planned";
import { Registry } from "./registry";
import type { Session } from "../store/session";
import { loadPipelines, type Pipelines } from "../store/steps";
import { type At, atOf, count, find, insert, move, pathOf, remove, replace, same, where, within, withOption } from "../store/stepsedit";
import type { Problem, Planned, Settings, SettingsStep } from "../wire";

// Action is something that the editor does with a step, or without one.
export type Action = "up" | "down" | "remove" | "add" | "options" | "context";

// Surroundings is what the editor uses of the page: the tree of passes.
export interface Surroundings {
  tree: { readonly box: HTMLElement; readonly shown: { readonly steps: readonly Step[] }; readonly length: number; stepAt(row: number): Step | null };
}

export class Editor implements Pipelining {
  private pipelines: Promise<Pipelines> | null = null;
  private target = "";
  private known: Pipelines | null = null;
  private readonly form: OptionsForm;

  constructor(readonly store: Session, private readonly around: Surroundings) {
    this.form = new OptionsForm(this);
    new Drag(around.tree, {
      start: (step) => this.canStart(step),
      target: (after, x) => this.dropTarget(after, x),
      drop: (step, at) => void this.drop(step, at),
    });
    void this.load();
  }

  async act(action: Action, wanted: Step | null): Promise<void> {
    try {
      await this.load();
    } catch (err) {
      this.store.runs.problem = messageOf(err);
      this.store.changed();
      return;
    }
    // The keys may be faster than the page.
    const step = wanted && this.model.steps.get(wanted.path) === wanted ? wanted : this.store.selected();
    switch (action) {
      case "up":
      case "down": return this.shift(step, action);
      case "remove": return this.remove(step);
      case "add": return new Registry(this, step).open();
      case "context": return new ContextDialog(this).open();
      case "options": return this.focusOptions();
      default: throw new Error(`no such action: ${String(action)}`);
    }
  }

  // load asks once for the pipelines of the target.
  private async load(): Promise<void> {
    const { settings } = this.store.runs;
    if (!this.pipelines || this.target !== (settings.target ?? "")) {
      this.target = settings.target ?? "";
      this.pipelines = loadPipelines(settings);
      this.pipelines.catch(() => (this.pipelines = null));
    }
    this.known = await this.pipelines;
  }

  // named are the pipelines that have a name.
  get named(): Pipelines["list"] {
    return this.known?.list ?? [];
  }

  // steps are those of the settings, with what sequences hold.
  get steps(): SettingsStep[] {
    return this.known?.of(this.store.runs.settings) ?? [];
  }

  private get model(): RunModel {
    return this.store.plan.planned ?? this.store.model;
  }

  // place returns where a step stands, or the words for why it cannot be moved.
  place(step: Step | null): At | string {
    if (!step) return "Select a pass first";
    const at = atOf(numberOf(step));
    if (!at) return step.why ? `${step.name} is here because it is ${step.why}` : `${step.name} is not a pass of the pipeline`;
    if (at.length === 0) return `${step.name} is the pipeline itself`;
    if (find(this.steps, at)) return at;
    return `${step.name} is part of ${this.model.steps.get(step.parent)?.name ?? "another pass"}; move that one`;
  }

  // isSequence tells whether a step holds others that can be moved in and out.
  private isSequence(at: At): boolean {
    return at.length === 0 || find(this.steps, at)?.steps !== undefined;
  }

  // row returns the place of a row, of a part that of the pass that it belongs to; null where it has none.
  private row(step: Step): At | null {
    let at = atOf(numberOf(step));
    while (at && at.length > 0 && !find(this.steps, at)) at = at.slice(0, -1);
    return at;
  }

  private shift(step: Step | null, dir: "up" | "down"): void {
    const at = this.place(step);
    if (typeof at === "string" || !step) return tell(String(at));
    const to = dir === "up" ? this.above(at) : this.below(at);
    if (!to) return tell(`${step.name} is ${dir === "up" ? "first" : "last"} already`);
    this.moveTo(step.name, at, to);
  }

  // rows are the places of the visible rows.
  private rows(): At[] {
    return this.around.tree.shown.steps.flatMap((step) => {
      const at = this.row(step);
      return at ? [at] : [];
    });
  }

  // above returns where a step goes that moves up by one visible row: out of a sequence, before a step, or to the end of a sequence.
  private above(at: At): At | null {
    const rows = this.rows();
    const prev = rows.slice(0, rows.findIndex((r) => same(r, at))).findLast((r) => r.length > 0);
    if (!prev) return at.length === 1 && at[0] === 0 ? null : [0];
    return prev.length > at.length ? [...prev.slice(0, -1), prev.at(-1)! + 1] : prev;
  }

  // below returns where a step goes that moves down by one visible row.
  private below(at: At): At | null {
    const rows = this.rows();
    const next = rows.slice(rows.findIndex((r) => same(r, at))).find((r) => !within(r, at));
    const around = at.slice(0, -1);
    if (next && within(next, around) && next.length > around.length) {
      if (this.isSequence(next) && rows.some((r) => r.length > next.length && within(r, next))) return [...next, 0];
      return [...next.slice(0, -1), next.at(-1)! + 1];
    }
    if (around.length > 0) return [...around.slice(0, -1), around.at(-1)! + 1];
    return at[0]! < this.steps.length - 1 ? [this.steps.length] : null;
  }

  private moveTo(name: string, from: At, to: At): void {
    const { steps } = this;
    const step = find(steps, from)!;
    const moved = move(steps, from, to);
    if (!moved) return tell(`${name} cannot be moved into itself`);
    const path = pathOf(moved, step);
    if (path === pathOf(steps, step)) return;
    this.change(moved, path);
    announce(`${name} ${where(moved, path)}`);
  }

  private canStart(step: Step): boolean {
    const may = this.store.mayEdit();
    const at = this.place(step);
    if (typeof at === "string") tell(at);
    return may && typeof at !== "string";
  }

  // dropTarget returns where a dragged step goes: behind a row, or behind the sequence that ends there where the pointer is left of it.
  private dropTarget(after: Step | null, x: number): { at: At; depth: number } | null {
    let at = after && this.row(after);
    if (!at || at.length === 0) return { at: [0], depth: 1 };
    const rows = this.rows();
    if (this.isSequence(at) && rows.some((r) => r.length > at!.length && within(r, at!))) return { at: [...at, 0], depth: at.length + 1 };
    const lastRow = rows.findLastIndex((r) => same(r, at!));
    const next = rows[lastRow + 1];
    while (at.length > 1 && (!next || !within(next, at.slice(0, -1))) && x < 12 + at.length * 12) at = at.slice(0, -1);
    return { at: [...at.slice(0, -1), at.at(-1)! + 1], depth: at.length };
  }

  private drop(step: Step, to: At): void {
    const at = this.place(step);
    if (typeof at === "string") return tell(at);
    this.moveTo(step.name, at, to);
  }

  private async remove(step: Step | null): Promise<void> {
    const at = this.place(step);
    if (typeof at === "string" || !step) return tell(String(at));
    if (!(await this.mayLose(step, "Remove"))) return;
    const left = remove(this.steps, at);
    if (left.length === 0) return tell(`${step.name} is the only pass; a pipeline needs at least one`);
    const next = find(left, at) ?? find(left, [...at.slice(0, -1), at.at(-1)! - 1]) ?? left.at(-1)!;
    this.change(left, pathOf(left, next));
    announce(`${step.name} was removed; ${next.name} is selected`);
  }

  // add puts a pass behind a step.
  add(name: string, after: Step | null): void {
    const at = after ? (this.row(after) ?? []) : [];
    const first = !after || atOf(numberOf(after)) === null;
    const { steps } = this;
    const to = first ? [0] : at.length === 0 ? [steps.length] : [...at.slice(0, -1), at.at(-1)! + 1];
    const step: SettingsStep = { name, ...this.known?.sequence(name) };
    const more = insert(steps, to, step);
    const path = pathOf(more, step);
    this.change(more, path);
    announce(`${name} was added ${where(more, path)}`);
    this.around.tree.box.focus();
  }

  // setOption gives an option of a step another value; undefined is its default.
  setOption(step: Step, option: string, v: unknown): void {
    const at = this.place(step);
    if (typeof at === "string") return tell(at);
    const changed = withOption(find(this.steps, at)!, option, v);
    const steps = replace(this.steps, at, changed);
    this.change(steps, pathOf(steps, changed));
  }

  // wrong asks the server what is wrong with settings and returns the errors.
  async wrong(change: Partial<Settings>): Promise<Problem[]> {
    return (await post<Planned>("/api/plan", { ...this.store.runs.settings, ...change })).problems;
  }

  // wrongOption returns what is wrong with a value of an option, in the words of the server; "" where nothing is.
  async wrongOption(step: Step, option: string, v: unknown): Promise<string> {
    const at = this.place(step);
    if (typeof at === "string") return at;
    const steps = replace(this.steps, at, withOption(find(this.steps, at)!, option, v));
    return (await this.wrong({ steps })).find((m) => m.step === numberOf(step) && m.option === option)?.message ?? "";
  }

  // change puts steps into the settings, and shows them before their run has begun.
  private change(steps: SettingsStep[], select: string): void {
    const { store } = this;
    store.runs.change({ steps: this.known!.settle(store.runs.settings, steps) });
    this.replan();
    store.choose(select);
  }

  // replan shows the steps of the settings until their run has begun.
  replan(): void {
    const { runs, plan } = this.store;
    if (!this.known) return;
    const root = runs.settings.steps ? "custom" : runs.settings.pipeline || "default";
    plan.show(planned(runs.model, root, this.steps, (name) => this.store.info(name), this.known.list.map((p) => p.steps)));
    this.store.changed();
  }

  // mayLose warns of what fails without a lowering pass, and resolves to whether it is to go all the same.
  async mayLose(step: Step, verb: string): Promise<boolean> {
    await this.load();
    const { runs } = this.store;
    if (step.role !== "lowering" || (verb === "Remove" && count(this.steps, step.name) > 1)) return true;
    const inside = step.kind === "sequential" ? this.model.all().filter((x) => x.path !== step.path && x.role === "lowering" && within(atOf(numberOf(x)) ?? [], atOf(numberOf(step)) ?? [-1])) : [];
    const gone = new Set([step.name, ...inside.map((x) => x.name)]);
    const here = new Set(this.model.all().map((x) => x.name));
    const fails = [...gone].flatMap((name) => (this.store.info(name)?.after ?? []).filter((o) => o.needs && here.has(o.pass) && !gone.has(o.pass) && !runs.disabled.includes(o.pass)).map((o) => `${o.pass} needs ${name}: ${o.why}.`));
    const what = inside.length > 0 ? `It contains lowering passes: ${inside.map((x) => x.name).join(", ")}.` : (this.store.info(step.name)?.doc ?? "");
    const end = fails.length > 0 ? `Without it:\n${fails.join("\n")}` : `Without it ${this.store.info(step.name)?.without ?? "the module is not fully lowered, and code generation usually fails"}.`;
    return ask(`${verb} the lowering pass ${step.name}?`, `${what}\n\n${end}`, `${verb} anyway`);
  }

  // options shows the form for the options of the selected step.
  options(host: HTMLElement, step: Step | null): void {
    void this.load().then(() => this.form.show(host, step));
  }

  private focusOptions(): void {
    const { store } = this;
    store.bring("details");
    const first = byId("pass-options").querySelector<HTMLElement>("input, select, textarea");
    if (first) first.focus();
    else tell(`${store.selected()?.name ?? "This"} has no options`);
  }
}
