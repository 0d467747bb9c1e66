package te

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// How many float32 values are added one after the other. Each addition may round in the same
// direction: 2^20 times 0.1 comes out 1 % too large. What is longer, and what may be longer
// because its extent is symbolic, is summed in float64. Products get a higher limit: their own
// rounding errors make those of the sum random, and models have products of a few thousand
// terms whose loops stay plain this way.
const (
	longestSum     = 1024
	longestProduct = 8192
)

// termsOfRun keeps a sum right to a millionth: see tir.AttrSumRuns.
const termsOfRun = 64

// accumulator is the element type in which the terms e are added or multiplied over axes:
// float32 for halves, and float64 for more float32 than may be added one after the other, or
// where other sums stand beside.
func accumulator(e tir.Expr, tuple bool, axes []*tir.IterVar) dtype.DType {
	dot := isDot(e)
	d := e.DType()
	if dot && d.IsInteger() && d.Bits == 8 {
		d.Bits = 32
	}
	if d = d.Accumulator(); d != dtype.Float32T {
		return d
	}
	if tuple {
		return dtype.Float64T
	}
	longest := int64(longestSum)
	if dot {
		longest = longestProduct
	}
	extents := make([]tir.Expr, len(axes))
	for k, a := range axes {
		extents[k] = a.Dom.Extent
	}
	return wideSum(extents, longest)
}

// isDot reports whether e is the product of two elements, and no square.
func isDot(e tir.Expr) bool {
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.OpMul {
		return false
	}
	factor := func(e tir.Expr) tir.Expr {
		if c, ok := e.(*tir.Cast); ok {
			e = c.Value
		}
		if _, ok := e.(*tir.ProducerLoad); ok {
			return e
		}
		return nil
	}
	x, y := factor(b.A), factor(b.B)
	return x != nil && y != nil && x != y
}

// SumType is the element type in which values of type d are added along an axis of n where the
// result is to be exact.
func SumType(d dtype.DType, n tir.Expr) dtype.DType {
	if d = d.Accumulator(); d != dtype.Float32T {
		return d
	}
	return wideSum([]tir.Expr{n}, longestSum)
}

// wideSum is float32, or float64 for more than longest elements.
func wideSum(extents []tir.Expr, longest int64) dtype.DType {
	n := int64(1)
	for _, e := range extents {
		extent, ok := tir.AsInt(e)
		if !ok || extent > longest {
			return dtype.Float64T
		}
		if n *= max(extent, 1); n > longest {
			return dtype.Float64T
		}
	}
	return dtype.Float32T
}

// product is the product of two elements in type d, or in the widest type that its factors are
// converted to before: that is done once for each element, in a computation of its own.
func (t *tuner) product(p *tir.Binary, d dtype.DType) tir.Expr {
	if d == dtype.Float64T {
		d = p.DType().Accumulator()
	}
	factor := func(e tir.Expr) tir.Expr {
		inner := e
		if c, ok := e.(*tir.Cast); ok && c.DType() == p.DType() {
			inner = c.Value
		}
		if l, ok := inner.(*tir.ProducerLoad); ok && (inner != e || d != p.DType()) {
			x := t.tensor(l.Producer.(*Tensor))
			return t.cast(x, d).At(t.exprs(l.Indices)...)
		}
		return tir.CastTo(d, t.expr(e))
	}
	a, b := factor(p.A), factor(p.B)
	if a == p.A && b == p.B {
		return p
	}
	return tir.Mul(a, b)
}

// retype computes e in type d from its elements on.
func retype(e tir.Expr, d dtype.DType) tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op <= tir.OpDiv && b.DType().IsFloat() {
		return tir.BinaryExpr(b.Op, retype(b.A, d), retype(b.B, d))
	}
	return tir.CastTo(d, e)
}

func (t *tuner) exprs(es []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(es))
	for i, e := range es {
		out[i] = tir.CastTo(e.DType(), t.expr(e))
	}
	return out
}

// expr is e with elements of the tuned tensors, in a wider type where they have one; e itself
// where nothing changes.
func (t *tuner) expr(e tir.Expr) tir.Expr {
	if x := t.exprsDone[e]; x != nil {
		return x
	}
	x := t.tuned(e)
	t.exprsDone[e] = x
	return x
}

