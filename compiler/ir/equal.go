package ir

import (
	"reflect"
)

// EqualOpts says how nodes are compared.
type EqualOpts struct {
	// MapFreeVars lets variables that neither side defines stand for each other, each for
	// one. Without it a free variable equals only itself.
	MapFreeVars bool
}

// StructuralEqual reports whether a and b are the same up to the names of variables that
// they define, spans and origins.
func StructuralEqual(a, b Node, opts EqualOpts) bool {
	return a == b || newComparer(opts).node(a, b, false, false)
}

// StructuralEqualModule reports whether two modules have equal functions, attributes and
// global infos. The order of functions does not matter.
func StructuralEqualModule(a, b *Module, opts EqualOpts) bool {
	return a == b || newComparer(opts).modules(a, b)
}

type comparer struct {
	opts     EqualOpts
	toB, toA map[Node]Node     // the variables that are paired
	renamed  int               // pairs in toB of two different variables
	loose    map[Node]struct{} // variables that were compared without being paired
	known    classes           // of nodes that are equal under the pairs so far
	epoch    int               // how often known had to be forgotten
	diff     *difference       // nil where nobody wants to know
}

func newComparer(opts EqualOpts) *comparer { return &comparer{opts: opts} }

func isNil(n Node) bool {
	if n == nil {
		return true
	}
	v := reflect.ValueOf(n)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// node compares two nodes. In a definition (def) a variable that stands there itself
// (direct) is defined anew; one inside struct info or a shape is defined if it is unknown.
func (c *comparer) node(a, b Node, def, direct bool) bool {
	if a == b && c.renamed == 0 && !c.opts.MapFreeVars {
		return true
	}
	if isNil(a) || isNil(b) {
		return isNil(a) && isNil(b) || c.failAt(a, b, "%s", onlyOneSide(isNil(b)))
	}
	va := reflect.ValueOf(a)
	vb := reflect.ValueOf(b)
	if va.Type() != vb.Type() {
		return c.failAt(a, b, "%s differs from %s", schemaOf(va.Type()).Name, schemaOf(vb.Type()).Name)
	}
	s := schemaOf(va.Type())
	if s.isVar {
		return c.variable(s, a, b, def, direct) || c.failedAt(a, b)
	}
	if !s.leaf && c.known.same(a, b) {
		return true
	}
	epoch := c.epoch
	if !c.fields(s, va.Elem(), vb.Elem(), def && !s.hasDef) {
		return c.failedAt(a, b)
	}
	// Where a variable of the first part was redefined in a later one, the two are equal only
	// in the place where they stand now.
	if !s.leaf && c.epoch == epoch {
		c.known.join(a, b)
	}
	return true
}

func (c *comparer) variable(s *Schema, a, b Node, def, direct bool) bool {
	if !direct {
		x, ok := c.toB[a]
		y, ok2 := c.toA[b]
		if ok || ok2 {
			return x == b && y == a ||
				c.fail("variable %s is not the counterpart of %s", a.(Variable).VarName(), b.(Variable).VarName())
		}
		if !def && !c.opts.MapFreeVars {
			switch {
			case a == b:
				c.compareLoosely(a, b)
				return true
			case s.isView:
				c.compareLoosely(a, b)
				return c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), false)
			}
			return c.fail("free variable %s differs from %s", a.(Variable).VarName(), b.(Variable).VarName())
		}
	}
	c.pair(a, b)
	return c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), true)
}

func (c *comparer) compareLoosely(a, b Node) {
	if c.loose == nil {
		c.loose = map[Node]struct{}{}
	}
	c.loose[a], c.loose[b] = struct{}{}, struct{}{}
}

func (c *comparer) forget() {
	c.known = classes{}
	c.epoch++
}

// pair makes b the counterpart of a. What was found equal while they had others, were free,
// or while no variable was renamed so that shared nodes were not looked into, is forgotten.
func (c *comparer) pair(a, b Node) {
	oldB, hasB := c.toB[a]
	oldA, hasA := c.toA[b]
	if hasB && hasA && oldB == b && oldA == a {
		return
	}
	if c.toB == nil {
		c.toB, c.toA = map[Node]Node{}, map[Node]Node{}
	}
	_, looseA := c.loose[a]
	_, looseB := c.loose[b]
	if hasB || hasA || looseA || looseB || c.renamed == 0 && a != b {
		c.forget()
	}
	if hasB {
		if oldB != a {
			c.renamed--
		}
		delete(c.toA, oldB)
	}
	if hasA {
		if oldA != b {
			c.renamed--
		}
		delete(c.toB, oldA)
	}
	if a != b {
		c.renamed++
	}
	c.toB[a], c.toA[b] = b, a
}

func (c *comparer) fields(s *Schema, a, b reflect.Value, def bool) bool {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Hint {
			continue
		}
		if !c.field(f, a.Field(f.index), b.Field(f.index), def || f.Def) {
			return c.leave(FieldStep(f.Name))
		}
	}
	return true
}

func (c *comparer) field(f *Field, a, b reflect.Value, def bool) bool {
	switch f.Kind {
	case FieldNode:
		x, _ := a.Interface().(Node)
		y, _ := b.Interface().(Node)
		return c.node(x, y, def, f.Def)
	case FieldNodes:
		return c.nodes(f, a, b, def)
	case FieldAttrs:
		return c.attrs(a.Interface().(*Attrs), b.Interface().(*Attrs))
	case FieldBlob:
		return a.Interface().(*Blob).Equal(b.Interface().(*Blob)) || c.fail("constants differ")
	case FieldInt:
		return a.Int() == b.Int() || c.fail("%d differs from %d", a.Int(), b.Int())
	case FieldUint:
		return a.Uint() == b.Uint() || c.fail("%v differs from %v", a.Interface(), b.Interface())
	case FieldFloat:
		return sameFloat(a.Float(), b.Float()) || c.fail("%g differs from %g", a.Float(), b.Float())
	case FieldBool:
		return a.Bool() == b.Bool() || c.fail("%t differs from %t", a.Bool(), b.Bool())
	case FieldString:
		return a.String() == b.String() || c.fail("%q differs from %q", a.String(), b.String())
	case FieldInts:
		return c.ints(a, b)
	case FieldValue:
		return a.Equal(b) || c.fail("%v differs from %v", a.Interface(), b.Interface())
	}
	panic("ir: unknown field kind")
}

func (c *comparer) nodes(f *Field, a, b reflect.Value, def bool) bool {
	at := func(v reflect.Value, i int) Node {
		n, _ := v.Index(i).Interface().(Node)
		return n
	}
	for i := range c.common(a.Len(), b.Len()) {
		if !c.node(at(a, i), at(b, i), def, f.Def) {
			return c.leave(IndexStep(i))
		}
	}
	switch n, m := a.Len(), b.Len(); {
	case n > m:
		return c.longer(at(a, m), nil, n, m)
	case n < m:
		return c.longer(nil, at(b, n), n, m)
	}
	return true
}

func (c *comparer) ints(a, b reflect.Value) bool {
	for i := range c.common(a.Len(), b.Len()) {
		if x, y := a.Index(i).Int(), b.Index(i).Int(); x != y {
			c.fail("%d differs from %d", x, y)
			return c.leave(IndexStep(i))
		}
	}
	return a.Len() == b.Len() || c.longer(nil, nil, a.Len(), b.Len())
}
