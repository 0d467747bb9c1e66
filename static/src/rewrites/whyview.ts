// Why a step changed lines, or left them alone: at each hunk of a diff and at the chosen line a button, and behind it the rewrites and
// decisions of the step whose places lie there.

import { plural } from "../store/format";
import { importPath, type Step } from "../store/model";
import { about, became, type Found, type Item, items, joined, type Ranges, reasons, spanOf } from "../store/rewrites";
import type { Session } from "../store/session";
import { Excerpts } from "./excerpt";
import { inBoth } from "./lines";
import type { Row } from "../store/source";
import type { CodeView } from "../widgets/codeview";
import { announce, byId, h, tell } from "../widgets/dom";
import { Popover, type Spot } from "../widgets/popover";
import type { Rewrites } from "../wire";
import type { Records } from "../store/records";

// mostRows is how many rows of a run of changes are looked at, window so many at a time.
const mostRows = 5000;
const window = 400;
// mostItems is how many rewrites, and decisions, a list shows.
const mostItems = 40;

// Asked is a stretch of text that the reader asks about.
interface Asked {
  lines: Ranges;
  title: string;
}

export class WhyView {
  private readonly popover: Popover;
  // asked counts questions: the answer to an earlier one comes too late.
  private asked = 0;
  private shown = "";
  private excerpts: Excerpts | null = null;

  constructor(private readonly store: Session, private readonly code: CodeView, private readonly records: Records, private readonly select: (item: Item) => void) {
    this.popover = new Popover("why", code.scroller, () => {
      this.asked++;
      this.excerpts?.close();
    });
    code.markers.push((row, el, i) => this.mark(row, el, i));
    code.scroller.addEventListener("click", (e) => {
      const b = (e.target as Element).closest<HTMLElement>(".why");
      if (!b) return;
      e.stopPropagation();
      const source = code.shown;
      const i = indexOf(b.closest<HTMLElement>(".code-row")!);
      void Promise.resolve(code.coming).then(() => { // the rows of a text that is left are of another pass
        if (code.shown === source) void this.ask(b.dataset.hunk !== undefined ? this.changesAt(i) : this.lineAt(i), b.getBoundingClientRect());
      });
    }, true);
    code.redraw();
  }

  // follow closes the answer when the page goes on to another place.
  follow(): void {
    const { state, fn } = this.store;
    const key = [state.run, state.pass, state.view, fn].join(" ");
    if (key !== this.shown) this.popover.hide();
    this.shown = key;
  }

  // here answers for the chosen line, or the first changes in view, as soon as the text of the pass is there.
  async here(): Promise<void> {
    const { code } = this;
    await code.coming;
    if (!this.step()) return tell("Choose a pass that has run, and a diff or the IR");
    if (code.scroller.hidden) return void this.whole(this.step()!);
    const rows = [...code.scroller.querySelectorAll<HTMLElement>(".code-row")];
    const line = rows.find((el) => el.classList.contains("at-line"));
    const top = code.scroller.getBoundingClientRect().top;
    const el = line ?? rows.find((x) => x.querySelector(".why[data-hunk]") && x.getBoundingClientRect().top >= top);
    if (!el) return tell("Choose a line by its number first, or a diff with changes");
    void this.ask(line ? this.lineAt(indexOf(el)) : this.changesAt(indexOf(el)), rowSpot(el, code));
  }

  // whole answers for a step that changed nothing: why it did not, wherever it considered something.
  private async whole(step: Step): Promise<void> {
    const n = ++this.asked;
    const spot = (byId("code").querySelector(".empty .btn:last-of-type") ?? byId("code")).getBoundingClientRect();
    const open = (...body: (HTMLElement | null)[]): void => {
      if (n === this.asked) this.popover.show(`Why ${step.name} changed nothing`, spot, [h("p", { class: "why-title" }, h("strong", {}, step.name), " changed nothing"), ...body], byId("code"));
    };
    try {
      const list = await this.records.of(this.store.model.id, step);
      const found = reasons(items(list));
      if (found.length === 0) return open(h("p", {}, "It reports no decision: no rule of it found a place to consider."));
      open(h("ul", { class: "why-items" }, ...found.slice(0, mostItems).map((r) => {
        const b = h("button", { type: "button", class: `why-item${r.taken ? "" : " is-not"}` }, h("span", { class: "why-rule" }, r.taken ? r.rule : `did not ${r.rule}`), h("span", { class: "why-reason" }, r.reason), h("span", { class: "why-line num" }, `${r.count}×`));
        b.addEventListener("click", () => {
          this.popover.hide();
          this.select(r.first);
        });
        return h("li", {}, b);
      })));
    } catch (err) {
      open(h("p", { class: "note error" }, err instanceof Error ? err.message : String(err)));
    }
  }

