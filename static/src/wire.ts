// The types of docs/protocol.md: what the server sends. Fields that may be absent are optional.

export type Role = "optional" | "lowering";
export type PassKind = "module" | "function" | "prim_func" | "dataflow_block" | "sequential";
export type Num = number | "NaN" | "Infinity" | "-Infinity";

export interface WireFunction {
  name: string;
  kind: string;
  text: string;
  lines: number;
  metrics?: FunctionMetrics;
}

export interface PlanStep {
  step: string;
  parent?: string;
  name: string;
  level: number;
  role: Role;
  kind: PassKind;
}

// FunctionMetrics measures a function; counts that are absent are 0.
export interface FunctionMetrics {
  ops?: Record<string, number>;
  bindings?: number;
  calls?: number;
  loops?: number;
  blocks?: number;
  buffers?: number;
  flops?: number;
  constant_bytes?: number;
  intermediate_bytes?: number;
}

export interface Metrics extends FunctionMetrics {
  functions: number;
  kernels: number;
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
  // marks has a letter for each line: "~" for one that is renamed, ">" for one that moved.
  marks?: string;
}

// LineCounts counts the lines of a diff. Of those added and removed, renamed and moved count the pairs that are only that.
export interface LineCounts {
  added: number;
  removed: number;
  renamed?: number;
  moved?: number;
}

export interface FunctionChange extends LineCounts {
  name: string;
  kind: string;
  change: "changed" | "added" | "removed" | "renamed";
  before?: string;
  after?: string;
  lines_before: number;
  lines_after: number;
  metrics?: FunctionMetrics;
  hunks?: Hunk[];
  truncated?: boolean;
}

export interface PassFinished extends LineCounts {
  name: string;
  changed: boolean;
  module: string;
  functions: FunctionChange[];
  same: number;
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

// Fixed is what an execution took with code for its sizes alone.
export interface Fixed {
  sizes: Record<string, number>;
  latency: number[];
  compile: number;
  reused?: boolean;
}

export interface Measured {
  at?: number;
  total?: number;
  self?: number;
  instruments?: number;
  alloc_bytes?: number;
  latency?: number[];
  compile?: number;
  fixed?: Fixed;
  reused_steps?: number;
  steps?: number;
  saved?: number;
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
  // mark says that the line differs in names only, or stands elsewhere too: at the line other of the other text.
  mark?: "renamed" | "moved";
  other?: number;
}

export interface DiffPage extends LineCounts {
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

// Patch is IR that was edited behind a step.
export interface Patch {
  after: string;
  text: string;
  removed?: string[];
  before?: Record<string, string>;
}

// CheckedEdit is what the server says to an edited text.
export interface CheckedEdit {
  ok: boolean;
  diagnostics: Diagnostic[];
  patch: Patch | null;
  functions: string[];
  text: string;
}

export interface Settings {
  target?: string;
  opt_level?: number;
  pipeline?: string;
  steps?: SettingsStep[] | null;
  scripts?: Script[];
  patches?: Patch[];
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
  // expires is absent where the session is kept for good.
  expires?: string;
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

export interface ConfigOption {
  key: string;
  type: string;
  default?: unknown;
  doc?: string;
}

export interface PassOption {
  name: string;
  type: string;
  default: unknown;
  doc: string;
  choices?: unknown[];
}

// Order is a constraint on the order of a pass and another. With needs the later has nothing to work on without the earlier.
export interface Order {
  pass: string;
  why: string;
  needs?: boolean;
}

// Planned is what settings stand for: steps, places that break a constraint, and mistakes.
export interface Planned {
  steps: PlanStep[];
  warnings: { step: string; other?: string; message: string }[];
  mistakes: Mistake[];
}

export interface Mistake {
  step?: string;
  option?: string;
  config?: string;
  pass?: string;
  message: string;
}

export interface PassInfo {
  name: string;
  level: number;
  role: Role;
  kind: PassKind;
  doc: string;
  required?: string[];
  ir?: "relax" | "tir";
  config?: ConfigOption[];
  options?: PassOption[];
  // before are the passes that must stand before this one, after those that must stand after it.
  before?: Order[];
  after?: Order[];
  // script is where a user wrote the pass.
  script?: Script;
}
