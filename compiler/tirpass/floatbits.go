package tirpass

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// floatForm describes a format of floating-point numbers: a sign, exponent bits, mantissa bits.
type floatForm struct {
	exp, man, bias int
	special        special
}

// special says which codes of a format are no numbers.
type special uint8

const (
	ieee   special = iota // all ones in the exponent: infinity, or NaN with a mantissa
	fn                    // no infinity; NaN is all ones below the sign
	fnuz                  // no infinity and no negative zero, whose code is NaN
	finite                // every code is a number
	powers                // no sign: powers of two, and NaN is all ones
)

// formOf returns the format of an element type that the passes convert.
func formOf(d dtype.DType) (floatForm, bool) {
	switch {
	case d.Code == dtype.Float && d.Bits == 16:
		return floatForm{exp: 5, man: 10, bias: 15}, true
	case d.Code == dtype.Float && d.Bits == 32:
		return floatForm{exp: 8, man: 23, bias: 127}, true
	case d.Code == dtype.Float && d.Bits == 64:
		return floatForm{exp: 11, man: 52, bias: 1023}, true
	case d.Code == dtype.BFloat && d.Bits == 16:
		return floatForm{exp: 8, man: 7, bias: 127}, true
	case d.Code == dtype.Float8E3M4:
		return floatForm{exp: 3, man: 4, bias: 3}, true
	case d.Code == dtype.Float8E4M3:
		return floatForm{exp: 4, man: 3, bias: 7}, true
	case d.Code == dtype.Float8E4M3FN:
		return floatForm{exp: 4, man: 3, bias: 7, special: fn}, true
	case d.Code == dtype.Float8E4M3FNUZ:
		return floatForm{exp: 4, man: 3, bias: 8, special: fnuz}, true
	case d.Code == dtype.Float8E4M3B11:
		return floatForm{exp: 4, man: 3, bias: 11, special: fnuz}, true
	case d.Code == dtype.Float8E5M2:
		return floatForm{exp: 5, man: 2, bias: 15}, true
	case d.Code == dtype.Float8E5M2FNUZ:
		return floatForm{exp: 5, man: 2, bias: 16, special: fnuz}, true
	case d.Code == dtype.Float8E8M0FNU:
		return floatForm{exp: 8, bias: 127, special: powers}, true
	case d.Code == dtype.Float4E2M1FN:
		return floatForm{exp: 2, man: 1, bias: 1, special: finite}, true
	}
	return floatForm{}, false
}

// storageOf returns the unsigned integer of as many bits, eight at least.
func storageOf(d dtype.DType) dtype.DType {
	return dtype.DType{Code: dtype.UInt, Bits: max(d.Bits, 8), Lanes: 1}.LikeVector(d)
}

// reinterpretAs returns the bits of e as a value of another type.
func reinterpretAs(d dtype.DType, e tir.Expr) tir.Expr {
	if e.DType() == d {
		return e
	}
	return &tir.Call{Base: e.Meta(), Type: d, Op: tir.OpReinterpret, Args: []tir.Expr{e}}
}

// floatBits holds operations on unsigned integers of the type of e.
type floatBits struct{ e tir.Expr }

func bitsOf(e tir.Expr) floatBits { return floatBits{reinterpretAs(storageOf(e.DType()), e)} }

func (b floatBits) imm(v int64) tir.Expr { return constLike(b.e.DType(), v) }

// constLike is a number, in each lane.
func constLike(d dtype.DType, v int64) tir.Expr {
	c := tir.Const(d.Elem(), v)
	if d.Lanes > 1 {
		return &tir.Broadcast{Value: c, Lanes: int(d.Lanes), Scalable: d.Scalable}
	}
	return c
}

func (b floatBits) call(op *ir.Op, y tir.Expr) floatBits {
	return floatBits{&tir.Call{Base: b.e.Meta(), Type: b.e.DType(), Op: op, Args: []tir.Expr{b.e, y}}}
}

func (b floatBits) left(n int) floatBits  { return b.call(tir.OpShiftLeft, b.imm(int64(n))) }
func (b floatBits) right(n int) floatBits { return b.call(tir.OpShiftRight, b.imm(int64(n))) }

func (b floatBits) and(v int64) floatBits    { return b.call(tir.OpBitwiseAnd, b.imm(v)) }
func (b floatBits) or(o floatBits) floatBits { return b.call(tir.OpBitwiseOr, o.e) }

