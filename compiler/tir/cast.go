package tir

import "github.com/irscope/irscope/runtime/dtype"

// MatchTypes returns a and b cast to a common type: lanes broadcast, the wider integer or
// float wins, a float wins over an integer, and a constant takes the other's type.
func MatchTypes(a, b Expr) (Expr, Expr) {
	x, y := a.DType(), b.DType()
	if x == y {
		return a, b
	}
	if x.Lanes == 1 && y.Lanes > 1 {
		a = &Broadcast{Value: a, Lanes: int(y.Lanes), Scalable: y.Scalable}
		x = a.DType()
	} else if y.Lanes == 1 && x.Lanes > 1 {
		b = &Broadcast{Value: b, Lanes: int(x.Lanes), Scalable: x.Scalable}
		y = b.DType()
	}
	if x == y {
		return a, b
	}
	rank := func(d dtype.DType) int {
		switch {
		case d.IsBool():
			return 0
		case d.IsUInt():
			return 1000 + 2*int(d.Bits)
		case d.IsInt():
			return 1000 + 2*int(d.Bits) + 1
		}
		return 10000 + 2*int(d.Bits)
	}
	if rank(x) < rank(y) {
		return CastTo(y, a), b
	}
	return a, CastTo(x, b)
}

// unsigned reports whether c is a number of uint64 that no int64 holds: its value has the bits of it.
func (c *IntImm) unsigned() bool { return c.Value < 0 && c.Type.IsUInt() }

// Float is the number c as a float64.
func (c *IntImm) Float() float64 {
	if c.unsigned() {
		return float64(uint64(c.Value))
	}
	return float64(c.Value)
}

// CastTo converts e to type d; it folds constants and is e itself if that has the type.
func CastTo(d dtype.DType, e Expr) Expr {
	from := e.DType()
	if from == d {
		return e
	}
	switch x := e.(type) {
	case *IntImm:
		if d.Lanes == 1 && (d.IsFloat() || d.IsInteger() || d.IsBool()) {
			switch {
			case d == dtype.Float32T && !x.unsigned():
				return &FloatImm{Type: d, Value: float64(float32(x.Value))}
			case d == dtype.Float32T:
				return &FloatImm{Type: d, Value: float64(float32(uint64(x.Value)))}
			case d.IsFloat():
				return &FloatImm{Type: d, Value: x.Float()}
			}
			return &IntImm{Type: d, Value: wrapInt(d, x.Value)}
		}
	case *FloatImm:
		if d.Lanes == 1 && d.IsFloat() && d.Bits >= 32 {
			v := x.Value
			if d == dtype.Float32T {
				v = float64(float32(v))
			}
			return &FloatImm{Type: d, Value: v}
		}
	case *Broadcast:
		if d.Lanes == from.Lanes {
			return &Broadcast{Value: CastTo(d.Elem(), x.Value), Lanes: x.Lanes, Scalable: x.Scalable}
		}
	}
	return &Cast{Type: d, Value: e}
}
