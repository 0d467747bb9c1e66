// What the page knows of one run, built from its events alone. It knows no element of the page.
//
// The rules are those of event.Run in Go (instruments/event): a type of events has a case here and a method apply there, and
// e2e/reducer folds the same logs by both.

import type {
  CheckedStep,
  CodeGenerated,
  Diagnostic,
  Executed,
  Fixed,
  FunctionChange,
  Measured,
  Metrics,
  PassFinished,
  PassKind,
  Profiled,
  ProfileTimes,
  Role,
  RunError,
  RunFinished,
  RunStarted,
  StepStatus,
  WireEvent,
  WireFunction,
} from "../wire";

export type Status = StepStatus;

export interface Step {
  path: string;
  parent: string;
  name: string;
  level: number;
  role: Role;
  kind: PassKind;
  depth: number;
  children: Step[];
  status: Status;
  // text says why a step was skipped; why says for which unusual reason it ran.
  text: string;
  why: string;
  // title is what the step is called in full, by a dump of another compiler or by the schedule that asks for it on its line.
  title?: string;
  line?: number;
  reason: string;
  error: RunError | null;
  finished: PassFinished | null;
  measured: Measured;
  reused: boolean;
  diagnostics: Diagnostic[];
  // seq is the number of the event that ended the step, at the time since the start of the run when it began, in nanoseconds.
  seq: number;
  at: number;
  // seen is the page's own clock when the step started, for showing only what takes a while.
  seen: number;
  before: Metrics | null;
  // began is the number of the event that began the step.
  began?: number;
  // given and left are the numbers of changes of texts before and after the step.
  given: number;
  left: number;
  // check is what a check of every pass has found behind the step; fault tells that the step is the first whose result is wrong.
  check?: CheckedStep;
  fault?: boolean;
}

// TextChange is a text that a step gave a function, which is gone where the text is empty.
type TextChange = WireFunction;

// numberOf returns the number of a step: that of 1.3.2/FuseOps is 1.3.2.
export function numberOf(step: Step): string {
  return step.path.split("/", 1)[0]!;
}

// whySkipped says in a sentence why a pass did not run, and what would have it run where a setting decides that.
export function whySkipped(step: Pick<Step, "reason" | "text" | "level">): string {
  switch (step.reason) {
    case "disabled": return "It is turned off; its tick turns it on.";
    case "opt_level": return `It runs from opt_level ${step.level} on.`;
    default: return `${step.text[0]?.toUpperCase() ?? ""}${step.text.slice(1)}.`;
  }
}

// importPath is the path of the row that stands for the imported module; it is no step of the run.
export const importPath = "import";

// codePath is the path that stands for the generated code in links and histories.
export const codePath = "code";

// wholeModule stands for all functions of a module where the name of one is expected, and vmCode for the code of the virtual machine
// where that of a kernel is.
export const wholeModule = "*";
export const vmCode = "(vm)";

export interface Execution {
  body: Executed;
  // latency lists the times of the executions, shortest first, in nanoseconds.
  latency: number[];
  // fixed is the same with code that was compiled for the sizes of the inputs, where shapes are symbolic.
  fixed: Fixed | null;
}

// Profile says what an execution consists of; times is null where none were measured.
export interface Profile {
  body: Profiled;
  times: ProfileTimes | null;
}

export interface Lane {
  at: number;
  step: Step | null;
  metrics: Metrics;
}

// Tally is what can be counted of the steps of a run.
interface Tally {
  version: number;
  // all lists the steps in the order of the tree.
  all: Step[];
  // running is the innermost step that has begun and not ended.
  running: Step | null;
  // total counts the passes, done those that have ended, changed those that changed something.
  done: number;
  total: number;
  changed: number;
  // longest is the most time that a pass took, in nanoseconds, at least 1.
  longest: number;
}

