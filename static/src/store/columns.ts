// The passes whose texts stand side by side: those that the reader keeps, and the selected one.

import { ended, importPath, type RunModel, type Step } from "./model";

// mostKept is how many passes can be kept: with the selected one there are four columns.
export const mostKept = 3;

// columnsOf lists the steps of the columns in the order of the run. Where the reader keeps none, the last step before the selected one that
// changed the function stands beside it.
export function columnsOf(model: RunModel, kept: readonly string[], selected: Step | null, fn: string): Step[] {
  const order = [...model.steps.values()].filter((s) => ended(s) && s.kind !== "sequential" || s.path === importPath);
  const wanted = new Set(kept.filter((path) => path !== selected?.path).slice(-mostKept));
  if (wanted.size === 0) {
    const last = before(order, selected, fn);
    if (last) wanted.add(last.path);
  }
  return order.filter((s) => wanted.has(s.path) || s === selected);
}

// before is the last step before another one that changed a function; the imported module where none did.
function before(order: Step[], selected: Step | null, fn: string): Step | undefined {
  const end = selected ? order.indexOf(selected) : order.length;
  const earlier = order.slice(0, end < 0 ? order.length : end);
  return earlier.findLast((s) => s.path === importPath || s.finished?.functions.some((f) => f.name === fn));
}
