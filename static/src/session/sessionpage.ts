// The page of a session: what is selected, what is drawn, and what the controls and keys do.

import "../shared";
import { Center, firstChange, wholeModule } from "./center";
import { apart } from "../widgets/delta";
import { details } from "./details";
import { showDetails, wireControls } from "./controls";
import { announce, byId, debounce, perFrame, press, setAttr, setText } from "../widgets/dom";
import { Edits } from "./edits";
import { FunctionList } from "./functions";
import { HistoryPane } from "./historypane";
import type { RunModel, Step } from "../store/model";
import { Notes, type Place } from "./notes";
import { resizablePanes } from "./panes";
import { Pipeline } from "./pipeline";
import { Runs } from "../store/runs";
import { SearchPane } from "./searchpane";
import { Sharing } from "./share";
import { wireKeys } from "./shortcuts";
import { editPrefix } from "../store/steps";
import { keep, readState, setting, type State, type View, writeState } from "../store/state";
import { Timeline } from "./timeline";
import { drawMessages, drawTop, reuse, summary } from "./top";
import { PipelineTree } from "./tree";
import { UserPasses } from "./userpasses";
import type { Note, PassInfo } from "../wire";

const narrow = matchMedia("(max-width: 760px)");

export async function open(): Promise<void> {
  await new SessionPage(byId("app")).open();
}

export class SessionPage {
  state: State;
  // chosen tells that the reader has picked a pass; until then the page shows the first one that changed something.
  private chosen: boolean;
  filter = "";
  onlyChanged = setting("only-changed") !== "false";
  private shown = "";
  private detailed = "";
  readonly runs: Runs;
  readonly tree: PipelineTree;
  readonly functions: FunctionList;
  readonly timeline: Timeline;
  readonly center: Center;
  readonly user: UserPasses;
  readonly notes: Notes;
  readonly sharing: Sharing;
  readonly edits: Edits;
  readonly pipeline: Pipeline;
  readonly history: HistoryPane;
  readonly search: SearchPane;
  // fn is the function that the middle shows, which the reader need not have chosen.
  fn = "";
  // wanted is the name of a pass that is to be selected when a run has it.
  private wanted = "";
  // jump shows a line of the text that the session starts from, of a script of the run, or of an edit of the IR.
  private readonly jump = (line: number, script = ""): void => {
    if (script.startsWith(editPrefix)) void this.edits.again(script.slice(editPrefix.length), line);
    else if (script) void this.user.open(script, line);
    else this.showSource(line);
  };
  readonly render = perFrame(() => this.draw());
  // The diffs that j and k lead to are fetched while the reader looks at this one.
  private readonly prefetchSoon = debounce(120, () => {
    for (const dir of [1, -1] as const) {
      const step = this.tree.next(this.state.pass, dir, true);
      if (step) this.center.prefetch(step, this.state.view);
    }
  });

