package sch

// reductionKinds are the primitives on reductions.
func reductionKinds() []*Kind {
	return []*Kind{
		{
			Name: "DecomposeReduction", Method: "decompose_reduction", Outputs: One, Params: []Param{in("block", BlockForm), in("loop", LoopForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.DecomposeReduction(c.block(0), c.loop(1)))
			},
		},
		{
			Name: "RFactor", Method: "rfactor", Outputs: One, Params: []Param{in("loop", LoopForm), attr("factor_axis", IntForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out1(s.RFactor(c.loop(0), c.int(1))) },
		},
		{
			Name: "FuseReductionEpilogue", Method: "fuse_reduction_epilogue", Params: []Param{in("reduction_block", BlockForm), in("epilogue_block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.FuseReductionEpilogue(c.block(0), c.block(1)))
			},
		},
	}
}

// paddingKinds are the primitives on padding and on tiles that overlap.
func paddingKinds() []*Kind {
	return []*Kind{
		{
			Name: "DecomposePadding", Method: "decompose_padding", Outputs: One, Params: []Param{in("block", BlockForm), in("loop", LoopForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.DecomposePadding(c.block(0), c.loop(1)))
			},
		},
		{
			Name: "PadEinsum", Method: "pad_einsum", Params: []Param{in("block", BlockForm), attr("padding", IntsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.PadEinsum(c.block(0), c.ints(1))) },
		},
		{
			Name: "RollingBuffer", Method: "rolling_buffer", prepare: prepareBuffer(1, writeSide),
			Params: []Param{in("block", BlockForm), attr("write_buffer_index", BufferForm)},
			apply:  func(s *State, c *Call) (*State, []any, error) { return out0(s.RollingBuffer(c.block(0), c.int(1))) },
		},
	}
}