export class RunModel {
  started: RunStarted | null = null;
  finished: RunFinished | null = null;
  finishedAt = 0;
  // began is when the run began, in milliseconds since 1970; 0 where its log does not tell.
  began = 0;
  // reusedSteps of ranSteps were taken from an earlier run, which saved so many nanoseconds.
  reusedSteps = 0;
  ranSteps = 0;
  saved = 0;
  code: CodeGenerated | null = null;
  // Times of what is no pass, in nanoseconds: reading the model, generating code, and what the engine makes of the code.
  importTime = 0;
  codegenTime = 0;
  // codegenAt and executedAt are when the code was there, and when it had been executed, since the start of the run.
  codegenAt = 0;
  executedAt = 0;
  compileTime = 0;
  readonly executions: Execution[] = [];
  readonly profiles: Profile[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly roots: Step[] = [];
  readonly steps = new Map<string, Step>();
  readonly lanes: Lane[] = [];
  // imported stands for the module as it was read: the first row of the tree.
  imported: Step | null = null;
  // version counts the events that were applied.
  version = 0;
  // changes lists the texts that steps gave functions. A step that encloses others reports their changes again: nothing is new then.
  private readonly changes: TextChange[] = [];
  private readonly module = new Map<string, WireFunction>();
  private readonly spread = new Set<Step>();
  private metrics: Metrics | null = null;
  private clock = 0;
  private tallied: Tally | null = null;

  constructor(readonly id: string) {}

  apply(events: WireEvent[]): void {
    for (const e of events) this.applyOne(e);
  }

  private applyOne(e: WireEvent): void {
    this.version++;
    this.clock = Math.max(this.clock, e.measured?.at ?? 0);
    switch (e.type) {
      case "run_started":
        this.started = e.body;
        this.importTime = e.measured?.at ?? 0;
        this.began = e.measured?.began ?? 0;
        this.imported ??= this.add(importPath, "", "Imported module", 0, "lowering", "sequential");
        for (const p of e.body.plan) if (!this.steps.has(p.step)) this.add(p.step, p.parent ?? "", p.name, p.level, p.role, p.kind);
        for (const f of e.body.functions) this.put(f);
        Object.assign(this.imported, { status: "same", seq: e.seq, left: this.changes.length });
        this.note(null, e.body.metrics, 0);
        break;
      case "functions_seen":
        for (const f of e.body.functions) this.put(f);
        break;
      case "pass_started": {
        const step = this.of(e, e.body);
        step.status = "running";
        step.why = e.body.why ?? "";
        step.title = e.body.title ?? "";
        step.line = e.body.line ?? 0;
        step.at = e.measured?.at ?? this.clock;
        step.seen = performance.now();
        step.before = this.metrics;
        step.began = e.seq;
        step.given = this.changes.length;
        step.reused = e.reused ?? false;
        break;
      }
      case "pass_finished": {
        const step = this.end(e, e.body);
        for (const c of e.body.functions) {
          this.put({ name: c.name, kind: c.kind, text: c.change === "removed" ? "" : (c.after ?? ""), lines: c.lines_after, ...(c.metrics ? { metrics: c.metrics } : {}) });
        }
        step.left = this.changes.length;
        step.finished = e.body;
        step.status = e.body.unknown ? "unknown" : e.body.changed ? "changed" : "same";
        if (e.body.unknown) step.text = e.body.unknown;
        this.note(step, e.body.metrics, (e.measured?.at ?? 0) || step.at + (e.measured?.total ?? 0));
        break;
      }
      case "pass_skipped": {
        const step = this.end(e, e.body);
        this.skip(step, e.body.text, e.body.reason);
        break;
      }
      case "pass_failed": {
        const step = this.end(e, e.body);
        step.error = e.body.error;
        step.status = "failed";
        break;
      }
      case "diagnostic": {
        const step = e.step ? this.steps.get(e.step) : undefined;
        (step ? step.diagnostics : this.diagnostics).push(e.body);
        break;
      }
      case "code_generated":
        this.code = e.body;
        this.codegenTime = e.measured?.total ?? 0;
        this.codegenAt = e.measured?.at ?? 0;
        break;
      case "executed": {
        const { latency, fixed } = e.measured ?? {};
        this.executions.push({ body: e.body, latency: sorted(latency), fixed: fixed ? { ...fixed, latency: sorted(fixed.latency) } : null });
        this.compileTime = e.measured?.compile ?? this.compileTime;
        this.executedAt = e.measured?.at ?? this.executedAt;
        break;
      }
      case "profiled":
        this.profiles.push({ body: e.body, times: e.measured?.profile ?? null });
        break;
      case "run_finished":
        this.finished = e.body;
        this.finishedAt = e.measured?.at ?? this.clock;
        this.reusedSteps = e.measured?.reused_steps ?? 0;
        this.ranSteps = e.measured?.steps ?? 0;
        this.saved = e.measured?.saved ?? 0;
        for (const step of this.steps.values()) {
          if (step.status === "running") {
            step.status = "failed";
            step.error = { kind: e.body.error?.kind ?? "interrupted", message: `the run ended in this step: ${e.body.status}` };
          }
          if (step.status === "waiting") Object.assign(step, { status: "skipped", text: "not reached", reason: "stopped" });
        }
        break;
      default:
        // A newer server may send more than this page knows; what it knows stays right.
        break;
    }
  }

  // all lists the steps in the order of the tree.
  all(): readonly Step[] {
    return this.tally().all;
  }

  // tally walks over the steps once for each version: a run may have very many, and is drawn often.
  tally(): Tally {
    if (this.tallied?.version === this.version) return this.tallied;
    const t: Tally = { version: this.version, all: [], running: null, done: 0, total: 0, changed: 0, longest: 1 };
    const walk = (steps: Step[]): void => {
      for (const step of steps) {
        t.all.push(step);
        const { status } = step;
        if (status === "running") t.running = step;
        if (step.kind !== "sequential") {
          t.total++;
          if (status === "changed") t.changed++;
          if (ended(step)) t.done++;
          t.longest = Math.max(t.longest, step.measured.total ?? 0);
        }
        walk(step.children);
      }
    };
    walk(this.roots);
    return (this.tallied = t);
  }

  // duration is the time since the start of the run at its last event, in nanoseconds.
  duration(): number {
    return this.finishedAt || this.clock;
  }

  // parts lists where the time of the run went, in nanoseconds, one after the other. Between the import and the code the passes run, and
  // what they leave is written down and sent: recording and waiting is the rest of that time. Passes that were taken from an earlier run
  // carry its times and take none of this one. Execution is all of the time until its end that the engine did not need: the inputs are
  // made in it, and it is warmed up.
  parts(): [string, number][] {
    const passes = this.all().reduce((sum, step) => sum + (step.reused ? 0 : (step.measured.self ?? 0)), 0);
    const lowered = this.codegenAt > 0 ? this.codegenAt - this.codegenTime : this.duration();
    const all: [string, number][] = [
      ["import", this.importTime], ["passes", passes], ["recording and waiting", lowered - this.importTime - passes], ["code generation", this.codegenTime],
      ["engine", this.compileTime], ["execution", this.executedAt > 0 ? this.executedAt - Math.max(lowered, this.codegenAt) - this.compileTime : 0],
      ["profile", this.profiles.reduce((sum, p) => sum + (p.times?.took ?? 0), 0)],
    ];
    return all.filter(([, t]) => t > 0);
  }

  // functionsAt lists the functions of the module as it is when the step has ended, sorted by name; null is the imported module.
  // A step that did not end gives the module as it is.
  functionsAt(step: Step | null): WireFunction[] {
    return this.functions(step && step.seq < 0 ? this.changes.length : (step ?? this.imported)?.left ?? 0);
  }

  // functionsBefore lists the functions of the module that a step is given; the imported ones where it has not begun.
  functionsBefore(step: Step): WireFunction[] {
    return step.began === undefined && step.seq < 0 ? this.functionsAt(null) : this.functions(step.given);
  }

  // functions lists the functions of the module after the first n changes.
  private functions(n: number): WireFunction[] {
    const module = new Map<string, WireFunction>();
    for (const c of this.changes.slice(0, n)) {
      if (c.text) module.set(c.name, c);
      else module.delete(c.name);
    }
    return [...module.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  // put notes the text that a step gave a function, if it is another than before.
  private put(f: TextChange): void {
    const before = this.module.get(f.name);
    if ((before?.text ?? "") === f.text) return;
    // A sequence has no metrics of its own: its passes had them.
    const now = f.metrics || !before?.metrics ? f : { ...f, metrics: before.metrics };
    if (f.text) this.module.set(f.name, now);
    else this.module.delete(f.name);
    this.changes.push(now);
  }

  private note(step: Step | null, metrics: Metrics | undefined, at: number): void {
    if (!metrics) return;
    this.metrics = metrics;
    this.lanes.push({ at, step, metrics });
  }

  private of(e: { step?: string; parent?: string }, b: { name: string; level: number; role: Role; kind: PassKind }): Step {
    const path = e.step ?? b.name;
    return this.steps.get(path) ?? this.add(path, e.parent ?? "", b.name, b.level, b.role, b.kind);
  }

  private end(e: WireEvent, b: { name: string }): Step {
    const step = this.of(e, { level: 0, role: "optional", kind: "module", ...b });
    step.seq = e.seq;
    step.measured = e.measured ?? {};
    step.reused = e.reused ?? false;
    if (step.began === undefined) step.given = this.changes.length;
    step.left = this.changes.length;
    return step;
  }

  private add(path: string, parent: string, name: string, level: number, role: Role, kind: PassKind): Step {
    const above = this.steps.get(parent);
    const step: Step = {
      path, parent, name, level, role, kind,
      depth: above ? above.depth + 1 : 0,
      children: [], status: "waiting", text: "", why: "", reason: "", error: null, finished: null, measured: {},
      reused: false, diagnostics: [], seq: -1, at: 0, seen: 0, before: null, given: 0, left: 0,
    };
    this.steps.set(path, step);
    const list = above ? above.children : this.roots;
    // 1.3r1/Name ran because 1.3 requires it, and so before it.
    const by = /^([\d.]+)r\d+\//.exec(path);
    const i = by ? list.findIndex((x) => x.path.startsWith(`${by[1]}/`)) : -1;
    list.splice(i < 0 ? list.length : i, 0, step);
    return step;
  }

  // skip marks a step and all below it that has not begun: a sequence that is skipped stands for what it holds.
  private skip(step: Step, text: string, reason: string): void {
    Object.assign(step, { status: "skipped", text, reason });
    if (this.spread.has(step)) return;
    this.spread.add(step);
    for (const child of step.children) if (child.status === "waiting") this.skip(child, text, reason);
  }
}

// startsLog returns the event that begins a run.
export function startsLog(body: RunStarted): WireEvent {
  return { seq: 0, type: "run_started", body };
}

// endsLog tells whether an event is the last of its run.
export function endsLog(e: WireEvent): boolean {
  return e.type === "run_finished";
}

function sorted(times: number[] = []): number[] {
  return [...times].sort((a, b) => a - b);
}

// firstChange is the change of a step that says most: of functions that were there before and after, the one that changed most.
export function firstChange(step: Step | null): FunctionChange | undefined {
  const all = step?.finished?.functions ?? [];
  return all.find((c) => c.change === "changed") ?? all[0];
}

// failedStep returns the step that the run failed in, the innermost; undefined where it failed in none. A failure that the step around it went on after is
// none of the run.
export function failedStep(model: RunModel): Step | undefined {
  const failed = (path: string): boolean => path === "" || model.steps.get(path)?.status === "failed";
  return model.all().findLast((step) => step.kind !== "sequential" && failed(step.path) && failed(step.parent));
}

// ended tells whether a step has had its turn.
export function ended(step: Step): boolean {
  return step.status !== "waiting" && step.status !== "running";
}
