// The middle of the page: which rows to show for a step, a function and a view, and what to say where there are none.

import type { DiffQuery } from "../store/api";
import { only } from "../widgets/delta";
import { byId, h, setText } from "../widgets/dom";
import { GraphPane, type Open } from "../views/graphpane";
import { CodeView } from "../widgets/codeview";
import { errorNote } from "./details";
import type { Entry } from "./functions";
import { plural } from "../store/format";
import { importPath, type RunModel, type Step } from "../store/model";
import { MetricsPane } from "../views/metricspane";
import { byNumber, result } from "../views/result";
import { DiffSource } from "../store/diffsource";
import type { Source } from "../store/source";
import { type Part, TextSource } from "../store/textsource";
import { setting, type State, type View } from "../store/state";
import type { FunctionChange } from "../wire";

export const wholeModule = "*";

const badges: Record<string, [string, string]> = {
  relax: ["R", "graph-level function (Relax)"],
  prim_func: ["T", "loop-level function (TensorIR)"],
  extern: ["X", "external function"],
};

export class Center {
  readonly code: CodeView;
  private readonly host = byId("code");
  private readonly resultHost = byId("result");
  private readonly graph: GraphPane;
  private readonly metrics: MetricsPane;
  // target is a line of the text before that is to be shown with the next text.
  private target = 0;
  private focusNext = false;
  private readonly empty = h("div", { class: "empty", hidden: true });
  private key = "";
  private pending: AbortController | null = null;
  private readonly warm = new Set<string>();

  constructor(private readonly on: { line(n: number): void; history(n: number, before: boolean): void; openKernel(name: string): void; go(view: View, fn: string, line: number): void; showView(view: View): void; select(step: Step): void }) {
    this.host.replaceChildren(this.empty);
    this.metrics = new MetricsPane({ select: (step) => on.select(step), openFunction: (fn) => on.go("ir", fn, 0) });
    this.graph = new GraphPane({
      line: (n) => on.line(n),
      history: (n, before) => on.history(n, before),
      marks: (k, n) => setText(byId("hunk-count"), n === 0 ? "" : k < 0 ? plural(n, "mark") : `${k + 1} / ${n}`),
    });
    this.code = new CodeView(this.host, {
      line: (n) => on.line(n),
      hunk: (k, n) => setText(byId("hunk-count"), n === 0 ? "" : k < 0 ? plural(n, "hunk") : `${k + 1} / ${n}`),
      error: (err) => this.say(err instanceof Error ? err.message : String(err), true),
    });
  }

  // entries lists what the list of functions offers for a step in a view, and the words for its head.
  entries(model: RunModel, step: Step | null, asked: View): { entries: Entry[]; count: string } {
    const view = effective(model, step, asked);
    if (view === "code") {
      const entries: Entry[] = byNumber(model.code?.kernels ?? []).map((k) => ({
        name: k.name, key: k.name, badge: "K", badgeTitle: "kernel", note: `${k.lines}`,
      }));
      if (model.code?.vm) entries.unshift({ name: "virtual machine", key: "(vm)", badge: "V", badgeTitle: "virtual-machine code" });
      return { entries, count: plural(model.code?.kernels.length ?? 0, "kernel") };
    }
    if (view === "result" || view === "source") return { entries: [], count: "" };
    if (view === "ir") {
      const functions = byNumber(model.functionsAt(step));
      const entries: Entry[] = functions.map((f) => ({ name: f.name, key: f.name, ...badge(f.kind), note: `${f.lines}` }));
      entries.unshift({ name: "whole module", key: wholeModule, badge: "M", badgeTitle: "all functions", note: `${functions.reduce((n, f) => n + f.lines, 0)}` });
      return { entries, count: plural(functions.length, "function") };
    }
    const changed = step?.finished?.functions ?? [];
    const same = view === "graph" ? byNumber(model.functionsAt(step)).filter((f) => !changed.some((c) => c.name === f.name)) : [];
    return {
      entries: [...changed.map((c): Entry => ({
        name: c.name, key: c.name, ...badge(c.kind), // A sequential says which functions its passes changed, but not by how much.
        ...(c.added + c.removed > 0 || c.hunks ? { lines: c } : {}),
        ...(c.change === "changed" ? {} : { note: c.change }),
      })), ...same.map((f): Entry => ({ name: f.name, key: f.name, ...badge(f.kind), note: "same" }))],
      count: step?.finished ? `${changed.length} changed, ${step.finished.same} same` : "",
    };
  }

