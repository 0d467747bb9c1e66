import assert from "node:assert/strict";
import { test } from "node:test";

import { measureOf } from "../store/measures";
import type { ComparedRow, Metrics } from "../wire";
import { after, differing } from "./metrics";

const metrics = (kernels: number): Metrics => ({ functions: kernels + 1, kernels, flops: 0, constant_bytes: 0, intermediate_bytes: 0 });
const step = (name: string, kernels?: number): ComparedRow["a"] => ({ path: `1/${name}`, name, status: kernels === undefined ? "same" : "changed", ...(kernels === undefined ? {} : { metrics: metrics(kernels) }) });

test("a step that changed nothing leaves the metrics before it, and rows are listed where the difference is another", () => {
  const rows: ComparedRow[] = [
    { a: step("import", 0)!, b: step("import", 0)!, differ: 0 },
    { a: step("LegalizeOps", 9)!, b: step("LegalizeOps", 9)!, differ: 0 },
    { a: step("FuseOps", 4)!, b: step("FuseOps")!, differ: 3 },
    { a: step("Same")!, b: step("Same")!, differ: 3 },
    { b: step("Only", 5)!, differ: 3 },
    { a: step("End", 5)!, differ: 0 },
  ];
  const pairs = after({ rows });
  assert.deepEqual(pairs.map((p) => p.map((m) => m?.kernels)), [[0, 0], [9, 9], [4, 9], [4, 9], [4, 5], [5, 5]]);
  assert.deepEqual(differing(pairs, measureOf("kernels")), [2, 4]);
  assert.deepEqual(differing(after({ rows: [{ a: step("x", 1)!, differ: 1 }] }), measureOf("kernels")), [0]);
});
