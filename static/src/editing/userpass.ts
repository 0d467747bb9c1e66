// The pane in which a visitor writes passes, beside the code. It is loaded when it is opened, or when a run has such passes.

import "../shared";
import type * as Bundle from "../../vendor/codemirror";
import { json, post } from "../store/api";
import { messageOf } from "../store/format";
import { debounce } from "../store/timers";
import { h, press, setText } from "../widgets/dom";
import { would } from "../store/trial";
import { Beside } from "./beside";
import { Checking } from "./checking";
import { LiveDiff, type MakeCode } from "./livediff";
import { look } from "./look";
import { basics, jumpTo, list, mark } from "./marks";
import { ended, importPath, type RunModel } from "../store/model";
import { afterOf, loadPipelines, put, take } from "../store/steps";
import type { Diagnostic, DiffPage, PassInfo, PassKind, Script, Settings, Tried } from "../wire";

type CodeMirror = typeof Bundle;
type View = InstanceType<CodeMirror["EditorView"]>;

// Page is what the pane needs of the page around it.
export interface Page {
  settings(): Settings;
  change(settings: Partial<Settings>): void;
  // selected is the path of the selected step, and title how to call it.
  selected(): string;
  title(): string;
  // show selects the first step of a name when the next run has it.
  show(name: string): void;
  // model and fn are the run and the function that the page shows.
  model(): RunModel;
  fn(): string;
}

// Place is a module of a run: that behind a step. Functions counts what it has by kind, and fn is the one that the page shows.
export interface Place {
  run: string;
  after: string;
  fn: string;
  relax: number;
  kernels: number;
}

interface Example {
  name: string;
  title: string;
  doc: string;
  script: Script;
}

interface Found {
  ok: boolean;
  diagnostics: Diagnostic[];
  passes: { name: string; level: number; kind: PassKind; doc: string; required: string[] }[];
  instruments: string[];
}

// pause is how much longer the typing must pause before a script without errors is tried, in milliseconds.
const pause = 300;

const empty: Script = {
  name: "mine.star",
  source: `# A pass over Relax functions: a handler for each kind of node that it is about.

def visit_call(self, call):
    call = self.visit_default(call)
    return call

my_pass = function_pass(mutator({"Call": visit_call}), opt_level=0, name="MyPass")
`,
};

function check(script: Script, signal?: AbortSignal): Promise<Found> {
  return post<Found>("/api/passes/check", script, signal);
}

// describe returns what the scripts of a run define, by name.
export async function describe(scripts: Script[]): Promise<Map<string, PassInfo>> {
  const out = new Map<string, PassInfo>();
  for (const script of scripts) {
    const { passes } = await check(script);
    for (const p of passes) out.set(p.name, { ...p, doc: p.doc || (passes.length === 1 ? about(script) : ""), role: "optional", script });
  }
  return out;
}

// about returns the comment with which a script begins.
function about(script: Script): string {
  const lines = script.source.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^#+ ?/, "")).join(" ");
}

export class Passes {
  private readonly pane: Beside;
  private readonly live: LiveDiff;
  private readonly tabs = h("div", { class: "segments", role: "group", "aria-label": "Scripts" });
  private readonly start = h("div", { class: "up-start" });
  private readonly edit = h("div", { class: "up-edit" });
  private readonly name = h("input", { class: "field mono", id: "up-name", maxlength: 64, autocomplete: "off", spellcheck: "false" });
  private readonly status = h("p", { class: "editor-status", id: "up-status", role: "status" });
  private readonly wrong = h("ol", { class: "up-wrong", "aria-label": "Errors in the script" });
  private readonly place = h("p", { class: "quiet up-place", id: "up-place" });
  private readonly add = h("button", { type: "button", class: "btn primary", id: "up-add", title: "Ctrl+Enter" });
  private readonly remove = h("button", { type: "button", class: "btn", id: "up-remove" }, "Remove");
  private readonly view: View;
  // saved is the name in the settings of the script that is edited; "" where it is not part of the run.
  private saved = "";
  private editing = false;
  private examples: Example[] = [];
  private trying: AbortController | null = null;
  private readonly checking = new Checking<Found>({ ask: (signal) => check(this.script, signal), show: (found) => this.show(found), failed: (message) => this.say(message, "error") });
  private readonly trySoon = debounce(pause, () => void this.try());

