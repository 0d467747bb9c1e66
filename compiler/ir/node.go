package ir

import "sync"

// Node is any node of the IR: a pointer to a struct that embeds Base.
//
// The exported fields of the struct, in order, are the node's schema. Field tags refine it:
//
//	ir:"def"  the field defines the variable or buffer that it holds, to the end of the node
//	ir:"bind" as def, to the end of the nearest node around this one with a field of def or scope
//	ir:"scope" what the field binds holds to the end of the node
//	ir:"open" what the node in the field binds holds for the fields that follow, too
//	ir:"name" the field proposes a name (equality and hash skip it)
//	ir:"-"    the field follows from others (equality and hash skip it, paths and JSON do not)
type Node interface {
	// EachChild calls f for each direct child, in field order. Variables and buffers
	// that the node defines or uses are children, but themselves have none.
	EachChild(f func(Node))
	// Meta returns the node's span and origin.
	Meta() Base
}

// Base is embedded in every node: where it was written and what it was made from.
// Structural equality and hash ignore it.
type Base struct {
	Span   *Span    `ir:"-"`
	Origin OriginID `ir:"-"`
}

// Meta returns b itself.
func (b Base) Meta() Base { return b }

// Walk calls f for n and all nodes below it, parents first. Where f returns false the
// children are skipped. Shared nodes are visited once for each place that they stand in.
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	w := walkers.Get().(*walker)
	w.f = f
	n.EachChild(w.visit)
	w.f = nil
	walkers.Put(w)
}

// Any reports whether is holds for n or a node below it.
func Any(n Node, is func(Node) bool) bool {
	found := false
	Walk(n, func(n Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// walker is what Walk needs below a node. Most walks are of a few nodes and there are millions of them, so that
// walkers are kept for the next one.
type walker struct {
	f     func(Node) bool
	visit func(Node) // one closure for all nodes: one for each would be most of the cost
}

var walkers = sync.Pool{New: func() any {
	w := &walker{}
	w.visit = func(n Node) {
		if n != nil && w.f(n) {
			n.EachChild(w.visit)
		}
	}
	return w
}}

// WalkPost calls f for n and all nodes below it, children first.
func WalkPost(n Node, f func(Node)) {
	var visit func(Node)
	visit = func(n Node) {
		if n != nil {
			n.EachChild(visit)
			f(n)
		}
	}
	visit(n)
}

// MapSame maps xs through f. It returns xs itself if f changed nothing.
func MapSame[T comparable](xs []T, f func(T) T) []T {
	for i, x := range xs {
		y := f(x)
		if y == x {
			continue
		}
		ys := append(make([]T, 0, len(xs)), xs[:i]...)
		ys = append(ys, y)
		for _, x := range xs[i+1:] {
			ys = append(ys, f(x))
		}
		return ys
	}
	return xs
}
