// What a step took, in words: its total is its own time and the totals of the steps in it. What was measured in an earlier run, because it
// is reused, bears a sign.

import { time } from "./format";
import type { Step } from "./model";

type Timed = Pick<Step, "measured" | "reused"> & { children: Timed[] };

// took is the time of a step for its row, and the same in a sentence where there is more to say; both are empty where it took none.
export function took(step: Timed): [row: string, words: string] {
  const { total, earlier = 0 } = step.measured;
  if (total === undefined) return ["", ""];
  if (step.reused) return [`↺ ${time(total)}`, "reused from an earlier run"];
  if (earlier <= 0) return [time(total), ""];
  const fresh = total - earlier;
  return [ran(step) ? `${time(fresh)} + ↺ ${time(earlier)}` : `↺ ${time(total)}`, `${time(total)}: ${time(fresh)} in this run, ${time(earlier)} in earlier ones`];
}

// ran tells whether a step that is in another one was computed in this run; finding the others again took little.
function ran(step: Timed): boolean {
  return step.children.some((inner) => (inner.children.length > 0 ? ran(inner) : !inner.reused && inner.measured.total !== undefined));
}
