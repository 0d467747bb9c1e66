package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The fold functions compute operators on elements that are known during the import. They
// return nil for what they cannot do; the operator is then emitted.

// maxExprNodes bounds the size of an element's expression, so that a model cannot make
// expressions that grow without limit.
const maxExprNodes = 100

func smallExpr(e tir.Expr) bool {
	left := maxExprNodes
	ir.Walk(e, func(ir.Node) bool { left--; return left > 0 })
	return left > 0
}

func foldBinary(f func(a, b tir.Expr) tir.Expr) func(*node, []*known) *known {
	return func(n *node, in []*known) *known {
		if !foldable(in[0].dtype) {
			return nil
		}
		return broadcastKnown(in[0], in[1], in[0].dtype, f)
	}
}

// foldCompare is for operators whose result is bool; it needs constants.
func foldCompare(f func(a, b tir.Expr) tir.Expr) func(*node, []*known) *known {
	return func(n *node, in []*known) *known {
		k := broadcastKnown(in[0], in[1], dtype.BoolT, f)
		if k == nil {
			return nil
		}
		if _, ok := k.ints(); !ok {
			return nil
		}
		return k
	}
}

func foldVariadic(f func(a, b tir.Expr) tir.Expr) func(*node, []*known) *known {
	return func(n *node, in []*known) *known {
		acc := in[0]
		for _, k := range in[1:] {
			if acc == nil || k == nil || !foldable(acc.dtype) {
				return nil
			}
			acc = broadcastKnown(acc, k, acc.dtype, f)
		}
		return acc
	}
}

// foldable reports whether arithmetic on elements of type d can be folded.
func foldable(d dtype.DType) bool {
	return d == dtype.Int64T || d == dtype.Int32T || d == dtype.Float32T || d == dtype.Float64T
}

// broadcastKnown applies f to the elements of two tensors.
func broadcastKnown(a, b *known, d dtype.DType, f func(a, b tir.Expr) tir.Expr) *known {
	if a == nil || b == nil || a.dtype != b.dtype {
		return nil
	}
	shape, ok := broadcastShape(a.shape, b.shape)
	if !ok {
		return nil
	}
	count, err := ir.CheckedElements(shape)
	if err != nil || count > maxKnown(d) {
		return nil
	}
	ia, ib := broadcastIndex(a.shape, shape), broadcastIndex(b.shape, shape)
	out := &known{dtype: d, shape: shape, elems: make([]tir.Expr, count)}
	for i := range out.elems {
		e := f(a.elems[ia(i)], b.elems[ib(i)])
		if e == nil || e.DType() != d {
			return nil
		}
		out.elems[i] = e
	}
	return out
}

func broadcastShape(a, b []int64) ([]int64, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, d := range b {
		k := len(a) - len(b) + i
		switch {
		case out[k] == 1:
			out[k] = d
		case d != 1 && d != out[k]:
			return nil, false
		}
	}
	return out, true
}

// broadcastIndex maps row-major element numbers of the shape to those of from.
func broadcastIndex(from, to []int64) func(int) int {
	return func(i int) int {
		out, stride := 0, 1
		for k := len(to) - 1; k >= 0; k-- {
			at := i % int(to[k])
			i /= int(to[k])
			if j := k - (len(to) - len(from)); j >= 0 {
				if from[j] != 1 {
					out += at * stride
				}
				stride *= int(from[j])
			}
		}
		return out
	}
}

// divide is ONNX's Div: truncating for integers. Sizes are not negative, so that for
// symbolic ones flooring is the same.
func divide(a, b tir.Expr) tir.Expr {
	if a.DType().IsFloat() {
		if _, ok := b.(*tir.FloatImm); !ok {
			return nil
		}
		return tir.Div(a, b)
	}
	x, xok := tir.AsInt(a)
	y, yok := tir.AsInt(b)
	switch {
	case yok && (y == 0 || y == -1 && xok && x == math.MinInt64):
		return nil
	case xok && yok:
		return tir.Const(a.DType(), x/y)
	case !yok || y < 0:
		return nil
	}
	return divideProducts(a, b)
}

