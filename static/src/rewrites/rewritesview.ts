// The rewrites and decisions of a step, beside its details: their names with counts, and one after the other.

import "../shared";
import { plural } from "../store/format";
import type { Step } from "../store/model";
import { type Item, items, type Ranges, ranges, said, target } from "../store/rewrites";
import type { Session } from "../store/session";
import type { Row } from "../store/source";
import type { CodeView } from "../widgets/codeview";
import { announce, byId, h, press, tell } from "../widgets/dom";
import type { Place, RuleCount, Rewrites } from "../wire";
import { Records } from "../store/records";
import { WhyView } from "./whyview";

// Marker marks the cells of a row of the text.
type Marker = (row: Row, el: HTMLElement) => void;

export class RewritesView {
  readonly why: WhyView;
  private step: Step | null = null;
  // key names the step whose list is shown.
  private key = "";
  private list: Rewrites | null = null;
  private problem = "";
  private items: Item[] = [];
  // name, where not empty, is that of the rewrites that the reader steps through.
  private name = "";
  private drawn = "";
  // marked are the lines that are marked, as JSON.
  private marked = "null";
  private marker: Marker | null = null;
  // wanted tells that the reader has asked for lists that runs did not record, which come while the inspector is open. pinned is the
  // step of which one was asked for by itself.
  private wanted = false;
  private pinned = "";

  private readonly host = byId("rewrites");
  private readonly unrecorded = byId("unrecorded");
  private readonly records = new Records();

  constructor(private readonly store: Session, private readonly code: CodeView) {
    byId("list-rewrites").addEventListener("click", () => {
      this.wanted = true;
      store.changed();
    });
    code.markers.push((row, el) => this.marker?.(row, el));
    this.why = new WhyView(store, code, this.records, (item) => this.open(item));
  }

  // show follows the step and the function that the page shows. What is not on record is asked for where the reader wants it.
  show(step: Step | null): void {
    const reports = step?.finished && step.kind !== "sequential" ? step : null;
    const recorded = Boolean(reports?.finished?.rewrites);
    this.step = step;
    const own = this.keyOf(step);
    this.wanted ||= this.selected !== "";
    const wanted = recorded || this.selected !== "" || this.pinned === own || (this.wanted && byId("app").classList.contains("with-inspector"));
    const key = reports && wanted ? own : "";
    this.host.hidden = key === "";
    this.unrecorded.hidden = !reports || key !== "" || !this.store.compiler;
    if (key !== this.key) {
      this.key = key;
      this.list = null;
      this.items = [];
      this.name = this.problem = "";
      if (key) void this.load(reports!);
    }
    const drawn = [step?.path, this.key, this.list !== null, this.problem, this.selected, this.name].join("\n");
    if (key && drawn !== this.drawn) this.draw();
    this.drawn = drawn;
    this.mark();
    this.why.follow();
  }

  private keyOf(step: Step | null): string {
    return `${this.store.model.id} ${step?.path}`;
  }

  // selected is the key of the selected rewrite or decision.
  private get selected(): string {
    return this.store.state.rewrite;
  }

  // changed tells whether the step changed a function.
  private changed(fn: string): boolean {
    return this.step?.finished?.functions.some((f) => f.name === fn) ?? false;
  }

  // move goes to the next (1) or previous (-1) rewrite, or decision, of those that are offered.
  async move(dir: 1 | -1, decisions: boolean): Promise<void> {
    const { step } = this;
    this.pinned = this.keyOf(step);
    this.show(step);
    if (step && this.key && !this.list) await this.load(step);
    if (step !== this.step) return;
    const all = this.offered(decisions);
    if (all.length === 0) return tell(decisions ? "There are no decisions" : "There are no rewrites");
    const at = all.findIndex((x) => x.key === this.selected);
    const next = at < 0 ? (dir > 0 ? 0 : all.length - 1) : at + dir;
    const item = all[next];
    if (!item) return tell(dir > 0 ? "That was the last" : "That was the first");
    this.open(item);
  }

  private offered(decisions: boolean): Item[] {
    return this.items.filter((x) => (x.decision !== null) === decisions && (decisions || !this.name || x.name === this.name));
  }

  private async load(step: Step): Promise<void> {
    const { key } = this;
    let list: Rewrites | null = null;
    let problem = "";
    try {
      list = await this.records.of(this.store.model.id, step);
    } catch (err) {
      problem = err instanceof Error ? err.message : String(err);
    }
    if (key !== this.key) return;
    this.list = list;
    this.problem = problem;
    this.items = list ? items(list) : [];
    this.draw();
    this.mark();
  }

  private open(item: Item): void {
    const { store } = this;
    const at = target(item, (fn) => this.changed(fn));
    const { pass } = store.state;
    store.state = { ...store.state, rewrite: item.key };
    if (!at) store.go({});
    else if (at.before) store.visit({ pass, fn: at.fn, line: 0, view: store.preferredDiff() }, at.line);
    else store.reveal(pass, at.fn, at.line, this.changed(at.fn));
    announce(said(item));
  }

  private mark(): void {
    const item = this.items.find((x) => x.key === this.selected);
    const { fn } = this.store;
    const lines = item ? ranges(item, fn, this.changed(fn)) : null;
    const key = JSON.stringify(lines);
    if (key === this.marked) return;
    this.marked = key;
    this.marker = lines && marker(lines);
    this.code.redraw();
  }

