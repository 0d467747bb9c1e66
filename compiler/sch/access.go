package sch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// The annotations of blocks whose regions users gave.
const (
	attrExplicitRead  = "explicit_read_region"
	attrExplicitWrite = "explicit_write_region"
)

// prepareAccess calls the function of annotate_buffer_access, which returns a point or a pair of begin and end for each dimension, and keeps an
// index map with two entries for each.
func prepareAccess(s *State, c *Call) error {
	f, ok := c.Args[3].(*Lambda)
	if !ok {
		if m, ok := c.Args[3].(*tir.IndexMap); ok {
			return checkMap("gen_new_ranges", m, len(m.Initial))
		}
		return errors.New("gen_new_ranges: expected a function from the variables of the block to ranges")
	}
	n, err := countIters(s, c)
	if err != nil {
		return err
	}
	d, err := s.blockDType(c.block(0))
	if err != nil {
		return err
	}
	vars, args, err := f.vars(n, d)
	if err != nil {
		return err
	}
	v, err := f.Call(args)
	if err != nil {
		return err
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	m := &tir.IndexMap{Initial: vars}
	for i, x := range list {
		pair, ok := x.([]any)
		if !ok {
			if e, isExpr := x.(tir.Expr); isExpr {
				pair = []any{e, e}
			}
		}
		if len(pair) != 2 {
			return fmt.Errorf("gen_new_ranges: entry %d is neither an index nor a pair of begin and end", i)
		}
		lo, ok1 := pair[0].(tir.Expr)
		hi, ok2 := pair[1].(tir.Expr)
		if !ok1 || !ok2 || !lo.DType().IsInteger() || !hi.DType().IsInteger() {
			return fmt.Errorf("gen_new_ranges: entry %d is no range of integers", i)
		}
		if !ok || lo == hi { // a point
			hi = tir.Add(lo, tir.Const(lo.DType(), 1))
		}
		m.Final = append(m.Final, lo, hi)
	}
	c.Args[3] = m
	return nil
}

// AnnotateBufferAccess replaces the region that a block declares of a buffer by the one that the map gives, a begin and an end for each dimension
// (TVM's annotate_buffer_access). Nothing checks that it holds what the block accesses.
func (s *State) AnnotateBufferAccess(b *Block, index int, side string, m *tir.IndexMap) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	key := map[string]string{readSide: attrExplicitRead, writeSide: attrExplicitWrite}[side]
	if key == "" {
		return nil, fmt.Errorf("the type of access is %q, expected read or write", side)
	}
	block := at.Block()
	r, err := s.nthRegion(block, index, side)
	if err != nil {
		return nil, err
	}
	an := arith.NewAnalyzer()
	var vars []tir.Expr
	for _, iv := range block.IterVars {
		vars = append(vars, iv.Var)
	}
	if len(m.Initial) != len(vars) {
		return nil, fmt.Errorf("the map has %d variables, but block %s has %d", len(m.Initial), block.Name, len(vars))
	}
	ends := mapIndices(m, vars, an)
	if len(ends) != 2*len(r.Region) {
		return nil, fmt.Errorf("there are ranges for %d dimensions, but buffer %s has %d", len(ends)/2, r.Buffer.Name, len(r.Region))
	}
	var region []*tir.Range
	for i := 0; i < len(ends); i += 2 {
		region = append(region, &tir.Range{Min: ends[i], Extent: an.Simplify(tir.Sub(ends[i+1], ends[i]))})
	}
	given, _ := block.Annotations.Get(key)
	list, _ := given.([]ir.Value)
	holds := func(x ir.Value) bool {
		e, ok := x.(tir.Expr)
		return ok && tir.IsConst(e, int64(index))
	}
	if !slices.ContainsFunc(list, holds) {
		list = append(slices.Clone(list), tir.Int32(int64(index)))
	}
	now := &tir.BufferRegion{Base: r.Base, Buffer: r.Buffer, Region: region}
	out := block.WithAnnotations(block.Annotations.With(key, list))
	if side == writeSide {
		out = out.WithWrites(withNth(out.Writes, index, now))
	} else {
		out = out.WithReads(withNth(out.Reads, index, now))
	}
	return s.replace(at, out, nil), nil
}

func withNth(list []*tir.BufferRegion, i int, r *tir.BufferRegion) []*tir.BufferRegion {
	out := slices.Clone(list)
	out[i] = r
	return out
}

// UnsafeHideBufferAccess takes buffers out of what a block declares to read or write (TVM's unsafe_hide_buffer_access).
func (s *State) UnsafeHideBufferAccess(b *Block, side string, indices []int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	block := at.Block()
	list := block.Reads
	switch side {
	case readSide:
	case writeSide:
		list = block.Writes
	default:
		return nil, s.fail("InvalidBufferTypeError", fmt.Sprintf("The buffer type for hidden block {0} should be one of 'read' or 'write', got %q", side), block)
	}
	for _, i := range indices {
		if i < 0 || i >= len(list) {
			return nil, s.fail("InvalidIndexError", fmt.Sprintf("The buffer access index %d of block {0} should be in the range [0, %d)", i, len(list)), block)
		}
	}
	var rest []*tir.BufferRegion
	for i, r := range list {
		if !slices.Contains(indices, i) {
			rest = append(rest, r)
		}
	}
	if side == writeSide {
		return s.replace(at, block.WithWrites(rest), nil), nil
	}
	return s.replace(at, block.WithReads(rest), nil), nil
}
