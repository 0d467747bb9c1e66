// The page of a session: makes the store and the parts that show it, and draws them when it changes.

import "../shared";
import type { RewritesView } from "../rewrites/rewritesview";
import { apart } from "../store/counts";
import { ended, type Step } from "../store/model";
import type { State } from "../store/state";
import { Session } from "../store/session";
import { editPrefix, schedulePrefix } from "../store/steps";
import { debounce } from "../store/timers";
import { makeViews } from "../views/registry";
import type { At, View } from "../views/view";
import { plainCode } from "../widgets/codeview";
import { announce, byId, h, later, perFrame, press, setText, tell } from "../widgets/dom";
import type { Jump } from "../widgets/errors";
import { icon } from "../widgets/icons";
import { lateStyle } from "../widgets/latestyle";
import { leave, readAddress, writeAddress } from "./address";
import { beginning, type Begun } from "./beginning";
import { Center } from "./center";
import { wireControls } from "./controls";
import type * as Sheets from "./details";
import { Edits } from "./edits";
import { Frame } from "./frame";
import { HistoryPane } from "./historypane";
import { Inspector } from "./inspector";
import type { Keys } from "./keys";
import { Notes } from "./notes";
import type { Notice } from "./notice";
import { resizablePanes } from "./panes";
import { PipelineBar } from "./pipelinebar";
import type { RunChips } from "./runchips";
import { Schedules } from "./schedules";
import { SearchPane } from "./searchpane";
import type { Sharing } from "./share";
import { wireKeys } from "./shortcuts";
import { Stream } from "./socket";
import { PassStrip } from "./strip";
import { TimelinePane } from "./timelinepane";
import { drawMessages, drawTop } from "./top";
import { type Functions, PipelineTree } from "./tree";
import { UserPasses } from "./userpasses";

// open makes the page; begun are the events that came with it.
export async function open(begun: Begun = beginning()): Promise<void> {
  await new SessionPage(byId("app"), begun).open();
}

class SessionPage {
  private readonly store: Session;
  private readonly views: View[];
  private readonly frame: Frame;
  private readonly tree: PipelineTree;
  private readonly strip: PassStrip;
  private chips: Promise<RunChips> | null = null;
  private readonly timeline: TimelinePane;
  private readonly inspector: Inspector;
  private readonly center: Center;
  private readonly user: UserPasses;
  private readonly notes: Notes;
  private sharing: Promise<Sharing> | null = null;
  private readonly edits: Edits;
  private readonly schedules: Schedules;
  private readonly pipeline: PipelineBar;
  private readonly history: HistoryPane;
  private readonly search: SearchPane;
  private notice: Notice | null = null;
  private readonly keys: Keys;
  private rewrites: Promise<RewritesView> | null = null;
  private sheets: Promise<typeof Sheets> | null = null;
  // openedForValue tells that the inspector opened for what became of a value, and closes with it.
  private openedForValue = false;
  // shown names what the middle shows, detailed what the inspector does, listed what the tree lists below the selected step.
  private shown = "";
  private listed: Functions = { entries: [], count: "", selected: "", ofCode: false, same: null, sameCount: 0 };
  private detailed = "";
  private readonly render = perFrame(() => this.draw());
  // The diffs that j and k lead to are fetched while the reader looks at this one.
  private readonly prefetchSoon = debounce(120, () => {
    for (const dir of [1, -1] as const) {
      const step = this.tree.next(this.store.state.pass, dir, true);
      if (step) this.view.prefetch?.(step, this.store.state.form);
    }
  });

