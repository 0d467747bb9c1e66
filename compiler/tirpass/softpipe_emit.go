package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// pipelineWriter writes one pipeline.
type pipelineWriter struct {
	p       *pipeliner
	loop    *tir.For
	parts   []*part // in the order of the body
	ordered []*part // in the order of the pipeline
	allocs  []*tir.Buffer
	an      *arith.Analyzer
	remap   map[*tir.Buffer]*tir.Buffer // to those with versions
	last    int64                       // the greatest stage
	queues  asyncQueues
	err     error
}

func (w *pipelineWriter) num(n int64) tir.Expr { return tir.Const(w.loop.LoopVar.DType(), n) }

// write returns the block with the prologue, the body and the epilogue.
func (w *pipelineWriter) write() (tir.Stmt, error) {
	w.ordered = make([]*part, len(w.parts))
	for _, x := range w.parts {
		w.last = max(w.last, x.stage)
		w.ordered[x.order] = x
	}
	w.group()
	if err := w.check(); err != nil {
		return nil, err
	}
	for _, b := range w.allocs {
		if n := w.versions(b); n > 1 {
			w.remap[b] = versioned(b, n)
		}
	}
	lo, extent := w.loop.Min, w.loop.Extent
	full := tir.Add(lo, w.num(w.last))
	end := tir.Add(lo, extent)
	prologue := w.emit(lo, full, true, nil)
	body := w.emit(full, end, false, nil)
	// A loop of fewer iterations than stages must not run in the epilogue what the prologue ran.
	from := end
	var atLeast tir.Expr
	if w.last > 1 && !w.an.CanProveGreaterEqual(extent, w.last) {
		if _, ok := tir.AsInt(end); ok {
			from = tir.Max(end, full)
		} else {
			atLeast = full
		}
	}
	epilogue := w.emit(from, tir.Add(tir.Add(lo, extent), w.num(w.last)), true, atLeast)
	if w.err != nil {
		return nil, w.err
	}
	block := &tir.Block{Base: w.loop.Base, Body: &tir.SeqStmt{Base: w.loop.Base, Seq: []tir.Stmt{prologue, body, epilogue}}}
	for _, b := range w.allocs {
		if n := w.remap[b]; n != nil {
			b = n
		}
		block.AllocBuffers = append(block.AllocBuffers, b)
		delete(w.p.byData, b.Data)
	}
	return w.realize(tir.Bool(true), withRegions(block, w.p.byData)), nil
}

// fail notes the first error.
func (w *pipelineWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// realize runs b, a block without variables, where pred holds.
func (w *pipelineWriter) realize(pred tir.Expr, b *tir.Block) *tir.BlockRealize {
	return &tir.BlockRealize{Base: w.loop.Base, Predicate: pred, Block: b}
}

// nothing returns a block that does nothing.
func (w *pipelineWriter) nothing() tir.Stmt {
	none := &tir.Evaluate{Base: w.loop.Base, Value: tir.Int32(0)}
	return w.realize(tir.Bool(true), &tir.Block{Base: w.loop.Base, Body: none})
}

// step is a part in an iteration of the pipeline.
type step struct {
	*part
	pred   tir.Expr
	always bool // pred is known to hold
	block  *tir.Block
	index  tir.Expr // the iteration of the loop that it does
}

// emit returns the steps from start to end, in a loop unless there is one only.
func (w *pipelineWriter) emit(start, end tir.Expr, unroll bool, atLeast tir.Expr) tir.Stmt {
	extent := tir.Sub(end, start)
	if w.an.CanProve(tir.LE(extent, w.num(0))) {
		return w.nothing()
	}
	single := w.an.CanProveEqual(extent, w.num(1))
	at := start // of a single step
	normal := arith.Bounded(w.p.c.Budget())
	var v *tir.Var
	if !single {
		again := *w.loop.LoopVar
		v = &again
		at = v
		w.an.BindRange(v, &tir.Range{Min: start, Extent: tir.Sub(end, start)})
		normal.BindRange(v, &tir.Range{Min: w.loop.Min, Extent: tir.Sub(extent, w.loop.Min)})
	}
	local := &asyncRange{w: w, an: normal, states: map[int64]*asyncState{}, group: map[*tir.Buffer]int{}}
	for _, x := range w.ordered {
		skewed := tir.Sub(at, w.num(x.stage))
		inbound := tir.And(w.an.Simplify(tir.LE(w.loop.Min, skewed)), tir.LT(skewed, tir.Add(w.loop.Min, w.loop.Extent)))
		if atLeast != nil {
			inbound = w.an.Simplify(tir.And(inbound, tir.GE(at, atLeast)))
		}
		if w.an.CanProve(tir.LogicalNot(inbound)) {
			continue
		}
		index, always := skewed, w.an.CanProve(inbound)
		if !single {
			delta := tir.Sub(start, w.loop.Min)
			index = tir.Add(skewed, delta)
			inbound = tir.SubstExpr(inbound, map[*tir.Var]tir.Expr{v: tir.Add(v, delta)})
		}
		block := freshCopy(w.versionedBody(x.block), map[*tir.Var]tir.Expr{w.loop.LoopVar: index}).(*tir.Block)
		local.add(&step{x, inbound, always, block, index})
	}
	local.steps = w.mergeSteps(local.steps)
	stmts, err := local.finish()
	if err != nil {
		w.fail(err)
		return w.nothing()
	}
	if len(stmts) == 0 {
		return w.nothing()
	}
	out := stmts[0]
	if len(stmts) > 1 {
		out = &tir.SeqStmt{Base: w.loop.Base, Seq: stmts}
	}
	if !single {
		kind := w.loop.Kind
		if unroll && !w.loop.Annotations.Has(keyPipelineMerge) { // code for processors, whose steps are loops
			kind = tir.Unrolled
		}
		notes := w.loop.Annotations.Without(keyPipelineStage).Without(keyPipelineOrder).Without(keyPipelineAsync).Without(keyPipelineMerge)
		out = &tir.For{Base: w.loop.Base, LoopVar: v, Min: w.loop.Min, Extent: extent, Kind: kind, Body: out, Annotations: notes}
	}
	for stage, s := range local.states {
		w.queues.advance(stage, s, normal, extent)
	}
	return w.realize(tir.Bool(true), w.p.blockOf(out))
}

// note is an annotation of asynchronous work.
func (w *pipelineWriter) note(key string, value tir.Expr, body tir.Stmt) tir.Stmt {
	return &tir.AttrStmt{Base: w.loop.Base, Key: key, Value: value, Body: body}
}
