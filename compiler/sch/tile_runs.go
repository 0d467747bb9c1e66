package sch

import (
	"github.com/irscope/irscope/compiler/tir"
)

// runs are the nests of a reduction that adds terms in a narrower type than that of its sums:
// the loops outside of the innermost one, and in them for each run a start from zero, an update
// of Run steps and an addition to the sums. What is left over of a nest is a run of its own.
func (t *tiler) runs() []tir.Stmt {
	special := t.special()
	t.outer = map[int]*tir.Var{}
	var loops []*tir.For
	for _, k := range t.spec.Reduce {
		if k == special || t.unrolled(k) || tir.IsConst(t.axes[k].extent, 1) {
			continue
		}
		n := t.axes[k].extent
		l := t.loop(t.b.IterVars[k].Var.Name+"_k", n, tir.Serial)
		loops, t.outer[k] = append(loops, l), l.LoopVar
	}
	var body []tir.Stmt
	for _, u := range t.updates() {
		body = append(body, t.nestRuns(u, special)...)
	}
	for k := len(loops) - 1; k >= 0; k-- {
		body = []tir.Stmt{around(loops[k], body...)}
	}
	return body
}

// nestRuns takes one nest apart into runs.
func (t *tiler) nestRuns(u stepsOf, special int) []tir.Stmt {
	run := func(u stepsOf) []tir.Stmt { return []tir.Stmt{t.init(t.acc), t.update(u), t.flush()} }
	if special < 0 {
		return run(u)
	}
	a := t.axes[special]
	d := a.extent.DType()
	count, start := u.count, u.start
	if count == nil {
		count = a.extent
	}
	if start == nil {
		start = tir.Const(d, 0)
	}
	if n, ok := tir.AsInt(count); ok && n <= t.spec.Run {
		return run(u)
	}
	// Elements that a run takes along the axis.
	width := t.spec.Run * u.factor
	if t.dot && !u.scalar {
		width = t.spec.Run * a.tile
	}
	whole, rest := parts(count, t.spec.Run)
	l := t.loop(t.b.IterVars[special].Var.Name+"_run", whole, tir.Serial)
	full := u
	full.count, full.start = tir.Const(d, t.spec.Run), tir.Add(start, tir.Mul(l.LoopVar, tir.Const(d, width)))
	out := []tir.Stmt{around(l, run(full)...)}
	if !tir.IsConst(rest, 0) {
		u.count, u.start = rest, tir.Add(start, tir.Mul(whole, tir.Const(d, width)))
		out = append(out, run(u)...)
	}
	return out
}

// flush adds the accumulators of a run to the sums.
func (t *tiler) flush() tir.Stmt {
	p := t.part("_flush")
	pos, _ := p.inner(true)
	at := p.at(pos)
	term := tir.CastTo(t.sums.DType, tir.Load(t.acc, at...))
	n, _ := p.finish(tir.Store(t.sums, tir.Add(tir.Load(t.sums, at...), term), at...))
	return n
}
