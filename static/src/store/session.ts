// What the page of a session shows, and what changes it. The store knows no element of the page: what it asks of the page around it is
// a Screen, and what it knows of the views in the middle are their Traits.

import type { RunModel, Step } from "./model";
import { failedStep, wholeModule } from "./model";
import { Plan } from "./plan";
import { preferredForm, setForm } from "./form";
import { keep, setting } from "./prefs";
import { Runs } from "./runs";
import { parseState, type State } from "./state";
import type { Connect } from "./stream";
import { editPrefix, schedulePrefix } from "./steps";
import { reuse, summary } from "./summary";
import { truth, type Truth } from "./truth";
import type { Note, PassInfo } from "../wire";

// Traits say what the store must know of a view.
export interface Traits {
  readonly name: string;
  // follows tells that the view shows the selected pass; from another one, selecting a pass leads to a diff.
  readonly follows: boolean;
  // text tells that the view shows texts of the selected pass: what it changed, or what is there after it.
  readonly text?: "diff" | "after";
  // ownEntries tells that the list of functions holds something else in this view.
  readonly ownEntries?: boolean;
}

// Part is a part of the page that a narrow window shows alone.
export type Part = "passes" | "center" | "details" | "search";

// Screen is the page around the store.
export interface Screen {
  // draw draws the page as it is now, later with the next frame.
  draw(): void;
  later(): void;
  announce(text: string): void;
  // tell says to everybody what nothing else shows.
  tell(text: string): void;
  // address shows the state in the address, as a new step in the history of the browser where asked.
  address(state: State, newEntry: boolean): void;
  // leave keeps what is shown now in the history of the browser, before the reader goes elsewhere.
  leave(): void;
  // bring shows a part where the window is narrow.
  bring(part: Part): void;
  // aim names a line of the text before that is to be in view with the next text; 0 for none.
  aim(before: number): void;
  // line brings a line of the text that is shown into view.
  line(line: number, side: "before" | "after"): void;
  // sure resolves to whether the reader, who is warned, wants to turn a step off.
  sure(step: Step): Promise<boolean>;
}

// Begin is what the page was opened with.
export interface Begin {
  session: string;
  title: string;
  run: string;
  mayEdit: boolean;
  shared: boolean;
  // reason says why nothing can be changed.
  reason: string;
  // compiler tells that the server compiles: that passes, pipelines and IR can be edited, and graphs drawn.
  compiler: boolean;
  // dump tells that the session shows what another compiler printed: nothing of it can be run.
  dump?: boolean;
  query: string;
}

// Place is what a note is pinned to.
export type Place = Required<Pick<Note, "run" | "step" | "function" | "line">>;

export class Session {
  state: State;
  // chosen tells that the reader has picked a pass; until then the page shows the first one that changed something.
  chosen: boolean;
  // fn is the function that the middle shows, which the reader need not have chosen.
  fn = "";
  filter = "";
  onlyChanged = setting("only-changed") !== "false";
  readonly runs: Runs;
  readonly plan: Plan;
  // ownPasses describes the passes of the run's scripts by name.
  ownPasses = new Map<string, PassInfo>();
  shared: boolean;
  // title is that of the session.
  title: string;
  readonly compiler: boolean;
  // wanted is the name of a pass that is to be selected when a run has it.
  private wanted = "";

  constructor(private readonly begin: Begin, private readonly views: readonly Traits[], private readonly screen: Screen, connect: Connect) {
    this.shared = begin.shared;
    this.title = begin.title;
    this.compiler = begin.compiler;
    this.state = this.parse(begin.query);
    this.chosen = this.state.pass !== "";
    this.runs = new Runs(begin.session, this.state.run, begin.mayEdit, connect, {
      changed: () => this.changed(),
      received: () => this.received(),
      started: (run) => this.started(run),
    });
    this.plan = new Plan(this.runs, begin.compiler, () => this.changed());
  }

  async open(): Promise<void> {
    this.changed();
    await this.runs.open();
    if (this.state.run === "" && this.runs.current !== "") this.go({ run: this.runs.current });
  }

  // restore takes the state of an address over, as the reader goes back and forth in the history of the browser.
  restore(query: string): void {
    const { run } = this.state;
    this.state = this.parse(query);
    if (this.state.run !== run) this.runs.show(this.state.run);
    this.changed();
  }

  private parse(query: string): State {
    return parseState(query, this.begin.run, this.preferredDiff(), this.views.map((v) => v.name), preferredForm());
  }

  // dump tells that the session shows what another compiler printed.
  get dump(): boolean {
    return this.begin.dump ?? false;
  }

