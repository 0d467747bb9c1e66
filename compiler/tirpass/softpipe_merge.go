package tirpass

import (
	"github.com/irscope/irscope/compiler/tir"
)

// Loops of different stages do their work on different iterations of the pipeline, so that they may run one step of each in turn as well as one after the other, as long as versions of what they share
// are apart. A processor that takes instructions in order of time overlaps them better in one loop: arithmetic of one stage runs while another waits for memory, and the ends of loops, which it guesses
// wrong, are fewer.

// group numbers the groups of parts whose loops are to be merged: those of different stages that follow each other in the order, not asynchronous, with loops of the same extent.
func (w *pipelineWriter) group() {
	if !w.loop.Annotations.Has(keyPipelineMerge) || w.loop.Annotations.Has(keyPipelineAsync) {
		return
	}
	groups := 0
	for i := 0; i < len(w.ordered); {
		first := w.serialLoop(w.ordered[i])
		stages := map[int64]bool{w.ordered[i].stage: true}
		end := i + 1
		for ; first != nil && end < len(w.ordered); end++ {
			x := w.ordered[end]
			l := w.serialLoop(x)
			if l == nil || stages[x.stage] || !w.an.CanProveEqual(l.Min, first.Min) || !w.an.CanProveEqual(l.Extent, first.Extent) {
				break
			}
			stages[x.stage] = true
		}
		if end > i+1 {
			groups++
			for _, x := range w.ordered[i:end] {
				x.group = groups
			}
		}
		i = end
	}
}

// serialLoop is the loop that a part consists of, nil if it is something else.
func (w *pipelineWriter) serialLoop(x *part) *tir.For {
	l, ok := x.block.Body.(*tir.For)
	if !ok || x.async || l.Kind != tir.Serial || l.Annotations.Len() > 0 || x.block.Annotations.Len() > 0 || len(x.block.AllocBuffers) > 0 || l.Step != nil && !tir.IsConst(l.Step, 1) {
		return nil
	}
	return l
}

// merged reports whether the loops of two parts become one.
func (x *part) merged(y *part) bool { return x.group > 0 && x.group == y.group }

// mergeSteps makes one step of those that follow each other with loops that are to be merged, if all of them run.
func (w *pipelineWriter) mergeSteps(steps []*step) []*step {
	var out []*step
	for _, s := range steps {
		if len(out) > 0 {
			if last := out[len(out)-1]; last.merged(s.part) && last.always && s.always {
				a, b := last.block.Body.(*tir.For), s.block.Body.(*tir.For)
				body := tir.SubstStmt(b.Body, map[*tir.Var]tir.Expr{b.LoopVar: tir.CastTo(b.LoopVar.DType(), a.LoopVar)})
				both := *a
				both.Body = tir.Seq(a.Body, body)
				one := *last
				one.block = withRegions(&tir.Block{Base: last.block.Base, Body: &both}, w.p.byData)
				out[len(out)-1] = &one
				continue
			}
		}
		out = append(out, s)
	}
	return out
}
