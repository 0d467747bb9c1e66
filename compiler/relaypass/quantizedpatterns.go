package relaypass

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// value is what an expression is bound to in the block, the expression itself where it is no variable of it.
func (p *quantizedProducts) value(e relax.Expr) relax.Expr {
	if v, ok := e.(*relax.Var); ok {
		if d := p.defs[v]; d != nil {
			return d
		}
	}
	return e
}

// cast is what is converted to a type.
func (p *quantizedProducts) cast(e relax.Expr, to dtype.DType) (relax.Expr, bool) {
	c, ok := op.Is(p.value(e), "relax.astype")
	if !ok || c.Attrs.DType("dtype") != to {
		return nil, false
	}
	return c.Args[0], true
}

// stored returns the integers that a value makes real numbers of by constant scales above zero, and what they stand for: dequantize, or (x - zero) * scale in int32 and float32, as importers write it.
func (p *quantizedProducts) stored(e relax.Expr) (quantizedValue, bool) {
	t, ok := p.ctx.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok || t.NDim < 0 || t.DType != dtype.Float32T {
		return quantizedValue{}, false
	}
	if c, ok := op.Is(e, "relax.dequantize"); ok {
		axis := c.Attrs.Int("axis", -1)
		if axis < 0 {
			axis += int64(t.NDim)
		}
		return p.dequantized(c.Args[0], c.Args[1], c.Args[2], t.NDim, axis)
	}
	c, ok := op.Is(e, "relax.multiply")
	if !ok {
		return quantizedValue{}, false
	}
	for i, a := range c.Args {
		x, ok := p.cast(a, dtype.Float32T)
		if !ok {
			continue
		}
		var zero relax.Expr
		if s, ok := op.Is(p.value(x), "relax.subtract"); ok {
			if d, ok := p.ctx.SInfoOf(x).(*relax.TensorStructInfo); !ok || d.DType != dtype.Int32T { // a difference of bytes wraps
				continue
			}
			x, zero = s.Args[0], s.Args[1]
		}
		if y, ok := p.cast(x, dtype.Int32T); ok {
			x = y
		}
		if v, ok := p.dequantized(x, c.Args[1-i], zero, t.NDim, -1); ok {
			return v, true
		}
	}
	return quantizedValue{}, false
}

// dequantized is what (x - zero) * scale is, zero nil where it is left out. axis is that of vectors, -1 where they broadcast.
func (p *quantizedProducts) dequantized(x, scale, zero relax.Expr, rank int, axis int64) (quantizedValue, bool) {
	t, ok := p.ctx.SInfoOf(x).(*relax.TensorStructInfo)
	if !ok || t.NDim != rank || t.DType != dtype.Int8T && t.DType != dtype.UInt8T && t.DType != dtype.Int32T {
		return quantizedValue{}, false
	}
	scales, at, ok := p.along(scale, rank, axis)
	if !ok {
		return quantizedValue{}, false
	}
	for _, s := range scales {
		ok = ok && s > 0 && !math.IsInf(s, 0)
	}
	zeros, zat := []float64{0}, at
	if zero != nil {
		if y, isCast := p.cast(zero, dtype.Int32T); isCast {
			zero = y
		}
		var also bool
		zeros, zat, also = p.along(zero, rank, axis)
		ok = ok && also
	}
	lo, hi := typeBounds(t.DType)
	for _, z := range zeros {
		ok = ok && z >= lo && z <= hi && (z == 0 || t.DType != dtype.Int32T)
	}
	if !ok || len(scales) > 1 && len(zeros) > 1 && at != zat {
		return quantizedValue{}, false
	}
	if at < 0 {
		at = zat
	}
	v := quantizedValue{expr: p.m.VisitExpr(x), typ: &affine{scale: floatVector(scales), zero: intVector(zeros), dtype: t.DType, axis: at}}
	v.typ.most = p.magnitude(v.expr, t.DType, zeros)
	return v, true
}

