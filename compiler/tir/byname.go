package tir

import (
	"cmp"
	"maps"
	"slices"
)

// VarsByName returns the keys of a map by their names. What a pass says, in reasons and errors too, is the same in every run: where the
// first of several is said, a map alone would choose any of them.
func VarsByName[V any](m map[*Var]V) []*Var {
	return slices.SortedFunc(maps.Keys(m), func(a, b *Var) int { return cmp.Compare(a.Name, b.Name) })
}

// BuffersByName is VarsByName for buffers.
func BuffersByName[V any](m map[*Buffer]V) []*Buffer {
	return slices.SortedFunc(maps.Keys(m), func(a, b *Buffer) int { return cmp.Compare(a.Name, b.Name) })
}
