package parse

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) graphBody(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		if b.rf.ended {
			b.d.Add(s.At, s.End, "this statement follows a return", "")
			return
		}
		if !b.guard(s, func() { b.graphStmt(s) }) {
			b.poison(s)
			if s.Kind == syntax.Return {
				b.rf.ended = true
			}
			if s.Kind == syntax.Def {
				b.env.define(s.Name, poison{})
			}
			if s.Kind == syntax.If {
				b.poisonBranches(s)
			}
		}
	}
}

func (b *builder) poisonBranches(s *syntax.Stmt) {
	for _, list := range [][]*syntax.Stmt{s.Body, s.Orelse} {
		if len(list) > 0 {
			b.poison(list[len(list)-1])
		}
	}
}

func (b *builder) graphStmt(s *syntax.Stmt) {
	switch s.Kind {
	case syntax.ExprStmt:
		b.graphExprStmt(s)
	case syntax.Assign:
		b.graphAssign(s)
	case syntax.AnnAssign:
		if s.Value == nil || s.Targets[0].Kind != syntax.Name {
			b.fail(s.Targets[0], "", "expected name: struct info = value")
		}
		b.bindGraph(s.Targets[0], s.Value, b.eval(s.Value), b.sinfo(s.Ann))
	case syntax.Return:
		b.rf.ended = true
		if s.Value == nil {
			b.rf.result = &relax.Tuple{Base: b.stmtBase(s)}
			return
		}
		b.rf.result = b.toRelax(b.eval(s.Value), s.Value)
	case syntax.If:
		b.graphIf(s)
	case syntax.With:
		b.dataflow(s)
	case syntax.Def:
		b.localFunction(s)
	case syntax.Pass:
	case syntax.For, syntax.While:
		b.d.Add(s.At, s.End, "the graph level has no loops", "write the statements out, or make the loop a @T.prim_func and call it with R.call_tir")
	case syntax.AugAssign:
		b.d.Add(s.At, s.End, "graph-level values cannot be changed", "bind the result to a name, as in y = x "+s.Op+" ...")
	case syntax.Assert:
		b.d.Add(s.At, s.End, "this statement cannot stand in a Relax function", "write R.assert_op(condition, format=...)")
	default:
		b.d.Add(s.At, s.End, "this statement cannot stand in a Relax function", "")
	}
}

func (b *builder) graphExprStmt(s *syntax.Stmt) {
	if s.Value.Kind == syntax.String || s.Value.Kind == syntax.Const {
		return
	}
	v := b.eval(s.Value)
	if v == nil || v == any(done) {
		return
	}
	if l, ok := v.(*list); ok && len(l.items) == 0 {
		return
	}
	e := b.toRelax(v, s.Value)
	value, err := b.blockBuilder().Normalize(e)
	if err != nil {
		b.fail(s.Value, "", "%s", opMessage(err))
	}
	info := b.blockBuilder().Context().SInfoOf(value)
	if t, ok := info.(*relax.TupleStructInfo); !ok || len(t.Fields) > 0 {
		if _, ok := info.(*relax.ObjectStructInfo); !ok {
			b.fail(s.Value, "assign it to a name", "the value of this expression is not used")
		}
	}
	nv := &relax.Var{Base: b.span(s.Value), Name: "_", SInfo: info, Dataflow: b.blockBuilder().InDataflow()}
	b.env.define("_", nv)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: nv.Base, Var: nv, Value: value})
}

