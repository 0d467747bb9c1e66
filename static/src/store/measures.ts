// What metrics count, of a module or of one function.

import { big, bytes, shortOp } from "./format";
import type { FunctionMetrics, Metrics } from "../wire";

export interface Measure {
  // key names the measure: a field of the metrics, or an operator behind "op:".
  key: string;
  name: string;
  of(m: Partial<Metrics>): number;
  print(n: number): string;
  // whole tells that only a module has it.
  whole?: boolean;
}

// ops adds up the operators.
function ops(m: FunctionMetrics): number {
  let n = 0;
  for (const v of Object.values(m.ops ?? {})) n += v;
  return n;
}

export const measures: Measure[] = [
  { key: "functions", name: "Functions", of: (m) => m.functions ?? 0, print: big, whole: true },
  { key: "kernels", name: "Kernels", of: (m) => m.kernels ?? 0, print: big, whole: true },
  { key: "ops", name: "Graph operators", of: ops, print: big },
  { key: "bindings", name: "Bindings", of: (m) => m.bindings ?? 0, print: big },
  { key: "calls", name: "Calls", of: (m) => m.calls ?? 0, print: big },
  { key: "loops", name: "Loops", of: (m) => m.loops ?? 0, print: big },
  { key: "blocks", name: "Blocks", of: (m) => m.blocks ?? 0, print: big },
  { key: "buffers", name: "Buffers", of: (m) => m.buffers ?? 0, print: big },
  { key: "flops", name: "FLOPs", of: (m) => m.flops ?? 0, print: big },
  { key: "constant_bytes", name: "Constants", of: (m) => m.constant_bytes ?? 0, print: bytes },
  { key: "intermediate_bytes", name: "Intermediates", of: (m) => m.intermediate_bytes ?? 0, print: bytes },
];

// ofOperator counts one operator.
export function ofOperator(op: string): Measure {
  return { key: `op:${op}`, name: shortOp(op), of: (m) => m.ops?.[op] ?? 0, print: big };
}

// measureOf finds a measure by its key.
export function measureOf(key: string): Measure {
  return key.startsWith("op:") ? ofOperator(key.slice(3)) : (measures.find((m) => m.key === key) ?? measures[2]!);
}

// change prints a difference with its sign.
export function change(m: Measure, before: number, after: number): string {
  if (before === after) return "";
  return `${after > before ? "+" : "−"}${m.print(Math.abs(after - before))}`;
}
