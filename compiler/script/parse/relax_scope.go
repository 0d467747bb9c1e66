package parse

import (
	"github.com/irscope/irscope/compiler/relax"
)

// dataflow builds "with R.dataflow():". The names in R.output stay visible behind it.
func (b *builder) dataflow(s *stmt) {
	path, ok := "", false
	if v := s.items[0].value; v.kind == nCall {
		path, ok = b.path(v.kids[0])
	}
	if !ok || path != "R.dataflow" {
		b.fail(s.items[0].value, "the graph level has no other scope", `expected R.dataflow() after "with"`)
	}
	outer := b.rf.outputs
	outputs := map[string]bool{}
	for _, x := range s.body {
		if x.kind == sReturn && x.value != nil { // what is returned is visible outside
			for _, k := range append([]*node{x.value}, x.value.kids...) {
				if k.kind == nName {
					outputs[k.s] = true
				}
			}
		}
		if x.kind != sExpr || x.value.kind != nCall {
			continue
		}
		if path, _ := b.path(x.value.kids[0]); path == "R.output" {
			for _, k := range x.value.kids[1:] {
				if k.kind == nName {
					outputs[k.s] = true
				}
			}
		}
	}
	bb := b.blockBuilder()
	bb.BeginDataflow()
	b.rf.outputs = outputs
	mark := b.env.mark()
	b.graphBody(s.body)
	bb.EndDataflow()
	b.rf.outputs = outer
	defer b.leaveDataflow(mark, outputs)
	for _, x := range s.body {
		if x.kind == sExpr && x.value.kind == nCall {
			if path, _ := b.path(x.value.kids[0]); path == "R.output" {
				for _, k := range x.value.kids[1:] {
					b.guard(s, func() { b.eval(k) })
				}
			}
		}
	}
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
func (b *builder) graphIf(s *stmt) {
	if len(s.body) == 0 || len(s.orelse) == 0 {
		b.fail(s.value, "", "a conditional of the graph level needs both branches")
	}
	cond := b.toRelax(b.eval(s.value), s.value)
	var name *node
	branch := func(list []*stmt) func() (relax.Expr, error) {
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
	v, err := b.blockBuilder().EmitIfAt(b.stmtBase(s), cond, branch(s.body), branch(s.orelse), "")
	if err != nil {
		b.fail(s.value, "", "%s", opMessage(err))
	}
	v.Name = name.s
	v.Span = b.d.span(s.at, s.end)
	b.env.define(name.s, v)
}

// branchResult returns what the last statement of a branch binds.
func (b *builder) branchResult(s *stmt, name **node) relax.Expr {
	if s.kind == sIf {
		b.graphIf(s)
		t := s.body[len(s.body)-1]
		if len(t.targets) == 1 {
			b.sameName(t.targets[0], name)
			v, _ := b.env.lookup(t.targets[0].s)
			return b.toRelax(v, t.targets[0])
		}
	}
	if s.kind == sWith {
		b.dataflow(s)
		if t := b.lastOutput(s); t != nil {
			b.sameName(t, name)
			v, _ := b.env.lookup(t.s)
			return b.toRelax(v, t)
		}
	}
	if s.kind == sExpr && s.value.kind == nCall { // a call for its effect, in both branches
		b.sameName(&node{kind: nName, at: s.at, end: s.end, s: "_"}, name)
		return b.toRelax(b.eval(s.value), s.value)
	}
	if (s.kind != sAssign && s.kind != sAnnAssign) || len(s.targets) != 1 || s.targets[0].kind != nName || s.value == nil {
		b.d.add(s.at, s.end, "the last statement of a branch must bind the result", "write name = value in both branches")
		panic(failure{})
	}
	b.sameName(s.targets[0], name)
	v := b.eval(s.value)
	if m, ok := v.(*matchCast); ok {
		b.bindCast(s.targets[0], s.value, m, nil)
		x, _ := b.env.lookup(s.targets[0].s)
		return b.toRelax(x, s.value)
	}
	e := b.toRelax(v, s.value)
	if s.ann != nil {
		ann := b.sinfo(s.ann)
		switch e.(type) {
		case *relax.Call, *relax.TupleGetItem:
			value, info := b.normalize(e, s.value, ann)
			nv := &relax.Var{Base: b.span(s.targets[0]), Name: b.blockBuilder().FreshName("gv"), SInfo: info}
			b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: nv.Base, Var: nv, Value: value})
			return nv
		}
	}
	return e
}

// lastOutput returns the name that the last binding of a dataflow block has, if it is an output.
func (b *builder) lastOutput(s *stmt) *node {
	for i := len(s.body) - 1; i >= 0; i-- {
		x := s.body[i]
		if (x.kind == sAssign || x.kind == sAnnAssign) && len(x.targets) == 1 && x.targets[0].kind == nName {
			return x.targets[0]
		}
	}
	return nil
}

func (b *builder) sameName(n *node, name **node) {
	if *name != nil && (*name).s != n.s {
		b.fail(n, "both branches bind the result to one name", "this branch ends with %s, the other with %s", n.s, (*name).s)
	}
	*name = n
}

// localFunction binds a function that is defined inside another one.
func (b *builder) localFunction(s *stmt) {
	kind, deco := b.decorator(s)
	if kind != "function" {
		if kind == "prim_func" {
			b.d.add(s.at, s.end, "a graph-level function cannot hold a loop-level one", "make "+s.name+" a function of the module and call it with R.call_tir(cls."+s.name+", ...)")
		} else {
			b.d.add(s.at, s.end, "function "+s.name+" is no graph-level function", "put @R.function before it")
		}
		panic(failure{})
	}
	nv := &relax.Var{Base: b.stmtBase(s), Name: s.name, Dataflow: b.local(s.name)}
	b.env.define(s.name, nv)
	// The function may call itself: its signature is known before its body.
	func() {
		restore := b.enterGraph()
		defer restore()
		params, ret := b.graphParams(s)
		if ret == nil {
			ret = &relax.ObjectStructInfo{}
		}
		nv.SInfo = relax.FuncSInfo(&relax.Function{Params: params, Ret: ret, Pure: b.decoFlag(deco, "pure", true)})
	}()
	outer := b.rf
	fn := b.function(s, deco)
	b.rf = outer
	nv.SInfo = relax.FuncSInfo(fn)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: b.stmtBase(s), Var: nv, Value: fn})
}
