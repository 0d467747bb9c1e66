package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// toRelax turns a value into a graph-level expression.
func (b *builder) toRelax(v any, n *node) relax.Expr {
	switch x := v.(type) {
	case relax.Expr:
		if foreign(x) {
			return b.emitForeign(x.(*relax.Call), n)
		}
		return x
	case constantRef:
		return b.missing(x, nil)
	case int64:
		return &relax.PrimValue{Base: b.span(n), Value: &tir.IntImm{Base: b.span(n), Type: dtype.Int64T, Value: x}}
	case float64:
		return &relax.PrimValue{Base: b.span(n), Value: &tir.FloatImm{Base: b.span(n), Type: dtype.Float64T, Value: x}}
	case bool:
		return &relax.PrimValue{Base: b.span(n), Value: tir.Bool(x)}
	case string:
		return &relax.StringImm{Base: b.span(n), Value: x}
	case dtype.DType:
		return &relax.DataTypeImm{Base: b.span(n), Value: x}
	case tir.Expr:
		return &relax.PrimValue{Base: b.span(n), Value: x}
	case fresh:
		return &relax.PrimValue{Base: b.span(n), Value: x.v}
	case *list:
		t := &relax.Tuple{Base: b.span(n), Fields: make([]relax.Expr, len(x.items))}
		for i, it := range x.items {
			at := n
			if len(n.kids) == len(x.items) {
				at = n.kids[i]
			}
			t.Fields[i] = b.toRelax(it, at)
		}
		return t
	case poison:
		panic(failure{})
	case *matchCast:
		b.fail(n, "bind it to a name first", "R.match_cast cannot be an argument")
	}
	b.fail(n, "", "expected a graph-level value, got %s", describe(v))
	return nil
}

// argument turns a value into an argument of the given kind.
func (b *builder) argument(v any, kind op.ArgKind, name string, n *node) relax.Expr {
	if s, ok := v.(string); ok && kind == op.AnyValue && name == "dtype" {
		return b.argument(s, op.DType, name, n)
	}
	switch kind {
	case op.Shape:
		switch x := v.(type) {
		case *list:
			return &relax.ShapeExpr{Base: b.span(n), Values: b.dimList(x, n)}
		case int64:
			return &relax.ShapeExpr{Base: b.span(n), Values: []tir.Expr{b.dim(x, n)}}
		case *relax.Tuple:
			if len(x.Fields) == 0 {
				return &relax.ShapeExpr{Base: b.span(n)}
			}
		}
	case op.DType:
		if s, ok := v.(string); ok {
			d, err := dtype.Parse(s)
			if err != nil {
				b.fail(n, "", "%v", err)
			}
			return &relax.DataTypeImm{Base: b.span(n), Value: d}
		}
	case op.Tuple, op.Tensors:
		switch x := v.(type) {
		case *list, *relax.Tuple:
		case nil:
			return &relax.Tuple{Base: b.span(n)}
		case relax.Expr:
			// A value that is no tuple stands for a tuple of it.
			if kind == op.Tuple {
				if _, tuple := b.infoOf(x).(*relax.TupleStructInfo); !tuple {
					return &relax.Tuple{Base: b.span(n), Fields: []relax.Expr{x}}
				}
			}
		}
	case op.Callee:
		if s, ok := v.(string); ok {
			return &relax.ExternFunc{Base: b.span(n), Symbol: s}
		}
	case op.AnyValue:
		if v == nil {
			return &relax.Tuple{Base: b.span(n)}
		}
	}
	return b.toRelax(v, n)
}

func (b *builder) infoOf(e relax.Expr) relax.StructInfo { return b.blockBuilder().Context().SInfoOf(e) }

// attribute turns a value into that of an operator's attribute.
func (b *builder) attribute(v any, a *op.Attr, n *node) ir.Value {
	switch x := v.(type) {
	case *relax.PrimValue:
		v = x.Value
	case *relax.StringImm:
		v = x.Value
	case *relax.DataTypeImm:
		v = x.Value
	case *relax.Tuple:
		l := &list{}
		for _, f := range x.Fields {
			l.items = append(l.items, f)
		}
		v = l
	case *relax.ShapeExpr:
		l := &list{}
		for _, f := range x.Values {
			l.items = append(l.items, f)
		}
		v = l
	}
	switch a.Type {
	case op.DTypeAttr:
		switch x := v.(type) {
		case string:
			d, err := dtype.Parse(x)
			if err != nil {
				b.fail(n, "", "%v", err)
			}
			return d
		case nil:
			return dtype.Void
		}
	case op.IntsAttr, op.OptIntsAttr:
		if i, ok := asInt(v); ok {
			return []ir.Value{i}
		}
		return b.numbers(v, n)
	case op.IntOrIntsAttr, op.FloatsAttr:
		return b.numbers(v, n)
	case op.IntAttr, op.OptIntAttr:
		if i, ok := asInt(v); ok {
			return i
		}
	case op.BoolAttr:
		if i, ok := asInt(v); ok {
			return i != 0
		}
	case op.FloatAttr, op.OptFloatAttr:
		switch x := v.(type) {
		case int64:
			return float64(x)
		case *tir.FloatImm:
			return x.Value
		case *tir.IntImm:
			return float64(x.Value)
		case string:
			if f, ok := namedFloat(x); ok {
				return f
			}
		}
	case op.NodeAttr:
		if s, ok := v.(string); ok {
			return b.vdevice(s, n)
		}
		if n.kind == nLambda {
			m := &tir.IndexMap{Base: b.span(n)}
			m.Initial, m.Final = b.lambdaBody(n, func(int) dtype.DType { return dtype.Int64T })
			return m
		}
	}
	return b.attrValue(v, n)
}

