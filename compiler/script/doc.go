// Package script prints both levels of the IR as TVMScript, in the dialect of TVM v0.23.
//
// Printing is deterministic, and each line is traced to the node that it shows. Constants are
// never spelled out: they stand as metadata entries keyed by their digest, so that a text
// does not change where a constant elsewhere came or went.
//
// It may be imported by everything but runtime and targets; it knows no passes.
package script