func (b floatBits) plus(v tir.Expr) floatBits {
	return floatBits{&tir.Binary{Base: b.e.Meta(), Op: tir.OpAdd, A: b.e, B: v}}
}

func (b floatBits) cast(d dtype.DType) floatBits {
	if d = d.LikeVector(b.e.DType()); b.e.DType() == d {
		return b
	}
	return floatBits{&tir.Cast{Base: b.e.Meta(), Type: d, Value: b.e}}
}

// rounding is what to add before the last n bits are dropped, so that the rest is rounded to the nearest, ties to
// an even one.
func (b floatBits) rounding(n int) tir.Expr {
	return tir.Add(b.right(n).and(1).e, b.imm(1<<(n-1)-1))
}

// convertFloat returns e, of a floating-point type, as a value of another by operations on bits, rounded
// to the nearest, ties to even.
//
// Formats with as many exponent bits differ in the mantissa only: bits are appended or, after rounding, dropped.
// As in TVM, a NaN of bfloat16's width whose payload is all ones may then overflow; NaNs that computations
// make do not. For others TVM's formula is wrong for zeros, subnormal and too large numbers, so that small
// and large numbers are told apart here.
func convertFloat(e tir.Expr, to dtype.DType) tir.Expr {
	if e.DType() == to.LikeVector(e.DType()) {
		return e
	}
	return floatOf(bitsOf(e), e.DType(), to)
}

// floatOf is convertFloat for the bits of a number of type d.
func floatOf(b floatBits, d, to dtype.DType) tir.Expr {
	from, _ := formOf(d)
	form, _ := formOf(to)
	to = to.LikeVector(d)
	more := form.man - from.man
	switch {
	case from.exp == form.exp && from.bias != form.bias || form.special == powers && from.bias < form.bias:
		return convertFloat(floatOf(b, d, dtype.Float32T), to) // which has all numbers of the first
	case from.special == powers:
		return tir.CastTo(to, fromPower(b, to))
	case form.special == powers:
		return reinterpretAs(to, toPower(b, from, to))
	case from.exp == form.exp && more >= 0:
		return reinterpretAs(to, b.cast(storageOf(to)).left(more).e)
	case from.exp == form.exp:
		return reinterpretAs(to, b.plus(b.rounding(-more)).right(-more).cast(storageOf(to)).e)
	}
	v := tir.NewVar("bits", b.e.DType())
	if more >= 0 {
		return &tir.Let{Base: b.e.Meta(), Var: v, Value: b.e, Body: widerFloat(floatBits{v}, from, form, to)}
	}
	return &tir.Let{Base: b.e.Meta(), Var: v, Value: b.e, Body: narrowerFloat(floatBits{v}, d, from, form, to)}
}

func choose(cond, yes, no tir.Expr) tir.Expr {
	return &tir.Select{Cond: cond, True: yes, False: no}
}

// widerFloat returns the number with bits b in a wider format. The magnitude is read as one of the wider format, which
// scales it, subnormal numbers included, by a power of two that the biases give.
func widerFloat(b floatBits, from, form floatForm, to dtype.DType) tir.Expr {
	mag := b.and(1<<(from.exp+from.man) - 1)
	placed := mag.cast(storageOf(to)).left(form.man - from.man)
	scale := floatLike(to, math.Ldexp(1, form.bias-from.bias))
	number := bitsOf(tir.Mul(reinterpretAs(to, placed.e), scale))
	sign := b.right(from.exp + from.man).cast(storageOf(to)).left(form.exp + form.man)
	nan := placed.imm((1<<(form.exp+1) - 1) << (form.man - 1)) // a quiet one
	value := number.e
	switch from.special {
	case ieee: // infinity, and behind it NaN
		ones := placed.plus(placed.imm((1<<form.exp - 1<<from.exp) << form.man))
		value = choose(tir.GE(mag.e, b.imm(int64(1<<from.exp-1)<<from.man)), ones.e, value)
	case fn:
		value = choose(tir.EQ(mag.e, b.imm(1<<(from.exp+from.man)-1)), nan, value)
	case fnuz:
		value = choose(tir.EQ(b.e, b.imm(1<<(from.exp+from.man))), nan, value)
	}
	return reinterpretAs(to, floatBits{value}.or(sign).e)
}

