package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// DecomposeReduction gives the init of a reduction block a block of its own in front of a
// loop. All loops of the reduction must be at or inside that loop.
func (s *Schedule) DecomposeReduction(b *Block, l *Loop) (*Block, error) {
	const prim = "decompose_reduction"
	if err := check(prim, b, l); err != nil {
		return nil, err
	}
	if b.init == nil {
		return nil, fail(prim, b, l, "it has no init")
	}
	if !inside(b, l) {
		return nil, fail(prim, b, l, "the block is not in the loop")
	}
	reduces := func(o *Loop) bool {
		for k, iv := range b.iters {
			if iv.Kind != tir.DataPar && usesLoop(b.values[k], o) {
				return true
			}
		}
		return false
	}
	spatial := func(o *Loop) bool {
		for k, iv := range b.iters {
			if iv.Kind == tir.DataPar && usesLoop(b.values[k], o) {
				return true
			}
		}
		return false
	}
	sub := map[*tir.Var]tir.Expr{}
	var within []*Loop
	inner := false
	for _, o := range loopsAbove(b) {
		inner = inner || o == l
		switch {
		case !inner && reduces(o):
			return nil, fail(prim, b, l, "the reduction loop %s is outside", o.v.Name)
		case !inner:
		case spatial(o) && reduces(o):
			return nil, fail(prim, b, l, "loop %s belongs to a reduction and to another axis", o.v.Name)
		case spatial(o):
			within = append(within, o)
		case reduces(o):
		case tir.IsConst(o.extent, 1):
			sub[o.v] = tir.Const(o.v.DType(), 0)
		default:
			// Each of its iterations starts the reduction anew; behind one start they would add up.
			return nil, fail(prim, b, l, "loop %s belongs to no axis and repeats the block", o.v.Name)
		}
	}
	// The init comes to run before all that the loop holds.
	var early *Block
	eachLoad(b.init, func(x *tir.BufferLoad) {
		for _, w := range s.writers[x.Buffer] {
			if w != b && inside(w, l) {
				early = w
			}
		}
	})
	if early != nil {
		return nil, fail(prim, b, l, "its init reads what block %s writes inside of the loop", early.name)
	}
	p := l.parent
	init := &Block{base: b.base, name: s.fresh(b.name + "_init"), attrs: b.attrs}
	var loops []*Loop
	for _, o := range within {
		c := &Loop{base: o.base, v: tir.NewVar(o.v.Name+"_init", o.v.DType()), extent: tir.SubstExpr(o.extent, sub), kind: o.kind, thread: o.thread}
		sub[o.v] = c.v
		loops = append(loops, c)
	}
	vars := map[*tir.Var]tir.Expr{}
	for k, iv := range b.iters {
		if iv.Kind != tir.DataPar {
			continue
		}
		v := tir.NewVar(iv.Var.Name+"_init", iv.Var.DType())
		vars[iv.Var] = v
		dom := &tir.Range{Min: tir.SubstExpr(iv.Dom.Min, sub), Extent: tir.SubstExpr(iv.Dom.Extent, sub)}
		init.iters = append(init.iters, &tir.IterVar{Base: iv.Base, Dom: dom, Var: v})
		init.values = append(init.values, tir.SubstExpr(b.values[k], sub))
	}
	for _, c := range tir.Conjuncts(nil, b.pred) {
		if !arith.UsesVar(c, func(v *tir.Var) bool { return anyLoop(loopsAbove(b), v, reduces) }) {
			guard(init, tir.SubstExpr(c, sub))
		}
	}
	s.setBody(init, nil, tir.SubstStmt(b.init, vars))
	s.setBody(b, nil, b.body)
	insert(p, slices.Index(p.at().kids, node(l)), nest(loops, init))
	return init, nil
}

func anyLoop(loops []*Loop, v *tir.Var, f func(*Loop) bool) bool {
	for _, l := range loops {
		if l.v == v && f(l) {
			return true
		}
	}
	return false
}

// Combiner returns how a reduction block with one store combines: the operation, the value
// combined, and the store. ok is false for other bodies.
func Combiner(b *Block) (op tir.BinaryOp, value tir.Expr, st *tir.BufferStore, ok bool) {
	st, ok = b.body.(*tir.BufferStore)
	if !ok || st.Predicate != nil {
		return 0, nil, nil, false
	}
	e, ok := st.Value.(*tir.Binary)
	if !ok {
		return 0, nil, nil, false
	}
	switch e.Op {
	case tir.OpAdd, tir.OpMul, tir.OpMin, tir.OpMax, tir.OpAnd, tir.OpOr:
	default:
		return 0, nil, nil, false
	}
	own := func(x tir.Expr) bool {
		l, ok := x.(*tir.BufferLoad)
		if !ok || l.Buffer != st.Buffer || l.Predicate != nil || len(l.Indices) != len(st.Indices) {
			return false
		}
		for k := range l.Indices {
			if !arith.Equal(l.Indices[k], st.Indices[k]) {
				return false
			}
		}
		return true
	}
	value = e.B
	if !own(e.A) {
		if !own(e.B) {
			return 0, nil, nil, false
		}
		value = e.A
	}
	eachLoad(&tir.Evaluate{Value: value}, func(l *tir.BufferLoad) { ok = ok && l.Buffer != st.Buffer })
	return e.Op, value, st, ok
}
