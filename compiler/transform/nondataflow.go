package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ToNonDataflow turns dataflow blocks into ordinary blocks.
var ToNonDataflow = &pass.Pass{
	Name: "ToNonDataflow", Kind: pass.Function, Lowering: true,
	Doc: "Turns dataflow blocks into ordinary binding blocks and their variables into ordinary variables, so that bindings with effects may follow.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return toNonDataflow(c, f), nil
	}),
}

func toNonDataflow(ctx *pass.Context, f *relax.Function) *relax.Function {
	m := &relax.Mapper{}
	m.Renew(func(v *relax.Var) *relax.Var {
		if !v.Dataflow {
			return v
		}
		c := *v
		c.Dataflow = false
		return &c
	})
	expr := m.Expr
	m.Expr = func(e relax.Expr) relax.Expr {
		if s, ok := e.(*relax.SeqExpr); ok {
			return mergeBlocks(m.MapSeq(s))
		}
		return expr(e)
	}
	m.Block = func(b *relax.BindingBlock) *relax.BindingBlock {
		out := m.MapBlock(b)
		if !out.Dataflow {
			return out
		}
		c := *out
		c.Dataflow = false
		ctx.Rewrite("dataflow block to an ordinary block", b, &c)
		return &c
	}
	return m.MapFunction(f)
}

// mergeBlocks joins neighbouring blocks of s, none of which is a dataflow block.
func mergeBlocks(s *relax.SeqExpr) *relax.SeqExpr {
	if len(s.Blocks) < 2 {
		return s
	}
	joined := *s.Blocks[0]
	joined.Bindings = nil
	for _, b := range s.Blocks {
		joined.Bindings = append(joined.Bindings, b.Bindings...)
	}
	out := *s
	out.Blocks = []*relax.BindingBlock{&joined}
	return &out
}
