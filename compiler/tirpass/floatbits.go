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
	noInf          bool // no infinity; NaN is all ones below the sign
}

// formOf returns the format of an element type that the passes convert.
func formOf(d dtype.DType) (floatForm, bool) {
	switch {
	case d.Code == dtype.Float && d.Bits == 16:
		return floatForm{exp: 5, man: 10, bias: 15}, true
	case d.Code == dtype.Float && d.Bits == 32:
		return floatForm{exp: 8, man: 23, bias: 127}, true
	case d.Code == dtype.BFloat && d.Bits == 16:
		return floatForm{exp: 8, man: 7, bias: 127}, true
	case d.Code == dtype.Float8E3M4:
		return floatForm{exp: 3, man: 4, bias: 3}, true
	case d.Code == dtype.Float8E4M3:
		return floatForm{exp: 4, man: 3, bias: 7}, true
	case d.Code == dtype.Float8E4M3FN:
		return floatForm{exp: 4, man: 3, bias: 7, noInf: true}, true
	case d.Code == dtype.Float8E5M2:
		return floatForm{exp: 5, man: 2, bias: 15}, true
	}
	return floatForm{}, false
}

// storageOf returns the unsigned integer of as many bits.
func storageOf(d dtype.DType) dtype.DType {
	return dtype.DType{Code: dtype.UInt, Bits: d.Bits, Lanes: 1}.LikeVector(d)
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
	from, _ := formOf(e.DType())
	form, _ := formOf(to)
	to = to.LikeVector(e.DType())
	more := form.man - from.man
	switch {
	case e.DType() == to:
		return e
	case from.exp == form.exp && more >= 0:
		return reinterpretAs(to, bitsOf(e).cast(storageOf(to)).left(more).e)
	case from.exp == form.exp:
		b := bitsOf(e)
		return reinterpretAs(to, b.plus(b.rounding(-more)).right(-more).cast(storageOf(to)).e)
	}
	b := bitsOf(e)
	v := tir.NewVar("bits", b.e.DType())
	if more >= 0 {
		return &tir.Let{Base: e.Meta(), Var: v, Value: b.e, Body: widerFloat(floatBits{v}, from, form, to)}
	}
	return &tir.Let{Base: e.Meta(), Var: v, Value: b.e, Body: narrowerFloat(floatBits{v}, e.DType(), from, form, to)}
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
	top := int64(1<<from.exp-1) << from.man // infinity, and behind it NaN
	ones := placed.plus(placed.imm((1<<form.exp - 1<<from.exp) << form.man))
	if from.noInf {
		top = 1<<(from.exp+from.man) - 1
		ones = floatBits{placed.imm((1<<(form.exp+1) - 1) << (form.man - 1))} // a quiet NaN
	}
	sign := b.right(from.exp + from.man).cast(storageOf(to)).left(form.exp + form.man)
	value := choose(tir.GE(mag.e, b.imm(top)), ones.e, number.e)
	return reinterpretAs(to, floatBits{value}.or(sign).e)
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
	inf := int64(1<<form.exp-1) << form.man
	beyond, largest := inf, inf-1
	nan := inf + 1<<(form.man-1)
	if form.noInf {
		nan = 1<<(form.exp+form.man) - 1
		beyond, largest = nan, nan-1
	}
	value := choose(tir.GT(rounded, b.imm(largest)), b.imm(beyond), rounded)
	value = choose(tir.GT(mag.e, b.imm((1<<from.exp-1)<<from.man)), b.imm(nan), value)
	sign := b.right(from.exp + from.man).cast(storageOf(to)).left(form.exp + form.man)
	return reinterpretAs(to, floatBits{value}.cast(storageOf(to)).or(sign).e)
}

func floatLike(d dtype.DType, v float64) tir.Expr {
	c := &tir.FloatImm{Type: d.Elem(), Value: v}
	if d.Lanes > 1 {
		return &tir.Broadcast{Value: c, Lanes: int(d.Lanes), Scalable: d.Scalable}
	}
	return c
}
