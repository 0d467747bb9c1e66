// A check of every pass: the answer of the server, line by line, and its words.

import { number, plural } from "./format";
import { codePath } from "./model";
import type { CheckDifference, CheckExpected, CheckHow, CheckedStep, CheckReport, CheckStatus } from "../wire";

// Checked is what is known of a check so far.
export interface Checked {
  steps: CheckedStep[];
  report: CheckReport | null;
}

// checkRun asks the server to check every pass of a run and tells of each line as it comes. It rejects with what the server refused, or as fetch
// does where the signal aborts it.
export async function checkRun(run: string, told: (so: Checked) => void, signal: AbortSignal): Promise<Checked> {
  const res = await fetch(`/api/runs/${run}/check`, { signal });
  if (!res.ok || !res.body) {
    const body = (await res.json().catch(() => null)) as { error?: { message?: string } } | null;
    throw new Error(body?.error?.message ?? `the server responded with ${res.status}`);
  }
  const so: Checked = { steps: [], report: null };
  for await (const line of linesOf(res.body.pipeThrough(new TextDecoderStream()).getReader())) {
    const x = JSON.parse(line) as { step?: CheckedStep; report?: CheckReport };
    if (x.step) so.steps.push(x.step);
    if (x.report) so.report = x.report;
    told(so);
  }
  if (!so.report) throw new Error("the connection ended before the check did");
  return so;
}

interface Reader {
  read(): Promise<{ done: boolean; value?: string | undefined }>;
}

// linesOf yields the lines of a text that comes in pieces.
export async function* linesOf(reader: Reader): AsyncGenerator<string> {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop()!;
    yield* parts.filter(Boolean);
  }
  if (rest) yield rest;
}

export function isBad(status: CheckStatus): boolean {
  return status === "wrong" || status === "failed";
}

// marks are the words of a status, with a sign that does not depend on color.
export const marks: Record<CheckStatus, string> = {
  same: "○ same", close: "● close", wrong: "✕ wrong", failed: "✕ failed", not_runnable: "? not runnable",
};

// verdict says in one sentence what a check came to.
export function verdict(r: CheckReport): string {
  if (r.fault) return faultWords(r);
  if (r.reference < 0) return `No pass can be checked: ${r.why ?? "nothing can be run"}.`;
  const known = r.steps.filter((s) => s.difference);
  const open = r.steps.filter((s) => s.changed && s.status === "not_runnable").length;
  const worst = (pick: (d: CheckDifference) => unknown): number => Math.max(0, ...known.map((s) => Number(pick(s.difference!))));
  const abs = worst((d) => d.max_abs);
  const words = abs === 0 ? "the outputs are equal bit for bit" : `the largest error is ${number(abs)}, relative ${number(worst((d) => d.max_rel))}`;
  const last = r.steps.findLast((s) => s.path !== "");
  if (r.stopped && !last) return "No pass was checked.";
  const passes = r.stopped ? `No pass up to ${last!.pass}` : "No pass";
  return `${passes} changes what the model computes: ${words}${open > 0 ? `; ${plural(open, "module")} could not be run` : ""}.`;
}

function faultWords(r: CheckReport): string {
  const f = r.fault!;
  const s = r.steps[f.step]!;
  const where = f.functions.length === 0 ? "" : f.path === codePath ? `, in ${f.functions.join(", ")}` : f.functions.length === 1 ? `, in ${f.functions[0]}` : `, in ${plural(f.functions.length, "function")} of ${f.all} that it changed`;
  const d = s.difference;
  const what = s.message ? `: ${s.message}` : d ? `: ${d.output}[${d.index}] is ${number(d.got ?? 0)}, expected ${number(d.want ?? 0)}; ${plural(d.beyond ?? 0, "element")} beyond the tolerance` : "";
  return `${f.path === codePath ? "The generated code is wrong, and no pass is" : `${f.pass} is the first pass whose result is wrong`}${where}${f.why ? ` (${f.why})` : ""}${what}.`;
}

// expectedWords says how far an output is from what is expected of it.
export function expectedWords(x: CheckExpected): string {
  const far = (d: CheckDifference | undefined): string => (d ? `max abs error ${number(d.max_abs)}, relative ${number(d.max_rel)}` : "cannot be compared");
  return `${x.within ? "✓" : "✕"} Expected ${x.output}: before the first pass ${far(x.first)}; behind the last ${far(x.last)}.`;
}

// how says how modules were run, and what is allowed.
export function how(r: CheckReport): string {
  const ran = r.steps.filter((s) => s.changed && s.how);
  const sum = (pick: (h: CheckHow) => number | undefined): number => ran.reduce((n, s) => n + (pick(s.how!) ?? 0), 0);
  const [interpreted, compiled] = [sum((h) => h.interpreted), sum((h) => h.compiled)];
  const refuted = [...new Set(ran.flatMap((s) => s.how!.refuted ?? []))];
  const allowed = r.tolerances.map((t) => (t.rtol === 0 && t.atol === 0 ? `${t.dtype} exact` : `${t.dtype} ${t.rtol} relative, ${t.atol} absolute`)).join("; ");
  const machine = ran.some((s) => s.how!.machine);
  const words = [`${plural(ran.filter((s) => !s.how!.machine).length, "module")} behind ${plural(r.steps.filter((s) => s.path !== "" && s.path !== codePath).length, "step")}${machine ? ", and the generated code, run by the machine" : ""}.`];
  words.push(compiled === 0
    ? "The interpreter ran all kernels."
    : `The interpreter ran ${plural(interpreted, "call")} of kernels; generated code ran ${compiled}, of large kernels, each confirmed by the interpreter on a part of its iterations.`);
  if (refuted.length > 0) words.push(`Generated code gave something else than the interpreter, whose results were taken, for ${refuted.join(", ")}.`);
  const evaluated = [...new Set(ran.flatMap((s) => s.how!.evaluated ?? []))].map((name) => name.replace(/^relax\./, ""));
  if (evaluated.length > 0) words.push(`Operators were computed by their definitions, not by kernels: ${evaluated.join(", ")}.`);
  if (ran.some((s) => s.how!.legalized)) words.push(`${evaluated.length > 0 ? "Other operators" : "Operators"} were run by the kernels that LegalizeOps makes of them: an error in those kernels does not show.`);
  words.push(`Allowed: ${allowed || "nothing"}.`);
  return words.join(" ");
}