  constructor(readonly app: HTMLElement) {
    this.state = readState(app.dataset.run ?? "");
    this.chosen = this.state.pass !== "";
    this.runs = new Runs(app.dataset.session ?? "", this.state.run, app.dataset.mayEdit === "true", {
      changed: () => this.render(),
      received: () => this.received(),
      started: (run) => this.started(run),
    });
    const level = document.querySelector<HTMLInputElement>("#run-form input[name=opt_level]:checked");
    this.runs.settings = { opt_level: Number(level?.value ?? 2), disabled: [] };
    this.tree = new PipelineTree(byId("passes"), {
      select: (step) => {
        this.select(step);
        if (narrow.matches) this.showTab("center");
      },
      toggle: (step) => void this.toggle(step),
      act: (action, step) => {
        if (action === "remove" && step?.name.startsWith(editPrefix)) this.edits.remove(step.name.slice(editPrefix.length));
        else this.pipeline.act(action, step);
      },
      changed: () => this.render(),
    });
    this.pipeline = new Pipeline(this);
    this.functions = new FunctionList(byId("function-list"), byId("functions-count"), { select: (key) => this.go({ fn: key, line: 0 }) });
    this.timeline = new Timeline(byId("timeline-body"), { select: (step) => this.select(step) });
    this.center = new Center({
      line: (line) => this.go({ line }),
      history: (line, before) => this.history.node(line, before),
      openKernel: (name) => this.go({ view: "code", fn: name, line: 0 }),
      go: (view, fn, line) => this.go({ view, fn, line }),
      showView: (view) => this.setView(view),
      select: (step) => this.select(step),
    });
    this.user = new UserPasses(app, this.runs, {
      settings: () => this.runs.settings,
      change: (settings) => this.runs.change(settings),
      selected: () => this.state.pass || "import",
      title: () => this.selected()?.name ?? "the import of the module",
      show: (name) => this.showLater(name),
    }, this.render);
    this.notes = new Notes(app.dataset.session ?? "", { here: () => this.here(), go: (note) => this.goToNote(note), changed: () => this.render() });
    this.sharing = new Sharing(app, this.runs, { state: () => ({ ...this.state, fn: this.fn }), changed: () => this.render() });
    this.history = new HistoryPane(this);
    this.search = new SearchPane(this);
    this.edits = new Edits(this);
    resizablePanes(app);
    wireControls(this);
    wireKeys(this);
    // A link to a diff or a result opens on it.
    if (narrow.matches && (this.chosen || ["result", "code", "source", "graph", "metrics"].includes(this.state.view))) this.showTab("center");
  }

  async open(): Promise<void> {
    this.render();
    void this.notes.load();
    await this.runs.open();
    if (this.state.run === "" && this.runs.current !== "") this.go({ run: this.runs.current });
  }

  get model(): RunModel {
    return this.runs.model;
  }

  private started(run: string): void {
    const first = this.state.run === "";
    this.state = { ...this.state, run, line: 0 };
    writeState(this.state, !first);
  }

  private received(): void {
    this.keepSelection();
    const wanted = this.wanted && this.model.id === this.runs.current ? this.model.all().find((step) => step.name === this.wanted) : undefined;
    if (wanted) {
      this.wanted = "";
      this.chosen = true;
      this.state.pass = wanted.path;
    } else if (!this.chosen) {
      const first = this.model.all().find((step) => step.kind !== "sequential" && (step.status === "changed" || step.status === "failed"));
      if (first) this.state.pass = first.path;
    }
    if (this.model.finished) announce([summary(this.runs), reuse(this.model)].filter(Boolean).join(": "));
    // A step that turns out to take long appears a moment later.
    else window.setTimeout(this.render, 160);
    this.render();
  }

  // keepSelection finds the selected pass again where another pipeline gives it another path.
  private keepSelection(): void {
    if (!this.model.started || this.state.pass === "" || this.model.steps.has(this.state.pass) || this.pipeline.planned) return;
    const name = this.state.pass.slice(this.state.pass.indexOf("/") + 1);
    const same = this.model.all().find((step) => step.name === name);
    if (same) this.state.pass = same.path;
  }

  private async toggle(step: Step): Promise<void> {
    if (!this.runs.mayEdit) announce(this.sharing.reason);
    if (!this.runs.mayEdit || step.parent === "") return;
    if (!this.runs.disabled.includes(step.name) && !(await this.pipeline.mayTurnOff(step))) return;
    const disabled = new Set(this.runs.disabled);
    if (!disabled.delete(step.name)) disabled.add(step.name);
    announce(`${step.name} is ${disabled.has(step.name) ? "off" : "on"}`);
    this.runs.change({ disabled: [...disabled].sort() });
  }

  select(step: Step): void {
    this.chosen = true;
    const leaves = ["result", "code", "source"].includes(this.state.view);
    const view = leaves ? (setting("diff-view") === "split" ? "split" : "unified") : this.state.view;
    this.go({ pass: step.path, line: 0, view });
  }

  // showLater selects the first step of a name when the next run has it.
  showLater(name: string): void {
    this.wanted = name;
  }

