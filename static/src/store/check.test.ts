import assert from "node:assert/strict";
import { test } from "node:test";
import { expectedWords, how, linesOf, verdict } from "./check";
import type { CheckedStep, CheckReport } from "../wire";

const step = (rest: Partial<CheckedStep>): CheckedStep => ({ path: "1/A", pass: "A", status: "same", changed: true, ...rest });
const report = (rest: Partial<CheckReport>): CheckReport => ({ function: "main", inputs: [], tolerances: [{ dtype: "float32", rtol: 1e-4, atol: 1e-5 }, { dtype: "int64", rtol: 0, atol: 0 }], reference: 0, steps: [step({ path: "" })], ...rest });

test("lines that come in pieces", async () => {
  const pieces = ['{"a":1}\n{"b"', ':2}\n', "\n", '{"c":3}'];
  const got: string[] = [];
  for await (const line of linesOf({ read: async () => ({ done: pieces.length === 0, value: pieces.shift() }) })) got.push(line);
  assert.deepEqual(got, ['{"a":1}', '{"b":2}', '{"c":3}']);
});

test("a check in words", () => {
  assert.equal(verdict(report({ steps: [step({ difference: { max_abs: 0, max_rel: 0, index: -1 } })] })), "No pass changes what the model computes: the outputs are equal bit for bit.");
  assert.equal(verdict(report({ steps: [step({ difference: { max_abs: 2.5e-8, max_rel: 0.5, index: 1 } }), step({ status: "not_runnable" }), step({ status: "not_runnable", changed: false })] })),
    "No pass changes what the model computes: the largest error is 2.500e-8, relative 0.5; 1 module could not be run.");
  const known = { difference: { max_abs: 0, max_rel: 0, index: -1 } };
  assert.equal(verdict(report({ stopped: "it took long", steps: [step({ path: "", ...known }), step({ pass: "B", changed: false, ...known })] })), "No pass up to B changes what the model computes: the outputs are equal bit for bit.");
  assert.equal(verdict(report({ stopped: "it took long", steps: [step({ path: "", ...known })] })), "No pass was checked.");
  assert.equal(verdict(report({ reference: -1, why: "no kernel f" })), "No pass can be checked: no kernel f.");
  const wrong = step({ status: "wrong", difference: { max_abs: "Infinity", max_rel: 1, index: 3, output: "y", got: "NaN", want: 2, beyond: 10 } });
  const fault = { step: 1, path: "1/A", pass: "A", functions: ["relu"], all: 5 };
  assert.equal(verdict(report({ steps: [step({}), wrong], fault })), "A is the first pass whose result is wrong, in relu: y[3] is NaN, expected 2; 10 elements beyond the tolerance.");
  assert.equal(verdict(report({ steps: [step({}), step({ status: "failed", message: "relu: out of bounds" })], fault: { ...fault, functions: ["a", "b"], why: "only together" } })),
    "A is the first pass whose result is wrong, in 2 functions of 5 that it changed (only together): relu: out of bounds.");
  const code = step({ path: "code", pass: "code generation", status: "wrong", how: { machine: true }, difference: { max_abs: 1, max_rel: 1, index: 3, output: "y", got: 3, want: 2, beyond: 10 } });
  assert.equal(verdict(report({ steps: [step({}), code], fault: { ...fault, path: "code", pass: "code generation" } })), "The generated code is wrong, and no pass is, in relu: y[3] is 3, expected 2; 10 elements beyond the tolerance.");
  assert.equal(how(report({ steps: [step({ path: "", how: { interpreted: 2, compiled: 3, refuted: ["relu"] } }), step({ how: { interpreted: 2 } }), code], tolerances: [] })),
    "2 modules behind 1 step, and the generated code, run by the machine. The interpreter ran 4 calls of kernels; generated code ran 3, of large kernels, each confirmed by the interpreter on a part of its iterations. Generated code gave something else than the interpreter, whose results were taken, for relu. Allowed: nothing.");
  const far = { max_abs: 0.5, max_rel: 2, index: 0 };
  assert.equal(expectedWords({ output: "y", first: far, within: false }), "✕ Expected y: before the first pass max abs error 0.5, relative 2; behind the last cannot be compared.");
  assert.equal(how(report({ steps: [step({ path: "", how: { interpreted: 2, compiled: 1, legalized: true, evaluated: ["relax.exp"] } }), step({}), step({ changed: false })] })),
    "1 module behind 2 steps. The interpreter ran 2 calls of kernels; generated code ran 1, of large kernels, each confirmed by the interpreter on a part of its iterations. Operators were computed by their definitions, not by kernels: exp. Other operators were run by the kernels that LegalizeOps makes of them: an error in those kernels does not show. Allowed: float32 0.0001 relative, 0.00001 absolute; int64 exact.");
});
