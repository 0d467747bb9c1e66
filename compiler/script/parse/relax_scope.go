package parse

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
)

// dataflow builds "with R.dataflow():". The names in R.output stay visible behind it.
func (b *builder) dataflow(s *syntax.Stmt) {
	item := s.Items[0].Value
	if f, ok := b.eval(item).(*frame); !ok || !f.dataflow {
		b.fail(item, "the graph level has no other scope", `expected R.dataflow() after "with"`)
	}
	outer := b.rf.outputs
	var listed []*syntax.Node // in R.output
	outputs := map[string]bool{}
	for _, x := range s.Body {
		if x.Value == nil {
			continue
		}
		var kids []*syntax.Node
		if x.Kind == syntax.Return { // what is returned is visible outside
			kids = append([]*syntax.Node{x.Value}, x.Value.Kids...)
		} else if x.Kind == syntax.ExprStmt && x.Value.Kind == syntax.Call {
			if path, _ := b.path(x.Value.Kids[0]); path == "R.output" {
				kids = x.Value.Args()
				listed = append(listed, kids...)
			}
		}
		for _, k := range kids {
			if k.Kind == syntax.Name {
				outputs[k.Text] = true
			}
		}
	}
	bb := b.blockBuilder()
	bb.BeginDataflow()
	b.rf.outputs = outputs
	mark := b.env.mark()
	b.graphBody(s.Body)
	bb.EndDataflow()
	b.rf.outputs = outer
	for _, k := range listed {
		b.guard(s, func() { b.eval(k) })
	}
	b.leaveDataflow(mark, outputs)
}

// leaveDataflow forgets the names that a dataflow block defined, but for its outputs.
func (b *builder) leaveDataflow(mark int, outputs map[string]bool) {
	names := b.env.since(mark)
	kept := make([]any, len(names))
	for i, name := range names {
		kept[i], _ = b.env.lookup(name)
	}
	b.env.release(mark)
	for i, name := range names {
		_, outer := b.env.lookup(name)
		v, graph := kept[i].(*relax.Var)
		switch {
		case outputs[name] || !graph:
			b.env.define(name, kept[i])
		case !outer && v.Dataflow:
			b.env.define(name, hidden{})
		}
	}
}

// hidden stands for a variable of a dataflow block that has ended.
type hidden struct{}

// graphIf builds a conditional, whose branches bind the same name last.
func (b *builder) graphIf(s *syntax.Stmt) {
	if len(s.Body) == 0 || len(s.Orelse) == 0 {
		b.fail(s.Value, "", "a conditional of the graph level needs both branches")
	}
	cond := b.toRelax(b.eval(s.Value), s.Value)
	var name *syntax.Node
	branch := func(list []*syntax.Stmt) func() (relax.Expr, error) {
		return func() (relax.Expr, error) {
			mark := b.env.mark()
			defer b.env.release(mark)
			last := list[len(list)-1]
			b.graphBody(list[:len(list)-1])
			var out relax.Expr
			if !b.guard(last, func() { out = b.branchResult(last, &name) }) {
				panic(failure{})
			}
			return out, nil
		}
	}
	v, err := b.blockBuilder().EmitIfAt(b.stmtBase(s), cond, branch(s.Body), branch(s.Orelse), "")
	if err != nil {
		b.fail(s.Value, "", "%s", opMessage(err))
	}
	v.Name = name.Text
	v.Span = b.spans.span(s.At, s.End)
	b.env.define(name.Text, v)
}

// branchResult returns what the last statement of a branch binds.
func (b *builder) branchResult(s *syntax.Stmt, name **syntax.Node) relax.Expr {
	var inner *syntax.Node // the name that a conditional or block binds last
	switch s.Kind {
	case syntax.If:
		b.graphIf(s)
		if t := s.Body[len(s.Body)-1]; len(t.Targets) == 1 {
			inner = t.Targets[0]
		}
	case syntax.With:
		b.dataflow(s)
		inner = b.lastOutput(s)
	}
	if inner != nil {
		b.sameName(inner, name)
		v, _ := b.env.lookup(inner.Text)
		return b.toRelax(v, inner)
	}
	if s.Kind == syntax.ExprStmt && s.Value.Kind == syntax.Call { // a call for its effect, in both branches
		b.sameName(&syntax.Node{Kind: syntax.Name, At: s.At, End: s.End, Text: "_"}, name)
		return b.toRelax(b.eval(s.Value), s.Value)
	}
	if (s.Kind != syntax.Assign && s.Kind != syntax.AnnAssign) || len(s.Targets) != 1 || s.Targets[0].Kind != syntax.Name || s.Value == nil {
		b.failAt(s.At, s.End, "write name = value in both branches", "the last statement of a branch must bind the result")
	}
	b.sameName(s.Targets[0], name)
	v := b.eval(s.Value)
	if m, ok := v.(*matchCast); ok {
		b.bindCast(s.Targets[0], s.Value, m, nil)
		x, _ := b.env.lookup(s.Targets[0].Text)
		return b.toRelax(x, s.Value)
	}
	e := b.toRelax(v, s.Value)
	if s.Ann != nil {
		ann := b.sinfo(s.Ann)
		switch e.(type) {
		case *relax.Call, *relax.TupleGetItem:
			value, info := b.normalize(e, s.Value, ann)
			nv := &relax.Var{Base: b.span(s.Targets[0]), Name: b.blockBuilder().FreshName("gv"), SInfo: info}
			b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: nv.Base, Var: nv, Value: value})
			return nv
		}
	}
	return e
}

// lastOutput returns the name that the last binding of a dataflow block has, if it is an output.
func (b *builder) lastOutput(s *syntax.Stmt) *syntax.Node {
	for _, x := range slices.Backward(s.Body) {
		if (x.Kind == syntax.Assign || x.Kind == syntax.AnnAssign) && len(x.Targets) == 1 && x.Targets[0].Kind == syntax.Name {
			return x.Targets[0]
		}
	}
	return nil
}

func (b *builder) sameName(n *syntax.Node, name **syntax.Node) {
	if *name != nil && (*name).Text != n.Text {
		b.fail(n, "both branches bind the result to one name", "this branch ends with %s, the other with %s", n.Text, (*name).Text)
	}
	*name = n
}

// localFunction binds a function that is defined inside another one.
func (b *builder) localFunction(s *syntax.Stmt) {
	switch s.Role {
	case "function":
	case "prim_func":
		b.failAt(s.At, s.End, "make "+s.Name+" a function of the module and call it with R.call_tir(cls."+s.Name+", ...)", "a Relax function cannot hold a PrimFunc")
	default:
		b.failAt(s.At, s.End, "put @R.function before it", "function %s is not a Relax function", s.Name)
	}
	nv := &relax.Var{Base: b.stmtBase(s), Name: s.Name, Dataflow: b.local(s.Name)}
	b.env.define(s.Name, nv)
	nv.SInfo = relax.FuncSInfo(b.signature(s)) // known before its body, since it may call itself
	outer := b.rf
	fn := b.function(s)
	b.rf = outer
	nv.SInfo = relax.FuncSInfo(fn)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: b.stmtBase(s), Var: nv, Value: fn})
}