  private draw(): void {
    const focused = document.activeElement instanceof HTMLElement && this.host.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const { list } = this;
    const parts: (HTMLElement | null)[] = [
      h("h4", { id: "rewrites-title" }, "Rewrites ", h("span", { class: "num" }, list ? String(list.rewrites.length + (list.omitted ?? 0)) : "")),
    ];
    if (this.problem) parts.push(h("p", { class: "note error" }, `The rewrites could not be read: ${this.problem}`));
    else if (!list) parts.push(h("p", { class: "quiet" }, this.step?.finished?.rewrites ? "Reading…" : "Running the pass again to hear what it does…"));
    else {
      if (list.rewrites.length > 0) parts.push(this.names(list.names), this.steps(false), this.current(false));
      else parts.push(h("p", { class: "quiet" }, "The pass reported none."));
      if (list.omitted) parts.push(omitted(list.omitted, "rewrite"));
      if (list.decisions.length > 0) parts.push(...this.decisions(list));
    }
    this.host.replaceChildren(...parts.filter((x) => x !== null));
    if (focused) this.host.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  private names(names: RuleCount[]): HTMLElement {
    return h("ul", { class: "rw-names", "aria-label": "Names of the rewrites" }, ...names.map((n) => {
      const b = h("button", { type: "button", class: "rw-name", "data-key": `name ${n.name}`, title: "Step through only these" }, n.name, h("span", { class: "num" }, ` ${n.taken}`));
      press(b, this.name === n.name);
      b.addEventListener("click", () => this.choose(this.name === n.name ? "" : n.name));
      return h("li", {}, b);
    }));
  }

  private choose(name: string): void {
    this.name = name;
    const first = this.offered(false)[0];
    if (name && first) this.open(first);
    this.draw();
  }

  // steps are the buttons that lead from one to the next.
  private steps(decisions: boolean): HTMLElement {
    const what = decisions ? "decision" : "rewrite";
    const all = this.offered(decisions);
    const at = all.findIndex((x) => x.key === this.selected);
    const step = (dir: 1 | -1, sign: string): HTMLElement => {
      const title = `${dir > 0 ? "Next" : "Previous"} ${what}`;
      const key = decisions ? (dir > 0 ? "}" : "{") : dir > 0 ? ")" : "(";
      const b = h("button", { type: "button", class: "btn small quiet", "data-key": `${what} ${dir}`, "aria-label": title, title: `${title} (${key})` }, sign);
      b.addEventListener("click", () => this.move(dir, decisions));
      return b;
    };
    return h("div", { class: "rw-steps", role: "group", "aria-label": decisions ? "Decisions" : "Rewrites" },
      step(-1, "↑"), h("span", { class: "num" }, at < 0 ? plural(all.length, what) : `${at + 1} / ${all.length}`), step(1, "↓"));
  }

  // current shows the selected rewrite, or decision.
  private current(decisions: boolean): HTMLElement | null {
    const item = this.items.find((x) => x.key === this.selected && (x.decision !== null) === decisions);
    if (!item) return null;
    const places = (list: Place[], sign: string, tag: "del" | "ins"): HTMLElement[] => list.map((p) => h("div", { class: `rw-side is-${tag}` },
      h("span", { class: "rw-where" }, h("span", { class: "rw-sign", "aria-hidden": "true" }, sign), h("span", { class: "vh" }, tag === "del" ? "before: " : "after: "), where(p, item.func)),
      h("pre", { tabindex: 0, "aria-label": tag === "del" ? "Text before" : "Text after" }, p.text)));
    return h("div", { class: "rw-current" },
      h("p", { class: "rw-title" }, item.name),
      ...places(item.before, "−", "del"), ...places(item.after, "+", "ins"),
      item.from.length > 0 ? h("p", { class: "quiet" }, `from ${item.from.join(", ")}`) : null);
  }

  private decisions(list: Rewrites): (HTMLElement | null)[] {
    const rows = this.offered(true).map((item) => {
      const d = item.decision!;
      const b = h("button", { type: "button", class: "rw-decision", "data-key": item.key, "aria-current": item.key === this.selected ? "true" : null },
        h("span", { class: "rw-where" }, item.before[0] ? where(item.before[0], item.func) : item.func),
        h("span", { class: "rw-rule" }, d.taken ? d.rule : `did not ${d.rule}`), h("span", { class: "rw-reason" }, d.reason));
      b.addEventListener("click", () => this.open(item));
      return h("li", {}, b);
    });
    return [
      h("h4", {}, "Decisions ", h("span", { class: "num" }, String(list.decisions.length + (list.omitted_decisions ?? 0)))),
      this.steps(true),
      h("ul", { class: "rw-decisions", "aria-label": "Decisions" }, ...rows),
      list.omitted_decisions ? omitted(list.omitted_decisions, "decision") : null,
    ];
  }
}

function omitted(n: number, what: string): HTMLElement {
  return h("p", { class: "quiet" }, `${plural(n, what)} more, counted but not listed.`);
}

// where writes a place: "main:12", the function alone where the place has no line.
function where(p: Place, fn: string): string {
  return p.line ? `${p.func}:${p.line}` : p.func || fn;
}

// marker returns what marks the cells of rows that stand in lines.
function marker({ before, after }: Ranges): Marker {
  const inside = (list: [number, number][], line: number | undefined): boolean => line !== undefined && list.some(([from, to]) => from <= line && line <= to);
  return (row, el) => {
    if (row.kind === "head") return;
    const cells = el.querySelectorAll(".tx");
    const old = row.kind !== "add" && inside(before, row.before);
    const now = row.kind !== "del" && inside(after, row.after);
    if (cells.length > 1) {
      cells[0]!.classList.toggle("rewritten", old);
      cells[1]!.classList.toggle("rewritten", now);
    } else cells[0]?.classList.toggle("rewritten", old || now);
  };
}
