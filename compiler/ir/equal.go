package ir

import (
	"math"
	"reflect"
	"sync"
)

// Structural equality compares two graphs of nodes up to the names of the variables that they define
// (alpha-equivalence): fun(x) { x + 1 } equals fun(y) { y + 1 }, but not fun(y) { z + 1 }.
//
// The comparison walks both sides in step. Where it meets a definition on both sides it pairs the two
// variables in the innermost scope; a use is equal to a use only if the two variables are paired with
// each other. That alone would be exponential on a graph with shared nodes, because a node reached by
// two paths would be compared twice at every level. So each result is kept with the scope that it
// depends on (see scopes), and nodes found equal are merged into one class (see classes): a pair is
// compared only if that joins two classes.
//
// Invariant: at every moment the pairing is one to one among the variables in force, and a remembered
// result is reused only where every variable that it read is still paired as it was.
//
// Cost: linear in the distinct nodes of both sides, apart from shared nodes that read a variable that
// several nodes around them redefine, which are compared once for each. TVM's counterpart is
// src/node/structural_equal.cc.

// EqualOpts says how nodes are compared.
type EqualOpts struct {
	// MapFreeVars lets variables that neither side defines stand for each other, each for
	// one. Without it a free variable equals only itself.
	MapFreeVars bool
}

// StructuralEqual reports whether a and b are the same up to the names of variables that
// they define, spans and origins.
func StructuralEqual(a, b Node, opts EqualOpts) bool {
	if a == b {
		return true
	}
	c := comparers.Get().(*comparer)
	c.opts = opts
	c.init()
	equal := c.node(a, b, false, false)
	*c = comparer{}
	comparers.Put(c)
	return equal
}

// StructuralEqualModule reports whether two modules have equal functions, attributes and
// global infos. The order of functions does not matter.
func StructuralEqualModule(a, b *Module, opts EqualOpts) bool {
	return a == b || newComparer(opts, nil).modules(a, b)
}

type comparer struct {
	scopes
	opts     EqualOpts
	a, b     map[Node]binding // what the variables of the two sides stand for
	shadowed []shadowed
	renamed  int32 // definitions in force of two different variables
	pairs    int32 // free variables that were mapped
	known    classes
	diff     *difference // nil where nobody wants to know
}

// shadowed is a binding that is in force again when the scope at depth is closed.
type shadowed struct {
	side  map[Node]binding
	n     Node
	old   binding
	depth int32
}

// comparers are kept for the next comparison: most are of a few nodes, and there are thousands of them.
var comparers = sync.Pool{New: func() any { return &comparer{} }}

func newComparer(opts EqualOpts, diff *difference) *comparer {
	c := &comparer{opts: opts, diff: diff}
	c.init()
	return c
}

func isNil(n Node) bool {
	if n == nil {
		return true
	}
	v := reflect.ValueOf(n)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// node compares two nodes. In a definition (def) a variable that stands there itself
// (direct) is defined anew; one inside struct info or a shape is defined if it is unknown. Outside
// of one, what is bound in a direct node holds after it.
func (c *comparer) node(a, b Node, def, direct bool) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	if !va.IsValid() || !vb.IsValid() || va.IsNil() || vb.IsNil() {
		return isNil(a) && isNil(b) || c.failAt(a, b, "%s", onlyOneSide(isNil(b)))
	}
	s := schemaOf(va.Type())
	if va.Type() != vb.Type() {
		return c.failAt(a, b, "%s differs from %s", s.Name, schemaOf(vb.Type()).Name)
	}
	if s.isVar {
		return c.variable(s, a, b, def, direct) || c.failedAt(a, b)
	}
	if s.leaf {
		return a == b || c.fields(s, va.Elem(), vb.Elem(), def) || c.failedAt(a, b)
	}
	if a == b && !def && !s.leaks && c.identity() {
		c.marks |= markShared
		return true
	}
	bare := direct && !def
	if f, ok := c.known.find(a, b); ok && !bare && c.holds(f, def) && (f.marks&markShared == 0 || c.renamed == 0) {
		c.again(f)
		return true
	}
	reach, marks := c.begin()
	count := c.top().count
	scope := s.scope && !bare
	if scope {
		c.open(0)
	}
	if !c.fields(s, va.Elem(), vb.Elem(), def && !s.hasDef) {
		return c.failedAt(a, b)
	}
	if scope {
		c.close()
	}
	f := c.end(reach, marks)
	// What defines variables for others must do so in each place.
	if !bare && c.top().count == count {
		c.known.join(a, b, f)
	}
	return true
}

// identity reports whether each variable stands for itself, so that what both sides share is equal.
func (c *comparer) identity() bool { return c.renamed == 0 && !c.opts.MapFreeVars }

// close ends the innermost scope.
func (c *comparer) close() {
	c.renamed -= c.top().renamed
	c.scopes.close()
	for n := len(c.shadowed); n > 0 && int(c.shadowed[n-1].depth) >= len(c.frames); n-- {
		s := &c.shadowed[n-1]
		s.side[s.n] = s.old
		c.shadowed = c.shadowed[:n-1]
	}
}

func (c *comparer) variable(s *Schema, a, b Node, def, direct bool) bool {
	if !direct {
		x, ok := c.a[a]
		y, ok2 := c.b[b]
		ok, ok2 = ok && c.live(x), ok2 && c.live(y)
		switch {
		case ok && ok2 && x.since == y.since && x.num == y.num:
			c.use(x.depth)
			return x.num > 0 || !s.isView || c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), false)
		case ok || ok2:
			return c.fail("variable %s is not the counterpart of %s", a.(Variable).VarName(), b.(Variable).VarName())
		case !def && c.opts.MapFreeVars:
			c.pairs--
			free := binding{num: c.pairs, free: true}
			c.bind(a, b, free, free)
			c.use(0)
			return c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), false)
		case !def && (a == b || s.isView):
			c.useFree()
			none := binding{since: -1, free: true}
			c.bind(a, b, none, none)
			if a == b && s.isView && c.identity() {
				c.marks |= markShared
				return true
			}
			return !s.isView || c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), false)
		case !def:
			return c.fail("free variable %s differs from %s", a.(Variable).VarName(), b.(Variable).VarName())
		}
	}
	c.pair(a, b, direct)
	return c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), true)
}

// pair defines a and b in the innermost scope, as counterparts of each other.
func (c *comparer) pair(a, b Node, direct bool) {
	outerA, freeA := c.shadow(c.a, a)
	outerB, freeB := c.shadow(c.b, b)
	c.renew(min(outerA, outerB))
	if !direct { // elsewhere it may be known
		c.use(0)
		freeA, freeB = true, true
	}
	if a != b {
		c.renamed++
		c.top().renamed++
	}
	x := c.define()
	y := x
	x.free, y.free = freeA, freeB
	c.bind(a, b, x, y)
}

func (c *comparer) bind(a, b Node, x, y binding) {
	if c.a == nil {
		c.a, c.b = map[Node]binding{}, map[Node]binding{}
	}
	c.a[a], c.b[b] = x, y
}

// shadow keeps what n stands for until the innermost scope is closed. It returns the depth from
// which on findings may depend on that, which no scope has if none do, and whether n was free.
func (c *comparer) shadow(side map[Node]binding, n Node) (int32, bool) {
	old, ok := side[n]
	outer := int32(math.MaxInt32)
	if ok && c.live(old) {
		c.shadowed = append(c.shadowed, shadowed{side, n, old, int32(len(c.frames) - 1)})
		outer = old.depth
	}
	if old.free {
		outer = 0
	}
	return outer, old.free
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
		return c.node(x, y, def, f.direct())
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
