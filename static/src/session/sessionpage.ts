// The page of a session: makes the store and the parts that show it, and draws them when it changes.

import "../shared";
import type { RewritesView } from "../rewrites/rewritesview";
import { apart } from "../store/counts";
import { ended, type Step } from "../store/model";
import { Session } from "../store/session";
import { editPrefix } from "../store/steps";
import { debounce } from "../store/timers";
import { makeViews } from "../views/registry";
import type { At, View } from "../views/view";
import { announce, byId, perFrame, press, setText } from "../widgets/dom";
import type { Jump } from "../widgets/errors";
import { readAddress, writeAddress } from "./address";
import { beginning } from "./beginning";
import { Center } from "./center";
import { wireControls } from "./controls";
import { details } from "./details";
import { Edits } from "./edits";
import { Frame } from "./frame";
import { FunctionList } from "./functions";
import { HistoryPane } from "./historypane";
import { Notes } from "./notes";
import { resizablePanes } from "./panes";
import { PipelineBar } from "./pipelinebar";
import { SearchPane } from "./searchpane";
import { Sharing } from "./share";
import { wireKeys } from "./shortcuts";
import { Stream } from "./socket";
import { Timeline } from "./timeline";
import { drawMessages, drawTop } from "./top";
import { PipelineTree } from "./tree";
import { UserPasses } from "./userpasses";

export async function open(): Promise<void> {
  await new SessionPage(byId("app")).open();
}

class SessionPage {
  private readonly store: Session;
  private readonly views: View[];
  private readonly frame: Frame;
  private readonly tree: PipelineTree;
  private readonly functions: FunctionList;
  private readonly timeline: Timeline;
  private readonly center: Center;
  private readonly user: UserPasses;
  private readonly notes: Notes;
  private readonly sharing: Sharing;
  private readonly edits: Edits;
  private readonly pipeline: PipelineBar;
  private readonly history: HistoryPane;
  private readonly search: SearchPane;
  private rewrites: Promise<RewritesView> | null = null;
  // shown names what the middle shows, detailed what the details do.
  private shown = "";
  private detailed = "";
  private readonly render = perFrame(() => this.draw());
  // The diffs that j and k lead to are fetched while the reader looks at this one.
  private readonly prefetchSoon = debounce(120, () => {
    for (const dir of [1, -1] as const) {
      const step = this.tree.next(this.store.state.pass, dir, true);
      if (step) this.view.prefetch?.(step, this.store.state.form);
    }
  });

  constructor(private readonly app: HTMLElement) {
    const data = app.dataset;
    const codemirror = data.codemirror ?? "";
    const count = (text: string): void => setText(byId("hunk-count"), text);
    const line = (n: number): void => this.store.go({ line: n });
    this.views = makeViews({
      go: (change) => this.store.go(change),
      select: (step) => this.store.select(step),
      open: (to, before) => {
        this.center.aim(before, true);
        this.store.go(to);
      },
      line,
      history: (n, before) => this.history.node(n, before),
      count,
      preferredDiff: () => this.store.preferredDiff(),
      measure: (runs) => this.store.runs.set({ profile: runs }),
      refusal: () => this.store.reason,
    }, { source: data.source ?? "", compiler: data.compiler === "true" });
    const begun = beginning();
    this.store = new Session({
      session: data.session ?? "", run: data.run ?? "", mayEdit: data.mayEdit === "true", shared: data.shared === "true",
      compiler: data.compiler === "true", query: readAddress(),
    }, this.views, {
      draw: () => this.draw(),
      later: () => this.render(),
      announce,
      address: writeAddress,
      bring: (part) => this.frame.bring(part),
      aim: (before) => this.center.aim(before),
      line: (n, side) => void this.center.code.goToLine(n, side),
      sure: (step) => this.pipeline.sure(step),
    }, (run, follower) => new Stream(run, follower, begun(run)));
    const { store } = this;
    const select = (step: Step): void => store.select(step);
    this.tree = new PipelineTree(byId("passes"), {
      select: (step) => {
        select(step);
        store.bring("center");
      },
      toggle: (step) => void store.toggle(step),
      act: (action, step) => {
        if (action === "remove" && step?.name.startsWith(editPrefix)) store.removeEdit(step.name.slice(editPrefix.length));
        else this.pipeline.act(action, step);
      },
      changed: () => store.changed(),
    });
    this.frame = new Frame(app, () => this.tree.reveal());
    this.pipeline = new PipelineBar(store, { tree: this.tree });
    this.functions = new FunctionList(byId("function-list"), byId("functions-count"), { select: (key) => store.go({ fn: key, line: 0 }) });
    this.timeline = new Timeline(byId("timeline-body"), { select });
    this.center = new Center(this.views, { line, count, after: () => this.showAfter() });
    this.user = new UserPasses(store, codemirror);
    this.notes = new Notes(store);
    this.sharing = new Sharing(store);
    this.history = new HistoryPane(store, { app, code: this.center.code, view: () => this.view, showSource: (n) => this.showSource(n) }, data.historyStyle ?? "");
    this.search = new SearchPane(store, this.center.code);
    this.edits = new Edits(store, codemirror);
    resizablePanes(app);
    this.viewButtons();
    wireControls({ store, center: this.center, tree: this.tree, timeline: this.timeline, sharing: this.sharing, frame: this.frame });
    wireKeys({
      store, views: this.views, center: this.center, tree: this.tree, functions: this.functions,
      pipeline: this.pipeline, notes: this.notes, user: this.user, edits: this.edits, history: this.history, search: this.search, rewrites: (dir, decisions) => this.withRewrites((view) => view.move(dir, decisions)),
    });
    // A link to a pass, or to what is no text, opens on it.
    if (store.chosen || this.view.text === undefined) this.frame.bring("center");
  }

