package tirpass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// Annotations of the loops and blocks of software pipelines.
const (
	keyPipelineStage  = "software_pipeline_stage"
	keyPipelineOrder  = "software_pipeline_order"
	keyPipelineAsync  = "software_pipeline_async_stages"
	keyPipelineMerge  = "software_pipeline_merge"
	keyDoubleBuffer   = "double_buffer_scope"
	rulePipeline      = "pipeline a loop"
	keyAsyncScope     = "async_scope"
	keyAsyncCommit    = "async_commit_queue_scope"
	keyAsyncWait      = "async_wait_queue_scope"
	keyAsyncInFlight  = "async_wait_inflight_count"
	wantOpaqueInPipes = "run tir.ConvertBlocksToOpaque, tir.LowerMatchBuffer and tir.LowerInitBlock first"
)

// A loop that is marked as a software pipeline runs the statements of its body in stages, so that stage
// 0 of a later iteration overlaps with stage 1 of an earlier one:
//
//	for i in range(16): copy(i); compute(i)      # stages [0, 1]
//
// becomes
//
//	copy(0)
//	for i in range(15): copy(i + 1); compute(i)
//	compute(15)
//
// What the loop allocates gets as many versions as stages use at once, chosen by the iteration modulo
// their number. Stages that are asynchronous are put into queues, and who reads what they write waits until
// few enough are in flight. software_pipeline_merge, which TVM does not have, says that iterations are independent of
// each other but for what the loop allocates, as those of a parallel loop: loops of different stages that follow each
// other in the order and have the same extent then become one (softpipe_merge.go).
//
// After TVM's src/tir/transforms/inject_software_pipeline.cc. What differs: dependences other than of a
// read on a write, also those between iterations, are checked too, by regions; blocks with variables,
// predicates or views, which TVM drops, are refused; and so are loops that do not run in order.

// InjectSoftwarePipeline overlaps the stages of marked loops.
var InjectSoftwarePipeline = &pass.Pass{
	Name: "tir.InjectSoftwarePipeline", Kind: pass.PrimFunc,
	Breaks: []*pass.Form{pass.FlatBuffers}, // versions are a dimension
	Doc:    "Makes loops with the annotations software_pipeline_stage and software_pipeline_order pipelines: the stages of different iterations overlap, in a prologue, a body, and an epilogue. Refuses orders that break a dependence.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		p := &pipeliner{c: c, byData: map[*tir.Var]*tir.Buffer{}, double: map[*tir.Buffer]bool{}}
		p.m.Stmt = p.stmt
		for _, b := range f.Buffers {
			if b != nil {
				p.byData[b.Data] = b
			}
		}
		out := f.WithBody(p.stmt(f.Body))
		return out, p.err
	}),
}

type pipeliner struct {
	c         *pass.Context
	m         tir.Mapper
	byData    map[*tir.Var]*tir.Buffer // buffers of parameters and of the blocks around
	double    map[*tir.Buffer]bool     // buffers that are to have at least two versions
	fragments map[*tir.Var]fragment    // of tensor cores, found when first asked for
	err       error
}

func (p *pipeliner) stmt(s tir.Stmt) tir.Stmt {
	if p.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.Block:
		return p.block(s)
	case *tir.For:
		return p.loop(s)
	}
	return p.m.MapStmt(s)
}

func (p *pipeliner) block(b *tir.Block) tir.Stmt {
	for _, x := range b.AllocBuffers {
		p.byData[x.Data] = x
	}
	if v, ok := b.Annotations.Get(keyDoubleBuffer); ok {
		i, isInt := intOf(v)
		if !isInt || i < 0 || i >= int64(len(b.Writes)) {
			p.err = fmt.Errorf("block %q: index of the buffer in %q exceeds the size of the write regions of the block (%v vs. %d)", b.Name, keyDoubleBuffer, v, len(b.Writes))
			return b
		}
		p.double[b.Writes[i].Buffer] = true
	}
	out := p.m.MapStmt(b)
	for _, x := range b.AllocBuffers {
		delete(p.byData, x.Data)
	}
	return out
}

