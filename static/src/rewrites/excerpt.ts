// The lines of the texts around a step that rewrites and decisions are about, in the form in which the page shows lines.

import { api } from "../store/api";
import type { RunModel, Step } from "../store/model";
import { Pages } from "../store/pages";
import { type Excerpt, type ExcerptLine, excerpt, type Item } from "../store/rewrites";
import { h } from "../widgets/dom";
import { Painter } from "../widgets/paint";
import type { CompactLine, Form, Span } from "../wire";

// few is how many lines of an item are shown at first, of what went and of what came.
const few = 2;

interface Line {
  text: Span[];
  compact: CompactLine | null;
}

// Excerpts reads the texts before and after a step as far as items need them. It must be closed.
export class Excerpts {
  private readonly texts = new Map<string, Pages<Line>>();
  private readonly painter = new Painter();
  private painted = 0;

  constructor(private readonly model: RunModel, private readonly step: Step, private readonly form: Form) {}

  close(): void {
    for (let i = 0; i < this.painted; i++) this.painter.forget(i);
  }

  // load reads the lines of items; of what cannot be read there are none.
  async load(items: Item[]): Promise<void> {
    const lines = items.flatMap((x) => excerpt(x, () => undefined));
    await Promise.all(lines.map((l) => this.text(l)?.load(l.line - 1, l.line).catch(() => false)));
  }

  // show makes the lines of an item; null where they say less than its own text does: where it is about a part of a line.
  show(x: Item): HTMLElement | null {
    const all = excerpt(x, (l) => this.printed(l));
    if (all.length === 0 || all.some((l) => l.part || !this.line(l))) return null;
    const before = all.filter((l) => l.sign !== "+");
    const after = all.filter((l) => l.sign === "+");
    const host = h("div", { class: "why-lines" });
    const left = before.length + after.length - Math.min(few, before.length) - Math.min(few, after.length);
    const fill = (most: number): void => host.replaceChildren(...[before, after].flatMap((part) => part.slice(0, most).map((l) => this.row(l))));
    // One line more takes no more room than what says that it is there.
    if (left <= 1) {
      fill(Infinity);
      return host;
    }
    fill(few);
    const more = h("button", { type: "button", class: "why-more" }, `${left} more lines`);
    more.addEventListener("click", () => {
      fill(Infinity);
      host.tabIndex = -1;
      host.focus({ preventScroll: true });
    });
    host.append(more);
    return host;
  }

  private row(l: ExcerptLine): HTMLElement {
    const code = h("code", {});
    const { text } = this.line(l)!;
    const [first, ...rest] = text;
    this.painter.text(this.painted++, code, first ? [[first[0], first[1].trimStart(), first[2]] as Span, ...rest] : text, "");
    const sign = { "-": "−", "+": "+", "": "" }[l.sign];
    return h("div", { class: `why-text${l.sign === "-" ? " is-del" : l.sign === "+" ? " is-add" : ""}` }, h("span", { class: "why-sign" }, sign), code);
  }

  private printed(l: Excerpt): string | undefined {
    const line = this.line(l);
    return line && (line.compact?.exact ?? line.text.map((s) => s[1]).join(""));
  }

  private line(l: Excerpt): Line | undefined {
    return this.text(l)?.get(l.line - 1);
  }

  // text is the text of a function before or after the step.
  private text(l: Excerpt): Pages<Line> | null {
    const change = this.step.finished?.functions.find((f) => f.name === l.fn);
    const hash = change ? change[l.side] : this.model.functionsAt(this.step).find((f) => f.name === l.fn)?.text;
    if (!hash) return null;
    let pages = this.texts.get(hash);
    if (!pages) {
      pages = new Pages(async (from, count) => {
        const { rows, compact } = await api.text(hash, this.form, from + 1, count);
        return rows.map((text, i) => ({ text, compact: compact?.[i] ?? null }));
      });
      this.texts.set(hash, pages);
    }
    return pages;
  }
}
