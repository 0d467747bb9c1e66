package relaypass

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
)

// ToANormalForm binds every value by a let.
var ToANormalForm = &pass.Pass{
	Name: "relay.ToANormalForm", Level: 1, Kind: pass.Module,
	Doc: "Binds every value by a let, constants and tuples too, so that what is computed has an order and operands are variables. Functions marked Primitive stay as they are.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if isPrimitive(f) {
			return f, nil
		}
		mu := op.NewExprMutator(c.Step().Input)
		mu.VarDef = func(v *relax.Var) *relax.Var {
			if at := mu.At(); at != nil && at.Bound() == v && relay.IsGenerated(v.Name) {
				v = v.WithName(mu.FreshName("x")) // what has a generated name is no let
			}
			return v.WithDataflow(false)
		}
		mu.Block = func(b *relax.BindingBlock) {
			mu.VisitBindings(b) // all into one ordinary block
			if b.Dataflow {
				c.Rewrite("bind the nodes of the graph by lets", b, b.WithDataflow(false))
			}
		}
		keeps := 0 // in operands that stay as they are written
		mu.Expr = func(e relax.Expr) relax.Expr {
			at := mu.At()
			bound := at != nil && at.BoundValue() == e
			switch e := e.(type) {
			case *relax.Function:
				if isPrimitive(e) {
					return e
				}
			case *relax.Call:
				if takesTuples(e) {
					keeps++
					defer func() { keeps-- }()
				}
			case *relax.Constant, *relax.Tuple:
				if bound || keeps > 0 || !mu.InFunction() {
					break
				}
				v := mu.Emit(mu.VisitExpr(e), "x")
				c.Rewrite("bind an operand by a let", e, v)
				return v
			}
			return mu.VisitExpr(e)
		}
		return mu.Function(f)
	}),
}

// isPrimitive reports whether a function is one kernel.
func isPrimitive(f *relax.Function) bool { return f.Attrs.Int("Primitive", 0) != 0 }

// ToGraphNormalForm turns lets into nodes of the graph.
var ToGraphNormalForm = &pass.Pass{
	Name: "relay.ToGraphNormalForm", Level: 1, Kind: pass.Function, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Turns the lets of values without effects into nodes of the graph, which have no order, and drops those that nothing uses. Branches, functions and what has effects keep their places.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mod := c.Step().Input
		pure := func(e relax.Expr) bool { return isNode(e, op.NewBlockBuilder(mod).Context()) }
		out, err := regroup(c, mod, f, "make a let a node of the graph", func(*relax.SeqExpr) func(relax.Binding, bool) bool {
			return func(b relax.Binding, node bool) bool {
				vb, ok := b.(*relax.VarBinding)
				return node || ok && pure(vb.Value)
			}
		})
		if err != nil || out == f {
			return f, err
		}
		return dropUnused(out, pure), nil
	}),
}

// ToBasicBlockNormalForm binds by lets what several scopes use.
var ToBasicBlockNormalForm = &pass.Pass{
	Name: "relay.ToBasicBlockNormalForm", Level: 1, Kind: pass.Module,
	Doc: "Binds by a let each node of the graph that a branch or a function inside uses as well as another scope, so that every scope is a block of a control flow graph, whose nodes only it uses.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if isPrimitive(f) {
			return f, nil
		}
		return regroup(c, c.Step().Input, f, "bind what several scopes use by a let", func(s *relax.SeqExpr) func(relax.Binding, bool) bool {
			shared := usedInside(s)
			return func(b relax.Binding, node bool) bool { return node && !shared[b.Bound()] }
		})
	}),
}