  // show brings the middle up to date. It does nothing where what is shown is what should be shown.
  show(model: RunModel, step: Step | null, fn: string, asked: State): void {
    const state = { ...asked, view: effective(model, step, asked.view) };
    const isResult = state.view === "result";
    this.resultHost.hidden = !isResult;
    // The focus follows from the graph to the text.
    if (!isResult && state.view !== "graph" && this.graph.host.contains(document.activeElement)) this.focusNext = true;
    const isMetrics = state.view === "metrics";
    this.metrics.host.hidden = !isMetrics;
    this.graph.host.hidden = state.view !== "graph" || !this.graph.drawn;
    this.host.hidden = isResult || isMetrics || !this.graph.host.hidden;
    const title = this.title(step, fn, state.view);
    setText(byId("center-title"), title);
    byId("center-title").title = title;
    if (isResult) {
      const key = `result ${model.id} ${model.executions.length} ${model.code !== null} ${model.finished !== null}`;
      if (key !== this.key) result(this.resultHost, model, (name) => this.on.openKernel(name));
      this.key = key;
      return;
    }
    if (isMetrics) return this.showMetrics(model, step, fn);
    const change = step?.finished?.functions.find((c) => c.name === fn);
    if (state.view === "graph") return this.showGraph(model, step, fn, change, state.line);
    const text = this.texts(model, step, fn, state.view);
    const what = change ? `${change.before}/${change.after}` : "";
    const whole = state.view === "ir" || state.view === "code" || state.view === "source";
    const key = state.view === "source" ? "source" : [state.view, step?.path, step?.status ?? model.finished?.status, fn, whole ? text.map((t) => t.hash).join() : what].join(" ");
    if (key === this.key) return;
    const [oldView, ...oldRest] = this.key.split(" ");
    const sameText = oldRest.join(" ") === key.split(" ").slice(1).join(" ") && oldView !== state.view;
    this.key = key;
    this.pending?.abort();
    this.pending = null;
    if (whole) {
      if (text.length > 0) void this.whole(text, state.view === "source" ? "source of the session" : `${fn === wholeModule ? "whole module" : fn} after ${step?.name ?? "import"}`, state);
      else this.nothing(model, step, state.view);
      return;
    }
    if (!change) {
      this.nothing(model, step, state.view);
      return;
    }
    void this.diff(change, state, sameText, `what ${step?.name} did to ${fn}`);
  }

  // aim names a line of the text before that is to be in view when the next text is shown; 0 for none.
  aim(line: number): void {
    this.target = line;
  }

  // moveHunk goes to the next (1) or previous (-1) run of changes, in the graph to the next node with a mark.
  moveHunk(dir: 1 | -1): void {
    if (this.graph.host.hidden) this.code.moveHunk(dir);
    else this.graph.moveMark(dir);
  }

  private showMetrics(model: RunModel, step: Step | null, fn: string): void {
    this.key = "metrics";
    this.pending?.abort();
    this.pending = null;
    setText(byId("hunk-count"), "");
    this.metrics.show(model, step, fn).catch((err: unknown) => {
      this.metrics.host.hidden = true;
      this.say(err instanceof Error ? err.message : String(err), true);
    });
  }

