package tensorlayout

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Logical returns the index along each axis of l, in the order of letters, of the element at the given physical index: for C16c it is
// C*16 + c. letters are those of all axes of l.
func (l Layout) Logical(letters string, index []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(letters))
	for k := range len(letters) {
		f := l.Factor(letters[k])
		for i, a := range l {
			if a.Letter != letters[k] {
				continue
			}
			step := f
			if a.Factor > 0 {
				step = l.stride(i)
			}
			e := index[i]
			if step > 1 {
				e = tir.Mul(e, tir.Const(e.DType(), step))
			}
			if out[k] == nil {
				out[k] = e
			} else {
				out[k] = tir.Add(out[k], e)
			}
		}
	}
	return out
}

// stride is the step, along its axis, of the part at place i: the product of the parts of that axis behind it.
func (l Layout) stride(i int) int64 {
	n := int64(1)
	for _, a := range l[i+1:] {
		if a.Letter == l[i].Letter && a.Factor > 0 {
			n *= a.Factor
		}
	}
	return n
}

// Physical is the inverse of Logical: the place of the element with the given index along each of letters.
func (l Layout) Physical(letters string, index []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(l))
	for i, a := range l {
		e := index[slices.Index([]byte(letters), a.Letter)]
		c := func(n int64) tir.Expr { return tir.Const(e.DType(), n) }
		switch f := l.Factor(a.Letter); {
		case a.Factor == 0 && f > 1:
			e = tir.FloorDiv(e, c(f))
		case a.Factor > 0:
			step := l.stride(i)
			e = tir.FloorMod(e, c(step*a.Factor))
			if step > 1 {
				e = tir.FloorDiv(e, c(step))
			}
		}
		out[i] = e
	}
	return out
}

// Extents returns the extent of each axis, in the order of letters, of a tensor of the given shape.
func (l Layout) Extents(letters string, shape []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(letters))
	for k := range len(letters) {
		out[k] = shape[l.Pos(letters[k])]
		if f := l.Factor(letters[k]); f > 1 {
			out[k] = tir.Mul(out[k], tir.Const(out[k].DType(), f))
		}
	}
	return out
}

// Shape returns the shape in l of a tensor with the given extents along letters. What an axis that is split lacks to a whole number of
// parts is filled up.
func (l Layout) Shape(letters string, extents []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(l))
	for i, a := range l {
		e := extents[slices.Index([]byte(letters), a.Letter)]
		switch f := l.Factor(a.Letter); {
		case a.Factor > 0:
			e = tir.Const(e.DType(), a.Factor)
		case f > 1:
			e = tir.FloorDiv(tir.Add(e, tir.Const(e.DType(), f-1)), tir.Const(e.DType(), f))
		}
		out[i] = e
	}
	return out
}

// IndexMap returns the map from indices of a tensor in layout from to those in layout to, over variables i0, i1, ... of type int32, as
// TVM's ConvertLayout writes it.
func IndexMap(from, to Layout) (*tir.IndexMap, error) {
	if err := sameAxes(from, to); err != nil {
		return nil, err
	}
	m := &tir.IndexMap{Initial: make([]*tir.Var, len(from))}
	at := make([]tir.Expr, len(from))
	for i := range from {
		m.Initial[i] = tir.NewVar(fmt.Sprintf("i%d", i), dtype.Int32T)
		at[i] = m.Initial[i]
	}
	letters := from.Letters()
	an := arith.NewAnalyzer()
	for _, e := range to.Physical(letters, from.Logical(letters, at)) {
		m.Final = append(m.Final, an.Simplify(e))
	}
	return m, nil
}

func sameAxes(from, to Layout) error {
	ok := from.Rank() == to.Rank()
	for _, a := range to {
		ok = ok && from.Pos(a.Letter) >= 0
	}
	if !ok {
		return fmt.Errorf("layout %s cannot become %s: they have other axes", from, to)
	}
	return nil
}

// Fits reports whether a tensor of the given shape in layout from can be brought into layout to and back without filling up, which is
// known if each split axis has a constant extent that its parts divide.
func Fits(from, to Layout, shape []tir.Expr) bool {
	if sameAxes(from, to) != nil || len(shape) != len(from) {
		return false
	}
	for _, a := range to {
		f := to.Factor(a.Letter)
		if a.Factor > 0 || f == 1 || from.Factor(a.Letter)%f == 0 {
			continue
		}
		n, ok := tir.AsInt(shape[from.Pos(a.Letter)])
		if !ok || n*from.Factor(a.Letter)%f != 0 {
			return false
		}
	}
	return true
}
