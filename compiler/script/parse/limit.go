package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
)

// Limits of what a short text may grow to, since names stand for what they hold: a few lines
// that each use the one before twice would fill the memory.
const (
	maxSize     = 1 << 18 // nodes that the value of a name expands to
	maxItems    = 1 << 22 // values in nested lists
	maxText     = 1 << 20 // bytes of a string that is put together
	maxExpanded = 1 << 16 // statements that come out of macros
)

// weigh checks that what a name is about to stand for does not expand to more than maxSize
// nodes. n is for the error.
func (b *builder) weigh(v any, n *syntax.Node) {
	if b.sizeOf(v) > maxSize {
		b.fail(n, "build it in smaller steps", "the value of this expands to more than %d nodes", maxSize)
	}
}

// sizeOf returns how many nodes v expands to, at most a little more than maxSize. It is
// remembered for what has been weighed before.
func (b *builder) sizeOf(v any) int {
	switch x := v.(type) {
	case *list:
		n := 1
		for _, it := range x.items {
			if n += b.sizeOf(it); n > maxSize {
				break
			}
		}
		return n
	case *dict:
		return b.sizeOf(&list{items: x.vals})
	case metaVar:
		return b.sizeOf(x.v)
	case ir.Node:
		return b.nodeSize(x)
	}
	return 1
}

// newList makes a list of bounded size.
func (b *builder) newList(n *syntax.Node, items []any, tuple bool) *list {
	l := &list{items: items, tuple: tuple, size: 1}
	for _, it := range items {
		l.size++
		if x, ok := it.(*list); ok {
			l.size += x.size
		}
	}
	if l.size > maxItems {
		b.fail(n, "", "this list has more than %d values", maxItems)
	}
	return l
}

func (b *builder) nodeSize(top ir.Node) int {
	switch top.(type) {
	case *relax.Var, *ir.GlobalVar, *relax.Constant:
		return 1
	}
	if n, ok := b.sizes[top]; ok {
		return n
	}
	count := 0
	ir.Walk(top, func(n ir.Node) bool {
		if count > maxSize {
			return false
		}
		if k, ok := b.sizes[n]; ok && n != top {
			count += k
			return false
		}
		count++
		return true
	})
	if b.sizes == nil {
		b.sizes = map[ir.Node]int{}
	}
	b.sizes[top] = count
	return count
}
