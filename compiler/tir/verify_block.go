package tir

import (
	"fmt"
)

func (v *verifier) loop(s *For) {
	v.expr(s.Min)
	v.expr(s.Extent)
	d := s.LoopVar.DType()
	if !d.IsInteger() || !d.IsScalar() {
		v.report(s, "loop variable %s has type %s, expected an integer", s.LoopVar.Name, d)
	}
	for _, e := range []Expr{s.Min, s.Extent, s.Step} {
		if e != nil && e.DType() != d {
			v.report(s, "loop variable %s has type %s, but its bounds have %s", s.LoopVar.Name, d, e.DType())
			break
		}
	}
	if s.Step != nil {
		v.expr(s.Step)
	}
	if s.Kind == ThreadBinding && s.Thread == nil {
		v.report(s, "loop %s is bound to a thread but names none", s.LoopVar.Name)
	}
	undo := v.define(s, s.LoopVar)
	v.loops[s.LoopVar] = v.inner
	v.stmt(s.Body)
	delete(v.loops, s.LoopVar)
	undo()
}

func (v *verifier) realize(s *BlockRealize) {
	b := s.Block
	if b == nil {
		v.report(s, "realizes no block")
		return
	}
	for _, e := range s.Values {
		v.expr(e)
	}
	if s.Predicate != nil {
		v.expr(s.Predicate)
		v.boolean(s, s.Predicate, "the predicate of block "+b.Name)
	}
	if len(s.Values) != len(b.IterVars) {
		v.report(s, "block %s has %d iteration variables and %d bindings", b.Name, len(b.IterVars), len(s.Values))
		return
	}
	for k, iv := range b.IterVars {
		if got, want := s.Values[k].DType(), iv.Var.DType(); got != want {
			v.report(s, "block %s binds %s of type %s to a value of type %s", b.Name, iv.Var.Name, want, got)
		}
	}
	v.block(b)
}

func (v *verifier) block(b *Block) {
	v.blocks = append(v.blocks, b.Name)
	var undo []func()
	for _, iv := range b.IterVars {
		v.expr(iv.Dom.Min)
		v.expr(iv.Dom.Extent)
		if iv.Dom.Min.DType() != iv.Var.DType() || iv.Dom.Extent.DType() != iv.Var.DType() {
			v.report(iv, "iteration variable %s has type %s, its domain %s and %s", iv.Var.Name, iv.Var.DType(), iv.Dom.Min.DType(), iv.Dom.Extent.DType())
		}
	}
	if len(b.IterVars) > 0 {
		v.inner++
		v.scope++ // loop variables outside may not be used from here on
	}
	for _, iv := range b.IterVars {
		undo = append(undo, v.define(iv, iv.Var))
	}
	for _, x := range b.AllocBuffers {
		undo = append(undo, v.declare(b, x, true)...)
	}
	for _, m := range b.MatchBuffers {
		v.region(m.Source)
		undo = append(undo, v.implicit(m, m.Buffer)...)
		v.bufferExprs(m, m.Buffer)
	}
	for _, r := range append(append([]*BufferRegion{}, b.Reads...), b.Writes...) {
		v.region(r)
	}
	if b.Init != nil {
		v.stmt(b.Init)
	}
	if b.Body == nil {
		v.report(b, "has no body")
	} else {
		v.stmt(b.Body)
	}
	undoAll(undo)
	if len(b.IterVars) > 0 {
		v.inner--
		v.scope++
	}
	v.blocks = v.blocks[:len(v.blocks)-1]
}

func (v *verifier) region(r *BufferRegion) {
	v.use(r, r.Buffer)
	if len(r.Region) != len(r.Buffer.Shape) {
		v.report(r, "region of buffer %s has %d ranges, the buffer %d dimensions", r.Buffer.Name, len(r.Region), len(r.Buffer.Shape))
	}
	for k, x := range r.Region {
		v.expr(x.Min)
		v.expr(x.Extent)
		v.integer(r, x.Min, fmt.Sprintf("range %d of the region of buffer %s", k, r.Buffer.Name))
	}
}
