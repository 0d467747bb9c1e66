package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// altered is a call that an operator's rule has put into another layout: the name of the operator, and its attributes. keep says that the
// layout is asked for, so that it does not follow what comes. args are what the operands become, nil where they stay.
type altered struct {
	op    string
	attrs *ir.Attrs
	keep  bool
	args  []relax.Expr
}

// layoutRewriter walks a function forward and brings operators into other layouts, and what comes after them along, as TVM's LayoutRewriter
// (src/relay/transforms/transform_layout.h) does.
//
// For each value of a dataflow block it knows the layout that its operator gave it, and the one that it has now. A rule says for each operator
// in which layouts it takes its operands; they are brought there from what they are in. What has no rule takes them as they were. The work is
// linear in the bindings.
type layoutRewriter struct {
	c     *pass.Context
	m     *relax.ExprMutator
	scope *layoutScope
	rule  string
	// alter returns what becomes of a call whose result a rule can follow, nil where it stays.
	alter func(call *relax.Call, types []*relax.TensorStructInfo) (*altered, error)
}

// layoutScope is a dataflow block.
type layoutScope struct {
	outer  *layoutScope
	states map[*relax.Var][]layoutState
	done   map[transformed]*relax.Var
	tuples map[*relax.Var]bool // that are bound with their fields as in the module
}

// layoutState is a tensor: its layout in the module, that in which it is now, and what it is in that. A variable that is a tuple has one for
// each field.
type layoutState struct {
	value    relax.Expr
	old, new layout
}

func (s layoutState) moved() bool { return !s.old.Equal(s.new) }

// transformed is what a value became in another layout.
type transformed struct {
	value    relax.Expr
	from, to string
}

// layoutRule is the name of what such a pass does.
const layoutRule = "follow a layout"

func rewriteLayouts(c *pass.Context, f *relax.Function, alter func(*relax.Call, []*relax.TensorStructInfo) (*altered, error)) (*relax.Function, error) {
	r := &layoutRewriter{c: c, m: op.NewExprMutator(c.Step().Input), alter: alter}
	if c.Observed() {
		r.m.Rewrote = func(b relax.Binding, list []relax.Binding) {
			after := make([]ir.Node, len(list))
			for i, x := range list {
				after[i] = x
			}
			c.RewriteAll(r.rule, []ir.Node{b}, after)
		}
	}
	r.m.Block = func(b *relax.BindingBlock) {
		outer := r.scope
		r.scope = &layoutScope{outer, map[*relax.Var][]layoutState{}, map[transformed]*relax.Var{}, map[*relax.Var]bool{}}
		r.m.VisitBlock(b)
		r.scope = outer
	}
	r.m.Expr = func(e relax.Expr) relax.Expr {
		if v, ok := e.(*relax.Var); ok {
			if list, tuple := r.states(v); !tuple && anyMoved(list) {
				return r.asBefore(v, list)
			}
		}
		return r.m.VisitExpr(e)
	}
	r.m.Binding = func(b relax.Binding) {
		r.rule = "bring into the layout of the module"
		if vb, ok := b.(*relax.VarBinding); !ok || !r.binding(vb) {
			r.m.VisitBinding(b)
		}
	}
	out, err := r.m.Function(f)
	if err != nil || out == f {
		return out, err
	}
	ctx := r.m.Builder().Context()
	return dropUnused(out, func(e relax.Expr) bool {
		call, ok := e.(*relax.Call)
		return !ok || relax.CallIsPure(call, op.Table(), ctx)
	}), nil
}

func anyMoved(list []layoutState) bool {
	for _, s := range list {
		if s.moved() {
			return true
		}
	}
	return false
}

// states are the layouts of a variable of a dataflow block; bound says that it stands for a tuple that is as in the module.
func (r *layoutRewriter) states(v *relax.Var) (list []layoutState, bound bool) {
	for s := r.scope; s != nil; s = s.outer {
		if list, ok := s.states[v]; ok {
			return list, s.tuples[v]
		}
	}
	return nil, false
}

// asBefore returns what stands for a variable in the layouts of the module.
func (r *layoutRewriter) asBefore(v *relax.Var, list []layoutState) relax.Expr {
	if _, tuple := v.SInfo.(*relax.TupleStructInfo); !tuple {
		return r.realized(list[0])
	}
	t := &relax.Tuple{Fields: make([]relax.Expr, len(list))}
	for i, s := range list {
		t.Fields[i] = r.realized(s)
	}
	return t
}

