// What the editors of texts have in common: the keys, the marks of errors in the text, and the list of them below.

import type * as Bundle from "../../vendor/codemirror";
import { h } from "../widgets/dom";
import type { Diagnostic } from "../wire";

type CodeMirror = typeof Bundle;
type View = InstanceType<CodeMirror["EditorView"]>;

// listed is how many errors the list below the text shows.
const listed = 40;

// basics are the parts of an editor of Python.
export function basics(cm: CodeMirror): Bundle.Extension[] {
  return [
    cm.keymap.of([{ key: "F8", run: cm.nextDiagnostic, shift: cm.previousDiagnostic }, ...cm.defaultKeymap, ...cm.historyKeymap]),
    cm.lineNumbers(),
    cm.lintGutter(),
    cm.highlightActiveLineGutter(),
    cm.highlightSpecialChars(),
    cm.history(),
    cm.indentUnit.of("    "),
    cm.indentOnInput(),
    cm.bracketMatching(),
    cm.pythonLanguage,
  ];
}

// mark underlines what was found in the text.
export function mark(cm: CodeMirror, view: View, found: Diagnostic[]): void {
  const marks = found.filter((d) => d.span?.line).map((d) => ({
    ...rangeOf(view, d), severity: d.severity === "note" ? ("info" as const) : d.severity, message: d.message,
    renderMessage: () => h("div", {}, h("div", {}, d.message), d.help ? h("div", { class: "cm-help" }, d.help) : null),
  }));
  marks.sort((a, b) => a.from - b.from);
  view.dispatch(cm.setDiagnostics(view.state, marks));
}

// list fills a list with what was found; an entry leads to its place.
export function list(host: HTMLElement, found: Diagnostic[], jump: (d: Diagnostic) => void): void {
  host.replaceChildren(...found.slice(0, listed).map((d) => item(d, jump)));
  if (found.length > listed) host.append(h("li", { class: "diagnostic-more" }, `and ${found.length - listed} more, marked in the text`));
}

function item(d: Diagnostic, jump: (d: Diagnostic) => void): HTMLElement {
  const place = d.span?.line ? `${d.span.line}:${d.span.column ?? 1}` : "";
  const li = h("li", { class: `diagnostic is-${d.severity}` });
  const go = h("button", { type: "button", class: "diagnostic-go" },
    h("span", { class: "diagnostic-place num" }, place),
    h("span", { class: "diagnostic-text" }, h("span", { class: "vh" }, `${d.severity}: `), d.message));
  go.addEventListener("click", () => jump(d));
  li.append(go);
  if (d.help) li.append(h("span", { class: "diagnostic-help" }, d.help));
  return li;
}

// jumpTo selects the place of an error.
export function jumpTo(cm: CodeMirror, view: View, d: Diagnostic): void {
  const { from, to } = rangeOf(view, d);
  view.dispatch({ selection: { anchor: from, head: to }, effects: cm.EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

// rangeOf turns a span, whose columns count bytes, into offsets of the text. It is never empty where the line has anything.
function rangeOf(view: View, d: Diagnostic): { from: number; to: number } {
  const { doc } = view.state;
  const at = (line: number, column: number): number => {
    const l = doc.line(Math.max(1, Math.min(line, doc.lines)));
    return l.from + charsOf(l.text, column - 1);
  };
  const { line = 1, column = 1, end_line: endLine = line, end_column: endColumn = column } = d.span ?? {};
  let from = at(line, column);
  let to = Math.max(from, at(endLine, endColumn));
  if (from === to) {
    const l = doc.lineAt(from);
    if (to < l.to) to++;
    else if (from > l.from) from--;
  }
  return { from, to };
}

// charsOf returns how many characters of the text, as scripts count them, take the given number of bytes.
function charsOf(text: string, bytes: number): number {
  let i = 0;
  while (i < text.length && bytes > 0) {
    const c = text.codePointAt(i)!;
    bytes -= c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    i += c < 0x10000 ? 1 : 2;
  }
  return i;
}
