package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// takeApart has a block that computes something of elements that it reads across memory, as the sigmoid of what is transposed, read them from a buffer in the order in which it writes.
// What fills that buffer is a copy, which is made in tiles, and what computes runs over vectors. It returns the block of the copy, nil where there is none.
func (r *rules) takeApart(b *sch.Block) (*sch.Block, error) {
	loops, err := r.loops(b)
	if err != nil || !r.machine.transposes() || !r.bound(b, loops) {
		return nil, err
	}
	k := r.at(b)
	st, ok := k.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil {
		return nil, nil
	}
	if _, plain := st.Value.(*tir.BufferLoad); plain {
		return nil, nil
	}
	if v := k.IterVars[len(k.IterVars)-1].Var; quotient(k, v) > 1 && !vectorizable(st, accesses(st, k.IterVars), v) {
		if err := r.normalize(b); err != nil { // one index of a result counts through several axes of what is read
			return nil, err
		}
		k = r.at(b)
		st = k.Body.(*tir.BufferStore)
	}
	across := r.across(k, st)
	if across == nil || sch.Guarded(st.Value, across.load) {
		return nil, nil
	}
	for i, x := range k.Reads {
		if x.Buffer != across.load.Buffer {
			continue
		}
		m := &tir.IndexMap{}
		for _, iv := range k.IterVars {
			v := tir.NewVar(iv.Var.Name, iv.Var.DType())
			m.Initial = append(m.Initial, v)
			if slices.ContainsFunc(x.Region, func(at *tir.Range) bool { return uses(at.Min, iv.Var) }) {
				m.Final = append(m.Final, v)
			}
		}
		list, err := r.blocksBy("ReindexCacheRead", b, int64(i), "global", m)
		if err != nil {
			return nil, nil // the block stays as it is
		}
		r.blocks = append(r.blocks, list[0])
		return list[0], nil
	}
	return nil, nil
}

// across is the one access of a block that reads elements that lie together along another variable than those it writes, nil if there is none, or if others do not go along with what is written.
func (r *rules) across(b *tir.Block, st *tir.BufferStore) *access {
	list := accesses(st, b.IterVars)
	to := -1
	for k, iv := range b.IterVars {
		if n, known := tir.AsInt(iv.Dom.Extent); list[0].stride(iv.Var) == 1 && (!known || n >= leastTile) {
			to = k
		}
	}
	if to < 0 {
		return nil
	}
	var found *access
	for i := range list[1:] {
		a := &list[1+i]
		switch n := a.stride(b.IterVars[to].Var); {
		case n == 0 || n == 1:
		case found != nil && a.load.Buffer == found.load.Buffer && slices.EqualFunc(a.load.Indices, found.load.Indices, arith.Equal): // the same element again, as in x·sigmoid(x)
		case found != nil || n < 0 || n == sch.NoStride || a.load.Predicate != nil || a.buf.DType.Bits != 32 || a.buf.DType.Lanes != 1 || !together(*a, b.IterVars, to):
			return nil
		default:
			found = a
		}
	}
	return found
}

// together reports whether elements that an access reads lie together along a variable other than k that has the extent of a tile.
func together(a access, iters []*tir.IterVar, k int) bool {
	for i, iv := range iters {
		if n, known := tir.AsInt(iv.Dom.Extent); i != k && a.stride(iv.Var) == 1 && (!known || n >= leastTile) {
			return true
		}
	}
	return false
}
