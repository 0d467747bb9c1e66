package arith

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Constant bounds are interval arithmetic on 64-bit integers: for each expression a closed interval that
// holds its values, computed bottom up from the ranges of loop variables. With i in [0, 8), i*4 + 3 is in
// [3, 31], and i*4 + 3 < 32 is proved.
//
// PosInf and NegInf absorb, and sums and products saturate, so that no bound is ever wrong by overflow.
// Intervals forget how operands are related: x - x is in [-7, 7] for x in [0, 7]. So the simplifier runs
// before it where a proof needs more, and conditions in scope narrow single expressions (refine).
//
// Division and remainder are monotonic only on one side of zero, which is why their bounds are taken at
// the corners of boxes that do not cross it. Remainders use the modular set of the dividend as well:
// (4*x + 1) % 4 is exactly 1.
//
// Cost: one visit per distinct node in large questions, one per path in small ones, where a map would
// cost more than it saves (memoAfter). After TVM's src/arith/const_int_bound.cc.

// Bound is a closed interval of integers; PosInf and NegInf mean unlimited.
type Bound struct{ Min, Max int64 }

// Const reports whether the bound holds one value only.
func (b Bound) Const() bool { return b.Min == b.Max }

// DTypeBound returns all values that type d can hold; everything for types of no integers
// and for 64 bits.
func DTypeBound(d dtype.DType) Bound {
	if !d.IsInteger() && !d.IsBool() {
		return Bound{NegInf, PosInf}
	}
	lo, hi := d.IntLimits()
	return Bound{max(lo, NegInf), hi}
}

func (b Bound) union(o Bound) Bound     { return Bound{min(b.Min, o.Min), max(b.Max, o.Max)} }
func (b Bound) intersect(o Bound) Bound { return Bound{max(b.Min, o.Min), min(b.Max, o.Max)} }

func (b Bound) within(o Bound) bool { return b.Min >= o.Min && b.Max <= o.Max }

// exactInts returns integers around 0 all of which float type d holds.
func exactInts(d dtype.DType) Bound {
	n := int64(0)
	switch {
	case d.Code == dtype.BFloat:
		n = 1 << 8
	case d.Code != dtype.Float:
	case d.Bits == 16:
		n = 1 << 11
	case d.Bits == 32:
		n = 1 << 24
	default:
		n = 1 << 53
	}
	return Bound{-n, n}
}

// boundInfo is a bound of an expression that holds in the current scope.
type boundInfo struct {
	expr  tir.Expr
	bound Bound
}

// memoAfter is the number of nodes that a question may visit before answers are kept by
// node: small questions are cheaper without, shared nodes would be exponential without.
const memoAfter = 512

func (a *Analyzer) boundOf(e tir.Expr) Bound {
	switch e := e.(type) {
	case *tir.IntImm:
		if beyond(e) {
			return Bound{PosInf - 1, PosInf}
		}
		return boundOfConst(e.Value)
	case *tir.Var:
		return a.refine(e, a.varBound(e))
	}
	if a.boundWork++; a.boundWork <= memoAfter {
		return a.refine(e, a.boundNode(e))
	}
	if b, ok := a.memo.bound.Get(e); ok {
		return b
	}
	b := a.refine(e, a.boundNode(e))
	a.memo.bound.Put(e, b)
	return b
}

// boundOfConst is the bound of a number. The ends of int64 are numbers like others, no infinities, so each of them is bounded by its neighbour on one side.
func boundOfConst(v int64) Bound { return Bound{min(max(v, NegInf), PosInf-1), max(v, NegInf+1)} }

// refine adds what the constraints in scope say of e.
func (a *Analyzer) refine(e tir.Expr, b Bound) Bound {
	for i := range a.boundInfos {
		if info := &a.boundInfos[i]; Equal(e, info.expr) {
			b = b.intersect(info.bound)
		}
	}
	return b
}

func (a *Analyzer) varBound(v *tir.Var) Bound {
	if b, ok := a.varBounds[v]; ok {
		return b
	}
	if v.Size {
		return Bound{0, PosInf}
	}
	return DTypeBound(v.DType())
}

func (a *Analyzer) boundNode(e tir.Expr) Bound {
	switch e := e.(type) {
	case *tir.Binary:
		return a.boundBinary(e)
	case *tir.Ramp:
		first := a.boundOf(e.Start)
		step := a.boundOf(e.Stride)
		n := int64(e.Lanes - 1)
		last := Bound{infAdd(first.Min, infMul(step.Min, n)), infAdd(first.Max, infMul(step.Max, n))}
		return first.union(last)
	case *tir.Broadcast:
		return a.boundOf(e.Value)
	case *tir.Cast:
		return a.boundCast(e)
	case *tir.Select:
		return a.boundOf(e.True).union(a.boundOf(e.False))
	case *tir.Let:
		return a.boundLet(e)
	case *tir.Call:
		return a.boundCall(e)
	}
	return DTypeBound(e.DType())
}

