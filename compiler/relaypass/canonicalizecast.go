package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// CanonicalizeCast gives each elementwise operator a widening cast of its own. After src/relay/transforms/canonicalize_cast.cc of TVM v0.18.
var CanonicalizeCast = &pass.Pass{
	Name: "relay.CanonicalizeCast", Level: 3, Kind: pass.Function, Required: []string{inferType},
	Doc: "Computes a cast to a wider type again for each elementwise or broadcasting operator that takes it, so that it can be fused into all of them and the narrow value is what lies in memory between.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mu := op.NewExprMutator(c.Step().Input)
		s := &site{c: c, ctx: mu.Builder().Context()}
		patterns := &fusing{patterns: patternTable(), ctx: s.ctx}
		casts, uses := map[*relax.Var]*relax.Call{}, map[*relax.Var]int{}
		block := false
		mu.Block = func(b *relax.BindingBlock) {
			outer := block
			block = b.Dataflow
			mu.VisitBlock(b)
			block = outer
		}
		mu.Binding = func(b relax.Binding) {
			vb, ok := b.(*relax.VarBinding)
			call, isCall := b.BoundValue().(*relax.Call)
			if !ok || !isCall || patterns.fusePattern(call) > op.Broadcast {
				mu.VisitBinding(b)
				return
			}
			args, changed := make([]relax.Expr, len(call.Args)), false
			for i, a := range call.Args {
				args[i] = a
				v, ok := a.(*relax.Var)
				if !ok || casts[v] == nil {
					continue
				}
				if uses[v]++; uses[v] > 1 {
					copied := *casts[v]
					args[i], changed = mu.Emit(mu.VisitExpr(&copied), v.Name), true
					c.Rewrite("copy a widening cast", v, args[i])
				}
			}
			if changed {
				call = &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: call.Attrs, SInfo: call.SInfo}
				b = vb.WithValue(call)
			}
			if block && s.widening(call) {
				casts[vb.Var] = call
			}
			mu.VisitBinding(b)
		}
		return mu.Function(f)
	}),
}

// widening reports whether a call casts to a type of more bits.
func (s *site) widening(c *relax.Call) bool {
	if !isCall(c, "relax.astype") {
		return false
	}
	from, to := s.tensor(c.Args[0]), s.tensor(c)
	return from != nil && to != nil && from.DType.Bits < to.DType.Bits
}