  // atLine answers for a line of the text after the step, or before it.
  atLine(line: number, before: boolean, spot: Spot): void {
    void this.ask(this.ofLine(line, before), spot);
  }

  // step is the one whose text the middle shows; null where it shows none that a pass made.
  private step(): Step | null {
    const step = this.store.selected();
    const text = this.store.view.text;
    return step?.finished && step.kind !== "sequential" && step.path !== importPath && text !== undefined && this.store.compiler ? step : null;
  }

  private mark(row: Row, el: HTMLElement, i: number): void {
    if (!this.step()) return;
    const head = changed(row) && !changed(this.code.shown?.get(i - 1));
    if (!head && !el.classList.contains("at-line")) return;
    const title = head ? "Why: what the pass did here" : "Why the pass did this, or did not";
    el.append(h("span", { class: "why-cell", role: "cell" },
      h("button", { type: "button", class: "why", tabindex: -1, title: `${title}  y`, "aria-label": title, "data-hunk": head ? "" : null }, "why")));
  }

  // changesAt finds the lines of the changed rows from one on.
  private async changesAt(row: number): Promise<Asked> {
    const source = this.code.shown!;
    const rows: { before?: number; after?: number }[] = [];
    for (let i = row; i < Math.min(source.total, row + mostRows); i++) {
      if (!source.get(i)) await source.load(i, Math.min(source.total, i + window));
      const r = source.get(i);
      if (!changed(r)) break;
      rows.push(numbers(r));
    }
    const lines = spanOf(rows);
    const [from, to] = lines.after[0] ?? lines.before[0] ?? [0, 0];
    return { lines, title: from === to ? `line ${from}` : `lines ${from} to ${to}` };
  }

  private lineAt(row: number): Promise<Asked> {
    const r = this.code.shown?.get(row);
    const line = r?.after ?? r?.before ?? 0;
    if (this.store.view.text !== "diff" || !r || r.kind === "head") return this.ofLine(line, false);
    return Promise.resolve({ lines: spanOf([numbers(r)]), title: `line ${line}` });
  }

  // ofLine finds the line in both texts: a place that a decision names is in the text before the step.
  private async ofLine(line: number, before: boolean): Promise<Asked> {
    const change = this.store.selected()?.finished?.functions.find((f) => f.name === this.store.fn);
    return { lines: spanOf([await inBoth(change, line, before ? "before" : "after")]), title: `line ${line}${before ? " before the pass" : ""}` };
  }

  private async ask(asking: Promise<Asked>, spot: Spot): Promise<void> {
    const { store } = this;
    const step = this.step();
    if (!step) return;
    const n = ++this.asked;
    const { fn } = store;
    const home = this.code.scroller;
    const open = (title: string, ...body: (HTMLElement | null)[]): void => {
      if (n !== this.asked) return;
      this.popover.show(`Why: ${step.name}, ${fn}`, spot, [h("p", { class: "why-title" }, h("strong", {}, step.name), ` in ${fn}${title && `, ${title}`}`), ...body], home);
    };
    const timer = setTimeout(() => open("", h("p", { class: "quiet" }, step.finished?.rewrites ? "Reading…" : "Running the pass again to hear why…")), 120);
    try {
      const [asked, list] = await Promise.all([asking, this.records.of(store.model.id, step)]);
      const changed = step.finished?.functions.some((f) => f.name === fn) ?? false;
      const found = about(joined(items(list)), fn, asked.lines, changed);
      const excerpts = new Excerpts(store.model, step, store.state.form);
      await excerpts.load([...found.here, ...found.around].slice(0, mostItems));
      clearTimeout(timer);
      if (n !== this.asked) return;
      this.excerpts?.close();
      this.excerpts = excerpts;
      open(asked.title, ...this.answer(step, list, found));
      announce(found.here.length > 0 ? `${plural(found.here.length, "reason")} given` : `${step.name} reports nothing about this place`);
    } catch (err) {
      clearTimeout(timer);
      open("", h("p", { class: "note error" }, err instanceof Error ? err.message : String(err)));
    }
  }