func (a *Analyzer) boundLet(e *tir.Let) Bound {
	if _, bound := a.varBounds[e.Var]; bound {
		return a.boundOf(e.Body)
	}
	if a.varBounds == nil {
		a.varBounds = map[*tir.Var]Bound{}
	}
	a.varBounds[e.Var] = a.boundOf(e.Value)
	b := a.boundOf(e.Body)
	delete(a.varBounds, e.Var)
	return b
}

// boundCast keeps the bound of an integer where it fits in the type. A value that may wrap could be anything, but for indices: those are
// computed, not read. A float bounds nothing, except that
// int(ceil(log2(n))) grows with n.
func (a *Analyzer) boundCast(e *tir.Cast) Bound {
	all := DTypeBound(e.Type)
	from := e.Value.DType()
	if from.IsFloat() {
		if in, ok := e.Value.(*tir.Cast); ok && in.Value.DType().IsInteger() && !e.Type.IsBool() {
			// An integer that the float holds exactly comes back as it was.
			if b := a.boundOf(in.Value); b.within(exactInts(from)) && b.within(all) {
				return b
			}
			return all
		}
		ceil, ok := tir.IsCallTo(e.Value, tir.OpCeil)
		if !ok || !e.Type.IsInt() {
			return all
		}
		log, ok := tir.IsCallTo(ceil.Args[0], tir.OpLog2)
		if !ok {
			return all
		}
		arg := log.Args[0]
		if c, ok := arg.(*tir.Cast); ok {
			arg = c.Value
		}
		if !arg.DType().IsInteger() {
			return all
		}
		b := a.boundOf(arg)
		if b.Min >= 1 {
			lo := int64(math.Ceil(math.Log2(float64(b.Min))))
			hi := int64(math.Ceil(math.Log2(float64(b.Max))))
			return Bound{lo, hi}.intersect(all)
		}
		return all
	}
	b := a.boundOf(e.Value)
	if e.Type.IsBool() {
		return all
	}
	if e.Type.IsFloat() {
		return b
	}
	if !fits(b, from, e.Type) && (!isIndex(e.Type.Elem()) || !isIndex(from.Elem()) || ir.Any(e.Value, isLoad)) {
		return all
	}
	return b.intersect(all)
}

func isLoad(n ir.Node) bool {
	_, ok := n.(*tir.BufferLoad)
	return ok
}

// fits reports whether a type holds what is in the bound b and of another type. Of a number of uint64 without a limit half is beyond int64.
func fits(b Bound, from, to dtype.DType) bool {
	return b.within(DTypeBound(to)) && !(b.Max == PosInf && from.IsUInt() && to.IsInt())
}

func (a *Analyzer) boundCall(e *tir.Call) Bound {
	switch {
	case isOp(e, tir.OpVScale):
		return Bound{1, PosInf}
	case len(e.Args) != 2:
		return DTypeBound(e.Type)
	case isOp(e, tir.OpShiftLeft):
		x, y := a.boundOf(e.Args[0]), a.boundOf(e.Args[1])
		if x.Min < 0 || y.Min < 0 {
			return DTypeBound(e.Type)
		}
		b := Bound{infShiftLeft(x.Min, y.Min), infShiftLeft(x.Max, y.Max)}
		if all := DTypeBound(e.Type); (!b.within(all) || b.Max == PosInf) && !(isIndex(e.Type.Elem()) && !ir.Any(e, isLoad)) {
			return all // bits are lost, but of indices
		}
		return b
	case isOp(e, tir.OpShiftRight):
		x, y := a.boundOf(e.Args[0]), a.boundOf(e.Args[1])
		if y.Min < 0 {
			return DTypeBound(e.Type)
		}
		return corners(x, y, infShiftRight)
	case isOp(e, tir.OpBitwiseAnd):
		x, y := a.boundOf(e.Args[0]), a.boundOf(e.Args[1])
		switch {
		case x.Min >= 0 && y.Min >= 0:
			return Bound{0, min(x.Max, y.Max)}
		case y.Min >= 0:
			return Bound{0, y.Max}
		case x.Min >= 0:
			return Bound{0, x.Max}
		}
	}
	return DTypeBound(e.Type)
}
