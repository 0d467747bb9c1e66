package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LoopPartition cuts a loop into loops that follow each other and have factors iterations, of which one may be nil to be inferred (TVM's
// loop_partition). Each gets a block of its own around it, and all a common one.
func (s *State) LoopPartition(l *Loop, factors []tir.Expr, _ bool) (*State, []*Loop, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	loop := at.For()
	if tir.Symbolic(loop.Min) || tir.Symbolic(loop.Extent) {
		return nil, nil, s.fail("SymbolicShapeError", "Detected dynamic shape in either min or extent of a loop {0}", loop)
	}
	ends, infer, err := s.factorsOf(loop, factors)
	if err != nil {
		return nil, nil, err
	}
	an := arith.NewAnalyzer()
	total := tir.Expr(tir.Int32(0))
	for _, f := range ends {
		if f != nil {
			total = tir.Add(total, f)
		}
	}
	if an.CanProve(tir.GE(total, loop.Extent)) {
		return nil, nil, s.fail("WrongFactorError", "The sum of factors is larger than or equal to the extent of loop {0}", loop)
	}
	if infer >= 0 {
		ends[infer] = tir.Sub(loop.Extent, total)
	}
	for i := 1; i < len(ends); i++ {
		ends[i] = tir.Add(ends[i], ends[i-1])
	}
	if infer < 0 {
		ends = append(ends, loop.Extent)
	}
	if err := s.checkPlain(loop); err != nil {
		return nil, nil, err
	}
	inner := firstBlock(loop.Body)
	if inner == nil {
		return nil, nil, fmt.Errorf("loop_partition: loop %s holds no block directly or in loops", loop.LoopVar.Name)
	}
	if err := s.checkNoRestart(at); err != nil {
		return nil, nil, err
	}
	bits := loop.LoopVar.DType().Bits
	for _, f := range ends {
		bits = max(bits, f.DType().Bits)
	}
	d := dtype.Int32T
	d.Bits = bits
	name := inner.Name + "_" + loop.LoopVar.Name
	lo := tir.CastTo(d, loop.Min)
	var parts []tir.Stmt
	var refs []*Loop
	for i, end := range ends {
		turns := tir.CastTo(d, an.Simplify(end))
		end = an.Simplify(tir.Add(tir.CastTo(d, loop.Min), turns))
		c := tir.NewCopier()
		v := &tir.Var{Base: loop.LoopVar.Base, Name: fmt.Sprintf("%s%d", loop.LoopVar.Name, i), Type: tir.NewVar("", d).Type}
		c.Vars[loop.LoopVar] = tir.CastTo(loop.LoopVar.DType(), v)
		p := &partitioner{v: v, lo: lo, hi: end, an: an}
		body := p.rewrite(c.Stmt(loop.Body))
		nest := &tir.For{Base: loop.Base, LoopVar: v, Min: lo, Extent: an.Simplify(tir.Sub(end, lo)), Body: body}
		parts = append(parts, &tir.BlockRealize{
			Predicate: tir.GT(turns, tir.Const(d, 0)),
			Block:     &tir.Block{Base: inner.Base, Name: fmt.Sprintf("%s%d_partition", name, i), Body: nest},
		})
		refs = append(refs, &Loop{l.fn, v})
		lo = end
	}
	common := &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Base: inner.Base, Name: name + "_common", Body: tir.Seq(parts...)}}
	return s.replace(at, common, nil), refs, nil
}

// checkNoRestart returns an error if a reduction inside runs over the loop: each part would begin it anew, or if one
// runs over a loop around that may have no iteration: its initial value would be lost. TVM partitions all the same.
func (s *State) checkNoRestart(at site) error {
	var err error
	l, an := at.For(), arith.NewAnalyzer()
	visit(l.Body, func(x tir.Stmt) bool {
		r, ok := x.(*tir.BlockRealize)
		if !ok || r.Block.Init == nil {
			return err == nil
		}
		for i, iv := range r.Block.IterVars {
			if iv.Kind == tir.CommReduce && usesVar(r.Values[i], l.LoopVar) {
				err = s.fail("ReductionRestartError", "The loop {0} cannot be partitioned since the block {1} reduces over it and would be initialized in each part: decompose the reduction first", l, r.Block)
			}
			for _, o := range at.loops() {
				if iv.Kind == tir.CommReduce && usesVar(r.Values[i], o.LoopVar) && !an.CanProve(tir.GT(o.Extent, tir.Const(o.Extent.DType(), 0))) {
					err = s.fail("IdleLoopError", "The loop {0} cannot be partitioned: the block {1} reduces over loop {2}, which may have no iteration", l, r.Block, o)
				}
			}
		}
		return err == nil
	})
	return err
}

// firstBlock returns the block that x, a nest of loops, holds; nil if it holds anything else.
func firstBlock(x tir.Stmt) *tir.Block {
	for {
		switch y := x.(type) {
		case *tir.For:
			x = y.Body
		case *tir.BlockRealize:
			return y.Block
		default:
			return nil
		}
	}
}

// partitioner narrows the domains of the blocks in a part of a loop.
type partitioner struct {
	v      *tir.Var
	lo, hi tir.Expr
	an     *arith.Analyzer
}

// rewrite narrows the variables that are bound to the loop, and with them the regions at which they stand alone, and names blocks after it.
func (p *partitioner) rewrite(x tir.Stmt) tir.Stmt {
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		r, ok := x.(*tir.BlockRealize)
		if !ok {
			return m.MapStmt(x)
		}
		b := *r.Block
		b.Body = m.Stmt(b.Body)
		b.Name += "_" + p.v.Name
		for i, iv := range b.IterVars {
			if r.Values[i] != tir.Expr(p.v) {
				continue
			}
			d := iv.Var.DType()
			b.IterVars = append([]*tir.IterVar(nil), b.IterVars...)
			b.IterVars[i] = iv.WithDom(&tir.Range{Min: tir.CastTo(d, p.lo), Extent: tir.CastTo(d, tir.Sub(p.hi, p.lo))})
			b.Reads, b.Writes = p.regions(&b, b.Reads), p.regions(&b, b.Writes)
			break
		}
		return r.WithBlock(&b)
	}
	return m.Stmt(x)
}

// regions gives the regions of the buffers that the block accesses at variables alone the domains of these (TVM's MutateBufferRegion).
func (p *partitioner) regions(b *tir.Block, list []*tir.BufferRegion) []*tir.BufferRegion {
	doms := map[*tir.Var]*tir.Range{}
	for _, iv := range b.IterVars {
		doms[iv.Var] = iv.Dom
	}
	at := map[*tir.Buffer][]*tir.Range{}
	access := func(buf *tir.Buffer, indices []tir.Expr) {
		if _, ok := at[buf]; ok {
			return
		}
		var region []*tir.Range
		for _, x := range indices {
			v, ok := x.(*tir.Var)
			if !ok || doms[v] == nil {
				return
			}
			region = append(region, doms[v])
		}
		at[buf] = region
	}
	ir.Walk(b.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferStore:
			access(n.Buffer, n.Indices)
		case *tir.BufferLoad:
			access(n.Buffer, n.Indices)
		}
		return true
	})
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		out[i] = r
		if region, ok := at[r.Buffer]; ok {
			out[i] = r.WithRegion(region)
		}
	}
	return out
}
