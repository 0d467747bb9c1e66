package lower

import (
	"math"
	"math/bits"
)

// Division is one of the four divisions of TIR.
type Division struct {
	Floor  bool // rounds down; else towards zero
	Rest   bool // the remainder, with the sign of the divisor if Floor
	Signed bool
}

// Mul returns the product of two integers, by a shift where one is a power of two.
func (b *Builder) Mul(x, y *Node) *Node {
	if !y.IsConst() {
		x, y = y, x
	}
	if v := y.Imm; y.IsConst() && v > 1 && v&(v-1) == 0 && v < math.MaxInt32 {
		return b.Fn(Shl, x, b.IntLike(x, int64(bits.TrailingZeros64(v))))
	}
	return b.Fn(Mul, x, y)
}

// Divide divides integers. Constant positive divisors, which index arithmetic is
// full of, need no division instruction; floor of a negative x is found from the bitwise
// complement: floor(x/c) = ~(~x / c).
func (b *Builder) Divide(d Division, x, y *Node) *Node {
	if c, known := y.Int(); known && c > 0 && (d.Signed || x.Nonneg) {
		return b.divideConst(d, x, c)
	}
	switch {
	case !d.Signed && d.Rest:
		return b.Fn(RemU, x, y)
	case !d.Signed:
		return b.Fn(DivU, x, y)
	case !d.Floor && d.Rest:
		return b.Fn(RemS, x, y)
	case !d.Floor:
		return b.quotient(x, y)
	}
	r := b.Fn(RemS, x, y)
	zero := b.IntLike(x, 0)
	// The remainder has the sign of x: correct it where that is not the sign of y.
	off := b.Op(b.Machine.Op(And, 32), 0, 0, b.Fn(Ne, r, zero), b.Fn(LtS, b.Fn(Xor, r, y), zero))
	if d.Rest {
		return b.Fn(Select, b.Fn(Add, r, y), r, off)
	}
	if b.bitsOf(x) == 64 {
		off = b.Op(b.Machine.Op(ExtendU, 32), 0, 0, off)
	}
	return b.Fn(Sub, b.quotient(x, y), off)
}

// quotient divides towards zero. The least number divided by -1 is itself, as it is negated: where the instruction has no result for that, -x is divided
// by 1 in place of x by -1.
func (b *Builder) quotient(x, y *Node) *Node {
	if c, known := y.Int(); !b.Machine.DivOverflows || known && c != -1 || x.Nonneg || y.Nonneg {
		return b.Fn(DivS, x, y)
	}
	one := b.Fn(Eq, y, b.IntLike(y, -1))
	if b.bitsOf(x) == 64 {
		one = b.Op(b.Machine.Op(ExtendU, 32), 0, 0, one)
	}
	all := b.Fn(Sub, b.IntLike(x, 0), one)
	return b.Fn(DivS, b.Fn(Sub, b.Fn(Xor, x, all), all), b.Fn(Add, y, b.Fn(Shl, one, b.IntLike(x, 1))))
}

func (b *Builder) divideConst(d Division, x *Node, c int64) *Node {
	if c&(c-1) == 0 && (d.Floor || x.Nonneg) {
		if d.Rest {
			return b.Fn(And, x, b.IntLike(x, c-1))
		}
		return b.Fn(ShrS, x, b.IntLike(x, int64(bits.TrailingZeros64(uint64(c)))))
	}
	var q *Node
	switch {
	case x.Nonneg:
		q = b.divideNonneg(x, c)
	case d.Floor:
		sign := b.Fn(ShrS, x, b.IntLike(x, int64(b.bitsOf(x)-1)))
		q = b.Fn(Xor, b.divideNonneg(b.Fn(Xor, x, sign), c), sign)
	default:
		q = b.Fn(DivS, x, b.IntLike(x, c))
	}
	if !d.Rest {
		return q
	}
	r := b.Fn(Sub, x, b.Fn(Mul, q, b.IntLike(x, c)))
	if r.fn == Sub {
		r.Nonneg = r.Nonneg || d.Floor || x.Nonneg
	}
	return r
}

// divideNonneg divides a number that is not negative by a positive constant. In 32 bits it
// multiplies by a rounded-up reciprocal: with 2^(l-1) < c <= 2^l the factor
// ceil(2^(31+l) / c) gives the exact quotient of every 31-bit number (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication", 1994, theorem 4.2).
func (b *Builder) divideNonneg(x *Node, c int64) *Node {
	if b.bitsOf(x) == 64 || c > math.MaxInt32 {
		return b.Fn(DivU, x, b.IntLike(x, c))
	}
	if c&(c-1) == 0 {
		return b.Fn(ShrU, x, b.IntLike(x, int64(bits.TrailingZeros64(uint64(c)))))
	}
	shift := 31 + bits.Len64(uint64(c-1))
	factor := (uint64(1)<<shift + uint64(c) - 1) / uint64(c)
	wide := b.Op(b.Machine.Op(ExtendU, 32), 0, 0, x)
	q := b.Fn(ShrU, b.Fn(Mul, wide, b.Int(64, int64(factor))), b.Int(64, int64(shift)))
	q = b.Op(b.Machine.Op(Wrap, 64), 0, 0, q)
	q.Nonneg = true
	return q
}
