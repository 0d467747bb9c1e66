// How far a run is, in words.

import { time } from "./format";
import type { RunModel } from "./model";
import type { Runs } from "./runs";

// reuse says what was taken from earlier runs and what that saved; "" where nothing was.
export function reuse(model: RunModel): string {
  if (!model.finished || model.reusedSteps === 0) return "";
  const without = model.saved > 0 ? ` instead of ${time(model.duration() + model.saved)}` : "";
  return `reused ${model.reusedSteps} of ${model.ranSteps} pass${model.ranSteps === 1 ? "" : "es"}, ${time(model.duration())}${without}`;
}

// summary says in a few words how far the run is.
export function summary(runs: Runs): string {
  const { model, info } = runs;
  if (runs.stale) return "Starting…";
  if (model.id === runs.current && model.finished && !model.started) return "Failed before the first pass";
  if (model.id !== runs.current || !model.started) {
    if (info?.state === "queued" && info.position) return `Queued, number ${info.position}`;
    return runs.current && !runs.problem ? "Reading the model…" : "Not started";
  }
  const { done, total } = model.progress();
  const f = model.finished;
  if (!f) {
    const step = model.running();
    return `${step ? `Running ${step.name}` : "Running"} · ${done} of ${total}`;
  }
  const took = time(model.duration());
  switch (f.status) {
    case "ok": return `Done in ${took} · ${f.changed} changed${model.reusedSteps > 0 ? ` · ${model.reusedSteps} reused` : ""}`;
    case "cancelled": return `Canceled after ${took}`;
    case "failed": return `Failed${f.error?.pass ? ` in ${f.error.pass}` : ""} after ${took}`;
    default: return `Stopped after ${took}: ${f.status}`;
  }
}
