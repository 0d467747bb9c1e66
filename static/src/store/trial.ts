// What passes would do behind a step, in words, and the order in which the server is asked.

import type { Tried } from "../wire";

// would says what a pass would do: "would change 6 of 56 functions".
export function would(t: Tried): string {
  if (t.skipped) return `would not run: ${t.skipped}`;
  if (t.error) return `would fail: ${t.error}`;
  if (t.changed.length === 0) return "would change nothing";
  return `would change ${t.changed.length} of ${Math.max(t.functions, t.changed.length)} ${Math.max(t.functions, t.changed.length) === 1 ? "function" : "functions"}`;
}

// atOnce is how many passes one request asks about.
const atOnce = 4;

// Trials asks what passes would do, a few at a time, those that are wanted first. It ends when it is told to, and after the first failure:
// the server may be busy.
export class Trials {
  private readonly known = new Map<string, Tried>();
  private wanted: string[] = [];
  private busy = false;
  private ended = false;

  // ask asks the server, which may answer for fewer; told is called after each answer.
  constructor(private readonly ask: (names: string[]) => Promise<Tried[]>, private readonly told: () => void) {}

  of(name: string): Tried | undefined {
    return this.known.get(name);
  }

  // want sets what is wanted, the most first. What is asked for already is waited for.
  want(names: string[]): void {
    this.wanted = names;
    void this.next();
  }

  end(): void {
    this.ended = true;
  }

  private async next(): Promise<void> {
    const names = this.wanted.filter((n) => !this.known.has(n)).slice(0, atOnce);
    if (this.busy || this.ended || names.length === 0) return;
    this.busy = true;
    try {
      const list = await this.ask(names);
      for (const t of list) this.known.set(t.name, t);
      if (list.length === 0) this.ended = true;
    } catch {
      this.ended = true;
    }
    this.busy = false;
    this.told();
    void this.next();
  }
}
