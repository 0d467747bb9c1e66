// What codemirror.js exports: make.sh bundles this list, and a type check with the packages at hand reads it.

export type { Extension } from "@codemirror/state";
export { EditorState } from "@codemirror/state";
export { EditorView, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
export { pythonLanguage } from "@codemirror/lang-python";
export { tags } from "@lezer/highlight";