  get id(): string {
    return this.begin.session;
  }

  get model(): RunModel {
    return this.runs.model;
  }

  // truth tells whether the rows are the result of the settings, and since when; the top bar shows its words.
  truth(): Truth {
    return truth(this.runs);
  }

  // view is the one that the middle shows.
  get view(): Traits {
    return this.views.find((v) => v.name === this.state.view) ?? this.views[0]!;
  }

  // reason says why nothing can be changed; empty where it can.
  get reason(): string {
    if (this.runs.mayEdit) return "";
    return this.begin.reason;
  }

  // mayRun tells whether the reader may start runs.
  get mayRun(): boolean {
    return this.runs.mayEdit && !this.begin.dump;
  }

  // mayEdit tells whether something can be changed, and tells the reader where it cannot.
  mayEdit(): boolean {
    if (!this.runs.mayEdit) this.screen.tell(this.reason);
    return this.runs.mayEdit;
  }

  // changed has the page drawn soon.
  changed(): void {
    this.screen.later();
  }

  announce(text: string): void {
    this.screen.announce(text);
  }

  bring(part: Part): void {
    this.screen.bring(part);
  }

  selected(): Step | null {
    return (this.plan.planned ?? this.model).steps.get(this.state.pass) ?? null;
  }

  // info describes a pass: one of the compiler, or one of the run's scripts.
  info(name: string): PassInfo | undefined {
    return this.runs.passes.get(name) ?? this.ownPasses.get(name);
  }

  // paged tells whether the server has a page on a pass.
  paged(name: string): boolean {
    const p = this.info(name);
    return !this.model.started?.dump && !!p?.ir && !p.script;
  }

  // go changes the state and draws at once. Another pass has other rewrites: none of them is selected. Another view is a step in the
  // history of the browser, another form of a diff is none.
  go(change: Partial<State>): void {
    const from = this.view;
    const other = change.pass !== undefined && change.pass !== this.state.pass;
    this.state = { ...this.state, ...(other ? { rewrite: "" } : {}), ...change };
    if (this.view !== from && !(this.view.text === "diff" && from.text === "diff")) this.screen.leave();
    this.screen.draw();
  }

  select(step: Step): void {
    this.chosen = true;
    this.go({ pass: step.path, line: 0, view: this.view.follows ? this.state.view : this.preferredDiff() });
  }

  selectByName(name: string): void {
    const step = this.model.all().find((x) => x.name === name);
    if (!step) return;
    this.screen.leave();
    this.select(step);
  }

  // choose selects a step by its path; the next run has it, if this one has not.
  choose(path: string): void {
    this.chosen = true;
    this.go({ pass: path, line: 0 });
  }

  // showLater selects the first step of a name when the next run has it.
  showLater(name: string): void {
    this.wanted = name;
  }

  setView(name: string): void {
    const to = this.views.find((v) => v.name === name);
    if (!to) return;
    if (to.text === "diff") keep("diff-view", name);
    const otherEntries = to.name !== this.view.name && Boolean(to.ownEntries || this.view.ownEntries);
    this.go({ view: name, line: 0, ...(otherEntries ? { fn: "" } : {}) });
  }

  // turnDiff shows a diff in its other form.
  turnDiff(): void {
    const all = this.diffs();
    this.setView(all[(all.indexOf(this.state.view) + 1) % all.length]!);
  }

  // turnForm shows lines of Relax functions in their other form.
  turnForm(): void {
    const form = this.state.form === "compact" ? "exact" : "compact";
    setForm(form);
    this.announce(form === "compact" ? "Lines of Relax functions are shortened" : "Lines are shown as printed");
    this.go({ form });
  }

  // preferredDiff is the form of diffs that the reader chose last.
  preferredDiff(): string {
    const all = this.diffs();
    return all.find((name) => name === setting("diff-view")) ?? all[0] ?? "";
  }

  private diffs(): string[] {
    return this.views.filter((v) => v.text === "diff").map((v) => v.name);
  }

  // viewOf is the view for a line of a link: in a diff the reader's form of it.
  viewOf(name: string): string {
    const view = this.views.find((v) => v.name === name);
    return !view || view.text === "diff" ? this.preferredDiff() : name;
  }

  // reveal shows a line of a function after a step: in the diff where the step changed the function, else in its text.
  reveal(pass: string, fn: string, line: number, differs: boolean): void {
    const after = this.views.find((v) => v.text === "after");
    const view = !differs && fn !== "" && after ? after.name : this.view.text === "diff" ? this.state.view : this.diffs()[0]!;
    this.visit({ pass, fn, line, view });
  }

