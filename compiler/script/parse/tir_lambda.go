package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// letExpr evaluates T.Let(body, where={x: value}).
func (b *builder) letExpr(n *syntax.Node) any {
	a := b.bind(n, "expr", "where")
	b.need(n, a, 2, "expr", "where")
	if a[1].Kind != syntax.Dict {
		b.fail(a[1], "", `expected a dictionary such as {x: value} after "where="`)
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	type let struct {
		v *tir.Var
		e tir.Expr
	}
	var lets []let
	for i := 0; i < len(a[1].Kids); i += 2 {
		k := a[1].Kids[i]
		e := b.expr(a[1].Kids[i+1])
		var v *tir.Var
		if k.Kind == syntax.Name {
			if old, ok := b.env.lookup(k.Text); ok {
				v, _ = old.(*tir.Var)
			}
			if v == nil || v.DType() != e.DType() {
				v = &tir.Var{Base: b.span(k), Name: k.Text, Type: &ir.PrimType{DType: e.DType()}}
			}
			b.env.define(k.Text, v)
		} else {
			b.fail(k, "", "expected the name of a variable")
		}
		lets = append(lets, let{v, e})
	}
	out := b.expr(a[0])
	for i := len(lets) - 1; i >= 0; i-- {
		out = &tir.Let{Base: b.span(n), Var: lets[i].v, Value: lets[i].e, Body: out}
	}
	return out
}

func (b *builder) rangeCall(n *syntax.Node) any {
	a := b.bind(n, "begin", "end")
	b.need(n, a, 1, "begin")
	if a[1] == nil {
		e := b.expr(a[0])
		return &tir.Range{Base: b.span(n), Min: tir.Const(e.DType(), 0), Extent: e}
	}
	lo, hi := b.pairOf(b.eval(a[0]), b.eval(a[1]), &syntax.Node{Kids: a})
	lo, hi = tir.MatchTypes(lo, hi)
	return &tir.Range{Base: b.span(n), Min: lo, Extent: b.extent(lo, hi)}
}

var iterKinds = map[string]tir.IterKind{
	"DataPar": tir.DataPar, "ThreadIndex": tir.ThreadIndex, "CommReduce": tir.CommReduce, "Ordered": tir.Ordered, "Opaque": tir.Opaque,
}

func (b *builder) iterVar(n *syntax.Node) any {
	a := b.bind(n, "var", "dom", "iter_type", "thread_tag")
	b.need(n, a, 3, "var", "dom", "iter_type")
	iv := &tir.IterVar{Base: b.span(n)}
	if a[0].Kind == syntax.Name {
		if _, known := b.env.lookup(a[0].Text); !known {
			b.env.define(a[0].Text, &tir.Var{Base: b.span(a[0]), Name: a[0].Text, Type: &ir.PrimType{DType: b.intType}})
		}
	}
	switch v := b.eval(a[0]).(type) {
	case *tir.Var:
		iv.Var = v
	case fresh:
		iv.Var = v.v
	default:
		b.fail(a[0], "", "expected a variable, got %s", describe(v))
	}
	if r, ok := b.eval(a[1]).(*tir.Range); ok {
		iv.Dom = r
	}
	kind := b.strOf(a[2], "the kind of the variable")
	k, ok := iterKinds[kind]
	if !ok {
		b.fail(a[2], "it is DataPar, ThreadIndex, CommReduce, Ordered or Opaque", "unknown kind %q", kind)
	}
	iv.Kind = k
	if a[3] != nil {
		iv.ThreadTag = b.strOf(a[3], "the thread")
	}
	return iv
}

// lambdaBody evaluates a lambda over variables of the given types.
func (b *builder) lambdaBody(n *syntax.Node, types func(i int) dtype.DType) ([]*tir.Var, []tir.Expr) {
	if n.Kind != syntax.Lambda {
		b.fail(n, "", "expected a lambda")
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	defer func(d dtype.DType) { b.intType = d }(b.intType)
	vars := make([]*tir.Var, len(n.LambdaParams()))
	for i, name := range n.LambdaParams() {
		if strings.HasPrefix(name, "*") {
			b.fail(n, "", "the parameters of the lambda must be written out")
		}
		vars[i] = &tir.Var{Base: b.span(n), Name: name, Type: &ir.PrimType{DType: types(i)}}
		b.env.define(name, vars[i])
	}
	if len(vars) > 0 && vars[0].DType().IsInt() {
		b.intType = vars[0].DType()
	}
	return vars, b.exprs(n.Kids[0])
}

func (b *builder) commReducer(n *syntax.Node) any {
	a := b.bind(n, "combiner", "identity")
	b.need(n, a, 2, "combiner", "identity")
	id := b.exprs(a[1])
	if a[0].Kind == syntax.Lambda && len(a[0].LambdaParams()) != 2*len(id) {
		b.fail(a[0], "", "expected %d parameters, two for each of %d identities", 2*len(id), len(id))
	}
	vars, result := b.lambdaBody(a[0], func(i int) dtype.DType { return id[i%len(id)].DType() })
	k := len(id)
	return &tir.CommReducer{Base: b.span(n), LHS: vars[:k], RHS: vars[k:], Result: result, Identity: id}
}

func (b *builder) reduce(n *syntax.Node) any {
	a := b.bind(n, "combiner", "source", "init", "axis", "condition", "value_index")
	b.need(n, a, 4, "combiner", "source", "init", "axis")
	c, ok := b.eval(a[0]).(*tir.CommReducer)
	if !ok {
		b.fail(a[0], "", "expected T.comm_reducer(...)")
	}
	out := &tir.Reduce{Base: b.span(n), Combiner: c}
	axes, ok := b.eval(a[3]).(*list)
	if !ok {
		b.fail(a[3], "", "expected a list of T.iter_var(...)")
	}
	for _, v := range axes.items {
		iv, ok := v.(*tir.IterVar)
		if !ok {
			b.fail(a[3], "", "expected a list of T.iter_var(...)")
		}
		out.Axis = append(out.Axis, iv)
	}
	out.Source, out.Init = b.exprs(a[1]), b.exprs(a[2])
	if a[4] != nil {
		out.Condition = b.expr(a[4])
	}
	if a[5] != nil {
		out.ValueIndex = int(b.intOf(a[5], "the number of the value"))
	}
	if out.ValueIndex < 0 || out.ValueIndex >= len(out.Source) {
		b.fail(n, "", "the reduction has no value %d", out.ValueIndex)
	}
	return out
}

func (b *builder) indexMap(n *syntax.Node) any {
	a := b.bind(n, "mapping", "inverse_index_map", "index_dtype")
	b.need(n, a, 1, "mapping")
	d := b.intType
	if a[2] != nil {
		d = b.dtypeOf(a[2])
	}
	m := &tir.IndexMap{Base: b.span(n)}
	m.Initial, m.Final = b.lambdaBody(a[0], func(int) dtype.DType { return d })
	if a[1] != nil {
		switch {
		case a[1].Kind == syntax.Lambda:
			inv := &tir.IndexMap{Base: b.span(a[1])}
			inv.Initial, inv.Final = b.lambdaBody(a[1], func(int) dtype.DType { return d })
			m.Inverse = inv
		default:
			m.Inverse, _ = b.eval(a[1]).(*tir.IndexMap)
		}
	}
	return m
}