// fromPower returns the power of two with code b as a float32, of as many lanes as to has.
func fromPower(b floatBits, to dtype.DType) tir.Expr {
	v := tir.NewVar("bits", b.e.DType())
	bits := floatBits{v}
	placed := bits.cast(dtype.UInt32T).left(23)
	value := choose(tir.EQ(v, bits.imm(0)), placed.imm(1<<22), placed.e)
	value = choose(tir.EQ(v, bits.imm(0xff)), placed.imm(0x1ff<<22), value)
	return &tir.Let{Base: b.e.Meta(), Var: v, Value: b.e, Body: reinterpretAs(dtype.Float32T.LikeVector(to), value)}
}

// toPower returns the code of the power of two that is nearest to the number with bits b, the lower one of two as near. Numbers that are
// negative or too small have the lowest code, those that are too large that of NaN.
func toPower(b floatBits, from floatForm, to dtype.DType) tir.Expr {
	v := tir.NewVar("bits", b.e.DType())
	bits := floatBits{v}
	mag := bits.and(1<<(from.exp+from.man) - 1)
	exp := mag.plus(bits.imm(1<<(from.man-1) - 1)).right(from.man).e
	if lower := int64(from.bias - 127); lower > 0 {
		exp = choose(tir.LT(exp, bits.imm(lower)), bits.imm(0), tir.Sub(exp, bits.imm(lower)))
	} else { // as many exponents: the two lowest codes are subnormal numbers and the least normal one
		low := choose(tir.GT(mag.e, bits.imm(3<<(from.man-2))), bits.imm(1), bits.imm(0))
		exp = choose(tir.LT(mag.e, bits.imm(1<<from.man)), low, exp)
	}
	code := choose(tir.GT(bits.e, mag.e), bits.imm(0), tir.Min(exp, bits.imm(0xff)))
	code = choose(tir.GT(mag.e, bits.imm((1<<from.exp-1)<<from.man)), bits.imm(0xff), code)
	return &tir.Let{Base: b.e.Meta(), Var: v, Value: b.e, Body: floatBits{code}.cast(storageOf(to)).e}
}

// narrowerFloat returns the number with bits b, of type d, in a narrower format. Below its least normal number a sum rounds: the
// unit of the last place of what is added is that of the narrow format.
func narrowerFloat(b floatBits, d dtype.DType, from, form floatForm, to dtype.DType) tir.Expr {
	drop, bias := from.man-form.man, int64(from.bias-form.bias)
	mag := b.and(1<<(from.exp+from.man) - 1)
	normal := floatBits{tir.Sub(mag.plus(mag.rounding(drop)).e, b.imm(bias<<from.man))}.right(drop)
	exp := 1 - form.bias - form.man + from.man
	magic := floatLike(d, math.Ldexp(1, exp))
	code := b.imm(int64(exp+from.bias) << from.man)
	small := tir.Sub(bitsOf(tir.Add(reinterpretAs(d, mag.e), magic)).e, code)
	rounded := choose(tir.LT(mag.e, b.imm((bias+1)<<from.man)), small, normal.e)
	beyond, nan := form.limits()
	value := choose(tir.GE(rounded, b.imm(beyond)), b.imm(beyond), rounded)
	sign := b.right(from.exp + from.man).cast(storageOf(to)).left(form.exp + form.man).e
	no := tir.GT(mag.e, b.imm((1<<from.exp-1)<<from.man))
	switch form.special {
	case fnuz: // a zero has no sign, and NaN has one
		no = tir.Or(no, tir.GE(rounded, b.imm(beyond)))
		sign = choose(tir.Or(no, tir.EQ(rounded, b.imm(0))), bitsOf(sign).imm(0), sign)
	case finite: // a NaN becomes zero
		value = tir.Min(rounded, b.imm(beyond-1))
		sign = choose(no, bitsOf(sign).imm(0), sign)
	}
	value = choose(no, b.imm(nan), value)
	return reinterpretAs(to, floatBits{value}.cast(storageOf(to)).or(floatBits{sign}).e)
}

// limits returns the code behind that of the largest number, which is infinity where there is one, else NaN, and the code of NaN; a format that has none gives 0.
func (f floatForm) limits() (beyond, nan int64) {
	all := int64(1) << (f.exp + f.man)
	switch f.special {
	case fn:
		return all - 1, all - 1
	case fnuz:
		return all, all
	case finite:
		return all, 0
	}
	inf := all - 1<<f.man
	return inf, inf + 1<<(f.man-1)
}

func floatLike(d dtype.DType, v float64) tir.Expr {
	c := &tir.FloatImm{Type: d.Elem(), Value: v}
	if d.Lanes > 1 {
		return &tir.Broadcast{Value: c, Lanes: int(d.Lanes), Scalable: d.Scalable}
	}
	return c
}
