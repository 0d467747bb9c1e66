// Package parse reads TVMScript: the Python subset in which package script prints both
// levels of the IR, in the dialect of TVM v0.23 with the newer spellings as aliases.
//
// It works in two steps. Package syntax turns the text into a tree without looking at names; a
// typed builder then walks the tree and makes nodes, completing what the text leaves out: root
// blocks, the regions that blocks access, struct info of bindings and global symbols. Both steps
// collect errors and go on with the next statement. Nothing in the text is executed.
//
// It may be imported by tools and the page; it knows the operator tables and the IR, and no
// passes.
package parse