  constructor(private readonly app: HTMLElement, begun: Begun) {
    const data = app.dataset;
    const codemirror = data.codemirror ?? "";
    const count = (text: string): void => setText(byId("hunk-count"), text);
    const line = (n: number): void => this.store.go({ line: n });
    this.views = makeViews({
      go: (change) => this.store.go(change),
      select: (step) => this.store.select(step),
      open: this.show,
      line,
      history: (n, before) => this.history.node(n, before),
      count,
      preferredDiff: () => this.store.preferredDiff(),
      runs: () => this.store.runs,
      refusal: () => this.store.reason,
    }, { source: data.source ?? "", compiler: data.compiler === "true", dump: "dump" in data });
    this.store = new Session({
      session: data.session ?? "", title: byId("title").textContent ?? "", run: data.run ?? "", mayEdit: data.mayEdit === "true", shared: data.shared === "true", reason: data.reason ?? "",
      compiler: data.compiler === "true", dump: "dump" in data, query: readAddress(),
    }, this.views, {
      draw: () => this.draw(),
      later: () => this.render(),
      announce,
      tell,
      address: writeAddress,
      leave,
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
      choose: (key, same) => {
        if (same && !this.listed.others) this.showAfter();
        store.go({ fn: key, line: 0 });
        store.bring("center");
      },
      code: () => {
        const code = this.views.find((v) => v.path);
        if (code) store.setView(code.name);
      },
      toggle: (step) => void store.toggle(step),
      act: (action, step) => {
        if (action === "remove" && step?.name.startsWith(editPrefix)) store.removeEdit(step.name.slice(editPrefix.length));
        else if (action === "remove" && step?.name.startsWith(schedulePrefix)) store.removeSchedule(step.name.slice(schedulePrefix.length));
        else this.pipeline.act(action, step);
      },
      changed: () => store.changed(),
      schedule: (fn) => (this.schedules.isKernel(fn) ? () => this.schedules.open(fn) : null),
    });
    this.inspector = new Inspector({ changed: () => store.changed() });
    this.frame = new Frame(app, this.inspector, { shown: () => this.tree.reveal(), search: () => this.search.open() });
    this.pipeline = new PipelineBar(store, { tree: this.tree });
    this.strip = new PassStrip({ select });
    this.timeline = new TimelinePane(store, app);
    this.center = new Center(this.views, { line, count, jump: this.jump, after: () => this.showAfter(), why: store.compiler ? () => this.withRewrites((view) => view.why.here()) : null });
    this.user = new UserPasses(store, codemirror, plainCode);
    this.notes = new Notes(store);
    for (const id of ["share", "share-menu", "delete-session"]) document.getElementById(id)?.addEventListener("click", () => this.withSharing((own) => own.act(id)));
    this.history = new HistoryPane(store, {
      app, code: this.center.code, view: () => this.view, showSource: (n) => this.showSource(n), value: (el) => this.showValue(el),
      why: (n, before, spot) => this.withRewrites((view) => view.why.atLine(n, before, spot)),
    });
    this.search = new SearchPane(store, this.center.code);
    this.edits = new Edits(store, codemirror, plainCode);
    this.schedules = new Schedules(store, codemirror, plainCode);
    resizablePanes(app);
    this.viewButtons();
    this.showValue(null);
    wireControls({ store, center: this.center, tree: this.tree, back: (part) => this.frame.open(part), fork: () => this.withSharing((own) => void own.fork()) });
    this.keys = wireKeys({
      store, views: this.views, center: this.center, tree: this.tree, frame: this.frame, timeline: this.timeline,
      pipeline: this.pipeline, notes: this.notes, user: this.user, edits: this.edits, schedules: this.schedules, history: this.history, search: this.search, compare: () => this.withChips((chips) => chips.compare()), rewrites: (dir, decisions) => this.withRewrites((view) => void view.move(dir, decisions)), why: () => this.withRewrites((view) => view.why.here()),
    });
    // A link to a pass, or to what is no text, opens on it.
    if (store.chosen || this.view.text === undefined) this.frame.open("center");
  }

  async open(): Promise<void> {
    void this.notes.load();
    if (document.getElementById("lesson")) later(import("../lesson/pane"), (own) => own.open(this.store));
    later(import("./notice"), (own) => (this.notice = new own.Notice(this.store)));
    await this.store.open();
  }

  // view is the one that is chosen.
  private get view(): View {
    return this.views.find((v) => v.name === this.store.state.view) ?? this.views[0]!;
  }

