// The details of the selected pass: what it is, what it did, in numbers, and what it had to say.

import { only } from "../store/counts";
import { h } from "../widgets/dom";
import { big, bytes, plural, shortOp, time } from "../store/format";
import { importPath, opCount, type Step } from "../store/model";
import { diagnosticNote, errorNote, type Jump } from "../widgets/errors";
import { glyphs } from "../widgets/glyphs";
import type { Metrics, PassInfo, Script } from "../wire";

export interface DetailsListener {
  select(name: string): void;
  jump: Jump;
  // edit opens a script; null where the visitor may not change it.
  edit: ((script: string) => void) | null;
  // about describes a step that applies an edit of the IR; null for any other.
  about(step: Step): HTMLElement | null;
  // warnings say where the order around the step breaks a constraint.
  warnings: string[];
}

// details writes what a step is into host, and what it did into rest; between them the page shows its options.
export function details(host: HTMLElement, rest: HTMLElement, step: Step | null, info: PassInfo | undefined, on: DetailsListener): void {
  rest.replaceChildren();
  if (!step) {
    host.replaceChildren(h("p", { class: "quiet" }, "Select a pass to see what it did."));
    return;
  }
  if (step.path === importPath) {
    host.replaceChildren(h("h3", { class: "details-name" }, step.name), h("p", { class: "details-sum" }, "The module as the importer made it, before any pass."));
    return;
  }
  const group = step.kind === "sequential";
  const head: HTMLElement[] = [
    h("h3", { class: "details-name" }, h("span", { class: `glyph is-${step.status}`, "aria-hidden": "true" }, glyphs[step.status]), step.name),
    h("p", { class: "details-sum" }, summary(step)),
  ];
  if (info?.doc) head.push(h("p", { class: "details-doc" }, info.doc));
  if (info?.script) head.push(written(info.script, on));
  const about = on.about(step);
  if (about) head.push(about);
  head.push(...on.warnings.map((text) => h("div", { class: "note warning" }, h("p", { class: "note-text" }, text))));
  const out: HTMLElement[] = [];
  // The message of a script says more than the error of the pass that it ended.
  if (step.error && !step.diagnostics.some((d) => d.code === "script")) out.push(errorNote(step.error));
  out.push(...step.diagnostics.map((d) => diagnosticNote(d, on.jump)));
  out.push(facts(step, info, on.select));
  const after = step.finished?.metrics ?? null;
  if (step.before && after) out.push(...numbers(step.before, after));
  if (!group) out.push(...attrs(step));
  host.replaceChildren(...head);
  rest.replaceChildren(...out);
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
    case "skipped": return `Did not run: ${step.text}.`;
    case "failed": return `Failed${took}.`;
    case "same": return `Ran${took} and changed nothing.`;
    case "changed": {
      const f = step.finished!;
      const rest = f.same > 0 ? `, left ${f.same} as ${f.same === 1 ? "it was" : "they were"}` : "";
      const marks = only(f);
      return `Changed ${plural(f.functions.length, "function")}${rest}${took}${marks ? `: ${marks}` : ""}.`;
    }
  }
}

function facts(step: Step, info: PassInfo | undefined, selectPass: (name: string) => void): HTMLElement {
  const list = h("dl", { class: "facts" });
  const fact = (name: string, ...value: (Node | string)[]): void => {
    const dd = h("dd");
    dd.append(...value);
    list.append(h("dt", {}, name), dd);
  };
  fact("Step", h("code", {}, step.path));
  if (step.kind !== "sequential") {
    fact("Role", step.role === "lowering" ? "lowering: needed for code generation" : "optional");
    fact("Level", `runs from opt_level ${step.level} on`);
  }
  fact("Kind", step.kind.replace("_", " "));
  if (step.why) fact("Ran because", step.why);
  if (info?.required?.length) {
    fact(
      "Requires",
      ...info.required.map((name) => {
        const b = h("button", { type: "button", class: "link" }, name);
        b.addEventListener("click", () => selectPass(name));
        return b;
      }),
    );
  }
  const m = step.measured;
  if (m.total !== undefined) fact("Time", time(m.total), m.self !== undefined && m.self !== m.total ? ` (self ${time(m.self)})` : "", step.reused ? " ↺ from an earlier run" : "");
  if (m.instruments) fact("Instruments", time(m.instruments));
  if (m.alloc_bytes) fact("Allocated", `≈ ${bytes(m.alloc_bytes)}`);
  for (const c of info?.config ?? []) fact("Config", h("code", {}, c.key), ` ${c.type}, default `, defaultValue(c.default));
  return list;
}

// defaultValue prints the default of a config option: a dictionary with one entry on each line.
function defaultValue(v: unknown): Node | string {
  if (typeof v !== "object" || v === null) return String(v);
  return h("code", { class: "dict" }, ...Object.entries(v).map(([key, x]) => h("span", {}, `${key} = ${String(x)}`)));
}

const rows: [string, (m: Metrics) => number, (n: number) => string][] = [
  ["Functions", (m) => m.functions, big],
  ["Kernels", (m) => m.kernels, big],
  ["Graph operators", opCount, big],
  ["FLOPs", (m) => m.flops, big],
  ["Constants", (m) => m.constant_bytes, bytes],
  ["Intermediates", (m) => m.intermediate_bytes, bytes],
];

function numbers(before: Metrics, after: Metrics): HTMLElement[] {
  const table = (caption: string, body: HTMLElement[]): HTMLElement =>
    h(
      "table",
      { class: "counts" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "vh" }, "What")), h("th", { scope: "col" }, "before"), h("th", { scope: "col" }, "after"))),
      h("tbody", {}, ...body),
    );
  const line = (name: string, a: number, b: number, print: (n: number) => string, mono: boolean): HTMLElement =>
    h(
      "tr",
      { class: a === b ? "" : "differs" },
      h("th", { scope: "row", class: mono ? "mono" : "" }, name),
      h("td", { class: "num" }, print(a)),
      h("td", { class: "num" }, print(b), a === b ? "" : b > a ? " ▲" : " ▼"),
    );
  const out = [table("Module", rows.map(([name, of, print]) => line(name, of(before), of(after), print, false)))];
  const names = new Set([...Object.keys(before.ops ?? {}), ...Object.keys(after.ops ?? {})]);
  const ops = [...names]
    .map((name) => ({ name, a: before.ops?.[name] ?? 0, b: after.ops?.[name] ?? 0 }))
    .sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a) || y.b - x.b || (x.name < y.name ? -1 : 1));
  if (ops.length > 0) {
    out.push(table("Operators", ops.slice(0, 30).map((o) => line(shortOp(o.name), o.a, o.b, String, true))));
    if (ops.length > 30) out.push(h("p", { class: "quiet" }, `and ${plural(ops.length - 30, "more kind")} of operators`));
  }
  return out;
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
