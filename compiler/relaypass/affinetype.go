package relaypass

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// affine says which real numbers integers of a type stand for: (q - zero) * scale. Scale and zero are scalars, or vectors along an axis.
type affine struct {
	scale, zero relax.Expr
	dtype       dtype.DType
	axis        int64
	most        float64 // the largest magnitude of the integers less the zero point, 0 where it is not asked for
	limits      *limits // nil for none
}

// limits bound the real numbers that sums stand for: the sums themselves are not limited yet.
type limits struct{ lo, hi float64 }

// quantizedValue is what a rule computes with: a value and what it stands for. A constant that is not quantized has no type; a tuple has those of its fields.
type quantizedValue struct {
	expr   relax.Expr
	typ    *affine
	fields []*affine
}

// numbers are the elements of a constant.
func (r *fakeQuantizer) numbers(e relax.Expr) ([]float64, bool) {
	c, ok := r.constant(e)
	if !ok {
		return nil, false
	}
	n := c.Data.NumElements()
	if n > 1<<20 {
		return nil, false
	}
	out := make([]float64, n)
	for i := range n {
		raw := c.Data.Elem(i)
		switch c.Data.DType() {
		case dtype.Float32T:
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		case dtype.Int32T:
			out[i] = float64(int32(binary.LittleEndian.Uint32(raw)))
		case dtype.Int8T:
			out[i] = float64(int8(raw[0]))
		case dtype.UInt8T:
			out[i] = float64(raw[0])
		default:
			return nil, false
		}
	}
	return out, true
}

func (r *fakeQuantizer) constant(e relax.Expr) (*relax.Constant, bool) {
	if v, ok := e.(*relax.Var); ok {
		if d := r.defs[v]; d != nil {
			e = d
		}
	}
	c, ok := e.(*relax.Constant)
	return c, ok
}

// same reports whether two scales, or two zero points, are about equal.
func (r *fakeQuantizer) same(a, b relax.Expr) bool {
	if a == b {
		return true
	}
	x, ok := r.numbers(a)
	y, ok2 := r.numbers(b)
	if !ok || !ok2 || len(x) != len(y) {
		return false
	}
	for i := range x {
		if !(math.Abs(x[i]-y[i]) <= 1e-8+1e-5*math.Abs(y[i])) {
			return false
		}
	}
	return true
}

func (r *fakeQuantizer) sameType(a, b *affine) bool {
	return r.same(a.scale, b.scale) && r.same(a.zero, b.zero) && a.dtype == b.dtype
}

// scalar reports whether one scale and one zero point stand for all elements, and the scale, where it is known, is above zero: then what keeps
// elements or their order is the same for the quantized ones.
func (r *fakeQuantizer) scalar(t *affine) bool {
	if !r.rankZero(t.scale) || !r.rankZero(t.zero) {
		return false
	}
	x, ok := r.numbers(t.scale)
	return !ok || x[0] > 0
}

func (r *fakeQuantizer) rankZero(e relax.Expr) bool {
	t, ok := r.ctx.SInfoOf(e).(*relax.TensorStructInfo)
	return ok && t.NDim == 0
}

// zeros reports whether a zero point is known to be zero.
func (r *fakeQuantizer) zeros(e relax.Expr) bool {
	x, ok := r.numbers(e)
	for _, v := range x {
		ok = ok && v == 0
	}
	return ok
}

// product is the product of two scales, computed where both are constants.
func (r *fakeQuantizer) product(a, b relax.Expr) relax.Expr {
	x, ok := r.numbers(a)
	y, ok2 := r.numbers(b)
	ca, _ := r.constant(a)
	cb, _ := r.constant(b)
	if !ok || !ok2 || ca.Data.DType() != dtype.Float32T || cb.Data.DType() != dtype.Float32T || len(x) != len(y) && len(x) != 1 && len(y) != 1 {
		return r.emit(op.Multiply(a, b))
	}
	n, shape := len(x), ca.Data.Shape()
	if len(y) > n || len(y) == n && len(cb.Data.Shape()) > len(shape) {
		n, shape = len(y), cb.Data.Shape()
	}
	var data []byte
	for i := range n {
		p := float32(x[min(i, len(x)-1)]) * float32(y[min(i, len(y)-1)])
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(p))
	}
	blob, err := ir.NewBlob(dtype.Float32T, shape, data)
	if err != nil {
		return r.emit(op.Multiply(a, b))
	}
	return &relax.Constant{Data: blob}
}

// zerosLike are the zero points that go with a scale.
func (r *fakeQuantizer) zerosLike(scale relax.Expr) relax.Expr {
	t, ok := r.ctx.SInfoOf(scale).(*relax.TensorStructInfo)
	if ok {
		if d, known := t.StaticDims(); known && t.NDim <= 1 {
			n := int64(1)
			for _, x := range d {
				n *= x
			}
			if blob, err := ir.NewBlob(dtype.Int32T, d, make([]byte, 4*n)); err == nil {
				return &relax.Constant{Data: blob}
			}
		}
	}
	return r.emit(op.AsType(r.emit(callOf("relay.zeros_like", nil, scale)), dtype.Int32T))
}