  // viewButtons makes a tab for each view. Views that share a label share a tab, and have a button each for their layout.
  private viewButtons(): void {
    const button = (name: string, attrs: Record<string, string>, child: Node | string): HTMLElement => {
      const b = h("button", { type: "button", "data-view": name, "aria-pressed": "false", ...attrs }, child);
      b.addEventListener("click", () => this.store.setView(name));
      return b;
    };
    const title = (v: View): Record<string, string> => ({ title: v.key ? `${v.key.doc}  ${v.key.key}` : v.doc ?? "" });
    byId("views").replaceChildren(...this.views.filter((v) => !v.layout).map((v) => button(v.name, title(v), v.label)));
    const layouts = this.views.filter((v) => v.layout);
    byId("layouts").replaceChildren(...layouts.map((v) => button(v.name, { class: "tool", title: v.layout!.doc, "aria-label": v.layout!.doc.split(/:| {2}/)[0]! }, icon(v.layout!.icon))));
    for (const label of new Set(layouts.map((v) => v.label))) {
      const tab = h("button", { type: "button", "data-layout-of": label, title: this.views.find((v) => v.label === label)!.doc ?? "" }, label);
      tab.addEventListener("click", () => this.store.setView(this.store.preferredDiff()));
      byId("views").prepend(tab);
    }
  }

  // drawViews shows which view is chosen.
  private drawViews(): void {
    const { view } = this;
    for (const b of byId("center-tools").querySelectorAll<HTMLElement>("[data-view]")) press(b, b.dataset.view === view.name);
    for (const b of byId("views").querySelectorAll<HTMLElement>("[data-layout-of]")) press(b, b.dataset.layoutOf === view.label);
  }

  // showValue shows what became of a value in the inspector, which it opens; with null it says how to ask.
  private showValue(el: HTMLElement | null): void {
    byId("value-body").replaceChildren(el ?? h("p", { class: "quiet" }, "Click a name in the text to see what became of it, or press . where you are."));
    if (el) {
      this.openedForValue ||= !this.frame.hasDetails;
      this.frame.bring("details", "value");
      return;
    }
    if (this.openedForValue) this.frame.closeDetails();
    this.openedForValue = false;
    if (this.inspector.sheet === "value") this.inspector.show("pass");
  }

  // showAfter shows the text after the selected step.
  private showAfter(): void {
    const after = this.views.find((v) => v.text === "after");
    if (after) this.store.setView(after.name);
  }

