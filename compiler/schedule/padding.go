package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// DecomposePadding splits a padding block, which stores a value within bounds of its
// iteration variables and a constant outside of them, in two: one block stores the constant
// everywhere, b itself then stores the values, without a condition. It returns the block of
// the constant.
func (s *Schedule) DecomposePadding(b *Block) (*Block, error) {
	const prim = "decompose_padding"
	if err := check(prim, b); err != nil {
		return nil, err
	}
	st, ok := b.body.(*tir.BufferStore)
	if !ok || b.init != nil || !tir.IsTrue(b.pred) {
		return nil, fail(prim, b, nil, "it is not one store without a condition around it")
	}
	call, ok := tir.IsCallTo(st.Value, tir.OpIfThenElse)
	if !ok || !isConstant(call.Args[2]) {
		return nil, fail(prim, b, nil, "it does not choose between a value and a constant")
	}
	if err := s.covers(prim, b, st); err != nil {
		return nil, err
	}
	loops := loopsAbove(b)
	for k, iv := range b.iters {
		v, _ := b.values[k].(*tir.Var)
		l := loopOf(loops, v)
		if l == nil || len(loops) != len(b.iters) || !arith.Equal(iv.Dom.Extent, l.extent) {
			return nil, fail(prim, b, nil, "its loops were changed before")
		}
	}
	if !single(loops) {
		return nil, fail(prim, b, nil, "its loops hold other blocks")
	}
	lo, hi := make([]tir.Expr, len(b.iters)), make([]tir.Expr, len(b.iters))
	for _, c := range tir.Conjuncts(nil, call.Args[0]) {
		i, least, end := bound(b, c)
		if i < 0 {
			return nil, fail(prim, b, nil, "its condition is not a conjunction of bounds of iteration variables")
		}
		if least != nil {
			if lo[i] != nil {
				least = tir.Max(lo[i], least)
			}
			lo[i] = least
		}
		if end != nil {
			if hi[i] != nil {
				end = tir.Min(hi[i], end)
			}
			hi[i] = end
		}
	}
	an := arith.NewAnalyzer()
	top := kidOf(b, scopeOf(b))
	p := top.at().parent

	fill := &Block{base: b.base, name: s.fresh(b.name + "_pad"), attrs: b.attrs}
	sub := map[*tir.Var]tir.Expr{}
	var doms []*tir.Range
	for _, iv := range b.iters {
		v := tir.NewVar(iv.Var.Name, iv.Var.DType())
		sub[iv.Var] = v
		fill.iters = append(fill.iters, &tir.IterVar{Dom: iv.Dom, Var: v})
		doms = append(doms, iv.Dom)
	}
	s.setBody(fill, nil, tir.Store(st.Buffer, call.Args[2], substAll(st.Indices, sub)...))
	insert(p, slices.Index(p.at().kids, top), s.rebind(fill, doms, an))

	for k, iv := range b.iters {
		if lo[k] == nil {
			lo[k] = tir.Const(iv.Var.DType(), 0)
		}
		if hi[k] == nil {
			hi[k] = iv.Dom.Extent
		}
		l := loopOf(loops, b.values[k].(*tir.Var))
		lo[k] = an.Simplify(tir.Max(lo[k], tir.Const(iv.Var.DType(), 0)))
		l.extent = an.Simplify(tir.Max(tir.Sub(tir.Min(hi[k], iv.Dom.Extent), lo[k]), tir.Const(iv.Var.DType(), 0)))
		b.values[k] = tir.Add(lo[k], l.v)
	}
	s.setBody(b, nil, tir.Store(st.Buffer, call.Args[1], st.Indices...))
	return fill, nil
}

func single(loops []*Loop) bool {
	for _, l := range loops {
		if len(l.kids) != 1 || l.kind != tir.Serial {
			return false
		}
	}
	return true
}

func loopOf(loops []*Loop, v *tir.Var) *Loop {
	for _, l := range loops {
		if l.v == v {
			return l
		}
	}
	return nil
}

func isConstant(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	}
	return false
}

// bound reads a comparison of an iteration variable with what does not depend on any: the
// number of the variable and its least value or the value after the last one.
func bound(b *Block, c tir.Expr) (iter int, least, end tir.Expr) {
	e, ok := c.(*tir.Binary)
	if !ok {
		return -1, nil, nil
	}
	one := func(x tir.Expr) tir.Expr { return tir.Add(x, tir.Const(x.DType(), 1)) }
	free := func(x tir.Expr) bool {
		return !arith.UsesVar(x, func(v *tir.Var) bool { return b.iter(v) >= 0 })
	}
	if v, _ := e.A.(*tir.Var); b.iter(v) >= 0 && free(e.B) {
		switch e.Op {
		case tir.OpLT:
			return b.iter(v), nil, e.B
		case tir.OpLE:
			return b.iter(v), nil, one(e.B)
		case tir.OpGE:
			return b.iter(v), e.B, nil
		case tir.OpGT:
			return b.iter(v), one(e.B), nil
		}
	}
	if v, _ := e.B.(*tir.Var); b.iter(v) >= 0 && free(e.A) {
		switch e.Op {
		case tir.OpLE:
			return b.iter(v), e.A, nil
		case tir.OpLT:
			return b.iter(v), one(e.A), nil
		case tir.OpGT:
			return b.iter(v), nil, e.A
		case tir.OpGE:
			return b.iter(v), nil, one(e.A)
		}
	}
	return -1, nil, nil
}

// Refill lets a block that stores a constant all over a buffer of the function run over the
// axes of the buffer, whatever indices it stored at. The block must be the first one to write
// the buffer and have its loops as they were created.
func (s *Schedule) Refill(b *Block) error {
	const prim = "refill"
	if err := s.original(prim, b, 0, 0); err != nil {
		return err
	}
	st, ok := b.body.(*tir.BufferStore)
	if !ok || b.init != nil || !isConstant(st.Value) || s.home[st.Buffer] == nil {
		return fail(prim, b, nil, "it does not fill a buffer of the function with a constant")
	}
	for _, w := range addBlocks(slices.Clone(s.writers[st.Buffer]), s.readers[st.Buffer], b) {
		if w != b && !s.before(b, w) {
			return fail(prim, b, nil, "block %s uses the buffer before", w.name)
		}
	}
	top := kidOf(b, scopeOf(b))
	mark := &raw{stmt: tir.NoOp()}
	for _, l := range loopsAbove(b) {
		l.dead = true
	}
	replace(top, mark)
	b.iters, b.parent = nil, nil
	var at []tir.Expr
	var doms []*tir.Range
	for k, n := range st.Buffer.Shape {
		v := tir.NewVar("v"+string(rune('0'+k%10)), n.DType())
		doms = append(doms, &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n})
		b.iters = append(b.iters, &tir.IterVar{Dom: doms[k], Var: v})
		at = append(at, v)
	}
	s.setBody(b, nil, tir.Store(st.Buffer, st.Value, at...))
	replace(mark, s.rebind(b, doms, arith.NewAnalyzer()))
	return nil
}
