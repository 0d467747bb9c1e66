package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// packedCall evaluates the calls that have a form of their own; nil for others.
func (b *builder) packedCall(name string, n *syntax.Node) any {
	var lead []string
	switch name {
	case "call_tir":
		lead = []string{"gvar", "args", "out_sinfo", "tir_vars"}
	case "call_tir_inplace":
		lead = []string{"gvar", "args", "inplace_indices", "out_sinfo", "tir_vars"}
	case "call_dps_packed":
		lead = []string{"func", "args", "out_sinfo"}
	case "call_tir_with_grad":
		lead = []string{"gvar", "args", "out_sinfo", "te_grad_name", "te_grad_kwargs", "tir_vars"}
	case "dist.call_tir_local_view":
		lead = []string{"gvar", "args", "out_sinfo", "tir_vars"}
	case "call_packed":
		return b.callPacked(n)
	case "call_inplace_packed":
		pos, kws, sinfo := b.arguments(n)
		c := &relax.Call{Base: b.span(n), Op: op.Lookup("relax." + name).Ref(), Args: b.externFirst(pos, n), SInfoArgs: sinfo}
		g, ok := kws["inplace_indices"]
		if !ok {
			b.fail(n, "say for each result which argument it overwrites, or -1", "R.%s needs its argument inplace_indices", name)
		}
		c.Attrs = ir.NewAttrs("inplace_indices", b.indexList(g.v, g.at))
		return c
	case "call_pure_packed":
		pos, _, sinfo := b.arguments(n)
		args := b.externFirst(pos, n)
		return &relax.Call{Base: b.span(n), Op: op.Lookup("relax.call_pure_packed").Ref(), Args: args, SInfoArgs: sinfo}
	default:
		return nil
	}
	var a [6]*syntax.Node
	bound := map[string]*syntax.Node{}
	rest := b.spread(n.Kids[1:])
	if len(rest) > len(lead) {
		b.fail(n, "", "R.%s takes at most %d arguments", name, len(lead))
	}
	for i, k := range rest {
		bound[lead[i]] = k
	}
	for i := range n.Keywords() {
		kw := &n.Keywords()[i]
		key := kw.Name
		switch key {
		case "out_ty":
			key = "out_sinfo"
		case "func":
			key = lead[0]
		}
		known := false
		for _, l := range lead {
			known = known || l == key
		}
		if !known {
			help := "it takes " + strings.Join(lead, ", ")
			b.d.Add(kw.At, kw.End, "R."+name+" has no argument "+kw.Name, help)
			panic(failure{})
		}
		bound[key] = kw.Value
	}
	for i, l := range lead {
		a[i] = bound[l]
	}
	b.need(n, a[:], 2, lead...)
	callee := b.argument(b.eval(a[0]), op.Callee, "func", a[0])
	args := b.toRelax(b.eval(a[1]), a[1])
	if _, ok := args.(*relax.Tuple); !ok {
		if _, tuple := b.infoOf(args).(*relax.TupleStructInfo); !tuple {
			args = &relax.Tuple{Base: b.span(a[1]), Fields: []relax.Expr{args}}
		}
	}
	c := &relax.Call{Base: b.span(n), Op: op.Lookup("relax." + name).Ref(), Args: []relax.Expr{callee, args}}
	out := bound["out_sinfo"]
	if out == nil {
		b.fail(n, `add out_sinfo=R.Tensor(...)`, "R.%s needs the struct info of its result", name)
	}
	list := b.sinfoList(out)
	if len(list) != 1 {
		list = []relax.StructInfo{&relax.TupleStructInfo{Base: b.span(out), Fields: list}}
	}
	c.SInfoArgs = list
	if k := bound["tir_vars"]; k != nil {
		if v := b.eval(k); v != nil {
			c.Args = append(c.Args, b.argument(v, op.Shape, "tir_vars", k))
		}
	}
	if k := bound["inplace_indices"]; k != nil {
		c.Attrs = ir.NewAttrs("inplace_indices", b.indexList(b.eval(k), k))
	}
	if k := bound["te_grad_name"]; k != nil {
		c.Attrs = ir.NewAttrs("te_grad_name", b.strOf(k, "the name of the function of the gradient"))
		kwargs := ir.NewAttrs()
		if k := bound["te_grad_kwargs"]; k != nil {
			kwargs = b.attrDict(k)
		}
		c.Attrs = c.Attrs.With("te_grad_kwargs", kwargs)
	}
	return c
}

