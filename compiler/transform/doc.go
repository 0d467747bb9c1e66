// Package transform holds the passes over Relax functions and those that cross levels: from
// simplification and fusion to memory planning and the lowering of Relax functions to calls
// of the runtime. One pass a file; package pipeline orders them.
//
// It may be imported by pipeline and by tests; it knows no code generator, no runtime
// machine and no web.
package transform