// along are the elements of a constant that is one number for all elements of a tensor, or one for each index of an axis.
func (p *quantizedProducts) along(e relax.Expr, rank int, axis int64) (list []float64, at int64, ok bool) {
	list, ok = p.numbers(e)
	if !ok || len(list) == 0 {
		return nil, -1, false
	}
	if len(list) == 1 {
		return list, -1, true
	}
	c, _ := p.fakeQuantizer.constant(e)
	shape := c.Data.Shape()
	if axis >= 0 {
		return list, axis, len(shape) == 1
	}
	for i, n := range shape {
		if n == int64(len(list)) {
			at = int64(rank - len(shape) + i)
		}
	}
	return list, at, len(shape) <= rank && shape[at-int64(rank-len(shape))] == int64(len(list))
}

// magnitude bounds integers less their zero points: by their values where they are known, else by those of the type.
func (p *quantizedProducts) magnitude(e relax.Expr, d dtype.DType, zeros []float64) float64 {
	lo, hi := typeBounds(d)
	if list, ok := p.numbers(e); ok && len(list) > 0 {
		lo, hi = list[0], list[0]
		for _, v := range list {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	most := 0.0
	for _, z := range zeros {
		most = max(most, math.Abs(lo-z), math.Abs(hi-z))
	}
	return most
}

// floatVector is a float32 constant, a scalar where there is one number.
func floatVector(list []float64) *relax.Constant {
	return vector(dtype.Float32T, list, func(v float64) uint32 { return math.Float32bits(float32(v)) })
}

// intVector is an int32 constant.
func intVector(list []float64) *relax.Constant {
	return vector(dtype.Int32T, list, func(v float64) uint32 { return uint32(int32(v)) })
}

func vector(d dtype.DType, list []float64, bits func(float64) uint32) *relax.Constant {
	var data []byte
	for _, v := range list {
		data = binary.LittleEndian.AppendUint32(data, bits(v))
	}
	var shape []int64
	if len(list) > 1 {
		shape = []int64{int64(len(list))}
	}
	blob, err := ir.NewBlob(d, shape, data)
	if err != nil {
		panic("relaypass: " + err.Error())
	}
	return &relax.Constant{Data: blob}
}

// shaped is a vector along an axis of a tensor of a rank, in a shape that broadcasts.
func shaped(e relax.Expr, axis int64, rank int) relax.Expr {
	c, ok := e.(*relax.Constant)
	if !ok || len(c.Data.Shape()) == 0 {
		return e
	}
	shape := []int64{c.Data.NumElements()}
	for i := axis + 1; i < int64(rank); i++ {
		shape = append(shape, 1)
	}
	blob, err := c.Data.WithShape(shape)
	if err != nil {
		panic("relaypass: " + err.Error())
	}
	return &relax.Constant{Data: blob}
}

// real are the real numbers that integers stand for.
func (p *quantizedProducts) real(v quantizedValue) relax.Expr {
	rank, x := p.rankOf(v.expr), v.expr
	if !p.zeros(v.typ.zero) {
		x = p.emit(op.Subtract(p.emit(op.AsType(x, dtype.Int32T)), shaped(v.typ.zero, v.typ.axis, rank)))
	}
	y := op.Multiply(p.emit(op.AsType(x, dtype.Float32T)), shaped(v.typ.scale, v.typ.axis, rank))
	if l := v.typ.limits; l != nil {
		return callOf("relax.clip", nil, p.emit(y), floatPrim(l.lo), floatPrim(l.hi))
	}
	return y
}

func (p *quantizedProducts) rankOf(e relax.Expr) int {
	t, ok := p.ctx.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok {
		return -1
	}
	return t.NDim
}

// quantized returns what a call brings into integers of a byte, and what these stand for: quantize, or x / scale, rounded to even, plus the zero point, limited to the values of the type.
func (p *quantizedProducts) quantized(call *relax.Call) (to *affine, from relax.Expr, ok bool) {
	if c, ok := op.Is(call, "relax.quantize"); ok {
		zero := c.Args[2]
		return p.quantizedTo(c.Args[0], c.Args[1], zero, c.Attrs.DType("out_dtype"))
	}
	c, ok := op.Is(call, "relax.astype")
	if !ok {
		return nil, nil, false
	}
	d := c.Attrs.DType("dtype")
	if d != dtype.Int8T && d != dtype.UInt8T {
		return nil, nil, false
	}
	clip, ok := op.Is(p.value(c.Args[0]), "relax.clip")
	if !ok || len(clip.Args) != 3 {
		return nil, nil, false
	}
	lo, hi := typeBounds(d)
	for i, want := range []float64{lo, hi} {
		prim, isPrim := clip.Args[1+i].(*relax.PrimValue)
		if !isPrim {
			return nil, nil, false
		}
		if f, isFloat := prim.Value.(*tir.FloatImm); !isFloat || f.Value != want {
			return nil, nil, false
		}
	}
	x, zero := clip.Args[0], relax.Expr(nil)
	if add, ok := op.Is(p.value(x), "relax.add"); ok {
		x, zero = add.Args[0], add.Args[1]
		if y, isCast := p.cast(zero, dtype.Float32T); isCast {
			zero = y
		}
	}
	round, ok := op.Is(p.value(x), "relax.round")
	if !ok {
		return nil, nil, false
	}
	divide, ok := op.Is(p.value(round.Args[0]), "relax.divide")
	if !ok {
		return nil, nil, false
	}
	return p.quantizedTo(divide.Args[0], divide.Args[1], zero, d)
}

func (p *quantizedProducts) quantizedTo(from, scale, zero relax.Expr, d dtype.DType) (*affine, relax.Expr, bool) {
	scales, ok := p.numbers(scale)
	zeros := []float64{0}
	if zero != nil {
		var also bool
		zeros, also = p.numbers(zero)
		ok = ok && also
	}
	lo, hi := typeBounds(d)
	if !ok || len(scales) != 1 || len(zeros) != 1 || !(scales[0] > 0) || zeros[0] < lo || zeros[0] > hi || zeros[0] != math.Trunc(zeros[0]) {
		return nil, nil, false
	}
	return &affine{scale: floatVector(scales), zero: intVector(zeros), dtype: d, axis: -1}, from, true
}

// requantize emits what quantizes the real numbers that integers stand for: the integers where these stand for the same numbers, or sums times one number.
func (p *quantizedProducts) requantize(b *relax.VarBinding, to *affine, from relax.Expr) bool {
	v, ok := from.(*relax.Var)
	if !ok {
		return false
	}
	x, ok := p.values[v]
	if !ok || x.typ == nil || p.rankOf(b.Var) != p.rankOf(v) { // a scale of more dimensions adds some to the result
		return false
	}
	s, _ := p.numbers(x.typ.scale)
	out, _ := p.numbers(to.scale)
	zero, _ := p.numbers(to.zero)
	is, _ := p.numbers(x.typ.zero)
	if x.typ.dtype == to.dtype {
		if len(s) != 1 || s[0] != out[0] || len(is) != 1 || is[0] != zero[0] {
			return false
		}
		p.m.EmitNormalized(p.m.WithValue(b, x.expr))
		return true
	}
	if x.typ.dtype != dtype.Int32T || isCall(b.Value, "relax.quantize") {
		return false
	}
	factors := make([]float64, len(s))
	for i := range s {
		factors[i] = float64(float32(s[i]) / float32(out[0]))
		if !(factors[i] >= 0x1p-126) || math.IsInf(factors[i], 0) {
			return false
		}
	}
	p.trying = false
	y := p.emit(op.Multiply(p.emit(op.AsType(x.expr, dtype.Float32T)), shaped(floatVector(factors), x.typ.axis, p.rankOf(x.expr))))
	lo, hi := typeBounds(to.dtype)
	if l := x.typ.limits; l != nil { // what is quantized is within what its limits are quantized to
		quantized := func(v float64) float64 {
			return min(max(math.RoundToEven(float64(float32(v)/float32(out[0])))+zero[0], lo), hi)
		}
		lo, hi = quantized(l.lo), quantized(l.hi)
	}
	// Limits are whole, so that rounding may come behind them: a conversion does it.
	y = p.emit(callOf("relax.clip", nil, y, floatPrim(lo-zero[0]), floatPrim(hi-zero[0])))
	y = p.emit(op.AsType(p.emit(op.Unary("round", y)), dtype.Int32T))
	if zero[0] != 0 {
		y = p.emit(op.Add(y, intVector(zero)))
	}
	p.m.EmitNormalized(p.m.WithValue(b, op.AsType(y, to.dtype)))
	return true
}

func floatPrim(v float64) relax.Expr {
	return &relax.PrimValue{Value: &tir.FloatImm{Type: dtype.Float32T, Value: v}}
}
