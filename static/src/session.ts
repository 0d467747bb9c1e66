// The page of a session: what is selected, what is drawn, and what the controls and keys do.

import { Center, firstChange, wholeModule } from "./center";
import { details } from "./details";
import { copy } from "./dialogs";
import { announce, byId, debounce, perFrame, press, setText } from "./dom";
import { FunctionList } from "./functions";
import { helpDialog, type Key, listen } from "./keys";
import type { RunModel, Step } from "./model";
import { Notes, type Place } from "./notes";
import { resizablePanes } from "./panes";
import { Runs } from "./runs";
import { Sharing } from "./share";
import { keep, readState, setting, type State, type View, writeState } from "./state";
import { Timeline } from "./timeline";
import { drawMessages, drawTop, summary } from "./top";
import { PipelineTree } from "./tree";
import { UserPasses } from "./userpasses";
import type { Note } from "./wire";

const narrow = matchMedia("(max-width: 760px)");

export async function session(): Promise<void> {
  await new SessionPage(byId("app")).open();
}

class SessionPage {
  private state: State;
  // chosen tells that the reader has picked a pass; until then the page shows the first one that changed something.
  private chosen: boolean;
  private filter = "";
  private onlyChanged = setting("only-changed") !== "false";
  private shown = "";
  private detailed = "";
  private readonly runs: Runs;
  private readonly tree: PipelineTree;
  private readonly functions: FunctionList;
  private readonly timeline: Timeline;
  private readonly center: Center;
  private readonly user: UserPasses;
  private readonly notes: Notes;
  private readonly sharing: Sharing;
  // fn is the function that the middle shows, which the reader need not have chosen.
  private fn = "";
  // wanted is the name of a pass that is to be selected when a run has it.
  private wanted = "";
  // jump shows a line of the text that the session starts from, or of a script of the run.
  private readonly jump = (line: number, script = ""): void => (script ? void this.user.open(script, line) : this.showSource(line));
  private readonly render = perFrame(() => this.draw());
  // The diffs that j and k lead to are fetched while the reader looks at this one.
  private readonly prefetchSoon = debounce(120, () => {
    for (const dir of [1, -1] as const) {
      const step = this.tree.next(this.state.pass, dir, true);
      if (step) this.center.prefetch(step, this.state.view);
    }
  });

