package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// irregularMark is the annotation of loops that may end early.
const irregularMark = "irregular_loop_mark"

// AnnotateIrregularLoop marks loops that break and continue statements leave.
var AnnotateIrregularLoop = &pass.Pass{
	Name: "tir.AnnotateIrregularLoop", Kind: pass.PrimFunc,
	Doc: "Marks loops with a break or continue of their own by the annotation irregular_loop_mark, so that passes which need every iteration to run leave them alone.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		a := &irregularAnnotator{c: c}
		a.m.Stmt = a.stmt
		out := f.WithBody(a.stmt(f.Body))
		return out, a.err
	}),
}

// regularOnly are annotations that ask for what an irregular loop cannot have.
var regularOnly = []string{"pragma_auto_unroll_max_step", "pragma_unroll_explicit", "pragma_loop_partition_hint", "software_pipeline_stage"}

type irregularAnnotator struct {
	c     *pass.Context
	m     tir.Mapper
	jumps bool // the innermost loop has a jump
	err   error
}

func (a *irregularAnnotator) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Evaluate:
		a.jumps = a.jumps || isCall(s.Value, tir.OpBreakLoop) || isCall(s.Value, tir.OpContinueLoop)
		return s
	case *tir.While:
		outer := a.jumps
		out := a.m.MapStmt(s)
		a.jumps = outer
		return out
	case *tir.For:
		outer := a.jumps
		a.jumps = false
		out := a.m.MapStmt(s).(*tir.For)
		irregular := a.jumps
		a.jumps = outer
		if !irregular || out.Annotations.Has(irregularMark) {
			return out
		}
		a.check(out)
		marked := *out
		marked.Annotations = out.Annotations.With(irregularMark, int64(1))
		a.c.Rewrite("mark a loop that may end early", s, &marked)
		return &marked
	}
	return a.m.MapStmt(s)
}

func (a *irregularAnnotator) check(s *tir.For) {
	if a.err != nil {
		return
	}
	if s.Kind != tir.Serial {
		a.err = fmt.Errorf("loop %s has a break or continue and is of kind %s: expected a serial loop", s.LoopVar.Name, s.Kind)
		return
	}
	for _, key := range regularOnly {
		if s.Annotations.Has(key) {
			a.err = fmt.Errorf("loop %s has a break or continue and the annotation %q, which needs every iteration: remove one of them", s.LoopVar.Name, key)
			return
		}
	}
}
