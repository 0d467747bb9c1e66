// The pane in which a visitor edits IR in the middle of the pipeline, beside the code. It is loaded when it is opened.

import "../shared";
import type * as Bundle from "../../vendor/codemirror";
import { post } from "../store/api";
import { withChecks } from "../store/checks";
import { announce, h, setText, tell } from "../widgets/dom";
import { Beside } from "./beside";
import { Checking } from "./checking";
import { LiveDiff, type MakeCode } from "./livediff";
import { look } from "./look";
import { messageOf, plural } from "../store/format";
import { basics, jumpTo, list, mark } from "./marks";
import type { Step } from "../store/model";
import type { Session } from "../store/session";
import { editPrefix } from "../store/steps";
import type { CheckedEdit, DiffPage, Patch, WireFunction } from "../wire";

type CodeMirror = typeof Bundle;
type View = InstanceType<CodeMirror["EditorView"]>;

// longest is the length of the longest text that the server takes, in bytes.
const longest = 1 << 20;
// atOnce is how many texts of functions are fetched at once.
const atOnce = 8;

// Opened is what the pane is about: functions (none: all but external ones) behind a step, and their text as it is.
interface Opened {
  key: string;
  run: string;
  after: string;
  functions: string[];
  text: string;
}

export class EditPane {
  private readonly pane: Beside;
  private readonly live: LiveDiff;
  private readonly title = h("h2", { id: "ei-title" });
  private readonly status = h("p", { class: "editor-status", id: "ei-status", role: "status" });
  private readonly wrong = h("ol", { class: "up-wrong", "aria-label": "Errors in the text" });
  private readonly over = h("button", { type: "button", class: "btn", id: "ei-over", title: "Restore the original text" }, "Start over");
  private readonly tidy = h("button", { type: "button", class: "btn", id: "ei-format", title: "Ctrl+Shift+F" }, "Format");
  private readonly remove = h("button", { type: "button", class: "btn", id: "ei-remove" }, "Remove edit");
  private readonly go = h("button", { type: "button", class: "btn primary", id: "ei-continue", title: "Ctrl+Enter" }, "Continue from here");
  private readonly view: View;
  private opened: Opened = { key: "", run: "", after: "", functions: [], text: "" };
  // drafts are texts that were edited and not used, by what they are about.
  private readonly drafts = new Map<string, string>();
  private readonly checking = new Checking<CheckedEdit>({ ask: (signal) => this.ask(signal), show: (found) => this.said(found), failed: (message) => this.say(message, "error") });

