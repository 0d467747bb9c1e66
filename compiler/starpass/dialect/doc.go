// Package dialect reads scripts in the Python in which TVM's documents write passes, and makes syntax trees of Starlark of them.
//
// Starlark has no classes, decorators, with, try, imports, f-strings, comparisons by is, or annotations. What Starlark has comes out as
// its own parser would make it; of the rest some is plain syntax (annotations are dropped, assert is an if), and some becomes calls of
// functions of whoever runs the tree, under the names in names.go, which no script can spell. All nodes keep the places of the text, so
// that errors and stacks name the lines of the user.
//
// A block under try becomes a function, since only a function of Go can catch an error. A function of Starlark cannot assign to the
// variables around it, so the variables that such blocks assign, and those that are declared nonlocal, move into a dictionary (cells.go).
//
// It reads tokens by the lexer of TVMScript (compiler/script/syntax). It knows no IR and runs nothing; only package starpass imports it.
package dialect