// indexList turns an index or a list of them into the value of an attribute.
func (b *builder) indexList(v any, n *syntax.Node) ir.Value {
	out := b.numbers(v, n)
	if i, ok := out.(int64); ok {
		return []ir.Value{i}
	}
	return out
}

func (b *builder) externFirst(pos []given, n *syntax.Node) []relax.Expr {
	if len(pos) == 0 {
		b.fail(n, "", "the function that is to be called is missing")
	}
	args := []relax.Expr{b.argument(pos[0].v, op.Callee, "func", pos[0].at)}
	for _, g := range pos[1:] {
		args = append(args, b.toRelax(g.v, g.at))
	}
	return args
}

// callPacked evaluates R.call_packed("name", args..., sinfo_args=...). Other keywords are
// the attributes of the call.
func (b *builder) callPacked(n *syntax.Node) any {
	pos, kws, sinfo := b.arguments(n)
	args := b.externFirst(pos, n)
	c := &relax.Call{Base: b.span(n), Op: args[0], Args: args[1:], SInfoArgs: sinfo}
	for i := range n.Keywords() {
		kw := &n.Keywords()[i]
		if g, ok := kws[kw.Name]; ok && kw.Name != "attrs_type_key" {
			c.Attrs = c.Attrs.With(kw.Name, b.attrValue(g.v, g.at))
		}
	}
	return c
}

// formatted evaluates R.print and R.assert_op, whose format stands before the values.
func (b *builder) formatted(name string, n *syntax.Node, pos []given, kws map[string]given) any {
	var args []relax.Expr
	if name == "assert_op" {
		if len(pos) == 0 {
			b.fail(n, "", "R.assert_op needs a condition")
		}
		args = append(args, b.toRelax(pos[0].v, pos[0].at))
		pos = pos[1:]
		if len(pos) == 1 { // R.assert_op(cond, [values])
			if l, ok := pos[0].v.(*list); ok {
				at := pos[0].at
				pos = nil
				for _, it := range l.items {
					pos = append(pos, given{it, at})
				}
			}
		}
	}
	format, ok := kws["format"]
	explicit := false
	if len(pos) > 0 && !ok {
		_, explicit = pos[0].v.(*relax.StringImm) // the printer's form
	}
	if !explicit {
		var f relax.Expr = &relax.StringImm{Base: b.span(n)}
		if ok {
			f = b.toRelax(format.v, format.at)
		}
		args = append(args, f)
	}
	for _, g := range pos {
		args = append(args, b.toRelax(g.v, g.at))
	}
	return &relax.Call{Base: b.span(n), Op: op.Lookup("relax." + name).Ref(), Args: args}
}

// graphCall calls a function of the module from the graph level.
func (b *builder) graphCall(callee relax.Expr, n *syntax.Node) any {
	pos, _, sinfo := b.arguments(n)
	c := &relax.Call{Base: b.span(n), Op: callee, SInfoArgs: sinfo}
	for _, g := range pos {
		c.Args = append(c.Args, b.toRelax(g.v, g.at))
	}
	return c
}

// callValue calls a variable that holds a function, or an external function.
func (b *builder) callValue(v any, n *syntax.Node) (any, bool) {
	switch x := v.(type) {
	case *relax.Var:
		return b.graphCall(x, n), true
	case *relax.ExternFunc:
		return b.graphCall(x, n), true
	case *relax.Function:
		return b.graphCall(x, n), true
	case relax.Expr:
		if b.graph {
			return b.graphCall(x, n), true
		}
	}
	return nil, false
}
