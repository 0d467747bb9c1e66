package parse

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) graphBody(stmts []*stmt) {
	for _, s := range stmts {
		if b.rf.ended {
			b.d.add(s.at, s.end, "this statement follows a return", "")
			return
		}
		if !b.guard(s, func() { b.graphStmt(s) }) {
			b.poison(s)
			if s.kind == sReturn {
				b.rf.ended = true
			}
			if s.kind == sDef {
				b.env.define(s.name, poison{})
			}
			if s.kind == sIf {
				b.poisonBranches(s)
			}
		}
	}
}

func (b *builder) poisonBranches(s *stmt) {
	for _, list := range [][]*stmt{s.body, s.orelse} {
		if len(list) > 0 {
			b.poison(list[len(list)-1])
		}
	}
}

func (b *builder) graphStmt(s *stmt) {
	switch s.kind {
	case sExpr:
		b.graphExprStmt(s)
	case sAssign:
		b.graphAssign(s)
	case sAnnAssign:
		if s.value == nil || s.targets[0].kind != nName {
			b.fail(s.targets[0], "", "expected name: struct info = value")
		}
		b.bindGraph(s.targets[0], s.value, b.eval(s.value), b.sinfo(s.ann))
	case sReturn:
		b.rf.ended = true
		if s.value == nil {
			b.rf.result = &relax.Tuple{Base: b.stmtBase(s)}
			return
		}
		b.rf.result = b.toRelax(b.eval(s.value), s.value)
	case sIf:
		b.graphIf(s)
	case sWith:
		b.dataflow(s)
	case sDef:
		b.localFunction(s)
	case sPass:
	case sFor, sWhile:
		b.d.add(s.at, s.end, "the graph level has no loops", "write the statements out, or make the loop a @T.prim_func and call it with R.call_tir")
	case sAugAssign:
		b.d.add(s.at, s.end, "graph-level values cannot be changed", "bind the result to a name, as in y = x "+s.op.String()+" ...")
	case sAssert:
		b.d.add(s.at, s.end, "this statement cannot stand in a graph-level function", "write R.assert_op(condition, format=...)")
	default:
		b.d.add(s.at, s.end, "this statement cannot stand in a graph-level function", "")
	}
}

func (b *builder) graphExprStmt(s *stmt) {
	if s.value.kind == nString || s.value.kind == nConst {
		return
	}
	if s.value.kind == nCall {
		switch path, _ := b.path(s.value.kids[0]); path {
		case "R.func_attr":
			a := b.bind(s.value, "attrs")
			b.need(s.value, a, 1, "attrs")
			attrs := b.attrDict(a[0])
			for i := range attrs.Len() {
				b.rf.attrs = b.rf.attrs.With(attrs.At(i))
			}
			return
		case "R.output", "R.func_ret_struct_info":
			return
		}
	}
	v := b.eval(s.value)
	if v == nil {
		return
	}
	if l, ok := v.(*list); ok && len(l.items) == 0 {
		return
	}
	e := b.toRelax(v, s.value)
	value, err := b.blockBuilder().Normalize(e)
	if err != nil {
		b.fail(s.value, "", "%s", opMessage(err))
	}
	info := b.blockBuilder().Context().SInfoOf(value)
	if t, ok := info.(*relax.TupleStructInfo); !ok || len(t.Fields) > 0 {
		if _, ok := info.(*relax.ObjectStructInfo); !ok {
			b.fail(s.value, "assign it to a name", "the value of this expression is not used")
		}
	}
	nv := &relax.Var{Base: b.span(s.value), Name: "_", SInfo: info, Dataflow: b.blockBuilder().InDataflow()}
	b.env.define("_", nv)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: nv.Base, Var: nv, Value: value})
}

func (b *builder) graphAssign(s *stmt) {
	t := s.targets[0]
	switch t.kind {
	case nName:
		b.bindGraph(t, s.value, b.eval(s.value), nil)
	case nTuple, nList:
		v := b.eval(s.value)
		if l, ok := v.(*list); ok {
			if len(l.items) != len(t.kids) {
				b.fail(t, "", "%d names for %d values", len(t.kids), len(l.items))
			}
			for i, k := range t.kids {
				b.bindGraph(k, s.value, l.items[i], nil)
			}
			return
		}
		value, info := b.normalize(b.toRelax(v, s.value), s.value, nil)
		bb := b.blockBuilder()
		hint := "gv"
		if bb.InDataflow() {
			hint = "lv"
		}
		x := &relax.Var{Base: b.span(t), Name: bb.FreshName(hint), SInfo: info, Dataflow: bb.InDataflow()}
		bb.EmitNormalized(&relax.VarBinding{Base: b.stmtBase(s), Var: x, Value: value})
		for i, k := range t.kids {
			b.bindGraph(k, s.value, &relax.TupleGetItem{Base: b.span(k), Tuple: x, Index: i}, nil)
		}
	default:
		b.fail(t, "graph-level values cannot be changed", "expected a name on the left")
	}
	for _, t := range s.targets[1:] {
		b.bindGraph(t, s.value, b.eval(s.targets[0]), nil)
	}
}

// matchCast is the value of R.match_cast until it is bound.
type matchCast struct {
	value relax.Expr
	info  relax.StructInfo
}

// bindGraph binds a name to a value. ann is its annotation, nil if there is none.
func (b *builder) bindGraph(t, at *node, v any, ann relax.StructInfo) {
	if t.kind != nName {
		b.fail(t, "", "expected a name on the left")
	}
	switch x := v.(type) {
	case fresh:
		// A declaration of a symbolic variable, which the signature may have used already.
		if old, ok := b.env.lookup(t.s); ok {
			if ov, ok := old.(*tir.Var); ok && ov.DType() == x.v.DType() {
				return
			}
		}
		x.v.Name, x.v.Base = t.s, b.span(t)
		b.env.define(t.s, x.v)
		return
	case *matchCast:
		b.bindCast(t, at, x, ann)
		return
	case namespace, moduleRef, *relax.VDevice, device:
		b.env.define(t.s, v)
		return
	case metaVar:
		b.env.define(t.s, x)
		return
	}
	if _, ok := v.(relax.StructInfo); ok {
		b.weigh(v, t)
		b.env.define(t.s, v)
		return
	}
	switch x := v.(type) {
	case int64, float64, bool:
		v = b.numberConst(x, at)
	case tir.Expr: // stands for itself wherever the name is used
		if _, isVar := x.(*tir.Var); !isVar {
			b.weigh(x, t)
			b.env.define(t.s, x)
			return
		}
	case string, nil, *dict:
		b.env.define(t.s, x)
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
	nv := &relax.Var{Base: b.span(t), Name: t.s, SInfo: info, Dataflow: b.local(t.s)}
	b.env.define(t.s, nv)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: b.span(at), Var: nv, Value: value})
}

// local reports whether a variable of that name is visible in its dataflow block only.
func (b *builder) local(name string) bool {
	return b.blockBuilder().InDataflow() && !b.rf.outputs[name]
}

func (b *builder) bindCast(t, at *node, m *matchCast, ann relax.StructInfo) {
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
	nv := &relax.Var{Base: b.span(t), Name: t.s, SInfo: info, Dataflow: b.local(t.s)}
	b.env.define(t.s, nv)
	bb.EmitNormalized(&relax.MatchCast{Base: b.span(at), Var: nv, Value: value, SInfo: m.info})
}
