// One function after several passes, a column for each. A name that is clicked is marked in all of them, under whatever name it goes there.

import "../shared";
import { json } from "../store/api";
import { columnsOf, mostKept } from "../store/columns";
import { messageOf } from "../store/format";
import { ended, importPath, type RunModel, type Step } from "../store/model";
import type { Source } from "../store/source";
import type { State } from "../store/state";
import type { CodeView } from "../widgets/codeview";
import { announce, h, tell } from "../widgets/dom";
import { byLine, markNames, type NamesByLine, noNames } from "../widgets/namemarks";
import { type Name, Names } from "../widgets/names";
import type { Form, Marks, WireFunction } from "../wire";

// At is what the reader is at.
interface At {
  model: RunModel;
  step: Step | null;
  fn: string;
  state: State;
}

export interface ColumnsListener {
  // keep sets the passes that are kept beside the selected one.
  keep(paths: string[]): void;
  select(step: Step): void;
  code(host: HTMLElement): CodeView;
  text(f: WireFunction, form: Form, signal: AbortSignal): Promise<Source>;
}

// Column is one text with its head. Columns are made once and used again.
class Column {
  readonly root: HTMLElement;
  readonly choose = h("select", { class: "field column-pass" });
  readonly remove = h("button", { type: "button", class: "btn quiet small", title: "Remove this column" }, "✕");
  readonly code: CodeView;
  private readonly message = h("p", { class: "column-none quiet", hidden: true });
  step: Step | null = null;
  lines: NamesByLine = noNames();
  // shown names the text that is shown, and asked that which was asked for.
  private asked = "";
  private pending: AbortController | null = null;

  constructor(private readonly on: ColumnsListener, open: (column: Column, name: Name) => void) {
    const host = h("div", { class: "code-host" }, this.message);
    this.root = h("section", { class: "column" }, h("div", { class: "column-head" }, this.choose, this.remove), host);
    this.code = on.code(host);
    this.code.setWrap(true);
    markNames(this.code, () => this.lines);
    new Names(this.code, { offered: () => true, open: (name) => open(this, name) });
  }

  // show shows a function after a step. It resolves when the text is there.
  async show(model: RunModel, step: Step, fn: string, form: Form): Promise<void> {
    this.step = step;
    const name = step.path === importPath ? "Import" : step.name;
    this.root.setAttribute("aria-label", `${fn} after ${name}`);
    const f = model.functionsAt(step).find((x) => x.name === fn);
    const key = [f?.text, form, step.path, fn].join(" ");
    if (key === this.asked) return;
    const again = this.asked.split(" ")[0] === f?.text && this.asked !== "";
    this.asked = key;
    this.pending?.abort();
    const { signal } = (this.pending = new AbortController());
    this.message.hidden = f !== undefined;
    this.code.scroller.hidden = f === undefined;
    this.message.textContent = `${name} leaves no function ${fn}.`;
    if (!f) return;
    try {
      const source = await this.on.text(f, form, signal);
      if (!signal.aborted) this.code.show(source, `${fn} after ${name}`, again);
    } catch (err) {
      if (signal.aborted) return;
      this.asked = "";
      this.message.hidden = false;
      this.message.textContent = messageOf(err);
    }
  }

  // light marks names, and brings the first of them into view where none is.
  async light(lines: NamesByLine): Promise<void> {
    this.lines = lines;
    this.code.redraw();
    const first = Math.min(...lines.after.keys());
    const seen = [...this.code.scroller.querySelectorAll(".tx.lived")].some((x) => {
      const { top, bottom } = x.getBoundingClientRect();
      const box = this.code.scroller.getBoundingClientRect();
      return bottom > box.top && top < box.bottom;
    });
    if (Number.isFinite(first) && !seen) await this.code.goToLine(first);
  }
}

export class ColumnsView {
  private readonly columns: Column[] = [];
  private readonly box = h("div", { class: "columns-box" });
  private readonly add = h("button", { type: "button", class: "btn small", title: "Keep the selected pass as a column and go on with another  V" }, "Keep the pass");
  private readonly hint = h("span", { class: "quiet" });
  private at: At | null = null;
  // asked is the question about the value that is lit, lit what it was answered for.
  private question = "";
  private lit = "";

