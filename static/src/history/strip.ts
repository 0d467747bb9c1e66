// The strip over the whole pipeline: a column for each pass, a lane for each level from the model to code.

import { h, setAttr, setText } from "../widgets/dom";
import { type Entry, type History, type Left, type Level, signs, touched, words } from "./wire";
import { codePath, importPath, type RunModel } from "../store/model";

interface Column {
  path: string;
  name: string;
  entry?: Entry;
  left: Left;
}

const lanes: [Level, string][] = [["graph", "Graph"], ["loops", "Loops"], ["code", "Code"]];

export class Strip {
  readonly root = h("div", { class: "h-strip" });
  private readonly row = h("div", { class: "h-columns", role: "toolbar", "aria-label": "Passes in order" });
  private readonly caption = h("p", { class: "h-caption", id: "history-at" });
  private columns: Column[] = [];
  private selected = -1;

  constructor(private readonly on: { select(path: string, entry: Entry | undefined): void }) {
    this.row.addEventListener("click", (e) => {
      const i = index(e.target);
      if (i >= 0) this.open(i);
    });
    this.row.addEventListener("keydown", (e) => this.key(e));
    for (const event of ["pointerover", "focusin"]) this.row.addEventListener(event, (e) => this.say(index(e.target)));
    this.row.addEventListener("pointerleave", () => this.say(this.selected));
  }

  show(model: RunModel, a: History): void {
    const source = a.roots.some((r) => r.line) ? "Source" : "ONNX";
    this.columns = columnsOf(model, a);
    this.row.replaceChildren(...this.columns.map((c, i) => this.column(c, i, a.tensor ?? false)));
    this.root.replaceChildren(
      h("div", { class: "h-lanes", "aria-hidden": "true" }, ...[source, ...lanes.map(([, name]) => name)].map((name) => h("span", {}, name))),
      h("div", { class: "h-scroll" }, this.row),
      this.caption,
    );
    this.selected = -1;
  }

  // mark shows which pass the page shows.
  mark(path: string): void {
    const i = this.columns.findIndex((c) => c.path === path);
    if (i === this.selected) return;
    this.button(this.selected)?.removeAttribute("aria-current");
    this.selected = i;
    const b = this.button(i);
    if (b) {
      setAttr(b, "aria-current", "step");
      const box = this.row.parentElement!;
      if (b.offsetLeft < box.scrollLeft || b.offsetLeft + b.offsetWidth > box.scrollLeft + box.clientWidth) box.scrollLeft = b.offsetLeft - box.clientWidth / 2;
    }
    this.stop(Math.max(0, i));
    this.say(i);
  }

  focus(): void {
    this.button(Math.max(0, this.selected))?.focus();
  }

  private button(i: number): HTMLElement | null {
    return (this.row.children[i] as HTMLElement | undefined) ?? null;
  }

  // stop makes a column the one that Tab leads to.
  private stop(i: number): void {
    for (const b of this.row.children) setAttr(b, "tabindex", "-1");
    const b = this.button(i);
    if (b) setAttr(b, "tabindex", "0");
  }

  private say(i: number): void {
    const c = this.columns[i];
    setText(this.caption, c ? `${c.path === codePath ? "" : `${i} of ${this.columns.length - 2}: `}${sentence(c)}` : "");
    if (c?.path === importPath) setText(this.caption, sentence(c));
  }

  private open(i: number): void {
    const c = this.columns[i]!;
    this.stop(i);
    this.on.select(c.path, c.entry);
  }

  private key(e: KeyboardEvent): void {
    const i = index(e.target);
    if (i < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
    const last = this.columns.length - 1;
    const events = this.columns.flatMap((c, k) => (c.entry && c.entry.verb !== "same" ? [k] : []));
    const to: Record<string, number | undefined> = {
      ArrowRight: Math.min(last, i + 1), ArrowLeft: Math.max(0, i - 1), Home: 0, End: last,
      ArrowDown: events.find((k) => k > i), ArrowUp: events.findLast((k) => k < i),
    };
    if (!(e.key in to)) return;
    e.preventDefault();
    const k = to[e.key];
    if (k === undefined) return;
    this.stop(k);
    this.button(k)?.focus();
  }

  private column(c: Column, i: number, tensor: boolean): HTMLElement {
    const e = c.entry;
    const wide = e && e.verb !== "same";
    const b = h("button", { type: "button", class: `h-col${wide ? " is-event" : e ? " is-same" : ""}`, tabindex: i === 0 ? 0 : -1, "data-i": i, "data-path": c.path },
      h("span", { class: "vh" }, sentence(c)));
    b.append(cell(c.path === importPath ? "on" : "off", c.path === importPath ? "root" : "", ""));
    const at = wide ? touched(e) : new Set<Level>();
    const died = e?.verb === "died" || e?.verb === "folded";
    for (const [level] of lanes) {
      const apart = level === "graph" && (c.left.params ?? 0) + (c.left.constants ?? 0) + (c.left.shapes ?? 0) + (c.left.memory ?? 0) > 0;
      const alive = (c.left[level] ?? 0) > 0 || (apart && tensor) || (level === "loops" && tensor && (c.left.ports ?? 0) > 0);
      const mark = wide && (at.has(level) || (died && level === "graph" && at.size === 0));
      b.append(cell(alive ? "on" : apart ? "apart" : "off", mark ? e.verb : "", mark ? signs[e.verb] : ""));
    }
    return b;
  }
}

function cell(state: string, verb: string, sign: string): HTMLElement {
  return h("span", { class: `h-cell is-${state}`, "aria-hidden": "true" }, verb ? h("span", { class: `h-sign v-${verb}` }, sign) : null);
}

function index(target: EventTarget | null): number {
  const b = target instanceof Element ? target.closest<HTMLElement>("[data-i]") : null;
  return b ? Number(b.dataset.i) : -1;
}

// columnsOf lists the import, the passes that ran in the order in which they ended, and code generation.
function columnsOf(model: RunModel, a: History): Column[] {
  const entries = new Map(a.entries.map((e) => [e.path, e]));
  const steps = model.all().filter((s) => s.path !== importPath && (entries.has(s.path) || (s.kind !== "sequential" && ["changed", "same", "failed"].includes(s.status))));
  const ended = (s: { seq: number }): number => (s.seq < 0 ? Infinity : s.seq); // the log may be on its way
  steps.sort((x, y) => ended(x) - ended(y) || 0);
  const all: [string, string][] = [[importPath, "import"], ...steps.map((s): [string, string] => [s.path, s.name])];
  if (model.code || entries.has(codePath)) all.push([codePath, "code generation"]);
  let left: Left = {};
  return all.map(([path, name]) => {
    const entry = entries.get(path);
    if (entry) left = entry.left;
    return entry ? { path, name, entry, left } : { path, name, left };
  });
}

// sentence says what a pass did to what the history is about.
function sentence(c: Column): string {
  const parts = ["graph", "loops", "code", "params", "ports", "constants", "shapes", "memory"] as const;
  const left = parts.filter((k) => c.left[k]).map((k) => `${k === "params" || k === "ports" ? `${k === "ports" ? "kernel " : ""}parameters` : k} ${c.left[k]}`).join(", ");
  const what = c.entry ? words[c.entry.verb] : "untouched";
  return `${c.name}: ${what}${left ? ` (${left})` : c.entry ? " (nothing left)" : ""}`;
}