  private answer(step: Step, list: Rewrites, { here, around }: Found): (HTMLElement | null)[] {
    const did = here.filter((x) => x.decision === null || x.decision.taken);
    const didNot = here.filter((x) => x.decision !== null && !x.decision.taken);
    const part = (title: string, all: Item[]): HTMLElement[] => (all.length === 0 ? [] : [
      h("p", { class: "why-part" }, title),
      h("ul", { class: "why-items" }, ...all.slice(0, mostItems).map((x) => h("li", {}, ...this.item(x)))),
      ...(all.length > mostItems ? [h("p", { class: "quiet" }, `${all.length - mostItems} more; the inspector lists all of them.`)] : []),
    ]);
    const alone = around.length > 0 ? " alone" : ": no rule of it was applied or considered here";
    const nothing = here.length === 0 ? [h("p", {}, `${step.name} reports nothing about this place${alone}.`)] : [];
    const rules = list.rules.map((r) => `${r.name} ${r.taken + (r.declined ?? 0)}×`);
    const names = list.names.map((r) => `${r.name} ${r.taken}×`);
    const whole = here.length + around.length === 0
      ? [h("p", { class: "quiet" }, names.length + rules.length > 0 ? `In the whole module: ${[...names, ...rules].join(", ")}.` : "It reports nothing about the rest of the module either.")] : [];
    const unlisted = (list.omitted ?? 0) + (list.omitted_decisions ?? 0);
    return [
      ...part("Did", did), ...part("Did not", didNot), ...nothing, ...part("Around it", around), ...whole,
      unlisted > 0 ? h("p", { class: "quiet" }, `The pass reported ${plural(unlisted, "thing")} more than is listed.`) : null,
    ];
  }

  // item is a button that leads to the lines of an item, and these lines.
  private item(x: Item): HTMLElement[] {
    const d = x.decision;
    const place = x.before.concat(x.after).find((p) => p.func === this.store.fn && p.line) ?? x.before[0] ?? x.after[0];
    const lines = this.excerpts?.show(x) ?? null;
    const text = lines ? "" : became(x);
    const b = h("button", { type: "button", class: `why-item${d && !d.taken ? " is-not" : ""}` },
      h("span", { class: "why-rule" }, d && !d.taken ? `did not ${d.rule}` : x.name),
      d ? h("span", { class: "why-reason" }, d.reason) : h("span", { class: "why-reason" }, counted(x)),
      text ? h("code", { class: "why-code" }, text) : null,
      place?.line ? h("span", { class: "why-line num" }, `${place.func === this.store.fn ? "" : `${place.func}:`}${place.line}`) : null);
    b.addEventListener("click", () => {
      this.popover.hide();
      this.select(x);
    });
    return lines ? [b, lines] : [b];
  }
}

type ChangedRow = Extract<Row, { kind: "add" | "del" | "mod" }>;

// changed tells whether a row shows what the step changed.
function changed(row: Row | undefined): row is ChangedRow {
  return row?.kind === "add" || row?.kind === "del" || row?.kind === "mod";
}

// numbers are the lines that a row shows, of each text.
function numbers(r: Exclude<Row, { kind: "head" }>): { before?: number; after?: number } {
  return { ...(r.kind !== "add" && r.before !== undefined && { before: r.before }), ...(r.kind !== "del" && r.after !== undefined && { after: r.after }) };
}

function indexOf(row: HTMLElement): number {
  return Number(row.getAttribute("aria-rowindex")) - 1;
}

// counted says how many places a rewrite took and made.
function counted(x: Item): string {
  const { length: was } = x.before;
  const { length: is } = x.after;
  if (was === 0) return "added";
  if (is === 0) return "removed";
  return was === 1 && is === 1 ? "" : `${was} became ${is}`;
}

// rowSpot is where the text of a row begins.
function rowSpot(el: HTMLElement, code: CodeView): Spot {
  const { top, bottom } = el.getBoundingClientRect();
  const left = el.querySelector(".tx")?.getBoundingClientRect().left ?? 0;
  return { left: Math.max(left, code.scroller.getBoundingClientRect().left + 80), top, bottom };
}
