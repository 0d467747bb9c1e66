package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// dot translates dp4a on words: the third operand plus the products of the four bytes of one word with those of another, modulo 2^32. The bytes of
// an int32 have signs, those of a uint32 have none.
func (w *Walker) dot(e *tir.Call, what string) Value {
	x, y, acc := w.Expr(e.Args[0]), w.Expr(e.Args[1]), w.Expr(e.Args[2])
	d := e.Type
	for _, v := range []Value{x, y} {
		if !v.DType.IsInteger() || v.DType.Bits != 32 {
			w.Fail(what, "operands of type %s, expected words of four bytes: int32 or uint32", v.DType)
		}
	}
	if acc.DType.Elem() != dtype.Int32T || d.Elem() != dtype.Int32T {
		w.Fail(what, "a sum of type %s, expected int32", acc.DType)
	}
	lanes := int(d.Lanes)
	x, y, acc = w.spread(x, lanes), w.spread(y, lanes), w.spread(acc, lanes)
	if x.DType.IsInt() && y.DType.IsUInt() {
		x, y = y, x
	}
	if x.Packed() && y.Packed() && acc.Packed() {
		if x.DType.IsUInt() && y.DType.IsInt() {
			if out, ok := w.dotBytes(d, x, y, acc); ok {
				return out
			}
		}
		xe, xo := w.bytesOf(x, what)
		ye, yo := w.bytesOf(y, what)
		pairs := func(a, b Value) Value {
			return Each(d, 0, len(a.Parts), func(i int) *Node { return w.gen.MulPairs(a.Parts[i], b.Parts[i]) })
		}
		sum := w.arith(tir.OpAdd, pairs(xe, ye), pairs(xo, yo), what)
		if zeros(e.Args[2]) {
			return sum
		}
		return w.arith(tir.OpAdd, acc, sum, what)
	}
	xs, ys, sums := w.Scalars(x), w.Scalars(y), slices.Clone(w.Scalars(acc))
	for i := range sums {
		for k := range 4 {
			sums[i] = w.Fn(Add, sums[i], w.Fn(Mul, w.byteOf(xs[i], k, x.DType), w.byteOf(ys[i], k, y.DType)))
		}
	}
	return w.Pack(d, sums)
}

// dotBytes uses the instruction of the target, if it has one.
func (w *Walker) dotBytes(d dtype.DType, x, y, acc Value) (Value, bool) {
	out := Value{DType: d}
	for i := range x.Parts {
		n := w.gen.DotBytes(x.Parts[i], y.Parts[i], acc.Parts[i])
		if n == nil {
			return Value{}, false
		}
		out.Parts = append(out.Parts, n)
	}
	return out, true
}

// bytesOf takes the bytes of words apart into lanes of 16 bits: those at even places, and those at odd ones.
func (w *Walker) bytesOf(v Value, what string) (even, odd Value) {
	splat := func(d dtype.DType, c int64) Value { return w.Splat(d, w.IntConst(d.Elem(), c, what)) }
	words := dtype.UInt32T.WithLanes(v.Lanes())
	halves := dtype.Int16T.WithLanes(2 * v.Lanes())
	signed := v.DType.IsInt()
	v.DType = words
	shifted := w.shiftBytes(v, splat(words, 8), what)
	low := splat(words, 0x00ff00ff)
	lanes := func(x Value) Value {
		x = w.bits(And, x, low)
		x.DType = halves
		if signed { // what lies in 0 to 255 is taken to -128 to 127
			bit := splat(words, 0x00800080)
			bit.DType = halves
			x = w.arith(tir.OpSub, w.bits(Xor, x, bit), bit, what)
		}
		return x
	}
	return lanes(v), lanes(shifted)
}

// shiftBytes shifts words to the right.
func (w *Walker) shiftBytes(v, by Value, what string) Value {
	out, ok := w.gen.VectorShift(false, v.DType, v, by)
	if !ok {
		w.Fail(what, "there is no instruction that shifts %s", v.DType)
	}
	return out
}

// byteOf is byte k of a word, as words of type d have it.
func (w *Walker) byteOf(n *Node, k int, d dtype.DType) *Node {
	if k > 0 {
		n = w.Fn(ShrU, n, w.Int(32, int64(8*k)))
	}
	if d.IsInt() {
		return w.Fn(Extend8S, n)
	}
	return w.Fn(And, n, w.Int(32, 0xff))
}
