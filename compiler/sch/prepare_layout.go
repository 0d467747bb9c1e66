package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// prepareLayout turns the functions of transform_layout into index maps. Separators of axes among what the first returns become an instruction of
// their own.
func prepareLayout(s *State, c *Call) error {
	at, err := s.block(c.block(0))
	if err != nil {
		return err
	}
	d, err := s.blockDType(c.block(0))
	if err != nil {
		return err
	}
	side, n := c.pair(1)
	r, err := s.nthRegion(at.Block(), n, side)
	if err != nil {
		return err
	}
	if f, ok := c.Args[2].(*Lambda); ok {
		m, separators, err := f.IndexMap(len(r.Buffer.Shape), d)
		if err != nil {
			return fmt.Errorf("index_map: %w", err)
		}
		c.Args[2] = m
		if len(separators) > 0 {
			list := make([]int64, len(separators))
			for i, x := range separators {
				list[i] = int64(x)
			}
			c.after = &laterCall{"SetAxisSeparator", []any{c.Args[0], c.Args[1], list}}
		}
	}
	m, ok := c.Args[2].(*tir.IndexMap)
	if !ok {
		return fmt.Errorf("index_map: expected a function from indices to indices")
	}
	if err := checkMap("index_map", m, len(r.Buffer.Shape)); err != nil {
		return err
	}
	if c.Args[3] == nil {
		return nil
	}
	pad, err := padMap(c.Args[3], len(m.Final), d, r.Buffer.DType)
	if err != nil {
		return fmt.Errorf("pad_value: %w", err)
	}
	c.Args[3] = pad
	return nil
}

// padMap returns a value of padding as a map from n indices. Numbers take the type of the buffer, integers only where it holds integers.
func padMap(x any, n int, d, elem dtype.DType) (*tir.IndexMap, error) {
	switch x := x.(type) {
	case *tir.IndexMap:
		return x, nil
	case *Lambda:
		vars, args, err := x.vars(n, d)
		if err != nil {
			return nil, err
		}
		v, err := x.Call(args)
		if err != nil {
			return nil, err
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		m := &tir.IndexMap{Initial: vars}
		for _, y := range list {
			e, ok := y.(tir.Expr)
			if !ok {
				return nil, fmt.Errorf("the function returns %T, expected an expression", y)
			}
			m.Final = append(m.Final, e)
		}
		return m, nil
	}
	f := &Lambda{}
	vars, _, err := f.vars(n, d)
	if err != nil {
		return nil, err
	}
	var e tir.Expr
	switch x := x.(type) {
	case int64:
		if e = tir.Int32(x); elem.IsInteger() {
			e = tir.Const(elem, x)
		}
	case float64:
		t := dtype.Float32T
		if elem.IsFloat() {
			t = elem
		}
		e = tir.FloatConst(t, x)
	case tir.Expr:
		e = x
	default:
		return nil, fmt.Errorf("expected a number, an expression, or a function of indices, got %T", x)
	}
	return &tir.IndexMap{Initial: vars, Final: []tir.Expr{e}}, nil
}

// countParams counts the parameters of the function in argument 1; for one that takes any number, the variables of the block.
func countParams(s *State, c *Call) (int, error) {
	switch f := c.Args[1].(type) {
	case *Lambda:
		if f.Params != nil {
			return len(f.Params), nil
		}
	case *tir.IndexMap:
		return len(f.Initial), nil
	}
	return countIters(s, c)
}
