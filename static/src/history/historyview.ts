// What became of a value on its way through the pipeline, below the strip of passes, in place of the timeline. It is loaded when the reader comes near the text.

import "../shared";
import { json } from "../store/api";
import { announce, byId, h, setText, tell } from "../widgets/dom";
import { joined, link, list } from "./list";
import { HistoryMarks } from "./marks";
import { Strip } from "./strip";
import { type Entry, type History, kinds, type LifePlace, type Root } from "./wire";
import { codePath, importPath, vmCode } from "../store/model";
import { type Name, Names } from "../widgets/names";
import { Biography } from "./biography";
import type { Session } from "../store/session";
import type { View } from "../views/view";
import type { CodeView } from "../widgets/codeview";

import { hidePopover, type Spot } from "../widgets/popover";

const shownRoots = 4;

// Around is what a history uses of the page: its frame, the view that is chosen, and the text in which names are.
export interface Around {
  app: HTMLElement;
  code: CodeView;
  view(): View;
  // showSource shows a line of the text that the session starts from.
  showSource(line: number): void;
  // value shows the events beside the text, or none.
  value(events: HTMLElement | null): void;
  // why says why the selected step did something at a line of the text after it or before it, or did not.
  why(line: number, before: boolean, spot: Spot): void;
}

export class HistoryView {
  private readonly host = byId("history");
  private readonly strip = new Strip({ select: (path, e) => (e ? this.openEntry(e) : this.openPass(path)) });
  private readonly title = h("h2", { id: "history-title" });
  private readonly about = h("div", { class: "h-about" });
  private readonly body = h("div", { class: "h-body" });
  private readonly names: Names;
  private asked = "";
  private answer: History | null = null;
  private pending: AbortController | null = null;
  private readonly marks: HistoryMarks;
  // last is the name that the reader clicked last, at the place that the page showed then.
  private last: { name: Name; place: string } | null = null;
  private focusNext = false;
  private from: Element | null = null;

