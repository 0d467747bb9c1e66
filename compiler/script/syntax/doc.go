// Package syntax reads the subset of Python in which TVMScript is written, into a tree.
//
// A lexer joins lines inside of brackets and makes tokens of indentation; a recursive-descent
// parser makes the tree, without looking at names but those of the decorators that say where a
// script begins. Both go on after an error: the lexer behind the character, the parser with the next
// line that is not indented deeper, so that a text gives all of its errors at once. Errors are
// ranges of offsets; Source turns offsets into lines and columns. What a text nests and chains is
// bounded, so that no text exhausts the stack of the parser or of those who walk the tree.
//
// It knows no IR and imports nothing of ours; package parse makes IR of its trees.
package syntax