  private showGraph(model: RunModel, step: Step | null, fn: string, change: FunctionChange | undefined, line: number): void {
    const text = model.functionsAt(step).find((f) => f.name === fn)?.text;
    const before = change ? (change.before ?? "") : text;
    const after = change ? (change.after ?? "") : text;
    const pending = step !== null && ["waiting", "running", "failed"].includes(step.status);
    const key = `graph ${step?.path} ${step?.status} ${before}/${after}`;
    if (key === this.key) return;
    this.key = key;
    this.pending?.abort();
    this.pending = null;
    if (before === undefined || after === undefined || pending) return this.nothing(model, step, "graph");
    const label = change ? `what ${step?.name} did to ${fn}` : `${fn} after ${step?.name ?? "import"}`;
    void this.drawGraph(before, after, label, line, (n, old) => {
      this.target = old ? n : 0;
      this.focusNext = true;
      const diff = setting("diff-view") === "split" ? "split" : "unified";
      this.on.go(change ? diff : "ir", fn, old ? 0 : n);
    });
  }

  private async drawGraph(before: string, after: string, label: string, line: number, open: Open): Promise<void> {
    const abort = new AbortController();
    this.pending = abort;
    const fromText = this.host.contains(document.activeElement);
    try {
      await this.graph.show(before, after, label, line, abort.signal, open, () => (this.host.hidden = true));
      if (fromText && !abort.signal.aborted) this.graph.focus();
    } catch (err) {
      if (!abort.signal.aborted) this.say(err instanceof Error ? err.message : String(err), true);
    }
  }

  private async whole(parts: Part[], label: string, state: State): Promise<void> {
    const abort = new AbortController();
    this.pending = abort;
    try {
      const source = await TextSource.open(parts, abort.signal);
      if (!abort.signal.aborted) this.put(source, label, state, false);
    } catch (err) {
      if (!abort.signal.aborted) this.say(err instanceof Error ? err.message : String(err), true);
    }
  }

  // prefetch warms the caches, of the browser and of the server, for the diff that a step would show first.
  prefetch(step: Step, view: View): void {
    const change = firstChange(step);
    if (!change || (view !== "unified" && view !== "split")) return;
    const key = `${view} ${change.before}/${change.after}`;
    if (this.warm.has(key)) return;
    this.warm.add(key);
    DiffSource.open(query(change, view), new AbortController().signal).catch(() => this.warm.delete(key));
  }

  private async diff(change: FunctionChange, state: State, keepPlace: boolean, label: string): Promise<void> {
    const abort = new AbortController();
    this.pending = abort;
    let source: DiffSource | null;
    try {
      source = await DiffSource.open(query(change, state.view), abort.signal);
    } catch (err) {
      if (abort.signal.aborted) return;
      source = DiffSource.fromHunks(change);
      if (!source) {
        this.say(err instanceof Error ? err.message : String(err), true);
        return;
      }
    }
    if (!abort.signal.aborted) this.put(source, label, state, keepPlace);
  }

  private put(source: Source, label: string, state: State, keepPlace: boolean): void {
    this.empty.hidden = true;
    this.code.scroller.hidden = false;
    this.code.show(source, label, keepPlace);
    if (this.target) void this.code.goToLine(this.target, "before").catch(() => undefined);
    else if (state.line) void this.code.goToLine(state.line).catch(() => undefined);
    if (this.focusNext) this.code.scroller.focus({ preventScroll: true });
    this.target = 0;
    this.focusNext = false;
  }

  private texts(model: RunModel, step: Step | null, fn: string, view: View): Part[] {
    if (view === "code") {
      if (fn === "(vm)" && model.code?.vm) return [{ title: fn, hash: model.code.vm, lines: 0 }];
      return (model.code?.kernels ?? []).filter((k) => k.name === fn).map((k) => ({ title: k.name, hash: k.text, lines: k.lines }));
    }
    if (view === "source") return [{ title: "source", hash: byId("app").dataset.source ?? "", lines: 0 }];
    if (view !== "ir") return [];
    const functions = model.functionsAt(step);
    return functions.filter((f) => fn === wholeModule || f.name === fn).map((f) => ({ title: f.name, hash: f.text, lines: f.lines }));
  }

