package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// checkAccess returns an error if a block accesses the buffer otherwise than by loads and stores.
func (r *roller) checkAccess() error {
	opaque := false
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		opaque = opaque || e == tir.Expr(r.old.Data)
		return m.MapExpr(e)
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if b, ok := x.(*tir.Block); ok {
			for _, mb := range b.MatchBuffers {
				opaque = opaque || mb.Source.Buffer == r.old
			}
		}
		return m.MapStmt(x)
	}
	m.Stmt(r.root.Block().Body)
	if opaque {
		return r.s.fail("OpaqueAccessError", "The buffer "+r.old.Name+" has opaque access (e.g. `B.data`), or its subregion is matched into other blocks: {0}", r.root.Block())
	}
	return nil
}

// place returns where in its tile the block stores along an axis.
func (r *roller) place(i int) tir.Expr {
	v := r.over[i].loop.LoopVar
	return r.an.Simplify(tir.SubstExpr(r.at.Realize().Values[i], map[*tir.Var]tir.Expr{v: tir.Const(v.DType(), 0)}))
}

// full reports whether the places where the block stores along an axis are, apart from its predicate, all those of the tile.
func (r *roller) full(i int) bool {
	loops := slices.DeleteFunc(slices.Clone(r.at.loops()), func(l *tir.For) bool { return l == r.over[i].loop })
	sums := arith.DetectIterMap([]tir.Expr{r.place(i)}, ranges(loops), tir.Bool(true), arith.NoCheck, r.an, false).Indices
	if len(sums) != 1 || !tir.IsConst(r.an.Simplify(sums[0].Base), 0) {
		return false
	}
	n := tir.Const(r.tile[i].Extent.DType(), 1)
	for _, x := range slices.Backward(sums[0].Args) {
		if !r.an.CanProveEqual(x.Scale, n) {
			return false
		}
		n = tir.Mul(n, x.Extent)
	}
	return r.an.CanProveEqual(n, r.tile[i].Extent)
}

// cuts returns a part of the predicate of the block that depends on the tile or on the place in it along an axis otherwise than by the element
// stored, nil if there is none: an element of two tiles could be left out of the first and skipped in the second.
func (r *roller) cuts(i int) tir.Expr {
	place := r.place(i)
	moves := func(e tir.Expr) bool {
		return arith.UsesVar(e, func(v *tir.Var) bool {
			return v == r.over[i].loop.LoopVar || arith.UsesVar(place, func(x *tir.Var) bool { return x == v })
		})
	}
	value := r.at.Realize().Values[i]
	for _, c := range tir.Conjuncts(nil, r.at.Realize().Predicate) {
		if !moves(c) {
			continue
		}
		b, ok := c.(*tir.Binary)
		if !ok || !slices.Contains([]tir.BinaryOp{tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE}, b.Op) || !b.A.DType().IsInteger() {
			return c
		}
		d, at := tir.Sub(b.A, b.B), tir.CastTo(b.A.DType(), value)
		if moves(r.an.Simplify(tir.Sub(d, at))) && moves(r.an.Simplify(tir.Add(d, at))) {
			return c
		}
	}
	return nil
}

// rewrite makes the accesses go round. The variables in the place of the axis become opaque, so that nobody takes an iteration for independent.
func (r *roller) rewrite() *State {
	scope := r.root.Block()
	became := reuse{}
	round := func(indices []tir.Expr) []tir.Expr {
		out := slices.Clone(indices)
		n := r.now.Shape[r.axis]
		out[r.axis] = tir.FloorMod(out[r.axis], tir.CastTo(out[r.axis].DType(), n))
		return out
	}
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		out := m.MapExpr(e)
		if l, ok := out.(*tir.BufferLoad); ok && l.Buffer == r.old {
			return &tir.BufferLoad{Base: l.Base, Buffer: r.now, Indices: round(l.Indices), Predicate: l.Predicate}
		}
		return out
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch out := m.MapStmt(x).(type) {
		case *tir.BufferStore:
			if out.Buffer == r.old {
				return out.WithBuffer(r.now).WithIndices(round(out.Indices))
			}
			return out
		case *tir.BlockRealize:
			if x == tir.Stmt(r.at.Realize()) {
				return out.WithPredicate(r.fresh(out.Predicate))
			}
			return out
		case *tir.Block:
			became[x.(*tir.Block)] = r.block(out, x == tir.Stmt(scope))
			return became[x.(*tir.Block)]
		default:
			return out
		}
	}
	return r.s.replace(r.root, m.Stmt(scope), became)
}

// block changes the signature of a block, or what the scope allocates.
func (r *roller) block(b *tir.Block, scope bool) *tir.Block {
	if scope {
		allocs := slices.Clone(b.AllocBuffers)
		allocs[slices.Index(allocs, r.old)] = r.now
		return b.WithAllocBuffers(allocs)
	}
	out := *b
	if r.axis < len(b.IterVars) && b.IterVars[r.axis].Kind == tir.DataPar {
		iv := *b.IterVars[r.axis]
		iv.Kind = tir.Opaque
		out.IterVars = slices.Clone(b.IterVars)
		out.IterVars[r.axis] = &iv
	}
	reads, writes, _ := region.OfBlock(b, map[*tir.Var]*tir.Buffer{r.now.Data: r.now})
	again := func(list, found []*tir.BufferRegion) []*tir.BufferRegion {
		out := slices.Clone(list)
		for i, x := range list {
			if now := regionOf(found, r.now); x.Buffer == r.old && now != nil {
				out[i] = now
			}
		}
		return out
	}
	out.Reads, out.Writes = again(b.Reads, reads), again(b.Writes, writes)
	return &out
}

// fresh adds to the predicate of the block that it stores what no earlier tile did.
func (r *roller) fresh(pred tir.Expr) tir.Expr {
	for i, o := range r.over {
		if o.loop == nil {
			continue
		}
		v, p := o.loop.LoopVar, r.place(i)
		pred = r.an.Simplify(tir.And(pred, tir.Or(tir.LT(v, tir.Const(v.DType(), 1)), tir.GE(p, tir.Const(p.DType(), o.n)))))
	}
	return pred
}
