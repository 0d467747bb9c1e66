package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// operands are the tensors that a call takes, tuples taken apart. It returns false where that is not known.
func (r *layoutRewriter) operands(call *relax.Call) (counts []int, leaves []layoutState, types []*relax.TensorStructInfo, ok bool) {
	ctx := r.m.Builder().Context()
	counts = make([]int, len(call.Args))
	for i, a := range call.Args {
		switch info := ctx.SInfoOf(a).(type) {
		case *relax.TensorStructInfo:
			counts[i] = -1
			leaves, types = append(leaves, r.leaf(a)), append(types, info)
		case *relax.TupleStructInfo:
			var fields []layoutState
			switch a := a.(type) {
			case *relax.Tuple:
				for _, f := range a.Fields {
					fields = append(fields, r.leaf(f))
				}
			case *relax.Var:
				fields, _ = r.states(a)
			}
			if len(fields) != len(info.Fields) || len(fields) == 0 {
				return nil, nil, nil, false
			}
			for j, f := range info.Fields {
				t, isTensor := f.(*relax.TensorStructInfo)
				if !isTensor {
					return nil, nil, nil, false
				}
				leaves, types = append(leaves, fields[j]), append(types, t)
			}
			counts[i] = len(fields)
		}
	}
	for _, t := range types {
		if t.NDim < 0 {
			return nil, nil, nil, false
		}
	}
	return counts, leaves, types, len(leaves) > 0
}

// step is how an operand comes from the layout that it is in to the one that is wanted.
type step struct{ from, to layout }

// call rewrites the call of an operator that has a rule. It returns false where the call takes what it took.
func (r *layoutRewriter) call(b *relax.VarBinding, call *relax.Call) bool {
	o, ok := call.Op.(*ir.Op)
	if !ok {
		return false
	}
	rule := layoutRules()[o.Name]
	if rule == nil {
		return false
	}
	counts, leaves, types, ok := r.operands(call)
	if !ok {
		return false
	}
	q := &layoutQuery{call: call, counts: counts, types: types, attrs: call.Attrs, name: o.Name}
	produced := make([]layout, len(leaves)) // by what the operands come from
	for i, s := range leaves {
		produced[i] = s.old
	}
	q.old = produced
	before, ok := rule(q)
	if !ok || !before.known() {
		r.altering(call, types, "what its operator takes is not known")
		return false
	}
	now := make([]layout, len(leaves))
	q.old = slices.Clone(produced)
	for i, s := range leaves {
		if now[i] = s.new; s.new == nil {
			now[i] = before.in[i]
		}
		if s.old == nil {
			q.old[i] = before.in[i]
		}
	}
	alt, err := r.alter(call, types)
	if err != nil {
		r.m.Fail(err)
		return true
	}
	q.new, q.attrs = now, before.attrs
	changed := false
	if alt != nil {
		changed = r.operate(call, counts, leaves, alt.args)
		q.attrs, q.name, q.keep = alt.attrs, alt.op, alt.keep
		rule = layoutRules()[alt.op]
	}
	after, ok := rule(q)
	if !ok || !after.known() || len(after.out) != len(before.out) {
		if alt != nil {
			r.c.Declined(layoutRule, b, "the operator does not take that layout")
		}
		return false
	}
	steps := make([][]step, len(leaves))
	for i, s := range leaves {
		switch {
		case s.old != nil && s.old.Equal(before.in[i]):
			steps[i] = []step{{s.new, after.in[i]}}
		case s.old != nil:
			steps[i] = []step{{s.new, s.old}, {before.in[i], after.in[i]}}
		default:
			steps[i] = []step{{before.in[i], after.in[i]}}
		}
		for j, x := range steps[i] {
			t := types[i] // what it was, where it is brought back first
			if j == 0 {
				t = r.tensor(s.value)
			}
			if !canTransform(t, x.from, x.to) {
				r.c.Declined(layoutRule, b, "an operand cannot be brought into that layout: the parts of an axis must divide its extent, which must be known")
				return false
			}
		}
	}
	r.emit(b, call, q.name, counts, leaves, steps, before, after, changed)
	return true
}

