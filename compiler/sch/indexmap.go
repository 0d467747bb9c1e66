package sch

import (
	"fmt"

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

// mapShape returns the shape of a buffer whose indices are mapped (TVM's IndexMap.MapShape): where the map is one of iterators, the extents of its
// sums, so that the padding that it is made for stays; else what the indices reach.
func mapShape(m *tir.IndexMap, shape []tir.Expr, an *arith.Analyzer) ([]tir.Expr, error) {
	iters := map[*tir.Var]*tir.Range{}
	bits := uint8(0)
	for i, v := range m.Initial {
		iters[v] = &tir.Range{Min: tir.Const(shape[i].DType(), 0), Extent: shape[i]}
		bits = max(bits, shape[i].DType().Bits)
	}
	d := dtype.Int32T
	if bits > 0 {
		d.Bits = bits
	}
	typed := map[*tir.Var]tir.Expr{}
	for i, v := range m.Initial { // the map in the type of the shape
		if v.DType() != shape[i].DType() {
			w := tir.NewVar(v.Name, shape[i].DType())
			iters[w] = iters[v]
			delete(iters, v)
			typed[v] = w
		}
	}
	final := make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		final[i] = substTyped(e, typed)
	}
	out := make([]tir.Expr, len(final))
	res := arith.DetectIterMap(final, iters, tir.Bool(true), arith.NoCheck, an, false)
	for i := range final {
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
		set := arith.EvalSet(final[i], arith.AsIntSets(iters))
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
		f, ok := c.Args[i].(*Lambda)
		if !ok {
			if _, ok := c.Args[i].(*tir.IndexMap); ok {
				return nil
			}
			return fmt.Errorf("%s: expected a function from indices to indices", c.Kind.Params[i].Name)
		}
		n, err := count(s, c)
		if err != nil {
			return err
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

// blockDType returns the type of the variables of a block, int32 if it has none.
func (s *State) blockDType(b *Block) (dtype.DType, error) {
	at, err := s.block(b)
	if err != nil {
		return dtype.Void, err
	}
	for _, iv := range at.Block().IterVars {
		return iv.Var.DType(), nil
	}
	return dtype.Int32T, nil
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