  async open(): Promise<void> {
    void this.notes.load();
    await this.store.open();
  }

  // view is the one that is chosen.
  private get view(): View {
    return this.views.find((v) => v.name === this.store.state.view) ?? this.views[0]!;
  }

  // viewButtons makes a button for each view.
  private viewButtons(): void {
    byId("views").replaceChildren(...this.views.map((v) => {
      const b = document.createElement("button");
      b.type = "button";
      b.dataset.view = v.name;
      b.textContent = v.label;
      b.addEventListener("click", () => this.store.setView(v.name));
      return b;
    }));
  }

  // showAfter shows the text after the selected step.
  private showAfter(): void {
    const after = this.views.find((v) => v.text === "after");
    if (after) this.store.setView(after.name);
  }

  // showSource shows a line of the text that the session starts from.
  private showSource(n: number): void {
    const { store } = this;
    const before = store.state.view;
    store.go({ view: "source", line: n, fn: "" });
    if (store.state.view === before) void this.center.code.goToLine(n);
    store.bring("center");
    this.center.code.scroller.focus();
  }

  // jump shows a line of the text that the session starts from, of a script of the run, or of an edit of the IR.
  private readonly jump: Jump = (n, script = "") => {
    if (script.startsWith(editPrefix)) void this.edits.again(script.slice(editPrefix.length), n);
    else if (script) void this.user.open(script, n);
    else this.showSource(n);
  };

  private draw(): void {
    const { store } = this;
    const { plan, runs } = store;
    plan.update();
    this.pipeline.update();
    const step = store.selected();
    this.drawTree();
    // A new run leaves the diff on the page until the pass has its turn again.
    const again = step !== null && !ended(step) && this.shown === this.place(step);
    if (!again) this.drawCenter(step);
    this.drawDetails(step);
    if (step?.finished || this.rewrites) this.withRewrites((view) => view.show(step));
    this.timeline.update(store.model, store.state.pass);
    drawTop(runs);
    this.sharing.update();
    this.notes.draw();
    this.user.update();
    this.edits.update(this.view.tools.includes("edit"));
    this.history.update();
    this.search.update();
    drawMessages(runs, step, this.view.saysFailure ?? false, {
      select: (x) => store.select(x),
      jump: this.jump,
      remedy: (d) => this.edits.remedy(d),
      turnOn: (names) => runs.change({ disabled: runs.disabled.filter((name) => !names.includes(name)) }),
    });
    press(byId("form"), store.state.form === "compact");
    this.app.dataset.tools = this.view.tools.join(" ");
    for (const b of byId("views").querySelectorAll<HTMLElement>("[data-view]")) press(b, b.dataset.view === store.state.view);
    this.prefetchSoon();
  }

  private drawTree(): void {
    const { store } = this;
    const { runs, plan } = store;
    this.tree.update(plan.planned ?? store.model, {
      selected: store.state.pass, disabled: new Set(runs.disabled), onlyChanged: store.onlyChanged, filter: store.filter, mayEdit: runs.mayEdit, stale: runs.stale,
      reason: store.reason, edits: plan.offered && runs.mayEdit, warnings: plan.warnings, options: plan.options, notes: this.notes.steps(store.model.id),
    });
    setText(byId("hidden-count"), this.tree.hidden > 0 ? `(${this.tree.hidden} hidden)` : "");
  }

  // withRewrites does something with what shows rewrites, which is loaded when there is a pass that has ended.
  private withRewrites(run: (view: RewritesView) => void): void {
    this.rewrites ??= import("../rewrites/rewritesview").then((own) => new own.RewritesView(this.store, this.center.code));
    this.rewrites.then(run, () => (this.rewrites = null));
  }

  // drawDetails writes the details anew where they can have changed.
  private drawDetails(step: Step | null): void {
    const { store } = this;
    const { mayEdit } = store.runs;
    const info = step ? store.info(step.name) : undefined;
    const warnings = store.plan.warnings.get(step?.path ?? "") ?? [];
    const key = [store.model.id, store.model.version, apart(), step?.path, info !== undefined, mayEdit, ...warnings].join(" ");
    this.pipeline.drawOptions(byId("pass-options"), step);
    if (key === this.detailed) return;
    this.detailed = key;
    details(byId("details-head"), byId("details-rest"), step, info, {
      select: (name) => store.selectByName(name), jump: this.jump, about: (x) => this.edits.about(x), warnings,
      edit: mayEdit ? (script) => void this.user.open(script) : null,
    });
  }

  // drawCenter shows the functions of the step and the chosen one of them.
  private drawCenter(step: Step | null): void {
    const { store } = this;
    if (step === null || ended(step)) this.shown = this.place(step);
    const at: At = { model: store.model, step, fn: store.state.fn, state: store.state };
    const { entries, count } = this.center.view(this.view, at).list(at);
    if (!entries.some((x) => x.key === at.fn)) at.fn = this.view.first(at, entries.map((x) => x.key));
    this.functions.update(entries, at.fn, count);
    store.fn = at.fn;
    const pinned = store.here();
    this.center.code.setNotes(this.notes.lines(store.model.id, pinned.step, pinned.function));
    this.center.show(this.view, at);
    if (store.state.run) writeAddress({ ...store.state, fn: at.fn });
  }

  // place names what the middle shows, as far as the reader has chosen it.
  private place(step: Step | null): string {
    const { view, fn } = this.store.state;
    return [step?.path, view, fn].join(" ");
  }
}