  private title(step: Step | null, fn: string, view: View): string {
    if (view === "result") return "Result";
    if (view === "metrics") return `Metrics ${!step || step.path === importPath ? "of the imported module" : `of ${step.name}`}`;
    if (view === "source") return "Source of the session";
    if (view === "code") return fn ? `Generated code of ${fn === "(vm)" ? "the virtual machine" : fn}` : "Generated code";
    const name = fn === wholeModule ? "module" : fn;
    if (!step) return name ? `${name} as imported` : "Imported module";
    if (view === "ir" || (view === "graph" && !step.finished?.functions.some((c) => c.name === fn))) return step.path === importPath ? `${name || "module"} as imported` : `${name || "module"} after ${step.name}`;
    const change = step.finished?.functions.find((c) => c.name === fn);
    const marks = change ? only(change) : "";
    return `${name ? `${step.name} › ${name}` : step.name}${marks ? `: ${marks}` : ""}`;
  }

  private nothing(model: RunModel, step: Step | null, view: View): void {
    this.showMessage();
    setText(byId("hunk-count"), "");
    const say = (title: string, text: string, ...more: (HTMLElement | null)[]): void => {
      this.empty.replaceChildren(h("p", { class: "empty-title" }, title), h("p", {}, text));
      for (const m of more) if (m) this.empty.append(m);
    };
    if (!model.started && model.finished) {
      const link = h("a", { class: "btn small", href: "/" }, "Choose another model");
      return say("No pass has run", "The run ended before the first pass; the message above says why.", link);
    }
    if (!model.started) return say("Waiting for the run", "The first passes appear as soon as the model has been read.");
    if (view === "code") return say("No code yet", model.finished ? "This run ended before code was generated." : "Code is generated after the last pass.");
    if (!step) return say("Nothing selected", "Choose a pass on the left, or press j for the first one that changed something.");
    switch (step.status) {
      case "waiting": return say(step.name, "waits for its turn.");
      case "running": return say(step.name, "runs now.");
      case "skipped": return say(`${step.name} did not run`, `${step.text}.`);
      case "failed":
        return say(`${step.name} failed`, "The module before it is kept; everything above stays as it was.", step.error ? errorNote(step.error) : null, this.link("Show the module before it", "ir"));
      default:
        return say(`${step.name} changed nothing`, "The module after it is the module before it.", this.link("Show the module", "ir"));
    }
  }

  private link(text: string, view: View): HTMLElement {
    const b = h("button", { type: "button", class: "btn small" }, text);
    b.addEventListener("click", () => this.on.showView(view));
    return b;
  }

  // showMessage makes room for a message in the place of the text or the graph.
  private showMessage(): void {
    this.graph.hide();
    this.host.hidden = false;
    this.code.scroller.hidden = true;
    this.empty.hidden = false;
  }

  private say(message: string, isError: boolean): void {
    this.showMessage();
    this.empty.replaceChildren(h("div", { class: isError ? "note error" : "note" }, message));
    // Asking again for the same thing must not be taken for done.
    this.key = "";
  }
}

// firstChange is the change of a step that says most: of functions that were there before and after, the one that changed most.
export function firstChange(step: Step | null): FunctionChange | undefined {
  const all = step?.finished?.functions ?? [];
  return all.find((c) => c.change === "changed") ?? all[0];
}

function query(change: FunctionChange, view: View): DiffQuery {
  return { before: change.before ?? "", after: change.after ?? "", view: view === "split" ? "split" : "unified", context: 3 };
}

// effective is the view that can be shown: the imported module has no diff.
function effective(model: RunModel, step: Step | null, view: View): View {
  return step !== null && step === model.imported && (view === "unified" || view === "split") ? "ir" : view;
}

function badge(kind: string): { badge: string; badgeTitle: string } {
  const [mark, title] = badges[kind] ?? ["?", kind];
  return { badge: mark, badgeTitle: title };
}
