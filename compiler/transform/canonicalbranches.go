package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// canonicalizeBranches uses, in each branch, what a match_cast there says of symbolic variables that the result of the branch mentions:
// after match_cast(x, (N,)) of a value of 16 elements, N is 16. The result is cast back, which checks what the match_cast checked, and lets
// both branches yield the same struct info. This is what TVM's SymbolicVarCanonicalizer does at an If (src/relax/transform/canonicalize_bindings.cc).
func canonicalizeBranches(c *pass.Context, f *relax.Function) *relax.Function {
	m := &relax.Mapper{}
	results := map[*relax.Var]relax.StructInfo{}
	m.Renew(func(v *relax.Var) *relax.Var {
		if info := results[v]; info != nil {
			return v.WithSInfo(info)
		}
		return v
	})
	m.Binding = func(b relax.Binding) relax.Binding {
		vb, ok := b.(*relax.VarBinding)
		if !ok {
			return m.MapBinding(b)
		}
		e, ok := vb.Value.(*relax.If)
		if !ok {
			return m.MapBinding(b)
		}
		e = m.Expr(e).(*relax.If)
		info := relax.SInfoOf(e.Then.Body)
		if info == nil || !relax.EqualSInfo(info, relax.SInfoOf(e.Else.Body)) {
			return vb.WithValue(e) // nothing is known of the result that a cast could restore
		}
		then, other := canonicalizeBranch(c, e.Then, info), canonicalizeBranch(c, e.Else, info)
		if then == e.Then && other == e.Else {
			return vb.WithValue(e)
		}
		results[vb.Var] = info
		return vb.WithVar(m.Var(vb.Var)).WithValue(e.WithThen(then).WithElse(other).WithSInfo(info))
	}
	return m.MapFunction(f)
}

// canonicalizeBranch does that for a branch whose result has the struct info given.
func canonicalizeBranch(c *pass.Context, s *relax.SeqExpr, info relax.StructInfo) *relax.SeqExpr {
	known := relax.FreeSymbolicVars(info)
	if len(known) == 0 || !hasMatchCast(s) {
		return s
	}
	sub := map[*tir.Var]tir.Expr{}
	m := substMapper(sub)
	last := castAtEnd(s)
	blocks := make([]*relax.BindingBlock, len(s.Blocks))
	for i, blk := range s.Blocks {
		var list []relax.Binding
		for _, b := range blk.Bindings {
			if mc, ok := b.(*relax.MatchCast); ok && mc != last {
				eachExtent(mc.SInfo, relax.SInfoOf(m.Expr(mc.Value)), func(want, have tir.Expr) {
					v, ok := want.(*tir.Var)
					if ok && sub[v] == nil && slices.Contains(known, v) && !slices.Contains(relax.VarsOf(have), v) {
						sub[v] = have
					}
				})
			}
			list = append(list, m.MapBinding(b))
		}
		blocks[i] = blk.WithBindings(list)
	}
	if len(sub) == 0 {
		return s
	}
	body := m.Expr(s.Body)
	if !castsBack(info, relax.SInfoOf(body), sub) {
		return s
	}
	for _, v := range known {
		if e := sub[v]; e != nil {
			c.Rewrite("use the extent that is known in a branch", v, e)
		}
	}
	back := &relax.MatchCast{Base: s.Body.Meta(), Var: &relax.Var{Base: s.Body.Meta(), Name: "with_dyn", SInfo: info}, Value: body, SInfo: info}
	if n := len(blocks); n > 0 && !blocks[n-1].Dataflow {
		blocks[n-1] = blocks[n-1].WithBindings(append(slices.Clone(blocks[n-1].Bindings), back))
	} else {
		blocks = append(blocks, &relax.BindingBlock{Bindings: []relax.Binding{back}})
	}
	return s.WithBlocks(blocks).WithBody(back.Var)
}

// castAtEnd returns the match_cast that s ends with, but for other names of what it binds: nothing uses what it says. nil if there is none.
func castAtEnd(s *relax.SeqExpr) *relax.MatchCast {
	for _, blk := range slices.Backward(s.Blocks) {
		for _, b := range slices.Backward(blk.Bindings) {
			if _, name := b.BoundValue().(*relax.Var); !name {
				return nil
			}
			if mc, ok := b.(*relax.MatchCast); ok {
				return mc
			}
		}
	}
	return nil
}

func hasMatchCast(s *relax.SeqExpr) bool {
	return slices.ContainsFunc(s.Blocks, func(blk *relax.BindingBlock) bool {
		return slices.ContainsFunc(blk.Bindings, func(b relax.Binding) bool { _, ok := b.(*relax.MatchCast); return ok })
	})
}

// castsBack reports whether a cast of a value of struct info have to want compares each variable of sub with what replaced it.
func castsBack(want, have relax.StructInfo, sub map[*tir.Var]tir.Expr) bool {
	compared := map[*tir.Var]bool{}
	eachExtent(want, have, func(w, h tir.Expr) {
		if v, ok := w.(*tir.Var); ok && sub[v] != nil && ir.StructuralEqual(h, sub[v], ir.EqualOpts{}) {
			compared[v] = true
		}
	})
	return len(compared) == len(sub)
}
