package tir

import "slices"

// AllocExtents returns the extents of an allocation for b: its shape, made wider where strides pad it. Strides that are not
// multiples of one another give the span of the outermost dimension.
func (b *Buffer) AllocExtents() []Expr {
	n := len(b.Strides)
	if n == 0 {
		return b.Shape
	}
	span := []Expr{Mul(b.Strides[0], b.Shape[0])}
	if !IsConst(b.Strides[n-1], 1) {
		return span
	}
	out := slices.Clone(b.Shape)
	for i := n - 1; i > 0; i-- {
		if out[i] = quotient(b.Strides[i-1], b.Strides[i]); out[i] == nil {
			return span
		}
	}
	return out
}

// quotient returns x / d where d is a factor that x shows, nil otherwise.
func quotient(x, d Expr) Expr {
	a, known := AsInt(x)
	b, knownToo := AsInt(d)
	if known && knownToo && b > 0 && a%b == 0 {
		return Const(x.DType(), a/b)
	}
	if knownToo && b == 1 {
		return x
	}
	if p, ok := x.(*Binary); ok && p.Op == OpMul {
		switch {
		case Equal(p.A, d):
			return p.B
		case Equal(p.B, d):
			return p.A
		}
	}
	return nil
}
