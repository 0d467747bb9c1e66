package te

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// Recurrence is a loop over steps, each of which computes from the states that the step before left. Where Scan keeps the states of all steps,
// it keeps those of one, and what a step computes on the way, products with the state above all, are blocks of their own, which schedules tile.
type Recurrence struct {
	Name  string
	Step  *tir.Var // counts the steps from 0, in what Next, Each and At compute
	Steps tir.Expr // how many there are
	Init  []*Tensor
	State []*Tensor // placeholders for the states before the step, of the types and extents of Init
	Next  []*Tensor // the states behind the step
	Each  []*Tensor // what else a step yields, with the index At of a new first axis
	At    tir.Expr
}

// Results returns the states behind the last step, and what all steps yielded. A step that does not run leaves the states as they are.
func (r Recurrence) Results() (states, each []*Tensor) {
	var outs []Out
	for _, t := range r.Init {
		outs = append(outs, Out{DType: t.DType, Shape: t.Shape})
	}
	for _, t := range r.Each {
		outs = append(outs, Out{DType: t.DType, Shape: append([]tir.Expr{r.Steps}, t.Shape...)})
	}
	reads := slices.Clone(r.Init)
	inner := r.inner(&reads)
	ts := Extern(r.Name, outs, reads, nil)
	ts[0].op.extern.nested = func(b *builder, in, out []*tir.Buffer) (tir.Stmt, error) {
		return r.emit(b, inner, reads, in, out)
	}
	return ts[:len(r.Init)], ts[len(r.Init):]
}

// inner returns the computations of a step, producers first, and adds what they read from outside of it to reads.
func (r Recurrence) inner(reads *[]*Tensor) (ops []*operation) {
	inside := map[*operation]bool{}
	var visit func(t *Tensor) bool // whether t changes from step to step
	visit = func(t *Tensor) bool {
		if t.op == nil {
			return slices.Contains(r.State, t)
		}
		if in, seen := inside[t.op]; seen {
			return in
		}
		in := slices.ContainsFunc(t.op.body, func(e tir.Expr) bool { return arith.UsesVar(e, func(v *tir.Var) bool { return v == r.Step }) })
		var outside []*Tensor
		for _, x := range t.op.inputs() {
			if visit(x) {
				in = true
			} else {
				outside = append(outside, x)
			}
		}
		inside[t.op] = in
		if in {
			for _, x := range outside {
				if !slices.Contains(*reads, x) {
					*reads = append(*reads, x)
				}
			}
			ops = append(ops, t.op)
		}
		return in
	}
	for _, t := range slices.Concat(r.Next, r.Each) {
		if !visit(t) && !slices.Contains(*reads, t) {
			*reads = append(*reads, t)
		}
	}
	return ops
}

// emit writes the loop: the states begin as Init, and a step computes everything before it stores the new states.
func (r Recurrence) emit(b *builder, inner []*operation, reads []*Tensor, in, out []*tir.Buffer) (tir.Stmt, error) {
	sub := *b
	step := tir.NewVar("v_"+r.Step.Name, r.Step.DType())
	sub.buffers, sub.allocs, sub.sub = maps.Clone(b.buffers), nil, map[*tir.Var]tir.Expr{r.Step: step}
	for i, t := range reads {
		sub.buffers[t] = in[i]
	}
	for k, t := range r.State {
		sub.buffers[t] = out[k]
	}
	var begin, steps []tir.Stmt
	for k, t := range r.Init {
		begin = append(begin, sub.copyTo(out[k], nil, sub.buffers[t]))
	}
	for _, op := range inner {
		for _, t := range op.outputs {
			sub.allocs = append(sub.allocs, sub.buffer(t))
		}
		s, err := sub.emit(op)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	for k, t := range r.Each {
		steps = append(steps, sub.copyTo(out[len(r.Init)+k], []tir.Expr{tir.SubstExpr(r.At, sub.sub)}, sub.buffers[t]))
	}
	for k, t := range r.Next {
		steps = append(steps, sub.copyTo(out[k], nil, sub.buffers[t]))
	}
	b.named, b.labels = sub.named, sub.labels
	loop := tir.NewVar(r.Step.Name, r.Step.DType())
	dom := &tir.Range{Min: tir.Const(loop.DType(), 0), Extent: r.Steps}
	blk := &tir.Block{
		Base: b.base, Name: b.labels.Fresh(r.Name+"_step", "_"), AllocBuffers: sub.allocs, Body: tir.Seq(steps...),
		IterVars: []*tir.IterVar{{Dom: dom, Var: step, Kind: tir.Ordered}},
	}
	blk.Reads, blk.Writes, _ = region.OfBlock(blk, nil)
	realize := &tir.BlockRealize{Base: b.base, Values: []tir.Expr{loop}, Predicate: tir.Bool(true), Block: blk}
	return tir.Seq(append(begin, &tir.For{Base: b.base, LoopVar: loop, Min: dom.Min, Extent: dom.Extent, Body: realize})...), nil
}

// copyTo is a block that stores all elements of a buffer to one that has further axes in front, at an index of these.
func (b *builder) copyTo(to *tir.Buffer, at []tir.Expr, from *tir.Buffer) tir.Stmt {
	blk := &tir.Block{Base: b.base, Name: b.labels.Fresh(to.Name+"_store", "_")}
	realize := &tir.BlockRealize{Base: b.base, Predicate: tir.Bool(true), Block: blk}
	index := make([]tir.Expr, len(from.Shape))
	body := over(from.Shape, func(i []tir.Expr) tir.Stmt {
		for k, e := range from.Shape {
			v := tir.NewVar("v_"+i[k].(*tir.Var).Name, e.DType())
			index[k] = v
			blk.IterVars = append(blk.IterVars, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(e.DType(), 0), Extent: e}, Var: v})
		}
		realize.Values = i
		blk.Body = tir.Store(to, tir.Load(from, index...), append(slices.Clone(at), index...)...)
		return realize
	})
	blk.Reads, blk.Writes, _ = region.OfBlock(blk, nil)
	return body
}
