package sch

import (
	"sync"

	"github.com/irscope/irscope/compiler/tir"
)

// Kinds returns all kinds of instruction, in the order of the documentation. The slice must not be changed.
var Kinds = sync.OnceValue(func() []*Kind {
	var out []*Kind
	for _, group := range [][]*Kind{
		sampleKinds(), queryKinds(), loopKinds(), annotateKinds(), moveKinds(), cacheKinds(), computeAtKinds(), reductionKinds(), paddingKinds(),
		storageKinds(), blockizeKinds(), layoutKinds(), tileKinds(),
	} {
		out = append(out, group...)
	}
	return out
})

var kindsByName = sync.OnceValue(func() map[string]*Kind {
	out := map[string]*Kind{}
	for _, k := range Kinds() {
		out[k.Name], out[k.Method] = k, k
		if k.Alias != "" {
			out[k.Alias] = k
		}
	}
	return out
})

// KindOf returns the kind with that name of traces or method, nil if there is none.
func KindOf(name string) *Kind { return kindsByName()[name] }

func queryKinds() []*Kind {
	return []*Kind{
		{
			Name: "GetBlock", Method: "get_block", Alias: "get_sblock", Pure: true, Outputs: One,
			Params: []Param{attr("name", StringForm), opt("func_name", StringForm, nil)},
			prepare: func(_ *State, c *Call) error {
				if c.Args[1] == nil {
					c.Args[1] = c.fn
				}
				return nil
			},
			apply: func(s *State, c *Call) (*State, []any, error) { return out1(s.GetBlock(c.str(0), c.str(1))) },
		},
		{
			Name: "GetLoops", Method: "get_loops", Pure: true, Outputs: List, Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				list, err := s.GetLoops(c.block(0))
				return outs(s, list, err)
			},
		},
		{
			Name: "GetChildBlocks", Method: "get_child_blocks", Alias: "get_child_sblocks", Pure: true, Outputs: List, Params: []Param{in("block_or_loop", RefForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return outs(s.GetChildBlocks(c.Args[0])) },
		},
		{
			Name: "GetProducers", Method: "get_producers", Pure: true, Outputs: List, Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return outs(s.GetProducers(c.block(0))) },
		},
		{
			Name: "GetConsumers", Method: "get_consumers", Pure: true, Outputs: List, Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return outs(s.GetConsumers(c.block(0))) },
		},
		{
			Name: "GetOutputBlocks", Method: "get_output_blocks", Alias: "get_output_sblocks", Pure: true, Outputs: List, Params: []Param{in("scope_block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return outs(s.GetOutputBlocks(c.block(0))) },
		},
	}
}

func loopKinds() []*Kind {
	return []*Kind{
		{
			Name: "Merge", Method: "merge", Outputs: One, Params: []Param{in("loops", LoopsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out1(s.Merge(c.loops(0))) },
		},
		{
			Name: "Fuse", overViews: true, Method: "fuse", Outputs: One, Params: []Param{in("loops", LoopsForm), opt("preserve_unit_iters", BoolForm, true)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out1(s.Fuse(c.loops(0), c.bool(1))) },
		},
		{
			Name: "Split", overViews: true, Method: "split", Outputs: List,
			Params: []Param{in("loop", LoopForm), in("factors", FactorsForm), opt("preserve_unit_iters", BoolForm, true), opt("disable_predication", BoolForm, false)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return outs(s.Split(c.loop(0), c.factors(1), c.bool(2), c.bool(3)))
			},
		},
		{
			Name: "LoopPartition", Method: "loop_partition", Outputs: List,
			Params: []Param{in("loop", LoopForm), in("factors", FactorsForm), opt("preserve_unit_iters", BoolForm, true)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return outs(s.LoopPartition(c.loop(0), c.factors(1), c.bool(2)))
			},
		},
		{
			Name: "Reorder", overViews: true, Method: "reorder", Params: []Param{in("ordered_loops", LoopsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Reorder(c.loops(0))) },
		},
		{
			Name: "ReorderBlockIterVar", overViews: true, Method: "reorder_block_iter_var", Alias: "reorder_sblock_iter_var",
			Params: []Param{in("block", BlockForm), in("new_order", IntsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.ReorderBlockIterVar(c.block(0), c.ints(1)))
			},
		},
		{
			Name: "AddUnitLoop", overViews: true, Method: "add_unit_loop", Outputs: One, Params: []Param{in("block_or_loop", RefForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out1(s.AddUnitLoop(c.Args[0])) },
		},
		{
			Name: "Parallel", overViews: true, Method: "parallel", Params: []Param{in("loop", LoopForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Parallel(c.loop(0))) },
		},
		{
			Name: "Vectorize", overViews: true, Method: "vectorize", Params: []Param{in("loop", LoopForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Vectorize(c.loop(0))) },
		},
		{
			Name: "Bind", overViews: true, Method: "bind", Params: []Param{in("loop", LoopForm), attr("thread_axis", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Bind(c.loop(0), c.str(1))) },
		},
		{
			Name: "Unroll", overViews: true, Method: "unroll", Params: []Param{in("loop", LoopForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Unroll(c.loop(0))) },
		},
	}
}

func annotateKinds() []*Kind {
	return []*Kind{
		{
			Name: "Annotate", overViews: true, Method: "annotate", Params: []Param{in("block_or_loop", RefForm), attr("ann_key", StringForm), in("ann_val", ValueForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.Annotate(c.Args[0], c.str(1), c.value(2)))
			},
		},
		{
			Name: "Unannotate", overViews: true, Method: "unannotate", Params: []Param{in("block_or_loop", RefForm), attr("ann_key", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.Unannotate(c.Args[0], c.str(1))) },
		},
		{
			Name: "EnterPostproc", Method: "enter_postproc",
			apply: func(s *State, _ *Call) (*State, []any, error) { return s, nil, nil },
		},
	}
}

func moveKinds() []*Kind {
	return []*Kind{
		{
			Name: "ComputeInline", Method: "compute_inline", Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.ComputeInline(c.block(0))) },
		},
		{
			Name: "ReverseComputeInline", Method: "reverse_compute_inline", Params: []Param{in("block", BlockForm)},
			apply: func(s *State, c *Call) (*State, []any, error) { return out0(s.ReverseComputeInline(c.block(0))) },
		},
	}
}

