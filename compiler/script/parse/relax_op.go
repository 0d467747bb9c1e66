package parse

import (
	"errors"
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// given is an argument of a call of an operator: a value and where it stands.
type given struct {
	v  any
	at *syntax.Node
}

// relaxOp calls an operator for a sign of Python.
func (b *builder) relaxOp(n *syntax.Node, name string, args ...any) any {
	if name == "" {
		b.fail(n, "", "graph-level values have no such operator")
	}
	return b.opCall(n, "relax."+name, args, nil)
}

func (b *builder) opCall(n *syntax.Node, name string, args []any, kws map[string]given) any {
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
func (b *builder) buildOp(n *syntax.Node, o *op.Op, pos []given, kws map[string]given, sinfo []relax.StructInfo) any {
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
				b.fail(g.at, "", "%s is given its argument %s twice", opName(o), a.Name)
			}
			g = pos[next]
			next++
		case ok:
			used++
		default:
			if d, ok := b.defaultArg(o, a, args, n); ok {
				args = append(args, d)
				continue
			}
			if a.Optional {
				if absent < 0 {
					absent = len(args)
				}
				continue
			}
			b.fail(n, "it takes "+strings.Join(paramNames(o), ", "), "%s needs its argument %s", opName(o), a.Name)
		}
		if g.v == nil && a.Optional {
			if absent < 0 {
				absent = len(args)
			}
			continue
		}
		if absent >= 0 {
			b.fail(g.at, "", "%s is given its argument %s, but not the one before it", opName(o), a.Name)
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
		if ok && g.v == nil && g.at.Kind != syntax.Lambda && !a.Required && !optional(a.Type) {
			continue // None stands for the default
		}
		if ok {
			attrs = attrs.With(a.Name, b.attribute(g.v, a, g.at))
		}
	}
	if next < len(pos) {
		b.fail(pos[next].at, "it takes "+strings.Join(paramNames(o), ", "), "%s takes at most %d arguments, got %d", opName(o), len(o.Args)+len(o.Attrs), len(pos))
	}
	if used < len(kws) {
		b.unknownKeyword(n, o)
	}
	c, err := op.New(o.Name, args, attrs)
	if err != nil {
		at := n
		if e := (*op.Error)(nil); errors.As(err, &e) {
			if g, ok := kws[strings.TrimPrefix(e.Arg, "attribute ")]; ok {
				at = g.at
			}
		}
		b.fail(at, "", "%s", opMessage(err))
	}
	c.Base = b.span(n)
	c.SInfoArgs = sinfo
	return c
}

// opName is the name of an operator as it is written.
func opName(o *op.Op) string { return "R." + strings.TrimPrefix(o.Name, "relax.") }

// opMessage is the message of an error of an operator, with its name as it is written.
func opMessage(err error) string {
	if rest, ok := strings.CutPrefix(err.Error(), "relax."); ok {
		return "R." + rest
	}
	return err.Error()
}

// defaultArg returns the argument that the Python function of TVM fills in; args are those
// before it.
func (b *builder) defaultArg(o *op.Op, a *op.Arg, args []relax.Expr, n *syntax.Node) (relax.Expr, bool) {
	switch {
	case a.Name == "storage_scope":
		return &relax.StringImm{Base: b.span(n), Value: "global"}, true
	case o.Name == "relax.memory.view":
		return &relax.Tuple{Base: b.span(n)}, true
	case o.Name == "relax.unique" && a.Name != "x" && a.Name != "axis":
		return &relax.PrimValue{Base: b.span(n), Value: tir.Bool(a.Name == "sorted")}, true
	case o.Name == "relax.nn.attention_var_len" && len(args) > 4:
		return args[len(args)-2], true // those of the keys are those of the queries
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

func (b *builder) unknownKeyword(n *syntax.Node, o *op.Op) {
	names := paramNames(o)
	for i := range n.Keywords() {
		kw := &n.Keywords()[i]
		known := kw.Name == "sinfo_args" || kw.Name == "ty_args" || kw.Name == "out_sinfo" || kw.Name == "out_ty"
		for _, p := range names {
			known = known || p == kw.Name
		}
		if !known {
			help := "it takes " + strings.Join(names, ", ")
			if best := near(kw.Name, names); best != "" {
				help = "did you mean " + best + "?"
			}
			b.d.Add(kw.At, kw.End, opName(o)+" has no argument "+kw.Name, help)
			panic(failure{})
		}
	}
	b.fail(n, "it takes "+strings.Join(names, ", "), "%s is given an argument that it does not have", opName(o))
}
