// Package highlight turns texts of IR and of generated code, and the differences
// of two such texts, into rows of coloured spans for the page.
//
// It holds hand-written scanners that tell chroma's types of tokens (chroma's own lexers,
// built on regular expressions, are a thousand times slower), windows of a text, and windows
// of a diff with word marks and folded context. Spans carry chroma's class names;
// the style sheet under static/ gives them their colours. The web package may
// import it. It must not know sessions, runs, storage or HTTP; it imports of ours
// only the line diff and the names of languages.
package highlight