  constructor(host: HTMLElement, private readonly on: ColumnsListener) {
    host.append(h("div", { class: "columns-bar" }, this.add, this.hint), this.box);
    this.add.addEventListener("click", () => this.at && on.keep([...new Set([...this.kept(), this.at.state.pass])].slice(-mostKept)));
    host.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented || !this.question) return;
      e.preventDefault();
      this.choose("");
    });
  }

  focus(): void {
    this.columns[0]?.code.scroller.focus({ preventScroll: true });
  }

  // show brings the columns up to date.
  show(at: At): void {
    const fresh = at.state.history !== "" && at.state.history !== this.at?.state.history;
    this.at = at;
    if (fresh) this.question = at.state.history;
    const steps = columnsOf(at.model, at.state.columns, at.step, at.fn);
    while (this.columns.length < steps.length) this.columns.push(this.make());
    const shown = this.columns.slice(0, steps.length);
    if (this.box.children.length !== shown.length) this.box.replaceChildren(...shown.map((c) => c.root));
    const texts = shown.map((c, i) => {
      const step = steps[i]!;
      this.head(c, at, step, shown.length);
      return c.show(at.model, step, at.fn, at.state.form);
    });
    this.add.disabled = !at.step || at.state.columns.includes(at.state.pass) || at.state.columns.length >= mostKept;
    this.hint.textContent = shown.length > 3 ? "Four columns are the most." : "j and k go on with another pass; click a name to find it in all columns.";
    void Promise.all(texts).then(() => this.light(false));
  }

  private make(): Column {
    const c = new Column(this.on, (column, name) => this.open(column, name));
    c.choose.addEventListener("change", () => {
      const { at } = this;
      const to = at?.model.steps.get(c.choose.value);
      if (!at || !to) return;
      if (c.step === at.step) this.on.select(to);
      else this.on.keep(this.kept().map((path) => (path === c.step?.path ? to.path : path)));
    });
    c.remove.addEventListener("click", () => this.on.keep(this.kept().filter((path) => path !== c.step?.path)));
    return c;
  }

  // kept are the passes beside the selected one as they are shown, those that the reader has not chosen too.
  private kept(): string[] {
    const { at } = this;
    return at ? columnsOf(at.model, at.state.columns, at.step, at.fn).filter((s) => s !== at.step).map((s) => s.path) : [];
  }

  private head(c: Column, { model, step: selected, fn }: At, step: Step, n: number): void {
    const offered = [...model.steps.values()].filter((s) => s === step || s.path === importPath || (ended(s) && s.kind !== "sequential" && s.finished?.functions.some((f) => f.name === fn)));
    const options = offered.map((s) => `${s.path} ${s === step}`).join("\n");
    if (c.choose.dataset.options !== options) {
      c.choose.dataset.options = options;
      c.choose.replaceChildren(...offered.map((s) => h("option", { value: s.path, selected: s === step }, s.path === importPath ? "Imported module" : s.name)));
      c.choose.value = step.path;
    }
    c.choose.setAttribute("aria-label", step === selected ? "Selected pass" : "Pass of the column");
    c.root.classList.toggle("is-selected", step === selected);
    c.remove.hidden = step === selected || n < 3;
    c.remove.setAttribute("aria-label", `Remove the column of ${step.name}`);
  }

  // open lights a name of a column in all of them.
  private open(column: Column, name: Name): void {
    const { at } = this;
    if (!at || !column.step) return;
    this.choose(new URLSearchParams({ step: column.step.path, function: at.fn, line: String(name.line), ...(name.text ? { name: name.text } : {}) }).toString());
  }

  private choose(question: string): void {
    this.question = question;
    this.light(true);
  }

  // light asks which lines of each column belong to the value, where that is not known.
  private light(say: boolean): void {
    const { at, question } = this;
    if (!at) return;
    const shown = this.columns.filter((c) => c.root.isConnected);
    const key = [question, at.model.id, at.fn, ...shown.map((c) => c.step?.path), at.model.finished !== null].join("\n");
    if (key === this.lit) return;
    this.lit = key;
    if (!question) return void shown.map((c) => c.light(noNames()));
    const marks = shown.map(async (c) => {
      const q = new URLSearchParams({ show: c.step?.path ?? importPath, in: at.fn, shown: "after" });
      const answer = await json<Marks>(`/api/runs/${at.model.id}/history/marks?${question}&${q.toString()}`);
      if (key === this.lit) await c.light({ before: new Map(), after: byLine(answer.marks) });
      return answer.marks.length;
    });
    Promise.all(marks).then(
      (n) => say && announce(`Lit in ${n.filter((x) => x > 0).length} of ${n.length} columns; Escape ends that`),
      () => tell("Nothing is known of where this name comes from"),
    );
  }
}