func (t *tuner) tuned(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.ProducerLoad:
		return t.load(e)
	case *tir.FloatImm:
		if w := t.wide(e.Type); w != e.Type {
			return &tir.FloatImm{Type: w, Value: e.Value}
		}
		return t.infinite(e)
	case *tir.Cast:
		return t.castExpr(e)
	case *tir.Binary:
		a, b := t.expr(e.A), t.expr(e.B)
		if a == e.A && b == e.B {
			return e
		}
		a, b = meet(a, b)
		return tir.BinaryExpr(e.Op, a, b)
	case *tir.Select:
		c, a, b := t.expr(e.Cond), t.expr(e.True), t.expr(e.False)
		if c == e.Cond && a == e.True && b == e.False {
			return e
		}
		a, b = meet(a, b)
		return &tir.Select{Cond: c, True: a, False: b}
	case *tir.Call:
		return t.call(e)
	}
	m := tir.Mapper{Expr: t.expr}
	return m.MapExpr(e)
}

func (t *tuner) load(e *tir.ProducerLoad) tir.Expr {
	x, ok := e.Producer.(*Tensor)
	if !ok {
		return e
	}
	y := t.tensor(x)
	at := t.exprs(e.Indices)
	same := y == x
	for i := range at {
		same = same && at[i] == e.Indices[i]
	}
	out := tir.Expr(e)
	if !same {
		out = y.At(at...)
	}
	if y.DType == dtype.Float64T || y.DType == x.DType && t.wide(x.DType) == x.DType {
		return out // a sum in float64 stays one until it meets other values
	}
	return tir.CastTo(t.wide(x.DType), out)
}

func (t *tuner) castExpr(e *tir.Cast) tir.Expr {
	v := t.expr(e.Value)
	if v == e.Value && t.wide(e.DType()) == e.DType() {
		return e
	}
	return tir.CastTo(t.wide(e.DType()), v)
}

// call computes functions of elements in float32 at most where that is their type.
func (t *tuner) call(e *tir.Call) tir.Expr {
	args := make([]tir.Expr, len(e.Args))
	changed := false
	for i, a := range e.Args {
		args[i] = t.expr(a)
		if w := t.wide(a.DType()); args[i].DType() != a.DType() {
			args[i] = tir.CastTo(w, args[i])
		}
		changed = changed || args[i] != a
	}
	if e.Op == tir.OpPow && len(args) == 2 {
		if p := power(args[0], args[1]); p != nil {
			return p
		}
	}
	if e.Op == tir.OpIfThenElse && changed {
		args[1], args[2] = meet(args[1], args[2])
		return tir.IfThenElseExpr(args[0], args[1], args[2])
	}
	d := e.Type
	if d.IsFloat() {
		d = t.wide(d)
	}
	if !changed && d == e.Type {
		return e
	}
	out := *e
	out.Args, out.Type = args, d
	return &out
}

// meet gives a and b one type. Where one is float64 and the other is not, that is a sum which
// meets other values: it is rounded, unless the other is a constant or made of no elements.
func meet(a, b tir.Expr) (x, y tir.Expr) {
	d, f := a.DType(), b.DType()
	if d == f || !d.IsFloat() || !f.IsFloat() {
		return a, b
	}
	if elementless(a) {
		return tir.CastTo(f, a), b
	}
	if elementless(b) {
		return a, tir.CastTo(d, b)
	}
	if d.Bits > f.Bits {
		return tir.CastTo(f, a), b
	}
	return a, tir.CastTo(d, b)
}

func elementless(e tir.Expr) bool {
	none := true
	ir.Walk(e, func(n ir.Node) bool {
		if _, ok := n.(*tir.ProducerLoad); ok {
			none = false
		}
		return none
	})
	return none
}

// power multiplies out the exponents 2 and 3, and takes a root for 1/2; nil for others. The powers of -0 and minus infinity are 0 and infinity, which their roots are not.
func power(a, b tir.Expr) tir.Expr {
	v := 0.0
	switch b := b.(type) {
	case *tir.FloatImm:
		v = b.Value
	case *tir.IntImm:
		v = float64(b.Value)
	}
	switch v {
	case 1:
		return a
	case 2:
		return tir.Mul(a, a)
	case 3:
		return tir.Mul(tir.Mul(a, a), a)
	case 0.5:
		if d := a.DType().Elem(); d.IsFloat() && d.Bits >= 16 {
			inf := tir.FloatConst(a.DType(), math.Inf(1))
			root := tir.NewCall(tir.OpFabs, tir.NewCall(tir.OpSqrt, a))
			return &tir.Select{Cond: tir.NewBinary(tir.OpEQ, a, tir.FloatConst(a.DType(), math.Inf(-1))), True: inf, False: root}
		}
	}
	return nil
}
