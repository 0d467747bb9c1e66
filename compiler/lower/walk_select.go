package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Select computes both values and takes a where cond holds.
func (w *Walker) Select(cond, a, b Value) Value {
	a, b = w.alike(a, b)
	if cond.Lanes() == 1 {
		return Each(a.DType, a.Mask, len(a.Parts), func(i int) *Node { return w.Pick(cond.Scalar(), a.Parts[i], b.Parts[i]) })
	}
	if a.Packed() {
		if m := w.ToMask(cond, a.LaneBits()); m.Packed() {
			return Each(a.DType, a.Mask, len(a.Parts), func(i int) *Node {
				if a.Parts[i] == b.Parts[i] {
					return a.Parts[i]
				}
				return w.gen.PartBits(Select, a.Parts[i], b.Parts[i], m.Parts[i])
			})
		}
	}
	cs, as, bs := w.Scalars(cond), w.Scalars(a), w.Scalars(b)
	xs := make([]*Node, len(cs))
	for i := range xs {
		xs[i] = w.Pick(cs[i], as[i], bs[i])
	}
	return w.Pack(a.DType, xs)
}

// Pick takes a where a scalar condition holds, else b.
func (w *Walker) Pick(cond, a, b *Node) *Node {
	if a == b {
		return a
	}
	return w.Fn(Select, a, b, cond)
}

// alike brings two values of one type into the same form.
func (w *Walker) alike(a, b Value) (Value, Value) {
	switch {
	case a.Packed() == b.Packed() && a.Mask == b.Mask:
		return a, b
	case a.Packed() && a.DType.IsBool():
		return a, w.ToMask(b, a.Mask)
	case b.Packed() && b.DType.IsBool():
		return w.ToMask(a, b.Mask), b
	}
	return w.Pack(a.DType, w.Scalars(a)), w.Pack(b.DType, w.Scalars(b))
}

// inForm brings v into a form: packed, and with what mask.
func (w *Walker) inForm(v Value, packed bool, mask int) Value {
	switch {
	case packed && v.DType.IsBool():
		return w.ToMask(v, mask)
	case packed == v.Packed():
		return v
	case packed:
		return w.Pack(v.DType, w.Scalars(v))
	}
	return Value{DType: v.DType, Parts: w.Scalars(v)}
}

// ToMask turns a vector of bool into a mask with lanes of the given width, where such vectors are in parts.
func (w *Walker) ToMask(v Value, bits int) Value {
	switch {
	case v.Packed() && v.Mask == bits:
		return v
	case w.gen.Native(v.DType, bits) == 0:
		return Value{DType: v.DType, Parts: w.Scalars(v)}
	case v.Packed():
		return w.gen.ResizeMask(v, bits)
	}
	xs := make([]*Node, len(v.Parts))
	for i, x := range v.Parts {
		x = w.Fn(Sub, w.Int(32, 0), x)
		if bits == 64 {
			x = w.Fn(ExtendS, x)
		}
		xs[i] = x
	}
	asInt := dtype.DType{Code: dtype.Int, Bits: uint8(bits), Lanes: v.DType.Lanes}
	return Value{DType: v.DType, Parts: w.Pack(asInt, xs).Parts, Mask: bits}
}

// allLanes translates the conjunction of all lanes of one mask, as tir.LowerMath writes it; nil where e is something else.
func (w *Walker) allLanes(e *tir.Binary) *Node {
	mask := AllLanesOf(e)
	if mask == nil {
		return nil
	}
	v := w.Expr(mask)
	if !v.Packed() {
		return nil
	}
	return w.gen.AllTrue(v)
}

// ifThenElse computes only the chosen value. Values that cost little and cannot trap are selected without a branch.
func (w *Walker) ifThenElse(cond, yes, no tir.Expr, what string) Value {
	if cond.DType().Lanes > 1 {
		if !Simple(yes, 64) || !Simple(no, 64) {
			w.Fail(what, "a condition of %s with values that read memory or may fail: compute them lane by lane", cond.DType())
		}
		return w.Select(w.Expr(cond), w.Expr(yes), w.Expr(no))
	}
	c := w.ScalarExpr(cond, what)
	if v, ok := c.Int(); ok {
		if v != 0 {
			return w.Expr(yes)
		}
		return w.Expr(no)
	}
	if Simple(yes, 4) && Simple(no, 4) {
		return w.Select(One(dtype.BoolT, c), w.Expr(yes), w.Expr(no))
	}
	var vars []*Variable
	var form Value
	assign := func(e tir.Expr) func() {
		return func() {
			v := w.Expr(e)
			if vars == nil {
				form = v
				for _, p := range v.Parts {
					vars = append(vars, w.NewVariable(nil, "chosen", p.Type))
				}
			}
			v = w.inForm(v, form.Packed(), form.Mask)
			for i, x := range vars {
				w.Set(x, v.Parts[i])
			}
		}
	}
	w.Branch(c, "if_then_else", assign(yes), assign(no))
	return Each(form.DType, form.Mask, len(vars), func(i int) *Node { return w.Read(vars[i]) })
}
