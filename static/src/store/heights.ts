// Heights of rows of which few have been measured, as a Fenwick tree: the top of a row, the row at a distance, and a new height take
// time in the logarithm of the number of rows.

export class Heights {
  private readonly sums: Float64Array;
  private readonly own: Float64Array;
  private readonly step: number;

  // Each of n rows has the height of a line until set says another, but for the first kept ones, which have those of known.
  constructor(readonly n: number, line: number, known?: Heights, kept = 0) {
    this.own = new Float64Array(n).fill(line);
    if (known) this.own.set(known.own.subarray(0, Math.min(kept, n)));
    this.sums = new Float64Array(n + 1);
    for (let i = 1; i <= n; i++) {
      this.sums[i]! += this.own[i - 1]!;
      const next = i + (i & -i);
      if (next <= n) this.sums[next]! += this.sums[i]!;
    }
    let step = 1;
    while (2 * step <= n) step *= 2;
    this.step = step;
  }

  of(i: number): number {
    return this.own[i] ?? 0;
  }

  // set gives row i a height; it returns by how much it grew.
  set(i: number, height: number): number {
    const grown = height - this.of(i);
    if (grown === 0 || i < 0 || i >= this.n) return 0;
    this.own[i] = height;
    for (let k = i + 1; k <= this.n; k += k & -k) this.sums[k]! += grown;
    return grown;
  }

  // top is the distance of row i from the first; that of row n is the height of all.
  top(i: number): number {
    let sum = 0;
    for (let k = Math.min(i, this.n); k > 0; k -= k & -k) sum += this.sums[k]!;
    return sum;
  }

  // at is the row that covers a distance from the first; n beyond the last.
  at(distance: number): number {
    let row = 0;
    let left = distance;
    for (let step = this.step; step > 0; step >>= 1) {
      const next = row + step;
      if (next <= this.n && this.sums[next]! <= left) {
        row = next;
        left -= this.sums[next]!;
      }
    }
    return row;
  }
}