  // visit shows a line of a text after a pass, or the one of the text before it.
  visit(to: Pick<State, "pass" | "fn" | "line" | "view">, before = 0): void {
    this.chosen = true;
    const there = this.fn === to.fn && this.state.pass === to.pass && this.state.view === to.view;
    if (!there) {
      this.screen.leave();
      this.screen.aim(before);
    }
    this.go(to);
    if (there) this.screen.line(before || to.line, before ? "before" : "after");
    this.screen.bring("center");
  }

  // here is the place that a new note is pinned to: a line where the middle shows a text of the step, else the step.
  here(): Place {
    const pass = this.model.steps.has(this.state.pass) ? this.state.pass : "";
    const text = this.view.text !== undefined && this.fn !== "" && this.fn !== wholeModule;
    return { run: this.model.id, step: pass, function: text ? this.fn : "", line: text && pass ? this.state.line : 0 };
  }

  // goToNote shows the place of a note, in another run if need be.
  goToNote(note: Note): void {
    if (note.run && note.run !== this.state.run) {
      this.screen.leave();
      this.state = { ...this.state, run: note.run };
      this.runs.show(note.run);
    }
    const { step: pass = "", function: fn = "", line = 0 } = note;
    const differs = this.model.steps.get(pass)?.finished?.functions.some((f) => f.name === fn) ?? false;
    this.reveal(pass, fn, line, differs);
  }

  // toggle turns a step off or on in the next run, which starts at once.
  async toggle(step: Step): Promise<void> {
    if (!this.mayEdit() || !this.mayRun || step.parent === "" || step.line) return;
    if (!this.runs.disabled.includes(step.name) && !(await this.screen.sure(step))) return;
    const disabled = new Set(this.runs.disabled);
    if (!disabled.delete(step.name)) disabled.add(step.name);
    this.announce(`${step.name} is ${disabled.has(step.name) ? "off" : "on"}`);
    this.runs.change({ disabled: [...disabled].sort() });
  }

  // removeEdit takes an edit of the IR out of the run.
  removeEdit(after: string): void {
    if (!this.mayEdit()) return;
    const { runs } = this;
    this.announce(`The edit after ${after} was removed; undo restores it`);
    runs.change({ patches: (runs.settings.patches ?? []).filter((p) => p.after !== after), disabled: runs.disabled.filter((name) => name !== editPrefix + after) });
  }

  // removeSchedule takes the schedule of a kernel out of the run, which then has the default one again.
  removeSchedule(kernel: string): void {
    if (!this.mayEdit()) return;
    const { runs } = this;
    this.announce(`The schedule of ${kernel} was removed; undo restores it`);
    const pass = schedulePrefix + kernel;
    const { steps } = runs.settings;
    runs.change({ schedules: (runs.settings.schedules ?? []).filter((s) => s.kernel !== kernel), disabled: runs.disabled.filter((name) => name !== pass), ...(steps && { steps: steps.filter((s) => s.name !== pass) }) });
  }

  // showRun shows another run of the session, and the same place in it.
  showRun(run: string): void {
    if (run === this.runs.current) return;
    this.runs.show(run);
    this.started(run);
    this.changed();
  }

  private started(run: string): void {
    const first = this.state.run === "";
    this.state = { ...this.state, run, line: 0 };
    this.screen.address(this.state, !first);
  }

  private received(): void {
    this.keepSelection();
    const wanted = this.wanted && this.model.id === this.runs.current ? this.model.all().find((step) => step.name === this.wanted) : undefined;
    if (wanted) {
      this.wanted = "";
      this.chosen = true;
      this.state.pass = wanted.path;
    } else if (!this.chosen) {
      const first = failedStep(this.model) ?? this.model.all().find((step) => step.kind !== "sequential" && step.status === "changed");
      if (first) this.state.pass = first.path;
    }
    if (this.model.finished) this.announce([...summary(this.runs), reuse(this.model)].filter(Boolean).join(", "));
    // A step that turns out to take long appears a moment later.
    else setTimeout(() => this.changed(), 160);
    this.changed();
  }

  // keepSelection finds the selected pass again where another pipeline gives it another path.
  private keepSelection(): void {
    if (!this.model.started || this.state.pass === "" || this.model.steps.has(this.state.pass) || this.plan.planned) return;
    const name = this.state.pass.slice(this.state.pass.indexOf("/") + 1);
    const same = this.model.all().find((step) => step.name === name);
    if (same) this.state.pass = same.path;
  }
}