// intOf returns an attribute that is an integer, as a value or as a node.
func intOf(v ir.Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case tir.Expr:
		return tir.AsInt(v)
	}
	return 0, false
}

// intsOf returns an attribute that is a list of integers.
func intsOf(v ir.Value) ([]int64, bool) {
	list, ok := v.([]ir.Value)
	out := make([]int64, len(list))
	for i, x := range list {
		n, isInt := intOf(x)
		ok = ok && isInt
		out[i] = n
	}
	return out, ok
}

func (p *pipeliner) loop(s *tir.For) tir.Stmt {
	out := p.m.MapStmt(s).(*tir.For)
	hasStage, hasOrder := s.Annotations.Has(keyPipelineStage), s.Annotations.Has(keyPipelineOrder)
	if p.err != nil || !hasStage && !hasOrder {
		return out
	}
	piped, err := p.pipeline(out)
	if err != nil {
		p.err = fmt.Errorf("the software pipeline of loop %s: %w", s.LoopVar.Name, err)
		return s
	}
	p.c.Rewrite(rulePipeline, s, piped)
	return piped
}

// part is a statement of a pipeline, as a block.
type part struct {
	block *tir.Block
	stage int64
	order int64
	async bool
	group int // of parts whose loops are merged, from 1 on; 0 for none
}

// pipeline returns what the loop s, marked as a pipeline, becomes.
func (p *pipeliner) pipeline(s *tir.For) (tir.Stmt, error) {
	switch {
	case !s.Annotations.Has(keyPipelineOrder):
		return nil, errors.New("order of the software pipeline is not defined")
	case !s.Annotations.Has(keyPipelineStage):
		return nil, errors.New("stage of the software pipeline is not defined")
	case s.Kind != tir.Serial && s.Kind != tir.Unrolled:
		return nil, fmt.Errorf("the loop is %s, but the iterations of a pipeline run one after the other: expected a serial loop", s.Kind)
	case s.Step != nil && !tir.IsConst(s.Step, 1):
		return nil, errors.New("the step of the loop is not 1: run tir.CanonicalizeLoop first")
	}
	body := s.Body
	var allocs []*tir.Buffer
	declare := func(b *tir.Block) {
		allocs = append(allocs, b.AllocBuffers...)
		for _, x := range b.AllocBuffers {
			p.byData[x.Data] = x
		}
	}
	defer func() {
		for _, x := range allocs {
			delete(p.byData, x.Data)
		}
	}()
	if r, ok := body.(*tir.BlockRealize); ok {
		if err := plain(r); err != nil {
			return nil, err
		}
		declare(r.Block)
		body = r.Block.Body
	}
	seq, ok := body.(*tir.SeqStmt)
	if !ok {
		return nil, fmt.Errorf("the body of the software pipeline should be a sequence of statements, got one %s", kindOf(body))
	}
	var blocks []*tir.Block
	add := func(child tir.Stmt) error {
		if r, ok := child.(*tir.BlockRealize); ok && tir.IsTrue(r.Predicate) {
			if err := plain(r); err != nil {
				return err
			}
		}
		blocks = append(blocks, p.blockOf(child))
		return nil
	}
	for _, child := range seq.Seq {
		children := []tir.Stmt{child}
		if r, ok := child.(*tir.BlockRealize); ok && tir.IsTrue(r.Predicate) {
			if inner, ok := r.Block.Body.(*tir.SeqStmt); ok {
				if err := plain(r); err != nil {
					return nil, err
				}
				declare(r.Block)
				children = inner.Seq
			}
		}
		for _, x := range children {
			if err := add(x); err != nil {
				return nil, err
			}
		}
	}
	parts, err := annotated(s, blocks)
	if err != nil {
		return nil, err
	}
	w := &pipelineWriter{p: p, loop: s, parts: parts, allocs: allocs, an: arith.Bounded(p.c.Budget()), remap: map[*tir.Buffer]*tir.Buffer{}}
	return w.write()
}