  constructor(private readonly store: Session, private readonly around: Around) {
    const close = h("button", { type: "button", class: "btn quiet small", id: "history-close", title: "Close  Escape" }, "Close");
    close.addEventListener("click", () => this.close());
    this.host.replaceChildren(h("div", { class: "pane-head h-head" }, this.title, this.about, h("span", { class: "grow" }), close), this.body);
    const biography = new Biography(store, around.code.scroller, {
      question: (name) => this.question(name),
      open: (name) => this.open(name, true),
      why: (name, spot) => around.why(name.line, name.side === "before", spot),
    });
    this.names = new Names(around.code, {
      offered: () => around.view().names ?? false,
      open: (name, byKey) => {
        biography.hide();
        this.open(name, byKey);
      },
      point: (name, spot) => biography.point(name, spot),
    });
    this.marks = new HistoryMarks(store, around.code);
    document.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented || !store.state.history || document.querySelector("dialog[open]")) return;
      if ((e.target as Element).closest("input, textarea, select")) return;
      e.preventDefault();
      this.close();
    });
  }

  // ask shows the history of what the reader is at: the name that was clicked last, the line, the kernel or the node. Where there is
  // none of them the reader chooses a name.
  ask(): void {
    const { state, fn, model } = this.store;
    hidePopover();
    this.from = document.activeElement;
    this.focusNext = true;
    if (!model.started) return tell("The run has no history yet");
    const view = this.around.view();
    const subject = view.subject?.({ fn, state });
    if (subject) return this.go(subject);
    const kernel = this.from?.matches('[role="tree"][data-at="function"]') && !["", "*", "main"].includes(fn);
    if (kernel && this.inText()) return this.go({ step: state.pass || importPath, function: fn });
    const { last } = this;
    if (last?.place === this.place() && (!state.line || state.line === last.name.line) && this.inText()) return this.open(last.name, true);
    if (state.line && fn !== "*" && (this.inText() || view.hasLines)) return this.askLine(state.line, false);
    if (view.hasLines) return tell("Select a node of the graph first");
    if (this.inText() && this.names.pick()) return;
    tell("Open a diff, the IR or a kernel, and choose a line or a name");
  }

  // pick lets the reader choose a name with the arrows.
  pick(): void {
    hidePopover();
    if (!this.names.pick()) tell("There are no names to choose here");
  }

  // click opens the history of the name at a point of the window: a click that came before this script.
  click(x: number, y: number): void {
    this.names.click(x, y);
  }

  // askLine shows the history of a line of the text after the pass or before it.
  askLine(line: number, before: boolean): void {
    const { state, fn } = this.store;
    this.go({ step: state.pass || importPath, function: fn, line: String(line), ...(before ? { side: "before" } : {}) });
  }

  // update follows the state of the page.
  update(): void {
    const { state, model } = this.store;
    const open = state.history !== "";
    this.around.app.classList.toggle("has-history", open);
    this.host.hidden = !open;
    if (!open) {
      if (this.asked) this.around.value(null);
      this.asked = "";
      this.answer = null;
      this.pending?.abort();
    } else if (model.started) {
      const key = [model.id, state.history, model.finished !== null].join(" ");
      if (key !== this.asked) void this.load(key);
      this.strip.mark(this.around.view().path ?? (state.pass || importPath));
    }
    this.marks.follow(this.answer !== null && this.inText());
  }

  private place(): string {
    const { state, fn } = this.store;
    return [state.run, state.pass, state.view, fn].join(" ");
  }

  private inText(): boolean {
    return this.around.view().text !== undefined;
  }

  private open(name: Name, byKey: boolean): void {
    this.last = { name, place: this.place() };
    if (byKey) {
      this.from = this.around.code.scroller;
      this.focusNext = true;
    }
    this.go(this.question(name));
  }

  // question asks what became of a name.
  private question(name: Name): Record<string, string> {
    const { state, fn } = this.store;
    const subject = this.around.view().subject?.({ fn, state: { ...state, line: name.line } });
    if (subject) return subject;
    return {
      step: state.pass || importPath, function: name.title || fn, line: String(name.line), ...(name.text ? { name: name.text } : {}), ...(name.side === "before" ? { side: "before" } : {}),
    };
  }

  private go(q: Record<string, string>): void {
    const history = new URLSearchParams(q).toString();
    if (history === this.store.state.history) this.settle();
    else this.store.go({ history });
    this.store.bring("center");
  }

  private close(): void {
    const inside = this.host.contains(document.activeElement);
    this.store.go({ history: "" });
    const back = this.from instanceof HTMLElement && this.from.isConnected && this.from.checkVisibility() ? this.from : this.around.code.scroller;
    if (inside) back.focus({ preventScroll: true });
  }

  private async load(key: string): Promise<void> {
    this.asked = key;
    this.pending?.abort();
    const abort = new AbortController();
    this.pending = abort;
    const { state, model } = this.store;
    try {
      const a = await json<History>(`/api/runs/${model.id}/history?${state.history}`, { signal: abort.signal });
      if (abort.signal.aborted) return;
      this.answer = a;
      this.draw(a);
      this.marks.follow(this.answer !== null && this.inText());
      this.settle();
    } catch (err) {
      if (abort.signal.aborted) return;
      this.answer = null;
      this.heading(null);
      this.body.replaceChildren(h("div", { class: "note" }, err instanceof Error ? err.message : String(err)));
      this.marks.follow(this.answer !== null && this.inText());
      this.settle();
    }
  }

  // settle moves the focus to the history where the keyboard asked for it.
  private settle(): void {
    if (!this.focusNext) return;
    this.focusNext = false;
    if (this.answer) this.strip.focus();
    else byId("history-close").focus();
  }

  private draw(a: History): void {
    this.heading(a);
    this.strip.show(this.store.model, a);
    this.body.replaceChildren(this.strip.root);
    this.around.value(list(this.store.model, a, {
      pass: (e) => this.openEntry(e),
      place: (e, p) => this.openPlace(e, p),
      root: (r) => this.openRoot(r),
    }));
    const { state } = this.store;
    this.strip.mark(this.around.view().path ?? (state.pass || importPath));
    const done = a.entries.filter((e) => e.verb !== "same").length;
    announce(`History of ${this.title.textContent}: ${done} events`);
  }

  private heading(a: History | null): void {
    const q = new URLSearchParams(this.store.state.history);
    const at = a?.at;
    const name = q.get("node") ?? (at ? at.name || (at.op ?? "") : (q.get("name") ?? `line ${q.get("line") ?? ""} of ${q.get("function") ?? ""}`));
    setText(this.title, name);
    byId("history").setAttribute("aria-label", `History of ${name}`);
    const parts: (Node | string)[] = [];
    if (at) parts.push(`${kinds[at.kind] ?? ""} in ${at.function} after ${q.get("side") === "before" ? "the pass before " : ""}${(q.get("step") ?? "").replace(/^.*\//, "")}`);
    const roots = (a?.roots ?? []).filter((r) => r.name !== q.get("node"));
    if (a && roots.length > 0) {
      if (parts.length > 0) parts.push(" · ");
      parts.push("from ", ...joined(roots.slice(0, shownRoots).map((r) => this.rootLink(r))));
      const rest = roots.length - shownRoots + (a.more ?? 0);
      if (rest > 0) parts.push(` and ${rest} more`);
    } else if (a) {
      const line = a.roots[0]?.line;
      parts.push(a.roots[0]?.line ? link(`source line ${line}`, "", () => this.around.showSource(line!)) : `${a.roots[0]?.op ?? ""} of the model`);
    }
    this.about.replaceChildren(...parts);
  }

  private rootLink(r: Root): HTMLElement {
    const b = link(r.line && r.op === "line" ? `source line ${r.line}` : r.name, "mono", () => this.openRoot(r));
    if (!r.line) b.title = `${r.op} of the model`;
    return b;
  }

  // openRoot leads to the line of the source, or to the history of a node of the model by itself.
  private openRoot(r: Root): void {
    if (r.line) this.around.showSource(r.line);
    this.go({ node: r.name });
  }

  private openEntry(e: Entry): void {
    const to = e.to?.[0];
    if (to) this.openPlace(e, to);
    else this.openPass(e.path, e.from?.[0]?.function);
  }

  private openPass(path: string, fn = ""): void {
    if (path === codePath) return this.store.go({ view: "code", fn: "", line: 0 });
    const step = this.store.model.steps.get(path);
    if (step) this.store.select(step);
    if (fn) this.store.go({ fn });
  }

  private openPlace(e: Entry, p: LifePlace): void {
    if (e.path === codePath) return this.store.go({ view: "code", fn: p.name === "main" ? vmCode : p.function, line: 0 });
    const changed = this.store.model.steps.get(e.path)?.finished?.functions.some((f) => f.name === p.function) ?? false;
    this.store.reveal(e.path, p.function, p.line, changed);
  }
}
