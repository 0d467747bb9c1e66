package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
)

// onceInliner makes lets that are used once nodes of the graph. After UsageVisitor and EliminatorMutator of TVM v0.18
// (src/relay/transforms/dead_code.cc): a use in a function inside of the let's scope, or by a node that is used twice, counts as two.
type onceInliner struct {
	c      *pass.Context
	ctx    *relax.InferContext
	pure   func(relax.Expr) bool
	depth  map[*relax.Var]int               // of the scope that binds a variable
	uses   map[*relax.Var]int               // as far as they are needed
	lets   map[*relax.Var]*relax.VarBinding // that may be inlined
	to     map[*relax.Var]relax.Expr        // what stands for a variable
	placed map[*relax.Var]bool
	dead   map[*relax.Var]bool
	named  map[*relax.Var]bool // nodes that stand in no dataflow block, which get a name that says so
}

// inlineOnce returns f with the lets inlined that are used once and for which pure holds.
func inlineOnce(c *pass.Context, mod *ir.Module, f *relax.Function, pure func(relax.Expr) bool) (*relax.Function, error) {
	in := &onceInliner{
		c: c, ctx: op.NewBlockBuilder(mod).Context(), pure: pure, depth: map[*relax.Var]int{}, uses: map[*relax.Var]int{},
		lets: map[*relax.Var]*relax.VarBinding{}, to: map[*relax.Var]relax.Expr{}, placed: map[*relax.Var]bool{}, dead: map[*relax.Var]bool{}, named: map[*relax.Var]bool{},
	}
	in.define(f.Body, 0)
	in.count(f.Body, 0, 0)
	for v := range in.lets {
		if in.uses[v] != 1 {
			delete(in.lets, v)
		}
	}
	if len(in.lets) == 0 {
		return f, nil
	}
	out := f.WithBody(in.seq(f.Body))
	local := usedInBlock(out)
	mu := op.NewExprMutator(mod)
	mu.VarDef = func(v *relax.Var) *relax.Var {
		named := in.named[v]
		if v = v.WithDataflow(local[v]); named {
			v = v.WithName(mu.FreshName("gv"))
		}
		return v
	}
	return mu.Function(out)
}

// inside calls visit for the sequences in a value: the body of a function, the branches of an if.
func inside(e relax.Expr, visit func(s *relax.SeqExpr, function bool)) {
	switch e := e.(type) {
	case *relax.Function:
		visit(e.Body, true)
	case *relax.If:
		visit(e.Then, false)
		visit(e.Else, false)
	}
}

// define notes the scopes of variables, and the lets that can be inlined.
func (in *onceInliner) define(s *relax.SeqExpr, depth int) {
	for _, block := range s.Blocks {
		for _, b := range block.Bindings {
			in.depth[b.Bound()] = depth
			if vb, ok := b.(*relax.VarBinding); ok && relay.IsLet(b, block.Dataflow) && in.pure(vb.Value) {
				in.lets[vb.Var] = vb
			}
			inside(b.BoundValue(), func(s *relax.SeqExpr, _ bool) { in.define(s, depth+1) })
		}
	}
}

// count counts the uses in a sequence, from the last to the first, so that what only unused values use is not counted. What is bound in scopes
// of less than depth again is used more than once in it.
func (in *onceInliner) count(s *relax.SeqExpr, depth, again int) {
	in.value(s.Body, depth, again, 1)
	for i := len(s.Blocks) - 1; i >= 0; i-- {
		block := s.Blocks[i]
		for k := len(block.Bindings) - 1; k >= 0; k-- {
			b := block.Bindings[k]
			n := in.uses[b.Bound()]
			vb, ok := b.(*relax.VarBinding)
			if ok && n == 0 && in.pure(vb.Value) {
				in.dead[vb.Var] = true
				continue
			}
			times := 1
			if ok && n > 1 && !relay.IsLet(b, block.Dataflow) {
				times = 2
			}
			in.value(b.BoundValue(), depth, again, times)
		}
	}
}

func (in *onceInliner) value(e relax.Expr, depth, again, times int) {
	inside(e, func(s *relax.SeqExpr, function bool) {
		if function || times > 1 {
			in.count(s, depth+1, depth+1)
		} else {
			in.count(s, depth+1, again)
		}
	})
	operandVars(e, func(v *relax.Var) {
		if in.depth[v] < again {
			in.uses[v] += 2
		} else {
			in.uses[v] += times
		}
	})
}

// operandVars calls visit for the variables that a value uses, but for those in sequences inside.
func operandVars(e relax.Expr, visit func(*relax.Var)) {
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.SeqExpr, *relax.Function:
			return false
		case *relax.Var:
			visit(n)
		}
		return true
	})
}

// seq returns a sequence with the lets inlined that are used in it.
func (in *onceInliner) seq(s *relax.SeqExpr) *relax.SeqExpr {
	made := &relax.SeqExpr{Base: s.Base}
	for _, block := range s.Blocks {
		for _, b := range block.Bindings {
			switch v := b.Bound(); {
			case in.lets[v] != nil:
				continue // it goes where it is used
			case in.dead[v]:
				in.c.Rewrite("remove what is unused", b, nil)
				continue
			}
			in.operands(made, b.BoundValue())
			switch b := b.(type) {
			case *relax.VarBinding:
				place(made, b.WithValue(in.mapped(b.Value)), block.Dataflow)
			case *relax.MatchCast:
				place(made, &relax.MatchCast{Base: b.Base, Var: b.Var, Value: in.mapped(b.Value), SInfo: b.SInfo}, block.Dataflow)
			}
		}
	}
	in.operands(made, s.Body)
	made.Body = in.mapped(s.Body)
	return made
}

// operands places the lets that a value uses behind what is placed already.
func (in *onceInliner) operands(made *relax.SeqExpr, e relax.Expr) {
	operandVars(e, func(v *relax.Var) {
		b := in.lets[v]
		if b == nil || in.placed[v] {
			return
		}
		in.placed[v] = true
		in.operands(made, b.Value)
		value := in.mapped(b.Value)
		in.c.Rewrite("inline a let that is used once", b, value)
		switch value.(type) {
		case *relax.Constant, *relax.Var, *ir.GlobalVar:
			in.to[v] = value
			return
		}
		_, branches := value.(*relax.If)
		flows := !branches && isPure(value, in.ctx)
		in.named[v] = !flows
		place(made, b.WithValue(value), flows)
	})
}

// mapped returns a value with what stands for its variables.
func (in *onceInliner) mapped(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Function:
		return e.WithBody(in.seq(e.Body))
	case *relax.If:
		return e.WithCond(in.mapped(e.Cond)).WithThen(in.seq(e.Then)).WithElse(in.seq(e.Else))
	}
	vars := map[*relax.Var]relax.Expr{}
	operandVars(e, func(v *relax.Var) {
		if to := in.to[v]; to != nil {
			vars[v] = to
		}
	})
	if len(vars) == 0 {
		return e
	}
	return relax.Bind(e, relax.Subst{Vars: vars})
}
