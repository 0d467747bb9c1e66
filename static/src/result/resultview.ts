// The result of a run: outputs, latency, and the kernels that were generated. It is loaded when it is opened.

import "../shared";
import { h } from "../widgets/dom";
import { errorNote } from "../widgets/errors";
import { byNumber, bytes, number, plural, time } from "../store/format";
import { type Execution, type RunModel, vmCode } from "../store/model";
import type { State } from "../store/state";
import { addAccesses } from "../widgets/accesses";
import { CheckView } from "./checkview";
import { FaultView } from "./faultview";
import { InputsView } from "./inputsview";
import { WhatIfView } from "./whatifview";
import type { CodeGenerated, Comparison, Fixed, WireTensor } from "../wire";

export { CheckView, FaultView, InputsView, WhatIfView };

// Part is a part of the view that has the server work on a run that is over.
export interface Part {
  element(model: RunModel): HTMLElement;
}

// drawResult shows all that a run came to; open shows a line of a text, parts are what is there where there is a compiler.
export function drawResult(host: HTMLElement, model: RunModel, openKernel: (name: string) => void, open: (to: Partial<State>) => void, parts: readonly Part[]): void {
  const out: HTMLElement[] = [];
  if (model.executions.length > 1) out.push(overview(model.executions));
  for (const x of model.executions) out.push(execution(x));
  const { error } = model.finished ?? {};
  if (error && model.executions.every((x) => !x.body.error)) {
    const note = errorNote(error);
    addAccesses(note, model, open);
    out.push(note);
  }
  if (model.executions.length === 0) {
    out.push(h("p", { class: "quiet" }, error ? "There are no outputs: the run ended with the error above." : model.finished ? "The model was not run." : "The outputs appear here once the compiled model has run."));
  }
  if (model.finished) out.push(...parts.map((p) => p.element(model)));
  if (model.code) out.push(generated(model.code, openKernel));
  if (model.finished) {
    const parts = model.parts().map(([name, t]) => h("div", {}, h("dt", {}, name), h("dd", { class: "num mono" }, time(t))));
    out.push(h("section", { class: "result-part" }, h("h3", {}, "Where the time went"), h("dl", { class: "stats" }, ...parts)));
  }
  host.replaceChildren(...out);
}

// overview sets the executions side by side: the same program at each value of its symbolic dimensions.
function overview(all: Execution[]): HTMLElement {
  const head = (text: string): HTMLElement => h("th", { scope: "col" }, text);
  const fixed = all.some((x) => x.fixed);
  const rows = all.map((x) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "mono" }, bindings(x)),
      h("td", { class: "num" }, x.latency.length > 0 ? time(median(x.latency)) : "–"),
      fixed && h("td", { class: "num" }, x.fixed ? time(median(x.fixed.latency)) : "–"),
      h("td", { class: "mono" }, x.body.error ? "failed" : x.body.outputs.map((t) => `${t.name} ${shape(t)}`).join(", ")),
      h("td", { class: "num mono" }, x.body.outputs.map((t) => number(t.mean)).join(", ")),
    ),
  );
  return h(
    "section",
    { class: "result-part" },
    h("h3", {}, `Compiled once, ran ${all.length} times`),
    h("table", { class: "executions", "aria-label": "Each run of the program" },
      h("thead", {}, h("tr", {}, head("at"), head("latency"), fixed && head("fixed sizes"), head("outputs"), head("mean"))),
      h("tbody", {}, ...rows)),
  );
}