  constructor(private readonly cm: CodeMirror, private readonly page: Page, code: MakeCode) {
    const close = h("button", { type: "button", class: "btn quiet", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.pane.close());
    const host = h("div", { class: "up-host" });
    this.live = new LiveDiff(code, "What the pass would do");
    this.edit.append(
      h("div", { class: "up-bar" }, h("label", { class: "editor-name" }, h("span", {}, "File name "), this.name), this.place),
      h("div", { class: "editor-frame up-frame" }, host),
      this.wrong,
      this.live.root,
      h("div", { class: "up-actions" }, this.status, h("span", { class: "grow" }), this.remove, this.add),
    );
    this.pane = new Beside("passes-dialog", "up-title", () => {
      this.checking.stop();
      this.trying?.abort();
    },
      h("div", { class: "up-head" }, h("h2", { id: "up-title" }, "Your own passes"), this.tabs, h("span", { class: "grow" }), close),
      this.start,
      this.edit,
    );
    this.view = new cm.EditorView({ parent: host, doc: "", extensions: this.extensions() });
    this.add.addEventListener("click", () => void this.save());
    this.remove.addEventListener("click", () => void this.drop());
    this.name.addEventListener("input", () => this.checking.typed());
  }

  private extensions(): Bundle.Extension[] {
    const { cm } = this;
    return [
      cm.keymap.of([{ key: "Mod-Enter", run: () => (void this.save(), true) }]),
      cm.EditorView.contentAttributes.of({ "aria-label": "Text of the script", "aria-describedby": "up-status", spellcheck: "false" }),
      cm.EditorView.updateListener.of((u) => {
        if (!u.docChanged) return;
        this.trying?.abort();
        this.checking.typed();
      }),
      ...basics(cm),
      ...look(cm),
    ];
  }

  // open shows a script of the run at a line, or what is being written, or what there is to start from.
  async open(name = "", line = 0): Promise<void> {
    const scripts = this.page.settings().scripts ?? [];
    const script = scripts.find((s) => s.name === name) ?? (this.editing ? undefined : scripts[0]);
    if (!scripts.some((s) => s.name === this.saved)) this.saved = ""; // the page shows another run now
    if (script) this.load(script, script.name);
    else if (!this.editing) this.choose();
    this.drawTabs();
    this.drawPlace();
    this.pane.show();
    if (this.editing) this.view.focus();
    if (line > 0) jumpTo(this.cm, this.view, { severity: "error", message: "", span: { source: name, line } });
    if (this.examples.length === 0) {
      try {
        this.examples = (await json<{ examples: Example[] }>("/api/passes/examples")).examples;
      } catch (err) {
        this.say(messageOf(err), "error");
      }
      this.drawStart();
    }
  }

  private drawTabs(): void {
    const scripts = this.page.settings().scripts ?? [];
    this.tabs.hidden = scripts.length === 0 && !this.editing;
    const tab = (text: string, on: boolean, run: () => void): HTMLElement => {
      const b = h("button", { type: "button" }, text);
      press(b, on);
      b.addEventListener("click", run);
      return b;
    };
    this.tabs.replaceChildren(
      ...scripts.map((s) => tab(s.name, this.editing && this.saved === s.name, () => this.load(s, s.name))),
      tab("New", this.saved === "", () => (this.choose(), this.drawTabs())),
    );
  }

  // choose shows what there is to start from.
  private choose(): void {
    this.editing = false;
    this.saved = "";
    this.start.hidden = false;
    this.edit.hidden = true;
    this.drawStart();
  }

  private drawStart(): void {
    const card = (title: string, doc: string, name: string, script: Script): HTMLElement => {
      const b = h("button", { type: "button", class: "up-card", "data-example": name }, h("strong", {}, title), h("span", {}, doc));
      b.addEventListener("click", () => this.load({ ...script, name: this.free(script.name) }, ""));
      return b;
    };
    this.start.replaceChildren(
      h("p", {}, "A pass or an instrument takes a few lines of Starlark, a dialect of Python, with visitors and mutators as in TVM. Start from one of these:"),
      h("div", { class: "up-cards" }, ...this.examples.map((e) => card(e.title, e.doc, e.name, e.script)), card("Empty pass", "A mutator that changes nothing yet.", "empty", empty)),
    );
  }

  // free returns a name that no script of the run has.
  private free(name: string): string {
    const taken = new Set((this.page.settings().scripts ?? []).map((s) => s.name));
    for (let i = 2, out = name; ; i++) {
      if (!taken.has(out)) return out;
      out = name.replace(/(\.star)?$/, `${i}$1`);
    }
  }

  private load(script: Script, saved: string): void {
    this.editing = true;
    this.saved = saved;
    this.checking.found = null;
    this.start.hidden = true;
    this.edit.hidden = false;
    this.name.value = script.name;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: script.source }, selection: { anchor: 0 } });
    this.drawTabs();
    this.drawPlace();
    this.view.focus();
    void this.checking.now();
  }

  // drawPlace says what saving will do.
  private drawPlace(): void {
    setText(this.add, this.saved ? "Save and run" : "Add to pipeline");
    this.remove.hidden = this.saved === "";
    const { found } = this.checking;
    const watches = found?.ok && found.passes.length === 0;
    setText(this.place, this.saved ? "It is part of this run." : watches ? "It will watch all passes." : `It will run after ${this.page.title()}.`);
  }

  private get script(): Script {
    return { name: this.name.value.trim(), source: this.view.state.doc.toString() };
  }

  private show(found: Found): void {
    if (found.ok && found.passes.length > 0) this.trySoon();
    else this.live.show("", null);
    const wrong = found.diagnostics.filter((d) => d.severity !== "note");
    mark(this.cm, this.view, wrong);
    list(this.wrong, wrong, (d) => jumpTo(this.cm, this.view, d));
    this.wrong.hidden = wrong.length === 0;
    const errors = wrong.filter((d) => d.severity === "error").length;
    const defines = [...found.passes.map((p) => `the pass ${p.name}`), ...found.instruments.map((name) => `the instrument ${name}`)];
    if (errors > 0) this.say(errors === 1 ? "1 error" : `${errors} errors`, "error");
    else if (defines.length === 0) this.say("It defines no pass yet: assign one to a variable, as in my_pass = function_pass(...)", "error");
    else this.say(`No errors: it defines ${defines.join(", ")}.`, "ok");
    this.drawPlace();
  }

  // try shows what the passes of the script would do where they would run, in the function that the page shows, else in the first that they
  // change.
  private async try(): Promise<void> {
    const { script, page } = this;
    const { found } = this.checking;
    const names = found?.ok ? found.passes.map((p) => p.name) : [];
    const place = placeOf(page, this.saved ? names : []);
    if (!found || !place || names.length === 0 || !this.pane.open) return this.live.show("", null);
    const scripts = [...(page.settings().scripts ?? []).filter((s) => s.name !== this.saved), script];
    this.trying?.abort();
    const abort = (this.trying = new AbortController());
    const ask = async (name: string, fn: string): Promise<Tried | undefined> =>
      (await post<{ tried: Tried[] }>(`/api/runs/${place.run}/try`, { after: place.after, steps: [{ name }], function: fn, scripts }, abort.signal)).tried[0];
    try {
      const first = found.passes[0]!;
      let tried = await ask(first.name, place.fn);
      if (tried?.changed.length && !tried.changed.includes(place.fn)) tried = await ask(first.name, tried.changed[0]!);
      if (abort.signal.aborted || this.checking.found !== found || !tried) return;
      const fn = tried.changed.includes(place.fn) ? place.fn : tried.changed[0];
      this.live.show(explain(first, place, tried, fn), tried.diff as DiffPage | undefined);
    } catch (err) {
      if (!abort.signal.aborted) this.live.show(`It could not be tried: ${messageOf(err)}`, null);
    }
  }

  // save puts the script into the run: its passes behind the selected step, or where they were before.
  private async save(): Promise<void> {
    if (this.add.disabled) return;
    this.add.disabled = true;
    try {
      const found = await this.checking.known();
      const { script } = this;
      if (!found?.ok || found.passes.length + found.instruments.length === 0) {
        const first = found?.diagnostics.find((d) => d.severity === "error");
        if (first) jumpTo(this.cm, this.view, first);
        return;
      }
      const settings = this.page.settings();
      const scripts = settings.scripts ?? [];
      if (script.name !== this.saved && scripts.some((s) => s.name === script.name)) return this.say(`A script named ${script.name} already exists; choose another name.`, "error");
      const others = await Promise.all(scripts.filter((s) => s.name !== this.saved).map((s) => check(s)));
      const [change, first] = put(settings, await loadPipelines(settings), {
        script, saved: this.saved, after: this.page.selected(),
        names: found.passes.map((p) => p.name), others: others.flatMap((f) => f.passes.map((p) => p.name)),
      });
      if (first) this.page.show(first);
      this.saved = script.name;
      this.page.change(change);
      this.pane.close();
    } catch (err) {
      this.say(messageOf(err), "error");
    } finally {
      this.add.disabled = false;
    }
  }

  // drop takes the script and its passes out of the run.
  private async drop(): Promise<void> {
    try {
      const settings = this.page.settings();
      const script = (settings.scripts ?? []).find((s) => s.name === this.saved);
      const names = script ? (await check(script)).passes.map((p) => p.name) : [];
      const change = take(settings, await loadPipelines(settings), this.saved, names);
      this.choose();
      this.page.change(change);
      this.pane.close();
    } catch (err) {
      this.say(messageOf(err), "error");
    }
  }

  private say(text: string, kind: string): void {
    this.status.className = `editor-status${kind ? ` is-${kind}` : ""}`;
    setText(this.status, text);
  }
}

