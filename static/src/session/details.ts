// The details of the selected pass: what it is, what it did, in numbers, and what it had to say. It is loaded when the first pass
// has ended.

import "../shared";
import { only } from "../store/counts";
import { h } from "../widgets/dom";
import { marks } from "../store/check";
import { big, bytes, number, plural, time } from "../store/format";
import { importPath, type RunModel, type Step, whySkipped } from "../store/model";
import { took } from "../store/took";
import { stepNotes, type Jump } from "../widgets/errors";
import { glyphs } from "../widgets/glyphs";
import type { CheckedStep, Dump, FunctionMetrics, Order, PassInfo, Script, WireFunction } from "../wire";

export { aboutEdit } from "./editabout";
export { aboutSchedule } from "./scheduleabout";
export { drawOrigin } from "./origin";

export interface DetailsListener {
  select(name: string): void;
  jump: Jump;
  // edit opens a script; null where the visitor may not change it.
  edit: ((script: string) => void) | null;
  // about describes a step that applies an edit of the IR or a schedule of a user; null for any other.
  about(step: Step): HTMLElement | null;
  // warnings say where the order around the step breaks a constraint.
  warnings: string[];
  // page tells that the server has a page on the pass.
  page: boolean;
}

// details writes what a step is into host, and what it did into rest; between them the page shows its options. info looks up what is
// known of a pass.
export function details(host: HTMLElement, rest: HTMLElement, model: RunModel, step: Step | null, info: PassInfo | undefined, on: DetailsListener): void {
  rest.replaceChildren();
  if (!step) {
    host.replaceChildren(h("p", { class: "quiet" }, "Select a pass to see what it did."));
    return;
  }
  const { dump } = model.started ?? {};
  if (dump) info = undefined; // a pass of ours of the same name is another one
  if (step.path === importPath && dump) {
    host.replaceChildren(h("h3", { class: "details-name" }, step.name), h("p", { class: "details-sum" }, "The module as the dump shows it first."));
    return;
  }
  if (step.path === importPath) {
    host.replaceChildren(h("h3", { class: "details-name" }, step.name), h("p", { class: "details-sum" }, "The module as the importer made it, before any pass."));
    return;
  }
  const glyph = step.status === "failed" || step.status === "running" ? h("span", { class: `glyph is-${step.status}`, "aria-hidden": "true" }, glyphs[step.status]) : null;
  const head: HTMLElement[] = [
    h("h3", { class: "details-name" }, glyph, on.page ? h("a", { href: `/passes/${step.name}`, title: "What this pass is for, with an example" }, step.name) : step.name),
    h("p", { class: "details-sum" }, summary(step)),
  ];
  if (info?.doc) head.push(h("p", { class: "details-doc" }, info.doc));
  if (info?.script) head.push(written(info.script, on));
  const about = on.about(step);
  if (about) head.push(about);
  head.push(...on.warnings.map((text) => h("div", { class: "note warning" }, h("p", { class: "note-text" }, text))));
  const out = stepNotes(step.error, step.diagnostics, on.jump);
  const known = new Set(info ? model.all().map((x) => x.name) : []);
  const orders = (title: string, list: readonly Order[]): HTMLElement[] => reasons(title, list.filter((o) => known.has(o.pass)), on.select);
  const before = info?.before ?? [];
  out.push(...orders("Needs", before.filter((o) => o.needs)), ...orders("Better after", before.filter((o) => !o.needs)), ...orders("Feeds", info?.after ?? []));
  out.push(...did(model, step), ...(dump ? inDump(step, dump) : settings(step, info, on.select)), ...attrs(step));
  host.replaceChildren(...head);
  rest.replaceChildren(...out);
}

// reasons lists passes, each with why it stands before or after.
function reasons(title: string, list: readonly Order[], select: (name: string) => void): HTMLElement[] {
  if (list.length === 0) return [];
  return [h("h4", {}, title), h("ul", { class: "reasons" }, ...list.map((o) => {
    const b = h("button", { type: "button", class: "link" }, o.pass);
    b.addEventListener("click", () => select(o.pass));
    return h("li", {}, b, h("p", {}, o.why));
  }))];
}

// written shows the script of a pass that a user wrote.
function written(script: Script, on: DetailsListener): HTMLElement {
  const edit = h("button", { type: "button", class: "btn small", id: "edit-pass" }, "Edit");
  edit.addEventListener("click", () => on.edit?.(script.name));
  return h(
    "div",
    { class: "written" },
    h("p", {}, "Written by a user in ", h("code", {}, script.name), " ", on.edit ? edit : null),
    h("p", { class: "quiet" }, "The command line above reads the script from a file of this name."),
    h("details", {}, h("summary", {}, "Source"), h("pre", { class: "written-source", tabindex: 0, "aria-label": `Source of ${script.name}` }, script.source)),
  );
}