func computeAtKinds() []*Kind {
	params := []Param{in("block", BlockForm), in("loop", LoopForm), opt("preserve_unit_loops", BoolForm, false), opt("index", IntForm, int64(-1))}
	return []*Kind{
		{
			Name: "ComputeAt", Method: "compute_at", Params: params,
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.ComputeAt(c.block(0), c.loop(1), c.bool(2), c.int(3)))
			},
		},
		{
			Name: "ReverseComputeAt", Method: "reverse_compute_at", Params: params,
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.ReverseComputeAt(c.block(0), c.loop(1), c.bool(2), c.int(3)))
			},
		},
	}
}

func cacheKinds() []*Kind {
	return []*Kind{
		{
			Name: "CacheRead", Method: "cache_read", Outputs: One, prepare: prepareBuffer(1, readSide),
			Params: []Param{in("block", BlockForm), attr("read_buffer_index", BufferForm), attr("storage_scope", StringForm), optIn("consumer_blocks", BlocksForm, nil)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.CacheRead(c.block(0), c.int(1), c.str(2), c.blocks(3)))
			},
		},
		{
			Name: "CacheWrite", Method: "cache_write", Outputs: One, prepare: prepareBuffer(1, writeSide),
			Params: []Param{in("block", BlockForm), attr("write_buffer_index", BufferForm), attr("storage_scope", StringForm), optIn("consumer_blocks", BlocksForm, nil)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.CacheWrite(c.block(0), c.int(1), c.str(2), c.blocks(3)))
			},
		},
		{
			Name: "CacheIndex", Method: "cache_index", Outputs: List,
			Params: []Param{in("block", BlockForm), attr("storage_scope", StringForm), opt("cse_thresh", IntForm, int64(0))},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return outs(s.CacheIndex(c.block(0), c.str(1), c.int(2)))
			},
		},
		{
			Name: "CacheInplace", Method: "cache_inplace", Outputs: List, prepare: prepareBuffer(1, readSide),
			Params: []Param{in("block", BlockForm), attr("read_buffer_index", BufferForm), attr("storage_scope", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return outs(s.CacheInplace(c.block(0), c.int(1), c.str(2)))
			},
		},
		{
			Name: "ReadAt", Method: "read_at", Outputs: One,
			Params: []Param{in("loop", LoopForm), in("block", BlockForm), attr("read_buffer_index", IntForm), attr("storage_scope", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.ReadAt(c.loop(0), c.block(1), c.int(2), c.str(3)))
			},
		},
		{
			Name: "WriteAt", Method: "write_at", Outputs: One,
			Params: []Param{in("loop", LoopForm), in("block", BlockForm), attr("write_buffer_index", IntForm), attr("storage_scope", StringForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.WriteAt(c.loop(0), c.block(1), c.int(2), c.str(3)))
			},
		},
		{
			Name: "ReindexCacheRead", Method: "reindex_cache_read", Outputs: One, prepare: inTurn(prepareBuffer(1, readSide), prepareMap(3, countIters)),
			Params: []Param{in("block", BlockForm), attr("read_buffer_index", BufferForm), attr("storage_scope", StringForm), attr("index_map", MapForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.ReindexCacheRead(c.block(0), c.int(1), c.str(2), c.Args[3].(*tir.IndexMap)))
			},
		},
		{
			Name: "ReindexCacheWrite", Method: "reindex_cache_write", Outputs: One, prepare: inTurn(prepareBuffer(1, writeSide), prepareMap(3, countIters)),
			Params: []Param{in("block", BlockForm), attr("write_buffer_index", BufferForm), attr("storage_scope", StringForm), attr("index_map", MapForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out1(s.ReindexCacheWrite(c.block(0), c.int(1), c.str(2), c.Args[3].(*tir.IndexMap)))
			},
		},
		{
			Name: "ReIndex", Method: "reindex", Outputs: One, prepare: prepareBuffer(1, ""),
			Params: []Param{in("block", BlockForm), {Name: "buffer", Form: BufferForm, Attr: true, Pair: true}},
			apply: func(s *State, c *Call) (*State, []any, error) {
				side, n := c.pair(1)
				return out1(s.ReIndex(c.block(0), n, side))
			},
		},
		{
			Name: "AnnotateBufferAccess", Method: "annotate_buffer_access", prepare: prepareAccess,
			Params: []Param{in("block", BlockForm), in("buffer_index", IntForm), in("buf_type", StringForm), {Name: "gen_new_ranges", Form: RangesForm}},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.AnnotateBufferAccess(c.block(0), c.int(1), c.str(2), c.Args[3].(*tir.IndexMap)))
			},
		},
		{
			Name: "UnsafeHideBufferAccess", Method: "unsafe_hide_buffer_access",
			Params: []Param{in("block", BlockForm), in("buf_type", StringForm), in("buf_index_array", IntsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				return out0(s.UnsafeHideBufferAccess(c.block(0), c.str(1), c.ints(2)))
			},
		},
	}
}
