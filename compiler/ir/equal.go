package ir

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// EqualOpts says how nodes are compared.
type EqualOpts struct {
	// MapFreeVars lets variables that neither side defines stand for each other, each for
	// one. Without it a free variable equals only itself.
	MapFreeVars bool
}

// Mismatch is the first place at which two nodes differ.
type Mismatch struct {
	Path   string // from the nodes that were compared, e.g. body.blocks[0].bindings[2].value
	Reason string
}

// String writes the place and the reason.
func (m *Mismatch) String() string {
	if m.Path == "" {
		return m.Reason
	}
	return m.Path + ": " + m.Reason
}

// StructuralEqual reports whether a and b are the same up to the names of variables that
// they define, spans and origins.
func StructuralEqual(a, b Node, opts EqualOpts) bool { return FirstMismatch(a, b, opts) == nil }

// FirstMismatch returns the first difference of a and b in field order, nil if they are
// structurally equal. The cost is linear in the number of distinct nodes; subtrees that
// both share cost nothing.
func FirstMismatch(a, b Node, opts EqualOpts) *Mismatch {
	c := newComparer(opts)
	if c.node(a, b, false, false) {
		return nil
	}
	return c.mismatch()
}

// FirstModuleMismatch returns the first difference of two modules: attributes, the set of
// function names, then each function in a's order. The order of functions does not matter.
func FirstModuleMismatch(a, b *Module, opts EqualOpts) *Mismatch {
	if a == b {
		return nil
	}
	c := newComparer(opts)
	if !c.attrs(a.attrs, b.attrs) {
		c.leave("attrs")
		return c.mismatch()
	}
	for gv, fa := range a.Funcs() {
		fb := b.Lookup(gv.Name)
		if fb == nil {
			return &Mismatch{Path: "functions", Reason: fmt.Sprintf("%q is only in the first module", gv.Name)}
		}
		c := newComparer(opts)
		if !c.node(fa, fb, false, false) {
			c.leave("functions[" + strconv.Quote(gv.Name) + "]")
			return c.mismatch()
		}
	}
	for gv := range b.Funcs() {
		if a.Lookup(gv.Name) == nil {
			return &Mismatch{Path: "functions", Reason: fmt.Sprintf("%q is only in the second module", gv.Name)}
		}
	}
	return nil
}

// StructuralEqualModule reports whether two modules have equal functions and attributes.
func StructuralEqualModule(a, b *Module, opts EqualOpts) bool {
	return FirstModuleMismatch(a, b, opts) == nil
}

type comparer struct {
	opts    EqualOpts
	toB     map[Node]Node
	toA     map[Node]Node
	renamed int           // pairs in toB of two different variables
	done    map[Node]Node // pairs known to be equal
	reason  string
	path    []string // innermost step first
}

func newComparer(opts EqualOpts) *comparer { return &comparer{opts: opts} }

func (c *comparer) mismatch() *Mismatch {
	slices.Reverse(c.path)
	var b strings.Builder
	for _, p := range c.path {
		if b.Len() > 0 && p[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return &Mismatch{Path: b.String(), Reason: c.reason}
}

func (c *comparer) fail(format string, args ...any) bool {
	c.reason = fmt.Sprintf(format, args...)
	return false
}

func (c *comparer) leave(step string) bool {
	c.path = append(c.path, step)
	return false
}

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
		if isNil(a) && isNil(b) {
			return true
		}
		return c.fail("only one side is set")
	}
	va := reflect.ValueOf(a)
	vb := reflect.ValueOf(b)
	if va.Type() != vb.Type() {
		return c.fail("%s differs from %s", schemaOf(va.Type()).Name, schemaOf(vb.Type()).Name)
	}
	s := schemaOf(va.Type())
	if s.isVar {
		return c.variable(s, a, b, def, direct)
	}
	if !s.leaf && c.done[a] == b {
		return true
	}
	if !c.fields(s, va.Elem(), vb.Elem(), def && !s.hasDef) {
		return false
	}
	if !s.leaf {
		c.remember(a, b)
	}
	return true
}

func (c *comparer) remember(a, b Node) {
	if c.done == nil {
		c.done = map[Node]Node{}
	}
	c.done[a] = b
}

func (c *comparer) variable(s *Schema, a, b Node, def, direct bool) bool {
	if !direct {
		x, ok := c.toB[a]
		y, ok2 := c.toA[b]
		if ok || ok2 {
			if x == b && y == a {
				return true
			}
			return c.fail("variable %s is not the counterpart of %s", a.(Variable).VarName(), b.(Variable).VarName())
		}
		if !def && !c.opts.MapFreeVars {
			if a == b {
				return true
			}
			if s.isView {
				return c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), false)
			}
			return c.fail("free variable %s differs from %s", a.(Variable).VarName(), b.(Variable).VarName())
		}
	}
	c.pair(a, b)
	return c.fields(s, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), true)
}

func (c *comparer) pair(a, b Node) {
	if c.toB == nil {
		c.toB, c.toA = map[Node]Node{}, map[Node]Node{}
	}
	if old, ok := c.toB[a]; ok {
		if old != a {
			c.renamed--
		}
		delete(c.toA, old)
		clear(c.done)
	}
	if old, ok := c.toA[b]; ok {
		if old != b {
			c.renamed--
		}
		delete(c.toB, old)
		clear(c.done)
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
			return c.leave(f.Name)
		}
	}
	return true
}

func (c *comparer) field(f *Field, a, b reflect.Value, def bool) bool {
	switch f.Kind {
	case FieldNode:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil() || c.fail("only one side is set")
		}
		return c.node(a.Interface().(Node), b.Interface().(Node), def, f.Def)
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
	if a.Len() != b.Len() {
		return c.fail("%d entries differ from %d", a.Len(), b.Len())
	}
	for i := range a.Len() {
		x, _ := a.Index(i).Interface().(Node)
		y, _ := b.Index(i).Interface().(Node)
		if !c.node(x, y, def, f.Def) {
			return c.leave("[" + strconv.Itoa(i) + "]")
		}
	}
	return true
}

func (c *comparer) ints(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return c.fail("%d entries differ from %d", a.Len(), b.Len())
	}
	for i := range a.Len() {
		if x, y := a.Index(i).Int(), b.Index(i).Int(); x != y {
			c.fail("%d differs from %d", x, y)
			return c.leave("[" + strconv.Itoa(i) + "]")
		}
	}
	return true
}