func foldMod(n *node, in []*known) *known {
	if n.bool("fmod", false) || !in[0].dtype.IsInteger() {
		return nil
	}
	return broadcastKnown(in[0], in[1], in[0].dtype, func(a, b tir.Expr) tir.Expr {
		if v, ok := tir.AsInt(b); !ok || v == 0 {
			return nil
		}
		return tir.FloorMod(a, b)
	})
}

func foldNeg(n *node, in []*known) *known {
	if !foldable(in[0].dtype) {
		return nil
	}
	return mapKnown(in[0], in[0].dtype, func(e tir.Expr) tir.Expr { return tir.Sub(tir.Const(e.DType(), 0), e) })
}

func foldNot(n *node, in []*known) *known {
	return mapKnown(in[0], dtype.BoolT, func(e tir.Expr) tir.Expr {
		if v, ok := tir.AsInt(e); ok {
			return tir.Bool(v == 0)
		}
		return nil
	})
}

func foldFloat(f func(float64) float64) func(*node, []*known) *known {
	return func(n *node, in []*known) *known {
		return mapKnown(in[0], in[0].dtype, func(e tir.Expr) tir.Expr {
			x, ok := e.(*tir.FloatImm)
			if !ok || !foldable(x.Type) {
				return nil
			}
			v := f(x.Value)
			if x.Type == dtype.Float32T {
				v = float64(float32(v))
			}
			return tir.FloatConst(x.Type, v)
		})
	}
}

func mapKnown(k *known, d dtype.DType, f func(tir.Expr) tir.Expr) *known {
	out := &known{dtype: d, shape: k.shape, elems: make([]tir.Expr, len(k.elems))}
	for i, e := range k.elems {
		if out.elems[i] = f(e); out.elems[i] == nil || out.elems[i].DType() != d {
			return nil
		}
	}
	return out
}

// foldCast converts between integers, and between those and floats where elements are
// constants.
func foldCast(n *node, in []*known) *known {
	d, err := n.elemType("to")
	if err != nil || !foldable(d) || !foldable(in[0].dtype) {
		return nil
	}
	return mapKnown(in[0], d, func(e tir.Expr) tir.Expr {
		if x, ok := e.(*tir.FloatImm); ok && d.IsInt() {
			if math.Abs(x.Value) > 1<<52 || x.Value != x.Value {
				return nil
			}
			return tir.Const(d, int64(x.Value))
		}
		if _, ok := tir.AsInt(e); !ok && d.IsFloat() != e.DType().IsFloat() {
			return nil
		}
		if wide := n.g.widen(e, d); wide != nil {
			return wide
		}
		return tir.CastTo(d, e)
	})
}

func foldWhere(n *node, in []*known) *known {
	cond, ok := in[0].ints()
	if !ok || in[1].dtype != in[2].dtype {
		return nil
	}
	pick := func(a, b *known, first bool) *known {
		return broadcastKnown(a, b, a.dtype, func(x, y tir.Expr) tir.Expr {
			if first {
				return x
			}
			return y
		})
	}
	// Both branches are brought to the common shape, then the condition chooses.
	x, y := pick(in[1], in[2], true), pick(in[1], in[2], false)
	if x == nil {
		return nil
	}
	shape, ok := broadcastShape(x.shape, in[0].shape)
	if !ok {
		return nil
	}
	count, err := ir.CheckedElements(shape)
	if err != nil || count > maxKnown(x.dtype) {
		return nil
	}
	ic, ix := broadcastIndex(in[0].shape, shape), broadcastIndex(x.shape, shape)
	out := &known{dtype: x.dtype, shape: shape, elems: make([]tir.Expr, count)}
	for i := range out.elems {
		out.elems[i] = y.elems[ix(i)]
		if cond[ic(i)] != 0 {
			out.elems[i] = x.elems[ix(i)]
		}
	}
	return out
}