// plain returns an error if the block of r has more than buffers and a body.
func plain(r *tir.BlockRealize) error {
	b := r.Block
	switch {
	case len(b.IterVars) > 0:
		return fmt.Errorf("block %q has iteration variables: %s", b.Name, wantOpaqueInPipes)
	case len(b.MatchBuffers) > 0:
		return fmt.Errorf("block %q has matched buffers: %s", b.Name, wantOpaqueInPipes)
	case b.Init != nil:
		return fmt.Errorf("block %q has an init: %s", b.Name, wantOpaqueInPipes)
	case !tir.IsTrue(r.Predicate):
		return fmt.Errorf("block %q around the statements has a predicate: put it into the statements", b.Name)
	}
	return nil
}

// kindOf names the type of a statement.
func kindOf(s tir.Stmt) string { return fmt.Sprintf("%T", s)[len("*tir."):] }

// blockOf returns s as a block: its own, or a new one with the regions that s accesses.
func (p *pipeliner) blockOf(s tir.Stmt) *tir.Block {
	if r, ok := s.(*tir.BlockRealize); ok && tir.IsTrue(r.Predicate) {
		return r.Block
	}
	return withRegions(&tir.Block{Base: s.Meta(), Body: s}, p.byData)
}

// withRegions returns b with the regions that it accesses.
func withRegions(b *tir.Block, byData map[*tir.Var]*tir.Buffer) *tir.Block {
	reads, writes, opaque := region.OfBlock(b, byData)
	return b.WithReads(append(reads, opaque...)).WithWrites(append(writes, slices.Clone(opaque)...))
}

// annotated returns blocks with the stages and orders of the loop s, checked for what does not need regions.
func annotated(s *tir.For, blocks []*tir.Block) ([]*part, error) {
	parts := make([]*part, len(blocks))
	for i, b := range blocks {
		parts[i] = &part{block: b}
	}
	read := func(key string, set func(p *part, n int64)) error {
		v, _ := s.Annotations.Get(key)
		list, ok := intsOf(v)
		if !ok {
			return fmt.Errorf("the annotation %q must be a list of integers, got %v", key, v)
		}
		if len(list) != len(blocks) {
			names := make([]string, len(blocks))
			for i, b := range blocks {
				names[i] = b.Name
			}
			return fmt.Errorf("the pipeline has the %d statements %q, but its annotation %q is %v, of different size", len(blocks), names, key, list)
		}
		for i, n := range list {
			set(parts[i], n)
		}
		return nil
	}
	if err := read(keyPipelineStage, func(p *part, n int64) { p.stage = n }); err != nil {
		return nil, err
	}
	if err := read(keyPipelineOrder, func(p *part, n int64) { p.order = n }); err != nil {
		return nil, err
	}
	async, ok := s.Annotations.Get(keyPipelineAsync)
	if ok {
		list, ok := intsOf(async)
		if !ok {
			return nil, fmt.Errorf("the annotation %q must be a list of integers, got %v", keyPipelineAsync, async)
		}
		for _, x := range parts {
			x.async = slices.Contains(list, x.stage)
		}
	}
	used := map[int64]bool{}
	for _, x := range parts {
		switch {
		case used[x.order]:
			return nil, fmt.Errorf("two statements in the software pipeline cannot have the same order: %d", x.order)
		case x.order < 0 || x.order >= int64(len(parts)):
			return nil, fmt.Errorf("the order %d is none of 0 to %d", x.order, len(parts)-1)
		case x.stage < 0 || x.stage > maxStage:
			return nil, fmt.Errorf("the stage %d is none of 0 to %d", x.stage, maxStage)
		}
		used[x.order] = true
	}
	return parts, nil
}

// maxStage bounds the number of stages, and with it that of versions.
const maxStage = 1 << 16
