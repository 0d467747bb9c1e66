// Whole texts as a source of rows.

import { api } from "./api";
import { Pages } from "./pages";
import type { Row, Source } from "./source";
import type { CompactLine, Form, Span } from "../wire";

export interface Part {
  title: string;
  hash: string;
  lines: number;
}

// TextSource shows whole texts, one after the other, each under its title where there are several.
export class TextSource implements Source {
  readonly split = false;
  readonly total: number;
  readonly digits: number;
  private readonly starts: number[] = [];
  private readonly pages: Pages<{ text: Span[]; compact?: CompactLine }>[];
  private readonly head: number;

  // open fetches the number of lines where it is not known (0).
  static async open(parts: Part[], form: Form, signal: AbortSignal): Promise<TextSource> {
    const known = parts.map(async (p) => (p.lines > 0 ? p : { ...p, lines: (await api.text(p.hash, form, 1, 1, signal)).lines }));
    return new TextSource(await Promise.all(known), form);
  }

  private constructor(private readonly parts: Part[], form: Form) {
    this.head = parts.length > 1 ? 1 : 0;
    let n = 0;
    for (const p of parts) {
      this.starts.push(n);
      n += p.lines + this.head;
    }
    this.total = n;
    this.digits = String(Math.max(1, ...parts.map((p) => p.lines))).length;
    this.pages = parts.map((p) => new Pages(async (from, count) => {
      const { rows, compact } = await api.text(p.hash, form, from + 1, count);
      return rows.map((text, i) => ({ text, ...(compact?.[i] ? { compact: compact[i] } : {}) }));
    }));
  }

  hunks(): { row: number; rows: number }[] {
    return this.head ? this.starts.map((row, k) => ({ row, rows: this.parts[k]!.lines })) : [];
  }

  get(i: number): Row | undefined {
    const k = this.partAt(i);
    const row = i - this.starts[k]! - this.head;
    if (row < 0) return { kind: "head", title: this.parts[k]!.title };
    const line = this.pages[k]!.get(row);
    return line && { kind: "same", after: row + 1, ...line };
  }

  async load(from: number, to: number): Promise<boolean> {
    const waits: Promise<boolean>[] = [];
    for (let k = this.partAt(from); k < this.parts.length && this.starts[k]! < to; k++) {
      const first = this.starts[k]! + this.head;
      const a = Math.max(0, from - first);
      const b = Math.min(this.parts[k]!.lines, to - first);
      if (a < b) waits.push(this.pages[k]!.load(a, b));
    }
    return (await Promise.all(waits)).includes(true);
  }

  rowOfLine(line: number): Promise<number> {
    return Promise.resolve(this.head || line > this.total ? -1 : line - 1);
  }

  private partAt(i: number): number {
    let lo = 0;
    let hi = this.starts.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.starts[mid]! <= i) lo = mid;
      else hi = mid - 1;
    }
    return lo;
  }
}
