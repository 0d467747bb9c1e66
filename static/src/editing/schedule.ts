// The pane in which a visitor schedules a kernel, beside the code. It is loaded when it is opened.

import "../shared";
import type * as Bundle from "../../vendor/codemirror";
import { post } from "../store/api";
import { bytes, messageOf, plural, time } from "../store/format";
import { isFaster } from "../store/faster";
import type { Session } from "../store/session";
import { schedulePrefix } from "../store/steps";
import { announce, h, press, setText, tell } from "../widgets/dom";
import { glyphs } from "../widgets/glyphs";
import { lateStyle } from "../widgets/latestyle";
import { loopTable } from "../widgets/looprows";
import type { CheckedSchedule, Diagnostic, DiffPage, MeasuredSchedule, Schedule, ScheduleStep, SourceSpan } from "../wire";
import { Beside } from "./beside";
import { Checking } from "./checking";
import { LiveDiff, type MakeCode } from "./livediff";
import { look } from "./look";
import { basics, jumpTo, list, mark } from "./marks";

type CodeMirror = typeof Bundle;
type View = InstanceType<CodeMirror["EditorView"]>;

// Host is what the page has for schedules.
interface Host {
  readonly codemirror: string;
  readonly code: MakeCode;
  isKernel(name: string): boolean;
}

let pane: Promise<SchedulePane> | null = null;

// openSchedule opens the schedule of a kernel at a line; "" is the kernel that the middle shows, or that the selected step schedules.
export async function openSchedule(store: Session, host: Host, kernel: string, line: number): Promise<void> {
  if (!store.mayEdit()) return;
  kernel ||= scheduledBy(store) || store.fn;
  const known = (store.runs.settings.schedules ?? []).some((s) => s.kernel === kernel);
  if (!known && !host.isKernel(kernel)) return tell("Choose a PrimFunc: a kernel is what can be scheduled");
  pane ??= Promise.all([import(host.codemirror) as Promise<CodeMirror>, lateStyle()]).then(([cm]) => new SchedulePane(cm, store, host.code));
  try {
    const open = await pane;
    store.bring("center");
    await open.open(kernel, line);
  } catch (err) {
    pane = null;
    throw err;
  }
}

// scheduledBy returns the kernel that the selected step schedules, or the step of which it is a primitive; "" for other steps.
function scheduledBy(store: Session): string {
  const step = store.selected();
  const of = [step, store.model.steps.get(step?.parent ?? "")].find((s) => s?.name.startsWith(schedulePrefix));
  return of?.name.slice(schedulePrefix.length) ?? "";
}

class SchedulePane {
  private readonly pane: Beside;
  private readonly live: LiveDiff;
  private readonly title = h("h2", { id: "sc-title" });
  private readonly status = h("p", { class: "editor-status", id: "sc-status", role: "status" });
  private readonly wrong = h("ol", { class: "up-wrong", "aria-label": "Errors in the schedule" });
  private readonly steps = h("ol", { class: "sc-steps", "aria-label": "Primitives that the schedule calls" });
  private readonly loops = h("div", { class: "sc-loops", tabindex: 0, role: "region", "aria-label": "Loops after the schedule" });
  private readonly times = h("div", { class: "sc-times", id: "sc-times", role: "status", hidden: true });
  private readonly asLoops = h("button", { type: "button" }, "Loops");
  private readonly asDiff = h("button", { type: "button" }, "Diff");
  private readonly measure = h("button", { type: "button", class: "btn", id: "sc-measure", title: "Call the kernel with this schedule and with the default one, in turn" }, "Measure");
  private readonly remove = h("button", { type: "button", class: "btn", id: "sc-remove", title: "The kernel gets the default schedule again" }, "Remove");
  private readonly go = h("button", { type: "button", class: "btn primary", id: "sc-run", title: "Ctrl+Enter" });
  private readonly view: View;
  private kernel = "";
  private run = "";
  private measuring: AbortController | null = null;
  // drafts are schedules that were written and not run, by kernel.
  private readonly drafts = new Map<string, string>();
  private readonly checking = new Checking<CheckedSchedule>({ ask: (signal) => this.ask(signal), show: (found) => this.said(found), failed: (message) => this.say(message, "error") });

