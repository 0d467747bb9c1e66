package parse

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
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
	l := newOf(&b.nodes.lists, list{items: items, tuple: tuple, size: 1})
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

// describe names a value in an error.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[x]
	case int64:
		return strconv.FormatInt(x, 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return strconv.Quote(x)
	case *list:
		if x.tuple {
			return fmt.Sprintf("a tuple of %d values", len(x.items))
		}
		return fmt.Sprintf("a list of %d values", len(x.items))
	case *dict:
		return "a dictionary"
	case namespace:
		return x.path
	case *tir.Buffer:
		return "the buffer " + x.Name
	case ir.Variable:
		return "the variable " + x.VarName()
	case *tir.BufferRegion:
		return "a region of a buffer"
	case tir.Expr:
		return "an expression of type " + x.DType().String()
	case relax.StructInfo:
		return "struct info"
	case *ir.GlobalVar:
		return "the function " + x.Name
	case relax.Expr:
		return "a graph-level value"
	case moduleRef:
		return "the module"
	case tensorField:
		return "the " + x.name + " of a tensor"
	case *frame:
		return "a statement"
	case method:
		return "the method " + x.sig.name
	case fresh:
		return "a new variable"
	case metaVar:
		return describe(x.v)
	case device:
		return "a device"
	case *macro:
		return "the macro " + x.s.Name
	case *matchCast:
		return "R.match_cast(...)"
	case constantRef:
		return "a constant"
	case *tir.IterVar:
		return "the variable " + x.Var.Name
	case *tir.Range:
		return "a range"
	case dtype.DType:
		return "the element type " + x.String()
	}
	return fmt.Sprintf("%T", v)
}
