package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// A loop that sample_compute_location draws may stand for no loop: the block stays where it is, or is inlined.
var (
	rootMark   = tir.NewVar("root", tir.Int32(0).Type)
	inlineMark = tir.NewVar("inline", tir.Int32(0).Type)
)

// Mark returns what a drawn location stands for where it is no loop, "root" or "inline", and "" for loops.
func (l *Loop) Mark() string {
	switch l.v {
	case rootMark, inlineMark:
		return l.v.Name
	}
	return ""
}

// location is where a block could be computed, and its number: -2 for inlining, -1 for where it is, or that of a loop around its first consumer.
type location struct {
	at    *Loop
	index int64
}

// sampleComputeLocation draws where a block is computed. A decision that is no candidate any more becomes the one before it.
func (s *State) sampleComputeLocation(r *random, b *Block, decision any) (*Loop, int64, error) {
	list, err := s.computeLocations(b)
	if err != nil {
		return nil, 0, err
	}
	want, ok := decision.(int64)
	if !ok {
		x := list[r.below(0, int64(len(list)))]
		return x.at, x.index, nil
	}
	k, found := slices.BinarySearchFunc(list, want, func(x location, want int64) int { return int(x.index - want) })
	switch {
	case found:
		return list[k].at, want, nil
	case k > 0:
		return list[k-1].at, list[k-1].index, nil
	}
	return &Loop{b.fn, rootMark}, -1, nil
}

// computeLocations returns the candidates in the order of their numbers (TVM's CollectComputeLocation).
func (s *State) computeLocations(b *Block) ([]location, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, err
	}
	var out []location
	if _, err := s.ComputeInline(b); err == nil {
		out = append(out, location{&Loop{b.fn, inlineMark}, -2})
	}
	out = append(out, location{&Loop{b.fn, rootMark}, -1})
	consumers := s.deps(root.Block()).consumers(at.Block())
	if len(consumers) == 0 {
		return out, nil
	}
	var sites []site
	for _, c := range consumers {
		p, _ := s.below(root, c)
		sites = append(sites, p)
	}
	var limit tir.Stmt
	if len(sites) > 1 {
		limit = commonAncestor(sites)
	} else if up, ok := sites[0].up(); ok {
		limit = up.stmt()
	}
	loops := sites[0].loops()
	n := slices.IndexFunc(loops, func(l *tir.For) bool { return tir.Stmt(l) == limit }) + 1
	last := -1
	kinds := make([]loopKind, n)
	for i, l := range loops[:n] {
		if kinds[i] = kindOfLoop(l); kinds[i] == spatialLoop {
			last = i
		}
	}
	reduced := false
	for i, l := range loops[:n] {
		if tir.IsConst(l.Extent, 1) {
			continue
		}
		if kinds[i] == spatialLoop && reduced || kinds[i] != spatialLoop && i > last {
			break
		}
		reduced = reduced || kinds[i] != spatialLoop
		ref := &Loop{b.fn, l.LoopVar}
		if _, err := s.ComputeAt(b, ref, true, -1); err == nil {
			out = append(out, location{ref, int64(i)})
		}
	}
	return out, nil
}

// loopKind says over what a loop runs.
type loopKind uint8

const (
	spatialLoop loopKind = iota
	reductionLoop
	mixedLoop
)

// kindOfLoop tells by the variables of blocks that are bound to a loop (TVM's GetLoopIterType).
func kindOfLoop(l *tir.For) loopKind {
	spatial, reduction := false, false
	for _, r := range realizes(l) {
		for i, iv := range r.Block.IterVars {
			if !usesVar(r.Values[i], l.LoopVar) {
				continue
			}
			switch iv.Kind {
			case tir.DataPar:
				spatial = true
			case tir.CommReduce:
				reduction = true
			default:
				return mixedLoop
			}
		}
	}
	switch {
	case spatial && reduction:
		return mixedLoop
	case reduction:
		return reductionLoop
	}
	return spatialLoop
}

// sampleKinds are the instructions that draw.
func sampleKinds() []*Kind {
	decision := func(f Form) Param { return Param{Name: "decision", Form: f, Optional: true, Untraced: true} }
	drawn := func(s *State, c *Call, list []int64, err error) (*State, []any, error) {
		c.Decision = list
		return outs(s, list, err)
	}
	return []*Kind{
		{
			Name: "SampleCategorical", Method: "sample_categorical", Pure: true, Outputs: One,
			Params: []Param{attr("candidates", IntsForm), attr("probs", FloatsForm), decision(IntForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				x, i, err := sampleCategorical(c.rand, c.Args[0].([]int64), c.Args[1].([]float64), c.decided(2))
				c.Decision = i
				return out1(s, x, err)
			},
		},
		{
			Name: "SamplePerfectTile", Method: "sample_perfect_tile", Pure: true, Outputs: List,
			Params: []Param{in("loop", LoopForm), attr("n", IntForm), opt("max_innermost_factor", IntForm, int64(16)), decision(IntsForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				list, err := s.samplePerfectTile(c.rand, c.loop(0), c.Args[1].(int64), c.Args[2].(int64), c.decided(3))
				return drawn(s, c, list, err)
			},
		},
		{
			Name: "SamplePartitionedTile", Method: "sample_partitioned_tile", Pure: true, Outputs: List,
			Params: []Param{
				in("loop", LoopForm), attr("n", IntForm), opt("partition_pos", IntForm, int64(0)), opt("innerpart_factor", IntForm, int64(1)), decision(IntsForm),
			},
			apply: func(s *State, c *Call) (*State, []any, error) {
				list, err := s.samplePartitionedTile(c.rand, c.loop(0), c.Args[1].(int64), c.Args[2].(int64), c.Args[3].(int64), c.decided(4))
				return drawn(s, c, list, err)
			},
		},
		{
			Name: "SampleComputeLocation", Method: "sample_compute_location", Pure: true, Outputs: One,
			Params: []Param{in("block", BlockForm), decision(IntForm)},
			apply: func(s *State, c *Call) (*State, []any, error) {
				l, i, err := s.sampleComputeLocation(c.rand, c.block(0), c.decided(1))
				c.Decision = i
				return out1(s, l, err)
			},
		},
	}
}

// decided returns the decision of a call: that of the trace, or the argument.
func (c *Call) decided(arg int) any {
	if c.Decision != nil {
		return c.Decision
	}
	return c.Args[arg]
}

// moved returns what becomes of a block that is computed at a location which is no loop; ok is false for loops.
func (s *State) moved(b *Block, l *Loop, inline func(*Block) (*State, error)) (out *State, ok bool, err error) {
	switch l.v {
	case rootMark:
		if _, err := s.block(b); err != nil {
			return nil, true, err
		}
		return s, true, nil
	case inlineMark:
		out, err = inline(b)
		return out, true, err
	}
	return nil, false, nil
}
