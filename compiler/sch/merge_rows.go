package sch

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// merging knows of the blocks in nests that are to be merged where they stand.
type merging struct {
	nests [][]*tir.For
	of    map[*tir.Block]int // the number of the nest from 1 on
	runs  map[*tir.Block]*tir.BlockRealize
	an    *arith.Analyzer
}

// rowByRow reports whether two blocks of different nests touch, in one turn of the nests, only elements that no other turn touches, of each buffer that one of them writes and the other
// accesses. Then merging the nests leaves the order of what they do to an element.
func (m *merging) rowByRow(a, b *tir.Block) bool {
	readsA, writesA, opaqueA := region.OfBlock(a, nil)
	readsB, writesB, opaqueB := region.OfBlock(b, nil)
	if len(opaqueA)+len(opaqueB)+len(a.MatchBuffers)+len(b.MatchBuffers) > 0 {
		return false
	}
	apart := func(x, y []*tir.BufferRegion) bool {
		for _, p := range x {
			for _, q := range y {
				if p.Buffer == q.Buffer && !m.apart(a, p, b, q) {
					return false
				}
			}
		}
		return true
	}
	return apart(writesA, readsB) && apart(writesA, writesB) && apart(readsA, writesB)
}

// apart reports whether what a block accesses in one turn of its nest is apart from what the other does in another: some indices are the same function of the turn in both, and differ from turn to turn.
func (m *merging) apart(a *tir.Block, x *tir.BufferRegion, b *tir.Block, y *tir.BufferRegion) bool {
	p, q := m.pinned(a, x), m.pinned(b, y)
	nest := m.nests[m.of[a]-1]
	sub, turns := map[*tir.Var]tir.Expr{}, map[*tir.Var]*tir.Range{}
	for k, l := range m.nests[m.of[b]-1] {
		sub[l.LoopVar] = tir.CastTo(l.LoopVar.DType(), nest[k].LoopVar)
	}
	for _, l := range nest {
		turns[l.LoopVar] = &tir.Range{Min: l.Min, Extent: l.Extent}
		m.an.BindRange(l.LoopVar, turns[l.LoopVar])
	}
	isTurn := func(v *tir.Var) bool { return turns[v] != nil }
	var same []tir.Expr
	for d, x := range p {
		e, other := x.of, q[d].of
		if e != nil && other != nil && x.in == q[d].in && arith.UsesVar(e, isTurn) && m.an.CanProveEqual(e, tir.CastTo(e.DType(), tir.SubstExpr(other, sub))) {
			same = append(same, e)
		}
	}
	return len(same) > 0 && len(arith.DetectIterMap(same, turns, tir.Bool(true), arith.Bijective, m.an, false).Indices) > 0
}

// pinned is an index, or the run of so many that it is in, that is one in a turn of a nest; of is nil where it is none.
type pinned struct {
	of tir.Expr
	in int64
}

// pinned are the indices of a region, in the loops of the nest, that are in one run in a turn of it: single ones, or as many as loops in the turn go over.
func (m *merging) pinned(b *tir.Block, x *tir.BufferRegion) []pinned {
	sub := map[*tir.Var]tir.Expr{}
	for k, iv := range b.IterVars {
		sub[iv.Var] = m.runs[b].Values[k]
	}
	var inner []*tir.For
	nest := m.nests[m.of[b]-1]
	for _, l := range nest {
		m.an.BindRange(l.LoopVar, &tir.Range{Min: l.Min, Extent: l.Extent})
	}
	visit(nest[len(nest)-1].Body, func(y tir.Stmt) bool {
		if l, ok := y.(*tir.For); ok {
			inner = append(inner, l)
			m.an.BindRange(l.LoopVar, &tir.Range{Min: l.Min, Extent: l.Extent})
		}
		return true
	})
	out := make([]pinned, len(x.Region))
	for d, r := range x.Region {
		if !tir.IsConst(r.Extent, 1) {
			continue
		}
		e := m.an.Simplify(tir.SubstExpr(r.Min, sub))
		all := int64(1) // turns of the loops in the turn that move the index
		runs := []int64{1}
		for _, l := range inner {
			if n, _ := tir.AsInt(l.Extent); n > 0 && n <= math.MaxInt32/all && arith.UsesVar(e, func(v *tir.Var) bool { return v == l.LoopVar }) {
				all *= n
				runs = append(runs, n)
			}
		}
		moves := func(e tir.Expr) bool {
			return arith.UsesVar(e, func(v *tir.Var) bool {
				return slices.ContainsFunc(inner, func(l *tir.For) bool { return l.LoopVar == v }) || slices.ContainsFunc(b.IterVars, func(iv *tir.IterVar) bool { return iv.Var == v })
			})
		}
		for _, n := range append(runs, all) {
			if run := m.an.Simplify(tir.FloorDiv(e, tir.Const(e.DType(), n))); !moves(run) {
				out[d] = pinned{run, n}
				break
			}
		}
	}
	return out
}
