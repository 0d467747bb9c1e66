package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// inLayout returns a constant in the layout that x copies it to, zeros where no element goes. With shapeOnly the elements stay in their order.
func inLayout(d *ir.Blob, x *weightCopy, shapeOnly bool) (*ir.Blob, error) {
	from, count, err := constantShape(x.from)
	if err != nil {
		return nil, err
	}
	shape, size, err := constantShape(x.to)
	if err != nil {
		return nil, err
	}
	if count != d.NumElements() || x.from.DType != d.DType() {
		return nil, fmt.Errorf("%s does not cover the constant of shape %v and type %s", x.from.Name, d.Shape(), d.DType())
	}
	if size == d.NumElements() && (shapeOnly || d.IsSplat()) {
		return d.WithShape(shape)
	}
	if shapeOnly {
		return nil, fmt.Errorf("the constant %s has %d elements, but %d in the other layout: their order has to change, too (skip_tensor_rewrite=false)", x.from.Name, d.NumElements(), size)
	}
	at := make([]func([]int64) int64, len(shape))
	for i, e := range x.index.Final {
		if at[i] = indexFunc(e, x.index.Initial); at[i] == nil {
			return nil, fmt.Errorf("the index %s of %s cannot be computed from those of %s", text(e), x.to.Name, x.from.Name)
		}
	}
	width := int64(d.DType().Bytes())
	out := make([]byte, size*width)
	taken := make([]bool, size)
	point := make([]int64, len(from))
	for n := range d.NumElements() {
		rest := n
		for k := len(from) - 1; k >= 0; k-- {
			point[k] = rest % from[k]
			rest /= from[k]
		}
		to := int64(0)
		for i, f := range at {
			v := f(point)
			if v < 0 || v >= shape[i] {
				return nil, fmt.Errorf("element %v of %s would be out of the bounds of %s", point, x.from.Name, x.to.Name)
			}
			to = to*shape[i] + v
		}
		if taken[to] {
			return nil, fmt.Errorf("two elements of %s would be in one place of %s", x.from.Name, x.to.Name)
		}
		taken[to] = true
		copy(out[to*width:(to+1)*width], d.Elem(n))
	}
	return ir.NewBlob(d.DType(), shape, out)
}

// constantShape returns the extents of b, and their product.
func constantShape(b *tir.Buffer) (shape []int64, size int64, err error) {
	size = 1
	for _, e := range b.Shape {
		n, ok := tir.AsInt(e)
		if !ok || n < 0 || n > 0 && size > 1<<31/n {
			return nil, 0, fmt.Errorf("%s, for a constant, has an extent %s: expected constants, and at most 2^31 elements", b.Name, text(e))
		}
		shape = append(shape, n)
		size *= n
	}
	return shape, size, nil
}

// indexFunc compiles an index over vars, nil if it uses anything else, or what is not defined for all values.
func indexFunc(e tir.Expr, vars []*tir.Var) func([]int64) int64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return func([]int64) int64 { return e.Value }
	case *tir.Var:
		for i, v := range vars {
			if v == e {
				return func(at []int64) int64 { return at[i] }
			}
		}
	case *tir.Cast:
		if e.Type.IsInt() && e.Type.Bits >= 32 {
			return indexFunc(e.Value, vars)
		}
	case *tir.Binary:
		a, b := indexFunc(e.A, vars), indexFunc(e.B, vars)
		if a == nil || b == nil || e.Op.IsCompare() {
			return nil
		}
		if e.Op == tir.OpFloorDiv || e.Op == tir.OpFloorMod || e.Op == tir.OpDiv || e.Op == tir.OpMod {
			if n, ok := tir.AsInt(e.B); !ok || n <= 0 {
				return nil
			}
		}
		d := e.DType()
		return func(at []int64) int64 {
			v, _ := tir.FoldInt(e.Op, d, a(at), b(at))
			return v
		}
	}
	return nil
}
