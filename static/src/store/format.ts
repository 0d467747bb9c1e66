// Numbers for people.

import type { Num } from "../wire";

// time prints nanoseconds with three significant digits: "3.12 ms".
export function time(ns: number): string {
  if (ns < 999.5) return `${Math.round(ns)} ns`;
  if (ns < 999.5e3) return `${digits(ns / 1e3)} µs`;
  if (ns < 999.5e6) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

// digits prints three significant digits; what is rounded up to the next power of ten has no more.
function digits(x: number): string {
  return x.toFixed(x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2);
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytes(n: number): string {
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${i === 0 ? n : digits(n)} ${units[i]}`;
}

// big prints a count in short form: "1.82 G".
export function big(n: number): string {
  if (n < 1e4) return String(n);
  if (n < 1e6) return `${digits(n / 1e3)} k`;
  if (n < 1e9) return `${digits(n / 1e6)} M`;
  return `${digits(n / 1e9)} G`;
}

export function number(x: Num): string {
  if (typeof x !== "number") return x === "Infinity" ? "∞" : x === "-Infinity" ? "−∞" : x;
  if (Number.isInteger(x) && Math.abs(x) < 1e9) return String(x);
  const a = Math.abs(x);
  return a !== 0 && (a < 1e-4 || a >= 1e7) ? x.toExponential(3) : x.toPrecision(5).replace(/\.?0+$/, "");
}

export function plural(n: number, word: string): string {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

export function shortOp(name: string): string {
  return name.replace(/^relax\./, "");
}

// byNumber sorts by name as people count: conv2 before conv10.
export function byNumber<T extends { name: string }>(list: T[]): T[] {
  const order = new Intl.Collator("en", { numeric: true });
  return [...list].sort((a, b) => order.compare(a.name, b.name));
}

// messageOf returns the words of what was thrown.
export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
