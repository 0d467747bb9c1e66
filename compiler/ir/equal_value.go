package ir

import (
	"fmt"
	"math"
	"strconv"

	"github.com/irscope/irscope/runtime/dtype"
)

func (c *comparer) attrs(a, b *Attrs) bool {
	if a == b && c.renamed == 0 && !c.opts.MapFreeVars {
		return true
	}
	if a.Len() != b.Len() {
		return c.fail("%d entries differ from %d", a.Len(), b.Len())
	}
	for i := range a.Len() {
		k, x := a.At(i)
		l, y := b.At(i)
		if k != l {
			return c.fail("key %q differs from %q", k, l)
		}
		if !c.value(x, y) {
			return c.leave("[" + strconv.Quote(k) + "]")
		}
	}
	return true
}

func (c *comparer) value(a, b Value) bool {
	if a == nil || b == nil {
		return a == b || c.fail("only one side is set")
	}
	same := false
	switch x := a.(type) {
	case bool:
		y, ok := b.(bool)
		same = ok && x == y
	case int64:
		y, ok := b.(int64)
		same = ok && x == y
	case float64:
		y, ok := b.(float64)
		same = ok && sameFloat(x, y)
	case string:
		y, ok := b.(string)
		same = ok && x == y
	case dtype.DType:
		y, ok := b.(dtype.DType)
		same = ok && x == y
	case *Attrs:
		if y, ok := b.(*Attrs); ok {
			return c.attrs(x, y)
		}
	case []Value:
		if y, ok := b.([]Value); ok {
			return c.values(x, y)
		}
	case Node:
		if y, ok := b.(Node); ok {
			return c.node(x, y, false, false)
		}
	default:
		panic(fmt.Sprintf("ir: an attribute cannot hold a %T", a))
	}
	return same || c.fail("%v differs from %v", a, b)
}

func (c *comparer) values(a, b []Value) bool {
	if len(a) != len(b) {
		return c.fail("%d entries differ from %d", len(a), len(b))
	}
	for i := range a {
		if !c.value(a[i], b[i]) {
			return c.leave("[" + strconv.Itoa(i) + "]")
		}
	}
	return true
}

// sameFloat compares bits: a NaN equals itself, and 0 differs from -0.
func sameFloat(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
