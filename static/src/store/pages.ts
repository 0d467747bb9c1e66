// Rows that are fetched in windows.

export const windowSize = 400;

// Pages keeps windows of rows and asks for each once at a time.
export class Pages<T> {
  private readonly rows = new Map<number, T>();
  private readonly asked = new Map<number, Promise<void>>();

  constructor(private readonly fetch: (from: number, count: number) => Promise<T[]>) {}

  get(i: number): T | undefined {
    return this.rows.get(i);
  }

  put(from: number, rows: T[]): void {
    rows.forEach((row, k) => this.rows.set(from + k, row));
  }

  // load makes sure that [from, to) is there; it resolves to true where something was missing.
  async load(from: number, to: number): Promise<boolean> {
    const waits: Promise<void>[] = [];
    for (let p = Math.floor(from / windowSize); p * windowSize < to; p++) {
      const a = Math.max(from, p * windowSize);
      const b = Math.min(to, (p + 1) * windowSize);
      let missing = false;
      for (let i = a; i < b && !missing; i++) missing = !this.rows.has(i);
      if (!missing) continue;
      let ask = this.asked.get(p);
      if (!ask) {
        ask = this.fetch(p * windowSize, windowSize)
          .then((rows) => this.put(p * windowSize, rows))
          .finally(() => this.asked.delete(p));
        this.asked.set(p, ask);
      }
      waits.push(ask);
    }
    await Promise.all(waits);
    return waits.length > 0;
  }
}
