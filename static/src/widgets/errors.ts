// Errors and messages as boxes, with a way to where they belong.

import type { Diagnostic, RunError } from "../wire";
import { h } from "./dom";

// Jump leads to a line of the text that the session starts from, or of a script of the run.
export type Jump = (line: number, script?: string) => void;

export function errorNote(e: RunError): HTMLElement {
  const where = [e.pass && `pass ${e.pass}`, e.function && `function ${e.function}`, e.op && `operator ${e.op}`, e.instrument && `instrument ${e.instrument}`, e.limit && `limit ${e.limit}`]
    .filter(Boolean)
    .join(", ");
  return h("div", { class: "note error" }, h("p", { class: "note-text" }, e.message), e.program ? h("pre", { class: "note-program", tabindex: 0 }, e.program) : null, where ? h("p", { class: "note-where" }, where) : null);
}

// stepNotes say what went wrong in a step, and what else was said of it. The message of a script says more than the error of the pass
// that it ended.
export function stepNotes(error: RunError | null | undefined, diagnostics: readonly Diagnostic[], jump: Jump): HTMLElement[] {
  const notes = diagnostics.map((d) => diagnosticNote(d, jump));
  return error && !diagnostics.some((d) => d.code === "script") ? [errorNote(error), ...notes] : notes;
}

export function diagnosticNote(d: Diagnostic, jump: Jump): HTMLElement {
  if (d.code === "print") {
    return h("div", { class: "note printed" }, h("p", { class: "note-where" }, `Printed by ${d.span?.source ?? "a script"}`), h("pre", {}, d.message));
  }
  return h(
    "div",
    { class: `note ${d.severity}` },
    h("p", { class: "note-text" }, h("strong", {}, `${d.severity}: `), d.message),
    d.help ? h(d.code === "script" ? "pre" : "p", {}, d.help) : null,
    d.span || d.function ? h("p", { class: "note-where" }, d.function ? `function ${d.function}` : "", d.function && d.span ? ", " : "", place(d, jump)) : null,
  );
}

// place says where in the source a message belongs; it leads there where the page shows the source.
function place(d: Diagnostic, jump: Jump): HTMLElement | string {
  if (!d.span) return "";
  const { source, line, column } = d.span;
  const at = [source, line, column].filter(Boolean).join(":");
  if (!line) return at;
  const b = h("button", { type: "button", class: "link", "data-jump": line }, at);
  b.addEventListener("click", () => jump(line, d.code === "script" || d.code === "edit" ? source : ""));
  return b;
}
