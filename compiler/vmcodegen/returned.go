package vmcodegen

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/vm"
)

// returned emits a sequence whose value the function returns. A call of the function by itself that gives the value is followed by the return at
// once, in branches too: the machine begins the function anew in its frame then, and what it holds need not be killed first.
func (g *generator) returned(s *relax.SeqExpr) error {
	last := g.lastOf(s)
	if last == nil {
		result, err := g.seq(s)
		if err != nil {
			return err
		}
		g.b.EmitRet(g.register(result))
		return nil
	}
	if _, err := g.seq(upTo(s, last)); err != nil {
		return err
	}
	g.at = last.Bound()
	branches, ok := last.BoundValue().(*relax.If)
	if !ok {
		result, err := g.value(last.BoundValue())
		if err != nil {
			return err
		}
		g.b.EmitRet(result)
		return nil
	}
	c, err := g.value(branches.Cond)
	if err != nil {
		return err
	}
	at := g.b.EmitIf(g.call("vm.builtin.read_if_cond", []vm.Arg{c}), 1)
	if err := g.returned(branches.Then); err != nil {
		return err
	}
	g.b.SetOffset(at, g.b.NumInstr()-at)
	return g.returned(branches.Else)
}

// lastOf returns the binding of a last call of the function by itself.
func (g *generator) lastOf(s *relax.SeqExpr) relax.Binding {
	return relax.TailCall(s, func(gv *ir.GlobalVar) bool { return gv.Name == g.name })
}

// upTo is a sequence up to a binding.
func upTo(s *relax.SeqExpr, last relax.Binding) *relax.SeqExpr {
	out := &relax.SeqExpr{Body: &relax.PrimValue{Value: tir.Int(0)}}
	for _, blk := range s.Blocks {
		for i, b := range blk.Bindings {
			if b == last {
				out.Blocks = append(out.Blocks, &relax.BindingBlock{Bindings: blk.Bindings[:i], Dataflow: blk.Dataflow})
				return out
			}
		}
		out.Blocks = append(out.Blocks, blk)
	}
	return out
}
