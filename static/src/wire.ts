// The types of docs/protocol.md: what the server sends. Fields that may be absent are optional.

export type Role = "optional" | "lowering";
export type PassKind = "module" | "function" | "prim_func" | "dataflow_block" | "sequential";
export type Num = number | "NaN" | "Infinity" | "-Infinity";

export interface WireFunction {
  name: string;
  kind: string;
  text: string;
  lines: number;
}

export interface PlanStep {
  step: string;
  parent?: string;
  name: string;
  level: number;
  role: Role;
  kind: PassKind;
}

export interface Metrics {
  functions: number;
  kernels: number;
  ops?: Record<string, number>;
  flops: number;
  constant_bytes: number;
  intermediate_bytes: number;
}

export interface RunStarted {
  model: string;
  target: string;
  opt_level: number;
  pipeline: string;
  module: string;
  functions: WireFunction[];
  metrics?: Metrics;
  plan: PlanStep[];
}

export interface PassStarted {
  name: string;
  level: number;
  role: Role;
  kind: PassKind;
  occurrence: number;
  why?: string;
}

export interface PassSkipped extends PassStarted {
  reason: "disabled" | "opt_level" | "instrument" | "stopped";
  text: string;
}

export interface Hunk {
  before: number;
  after: number;
  lines: string[];
}

export interface FunctionChange {
  name: string;
  kind: string;
  change: "changed" | "added" | "removed" | "renamed";
  before?: string;
  after?: string;
  lines_before: number;
  lines_after: number;
  added: number;
  removed: number;
  hunks?: Hunk[];
  truncated?: boolean;
}

export interface PassFinished {
  name: string;
  changed: boolean;
  module: string;
  functions: FunctionChange[];
  same: number;
  added: number;
  removed: number;
  attrs_before?: Record<string, string>;
  attrs_after?: Record<string, string>;
  metrics?: Metrics;
}

export interface RunError {
  kind: string;
  message: string;
  pass?: string;
  function?: string;
  op?: string;
  instrument?: string;
  limit?: string;
}

export interface PassFailed {
  name: string;
  error: RunError;
}

// SourceSpan is a range of the source; lines and columns count from 1, columns count bytes of UTF-8, the end is exclusive.
export interface SourceSpan {
  source: string;
  line?: number;
  column?: number;
  end_line?: number;
  end_column?: number;
}

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  message: string;
  help?: string;
  code?: string;
  function?: string;
  span?: SourceSpan;
}

export interface Kernel {
  name: string;
  language: string;
  text: string;
  lines: number;
  bytes: number;
}

export interface CodeGenerated {
  target: string;
  kernels: Kernel[];
  vm?: string;
  bytes: number;
}

export interface WireTensor {
  name: string;
  dtype: string;
  shape: number[];
  first: Num[];
  min: Num;
  max: Num;
  mean: Num;
  nans?: number;
  source?: string;
}

export interface Comparison {
  output: string;
  max_abs: Num;
  max_rel: Num;
  rtol: Num;
  atol: Num;
  within: boolean;
}

export interface Executed {
  function: string;
  bindings?: Record<string, number>;
  inputs: WireTensor[];
  outputs: WireTensor[];
  expected?: Comparison[];
  error?: RunError;
}

export interface RunFinished {
  status: "ok" | "failed" | "cancelled" | "timeout" | "limit" | "interrupted";
  error?: RunError;
  changed: number;
  same: number;
  skipped: number;
  failed: number;
}

export interface Measured {
  at?: number;
  total?: number;
  self?: number;
  instruments?: number;
  alloc_bytes?: number;
  latency?: number[];
  compile?: number;
  reused_steps?: number;
}

interface Head {
  seq: number;
  step?: string;
  parent?: string;
  measured?: Measured;
  reused?: boolean;
}

export type WireEvent = Head &
  (
    | { type: "run_started"; body: RunStarted }
    | { type: "pass_started"; body: PassStarted }
    | { type: "pass_finished"; body: PassFinished }
    | { type: "pass_skipped"; body: PassSkipped }
    | { type: "pass_failed"; body: PassFailed }
    | { type: "diagnostic"; body: Diagnostic }
    | { type: "code_generated"; body: CodeGenerated }
    | { type: "executed"; body: Executed }
    | { type: "run_finished"; body: RunFinished }
  );

// A span of highlighted text: class, text, and 1 where the words differ between the sides of a diff.
export type Span = [string, string, 1?];

export interface DiffRow {
  kind: "same" | "del" | "add" | "mod" | "fold";
  before?: number;
  after?: number;
  text?: Span[];
  left?: Span[];
  right?: Span[];
  fold?: { from: number; count: number };
  cut?: boolean;
}

export interface DiffPage {
  added: number;
  removed: number;
  lines_before: number;
  lines_after: number;
  total: number;
  from: number;
  hunks: { row: number; rows: number; before: number; after: number }[];
  rows: DiffRow[];
}

export interface TextPage {
  hash: string;
  language: string;
  lines: number;
  from: number;
  rows: Span[][];
}

export interface SettingsStep {
  name: string;
  options?: Record<string, unknown>;
  steps?: SettingsStep[];
}

// Script is a text of a user that defines passes and instruments.
export interface Script {
  name: string;
  source: string;
}

export interface Settings {
  target?: string;
  opt_level?: number;
  pipeline?: string;
  steps?: SettingsStep[] | null;
  scripts?: Script[];
  disabled?: string[];
  required?: string[];
  config?: Record<string, unknown>;
  shapes?: Record<string, number[]>;
  bindings?: Record<string, number>[];
  seed?: number;
}

export interface RunInfo {
  id: string;
  session: string;
  state: string;
  position?: number;
  settings?: Settings;
  shared?: boolean;
  command?: string;
}

export interface SessionInfo {
  id: string;
  title: string;
  source?: { kind?: string; name?: string; gallery?: string; arg?: string; text?: string };
  settings?: Settings;
  runs?: string[];
  may_edit?: boolean;
  shared?: boolean;
}

// Note is a remark of a person, pinned to a step, a function and a line of its text after the step; what is absent is not said.
export interface Note {
  id: string;
  run?: string;
  step?: string;
  function?: string;
  line?: number;
  text: string;
}

export interface PassInfo {
  name: string;
  level: number;
  role: Role;
  kind: PassKind;
  doc: string;
  required?: string[];
  config?: { key: string; type: string; default?: unknown; doc?: string }[];
  // script is where a user wrote the pass.
  script?: Script;
}
