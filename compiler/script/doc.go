// Package script prints both levels of the IR as TVMScript, in the dialect of TVM v0.23.
//
// The text is what TVM's own printer and parser agree on: what no comment says is read by
// every reader of TVMScript as the same module. Integers of another type than int32 are spelled
// T.int64(4) wherever a reader would not give them their type, see Options.IntDType.
//
// Printing is deterministic, and each line is traced to the node that it shows. Constants are
// not spelled out: they stand as metadata entries keyed by their digest, so that a text does
// not change where a constant elsewhere came or went. Options.ShowMeta numbers them and adds
// their values, as TVM does.
//
// What is printed reads back as an equal module, with all options but those that add what is
// no TVMScript: underlines, line numbers, and cuts (num_context_lines). Comments of
// Options.Annotate, spans and origins are lost by reading. A variable that nothing defines
// reads back as another one of its name. Package roundtrip checks all this.
//
// It may be imported by everything but runtime and targets; it knows no passes.
package script