// realized is a value in the layout of the module.
func (r *layoutRewriter) realized(s layoutState) relax.Expr {
	if s.new == nil {
		return s.value
	}
	return r.transform(s.value, s.new, s.old)
}

// transform brings a value from one layout into another; a scalar stays, as it broadcasts.
func (r *layoutRewriter) transform(e relax.Expr, from, to layout) relax.Expr {
	if from.Equal(to) {
		return e
	}
	if from.Rank() < to.Rank() && allOnes(r.tensor(e)) {
		return e
	}
	key := transformed{e, from.String(), to.String()}
	for s := r.scope; s != nil; s = s.outer {
		if v := s.done[key]; v != nil {
			return v
		}
	}
	out := e
	if n := to.Rank() - from.Rank(); n > 0 {
		axes := make([]int64, n)
		for i := range axes {
			axes[i] = int64(i)
		}
		out, from = r.m.Emit(op.ExpandDims(e, axes...), ""), expanded(from, to)
	}
	if !from.Equal(to) {
		out = r.m.Emit(callOf("relay.layout_transform", ir.NewAttrs("src_layout", from.String(), "dst_layout", to.String()), out), "")
	}
	if v, ok := out.(*relax.Var); ok && r.scope != nil {
		r.scope.done[key] = v
	}
	return out
}

// canTransform reports whether transform can do that with a tensor.
func canTransform(t *relax.TensorStructInfo, from, to layout) bool {
	if from.Equal(to) {
		return true
	}
	if t == nil {
		return false
	}
	dims, known := t.Dims()
	if n := to.Rank() - from.Rank(); n > 0 {
		if allOnes(t) {
			return true
		}
		if from = expanded(from, to); known {
			ones := make([]tir.Expr, n, n+len(dims))
			for i := range ones {
				ones[i] = tir.Int(1)
			}
			dims = append(ones, dims...)
		}
	} else if t.NDim != len(from) {
		return false
	}
	return convertible(from, to, dims)
}

func (r *layoutRewriter) tensor(e relax.Expr) *relax.TensorStructInfo {
	t, ok := r.m.Builder().Context().SInfoOf(e).(*relax.TensorStructInfo)
	if !ok || t.NDim < 0 {
		return nil
	}
	return t
}

// allOnes reports whether a tensor is known to have one element.
func allOnes(t *relax.TensorStructInfo) bool {
	if t == nil {
		return false
	}
	d, ok := t.Dims()
	for _, n := range d {
		ok = ok && tir.IsConst(n, 1)
	}
	return ok
}

// binding rewrites a binding. It returns false where the value takes its operands as they were.
func (r *layoutRewriter) binding(b *relax.VarBinding) bool {
	switch value := b.Value.(type) {
	case *relax.Call:
		return r.call(b, value)
	case *relax.Tuple:
		if b.Var.Dataflow {
			list := make([]layoutState, len(value.Fields))
			for i, f := range value.Fields {
				list[i] = r.leaf(f)
			}
			r.m.VisitBinding(b) // dropped where only fields are used
			r.scope.states[b.Var], r.scope.tuples[b.Var] = list, true
			return true
		}
	case *relax.TupleGetItem:
		if t, ok := value.Tuple.(*relax.Var); ok && b.Var.Dataflow {
			if list, _ := r.states(t); value.Index < len(list) {
				r.field(b, list[value.Index])
				return true
			}
		}
	}
	return false
}

// field binds a variable to a field of a tuple.
func (r *layoutRewriter) field(b *relax.VarBinding, s layoutState) {
	switch _, bound := s.value.(*relax.Var); {
	case !s.moved():
		r.m.VisitBinding(b)
		s.value = r.m.Lookup(b.Var)
	case !bound:
		r.rule = layoutRule
		r.m.EmitNormalized(r.m.WithValue(b, s.value))
		s.value = r.m.Lookup(b.Var)
	}
	r.scope.states[b.Var] = []layoutState{s}
}

// leaf is what is known of an operand that is a tensor.
func (r *layoutRewriter) leaf(e relax.Expr) layoutState {
	if v, ok := e.(*relax.Var); ok {
		if list, _ := r.states(v); len(list) == 1 {
			if _, tuple := v.SInfo.(*relax.TupleStructInfo); !tuple {
				return list[0]
			}
		}
	}
	return layoutState{value: r.m.VisitExpr(e)}
}
