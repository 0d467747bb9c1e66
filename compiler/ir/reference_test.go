package ir_test

import (
	"maps"
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// reference compares as docs/nodes.md says, without remembering anything: it looks at a shared
// node once for each place.
type reference struct {
	mapped       bool
	a, b         map[ir.Node]int // definitions in force
	freeA, freeB map[ir.Node]int
	defs         int
}

func referenceEqual(a, b ir.Node, opts ir.EqualOpts) bool {
	r := &reference{mapped: opts.MapFreeVars, a: map[ir.Node]int{}, b: map[ir.Node]int{}, freeA: map[ir.Node]int{}, freeB: map[ir.Node]int{}}
	return r.node(a, b, false, false)
}

func (r *reference) node(a, b ir.Node, def, direct bool) bool {
	if a == nil || b == nil || reflect.ValueOf(a).IsNil() || reflect.ValueOf(b).IsNil() {
		return (a == nil || reflect.ValueOf(a).IsNil()) == (b == nil || reflect.ValueOf(b).IsNil())
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if _, ok := a.(ir.Variable); ok {
		return r.variable(a, b, def, direct)
	}
	defines, scope := false, false
	for _, f := range ir.SchemaOf(a).Fields {
		defines = defines || f.Def
	}
	switch a.(type) {
	case *relax.VarBinding, *relax.MatchCast, *relax.BindingBlock, *tir.IterVar, *tir.MatchBufferRegion:
	case *relax.SeqExpr:
		scope = !direct || def
	case *tir.AttrStmt:
		scope = true
	default:
		scope = defines
	}
	return r.in(scope, func() bool { return r.fields(a, b, def && !defines) })
}

// in calls f, and forgets what it defined if that is a scope of its own.
func (r *reference) in(scope bool, f func() bool) bool {
	if !scope {
		return f()
	}
	x, y := r.a, r.b
	r.a, r.b = maps.Clone(x), maps.Clone(y)
	ok := f()
	r.a, r.b = x, y
	return ok
}

func (r *reference) variable(a, b ir.Node, def, direct bool) bool {
	_, isView := a.(ir.View)
	if !direct {
		x, ok := r.a[a]
		if y, ok2 := r.b[b]; ok || ok2 {
			return ok && ok2 && x == y
		}
		x, ok = r.freeA[a]
		if y, ok2 := r.freeB[b]; ok || ok2 {
			return ok && ok2 && x == y && (!isView || r.fields(a, b, false))
		}
		switch {
		case !def && r.mapped:
			r.defs++
			r.freeA[a], r.freeB[b] = r.defs, r.defs
			return r.fields(a, b, false)
		case !def && isView:
			return r.fields(a, b, false)
		case !def:
			return a == b
		}
	}
	r.defs++
	r.a[a], r.b[b] = r.defs, r.defs
	return r.fields(a, b, true)
}

func (r *reference) fields(a, b ir.Node, def bool) bool {
	s := ir.SchemaOf(a)
	for _, f := range s.Fields {
		if f.Hint {
			continue
		}
		x, _ := s.Field(a, f.Name)
		y, _ := s.Field(b, f.Name)
		_, isFunc := a.(*relax.Function)
		direct := f.Def || isFunc && f.Name == "body"
		switch f.Kind {
		case ir.FieldNode:
			m, _ := x.(ir.Node)
			n, _ := y.(ir.Node)
			if !r.node(m, n, def || f.Def, direct) {
				return false
			}
		case ir.FieldNodes:
			v, w := reflect.ValueOf(x), reflect.ValueOf(y)
			if v.Len() != w.Len() {
				return false
			}
			for i := range v.Len() {
				m, _ := v.Index(i).Interface().(ir.Node)
				n, _ := w.Index(i).Interface().(ir.Node)
				if !r.node(m, n, def || f.Def, direct) {
					return false
				}
			}
		case ir.FieldAttrs:
			// Attributes of the nodes below hold one node at most.
			v, _ := x.(*ir.Attrs).Get("node")
			w, _ := y.(*ir.Attrs).Get("node")
			m, _ := v.(ir.Node)
			n, _ := w.(ir.Node)
			if !r.in(true, func() bool { return r.node(m, n, false, false) }) {
				return false
			}
		default:
			if !reflect.DeepEqual(x, y) {
				return false
			}
		}
	}
	return true
}
