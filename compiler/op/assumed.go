package op

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Assumption is a pair of extents that are taken to be equal, where it is not known of their symbols whether they are.
type Assumption struct{ Have, Want tir.Expr }

// Same reports whether two assumptions are of the same extents.
func (a Assumption) Same(b Assumption) bool {
	same := func(x, y tir.Expr) bool { return ir.StructuralEqual(x, y, ir.EqualOpts{}) }
	return same(a.Have, b.Have) && same(a.Want, b.Want) || same(a.Have, b.Want) && same(a.Want, b.Have)
}

// Assumptions returns what a call takes to be equal of the extents of its arguments: kernels are made for what one of them says, and read what is not there where another says less.
// Nothing checks that before the program runs; match_cast does it then. An operator whose own kernel checks it assumes nothing.
func Assumptions(call *relax.Call, ctx *relax.InferContext) ([]Assumption, error) {
	if !slices.ContainsFunc(call.Args, func(a relax.Expr) bool { return a != nil && symbolic(relax.SInfoOf(a)) }) {
		return nil, nil
	}
	c, err := newContext(call, ctx)
	if err != nil {
		return nil, err
	}
	var list []Assumption
	c.assumed = &list
	_, err = c.Op.Infer(call, c)
	return list, err
}

// symbolic reports whether a value has an extent that is no constant.
func symbolic(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		dims, ok := s.Dims()
		if _, static := relax.StaticInts(dims); ok {
			return !static
		}
	case *relax.ShapeStructInfo:
		_, static := relax.StaticInts(s.Values)
		return !static
	case *relax.TupleStructInfo:
		return slices.ContainsFunc(s.Fields, symbolic)
	}
	return false
}

// differ reports whether two extents that have to be equal are known not to be. Where neither is known, the call assumes that they are.
func (c *InferContext) differ(have, want tir.Expr) bool {
	t := c.Equal(have, want)
	if t == relax.Unknown && c.assumed != nil {
		*c.assumed = append(*c.assumed, Assumption{have, want})
	}
	return t == relax.False
}

// dimsDiffer is differ for all extents of two shapes.
func (c *InferContext) dimsDiffer(have, want []tir.Expr) bool {
	if len(have) != len(want) {
		return true
	}
	for i := range have {
		if c.differ(have[i], want[i]) {
			return true
		}
	}
	return false
}

// shapesDiffer is differ for all extents of two tensors. Shapes that are not known need not differ.
func (c *InferContext) shapesDiffer(have, want *relax.TensorStructInfo) bool {
	if have.NDim >= 0 && want.NDim >= 0 && have.NDim != want.NDim {
		return true
	}
	x, ok := c.dimsOf(have)
	y, ok2 := c.dimsOf(want)
	return ok && ok2 && c.dimsDiffer(x, y)
}

// exceeds reports whether an extent is known to be larger than what bounds it. Where that is not known, the call assumes that it is not.
func (c *InferContext) exceeds(have, bound tir.Expr) bool {
	x, xok := tir.AsInt(have)
	y, yok := tir.AsInt(bound)
	if xok && yok || c.assumed == nil {
		return xok && yok && x > y
	}
	if !c.CanProve(tir.LE(have, bound)) {
		*c.assumed = append(*c.assumed, Assumption{tir.Max(bound, have), bound})
	}
	return false
}

// reaches reports whether indices, one for each element of a result, have a larger extent than the tensor along another axis than the one that they are for.
func (c *InferContext) reaches(indices, t *relax.TensorStructInfo, axis int) bool {
	x, ok := c.dimsOf(indices)
	y, ok2 := c.dimsOf(t)
	for i := 0; ok && ok2 && i < len(x); i++ {
		if i != axis && c.exceeds(x[i], y[i]) {
			return true
		}
	}
	return false
}