  private selectByName(name: string): void {
    const step = this.model.all().find((x) => x.name === name);
    if (step) this.select(step);
  }

  go(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.draw();
  }

  move(dir: 1 | -1, changed: boolean): void {
    const step = this.tree.next(this.state.pass, dir, changed);
    if (step) this.select(step);
    else announce(dir > 0 ? "No later pass" : "No earlier pass");
  }

  setView(view: View): void {
    if (view === "unified" || view === "split") keep("diff-view", view);
    const changesList = ["code", "source"].some((v) => (this.state.view === v) !== (view === v));
    this.go({ view, line: 0, ...(changesList ? { fn: "" } : {}) });
  }

  showSource(line: number): void {
    const there = this.state.view === "source";
    this.go({ view: "source", line, fn: "" });
    if (there) void this.center.code.goToLine(line);
    if (narrow.matches) this.showTab("center");
    this.center.code.scroller.focus();
  }

  // here is the place that a new note is pinned to: a line where the middle shows a text of the step, else the step.
  private here(): Place {
    const pass = this.model.steps.has(this.state.pass) ? this.state.pass : "";
    const text = ["unified", "split", "ir"].includes(this.state.view) && this.fn !== "" && this.fn !== "*";
    return { run: this.model.id, step: pass, function: text ? this.fn : "", line: text && pass ? this.state.line : 0 };
  }

  // goToNote shows the place of a note, in another run if need be.
  private goToNote(note: Note): void {
    if (note.run && note.run !== this.state.run) {
      this.state = { ...this.state, run: note.run };
      writeState(this.state, true);
      this.runs.show(note.run);
    }
    const { step: pass = "", function: fn = "", line = 0 } = note;
    const differs = this.model.steps.get(pass)?.finished?.functions.some((f) => f.name === fn) ?? false;
    this.reveal(pass, fn, line, differs);
  }

  // reveal shows a line of a function after a step: in the diff where the step changed the function, else in its text.
  reveal(pass: string, fn: string, line: number, differs: boolean): void {
    this.visit({ pass, fn, line, view: !differs && fn !== "" ? "ir" : this.state.view === "split" ? "split" : "unified" });
  }

  // visit shows a line of a text after a pass, or the one of the text before it.
  visit(to: Pick<State, "pass" | "fn" | "line" | "view">, before = 0): void {
    this.chosen = true;
    const there = this.fn === to.fn && this.state.pass === to.pass && this.state.view === to.view;
    if (!there) this.center.aim(before);
    this.go(to);
    if (there) void this.center.code.goToLine(before || to.line, before ? "before" : "after");
    if (narrow.matches) this.showTab("center");
  }

  selected(): Step | null {
    return (this.pipeline.planned ?? this.model).steps.get(this.state.pass) ?? null;
  }

  // info describes a pass: one of the compiler, or one of the run's scripts.
  info(name: string): PassInfo | undefined {
    return this.runs.passes.get(name) ?? this.user.infos.get(name);
  }

  // choose selects a step by its path; the next run has it, if this one has not.
  choose(path: string): void {
    this.chosen = true;
    this.go({ pass: path, line: 0 });
  }

  private draw(): void {
    this.pipeline.update();
    const step = this.selected();
    const { mayEdit, disabled, stale } = this.runs;
    const { planned, offered, warnings, options } = this.pipeline;
    this.tree.update(planned ?? this.model, {
      selected: this.state.pass, disabled: new Set(disabled), onlyChanged: this.onlyChanged, filter: this.filter, mayEdit, stale,
      reason: this.sharing.reason, edits: offered && mayEdit, warnings, options, notes: this.notes.steps(this.model.id),
    });
    setText(byId("hidden-count"), this.tree.hidden > 0 ? `(${this.tree.hidden} hidden)` : "");
    // A new run leaves the diff on the page until the pass has its turn again.
    const again = step !== null && !ended(step) && this.shown === this.place(step);
    if (!again) this.drawCenter(step);
    this.drawDetails(step);
    this.timeline.update(this.model, this.state.pass);
    drawTop(this.runs);
    this.sharing.update();
    this.notes.draw(this.model, mayEdit);
    this.user.update();
    this.edits.update();
    this.history.update();
    this.search.update();
    drawMessages(this.runs, step, this.state.view === "result", {
      select: (x) => this.select(x),
      jump: this.jump,
      remedy: (d) => this.edits.remedy(d),
      turnOn: (names) => this.runs.change({ disabled: this.runs.disabled.filter((name) => !names.includes(name)) }),
    });
    this.app.dataset.view = this.state.view;
    for (const b of document.querySelectorAll<HTMLElement>("#center-tools [data-view]")) press(b, b.dataset.view === this.state.view);
    this.prefetchSoon();
  }

