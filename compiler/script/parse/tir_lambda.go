package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// lambdaRows are reductions and index maps, and the ranges and variables that they are made of.
var lambdaRows = []row{
	{"T.Range|I.Range(begin: value, end: value = None)", func(c *call) any {
		if !c.has(1) {
			r := c.upTo(c.vals[0], c.at[0])
			r.Base = c.base()
			return r
		}
		lo, hi := tir.MatchTypes(c.pairOf(c.vals[0], c.at[0], c.vals[1], c.at[1]))
		return &tir.Range{Base: c.base(), Min: lo, Extent: c.extent(lo, hi)}
	}},
	{"T.iter_var(var: node, dom: value, iter_type: str, thread_tag: str = '')", (*call).iterVar},
	{"T.comm_reducer(combiner: node, identity: exprs)", func(c *call) any {
		fn, id := c.nodeAt(0), c.exprsAt(1)
		if fn.Kind == syntax.Lambda && len(fn.LambdaParams()) != 2*len(id) {
			c.fail(fn, "", "expected %d parameters, two for each of %d identities", 2*len(id), len(id))
		}
		vars, result := c.lambdaBody(fn, func(i int) dtype.DType { return id[i%len(id)].DType() })
		return &tir.CommReducer{Base: c.base(), LHS: vars[:len(id)], RHS: vars[len(id):], Result: result, Identity: id}
	}},
	{"T.reduce(combiner: value, source: node, init: node, axis: value, condition: expr = None, value_index: int = 0)", (*call).reduce},
	{"T.index_map(mapping: node, inverse_index_map: node = None, index_dtype: dtype = None)", func(c *call) any {
		d := c.typeOr(2, c.intType)
		m := c.indexMap(c.nodeAt(0), d)
		switch inv := c.nodeAt(1); {
		case inv == nil:
		case inv.Kind == syntax.Lambda:
			m.Inverse = c.indexMap(inv, d)
		default:
			m.Inverse, _ = c.eval(inv).(*tir.IndexMap)
		}
		return m
	}},
}

var iterKinds = map[string]tir.IterKind{
	"DataPar": tir.DataPar, "ThreadIndex": tir.ThreadIndex, "CommReduce": tir.CommReduce, "Ordered": tir.Ordered, "Opaque": tir.Opaque,
}

// iterVar builds T.iter_var, whose variable may be new.
func (c *call) iterVar() any {
	v, value := c.newOrKnown(c.nodeAt(0), func() dtype.DType { return c.intType })
	if v == nil {
		c.fail(c.at[0], "", "expected a variable, got %s", describe(value))
	}
	iv := &tir.IterVar{Base: c.base(), Var: v, ThreadTag: c.strAt(3)}
	iv.Dom = argument[*tir.Range](c, 1)
	kind, ok := iterKinds[c.strAt(2)]
	if !ok {
		c.fail(c.at[2], "it is DataPar, ThreadIndex, CommReduce, Ordered or Opaque", "unknown kind %q", c.strAt(2))
	}
	iv.Kind = kind
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

// reduce builds a reduction of expressions over variables.
func (c *call) reduce() any {
	combiner, ok := c.vals[0].(*tir.CommReducer)
	if !ok {
		c.fail(c.at[0], "", "expected T.comm_reducer(...)")
	}
	out := &tir.Reduce{
		Base: c.base(), Combiner: combiner, Condition: c.exprAt(4), ValueIndex: c.intAt(5),
	}
	axes, ok := c.vals[3].(*list)
	if !ok {
		c.fail(c.at[3], "", "expected a list of T.iter_var(...)")
	}
	for i, v := range axes.items {
		iv, ok := v.(*tir.IterVar)
		if !ok {
			c.fail(part(c.at[3], i, len(axes.items)), "", "expected T.iter_var(...), got %s", describe(v))
		}
		out.Axis = append(out.Axis, iv)
	}
	// Their axes are known now.
	out.Source, out.Init = c.exprs(c.nodeAt(1)), c.exprs(c.nodeAt(2))
	if out.ValueIndex < 0 || out.ValueIndex >= len(out.Source) {
		c.fail(c.n, "", "the reduction has no value %d", out.ValueIndex)
	}
	return out
}

// indexMap builds the map that a lambda over indices of type d is.
func (b *builder) indexMap(n *syntax.Node, d dtype.DType) *tir.IndexMap {
	m := &tir.IndexMap{Base: b.span(n)}
	m.Initial, m.Final = b.lambdaBody(n, func(int) dtype.DType { return d })
	return m
}
