package relax

import "github.com/irscope/irscope/compiler/ir"

// EqualSInfo reports whether a and b are structurally equal; free variables equal only
// themselves.
func EqualSInfo(a, b StructInfo) bool {
	return a == b || (a != nil && b != nil && ir.StructuralEqual(a, b, ir.EqualOpts{}))
}

// IsBaseOf says whether every value of struct info derived is one of struct info base: True
// where that is certain, False where no value of derived is one of base, and Unknown where
// it has to be checked at run time.
func (c *InferContext) IsBaseOf(base, derived StructInfo) Truth {
	if base == derived {
		return True
	}
	if derived == nil {
		derived = objectSInfo
	}
	switch b := base.(type) {
	case *ObjectStructInfo:
		return True
	case *PrimStructInfo:
		d, ok := derived.(*PrimStructInfo)
		switch {
		case !ok:
			return notOf(derived)
		case b.DType != d.DType:
			return False
		case b.Value == nil:
			return True
		case d.Value == nil:
			return Unknown
		}
		return c.Equal(b.Value, d.Value)
	case *ShapeStructInfo:
		d, ok := derived.(*ShapeStructInfo)
		switch {
		case !ok:
			return notOf(derived)
		case b.NDim < 0:
			return True
		case d.NDim < 0:
			return Unknown
		case b.NDim != d.NDim:
			return False
		case b.Values == nil:
			return True
		case d.Values == nil:
			return Unknown
		}
		return c.EqualDims(b.Values, d.Values)
	case *TensorStructInfo:
		d, ok := derived.(*TensorStructInfo)
		if !ok {
			return notOf(derived)
		}
		return c.isBaseOfTensor(b, d)
	case *TupleStructInfo:
		d, ok := derived.(*TupleStructInfo)
		if !ok {
			return notOf(derived)
		}
		if len(b.Fields) != len(d.Fields) {
			return False
		}
		out := True
		for i := range b.Fields {
			out = out.And(c.IsBaseOf(b.Fields[i], d.Fields[i]))
		}
		return out
	case *FuncStructInfo:
		d, ok := derived.(*FuncStructInfo)
		if !ok {
			return notOf(derived)
		}
		return c.isBaseOfFunc(b, d)
	}
	panic(unknownNode("IsBaseOf", base))
}

// notOf is the answer for a value of another kind: an Object may turn out to be anything.
func notOf(derived StructInfo) Truth {
	if _, ok := derived.(*ObjectStructInfo); ok {
		return Unknown
	}
	return False
}

func (c *InferContext) isBaseOfTensor(b, d *TensorStructInfo) Truth {
	out := True
	switch {
	case b.DType.IsVoid() || b.DType == d.DType:
	case d.DType.IsVoid():
		out = Unknown
	default:
		return False
	}
	if b.VDevice != nil && b.VDevice != d.VDevice {
		if d.VDevice == nil {
			out = Unknown
		} else if !ir.StructuralEqual(b.VDevice, d.VDevice, ir.EqualOpts{}) {
			return False
		}
	}
	if s := sameSharding(b.Sharding, d.Sharding); s != True {
		if out = out.And(s); out == False {
			return False
		}
	}
	switch {
	case b.NDim < 0:
		return out
	case d.NDim < 0:
		return Unknown
	case b.NDim != d.NDim:
		return False
	case b.Shape == nil || b.Shape == d.Shape:
		return out
	}
	x, ok := c.ShapeValues(b.Shape)
	y, ok2 := c.ShapeValues(d.Shape)
	if !ok || !ok2 {
		return out.And(Unknown)
	}
	return out.And(c.EqualDims(x, y))
}

func (c *InferContext) isBaseOfFunc(b, d *FuncStructInfo) Truth {
	switch {
	case b.Pure && !d.Pure:
		return False
	case EqualSInfo(b, d):
		return True
	case b.Opaque:
		if b.Derive != "" && b.Derive != d.Derive {
			return Unknown
		}
		return c.IsBaseOf(b.Ret, d.Ret)
	case d.Opaque:
		return Unknown
	case len(b.Params) != len(d.Params):
		return False
	}
	out := c.IsBaseOf(b.Ret, d.Ret)
	for i := range b.Params {
		out = out.And(c.IsBaseOf(d.Params[i], b.Params[i]))
	}
	return out
}

// LCA returns the most that is known of a value that is one of a or one of b, as the result
// of an If is.
func (c *InferContext) LCA(a, b StructInfo) StructInfo {
	if EqualSInfo(a, b) {
		return a
	}
	switch x := a.(type) {
	case *PrimStructInfo:
		if y, ok := b.(*PrimStructInfo); ok && x.DType == y.DType {
			return &PrimStructInfo{DType: x.DType}
		}
	case *ShapeStructInfo:
		if y, ok := b.(*ShapeStructInfo); ok {
			if x.NDim != y.NDim {
				return &ShapeStructInfo{NDim: -1}
			}
			if x.Values != nil && y.Values != nil && c.EqualDims(x.Values, y.Values) == True {
				return x
			}
			return &ShapeStructInfo{NDim: x.NDim}
		}
	case *TensorStructInfo:
		if y, ok := b.(*TensorStructInfo); ok {
			return c.lcaTensor(x, y)
		}
	case *TupleStructInfo:
		if y, ok := b.(*TupleStructInfo); ok && len(x.Fields) == len(y.Fields) {
			fields := make([]StructInfo, len(x.Fields))
			for i := range fields {
				fields[i] = c.LCA(x.Fields[i], y.Fields[i])
			}
			return &TupleStructInfo{Fields: fields}
		}
	case *FuncStructInfo:
		if y, ok := b.(*FuncStructInfo); ok {
			return &FuncStructInfo{Opaque: true, Ret: c.LCA(x.Ret, y.Ret), Pure: x.Pure && y.Pure}
		}
	}
	return objectSInfo
}

func (c *InferContext) lcaTensor(x, y *TensorStructInfo) StructInfo {
	out := &TensorStructInfo{NDim: -1}
	if x.DType == y.DType {
		out.DType = x.DType
	}
	if x.VDevice != nil && y.VDevice != nil && ir.StructuralEqual(x.VDevice, y.VDevice, ir.EqualOpts{}) {
		out.VDevice = x.VDevice
	}
	if x.Sharding != nil && sameSharding(x.Sharding, y.Sharding) == True {
		out.Sharding = x.Sharding
	}
	if x.NDim != y.NDim {
		return out
	}
	out.NDim = x.NDim
	if x.Shape == y.Shape {
		out.Shape = x.Shape
		return out
	}
	d, ok := c.ShapeValues(x.Shape)
	e, ok2 := c.ShapeValues(y.Shape)
	if ok && ok2 && c.EqualDims(d, e) == True {
		out.Shape = x.Shape
	}
	return out
}
