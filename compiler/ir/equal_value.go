package ir

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
)

// modules compares attributes, then each function in a's order, then global infos.
func (c *comparer) modules(a, b *Module) bool {
	if !c.attrs(a.attrs, b.attrs) {
		return c.leave(FieldStep(fieldAttrs))
	}
	for gv, f := range a.Funcs() {
		if !c.function(f, b.Lookup(gv.Name)) {
			c.leave(KeyStep(gv.Name))
			return c.leave(FieldStep(fieldFunctions))
		}
	}
	if a.Len() != b.Len() {
		for gv, f := range b.Funcs() {
			if a.Lookup(gv.Name) == nil && !c.function(nil, f) {
				c.leave(KeyStep(gv.Name))
				return c.leave(FieldStep(fieldFunctions))
			}
		}
	}
	return c.infos(a.infos, b.infos) || c.leave(FieldStep(fieldGlobalInfos))
}

// function compares two functions, either of which may be nil. Variables of one function mean
// nothing in another.
func (c *comparer) function(a, b Function) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return c.failAt(a, b, "%s", onlyOneSide(b == nil))
	}
	return newComparer(c.opts, c.diff).node(a, b, false, false)
}

func (c *comparer) infos(a, b map[string][]Node) bool {
	kinds := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		x, y := a[k], b[k]
		for i := range max(len(x), len(y)) {
			var l, r Node
			if i < len(x) {
				l = x[i]
			}
			if i < len(y) {
				r = y[i]
			}
			if !c.node(l, r, false, false) {
				c.leave(IndexStep(i))
				return c.leave(KeyStep(k))
			}
		}
	}
	return true
}

func (c *comparer) attrs(a, b *Attrs) bool {
	if a == b && !a.holdNodes() {
		return true
	}
	if a == b && c.identity() {
		c.marks |= markShared
		return true
	}
	if c.diff == nil && a.Len() != b.Len() {
		return false
	}
	for i := range max(a.Len(), b.Len()) {
		var k, l string
		var x, y Value
		if i < a.Len() {
			k, x = a.At(i)
		}
		if i < b.Len() {
			l, y = b.At(i)
		}
		switch {
		case i == b.Len() || i < a.Len() && k < l:
			c.fail("%s", onlyOneSide(true))
			return c.leave(KeyStep(k))
		case i == a.Len() || l < k:
			c.fail("%s", onlyOneSide(false))
			return c.leave(KeyStep(l))
		case !c.value(x, y):
			return c.leave(KeyStep(k))
		}
	}
	return true
}

// EqualValues reports whether two values of attributes are structurally equal.
func EqualValues(a, b Value) bool { return newComparer(EqualOpts{}, nil).value(a, b) }

func (c *comparer) value(a, b Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil || c.fail("%s", onlyOneSide(b == nil))
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
			return c.alone(x, y)
		}
	default:
		panic(fmt.Sprintf("ir: an attribute cannot hold a %T", a))
	}
	return same || c.fail("%v differs from %v", a, b)
}

// alone compares nodes whose definitions hold for nothing else.
func (c *comparer) alone(a, b Node) bool {
	reach, marks := c.begin()
	c.open(0)
	if !c.node(a, b, false, false) {
		return false
	}
	c.close()
	c.end(reach, marks)
	return true
}

func (c *comparer) values(a, b []Value) bool {
	for i := range c.common(len(a), len(b)) {
		if !c.value(a[i], b[i]) {
			return c.leave(IndexStep(i))
		}
	}
	return len(a) == len(b) || c.longer(nil, nil, len(a), len(b))
}

// sameFloat compares bits, where all NaNs have those of one, as in TVM: texts have one word for them. 0 differs from -0.
func sameFloat(x, y float64) bool { return floatBits(x) == floatBits(y) }

func floatBits(x float64) uint64 {
	if x != x {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}