  constructor(private readonly cm: CodeMirror, private readonly store: Session, code: MakeCode) {
    const close = h("button", { type: "button", class: "btn quiet", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.pane.close());
    const host = h("div", { class: "up-host" });
    this.live = new LiveDiff(code, "What the edit changes");
    this.pane = new Beside("edit-dialog", "ei-title", () => this.closed(),
      h("div", { class: "up-head" }, this.title, h("span", { class: "grow" }), close),
      h("div", { class: "up-edit" },
        h("p", { class: "quiet up-place" }, "The edited text replaces the result of the step, and later passes continue from it. Constants appear as metadata[…], by key. Comments are not kept."),
        h("div", { class: "editor-frame up-frame" }, host),
        this.wrong,
        this.live.root,
        h("div", { class: "up-actions" }, this.status, this.remove, this.over, this.tidy, this.go)),
    );
    this.view = new cm.EditorView({ parent: host, doc: "", extensions: this.extensions() });
    this.go.addEventListener("click", () => void this.use());
    this.tidy.addEventListener("click", () => void this.format());
    this.over.addEventListener("click", () => {
      this.replace(this.opened.text);
      this.view.focus();
    });
    this.remove.addEventListener("click", () => {
      this.drafts.delete(this.opened.key);
      this.opened.key = "";
      this.pane.close();
      store.removeEdit(this.opened.after);
    });
  }

  private extensions(): Bundle.Extension[] {
    const { cm } = this;
    const key = (name: string, run: () => unknown): { key: string; run(): boolean } => ({ key: name, run: () => (void run(), true) });
    return [
      cm.keymap.of([key("Mod-Enter", () => this.use()), key("Mod-Shift-f", () => this.format())]),
      cm.EditorView.contentAttributes.of({ "aria-label": "Text of the IR", "aria-describedby": "ei-status", spellcheck: "false" }),
      cm.EditorView.updateListener.of((u) => {
        if (!u.docChanged) return;
        this.checking.typed();
        this.over.hidden = this.text === this.opened.text;
      }),
      ...basics(cm),
      ...look(cm),
    ];
  }

  private get text(): string {
    return this.view.state.doc.toString();
  }

  private get patches(): Patch[] {
    return this.store.runs.settings.patches ?? [];
  }

  // open edits a function, or with "" the whole module, behind a step.
  async open(after: string, step: Step, fn: string): Promise<void> {
    const { model } = this.store;
    const whole = fn === "";
    const all = model.functionsAt(step).filter((f) => f.kind !== "extern");
    const chosen = whole ? inOrder(all) : all.filter((f) => f.name === fn);
    if (chosen.length === 0) return tell(`${fn} is an external function and has no text to edit`);
    const where = after === "import" ? "as imported" : `after ${after}`;
    const titled = `Edit ${whole ? "the module" : fn} ${where}`;
    const functions = whole ? [] : [fn];
    try {
      const text = await texts(chosen);
      this.show({ key: `${model.id} ${step.path} ${fn}`, run: model.id, after, functions, text }, titled);
    } catch (err) {
      this.show({ key: "", run: model.id, after, functions, text: "" }, titled);
      this.say(messageOf(err), "error");
      this.go.disabled = true;
    }
  }

  // again edits the text of an edit.
  async again(patch: Patch, line: number): Promise<void> {
    const functions = Object.keys(patch.before ?? {}).filter((name) => !patch.removed?.includes(name)).sort();
    const { model } = this.store;
    this.show({ key: `${model.id} ${editPrefix}${patch.after}`, run: model.id, after: patch.after, functions, text: patch.text }, `Edit again after ${patch.after}`);
    if (line > 0) jumpTo(this.cm, this.view, { severity: "error", message: "", span: { source: "", line } });
    return Promise.resolve();
  }

  private show(opened: Opened, title: string): void {
    this.opened = opened;
    this.checking.found = null;
    setText(this.title, title);
    this.go.disabled = false;
    this.remove.hidden = !this.patches.some((p) => p.after === opened.after);
    this.replace(this.drafts.get(opened.key) ?? opened.text, true);
    this.over.hidden = this.text === opened.text;
    this.wrong.hidden = true;
    this.say("", "");
    this.live.show("", null);
    this.pane.show();
    this.view.focus();
    if (opened.key) void this.checking.now();
  }

  private closed(): void {
    this.checking.stop();
    const { key, text } = this.opened;
    if (key === "") return;
    if (this.text === text) this.drafts.delete(key);
    else this.drafts.set(key, this.text);
  }

  // replace sets another text, as one step of the history unless it is the first.
  private replace(text: string, first = false): void {
    const { state } = this.view;
    if (!first && state.doc.toString() === text) return;
    if (first) this.view.setState(this.cm.EditorState.create({ doc: text, extensions: this.extensions() }));
    else {
      // The cursor stays in its line as well as it can.
      const line = state.doc.lineAt(state.selection.main.head).number;
      this.view.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
      const { doc } = this.view.state;
      this.view.dispatch({ selection: { anchor: doc.line(Math.min(line, doc.lines)).from }, scrollIntoView: true });
    }
  }

  private ask(signal?: AbortSignal): Promise<CheckedEdit> {
    const { run, after, functions } = this.opened;
    return post<CheckedEdit>(`/api/runs/${run}/edit`, { after, functions, text: this.text, patches: this.patches, was: this.opened.text }, signal);
  }

  private said(found: CheckedEdit): void {
    mark(this.cm, this.view, found.diagnostics);
    list(this.wrong, found.diagnostics, (d) => jumpTo(this.cm, this.view, d));
    this.wrong.hidden = found.diagnostics.length === 0;
    const errors = found.diagnostics.filter((d) => d.severity === "error").length;
    const diff = found.diff as DiffPage | undefined;
    this.live.show(diff ? "What the edit changes" : this.text === this.opened.text ? "" : "The edit changes nothing: it differs in spaces or comments only.", diff);
    if (errors > 0) this.say(plural(errors, "error"), "error");
    else if (!found.patch) this.say("No errors. The text matches the result of the step.", "ok");
    else this.say(`No errors: ${plural(found.functions.length, "function")} edited: ${found.functions.join(", ")}.`, "ok");
  }

  private async format(): Promise<void> {
    this.checking.stop();
    const before = this.text;
    try {
      const found = await this.ask();
      if (this.text !== before) return; // typed meanwhile
      if (found.ok) this.replace(found.text);
      this.checking.say(found);
      if (found.ok) this.say("Formatted.", "ok");
    } catch (err) {
      this.say(messageOf(err), "error");
    }
  }

  // use puts the edit into the run, which goes on from it.
  private async use(): Promise<void> {
    if (this.go.disabled) return;
    this.go.disabled = true;
    try {
      const found = await this.checking.known();
      const first = found.diagnostics.find((d) => d.severity === "error");
      if (first) return jumpTo(this.cm, this.view, first);
      const { runs } = this.store;
      const { after, key } = this.opened;
      const others = this.patches.filter((p) => p.after !== after);
      if (!found.patch && others.length === this.patches.length) return this.say("Nothing has been edited yet.", "error");
      this.drafts.delete(key);
      this.opened.key = "";
      this.pane.close();
      if (found.patch) this.store.showLater(editPrefix + after);
      announce(found.patch ? `The run continues from the edited IR after ${after}` : `The edit after ${after} was removed: it matches the result of the step`);
      // What somebody wrote is checked for accesses out of bounds, until that is turned off.
      const config = this.patches.length === 0 ? withChecks(runs.settings.config) : runs.settings.config;
      runs.change({ patches: found.patch ? [...others, found.patch] : others, ...(config && { config }), disabled: runs.disabled.filter((name) => name !== editPrefix + after) });
    } catch (err) {
      this.say(messageOf(err), "error");
    } finally {
      this.go.disabled = false;
    }
  }

  private say(text: string, kind: string): void {
    this.status.className = `editor-status${kind ? ` is-${kind}` : ""}`;
    setText(this.status, text);
  }
}

// inOrder puts main first and PrimFuncs last, as a whole module is printed.
function inOrder(functions: WireFunction[]): WireFunction[] {
  const rank = (f: WireFunction): number => (f.name === "main" ? 0 : f.kind === "relax" ? 1 : 2);
  return [...functions].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

// texts fetches the texts of functions as one.
async function texts(functions: WireFunction[]): Promise<string> {
  const out: string[] = [];
  let size = 0;
  for (let i = 0; i < functions.length; i += atOnce) {
    const some = await Promise.all(functions.slice(i, i + atOnce).map(fetchText));
    for (const text of some) {
      size += new TextEncoder().encode(text).length;
      out.push(text.trimEnd() + "\n");
    }
    if (size > longest) throw new Error(`The text exceeds ${longest >> 10} KiB, the limit for one edit. Choose a single function in the function list.`);
  }
  return out.join("\n");
}

async function fetchText(f: WireFunction): Promise<string> {
  const res = await fetch(`/ir/${f.text}?raw=1`);
  if (!res.ok) throw new Error(res.status === 404 ? `The text of ${f.name} has expired; run again.` : `The server responded with ${res.status}.`);
  return res.text();
}
