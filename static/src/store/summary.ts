// How far a run is, in words.

import { time } from "./format";
import type { RunModel } from "./model";
import type { Runs } from "./runs";
import { truth } from "./truth";

// reuse says what was taken from earlier runs and what that saved; "" where nothing was.
export function reuse(model: RunModel): string {
  if (!model.finished || model.reusedSteps === 0) return "";
  const without = model.saved > 0 ? ` instead of ${time(model.duration() + model.saved)}` : "";
  return `reused ${model.reusedSteps} of ${model.ranSteps} pass${model.ranSteps === 1 ? "" : "es"}, ${time(model.duration())}${without}`;
}

// summary says in a few words how far the run is: what matters, and more where there is room.
export function summary(runs: Runs): [what: string, more: string] {
  const { model, info } = runs;
  const now = truth(runs);
  const queued = info?.id === runs.current && info.state === "queued" && info.position ? `Queued, number ${info.position}` : "";
  if (now.kind === "stale" && now.starting && queued && !runs.changed) return [queued, ""];
  // A server that goes away while nothing is asked of it takes nothing from what is there.
  if (now.kind === "stale" || runs.offline || runs.connection) return [now.text, ""];
  if (model.id === runs.current && model.finished && !model.started) return ["Failed before the first pass", ""];
  if (model.id !== runs.current || !model.started) {
    if (queued) return [queued, ""];
    return [runs.current && !runs.problem ? "Reading the model…" : "Not started", ""];
  }
  if (runs.loading) return ["Loading the run…", ""];
  const { done, total, changed, running } = model.tally();
  const f = model.finished;
  // Behind the passes and the code the program may run for long.
  if (!f) return done === total && model.code ? ["Running the program…", ""] : [`${done} of ${total}`, running?.name ?? ""];
  const took = time(model.duration());
  switch (f.status) {
    case "ok": return [`${model.started.dump ? "Read" : "Done"} in ${took}`, [now.kind === "cached" ? now.text : "", model.started.dump ? "" : `${changed} ${changed === 1 ? "pass" : "passes"} changed`, model.reusedSteps > 0 ? `${model.reusedSteps} reused` : ""].filter(Boolean).join(", ")];
    case "cancelled": return [`Canceled after ${took}`, ""];
    case "failed": return [`Failed${f.error?.pass ? ` in ${f.error.pass}` : ""} after ${took}`, ""];
    default: return [`Stopped after ${took}: ${f.status}`, ""];
  }
}

// tabTitle says in the title of the browser's tab how far the run is: "18/50 resnet50", and when it has ended "done 0.6 s resnet50".
export function tabTitle(runs: Runs, title: string): string {
  const { model } = runs;
  const now = truth(runs);
  if (now.kind === "offline") return `offline ${title} · irscope`;
  if (now.kind === "stale") return `${now.starting ? "starting" : "not run"} ${title} · irscope`;
  const { done, total } = model.tally();
  const f = model.id === runs.current ? model.finished : null;
  const state = !runs.active && !f ? "" : f ? `${f.status === "ok" ? "done" : f.status} ${time(model.duration())} ` : model.started ? `${done}/${total} ` : "";
  return `${state}${title} · irscope`;
}
