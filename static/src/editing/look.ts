// How the editor looks: the colours of the page, which follow its theme by themselves.

import type * as Bundle from "../../vendor/codemirror";

export function look(cm: typeof Bundle): Bundle.Extension[] {
  const t = cm.tags;
  const underline = (colour: string): Record<string, string> => ({
    backgroundImage: "none", textDecoration: `underline wavy ${colour}`, textDecorationSkipInk: "none", textUnderlineOffset: "3px", paddingBottom: "0",
  });
  return [
    cm.EditorView.theme({
      "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--canvas)", fontSize: "13px" },
      "&.cm-focused": { outline: "none" }, // the frame around it has the mark
      ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", fontVariantLigatures: "none" },
      ".cm-content": { caretColor: "var(--text)", padding: "6px 0" },
      ".cm-gutters": { color: "var(--text-3)", backgroundColor: "var(--canvas)", border: "0", borderRight: "1px solid var(--line)" },
      ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 12px" },
      ".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "var(--hover)" },
      ".cm-content ::selection, .cm-content::selection": { backgroundColor: "var(--selected)" },
      "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selected)", outline: "1px solid var(--line-strong)" },
      "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--error-bg)" },
      ".cm-specialChar": { color: "var(--failed)" },
      ".cm-lintRange-error": underline("var(--failed)"),
      ".cm-lintRange-warning": underline("var(--running)"),
      ".cm-lintRange-info": underline("var(--accent)"),
      ".cm-lintPoint:after": { borderBottomColor: "var(--failed)" },
      ".cm-gutter-lint": { width: "16px" },
      ".cm-gutter-lint .cm-gutterElement": { padding: "0 2px" },
      ".cm-lint-marker": { content: "none !important", width: "9px", height: "9px", margin: "6px 2px 0", borderRadius: "50%", backgroundColor: "var(--accent)" },
      ".cm-lint-marker-error": { backgroundColor: "var(--failed)" },
      ".cm-lint-marker-warning": { backgroundColor: "var(--running)", borderRadius: "1px" },
      ".cm-tooltip": {
        maxWidth: "min(560px, 90vw)", color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)",
        borderRadius: "var(--radius)", boxShadow: "var(--shadow)", fontFamily: "var(--sans)",
      },
      ".cm-tooltip .cm-diagnostic": { padding: "6px 10px", borderLeft: "3px solid var(--accent)", whiteSpace: "pre-wrap" },
      ".cm-tooltip .cm-diagnostic-error": { borderLeftColor: "var(--failed)" },
      ".cm-tooltip .cm-diagnostic-warning": { borderLeftColor: "var(--running)" },
      ".cm-help": { marginTop: "4px", color: "var(--text-2)" },
    }),
    cm.syntaxHighlighting(
      cm.HighlightStyle.define([
        { tag: [t.keyword, t.operatorKeyword, t.self], color: "var(--tok-keyword)" },
        { tag: [t.meta], color: "var(--tok-attr)" },
        { tag: [t.function(t.definition(t.variableName)), t.function(t.variableName), t.function(t.propertyName)], color: "var(--tok-function)" },
        { tag: [t.className, t.definition(t.className), t.typeName], color: "var(--tok-type)" },
        { tag: [t.number, t.bool, t.null], color: "var(--tok-number)" },
        { tag: [t.string, t.special(t.string)], color: "var(--tok-string)" },
        { tag: t.comment, color: "var(--tok-comment)", fontStyle: "italic" },
      ]),
    ),
  ];
}
