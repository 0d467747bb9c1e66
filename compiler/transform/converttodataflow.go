package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ConvertToDataflow is the inverse of ToNonDataflow.
var ConvertToDataflow = &pass.Pass{
	Name: "ConvertToDataflow", Kind: pass.Function,
	Doc:     "Makes dataflow blocks of runs of at least min_size bindings without effects or branches, joins them with blocks beside them, and removes aliases. What nothing outside of a block uses becomes local to it.",
	Breaks:  []*pass.Form{pass.NoDataflow},
	Options: []pass.Option{{Name: "min_size", Default: int64(2), Doc: "the smallest number of bindings that become a block"}},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		e := &extractor{c: c, m: c.Step().Input, min: int(c.Arg("min_size").(int64))}
		if e.min < 0 {
			return nil, fmt.Errorf("min_size is %d, want a number of bindings", e.min)
		}
		m := op.NewExprMutator(e.m)
		m.Expr = func(x relax.Expr) relax.Expr {
			x = m.VisitExpr(x)
			if s, ok := x.(*relax.SeqExpr); ok {
				return e.sequence(s)
			}
			return x
		}
		out, err := m.Function(f)
		if err != nil {
			return nil, err
		}
		return canonicalizeBindings(c, c.Step().Input, canonicalizeSymbols(c, out))
	}),
}

// extractor cuts sequences into dataflow blocks and what is between them.
type extractor struct {
	c   *pass.Context
	m   *ir.Module
	min int
}

// report reports a new block, or one that grew.
func (e *extractor) report(from, to *relax.BindingBlock) {
	if from == nil {
		e.c.Rewrite("make a dataflow block", nil, to)
		return
	}
	e.c.Rewrite("take more into a dataflow block", from, to)
}

// sequence returns s with its runs of pure bindings as dataflow blocks; s itself if it has no other.
func (e *extractor) sequence(s *relax.SeqExpr) *relax.SeqExpr {
	out := &relax.SeqExpr{Base: s.Base, Body: s.Body}
	var run, rest []relax.Binding
	var from *relax.BindingBlock // a dataflow block in the run, which is kept however short it is
	changed := false
	add := func(list []relax.Binding, dataflow bool) {
		if len(list) > 0 {
			out.Blocks = append(out.Blocks, &relax.BindingBlock{Bindings: list, Dataflow: dataflow})
		}
	}
	end := func() {
		switch {
		case len(run) == 0:
		case len(run) < e.min && from == nil:
			rest = append(rest, run...)
		default:
			add(rest, false)
			add(run, true)
			if from == nil || len(from.Bindings) != len(run) {
				e.report(from, out.Blocks[len(out.Blocks)-1])
				changed = true
			}
			rest = nil
		}
		run, from = nil, nil
	}
	for _, blk := range s.Blocks {
		if blk.Dataflow {
			run = append(run, blk.Bindings...)
			from = blk
			continue
		}
		for _, b := range blk.Bindings {
			if _, branches := b.BoundValue().(*relax.If); !branches && isPure(e.m, b.BoundValue()) {
				run = append(run, b)
				continue
			}
			end()
			rest = append(rest, b)
		}
	}
	end()
	add(rest, false)
	if !changed {
		return s
	}
	return out.OrSame(s)
}
