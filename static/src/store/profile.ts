// What a profile says, by kernel: the calls of one kernel are one row, and the rows, the rest, and nothing else are the time of a run.

import type { Profile } from "./model";
import type { MachineLimit, ProfiledCall } from "../wire";

export interface Row {
  name: string;
  kernel: boolean;
  calls: number;
  // time and best are nanoseconds of one run.
  time: number;
  best: number;
  // flops has the operations on bytes, too, of which there are byteOps.
  flops: number;
  byteOps: number;
  special: number;
  bytes: number;
  // ideal is the least time at the limit of the machine; 0 where that is not known.
  ideal: number;
  // bound tells that the operations are at most these, partial that some were not counted.
  bound: boolean;
  partial: boolean;
}

export interface Summary {
  runs: number;
  median: number;
  best: number;
  // kernels are sorted by time; the rest is what runs between them.
  kernels: Row[];
  rest: Row[];
  flops: number;
  special: number;
  bytes: number;
  limit: MachineLimit | null;
}

function row(name: string, kernel: boolean, time = 0): Row {
  return { name, kernel, calls: 0, time, best: time, flops: 0, byteOps: 0, special: 0, bytes: 0, ideal: 0, bound: false, partial: false };
}

function add(to: Row, call: ProfiledCall, median: number, best: number, ideal: number): void {
  to.calls += call.count;
  to.time += median;
  to.best += best;
  const ofBytes = call.byte_ops ?? 0;
  to.flops += (call.flops ?? 0) + ofBytes;
  to.byteOps += ofBytes;
  to.special += call.special ?? 0;
  to.bytes += (call.read ?? 0) + (call.written ?? 0);
  to.ideal += ideal;
  to.bound ||= call.bound ?? false;
  to.partial ||= call.partial ?? false;
}

// summarize adds up the calls of a profile; null where no time was measured.
export function summarize({ body, times }: Profile): Summary | null {
  if (!times) return null;
  const kernels = new Map<string, Row>();
  const packed = row("packed functions", false);
  body.calls.forEach((call, i) => {
    const { median = 0, best = 0, ideal = 0 } = times.calls[i] ?? {};
    if (!call.kernel) return add(packed, call, median, best, 0);
    let to = kernels.get(call.name);
    if (!to) kernels.set(call.name, (to = row(call.name, true)));
    add(to, call, median, best, ideal);
  });
  const sorted = [...kernels.values()].sort((a, b) => b.time - a.time);
  const sum = (of: (r: Row) => number): number => sorted.reduce((n, r) => n + of(r), 0);
  return {
    runs: times.runs, median: times.median, best: times.best, kernels: sorted,
    rest: [
      packed, row("copies of inputs and outputs", false, times.copies), row("virtual machine", false, times.machine),
      ...(times.other ? [row("interruptions by other work on the server", false, times.other)] : []),
    ],
    flops: sum((r) => r.flops), special: sum((r) => r.special), bytes: sum((r) => r.bytes), limit: times.limit ?? null,
  };
}

// shares returns the share of each kernel in the time of a run, by name, from 0 to 1; empty where nothing was measured.
export function shares(profiles: readonly Profile[]): Map<string, number> {
  const all = profiles.map(summarize).find((s) => s !== null);
  return new Map(all && all.median > 0 ? all.kernels.map((k) => [k.name, k.time / all.median]) : []);
}

// percent prints a share from 0 to 1: "24 %", "7.0 %".
export function percent(of: number): string {
  return `${(100 * of).toFixed(of < 0.0995 ? 1 : 0)} %`;
}