// numbers turns the elements of a list into attribute values, constants into numbers.
func (b *builder) numbers(v any, n *node) ir.Value {
	l, ok := v.(*list)
	if !ok {
		if i, ok := asInt(v); ok {
			return i
		}
		return b.attrValue(v, n)
	}
	out := make([]ir.Value, len(l.items))
	for i, it := range l.items {
		switch x := it.(type) {
		case *relax.PrimValue:
			it = x.Value
		}
		if k, ok := asInt(it); ok {
			out[i] = k
			continue
		}
		if f, ok := it.(*tir.FloatImm); ok {
			out[i] = f.Value
			continue
		}
		out[i] = b.attrValue(it, n)
	}
	return out
}

// given is an argument of a call of an operator: a value and where it stands.
type given struct {
	v  any
	at *node
}

// relaxOp calls an operator for a sign of Python.
func (b *builder) relaxOp(n *node, name string, args ...any) any {
	if name == "" {
		b.fail(n, "", "graph-level values have no such operator")
	}
	return b.opCall(n, "relax."+name, args, nil)
}

func (b *builder) opCall(n *node, name string, args []any, kws map[string]given) any {
	pos := make([]given, len(args))
	for i, v := range args {
		pos[i] = given{v, n}
	}
	o := op.Lookup(name)
	if o == nil {
		b.fail(n, "", "unknown operator %q", name)
	}
	return b.buildOp(n, o, pos, kws, nil)
}

// buildOp matches positional arguments and those by name with the arguments and attributes
// of an operator, in this order, and builds the call.
func (b *builder) buildOp(n *node, o *op.Op, pos []given, kws map[string]given, sinfo []relax.StructInfo) any {
	args := make([]relax.Expr, 0, len(o.Args))
	var attrs *ir.Attrs
	used := 0
	next := 0
	absent := -1
	for i := range o.Args {
		a := &o.Args[i]
		if a.Variadic {
			for ; next < len(pos); next++ {
				args = append(args, b.argument(pos[next].v, a.Kind, a.Name, pos[next].at))
			}
			break
		}
		g, ok := kws[a.Name]
		switch {
		case next < len(pos):
			if ok {
				b.fail(g.at, "", "%s is given its argument %s twice", o.Name, a.Name)
			}
			g = pos[next]
			next++
		case ok:
			used++
		default:
			if d, ok := b.defaultArg(o, a, n); ok {
				args = append(args, d)
				continue
			}
			if a.Optional {
				if absent < 0 {
					absent = len(args)
				}
				continue
			}
			b.fail(n, "it takes "+strings.Join(paramNames(o), ", "), "%s needs its argument %s", o.Name, a.Name)
		}
		if g.v == nil && a.Optional {
			if absent < 0 {
				absent = len(args)
			}
			continue
		}
		if absent >= 0 {
			b.fail(g.at, "", "%s is given its argument %s, but not the one before it", o.Name, a.Name)
		}
		args = append(args, b.argument(g.v, a.Kind, a.Name, g.at))
	}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		g, ok := kws[a.Name]
		if ok {
			used++
		} else if next < len(pos) {
			g, ok = pos[next], true
			next++
		}
		if ok && g.v == nil && g.at.kind != nLambda && !a.Required && !optional(a.Type) {
			continue // None stands for the default
		}
		if ok {
			attrs = attrs.With(a.Name, b.attribute(g.v, a, g.at))
		}
	}
	if next < len(pos) {
		b.fail(pos[next].at, "it takes "+strings.Join(paramNames(o), ", "), "%s takes at most %d arguments, got %d", o.Name, len(o.Args)+len(o.Attrs), len(pos))
	}
	if used < len(kws) {
		b.unknownKeyword(n, o)
	}
	c, err := op.New(o.Name, args, attrs)
	if err != nil {
		b.fail(n, "", "%v", err)
	}
	c.Base = b.span(n)
	c.SInfoArgs = sinfo
	return c
}

// defaultArg returns the argument that the Python function of TVM fills in.
func (b *builder) defaultArg(o *op.Op, a *op.Arg, n *node) (relax.Expr, bool) {
	switch {
	case a.Name == "storage_scope":
		return &relax.StringImm{Base: b.span(n), Value: "global"}, true
	case o.Name == "relax.memory.view":
		return &relax.Tuple{Base: b.span(n)}, true
	}
	return nil, false
}

func optional(t op.AttrType) bool {
	switch t {
	case op.OptIntAttr, op.OptFloatAttr, op.OptStringAttr, op.OptIntsAttr, op.NodeAttr, op.DTypeAttr:
		return true
	}
	return false
}

func paramNames(o *op.Op) []string {
	var out []string
	for _, a := range o.Args {
		out = append(out, a.Name)
	}
	for _, a := range o.Attrs {
		out = append(out, a.Name)
	}
	return out
}

func (b *builder) unknownKeyword(n *node, o *op.Op) {
	names := paramNames(o)
	for i := range n.kws {
		kw := &n.kws[i]
		known := kw.name == "sinfo_args" || kw.name == "ty_args" || kw.name == "out_sinfo" || kw.name == "out_ty"
		for _, p := range names {
			known = known || p == kw.name
		}
		if !known {
			help := "it takes " + strings.Join(names, ", ")
			if near := nearest(kw.name, names); near != "" {
				help = "did you mean " + near + "?"
			}
			b.d.add(kw.at, kw.end, o.Name+" has no argument "+kw.name, help)
			panic(failure{})
		}
	}
	b.fail(n, "it takes "+strings.Join(names, ", "), "%s is given an argument that it does not have", o.Name)
}
