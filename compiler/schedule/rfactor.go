package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// A reduction is sequential: each step needs the sum so far. RFactor makes part of it parallel by giving
// every iteration of one reduction loop a sum of its own, and adding these up afterwards:
//
//	for k in 64: C += A[k]      for ko in 4: for ki in 16: P[ko] += A[ko*16 + ki]
//	                            for ko in 4: C += P[ko]
//
// This changes the order of the additions, to which floating point is not indifferent; so a schedule has to
// ask for it. Each part starts from the init of the whole, which must be neutral (0 for a sum): another one
// would be added in once for each part. After TVM's src/tir/schedule/primitive/reduction.cc.

// RFactor computes a reduction in parts: the iterations of a reduction loop become an axis of
// a new buffer, which a block behind reduces. The block must combine one value by a
// commutative operation. factorAxis is the place of the new axis among those of the buffer;
// negative numbers count from behind. It returns the block of the parts; b itself combines.
func (s *Schedule) RFactor(l *Loop, factorAxis int) (*Block, error) {
	const prim = "rfactor"
	if err := check(prim, l); err != nil {
		return nil, err
	}
	var list []*Block
	leaves(l, func(b *Block) { list = append(list, b) })
	if len(list) != 1 {
		return nil, fail(prim, nil, l, "%d blocks are inside, expected one", len(list))
	}
	b := list[0]
	op, value, st, ok := Combiner(b)
	initStore, isStore := b.init.(*tir.BufferStore)
	if !ok || !isStore {
		return nil, fail(prim, b, l, "it does not combine one value from an init on by a commutative operation")
	}
	if !tir.IsTrue(b.pred) {
		return nil, fail(prim, b, l, "it runs under a condition")
	}
	if n := len(s.writers[st.Buffer]); n != 1 {
		return nil, fail(prim, b, l, "%d blocks write %s", n, st.Buffer.Name)
	}
	n := len(st.Indices)
	if factorAxis < 0 {
		factorAxis += n + 1
	}
	if factorAxis < 0 || factorAxis > n {
		return nil, fail(prim, b, l, "axis %d is out of range for a buffer of %d axes", factorAxis, n)
	}
	loops := loopsAbove(b)
	top := loops[0]
	for _, o := range loops {
		if len(o.kids) != 1 {
			return nil, fail(prim, b, o, "the loop holds other blocks as well")
		}
	}
	// Loops belong to the reduction or to the other axes.
	role := map[*Loop]tir.IterKind{}
	for _, o := range loops {
		for k, iv := range b.iters {
			if !usesLoop(b.values[k], o) {
				continue
			}
			if old, ok := role[o]; ok && old != iv.Kind {
				return nil, fail(prim, b, o, "the loop belongs to a reduction and to another axis")
			}
			role[o] = iv.Kind
		}
	}
	if role[l] != tir.CommReduce {
		return nil, fail(prim, b, l, "it is not a loop of the reduction")
	}
	parts := 0
	for _, o := range loops {
		if role[o] == tir.CommReduce {
			parts++
		}
	}
	if parts > 1 && !neutral(op, initStore.Value) {
		return nil, fail(prim, b, l, "its init is not neutral, so that parts cannot start from it")
	}
	if err := complete(prim, b, l); err != nil {
		return nil, err
	}
	// The parts: reduction variables become expressions of one variable for each loop.
	rf := &Block{base: b.base, name: s.fresh(b.name + "_rf"), attrs: b.attrs}
	sub := map[*tir.Var]tir.Expr{}
	loopSub := map[*tir.Var]tir.Expr{}
	var part *tir.Var
	for k, iv := range b.iters {
		if iv.Kind == tir.DataPar {
			v := tir.NewVar(iv.Var.Name, iv.Var.DType())
			sub[iv.Var] = v
			rf.iters = append(rf.iters, &tir.IterVar{Dom: iv.Dom, Var: v})
			rf.values = append(rf.values, b.values[k])
		}
	}
	for _, o := range loops {
		if role[o] != tir.CommReduce {
			continue
		}
		v := tir.NewVar("v"+o.v.Name, o.v.DType())
		kind := tir.CommReduce
		if o == l {
			part, kind = v, tir.DataPar
		}
		loopSub[o.v] = v
		rf.iters = append(rf.iters, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(v.DType(), 0), Extent: o.extent}, Var: v, Kind: kind})
		rf.values = append(rf.values, o.v)
	}
	for k, iv := range b.iters {
		if iv.Kind != tir.DataPar {
			sub[iv.Var] = tir.SubstExpr(b.values[k], loopSub)
		}
	}
	shape := slices.Insert(slices.Clone(st.Buffer.Shape), factorAxis, l.extent)
	buf := tir.NewBuffer(st.Buffer.Name+"_rf", st.Buffer.DType, shape, "")
	buf.Base = b.base
	s.allocate(buf)
	at := slices.Insert(substAll(st.Indices, sub), factorAxis, tir.Expr(part))
	body := tir.Store(buf, tir.NewBinary(op, tir.Load(buf, at...), tir.SubstExpr(value, sub)), at...)
	var init tir.Stmt = tir.Store(buf, tir.SubstExpr(initStore.Value, sub), at...)
	if len(rf.iters) == 0 || !rf.IsReduction() {
		body, init = tir.Store(buf, tir.SubstExpr(value, sub), at...), nil
	}
	s.setBody(rf, init, body)

	// b itself combines the parts, in loops of its own behind the nest.
	var iters []*tir.IterVar
	for _, iv := range b.iters {
		if iv.Kind == tir.DataPar {
			iters = append(iters, iv)
		}
	}
	v := tir.NewVar("v"+l.v.Name, l.v.DType())
	iters = append(iters, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(v.DType(), 0), Extent: l.extent}, Var: v, Kind: tir.CommReduce})
	from := tir.Load(buf, slices.Insert(slices.Clone(st.Indices), factorAxis, tir.Expr(v))...)
	last := loops[len(loops)-1]
	last.kids = nil
	insert(last, 0, rf)
	b.iters = iters
	doms := make([]*tir.Range, len(iters))
	for k, iv := range iters {
		doms[k] = iv.Dom
	}
	an := ranges(top.parent)
	s.setBody(b, b.init, tir.Store(st.Buffer, tir.NewBinary(op, tir.Load(st.Buffer, st.Indices...), from), st.Indices...))
	b.parent = nil
	p := top.parent
	insert(p, slices.Index(p.at().kids, node(top))+1, s.rebind(b, doms, an))
	return rf, nil
}
