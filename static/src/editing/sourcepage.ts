// The editor of the page /new. It is loaded only there, and takes the place of the textarea of the form, which works without it.

import "../shared";
import type * as Bundle from "../../vendor/codemirror";
import { messageOf } from "../store/format";
import { byId, setText } from "../widgets/dom";
import { check, format, type Found, startScript } from "../store/scripts";
import { Checking } from "./checking";
import { takeDraft } from "./draft";
import { look } from "./look";
import { basics, jumpTo, list, mark } from "./marks";
import type { Diagnostic } from "../wire";

type CodeMirror = typeof Bundle;
type View = InstanceType<CodeMirror["EditorView"]>;

export async function open(): Promise<void> {
  new Editor((await import(byId("editor-form").dataset.codemirror!)) as CodeMirror);
}

class Editor {
  private readonly form = byId<HTMLFormElement>("editor-form");
  private readonly area = byId<HTMLTextAreaElement>("source");
  private readonly name = byId<HTMLInputElement>("source-name");
  private readonly pipeline = byId<HTMLSelectElement>("pipeline");
  private readonly view: View;
  private readonly checking = new Checking({
    ask: (signal) => check(this.text, this.name.value, signal), show: (found) => this.show(found), failed: (message) => this.say(message, "error"),
  });

  constructor(private readonly cm: CodeMirror) {
    const draft = takeDraft();
    if (draft) {
      this.area.value = draft.text;
      this.name.value = draft.name;
    }
    const host = byId("editor");
    this.view = new cm.EditorView({ parent: host, doc: this.area.value, extensions: this.extensions() });
    host.hidden = false;
    this.area.hidden = true;
    this.area.required = false; // it cannot be focused any more
    byId("source-label").addEventListener("click", () => this.view.focus());
    document.querySelector(".skip")?.addEventListener("click", (e) => {
      e.preventDefault();
      this.view.focus();
    });
    this.form.addEventListener("submit", (e) => {
      e.preventDefault();
      if (e.submitter?.id === "format") void this.format();
      else void this.start();
    });
    for (const link of document.querySelectorAll<HTMLElement>(".examples [data-text]")) {
      link.addEventListener("click", (e) => {
        e.preventDefault();
        this.replace(link.dataset.text ?? "");
        this.name.value = link.dataset.file ?? this.name.value;
        this.pipeline.value = link.dataset.pipeline ?? "default";
        this.view.focus();
      });
    }
    // What is pasted while nothing that takes text has the focus is the new text.
    document.addEventListener("paste", (e) => {
      const text = e.clipboardData?.getData("text/plain") ?? "";
      if (e.defaultPrevented || text === "" || (e.target as Element).closest("input, textarea, select, .cm-content")) return;
      e.preventDefault();
      this.replace(text);
      this.view.focus();
    });
    void this.checking.now();
  }

  private extensions(): Bundle.Extension[] {
    const { cm } = this;
    const key = (name: string, run: () => unknown): { key: string; run(): boolean } => ({ key: name, run: () => (void run(), true) });
    return [
      cm.keymap.of([key("Mod-Enter", () => this.start()), key("Mod-Shift-f", () => this.format()), cm.indentWithTab]),
      cm.EditorView.contentAttributes.of({ "aria-label": "Text of the module", "aria-describedby": "editor-status", spellcheck: "false" }),
      cm.EditorView.updateListener.of((u) => {
        if (u.docChanged) this.checking.typed();
      }),
      ...basics(cm),
      ...look(cm),
    ];
  }

  private get text(): string {
    return this.view.state.doc.toString();
  }

  // replace sets another text, as one step of the history, and keeps the place of the cursor as well as it can.
  private replace(text: string): void {
    const { state } = this.view;
    if (state.doc.toString() === text) return;
    const line = state.doc.lineAt(state.selection.main.head).number;
    this.view.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
    const doc = this.view.state.doc;
    this.view.dispatch({ selection: { anchor: doc.line(Math.min(line, doc.lines)).from }, scrollIntoView: true });
  }

  private async format(): Promise<void> {
    this.checking.stop();
    const before = this.text;
    try {
      const out = await format(before, this.name.value);
      if (this.text !== before) return; // typed meanwhile
      if (out.ok) {
        this.replace(out.text);
        if (this.text === before) void this.checking.now();
        this.say(hasComments(before) ? "Formatted. Comments are not kept; Ctrl+Z brings them back." : "Formatted.", "ok");
        return;
      }
      this.show({ ...out, functions: [] });
    } catch (err) {
      this.say(messageOf(err), "error");
    }
  }

  private async start(): Promise<void> {
    const button = byId<HTMLButtonElement>("start");
    if (button.disabled) return;
    this.checking.stop();
    button.disabled = true;
    this.say("Starting…", "");
    const parent = this.form.querySelector<HTMLInputElement>("[name=parent]")?.value ?? "";
    try {
      const out = await startScript({ kind: "tvmscript", source: this.text, name: this.name.value, pipeline: this.pipeline.value, parent });
      if ("session" in out) {
        location.assign(`/s/${out.session}`);
        return;
      }
      this.show({ ok: false, diagnostics: out.diagnostics, functions: [] });
      if (out.diagnostics.length === 0) this.say(out.message, "error");
      else this.jump(out.diagnostics[0]!);
    } catch (err) {
      this.say(messageOf(err), "error");
    }
    button.disabled = false;
  }

  // show marks what was found in the text, and lists it below.
  private show(found: Found): void {
    mark(this.cm, this.view, found.diagnostics);
    byId("diagnostics").hidden = found.diagnostics.length === 0;
    list(byId("diagnostic-list"), found.diagnostics, (d) => this.jump(d));
    const errors = found.diagnostics.filter((d) => d.severity === "error").length;
    if (errors > 0) this.say(errors === 1 ? "1 error" : `${errors} errors`, "error");
    else this.say(`No errors: ${contents(found)}${found.note ? `. There is ${found.note.replace(": ", " (")})` : ""}.`, "ok");
  }

  private jump(d: Diagnostic): void {
    jumpTo(this.cm, this.view, d);
  }

  private say(text: string, kind: string): void {
    const status = byId("editor-status");
    status.className = `editor-status${kind ? ` is-${kind}` : ""}`;
    setText(status, text);
  }
}

// hasComments tells whether a text has comments besides the lines with which every printed module begins.
function hasComments(text: string): boolean {
  return text.split("\n").some((line) => /^\s*#(?! from tvm)|\S\s+#\s/.test(line));
}

// contents says what a module has.
function contents(found: Found): string {
  const count = (kind: string, one: string): string => {
    const n = found.functions.filter((f) => f.kind === kind).length;
    return n === 0 ? "" : `${n} ${one}${n === 1 ? "" : "s"}`;
  };
  return [count("relax", "Relax function"), count("prim_func", "PrimFunc"), count("extern", "external function")].filter(Boolean).join(", ") || "an empty module";
}
