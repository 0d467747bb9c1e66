// Package starpass runs passes and instruments that users write in Starlark, the dialect of
// Python made for embedding (go.starlark.net). A script sees modules, nodes, visitors,
// mutators, passes, pass contexts and instruments under TVM's names.
//
//	prog, err := starpass.Compile("count.star", source, starpass.Limits{})
//	mod, err = ctx.Run(prog.Passes()[0], mod)
//
// Scripts may be in the Python of TVM's documents, with classes, decorators, with and try: package dialect makes trees of Starlark of
// them.
//
// Scripts come from outside: they have no input and output but print, no clock and no random
// numbers, and steps, depth, memory and printed bytes are limited. The limits hold between two
// instructions of the interpreter and, because a script's syntax tree is rewritten before it
// runs (harden.go), also in the operations that the interpreter does in one go.
//
// It may be imported by the command line and the runners of the web; it knows no code
// generator.
package starpass