  constructor(private readonly cm: CodeMirror, private readonly store: Session, code: MakeCode) {
    const close = h("button", { type: "button", class: "btn quiet", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.pane.close());
    const host = h("div", { class: "up-host" });
    this.live = new LiveDiff(code, "What the schedule changes");
    const reference = document.getElementById("share") ? h("a", { href: "/docs/scripting#schedules", target: "_blank", rel: "noopener" }, "what schedules can do") : null;
    this.pane = new Beside("schedule-dialog", "sc-title", () => this.closed(),
      h("div", { class: "up-head" }, this.title, h("span", { class: "grow" }), h("div", { class: "segments", role: "group", "aria-label": "Below the schedule" }, this.asLoops, this.asDiff), close),
      h("div", { class: "up-edit" },
        h("p", { class: "quiet up-place" }, "It takes the place of the default schedule. Each call that changes the kernel is a step of the run, with its own diff", ...(reference ? [": ", reference] : []), "."),
        h("div", { class: "editor-frame up-frame" }, host),
        this.wrong, this.steps, this.times, this.loops, this.live.root,
        h("div", { class: "up-actions" }, this.status, this.remove, this.measure, this.go)),
    );
    this.view = new cm.EditorView({ parent: host, doc: "", extensions: this.extensions() });
    this.go.addEventListener("click", () => void this.use());
    this.measure.addEventListener("click", () => void this.compare());
    this.remove.addEventListener("click", () => {
      const { kernel } = this;
      this.drafts.delete(kernel);
      this.kernel = "";
      this.pane.close();
      store.removeSchedule(kernel);
    });
    for (const b of [this.asLoops, this.asDiff]) b.addEventListener("click", () => this.turn(b === this.asLoops));
    this.turn(true);
  }

  private extensions(): Bundle.Extension[] {
    const { cm } = this;
    return [
      cm.keymap.of([{ key: "Mod-Enter", run: () => (void this.use(), true) }]),
      cm.EditorView.contentAttributes.of({ "aria-label": "Text of the schedule", "aria-describedby": "sc-status", spellcheck: "false" }),
      cm.EditorView.updateListener.of((u) => {
        if (!u.docChanged) return;
        this.checking.typed();
        this.measuring?.abort();
        this.times.hidden = true;
      }),
      ...basics(cm),
      ...look(cm),
    ];
  }

  private get text(): string {
    return this.view.state.doc.toString();
  }

  private get all(): Schedule[] {
    return this.store.runs.settings.schedules ?? [];
  }

  // open shows the schedule of a kernel: that of the settings, what was written before, or one to start from.
  async open(kernel: string, line: number): Promise<void> {
    if (this.pane.open && kernel !== this.kernel) this.closed();
    const other = kernel !== this.kernel || !this.pane.open;
    const known = this.all.find((s) => s.kernel === kernel);
    this.kernel = kernel;
    this.run = this.store.model.id;
    setText(this.title, `Schedule ${kernel}`);
    setText(this.go, known ? "Save and run" : "Run with it");
    this.remove.hidden = known === undefined;
    this.pane.show();
    if (other) {
      const draft = this.drafts.get(kernel) ?? known?.source ?? "";
      this.clear();
      this.replace(draft);
      if (draft === "") await this.begin();
    }
    this.view.focus();
    if (line > 0) jumpTo(this.cm, this.view, { severity: "error", message: "", span: { source: "", line } });
    if (!this.checking.found && this.text.trim() !== "") void this.checking.now();
  }

  private clear(): void {
    this.checking.found = null;
    this.wrong.hidden = this.times.hidden = true;
    this.steps.replaceChildren();
    this.loops.replaceChildren();
    this.live.show("", null);
    this.say("", "");
  }

  // begin asks for a script that looks up the blocks and loops of the kernel.
  private async begin(): Promise<void> {
    const { kernel } = this;
    try {
      const found = await this.ask();
      if (kernel !== this.kernel || this.text !== "") return;
      if (found.start) {
        this.replace(`${found.start}\n`);
        this.view.dispatch({ selection: { anchor: this.view.state.doc.length } });
      }
    } catch (err) {
      this.say(messageOf(err), "error");
    }
  }

  private replace(text: string): void {
    this.view.setState(this.cm.EditorState.create({ doc: text, extensions: this.extensions() }));
  }

  private closed(): void {
    this.checking.stop();
    this.measuring?.abort();
    const { kernel } = this;
    if (kernel === "") return;
    const saved = this.all.find((s) => s.kernel === kernel)?.source;
    if (this.text === saved || this.text.trim() === "") this.drafts.delete(kernel);
    else this.drafts.set(kernel, this.text);
  }

  // turn shows the loops or the difference.
  private turn(loops: boolean): void {
    press(this.asLoops, loops);
    press(this.asDiff, !loops);
    this.loops.hidden = !loops;
    this.live.root.classList.toggle("is-off", loops);
  }

  private ask(signal?: AbortSignal): Promise<CheckedSchedule> {
    return post<CheckedSchedule>(`/api/runs/${this.run}/schedule`, { kernel: this.kernel, source: this.text }, signal);
  }

  private said(found: CheckedSchedule): void {
    // The error of a primitive stands at its step, without the module, which the middle shows.
    const failed = found.steps.find((s) => s.error);
    const wrong = found.diagnostics.filter((d) => d.severity !== "note").map((d) => (failed && d.severity === "error" && d.span?.line === failed.line ? { ...d, message: failed.error!, help: "", span: this.whole(failed.line) } : d));
    mark(this.cm, this.view, wrong);
    const others = wrong.filter((d) => !failed || d.severity !== "error");
    list(this.wrong, others, (d) => jumpTo(this.cm, this.view, d));
    this.wrong.hidden = others.length === 0;
    this.steps.replaceChildren(...found.steps.map((s) => this.stepRow(s)));
    this.steps.querySelector(".is-failed")?.scrollIntoView({ block: "nearest" });
    this.loops.replaceChildren(found.loops ? loopTable(found.loops, null, null) : "");
    const diff = found.diff as DiffPage | undefined;
    this.live.show(diff ? "What the schedule changes" : "The schedule changes nothing yet.", diff);
    const errors = wrong.filter((d) => d.severity === "error").length;
    this.measure.disabled = errors > 0;
    if (failed) this.say(`Line ${failed.line}: ${failed.name} cannot be applied.`, "error");
    else if (errors > 0) this.say(plural(errors, "error"), "error");
    else if (found.steps.length === 0) this.say("No errors. The schedule calls no primitive yet: the kernel keeps its plain loops.", "ok");
    else this.say(`No errors: ${plural(found.steps.length, "step")}.`, "ok");
  }

  // whole is the text of a line, all of which is underlined: an error of a primitive is one of the call as a whole.
  private whole(line: number): SourceSpan {
    const { text, length } = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    return { source: "", line, column: length - text.trimStart().length + 1, end_line: line, end_column: 1e6 };
  }

  private stepRow(s: ScheduleStep): HTMLElement {
    const status = s.error ? "failed" : s.changed ? "changed" : "same";
    const b = h("button", { type: "button", class: `sc-step is-${status}`, title: s.call },
      h("span", { class: "num" }, s.line ? String(s.line) : ""), h("span", { class: "glyph", "aria-hidden": "true" }, glyphs[status]), h("span", { class: "vh" }, `${status} `), h("span", { class: "mono" }, s.call));
    b.addEventListener("click", () => jumpTo(this.cm, this.view, { severity: "error", message: "", span: { source: "", line: s.line } }));
    return h("li", {}, b, s.error ? h("p", { class: "sc-error" }, s.error) : null);
  }

  // compare measures the kernel with this schedule and with the default one.
  private async compare(): Promise<void> {
    if (this.measure.disabled) return;
    this.measure.disabled = true;
    this.measuring?.abort();
    const abort = (this.measuring = new AbortController());
    this.say("Measuring…", "");
    try {
      const got = await post<MeasuredSchedule>(`/api/runs/${this.run}/schedule/measure`, { kernel: this.kernel, source: this.text }, abort.signal);
      if (abort.signal.aborted) return;
      this.showTimes(got);
      this.say("", "");
    } catch (err) {
      if (!abort.signal.aborted) this.say(messageOf(err), "error");
    } finally {
      this.measure.disabled = false;
    }
  }

  private showTimes(got: MeasuredSchedule): void {
    const most = Math.max(got.default.median, got.own.median);
    const bar = (name: string, ns: number, size: number, own: boolean): HTMLElement[] => {
      const b = h("span", { class: `sc-bar${own ? " is-own" : ""}`, "aria-hidden": "true" });
      b.style.width = `${((ns / most) * 100).toFixed(1)}%`;
      return [h("span", {}, name), h("span", {}, b), h("span", { class: "num", title: `${bytes(size)} of code` }, time(ns))];
    };
    this.times.hidden = false;
    this.times.replaceChildren(
      ...bar(got.plain ? "plain loops" : "default", got.default.median, got.default.bytes, false),
      ...bar("this one", got.own.median, got.own.bytes, true),
      h("p", { class: "sc-sum" }, h("strong", {}, isFaster(got.default.median, got.own.median, got.plain ? "the plain loops" : "the default")), ` on ${got.target}: the median of ${plural(got.own.runs, "call")} of each, in turn.`,
        got.same ? "" : h("span", { class: "sc-error" }, ` The results differ by up to ${String(got.difference)}.`)));
  }

  // use puts the schedule into the run.
  private async use(): Promise<void> {
    if (this.go.disabled) return;
    this.go.disabled = true;
    try {
      const found = await this.checking.known();
      const first = found.diagnostics.find((d: Diagnostic) => d.severity === "error");
      if (first) return jumpTo(this.cm, this.view, first);
      const { kernel, text: source } = this;
      const { runs } = this.store;
      this.drafts.delete(kernel);
      setText(this.go, "Save and run");
      this.remove.hidden = false;
      this.store.showLater(schedulePrefix + kernel);
      announce(`The run schedules ${kernel} by ${plural(found.steps.length, "step")} in place of the default schedule`);
      runs.change({ schedules: [...this.all.filter((s) => s.kernel !== kernel), { kernel, source }], disabled: runs.disabled.filter((name) => name !== schedulePrefix + kernel) });
    } catch (err) {
      this.say(messageOf(err), "error");
    } finally {
      this.go.disabled = false;
      if (this.pane.open) this.view.focus();
    }
  }

  private say(text: string, kind: string): void {
    this.status.className = `editor-status${kind ? ` is-${kind}` : ""}`;
    setText(this.status, text);
  }
}
