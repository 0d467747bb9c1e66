// Package irjson saves modules and nodes as JSON and loads them again, exactly: with sharing,
// names, inferred struct info, spans and origins, and constants bit for bit.
//
// The form follows TVM's save_json: a table of nodes that refer to each other by index, with
// TVM's type keys, and a root. A node refers to earlier ones only, so reading needs no
// recursion and no cycle can be written. Constants stand in the JSON as base64, or before it
// as they are (Raw). The text is the same for the same module in every run, and loading and
// saving again gives the same bytes.
//
// It may be imported by everything but runtime, package target, and code generators whose code is not IR; it knows the nodes of both levels
// and no passes.
package irjson