  // show shows a line of a text, of the text before the step with before, and gives it the focus.
  private readonly show = (to: Partial<State>, before = 0): void => {
    this.center.aim(before, true);
    this.store.go(to);
  };

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
    if (script.startsWith(schedulePrefix)) this.schedules.open(script.slice(schedulePrefix.length), n);
    else if (script.startsWith(editPrefix)) void this.edits.again(script.slice(editPrefix.length), n);
    else if (script) void this.user.open(script, n);
    else this.showSource(n);
  };

  private draw(): void {
    const { store } = this;
    const { plan, runs } = store;
    plan.update();
    this.pipeline.update();
    const step = store.selected();
    // A new run leaves the diff on the page until the pass has its turn again.
    const again = step !== null && !ended(step) && this.shown === this.place(step);
    if (!again) this.drawCenter(step);
    this.drawTree();
    this.drawDetails(step);
    if (step?.finished || this.rewrites) this.withRewrites((view) => view.show(step));
    this.strip.update(plan.planned ?? store.model, store.state.pass, runs.stale);
    this.timeline.update();
    drawTop(runs, store.title);
    this.notice?.update();
    if (runs.session) this.withChips((chips) => chips.update());
    this.withSharing((own) => own.update());
    this.notes.draw();
    this.user.update();
    this.edits.update(this.view.tools.includes("edit"));
    this.schedules.update();
    this.history.update();
    this.search.update();
    drawMessages(runs, this.notice?.says ? "" : runs.problem, step, this.view.saysFailure ?? false, {
      select: (x) => store.select(x),
      open: this.show,
      again: () => store.changed(),
      jump: this.jump,
      remedy: (d) => this.edits.remedy(d),
      turnOn: (names) => runs.change({ disabled: runs.disabled.filter((name) => !names.includes(name)) }),
    });
    press(byId("form"), store.state.form === "compact");
    this.app.dataset.tools = this.view.tools.join(" ");
    this.drawViews();
    this.prefetchSoon();
  }

  private drawTree(): void {
    const { store } = this;
    const { runs, plan } = store;
    this.tree.update(plan.planned ?? store.model, {
      selected: store.state.pass, disabled: new Set(runs.disabled), onlyChanged: store.onlyChanged, filter: store.filter, mayEdit: store.mayRun, stale: runs.stale,
      reason: store.reason, edits: plan.offered && runs.mayEdit, warnings: plan.warnings, options: plan.options, notes: this.notes.steps(store.model.id), page: (name) => store.paged(name),
    }, this.listed);
    setText(byId("hidden-count"), this.tree.shown.hidden > 0 ? `${this.tree.shown.hidden} hidden` : "");
  }

  // withRewrites does something with what shows rewrites, which is loaded when there is a pass that has ended.
  private withRewrites(run: (view: RewritesView) => void): void {
    this.rewrites ??= Promise.all([import("../rewrites/rewritesview"), lateStyle()]).then(([own]) => new own.RewritesView(this.store, this.center.code));
    this.rewrites.then(run, () => (this.rewrites = null));
  }

  // withSharing does something with what shares the session. It comes beside what the first view needs; a click before that waits for it.
  private withSharing(run: (own: Sharing) => void): void {
    if (!document.getElementById("share")) return; // an exported page
    this.sharing ??= import("./share").then((own) => new own.Sharing(this.store));
    this.sharing.then(run, () => (this.sharing = null));
  }

  // withChips does something with the runs at the top, which are loaded when the session is there: the first view goes without.
  private withChips(run: (chips: RunChips) => void): void {
    this.chips ??= import("./runchips").then((own) => new own.RunChips(this.store, this.notes, this.center.code, this.keys));
    this.chips.then(run, () => (this.chips = null));
  }

  // drawDetails writes the sheets of the inspector anew where they can have changed. What writes them is loaded when a pass has ended.
  private drawDetails(step: Step | null): void {
    this.pipeline.drawOptions(byId("pass-options"), step);
    if (!this.sheets && (!step || !ended(step))) return;
    this.sheets ??= import("./details");
    this.sheets.then((own) => this.writeDetails(own, this.store.selected()), () => (this.sheets = null));
  }

  private writeDetails(sheets: typeof Sheets, step: Step | null): void {
    const { store } = this;
    const { mayEdit } = store.runs;
    const info = step ? store.info(step.name) : undefined;
    const warnings = store.plan.warnings.get(step?.path ?? "") ?? [];
    sheets.drawOrigin(byId("origin-body"), store.runs, store.title, this.app.dataset.source ? () => this.showSource(1) : null);
    const key = [store.model.id, store.model.version, apart(), step?.path, info !== undefined, mayEdit, ...warnings].join(" ");
    if (key === this.detailed) return;
    this.detailed = key;
    sheets.details(byId("details-head"), byId("details-rest"), store.model, step, info, {
      select: (name) => store.selectByName(name), jump: this.jump, about: (x) => sheets.aboutEdit(store, (after) => void this.edits.again(after), x) ?? sheets.aboutSchedule(store, (kernel, line) => this.schedules.open(kernel, line), x), warnings, page: document.getElementById("share") !== null && step !== null && store.paged(step.name),
      edit: mayEdit ? (script) => void this.user.open(script) : null,
    });
  }

  // drawCenter shows the functions of the step and the chosen one of them.
  private drawCenter(step: Step | null): void {
    const { store } = this;
    if (step === null || ended(step)) this.shown = this.place(step);
    const at: At = { model: store.model, step, fn: store.state.fn, state: store.state };
    const view = this.center.view(this.view, at);
    const listing = view.list(at);
    const there = listing.entries.some((x) => x.key === at.fn) || (listing.others && listing.same?.().some((x) => x.key === at.fn));
    if (!there) at.fn = view.first(at, listing.entries.map((x) => x.key));
    const after = listing.others || view.text === "diff";
    this.listed = { ...listing, selected: at.fn, ofCode: Boolean(view.ownEntries && view.path), same: after ? (listing.same ?? null) : null, sameCount: after ? (listing.sameCount ?? 0) : 0 };
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
