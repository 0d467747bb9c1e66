// Folds logs by the page's model and writes the state of each as JSON; reducer_test.go compares it with that of event.Run.

import { readFileSync } from "node:fs";
import { RunModel, type Step } from "../../static/src/store/model";
import type { WireEvent } from "../../static/src/wire";

const path = (step: Step | null): string => (step ? step.path : "");

function state(m: RunModel): unknown {
  const steps = m.all().filter((s) => s !== m.imported);
  return {
    steps: steps.map((s) => ({
      path: s.path, parent: s.parent, name: s.name, level: s.level, role: s.role, kind: s.kind, depth: s.depth,
      status: s.status, text: s.text, reason: s.reason, why: s.why, title: s.title ?? "", error: s.error, finished: s.finished?.name ?? null, measured: s.measured,
      reused: s.reused, diagnostics: s.diagnostics.map((d) => d.message), began: s.began ?? -1, seq: s.seq, at: s.at, metrics: s.before,
      given: m.functionsBefore(s), left: m.functionsAt(s),
    })),
    imported: m.functionsAt(null),
    started: m.started?.model ?? null,
    finished: m.finished?.status ?? null,
    ended: m.finished ? [m.finishedAt, m.reusedSteps, m.ranSteps, m.saved] : null,
    duration: m.duration(),
    code: m.code?.kernels.map((k) => k.text) ?? null,
    times: [m.importTime, m.codegenTime, m.compileTime],
    lanes: m.lanes.map((l) => [l.at, path(l.step), l.metrics]),
    executions: m.executions.map((x) => [x.body.function, x.latency, x.fixed?.latency ?? null]),
    profiles: m.profiles.map((p) => [p.body.function, p.body.calls.map((c) => c.count), p.times?.median ?? null]),
    diagnostics: m.diagnostics.map((d) => d.message),
  };
}

const logs = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as WireEvent[][];
const out = logs.map((log) => {
  const m = new RunModel("r");
  // The page applies what comes together at once: any cut gives the same.
  const cut = Math.floor(log.length / 3);
  m.apply(log.slice(0, cut));
  for (const e of log.slice(cut)) m.apply([e]);
  return state(m);
});
process.stdout.write(JSON.stringify(out));