function execution(x: Execution): HTMLElement {
  const b = x.body;
  const at = bindings(x);
  const part = h("section", { class: "result-part" }, h("h3", {}, `${b.function}${at ? ` at ${at}` : ""}`));
  if (x.latency.length > 0) {
    const several = `median of ${x.latency.length} runs, fastest ${time(x.latency[0]!)}`;
    part.append(
      h("p", { class: "latency" },
        h("span", { class: "latency-value num" }, time(median(x.latency))),
        h("span", { class: "quiet" }, x.latency.length === 1 ? "latency, one run" : several)),
    );
  }
  if (x.fixed) part.append(fixedSizes(x.fixed));
  if (b.error) part.append(errorNote(b.error));
  for (const t of b.outputs) part.append(tensor(t, "output", b.expected?.find((c) => c.output === t.name)));
  if (b.inputs.length > 0) {
    part.append(h("details", { class: "inputs" }, h("summary", {}, plural(b.inputs.length, "input")), ...b.inputs.map((t) => tensor(t, "input"))));
  }
  return part;
}

// fixedSizes says what the same execution takes with code for these sizes alone.
function fixedSizes(f: Fixed): HTMLElement {
  const made = f.reused ? "kept from an earlier run" : `compiled in ${time(f.compile)}`;
  return h("p", { class: "latency fixed-sizes" },
    h("span", { class: "num" }, time(median(f.latency))),
    h("span", { class: "quiet" }, `with code for ${values(f.sizes)} only, ${made}`));
}

function generated(code: CodeGenerated, openKernel: (name: string) => void): HTMLElement {
  const rows = byNumber(code.kernels).map((k) => ({ key: k.name, title: k.name, lines: plural(k.lines, "line"), size: k.bytes > 0 ? bytes(k.bytes) : "" }));
  if (code.vm) rows.unshift({ key: vmCode, title: "Virtual-machine code", lines: "", size: "" });
  const list = h("ul", { class: "kernels" });
  for (const k of rows) {
    const b = h("button", { type: "button", class: "link mono" }, k.title);
    b.addEventListener("click", () => openKernel(k.key));
    list.append(h("li", {}, b, h("span", { class: "quiet num" }, k.lines), h("span", { class: "quiet num" }, k.size)));
  }
  return h(
    "section",
    { class: "result-part" },
    h("h3", {}, "Generated code"),
    h("p", { class: "quiet" }, `${plural(code.kernels.length, "kernel")} for ${code.target}, ${bytes(code.bytes)} in all`),
    list,
  );
}

function bindings(x: Execution): string {
  return values(x.body.bindings ?? {});
}

// values writes symbolic dimensions and what they are.
function values(dims: Record<string, number>): string {
  return Object.entries(dims).map(([k, v]) => `${k} = ${v}`).join(", ");
}

function median(sorted: number[]): number {
  return sorted[sorted.length >> 1]!;
}

function shape(t: WireTensor): string {
  return t.shape.length > 0 ? t.shape.join("×") : "scalar";
}

function tensor(t: WireTensor, role: string, expected?: Comparison): HTMLElement {
  const stat = (name: string, value: string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", { class: "num mono" }, value));
  const size = t.shape.reduce((n, d) => n * d, 1);
  return h(
    "div",
    { class: "tensor" },
    h("p", { class: "tensor-head" },
      h("span", { class: "vh" }, role), h("strong", { class: "mono" }, t.name), " ",
      h("code", {}, `${t.dtype} ${shape(t)}`),
      t.source ? h("span", { class: "quiet" }, ` ${t.source}`) : null),
    h("dl", { class: "stats" }, stat("min", number(t.min)), stat("max", number(t.max)), stat("mean", number(t.mean)), t.nans ? stat("NaN", String(t.nans)) : null),
    h("code", { class: "elements", tabindex: 0, role: "group", "aria-label": `First elements of ${t.name}` }, `[${t.first.map(number).join(", ")}${size > t.first.length ? ", …" : ""}]`),
    expected
      ? h("p", { class: expected.within ? "within" : "beyond" },
          `${expected.within ? "✓ agrees" : "✕ differs"}: largest absolute error ${number(expected.max_abs)}, relative ${number(expected.max_rel)} (allowed ${number(expected.atol)} and ${number(expected.rtol)})`)
      : null,
  );
}