// placeOf says where a pass is tried: behind the selected step, or where the pass of a saved script stands; null for nowhere.
function placeOf(page: Page, saved: string[]): Place | null {
  const model = page.model();
  const order = [...model.steps.values()].filter((s) => (ended(s) && s.kind !== "sequential") || s.path === importPath);
  const own = order.findIndex((s) => saved.includes(s.name));
  const step = own > 0 ? order[own - 1] : (model.steps.get(page.selected()) ?? model.imported);
  const after = step && (ended(step) || step.path === importPath) ? afterOf(model, step) : "";
  if (!step || after === "") return null;
  const functions = model.functionsAt(step);
  const count = (kind: string): number => functions.filter((f) => f.kind === kind).length;
  return { run: model.id, after, fn: page.fn(), relax: count("relax"), kernels: count("prim_func") };
}

// explain says what a pass would do at a place, and why it would do nothing.
function explain(pass: Found["passes"][number], place: Place, t: Tried, fn: string | undefined): string {
  const where = place.after === "import" ? "in the imported module" : `after ${place.after}`;
  if (t.error) return `${where[0]!.toUpperCase()}${where.slice(1)}, ${pass.name} ${would(t)}.`; // the place behind an error would read as a part of it
  const said = `${pass.name} ${would(t)} ${where}`;
  if (t.changed.length > 0) return `${said}. In ${fn}:`;
  if (t.skipped) return `${said}.`;
  const [n, kind] = pass.kind === "prim_func" ? [place.kernels, "PrimFunc"] : pass.kind === "function" ? [place.relax, "Relax function"] : [-1, ""];
  if (n === 0) return `${said}: it works on ${kind}s, and there are none here. Choose another step.`;
  if (n > 0) return `${said}: it ran on ${n} ${kind}${n === 1 ? "" : "s"} and returned ${n === 1 ? "it" : "each"} as it was. What its handlers look for does not occur here, or they return what they are given.`;
  return `${said}: it returned the module as it was.`;
}
