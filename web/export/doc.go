// Package export writes a session for readers who have no server: as one HTML page, as a
// Markdown report, and as a zip archive of everything, which it also reads back.
//
// What it writes holds neither the ids of the session and its runs nor any token: who is
// given a file learns what is in it, and not how to read more. What it reads may come from
// anybody: names, sizes, hashes and forms are checked before anything is stored. Package
// web and cmd/explorer import it; it must not know HTTP, passes or IR.
package export
