import assert from "node:assert/strict";
import { test } from "node:test";
import { RunModel } from "./model";
import { tailOfPass, tails } from "./names";
import { blocks, height, phaseOf, stretches } from "./phases";
import { change as changed, finished, plan, started } from "./testing";
import type { WireEvent } from "../wire";

test("passes that follow each other in one phase stand together, in their order", () => {
  const m = new RunModel("r");
  m.apply([started(plan("1/default", "1.1/FuseOps", "1.2/user.Mine", "1.3/CallTIRRewrite", "1.4/tir.Simplify", "1.5/edit.FuseOps", "1.6/tir.MakePackedAPI", "1.7/tir.Simplify"))]);
  assert.deepEqual(stretches(m).map((x) => [x.phase, ...x.steps.map((step) => step.name)]).slice(-6).filter((x) => !x.includes("Imported module")), [
    ["graph", "FuseOps", "user.Mine"], ["calls", "CallTIRRewrite"], ["loops", "tir.Simplify", "edit.FuseOps"], ["code", "tir.MakePackedAPI"], ["loops", "tir.Simplify"],
  ]);
});

test("the height of a cell is the share of the largest change on a logarithmic scale", () => {
  assert.equal(height(0, 100), 0);
  assert.equal(height(100, 100), 1);
  assert.equal(height(0, 0), 0);
  assert.ok(height(10, 100) > 0.5 && height(10, 100) < 0.55);
});

const change = (added: number, removed: number, renamed = 0, moved = 0): string => {
  const b = blocks({ added, removed, renamed, moved });
  return "a".repeat(b.added) + "d".repeat(b.removed) + "m".repeat(b.other);
};

test("five blocks show how much changed, and what", () => {
  assert.equal(change(0, 0), "");
  assert.equal(change(0, 4), "d");
  assert.equal(change(1, 1), "d");
  assert.equal(change(4, 8), "ad");
  assert.equal(change(40, 4), "aad");
  assert.equal(change(562, 56), "aaaad");
  assert.equal(change(128, 270), "addd");
  assert.equal(change(0, 447), "dddd");
  assert.equal(change(0, 0, 0, 9), "mm");
  assert.equal(change(400, 1, 1), "aadm");
});

test("a pass between those of calls and memory is no stretch of its own", () => {
  assert.equal(phaseOf("ElideCopies", "calls"), "calls");
  assert.equal(phaseOf("FuseOps", "graph"), "graph");
});

test("names that are too long keep their last word; those of one kind what tells them apart", () => {
  assert.equal(tailOfPass("FuseOps"), "");
  assert.equal(tailOfPass("CanonicalizeRelaxBindings"), "Bindings");
  assert.equal(tailOfPass("PlanAndUpdateBufferAllocationLocation"), "Location");
  const found = tails(["main", "fused_conv2d_add_relu_block1_conv1_Conv", "fused_conv2d_add_relu_block1_conv2_Conv"]);
  assert.equal(found.get("main"), undefined);
  assert.equal(found.get("fused_conv2d_add_relu_block1_conv1_Conv"), "conv1_Conv");
  assert.equal(found.get("fused_conv2d_add_relu_block1_conv2_Conv"), "conv2_Conv");
});

test("of the passes of another compiler those have a cell that changed something, of very many those that changed most", () => {
  const m = new RunModel("r");
  m.apply([{ seq: 0, type: "run_started", body: { functions: [], plan: [], dump: { compiler: "LLVM", format: "" } } } as unknown as WireEvent]);
  for (let i = 1; i <= 3000; i++) {
    const done = finished(i, `${i}/P`, i % 2 === 0 ? [changed("main", `h${i}`, `i${i}`)] : []);
    Object.assign(done.body, { added: i === 2 ? 0 : i });
    m.apply([done]);
    const cells = stretches(m).flatMap((x) => x.steps.map((step) => Number(step.path.split("/")[0])));
    if (i === 1000) assert.equal(cells.length, 1000);
    if (i === 1500) assert.equal(cells.length, 750);
    if (i === 3000) assert.deepEqual(cells, Array.from({ length: 1000 }, (_, k) => 1002 + 2 * k));
  }
});