  constructor(private readonly app: HTMLElement) {
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
      toggle: (step) => this.toggle(step),
      changed: () => this.render(),
    });
    this.functions = new FunctionList(byId("function-list"), byId("functions-count"), { select: (key) => this.go({ fn: key, line: 0 }) });
    this.timeline = new Timeline(byId("timeline-body"), { select: (step) => this.select(step) });
    this.center = new Center({
      line: (line) => this.go({ line }),
      openKernel: (name) => this.go({ view: "code", fn: name, line: 0 }),
      go: (view, fn, line) => this.go({ view, fn, line }),
      showView: (view) => this.setView(view),
    });
    this.user = new UserPasses(app, this.runs, {
      settings: () => this.runs.settings,
      change: (settings) => this.runs.change(settings),
      selected: () => this.state.pass || "import",
      title: () => this.selected()?.name ?? "the import of the module",
      show: (name) => (this.wanted = name),
    }, this.render);
    this.notes = new Notes(app.dataset.session ?? "", { here: () => this.here(), go: (note) => this.goToNote(note), changed: () => this.render() });
    this.sharing = new Sharing(app, this.runs, { state: () => ({ ...this.state, fn: this.fn }), changed: () => this.render() });
    resizablePanes(app);
    this.controls();
    this.keyboard();
    // A link to a diff or a result opens on it.
    if (narrow.matches && (this.chosen || ["result", "code", "source", "graph"].includes(this.state.view))) this.showTab("center");
  }

  async open(): Promise<void> {
    this.render();
    void this.notes.load();
    await this.runs.open();
    if (this.state.run === "" && this.runs.current !== "") this.go({ run: this.runs.current });
  }

  private get model(): RunModel {
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
    if (this.model.finished) announce(summary(this.runs));
    // A step that turns out to take long appears a moment later.
    else window.setTimeout(this.render, 160);
    this.render();
  }

  // keepSelection finds the selected pass again where another pipeline gives it another path.
  private keepSelection(): void {
    if (!this.model.started || this.state.pass === "" || this.model.steps.has(this.state.pass)) return;
    const name = this.state.pass.slice(this.state.pass.indexOf("/") + 1);
    const same = this.model.all().find((step) => step.name === name);
    if (same) this.state.pass = same.path;
  }

  private toggle(step: Step): void {
    if (!this.runs.mayEdit) announce(this.sharing.reason);
    if (!this.runs.mayEdit || step.parent === "") return;
    const disabled = new Set(this.runs.disabled);
    if (!disabled.delete(step.name)) disabled.add(step.name);
    announce(`${step.name} is ${disabled.has(step.name) ? "off" : "on"}`);
    this.runs.change({ disabled: [...disabled].sort() });
  }

  private select(step: Step): void {
    this.chosen = true;
    const leaves = ["result", "code", "source"].includes(this.state.view);
    const view = leaves ? (setting("diff-view") === "split" ? "split" : "unified") : this.state.view;
    this.go({ pass: step.path, line: 0, view });
  }

  private selectByName(name: string): void {
    const step = this.model.all().find((x) => x.name === name);
    if (step) this.select(step);
  }

  private go(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.draw();
  }

  private move(dir: 1 | -1, changed: boolean): void {
    const step = this.tree.next(this.state.pass, dir, changed);
    if (step) this.select(step);
    else announce(dir > 0 ? "No later pass" : "No earlier pass");
  }

  private setView(view: View): void {
    if (view === "unified" || view === "split") keep("diff-view", view);
    const changesList = ["code", "source"].some((v) => (this.state.view === v) !== (view === v));
    this.go({ view, line: 0, ...(changesList ? { fn: "" } : {}) });
  }

  private showSource(line: number): void {
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
    this.chosen = true;
    const { step: pass = "", function: fn = "", line = 0 } = note;
    const differs = this.model.steps.get(pass)?.finished?.functions.some((f) => f.name === fn) ?? false;
    const view = !differs && fn !== "" ? "ir" : this.state.view === "split" ? "split" : "unified";
    const there = this.fn === fn && this.state.pass === pass && this.state.view === view;
    this.go({ pass, fn, line, view });
    if (there) void this.center.code.goToLine(line);
    if (narrow.matches) this.showTab("center");
  }

  private selected(): Step | null {
    return this.model.steps.get(this.state.pass) ?? null;
  }

  private draw(): void {
    const step = this.selected();
    const { mayEdit, disabled, stale } = this.runs;
    this.tree.update(this.model, {
      selected: this.state.pass, disabled: new Set(disabled), onlyChanged: this.onlyChanged, filter: this.filter, mayEdit, stale,
      reason: this.sharing.reason, notes: this.notes.steps(this.model.id),
    });
    setText(byId("hidden-count"), this.tree.hidden > 0 ? `(${this.tree.hidden} hidden)` : "");
    byId("reset-passes").hidden = !mayEdit || disabled.length === 0;
    // A new run leaves the diff on the page until the pass has its turn again.
    const again = step !== null && !ended(step) && this.shown === this.place(step);
    if (!again) this.drawCenter(step);
    this.drawDetails(step);
    this.timeline.update(this.model, this.state.pass);
    drawTop(this.runs);
    this.sharing.update();
    this.notes.draw(this.model, mayEdit);
    this.user.update();
    drawMessages(this.runs, step, this.state.view === "result", {
      select: (x) => this.select(x),
      jump: this.jump,
      turnOn: (names) => this.runs.change({ disabled: this.runs.disabled.filter((name) => !names.includes(name)) }),
    });
    this.app.dataset.view = this.state.view;
    for (const b of document.querySelectorAll<HTMLElement>("#center-tools [data-view]")) press(b, b.dataset.view === this.state.view);
    this.prefetchSoon();
  }

  // drawDetails writes the details anew where they can have changed.
  private drawDetails(step: Step | null): void {
    const info = step ? (this.runs.passes.get(step.name) ?? this.user.infos.get(step.name)) : undefined;
    const key = [this.model.id, this.model.version, step?.path, info !== undefined, this.runs.mayEdit].join(" ");
    if (key === this.detailed) return;
    this.detailed = key;
    const edit = this.runs.mayEdit ? (script: string): void => void this.user.open(script) : null;
    details(byId("details-body"), step, info, { select: (name) => this.selectByName(name), jump: this.jump, edit });
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

  private controls(): void {
    const on = (id: string, event: string, run: (e: Event) => void): void => byId(id).addEventListener(event, run);
    on("run-form", "submit", (e) => {
      e.preventDefault();
      void (this.runs.mayEdit ? this.runs.start() : this.sharing.fork());
    });
    on("run-form", "change", (e) => this.runs.change({ opt_level: Number((e.target as HTMLInputElement).value) }));
    on("cancel", "click", () => void this.runs.cancel());
    on("reset-passes", "click", () => this.runs.change({ disabled: [] }));
    on("words", "click", () => this.toggleWords());
    on("next-hunk", "click", () => this.center.moveHunk(1));
    on("prev-hunk", "click", () => this.center.moveHunk(-1));
    on("toggle-details", "click", () => this.toggleDetails());
    on("copy-command", "click", () => {
      const command = byId("command");
      void copy(byId("copy-command"), command.textContent ?? "", () => getSelection()?.selectAllChildren(command));
    });
    on("scale-time", "click", () => this.setScale(false));
    on("scale-step", "click", () => this.setScale(true));
    if (setting("details") === "off" || (setting("details") === null && innerWidth < 1200)) this.showDetails(false);
    this.filterControls();
    for (const b of document.querySelectorAll<HTMLElement>("#center-tools [data-view]")) {
      b.addEventListener("click", () => this.setView(b.dataset.view as View));
    }
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) {
      b.addEventListener("click", () => this.showTab(b.dataset.tab ?? "passes"));
    }
    window.addEventListener("popstate", () => {
      const run = this.state.run;
      this.state = readState(this.app.dataset.run ?? "");
      if (this.state.run !== run) this.runs.show(this.state.run);
      this.render();
    });
  }

  private filterControls(): void {
    const filter = byId<HTMLInputElement>("filter");
    filter.addEventListener("input", () => {
      this.filter = filter.value.trim();
      this.render();
    });
    filter.addEventListener("keydown", (e) => {
      if (e.key !== "Enter") return;
      const first = this.tree.visible.find((step) => step.kind !== "sequential");
      if (first) this.select(first);
      this.tree.box.focus();
    });
    const only = byId<HTMLInputElement>("only-changed");
    only.checked = this.onlyChanged;
    only.addEventListener("change", () => {
      this.onlyChanged = only.checked;
      keep("only-changed", String(only.checked));
      this.render();
    });
  }

  private keyboard(): void {
    const keys: Key[] = [
      { key: "j", doc: "next changed pass", run: () => this.move(1, true) },
      { key: "k", doc: "previous changed pass", run: () => this.move(-1, true) },
      { key: "J", doc: "next pass", run: () => this.move(1, false) },
      { key: "K", doc: "previous pass", run: () => this.move(-1, false) },
      { key: "n", doc: "next hunk", run: () => this.center.moveHunk(1) },
      { key: "p", doc: "previous hunk", run: () => this.center.moveHunk(-1) },
      { key: "u", doc: "unified or side by side", run: () => this.setView(this.state.view === "unified" ? "split" : "unified") },
      ...(this.app.dataset.graph ? [{ key: "g", doc: "graph of the function", run: () => this.setView("graph") }] : []),
      { key: "w", doc: "mark the words that differ", run: () => this.toggleWords() },
      { key: "x", doc: "turn the pass off or on", run: () => this.toggleSelected() },
      { key: "r", doc: "run", run: () => this.run() },
      { key: "c", doc: "add a note on the pass and line", run: () => this.addNote() },
      ...(this.user.offered ? [{ key: "e", doc: "write a pass", run: () => void this.user.open() }] : []),
      ...(this.app.dataset.source ? [{ key: "s", doc: "the text that this session starts from", run: () => this.setView("source") }] : []),
      { key: "f", doc: "list of functions", run: () => this.functions.box.focus() },
      { key: "/", doc: "filter the passes", run: () => byId("filter").focus() },
      { key: "?", doc: "this help", run: () => help() },
    ];
    const help = helpDialog(keys);
    listen(keys);
    byId("help-button").addEventListener("click", help);
  }

  private run(): void {
    if (this.runs.mayEdit) return void this.runs.start();
    announce(this.sharing.reason);
    byId("run").focus();
  }

  private addNote(): void {
    if (this.runs.mayEdit) this.notes.add();
    else announce(this.sharing.reason);
  }

  private toggleSelected(): void {
    const step = this.selected();
    if (step) this.toggle(step);
  }

  private toggleWords(): void {
    const b = byId("words");
    const on = b.getAttribute("aria-pressed") !== "true";
    press(b, on);
    this.center.code.setWords(on);
  }

  private toggleDetails(): void {
    const show = this.app.classList.contains("no-details");
    this.showDetails(show);
    keep("details", show ? "on" : "off");
  }

  private showDetails(show: boolean): void {
    this.app.classList.toggle("no-details", !show);
    press(byId("toggle-details"), show);
  }

  private setScale(byStep: boolean): void {
    this.timeline.setScale(byStep);
    press(byId("scale-step"), byStep);
    press(byId("scale-time"), !byStep);
  }

  // showTab chooses the pane that a narrow window shows.
  private showTab(name: string): void {
    this.app.dataset.tab = name;
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) press(b, b.dataset.tab === name);
    this.tree.reveal();
  }
}

function ended(step: Step): boolean {
  return step.status !== "waiting" && step.status !== "running";
}
