// What is said of a presentation: the state that a presenter sends, and how often.

import type { Presented } from "../wire";
import { formatState, type State } from "./state";

// queryOf is the state as presenters send it: as in an address, and the form of lines, which an address leaves out.
export function queryOf(s: State): string {
  const query = formatState(s);
  return s.form === "compact" ? `${query}&form=compact` : query;
}

// textOf names the text that a query leads to. Two places in one text differ only in how far it is scrolled.
export function textOf(query: string): string {
  const q = new URLSearchParams(query);
  return JSON.stringify(["run", "pass", "function", "view", "form", "column"].map((name) => q.getAll(name)));
}

// placeName says where a place is in a few words: the pass and the function.
export function placeName(at: Presented | undefined): string {
  const q = new URLSearchParams(at?.query ?? "");
  const pass = q.get("pass") ?? "";
  return [pass.slice(pass.indexOf("/") + 1), q.get("function") ?? ""].filter(Boolean).join(" › ");
}

// Pace hands on the latest of many values: the first at once, then one for each stretch of time, the last always.
export class Pace<T> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest: { value: T } | null = null;

  // every is the stretch of time in ms.
  constructor(private readonly every: number, private readonly send: (value: T) => void) {}

  push(value: T): void {
    this.latest = { value };
    if (this.timer === undefined) this.flush();
  }

  // stop forgets what is still to be handed on.
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.latest = null;
  }

  private flush(): void {
    this.timer = undefined;
    if (!this.latest) return;
    const { value } = this.latest;
    this.latest = null;
    this.timer = setTimeout(() => this.flush(), this.every);
    this.send(value);
  }
}