// regroup binds as nodes of the graph those bindings of each sequence of f for which the function that choose returns for it holds, which is told
// whether they are nodes now, and the others by lets.
func regroup(c *pass.Context, mod *ir.Module, f *relax.Function, rule string, choose func(*relax.SeqExpr) func(b relax.Binding, node bool) bool) (*relax.Function, error) {
	return eachSequence(mod, f, func(s *relax.SeqExpr) *relax.SeqExpr {
		isNode := choose(s)
		made := &relax.SeqExpr{Base: s.Base, Body: s.Body}
		changed := false
		for _, b := range s.Blocks {
			for _, bind := range b.Bindings {
				node := isNode(bind, b.Dataflow)
				if node != b.Dataflow {
					changed = true
					c.Rewrite(rule, b, alone(bind, node))
				}
				place(made, bind, node)
			}
		}
		if !changed {
			return s
		}
		return made
	})
}

// usedInside returns the variables that branches and functions inside of s use.
func usedInside(s *relax.SeqExpr) map[*relax.Var]bool {
	out := map[*relax.Var]bool{}
	depth := 0
	var walk func(n ir.Node) bool
	walk = func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.SeqExpr:
			depth++
			for _, b := range n.Blocks {
				ir.Walk(b, walk)
			}
			ir.Walk(n.Body, walk)
			depth--
			return false
		case *relax.Var:
			if depth > 1 {
				out[n] = true
			}
		}
		return true
	}
	ir.Walk(s, walk)
	return out
}

// alone is a block of one binding.
func alone(b relax.Binding, dataflow bool) *relax.BindingBlock {
	return &relax.BindingBlock{Base: b.Meta(), Bindings: []relax.Binding{b}, Dataflow: dataflow}
}

// place adds a binding to the last block of s, or to a new one where that is of another kind.
func place(s *relax.SeqExpr, b relax.Binding, dataflow bool) {
	if n := len(s.Blocks); n == 0 || s.Blocks[n-1].Dataflow != dataflow {
		s.Blocks = append(s.Blocks, &relax.BindingBlock{Base: b.Meta(), Dataflow: dataflow})
	}
	last := s.Blocks[len(s.Blocks)-1]
	last.Bindings = append(last.Bindings, b)
}

// eachSequence returns f with what change makes of its sequences, inner ones first. Variables are then local to their dataflow blocks where
// nothing outside uses them.
func eachSequence(mod *ir.Module, f *relax.Function, change func(*relax.SeqExpr) *relax.SeqExpr) (*relax.Function, error) {
	mu := op.NewExprMutator(mod)
	mu.Expr = func(e relax.Expr) relax.Expr {
		e = mu.VisitExpr(e)
		if s, ok := e.(*relax.SeqExpr); ok {
			return change(s)
		}
		return e
	}
	out, err := mu.Function(f)
	if err != nil || out == f {
		return f, err
	}
	return withLocals(mod, out)
}

// withLocals returns f with those variables local to their dataflow blocks that nothing outside uses.
func withLocals(mod *ir.Module, f *relax.Function) (*relax.Function, error) {
	local := usedInBlock(f)
	mu := op.NewExprMutator(mod)
	mu.VarDef = func(v *relax.Var) *relax.Var { return v.WithDataflow(local[v]) }
	return mu.Function(f)
}

// usedInBlock returns the variables of dataflow blocks that nothing outside of their block uses.
func usedInBlock(f *relax.Function) map[*relax.Var]bool {
	home, inside, out := map[*relax.Var]*relax.BindingBlock{}, map[*relax.BindingBlock]bool{}, map[*relax.Var]bool{}
	var walk func(n ir.Node) bool
	walk = func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.BindingBlock:
			inside[n] = true
			for _, b := range n.Bindings {
				home[b.Bound()], out[b.Bound()] = n, n.Dataflow
				ir.Walk(b.BoundValue(), walk)
			}
			inside[n] = false
			return false
		case *relax.Var:
			if !inside[home[n]] {
				out[n] = false
			}
		}
		return true
	}
	ir.Walk(f.Body, walk)
	return out
}

// takesTuples reports whether the operator of a call wants a tuple as it is written.
func takesTuples(c *relax.Call) bool {
	o, ok := c.Op.(*ir.Op)
	return ok && (strings.HasPrefix(o.Name, "relax.call_") || o.Name == "relax.vm.call_tir_dyn" || o.Name == "relax.make_closure" || o.Name == "relax.invoke_closure")
}
