package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// mapIndices applies an index map and simplifies what comes of it.
func mapIndices(m *tir.IndexMap, indices []tir.Expr, an *arith.Analyzer) []tir.Expr {
	sub := map[*tir.Var]tir.Expr{}
	for i, v := range m.Initial {
		sub[v] = indices[i]
	}
	out := make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		out[i] = an.Simplify(substTyped(e, sub))
	}
	return out
}

// substTyped replaces variables by expressions that may be of another integer type.
func substTyped(e tir.Expr, sub map[*tir.Var]tir.Expr) tir.Expr {
	return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
		switch x := x.(type) {
		case *tir.Var:
			if y, ok := sub[x]; ok {
				return y
			}
		case *tir.Binary:
			if x.A.DType() != x.B.DType() {
				return tir.BinaryExpr(x.Op, x.A, x.B)
			}
		}
		return x
	})
}

// TypedMap returns a map in the type of the indices that it is applied to (TVM's LegalizeIndexMapDType).
func TypedMap(m *tir.IndexMap, shape []tir.Expr) *tir.IndexMap {
	out := &tir.IndexMap{Initial: m.Initial, Final: m.Final, Inverse: m.Inverse}
	if len(shape) == 0 {
		return out
	}
	typed := map[*tir.Var]tir.Expr{}
	out.Initial = make([]*tir.Var, len(m.Initial))
	for i, v := range m.Initial {
		if out.Initial[i] = v; v.DType() != shape[i].DType() {
			out.Initial[i] = tir.NewVar(v.Name, shape[i].DType())
			typed[v] = out.Initial[i]
		}
	}
	if len(typed) == 0 {
		return m
	}
	out.Final = make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		out.Final[i] = tir.CastTo(shape[0].DType(), substTyped(e, typed))
	}
	if m.Inverse != nil {
		out.Inverse = TypedMap(m.Inverse, out.Final)
	}
	return out
}

// itersOf returns the ranges of the indices of a map.
func itersOf(m *tir.IndexMap, shape []tir.Expr) map[*tir.Var]*tir.Range {
	out := map[*tir.Var]*tir.Range{}
	for i, v := range m.Initial {
		out[v] = &tir.Range{Min: tir.Const(shape[i].DType(), 0), Extent: shape[i]}
	}
	return out
}

// mapShape returns the shape of a buffer whose indices are mapped (TVM's IndexMap.MapShape): where the map is one of iterators, the extents of its
// sums, so that the padding that it is made for stays; else what the indices reach.
func mapShape(m *tir.IndexMap, shape []tir.Expr, an *arith.Analyzer) ([]tir.Expr, error) {
	bits := uint8(0)
	for _, n := range shape {
		bits = max(bits, n.DType().Bits)
	}
	d := dtype.Int32T
	if bits > 0 {
		d.Bits = bits
	}
	m = TypedMap(m, shape)
	iters := itersOf(m, shape)
	out := make([]tir.Expr, len(m.Final))
	res, _ := arith.DetectPaddedIterMap(m.Final, iters, an, false)
	for i := range m.Final {
		if len(res.Indices) > 0 {
			n := tir.Expr(nil)
			for _, a := range res.Indices[i].Args {
				x := tir.Mul(a.Extent, a.Scale)
				if n == nil {
					n = x
				} else {
					n = tir.Max(n, x)
				}
			}
			if n == nil {
				n = tir.Const(d, 1)
			}
			if !tir.IsConst(res.Indices[i].Base, 0) {
				return nil, fmt.Errorf("index %d of the map does not begin at 0", i)
			}
			out[i] = tir.CastTo(d, n)
			continue
		}
		set := arith.EvalSet(m.Final[i], arith.AsIntSets(iters))
		if set.Min == nil || set.Max == nil || !an.CanProveEqual(set.Min, tir.Const(set.Min.DType(), 0)) {
			return nil, fmt.Errorf("index %d of the map has no bounds, or does not begin at 0", i)
		}
		out[i] = tir.CastTo(d, an.Simplify(tir.Add(set.Max, tir.Const(set.Max.DType(), 1))))
	}
	return out, nil
}

// prepareMap returns what turns argument i, a function, into an index map over as many indices as count says, of the type of the variables of the
// block in argument 0.
func prepareMap(i int, count func(*State, *Call) (int, error)) func(*State, *Call) error {
	return func(s *State, c *Call) error {
		n, err := count(s, c)
		if err != nil {
			return err
		}
		f, ok := c.Args[i].(*Lambda)
		if !ok {
			if m, ok := c.Args[i].(*tir.IndexMap); ok {
				return checkMap(c.Kind.Params[i].Name, m, n)
			}
			return fmt.Errorf("%s: expected a function from indices to indices", c.Kind.Params[i].Name)
		}
		d, err := s.blockDType(c.block(0))
		if err != nil {
			return err
		}
		m, separators, err := f.IndexMap(n, d)
		if err == nil && len(separators) > 0 {
			err = fmt.Errorf("%s: axis separators mean nothing here", c.Kind.Params[i].Name)
		}
		c.Args[i] = m
		return err
	}
}

// checkMap returns an error for a map that does not lead from n indices to indices, and back if it says how.
func checkMap(name string, m *tir.IndexMap, n int) error {
	if len(m.Initial) != n {
		return fmt.Errorf("%s: the map has %d indices, expected %d", name, len(m.Initial), n)
	}
	for _, v := range m.Initial {
		if !v.DType().IsInteger() || !v.DType().IsScalar() {
			return fmt.Errorf("%s: index %s of the map is a %s, expected an integer", name, v.Name, v.DType())
		}
	}
	for k, e := range m.Final {
		if e == nil || !e.DType().IsInteger() || !e.DType().IsScalar() {
			return fmt.Errorf("%s: entry %d of the index map is no integer", name, k)
		}
	}
	if m.Inverse == nil {
		return nil
	}
	if len(m.Inverse.Final) != n {
		return fmt.Errorf("%s: the inverse of the map leads to %d indices, expected %d", name, len(m.Inverse.Final), n)
	}
	return checkMap(name, &tir.IndexMap{Initial: m.Inverse.Initial, Final: m.Inverse.Final}, len(m.Final))
}

// blockDType returns the type of the variables of a block; that of the indices at which it accesses buffers if it has none, int64 if it has none
// of these either.
func (s *State) blockDType(b *Block) (dtype.DType, error) {
	at, err := s.block(b)
	if err != nil {
		return dtype.Void, err
	}
	for _, iv := range at.Block().IterVars {
		return iv.Var.DType(), nil
	}
	for _, r := range append(slices.Clone(at.Block().Reads), at.Block().Writes...) {
		for _, x := range r.Region {
			return x.Min.DType(), nil
		}
	}
	return dtype.MustParse("int64"), nil
}

// countIters counts the variables of the block in argument 0.
func countIters(s *State, c *Call) (int, error) {
	at, err := s.block(c.block(0))
	if err != nil {
		return 0, err
	}
	return len(at.Block().IterVars), nil
}

// inTurn calls preparations one after the other.
func inTurn(list ...func(*State, *Call) error) func(*State, *Call) error {
	return func(s *State, c *Call) error {
		for _, f := range list {
			if err := f(s, c); err != nil {
				return err
			}
		}
		return nil
	}
}
