package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// FuseReductionEpilogue has a sum accumulate in the output of the block behind it, which is removed (TVM's fuse_reduction_epilogue). That block
// stores the sum and an addend, max(sum + addend, 0) or max(sum, 0), or min(max(sum, lower), upper); the addend becomes the initial value.
//
// The sum of an addend stays what it is. The other two forms are TVM's, which apply the maximum or the bounds to the initial value and after each
// step: this gives another result where the sum crosses a bound on its way, and is for users who want that. The buffer of the sum stays
// allocated, as in TVM.
func (s *State) FuseReductionEpilogue(reduction, epilogue *Block) (*State, error) {
	at, err := s.block(reduction)
	if err != nil {
		return nil, err
	}
	from, err := s.block(epilogue)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(from, true)
	if err != nil {
		return nil, err
	}
	buf, err := s.singleWrite(at.Block())
	if err != nil {
		return nil, err
	}
	if r, ok := at.scope(); !ok || r.stmt() != root.stmt() {
		return nil, s.fail("NotInSameScopeError", "Expected the blocks {0} and {1} to be under the same block scope", at.Block(), from.Block())
	}
	if err := s.checkReduction(at, root.Block()); err != nil {
		return nil, err
	}
	if err := s.checkComplete(from, root.Block()); err != nil {
		return nil, err
	}
	if err := s.checkNotOutput(at, root); err != nil {
		return nil, err
	}
	f := &epilogueFuser{s: s, at: at, from: from, sum: buf}
	if err := f.match(); err != nil {
		return nil, err
	}
	if err := f.check(root); err != nil {
		return nil, err
	}
	seq, rest, err := s.removal(from, root)
	if err != nil {
		return nil, err
	}
	became := reuse{}
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if x == seq {
			x = rest
		}
		switch x := x.(type) {
		case *tir.Block:
			if x == at.Block() {
				became[x] = f.fused()
				return became[x]
			}
			return x
		}
		return m.MapStmt(x)
	}
	scope := root.Block()
	return s.replace(root, scope.WithBody(m.Stmt(scope.Body)), became), nil
}

// epilogueFuser fuses block from into the reduction at.
type epilogueFuser struct {
	s        *State
	at, from site
	sum      *tir.Buffer
	store    *tir.BufferStore        // of the epilogue
	addend   tir.Expr                // nil if there is none
	last     func(tir.Expr) tir.Expr // what is applied at each step; nil if nothing is
	lo, hi   tir.Expr                // bounds of clipping
	sub      map[*tir.Var]tir.Expr   // the variables of the epilogue in those of the reduction
}

// check returns an error if what the epilogue reads is not there yet where the reduction begins, or another block reads the sum. TVM looks at
// neither.
func (f *epilogueFuser) check(root site) error {
	red, epi := f.at.Block(), f.from.Block()
	d := depsOf(root.Block())
	place := map[*tir.Block]int{}
	for i, r := range d.blocks {
		place[r.Block] = i
	}
	for _, x := range d.byDst[epi] {
		if x.src != red && place[x.src] > place[red] {
			return f.s.fail("EarlyInitError", "The block {0}, whose result block {1} reads, runs behind the reduction {2}", x.src, epi, red)
		}
	}
	for _, x := range d.bySrc[red] {
		if x.dst != epi && x.kind == readAfterWrite {
			return f.s.fail("SharedSumError", "The block {0} reads the result of the reduction {1}, too, which would no longer be stored in "+f.sum.Name, x.dst, red)
		}
	}
	return nil
}

// fused is the reduction that accumulates in the output of the epilogue.
func (f *epilogueFuser) fused() *tir.Block {
	red := f.at.Block()
	out := f.store.Buffer
	b := *red
	initial := tir.Const(out.DType, 0)
	if f.addend != nil {
		initial = tir.SubstExpr(f.addend, f.sub)
	}
	if f.last != nil {
		initial = f.last(initial)
	}
	b.Init = &tir.BufferStore{Base: f.store.Base, Buffer: out, Value: initial, Indices: mapExprs(f.store.Indices, func(e tir.Expr) tir.Expr { return tir.SubstExpr(e, f.sub) })}
	m := &tir.Mapper{Buffer: func(x *tir.Buffer) *tir.Buffer {
		if x == f.sum {
			return out
		}
		return x
	}}
	m.Expr = func(e tir.Expr) tir.Expr { return m.MapExpr(e) }
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		y := m.MapStmt(x)
		if st, ok := y.(*tir.BufferStore); ok && f.last != nil {
			return st.WithValue(f.last(st.Value))
		}
		return y
	}
	b.Body = m.Stmt(red.Body)
	writes := slices.Clone(red.Writes)
	for i, w := range writes {
		writes[i] = &tir.BufferRegion{Base: w.Base, Buffer: out, Region: w.Region}
	}
	b.Writes, b.Reads = writes, nil
	for _, r := range f.from.Block().Reads {
		if r.Buffer != f.sum {
			b.Reads = append(b.Reads, substRegion(r, f.sub))
		}
	}
	for _, r := range red.Reads {
		k := slices.IndexFunc(b.Reads, func(x *tir.BufferRegion) bool { return x.Buffer == r.Buffer })
		if k < 0 {
			b.Reads = append(b.Reads, r)
			continue
		}
		b.Reads[k] = wider(b.Reads[k], r)
	}
	return &b
}

// wider returns a region that holds two of one buffer: all of a dimension where they differ.
func wider(a, b *tir.BufferRegion) *tir.BufferRegion {
	full := tir.FullRegion(a.Buffer).Region
	region := slices.Clone(a.Region)
	for i, x := range region {
		if !tir.Equal(x.Min, b.Region[i].Min) || !tir.Equal(x.Extent, b.Region[i].Extent) {
			region[i] = full[i]
		}
	}
	return a.WithRegion(region)
}
