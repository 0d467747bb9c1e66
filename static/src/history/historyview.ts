// What became of a value on its way through the pipeline, in place of the timeline. It is loaded when the reader comes near the text.

import "../shared";
import { json } from "../store/api";
import { announce, byId, h, setText } from "../widgets/dom";
import { joined, link, list } from "./list";
import { HistoryMarks } from "./marks";
import { Strip } from "./strip";
import { codePath, type Entry, type History, kinds, type LifePlace, type Root } from "./wire";
import { importPath } from "../store/model";
import { type Name, Names } from "./names";
import type { SessionPage } from "../session/sessionpage";
import type { View } from "../store/state";

const texts: View[] = ["unified", "split", "ir"];
const shownRoots = 4;

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

  constructor(private readonly page: SessionPage) {
    const close = h("button", { type: "button", class: "btn quiet small", id: "history-close", title: "Back to the timeline (Escape)" }, "Close");
    close.addEventListener("click", () => this.close());
    this.host.replaceChildren(h("div", { class: "pane-head h-head" }, this.title, this.about, h("span", { class: "grow" }), close), this.body);
    this.names = new Names(page.center.code, { offered: () => this.inText() || page.state.view === "source", open: (name, byKey) => this.open(name, byKey) });
    this.marks = new HistoryMarks(page);
    document.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented || !page.state.history || document.querySelector("dialog[open]")) return;
      if ((e.target as Element).closest("input, textarea, select")) return;
      e.preventDefault();
      this.close();
    });
  }

  // ask shows the history of what the reader is at: the name that was clicked last, the line, the kernel or the node. Where there is
  // none of them the reader chooses a name.
  ask(): void {
    const { state, fn, model } = this.page;
    this.from = document.activeElement;
    this.focusNext = true;
    if (!model.started) return announce("The run has no history yet");
    if (state.view === "code" && fn) return this.go({ step: codePath, function: fn === "(vm)" ? "main" : fn });
    if (state.view === "source" && state.line) return this.go({ node: `line ${state.line}` });
    const kernel = this.from?.closest("#function-list") && !["", "*", "main"].includes(fn);
    if (kernel && this.inText()) return this.go({ step: state.pass || importPath, function: fn });
    const { last } = this;
    if (last?.place === this.place() && (!state.line || state.line === last.name.line) && this.inText()) return this.open(last.name, true);
    if (state.line && fn !== "*" && (this.inText() || state.view === "graph")) return this.askLine(state.line, false);
    if (state.view === "graph") return announce("Go to a node of the graph first");
    if (this.inText() && this.names.pick()) return;
    announce("Open a diff, the IR or a kernel, and choose a line or a name");
  }

  // pick lets the reader choose a name with the arrows.
  pick(): void {
    if (!this.names.pick()) announce("There is no name to choose here");
  }

  // askLine shows the history of a line of the text after the pass or before it.
  askLine(line: number, before: boolean): void {
    const { state, fn } = this.page;
    this.go({ step: state.pass || importPath, function: fn, line: String(line), ...(before ? { side: "before" } : {}) });
  }

  // update follows the state of the page.
  update(): void {
    const { state, model } = this.page;
    const open = state.history !== "";
    this.page.app.classList.toggle("has-history", open);
    this.host.hidden = !open;
    setText(document.querySelector('.narrow-tabs [data-tab="timeline"]')!, open ? "History" : "Timeline");
    if (!open) {
      this.asked = "";
      this.answer = null;
      this.pending?.abort();
    } else if (model.started) {
      const key = [model.id, state.history, model.finished !== null].join(" ");
      if (key !== this.asked) void this.load(key);
      this.strip.mark(state.view === "code" ? codePath : state.pass || importPath);
    }
    this.marks.follow(this.answer !== null && this.inText());
  }

  private place(): string {
    const { state, fn } = this.page;
    return [state.run, state.pass, state.view, fn].join(" ");
  }

  private inText(): boolean {
    return texts.includes(this.page.state.view);
  }

  private open(name: Name, byKey: boolean): void {
    const { state, fn } = this.page;
    this.last = { name, place: this.place() };
    if (byKey) {
      this.from = this.page.center.code.scroller;
      this.focusNext = true;
    }
    if (state.view === "source") return this.go({ node: `line ${name.line}` });
    const step = state.pass || importPath;
    const q: Record<string, string> = { step, function: name.title || fn, line: String(name.line) };
    if (name.text) q.name = name.text;
    if (name.side === "before") q.side = "before";
    this.go(q);
  }

  private go(q: Record<string, string>): void {
    const history = new URLSearchParams(q).toString();
    if (history === this.page.state.history) this.settle();
    else this.page.go({ history });
    if (matchMedia("(max-width: 760px)").matches) this.page.showTab("timeline");
  }

  private close(): void {
    const inside = this.host.contains(document.activeElement);
    this.page.go({ history: "" });
    const back = this.from instanceof HTMLElement && this.from.isConnected && this.from.checkVisibility() ? this.from : this.page.center.code.scroller;
    if (inside) back.focus({ preventScroll: true });
  }

  private async load(key: string): Promise<void> {
    this.asked = key;
    this.pending?.abort();
    const abort = new AbortController();
    this.pending = abort;
    const { state, model } = this.page;
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
    this.strip.show(this.page.model, a);
    this.body.replaceChildren(this.strip.root, list(this.page.model, a, {
      pass: (e) => this.openEntry(e),
      place: (e, p) => this.openPlace(e, p),
      root: (r) => this.openRoot(r),
    }));
    const { state } = this.page;
    this.strip.mark(state.view === "code" ? codePath : state.pass || importPath);
    const done = a.entries.filter((e) => e.verb !== "same").length;
    announce(`History of ${this.title.textContent}: ${done} events`);
  }

  private heading(a: History | null): void {
    const q = new URLSearchParams(this.page.state.history);
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
      parts.push(a.roots[0]?.line ? link(`source line ${line}`, "", () => this.page.showSource(line!)) : `${a.roots[0]?.op ?? ""} of the model`);
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
    if (r.line) this.page.showSource(r.line);
    this.go({ node: r.name });
  }

  private openEntry(e: Entry): void {
    const to = e.to?.[0];
    if (to) this.openPlace(e, to);
    else this.openPass(e.path, e.from?.[0]?.function);
  }

  private openPass(path: string, fn = ""): void {
    if (path === codePath) return this.page.go({ view: "code", fn: "", line: 0 });
    const step = this.page.model.steps.get(path);
    if (step) this.page.select(step);
    if (fn) this.page.go({ fn });
  }

  private openPlace(e: Entry, p: LifePlace): void {
    if (e.path === codePath) return this.page.go({ view: "code", fn: p.name === "main" ? "(vm)" : p.function, line: 0 });
    const changed = this.page.model.steps.get(e.path)?.finished?.functions.some((f) => f.name === p.function) ?? false;
    this.page.reveal(e.path, p.function, p.line, changed);
  }
}
