package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith/reducer"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func (f *epilogueFuser) wrong() error {
	return f.s.fail("BodyAnalysisError", errBodyEpilogue, f.from.Block())
}

const errBodyEpilogue = `The body of the block {0} to be fused into a reduction should be in one of the forms
    'D[i, j] = sum[i, j] + C[i, j]',
    'D[i, j] = max(sum[i, j] + C[i, j], 0)', also without the addend,
    'D[i, j] = min(max(sum[i, j], lower), upper)',
without predicate, where sum is used once, at the indices that the reduction, a sum that begins at 0, stores to,
and the domains of both blocks are the same.`

// match reads the pattern of the epilogue.
func (f *epilogueFuser) match() error {
	b := f.from.Block()
	var ok bool
	if f.store, ok = b.Body.(*tir.BufferStore); !ok || f.store.Predicate != nil || b.Init != nil || !tir.IsTrue(f.from.Realize().Predicate) || len(b.MatchBuffers) > 0 {
		return f.wrong()
	}
	if !f.pattern(f.store.Value) {
		return f.wrong()
	}
	var loads []*tir.BufferLoad
	ir.Walk(f.store, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok && l.Buffer == f.sum {
			loads = append(loads, l)
		}
		return true
	})
	if len(loads) != 1 {
		return f.wrong()
	}
	red, err := reducer.Of(f.at.Block())
	if err != nil || len(red.Buffers) != 1 {
		return f.wrong()
	}
	if add, ok := red.Reducer.Result[0].(*tir.Binary); !ok || add.Op != tir.OpAdd {
		return f.wrong()
	}
	return f.sameDomain(loads[0].Indices, red.Indices)
}

// sameDomain pairs the variables of the two blocks, in order, and checks that both run over the same domain and use the same indices.
func (f *epilogueFuser) sameDomain(read, stored []tir.Expr) error {
	var own []*tir.IterVar
	for _, iv := range f.at.Block().IterVars {
		if iv.Kind == tir.DataPar {
			own = append(own, iv)
		}
	}
	other := f.from.Block().IterVars
	if len(own) != len(other) {
		return fmt.Errorf("ValueError: The number of data parallel iter vars must be the same in the reduction and epilogue blocks")
	}
	f.sub = map[*tir.Var]tir.Expr{}
	for i, iv := range other {
		if !tir.Equal(iv.Dom.Min, own[i].Dom.Min) || !tir.Equal(iv.Dom.Extent, own[i].Dom.Extent) || iv.Var.DType() != own[i].Var.DType() {
			return f.wrong()
		}
		f.sub[iv.Var] = own[i].Var
	}
	same := func(list []tir.Expr) bool {
		return slices.EqualFunc(list, stored, func(a, b tir.Expr) bool { return tir.Equal(tir.SubstExpr(a, f.sub), b) })
	}
	if !same(read) || !same(f.store.Indices) || !(&mover{at: f.from}).coversDomain() {
		return f.wrong()
	}
	return nil
}

// pattern reads the value that the epilogue stores.
func (f *epilogueFuser) pattern(e tir.Expr) bool {
	b, ok := e.(*tir.Binary)
	if !ok {
		return false
	}
	switch b.Op {
	case tir.OpAdd:
		f.addend, ok = f.other(b, tir.OpAdd)
		return ok
	case tir.OpMin, tir.OpMax:
		if f.clips(b) {
			f.last = func(x tir.Expr) tir.Expr {
				return tir.Min(tir.Max(x, tir.SubstExpr(f.lo, f.sub)), tir.SubstExpr(f.hi, f.sub))
			}
			return true
		}
	}
	if b.Op != tir.OpMax {
		return false
	}
	inner := b.B
	if !isZeroConst(b.A) {
		if inner = b.A; !isZeroConst(b.B) {
			return false
		}
	}
	f.last = func(x tir.Expr) tir.Expr { return tir.Max(x, tir.Const(x.DType(), 0)) }
	if f.isSum(inner) {
		return true
	}
	add, ok := inner.(*tir.Binary)
	if !ok || add.Op != tir.OpAdd {
		return false
	}
	f.addend, ok = f.other(add, tir.OpAdd)
	return ok
}

func isZeroConst(e tir.Expr) bool {
	if x, ok := e.(*tir.FloatImm); ok {
		return x.Value == 0
	}
	return tir.IsConst(e, 0)
}

func (f *epilogueFuser) isSum(e tir.Expr) bool {
	l, ok := e.(*tir.BufferLoad)
	return ok && l.Buffer == f.sum && l.Predicate == nil
}

// other returns the operand of b, an op, beside the sum.
func (f *epilogueFuser) other(b *tir.Binary, op tir.BinaryOp) (tir.Expr, bool) {
	x, y := f.isSum(b.A), f.isSum(b.B)
	if b.Op != op || x == y {
		return nil, false
	}
	if x {
		return b.B, true
	}
	return b.A, true
}

// clips reads min(max(sum, lo), hi) or max(min(sum, hi), lo), with operands in any order.
func (f *epilogueFuser) clips(b *tir.Binary) bool {
	inner := tir.OpMax
	if b.Op == tir.OpMax {
		inner = tir.OpMin
	}
	for _, pair := range [][2]tir.Expr{{b.A, b.B}, {b.B, b.A}} {
		in, ok := pair[0].(*tir.Binary)
		if !ok || in.Op != inner {
			continue
		}
		bound, ok := f.other(in, inner)
		if !ok {
			return false
		}
		if f.lo, f.hi = bound, pair[1]; b.Op == tir.OpMax {
			f.lo, f.hi = pair[1], bound
		}
		return true
	}
	return false
}