func (b *builder) graphAssign(s *syntax.Stmt) {
	t := s.Targets[0]
	switch t.Kind {
	case syntax.Name:
		b.bindGraph(t, s.Value, b.eval(s.Value), nil)
	case syntax.Tuple, syntax.List:
		v := b.eval(s.Value)
		if l, ok := v.(*list); ok {
			if len(l.items) != len(t.Kids) {
				b.fail(t, "", "%d names for %d values", len(t.Kids), len(l.items))
			}
			for i, k := range t.Kids {
				b.bindGraph(k, s.Value, l.items[i], nil)
			}
			return
		}
		value, info := b.normalize(b.toRelax(v, s.Value), s.Value, nil)
		bb := b.blockBuilder()
		hint := "gv"
		if bb.InDataflow() {
			hint = "lv"
		}
		x := &relax.Var{Base: b.span(t), Name: bb.FreshName(hint), SInfo: info, Dataflow: bb.InDataflow()}
		bb.EmitNormalized(&relax.VarBinding{Base: b.stmtBase(s), Var: x, Value: value})
		for i, k := range t.Kids {
			b.bindGraph(k, s.Value, &relax.TupleGetItem{Base: b.span(k), Tuple: x, Index: i}, nil)
		}
	default:
		b.fail(t, "graph-level values cannot be changed", "expected a name on the left")
	}
	for _, t := range s.Targets[1:] {
		b.bindGraph(t, s.Value, b.eval(s.Targets[0]), nil)
	}
}

// matchCast is the value of R.match_cast until it is bound.
type matchCast struct {
	value relax.Expr
	info  relax.StructInfo
}

// bindGraph binds a name to a value. ann is its annotation, nil if there is none.
func (b *builder) bindGraph(t, at *syntax.Node, v any, ann relax.StructInfo) {
	if t.Kind != syntax.Name {
		b.fail(t, "", "expected a name on the left")
	}
	switch x := v.(type) {
	case fresh:
		// A declaration of a symbolic variable, which the signature may have used already.
		if old, ok := b.env.lookup(t.Text); ok {
			if ov, ok := old.(*tir.Var); ok {
				if ov.DType() != x.v.DType() {
					b.fail(at, "", "%s has type %s already, so it cannot be declared as %s", t.Text, ov.DType(), x.v.DType())
				}
				return
			}
		}
		x.v.Name, x.v.Base = t.Text, b.span(t)
		b.env.define(t.Text, x.v)
		return
	case *matchCast:
		b.bindCast(t, at, x, ann)
		return
	case namespace, moduleRef, *relax.VDevice, device, metaVar, string, nil, *dict:
		b.env.define(t.Text, v)
		return
	case int64, float64, bool:
		v = b.numberConst(x, at)
	case *tir.Var:
	case relax.StructInfo, tir.Expr: // stand for themselves wherever the name is used
		b.weigh(v, t)
		b.env.define(t.Text, v)
		return
	}
	var e relax.Expr
	if c, ok := v.(constantRef); ok {
		e = b.missing(c, ann)
	} else if c, ok := v.(*relax.Call); ok {
		e = c
	} else {
		e = b.toRelax(v, at)
	}
	value, info := b.normalize(e, at, ann)
	if _, tuple := info.(*relax.TupleStructInfo); tuple {
		b.weigh(info, at)
	}
	nv := &relax.Var{Base: b.span(t), Name: t.Text, SInfo: info, Dataflow: b.local(t.Text)}
	b.env.define(t.Text, nv)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: b.span(at), Var: nv, Value: value})
}

// local reports whether a variable of that name is visible in its dataflow block only.
func (b *builder) local(name string) bool {
	return b.blockBuilder().InDataflow() && !b.rf.outputs[name]
}

func (b *builder) bindCast(t, at *syntax.Node, m *matchCast, ann relax.StructInfo) {
	bb := b.blockBuilder()
	value, err := b.leaf(m.value)
	if err == nil {
		value, err = bb.Normalize(value)
	}
	if err != nil {
		b.fail(at, "", "%s", opMessage(err))
	}
	info := m.info
	if ann != nil {
		info = ann
	}
	nv := &relax.Var{Base: b.span(t), Name: t.Text, SInfo: info, Dataflow: b.local(t.Text)}
	b.env.define(t.Text, nv)
	bb.EmitNormalized(&relax.MatchCast{Base: b.span(at), Var: nv, Value: value, SInfo: m.info})
}