function summary(step: Step): string {
  const took = step.measured.total !== undefined ? ` in ${time(step.measured.total)}` : "";
  switch (step.status) {
    case "waiting": return "Waiting for its turn.";
    case "running": return "Running.";
    case "skipped": return `Did not run. ${whySkipped(step)}`;
    case "failed": return `Failed${took}.`;
    case "same": return `Ran${took} and changed nothing.`;
    case "unknown": return `What it did is not known. ${step.text}`;
    case "changed": {
      const f = step.finished!;
      const rest = f.same > 0 ? `, left ${f.same} as ${f.same === 1 ? "it was" : "they were"}` : "";
      const marks = only(f);
      return `Changed ${plural(f.functions.length, "function")}${rest}${took}${marks ? `: ${marks}` : ""}.`;
    }
  }
}

// pairs makes a list of facts; what has no value is left out.
function pairs(title: string, list: [string, string | (Node | string)[]][]): HTMLElement[] {
  const shown = list.filter(([, value]) => value.length > 0);
  if (shown.length === 0) return [];
  return [h("h4", {}, title), h("dl", { class: "facts" }, ...shown.flatMap(([name, value]) => {
    const dd = h("dd");
    dd.append(...(typeof value === "string" ? [value] : value));
    return [h("dt", {}, name), dd];
  }))];
}

// did says what the step did in numbers: those that differ. The numbers of all operators and functions are a view of their own.
function did(model: RunModel, step: Step): HTMLElement[] {
  const f = step.finished;
  const m = step.measured;
  const differ = (a: number | undefined, b: number | undefined, print: (n: number) => string): string => (a === undefined || b === undefined || a === b ? "" : `${print(a)} → ${print(b)}`);
  const main = (list: WireFunction[]): FunctionMetrics | undefined => list.find((x) => x.name === "main")?.metrics;
  const [a, b] = f?.metrics ? [main(model.functionsBefore(step)), main(model.functionsAt(step))] : [];
  const [was, is] = [step.before, f?.metrics];
  return pairs("What it did", [
    ["Functions changed", f ? `${f.functions.length} of ${f.functions.length + f.same}` : ""],
    ["Calls in main", differ(a?.calls, b?.calls, big)],
    ["Bindings in main", differ(a?.bindings, b?.bindings, big)],
    ["Kernels", differ(was?.kernels, is?.kernels, big)],
    ["FLOPs", differ(was?.flops, is?.flops, big)],
    ["Constants", differ(was?.constant_bytes, is?.constant_bytes, bytes)],
    ["Time", m.total !== undefined ? `${m.earlier ? took(step)[1] : time(m.total)}${m.self !== undefined && m.self !== m.total ? ` (self ${time(m.self)})` : ""}${step.reused ? " ↺ from an earlier run" : ""}` : ""],
    ["Outputs", step.check ? outputs(step.check) : ""],
    ["Instruments", m.instruments ? time(m.instruments) : ""],
    ["Allocated", m.alloc_bytes ? `≈ ${bytes(m.alloc_bytes)}` : ""],
  ]);
}

// inDump says where a pass of another compiler stands, which is all that is known of it.
function inDump(step: Step, dump: Dump): HTMLElement[] {
  return pairs("In the dump", [
    ["Step", [h("code", {}, step.path)]],
    ["Pass", step.title ?? ""],
    ["Kind", step.kind],
    ["Compiler", dump.compiler],
    ["Format", dump.format],
  ]);
}

// outputs says what a check found behind the step.
function outputs(s: CheckedStep): string {
  const d = s.difference;
  const errors = d && s.status !== "same" ? `, max abs error ${number(d.max_abs)}, relative ${number(d.max_rel)}` : "";
  return `${marks[s.status]}${errors}${d?.nans ? `, ${d.nans} NaN` : ""}`;
}

// settings says where the step stands and when it runs.
function settings(step: Step, info: PassInfo | undefined, select: (name: string) => void): HTMLElement[] {
  const group = step.kind === "sequential";
  const required = (info?.required ?? []).map((name) => {
    const b = h("button", { type: "button", class: "link" }, name);
    b.addEventListener("click", () => select(name));
    return b;
  });
  return pairs("In the pipeline", [
    ["Step", [h("code", {}, step.path)]],
    ["Role", group ? "" : step.role === "lowering" ? "lowering: needed for code generation" : "optional"],
    ["Level", group ? "" : `runs from opt_level ${step.level} on`],
    ["Kind", step.kind.replace("_", " ")],
    ["Ran because", step.why],
    ["Requires", required],
    ...(info?.config ?? []).map((c): [string, (Node | string)[]] => ["Config", [h("code", {}, c.key), ` ${c.type}, default `, defaultValue(c.default)]]),
  ]);
}

// defaultValue prints the default of a config option: a dictionary with one entry on each line.
function defaultValue(v: unknown): Node | string {
  if (typeof v !== "object" || v === null) return String(v);
  return h("code", { class: "dict" }, ...Object.entries(v).map(([key, x]) => h("span", {}, `${key} = ${String(x)}`)));
}

function attrs(step: Step): HTMLElement[] {
  const before = step.finished?.attrs_before ?? {};
  const after = step.finished?.attrs_after ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  if (names.length === 0) return [];
  const list = h("dl", { class: "facts" });
  for (const name of names) {
    list.append(h("dt", {}, name), h("dd", {}, h("code", {}, before[name] ?? "(none)"), " → ", h("code", {}, after[name] ?? "(none)")));
  }
  return [h("h4", {}, "Module attributes"), list];
}
