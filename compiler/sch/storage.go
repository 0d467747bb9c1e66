package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// SetScope puts the buffer that a block writes at an index into another memory scope (TVM's set_scope).
func (s *State) SetScope(b *Block, index int, scope string) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	r, err := s.nthRegion(at.Block(), index, writeSide)
	if err != nil {
		return nil, err
	}
	if r.Buffer.Scope() == scope {
		return s, nil
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, err
	}
	def, err := s.allocationSite(at, r.Buffer)
	if err != nil {
		return nil, err
	}
	swap := newBufferSwap(r.Buffer, withScope(r.Buffer, scope), func(v, _ *tir.Buffer) *tir.Buffer { return withScope(v, scope) })
	return s.replace(def, swap.block(def.Block()), swap.became), nil
}

// UnsafeSetDType gives the buffer that a block writes at an index elements of another type, with conversions where it is accessed (TVM's
// unsafe_set_dtype). What is stored may lose precision.
func (s *State) UnsafeSetDType(b *Block, index int, name string) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	r, err := s.nthRegion(at.Block(), index, writeSide)
	if err != nil {
		return nil, err
	}
	to, err := dtype.Parse(name)
	if err != nil {
		return nil, err
	}
	from := r.Buffer.DType
	if from == to {
		return s, nil
	}
	if to.IsHandle() || to.IsVoid() {
		return nil, fmt.Errorf("dtype: a buffer cannot have elements of type %s", to)
	}
	if to.Lanes != from.Lanes {
		return nil, fmt.Errorf("dtype: %s and %s have different numbers of lanes", from, to)
	}
	def, err := s.allocationSite(at, r.Buffer)
	if err != nil {
		return nil, err
	}
	swap := newBufferSwap(r.Buffer, withDType(r.Buffer, to), func(v, _ *tir.Buffer) *tir.Buffer { return withDType(v, to) })
	swap.load = func(old *tir.Buffer, l *tir.BufferLoad) tir.Expr {
		return tir.CastTo(old.DType, tir.Load(swap.now[old], l.Indices...))
	}
	swap.store = func(old *tir.Buffer, x *tir.BufferStore) tir.Stmt {
		return &tir.BufferStore{Base: x.Base, Buffer: swap.now[old], Value: tir.CastTo(to, x.Value), Indices: x.Indices}
	}
	return s.replace(def, swap.block(def.Block()), swap.became), nil
}

// withDType returns a buffer like b with elements of another type.
func withDType(b *tir.Buffer, d dtype.DType) *tir.Buffer {
	out := *b
	out.DType = d
	like := tir.NewBuffer(b.Data.Name, d, b.Shape, b.Scope())
	out.Data = &tir.Var{Base: b.Data.Base, Name: b.Data.Name, Type: like.Data.Type}
	return &out
}

// SetAxisSeparator groups the dimensions of a buffer that a block accesses into physical ones, each of which begins at a separator (TVM's
// set_axis_separator).
func (s *State) SetAxisSeparator(b *Block, index int, side string, separators []int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	r, err := s.nthRegion(at.Block(), index, side)
	if err != nil {
		return nil, err
	}
	last := 0
	for _, x := range separators {
		if x < last || x > len(r.Buffer.Shape) {
			return nil, fmt.Errorf("axis_separators: %v is no ascending list of positions between 0 and %d, the number of dimensions of buffer %s", separators, len(r.Buffer.Shape), r.Buffer.Name)
		}
		last = x
	}
	now := *r.Buffer
	now.AxisSeparators = separators
	def, err := s.ownerSite(at, r.Buffer, &now)
	if err != nil {
		return nil, err
	}
	swap := newBufferSwap(r.Buffer, &now, func(v, source *tir.Buffer) *tir.Buffer {
		out := *v
		if out.AxisSeparators = source.AxisSeparators; len(v.Shape) != len(source.Shape) {
			out.AxisSeparators = make([]int, len(source.AxisSeparators))
		}
		return &out
	})
	return s.replace(def, swap.block(def.Block()), swap.became), nil
}

// attrDimAlign is the annotation of blocks with how dimensions of what they write are aligned in memory.
const attrDimAlign = "buffer_dim_align"

// StorageAlign asks for the stride of a dimension of a buffer that a block writes to be offset more than a multiple of factor (TVM's storage_align).
func (s *State) StorageAlign(b *Block, index, axis, factor, offset int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	block := at.Block()
	r, err := s.nthRegion(block, index, writeSide)
	if err != nil {
		return nil, err
	}
	if factor <= 0 {
		return nil, s.fail("StorageAlignInvalidFactorError", fmt.Sprintf(
			"The input `factor` of storage_align is expected to be a positive number. However, the input `factor` is %d, which is out of the expected range.", factor))
	}
	n := len(r.Buffer.Shape)
	if axis < -n || axis >= n {
		return nil, s.fail("StorageAlignAxisOutOfRangeError", fmt.Sprintf(
			"The buffer to set storage alignment %s has %d dimension(s), so `axis` is required to be in [%d, %d) for storage_align. However, the input `axis` is %d, which is out of the expected range.",
			r.Buffer.Name, n, -n, n, axis))
	}
	if axis < 0 {
		axis += n
	}
	if _, err := s.allocationSite(at, r.Buffer); err != nil {
		return nil, err
	}
	given, has := block.Annotations.Get(attrDimAlign)
	list, ok := alignments(given)
	if has && !ok {
		return nil, s.fail("StorageAlignInvalidAnnotationError",
			"The block annotation for storage align is expected to be an array of 4-integer-tuples (buffer_index, axis, factor, offset). However, the block annotation with key "+
				attrDimAlign+" of the block {0} is "+fmt.Sprint(given)+", which is unexpected.", block)
	}
	entry := [4]int64{int64(index), int64(axis), int64(factor), int64(offset)}
	found := false
	for i, x := range list {
		if x[0] == entry[0] && x[1] == entry[1] {
			list[i], found = entry, true
			break
		}
	}
	if !found {
		list = append(list, entry)
	}
	var value []ir.Value
	for _, x := range list {
		var tuple []ir.Value
		for _, n := range x {
			tuple = append(tuple, n)
		}
		value = append(value, tuple)
	}
	return s.annotated(at, block.Annotations.With(attrDimAlign, value)), nil
}

// alignments reads the annotation; ok is false if it is something else.
func alignments(v ir.Value) (out [][4]int64, ok bool) {
	list, ok := v.([]ir.Value)
	if !ok {
		return nil, false
	}
	for _, x := range list {
		tuple, ok := x.([]ir.Value)
		if !ok || len(tuple) != 4 {
			return nil, false
		}
		var entry [4]int64
		for i, n := range tuple {
			switch n := n.(type) {
			case int64:
				entry[i] = n
			case tir.Expr:
				c, ok := tir.AsInt(n)
				if !ok {
					return nil, false
				}
				entry[i] = c
			default:
				return nil, false
			}
		}
		out = append(out, entry)
	}
	return out, true
}
