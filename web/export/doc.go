// Package export writes a session for readers who have no server: as the page in one file, as a
// Markdown report, and as a zip archive of everything, which it also reads back.
//
// What it writes holds no token, and the ids of a session only if that was shared: who is
// given a file learns what is in it, and not how to read more. What it reads may come from
// anybody: names, sizes, hashes and forms are checked before anything is stored. Package
// web and cmd/explorer import it; it must not know HTTP, passes or IR.
package export
