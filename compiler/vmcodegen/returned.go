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

// lastOf returns the binding of the value that a sequence yields if that is a call of the function by itself, or a conditional one of whose branches
// ends in such a call, and only kills are behind it.
func (g *generator) lastOf(s *relax.SeqExpr) relax.Binding {
	result, ok := s.Body.(*relax.Var)
	if !ok {
		return nil
	}
	for k := len(s.Blocks) - 1; k >= 0; k-- {
		list := s.Blocks[k].Bindings
		for i := len(list) - 1; i >= 0; i-- {
			b := list[i]
			switch value := b.BoundValue().(type) {
			case *relax.Var:
				if _, cast := b.(*relax.MatchCast); !cast && b.Bound() == result {
					result = value // another name of it
					continue
				}
			case *relax.Call:
				if b.Bound() != result && isKill(value) {
					continue
				}
				if gv, ok := value.Op.(*ir.GlobalVar); ok && b.Bound() == result && gv.Name == g.name {
					return b
				}
			case *relax.If:
				if b.Bound() == result && (g.lastOf(value.Then) != nil || g.lastOf(value.Else) != nil) {
					return b
				}
			}
			return nil
		}
	}
	return nil
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

// isKill reports whether a call does nothing but to end the life of a value.
func isKill(c *relax.Call) bool {
	callee, ok := c.Op.(*ir.Op)
	return ok && callee.Name == "relax.vm.kill_object"
}
