package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// StoreInPlace keeps a buffer that the scope allocates in the memory of what a block stores, as the exponentials of a softmax are kept where their quotients will be. The block must read the buffer, that
// of its index-th read region, just at the element that it stores, and be the last one to read that element; the memory of its results must be of the same type and shape, used by nothing else, and
// stored as a whole. It is no primitive of TVM's.
func (s *State) StoreInPlace(b *Block, index int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	r, err := s.nthRegion(at.Block(), index, readSide)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, err
	}
	old, x := r.Buffer, at.Block()
	refuse := func(format string, args ...any) error {
		return s.fail("NotInPlaceError", fmt.Sprintf("Buffer %s cannot be kept where the block {0} stores its results: ", old.Name)+fmt.Sprintf(format, args...), x)
	}
	st, ok := x.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil || x.Init != nil {
		return nil, refuse("its body is more than one store")
	}
	now := st.Buffer
	if !slices.Contains(root.Block().AllocBuffers, old) || !alikeBuffers(old, now) {
		return nil, refuse("it is not allocated here with the type and shape of %s", now.Name)
	}
	for _, l := range Loads(st.Value, nil) {
		if l.Buffer == old && !slices.EqualFunc(l.Indices, st.Indices, arith.Equal) || l.Buffer == now || l.Predicate != nil {
			return nil, refuse("%s is read elsewhere than at the element that is stored", l.Buffer.Name)
		}
	}
	if err := s.checkLastReader(at, root, r, now, refuse); err != nil {
		return nil, err
	}
	if !storesEach(at, st) {
		return nil, refuse("it may not store all elements, each of them once")
	}
	swap := newBufferSwap(old, now, nil)
	out := swap.block(root.Block())
	out = out.WithAllocBuffers(slices.DeleteFunc(slices.Clone(root.Block().AllocBuffers), func(b *tir.Buffer) bool { return b == old }))
	return s.replace(root, out, swap.became), nil
}

// storesEach reports whether the block at a site stores each element of a buffer in one of the turns of its loops.
func storesEach(at site, st *tir.BufferStore) bool {
	sub, turns, an := map[*tir.Var]tir.Expr{}, map[*tir.Var]*tir.Range{}, arith.NewAnalyzer()
	for k, iv := range at.Block().IterVars {
		sub[iv.Var] = at.Realize().Values[k]
	}
	n, elements := tir.Expr(tir.Int(1)), tir.Expr(tir.Int(1))
	for _, l := range at.loops() {
		turns[l.LoopVar] = rangeOf(l)
		an.BindRange(l.LoopVar, rangeOf(l))
		n = tir.Mul(n, tir.CastTo(n.DType(), l.Extent))
	}
	indices := make([]tir.Expr, len(st.Indices))
	for k, ix := range st.Indices {
		indices[k] = tir.SubstExpr(ix, sub)
		elements = tir.Mul(elements, tir.CastTo(n.DType(), st.Buffer.Shape[k]))
	}
	return tir.IsTrue(at.Realize().Predicate) && an.CanProveEqual(n, elements) &&
		len(arith.DetectIterMap(indices, turns, tir.Bool(true), arith.Bijective, an, false).Indices) > 0
}

// alikeBuffers reports whether two buffers hold elements of one type in one order.
func alikeBuffers(a, b *tir.Buffer) bool {
	return a.DType == b.DType && a.Scope() == b.Scope() && len(a.Strides)+len(b.Strides)+len(a.AxisSeparators)+len(b.AxisSeparators) == 0 && slices.EqualFunc(a.Shape, b.Shape, arith.Equal)
}

// checkLastReader returns an error unless all other blocks that access the buffer of region r do so before the block of a site takes the element that it stores, and none accesses that memory.
func (s *State) checkLastReader(at, root site, r *tir.BufferRegion, now *tir.Buffer, refuse func(format string, args ...any) error) error {
	x, behind, local := at.Block(), false, locals(root.Block())
	mine := at.loops()
	if l := loadOutsideBlocks(root.Block().Body, func(l *tir.BufferLoad) bool { return l.Buffer == r.Buffer || l.Buffer == now }); l != nil {
		return refuse("%s decides what runs", l.Buffer.Name)
	}
	for _, y := range realizes(root.Block()) {
		b := y.Block
		if b == x {
			behind = true
			continue
		}
		reads, writes := declared(b)
		reads = withHidden(b, reads, writes, local)
		if len(realizes(b)) > 0 || len(b.MatchBuffers) > 0 {
			return refuse("block %s holds others, or makes views", b.Name)
		}
		if regionOf(reads, now) != nil || regionOf(writes, now) != nil {
			return refuse("block %s accesses %s", b.Name, now.Name)
		}
		for _, q := range slices.Concat(reads, writes) {
			if q.Buffer != r.Buffer {
				continue
			}
			if behind {
				return refuse("block %s accesses it later", b.Name)
			}
			other, _ := s.below(root, b)
			common := mine[:sharedLoops(mine, other.loops())]
			if len(common) == 0 {
				continue
			}
			m := &merging{
				nests: [][]*tir.For{common, common}, of: map[*tir.Block]int{x: 1, b: 2}, runs: map[*tir.Block]*tir.BlockRealize{x: at.Realize(), b: y}, an: arith.NewAnalyzer(),
			}
			if !m.apart(x, r, b, q) {
				return refuse("block %s may access in a turn of loop %s what was stored in another", b.Name, common[len(common)-1].LoopVar.Name)
			}
		}
	}
	return nil
}

// sharedLoops is how many of the outermost loops of two lists are the same.
func sharedLoops(a, b []*tir.For) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
