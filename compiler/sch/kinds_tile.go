package sch

// tileKinds are primitives that TVM does not have: those of the default schedule for CPUs. Others can be called behind them, with the conditions that
// they always have, but that few look into the views which flatten_access leaves: the others refuse these (checkViews).
func tileKinds() []*Kind {
	return []*Kind{
		{
			Name: "TileReduction", Method: "tile_reduction", Outputs: One,
			Params: []Param{
				in("block", BlockForm), attr("order", IntsForm), attr("tile", IntsForm), attr("reduce", IntsForm), attr("vector", IntForm), attr("lanes", IntForm),
				opt("whole", IntsForm, []int64{}), opt("unroll", IntsForm, []int64{}), opt("factor", IntForm, int64(1)),
				opt("splat", IntsForm, []int64{}), opt("pack", IntsForm, []int64{}), opt("run", IntForm, int64(0)), optIn("epilogue", BlocksForm, nil),
				opt("blocks", IntsForm, []int64{}), opt("parallel", IntsForm, []int64{}), opt("chunk", IntForm, int64(0)), opt("chunk_at", IntForm, int64(0)),
				opt("slide", IntsForm, []int64{}), opt("by_result", BoolForm, false), opt("matrix", BoolForm, false),
			},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.TileReduction(c.block(0), TileSpec{
					Order: c.ints(1), Tile: c.Args[2].([]int64), Reduce: c.ints(3), Vector: c.int(4), Lanes: int64(c.int(5)), Whole: c.ints(6), Unroll: c.ints(7),
					Factor: int64(c.int(8)), Splat: c.ints(9), Pack: c.ints(10), Run: int64(c.int(11)),
					Blocks: c.Args[13].([]int64), Parallel: c.ints(14), Chunk: int64(c.int(15)), ChunkAt: c.int(16), Slide: c.ints(17), ByResult: c.Args[18].(bool), Matrix: c.Args[19].(bool),
				}, c.blocks(12)))
			},
		},
		{
			Name: "CutLoop", overViews: true, Method: "cut_loop", Outputs: List, Params: []Param{in("loop", LoopForm), attr("multiple", IntForm), opt("at", IntForm, int64(0))},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return outs(s.CutLoop(c.loop(0), int64(c.int(1)), int64(c.int(2))))
			},
		},
		{
			Name: "FuseBlockIters", Method: "fuse_block_iters", Params: []Param{in("block", BlockForm), attr("first", IntForm), attr("last", IntForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.FuseBlockIters(c.block(0), c.int(1), c.int(2)))
			},
		},
		{
			Name: "SplitBlockIter", Method: "split_block_iter", Params: []Param{in("block", BlockForm), attr("index", IntForm), attr("factor", IntForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.SplitBlockIter(c.block(0), c.int(1), int64(c.int(2))))
			},
		},
		{
			Name: "Refill", Method: "refill", Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Refill(c.block(0))) },
		},
		{
			Name: "SplitPadding", Method: "split_padding", Outputs: List, Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return outs(s.SplitPadding(c.block(0))) },
		},
		{
			Name: "ClampPadding", Method: "clamp_padding", Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.ClampPadding(c.block(0))) },
		},
		{
			Name: "StoreInPlace", Method: "store_in_place", prepare: prepareBuffer(1, readSide), Params: []Param{in("block", BlockForm), attr("read_buffer_index", BufferForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.StoreInPlace(c.block(0), c.int(1))) },
		},
		{
			Name: "SplitCases", Method: "split_cases", Outputs: List, Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return outs(s.SplitCases(c.block(0))) },
		},
		{
			Name: "SimplifyIndices", overViews: true, Method: "simplify_indices", Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.SimplifyIndices(c.block(0))) },
		},
		{
			Name: "FlattenAccess", overViews: true, Method: "flatten_access", Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.FlattenAccess(c.block(0))) },
		},
	}
}
