package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

func storageKinds() []*Kind {
	return []*Kind{
		{
			Name: "StorageAlign", Method: "storage_align", prepare: prepareBuffer(1, writeSide),
			Params: []Param{
				in("block", BlockForm), attr("buffer_index", BufferForm), attr("axis", IntForm), attr("factor", IntForm), attr("offset", IntForm),
			},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.StorageAlign(c.block(0), c.int(1), c.int(2), c.int(3), c.int(4)))
			},
		},
		{
			Name: "SetScope", Method: "set_scope", prepare: prepareBuffer(1, writeSide),
			Params: []Param{in("block", BlockForm), attr("buffer_index", BufferForm), attr("storage_scope", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.SetScope(c.block(0), c.int(1), c.str(2)))
			},
		},
		{
			Name: "UnsafeSetDType", Method: "unsafe_set_dtype", prepare: prepareBuffer(1, writeSide),
			Params: []Param{in("block", BlockForm), attr("buffer_index", BufferForm), attr("dtype", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.UnsafeSetDType(c.block(0), c.int(1), c.str(2)))
			},
		},
	}
}

func blockizeKinds() []*Kind {
	return []*Kind{
		{
			Name: "Blockize", Method: "blockize", Outputs: One,
			Params: []Param{in("target", TargetForm), opt("preserve_unit_iters", BoolForm, true)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				if l, ok := c.Args[0].(*Loop); ok {
					return out1(s.Blockize(l, c.bool(1)))
				}
				return out1(s.BlockizeBlocks(c.blocks(0), c.bool(1)))
			},
		},
		{
			Name: "Tensorize", Method: "tensorize",
			Params: []Param{in("block_or_loop", RefForm), attr("tensor_intrin", StringForm), opt("preserve_unit_iters", BoolForm, true)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				if c.intrin == nil {
					return nil, nil, fmt.Errorf("ValueError: TensorIntrin '%s' is not registered", c.str(1))
				}
				t, err := c.intrin(c.str(1))
				if err != nil {
					return nil, nil, err
				}
				return out0(s.Tensorize(c.Args[0], t, c.bool(2)))
			},
		},
	}
}

func layoutKinds() []*Kind {
	buffer := Param{Name: "buffer", Form: BufferForm, Attr: true, Pair: true}
	return []*Kind{
		{
			Name: "TransformLayout", Method: "transform_layout", prepare: inTurn(prepareBuffer(1, ""), prepareLayout),
			Params: []Param{
				in("block", BlockForm), buffer, in("index_map", MapForm), opt("pad_value", PadForm, nil), opt("assume_injective_transform", BoolForm, false),
			},
			apply: func(s *State, c *Call) (*State, []any, error) {
				side, n := c.pair(1)
				pad, _ := c.Args[3].(*tir.IndexMap)
				return out0(s.TransformLayout(c.block(0), n, side, c.Args[2].(*tir.IndexMap), pad, c.bool(4)))
			},
		},
		{
			Name: "TransformBlockLayout", Method: "transform_block_layout", prepare: prepareMap(1, countParams),
			Params: []Param{in("block", BlockForm), attr("index_map", MapForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.TransformBlockLayout(c.block(0), c.Args[1].(*tir.IndexMap)))
			},
		},
		{
			Name: "SetAxisSeparator", Method: "set_axis_separator", prepare: prepareBuffer(1, ""),
			Params: []Param{in("block", BlockForm), buffer, attr("axis_separators", IntsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				side, n := c.pair(1)
				return out0(s.SetAxisSeparator(c.block(0), n, side, c.ints(2)))
			},
		},
	}
}