// operate puts what a rule makes of the operands in their places, in the layouts that these have. It returns whether it did.
func (r *layoutRewriter) operate(call *relax.Call, counts []int, leaves []layoutState, args []relax.Expr) bool {
	if args == nil {
		return false
	}
	places, next := make([]int, len(args)), 0
	vars := map[*relax.Var]relax.Expr{}
	for i, n := range counts {
		places[i] = next
		if v, ok := call.Args[i].(*relax.Var); ok && n < 0 {
			vars[v] = leaves[next].value
		}
		next += max(n, -n)
	}
	changed := false
	for i, a := range args {
		if a != call.Args[i] && counts[i] < 0 {
			leaves[places[i]].value = r.m.Emit(relax.Bind(a, relax.Subst{Vars: vars}), "")
			changed = true
		}
	}
	return changed
}

// altering says that a call whose layout is asked for stays.
func (r *layoutRewriter) altering(call *relax.Call, types []*relax.TensorStructInfo, why string) {
	if alt, err := r.alter(call, types); err == nil && alt != nil {
		r.c.Declined(layoutRule, call, why)
	}
}

// emit emits what becomes of a call, and notes the layouts of its result.
func (r *layoutRewriter) emit(b *relax.VarBinding, call *relax.Call, name string, counts []int, leaves []layoutState, steps [][]step, before, after layoutAnswer, changed bool) {
	same := !changed && name == call.Op.(*ir.Op).Name && slices.EqualFunc(before.out, after.out, layout.Equal)
	for i, s := range leaves {
		same = same && !s.moved()
		for _, x := range steps[i] {
			same = same && (x.from.Equal(x.to) || x.from.Rank() < x.to.Rank() && allOnes(r.tensor(s.value)))
		}
	}
	value := relax.Expr(call)
	if !same {
		r.rule = layoutRule
		value = r.renewed(call, name, counts, leaves, steps, after.attrs)
	}
	kept := func() {
		if same {
			r.m.VisitBinding(b)
		} else {
			r.m.EmitNormalized(r.m.WithValue(b, value))
		}
	}
	states := func(v relax.Expr) []layoutState {
		if len(after.out) == 1 && !after.tuple {
			return []layoutState{{v, before.out[0], after.out[0]}}
		}
		list := make([]layoutState, len(after.out))
		for i := range list {
			list[i] = layoutState{&relax.TupleGetItem{Tuple: v, Index: i}, before.out[i], after.out[i]}
		}
		return list
	}
	switch {
	case b.Var.Dataflow:
		kept()
		r.scope.states[b.Var] = states(r.m.Lookup(b.Var))
	case same || !anyMoved(states(b.Var)):
		kept()
	default:
		list := states(r.m.Emit(value, ""))
		e := r.asBefore(b.Var, list)
		if v, ok := e.(*relax.Var); ok { // b names what the last transformation makes, not another name for it
			if last := r.m.Builder().LookupBinding(v); last != nil {
				e = last
			}
		}
		r.m.EmitNormalized(r.m.WithValue(b, e))
	}
}

// renewed is a call with its operands in the layouts that it takes now.
func (r *layoutRewriter) renewed(call *relax.Call, name string, counts []int, leaves []layoutState, steps [][]step, attrs *ir.Attrs) relax.Expr {
	next := 0
	take := func() relax.Expr {
		e := leaves[next].value
		for _, x := range steps[next] {
			e = r.transform(e, x.from, x.to)
		}
		next++
		return e
	}
	args := make([]relax.Expr, len(call.Args))
	for i, a := range call.Args {
		switch {
		case counts[i] < 0:
			args[i] = take()
		case counts[i] > 0:
			t := &relax.Tuple{Base: a.Meta(), Fields: make([]relax.Expr, counts[i])}
			for j := range t.Fields {
				t.Fields[j] = take()
			}
			args[i] = t
		default:
			args[i] = r.m.VisitExpr(a)
		}
	}
	return &relax.Call{Base: call.Base, Op: ir.NewOp(name), Args: args, Attrs: attrs, SInfoArgs: call.SInfoArgs}
}