  // drawDetails writes the details anew where they can have changed.
  private drawDetails(step: Step | null): void {
    const info = step ? this.info(step.name) : undefined;
    const key = [this.model.id, this.model.version, apart(), step?.path, info !== undefined, this.runs.mayEdit, ...(this.pipeline.warnings.get(step?.path ?? "") ?? [])].join(" ");
    this.pipeline.drawOptions(byId("pass-options"), step);
    if (key === this.detailed) return;
    this.detailed = key;
    const edit = this.runs.mayEdit ? (script: string): void => void this.user.open(script) : null;
    details(byId("details-head"), byId("details-rest"), step, info, {
      select: (name) => this.selectByName(name), jump: this.jump, edit, about: (x) => this.edits.about(x), warnings: this.pipeline.warnings.get(step?.path ?? "") ?? [],
    });
  }

  // drawCenter shows the functions of the step and the chosen one of them.
  private drawCenter(step: Step | null): void {
    if (step === null || ended(step)) this.shown = this.place(step);
    const { entries, count } = this.center.entries(this.model, step, this.state.view);
    const fn = entries.some((x) => x.key === this.state.fn) ? this.state.fn : this.preferred(step, entries.map((x) => x.key));
    this.functions.update(entries, fn, count);
    this.fn = fn;
    const { step: pinned, function: text } = this.here();
    this.center.code.setNotes(this.notes.lines(this.model.id, pinned, text));
    this.center.show(this.model, step, fn, this.state);
    if (this.state.run) writeState({ ...this.state, fn });
  }

  // place names what the middle shows, as far as the reader has chosen it.
  private place(step: Step | null): string {
    return [step?.path, this.state.view, this.state.fn].join(" ");
  }

  // preferred is the entry that is shown where the reader has chosen none.
  private preferred(step: Step | null, keys: string[]): string {
    const { view } = this.state;
    const whole = view === "ir" || (view === "graph" && !firstChange(step)) || (view !== "code" && step === this.model.imported);
    if (whole) return keys.includes("main") ? "main" : (keys.find((key) => key !== wholeModule) ?? keys[0] ?? "");
    const first = this.state.view === "code" ? undefined : firstChange(step)?.name;
    return first ?? keys[0] ?? "";
  }

  run(): void {
    if (this.runs.mayEdit) return void this.runs.start();
    announce(this.sharing.reason);
    byId("run").focus();
  }

  addNote(): void {
    if (this.runs.mayEdit) this.notes.add();
    else announce(this.sharing.reason);
  }

  toggleSelected(): void {
    const step = this.selected();
    if (step) void this.toggle(step);
  }

  // showDetails brings the details into view, wherever they are.
  showDetails(): void {
    showDetails(this.app, true);
    if (narrow.matches) this.showTab("details");
  }

  // showTab chooses the pane that a narrow window shows.
  showTab(name: string): void {
    this.app.dataset.tab = name;
    // The timeline stands beside the main part of the page, which it replaces in a narrow window.
    setAttr(byId("timeline"), "role", name === "timeline" && narrow.matches ? "main" : null);
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) press(b, b.dataset.tab === name);
    this.tree.reveal();
  }
}

function ended(step: Step): boolean {
  return step.status !== "waiting" && step.status !== "running";
}
