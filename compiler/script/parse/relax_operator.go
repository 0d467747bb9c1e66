package parse

import (
	"errors"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// operatorOf returns the signature of an operator: its arguments, then its attributes, as TVM's
// Python functions have them.
func operatorOf(o *op.Op, kinds map[string]*kind) *signature {
	s := &signature{name: "R." + strings.TrimPrefix(o.Name, "relax."), operator: o, rest: -1, infos: true, build: (*call).operator}
	for i := range o.Args {
		a := &o.Args[i]
		p := param{name: a.Name, kind: kinds["argument"], arg: a}
		if a.Variadic {
			s.rest = i
		}
		if o.Name == "relax.slice_scatter" && a.Name == "data" {
			p.older = []string{"input_tensor"}
		}
		s.params = append(s.params, p)
	}
	for i := range o.Attrs {
		s.params = append(s.params, param{name: o.Attrs[i].Name, kind: kinds["attribute"], attr: &o.Attrs[i], named: s.rest >= 0})
	}
	return s
}

// operator builds the call of an operator.
func (c *call) operator() any {
	o := c.sig.operator
	args := make([]relax.Expr, 0, len(o.Args)+len(c.rest))
	left := false // an argument was left out
	for i := range o.Args {
		a := &o.Args[i]
		if a.Variadic {
			args = append(args, c.graphs()...)
			break
		}
		e := c.graphAt(i)
		if c.at[i] == nil {
			e = c.defaultOf(a, args)
		}
		switch {
		case e != nil && left:
			c.fail(c.at[i], "", "%s is given its argument %s, but not the one before it", c.name(), a.Name)
		case e != nil:
			args = append(args, e)
		case a.Optional:
			left = true
		default:
			c.missing(i)
		}
	}
	var attrs *ir.Attrs
	for i := range o.Attrs {
		if k := len(o.Args) + i; c.at[k] != nil && c.vals[k] != any(absent{}) {
			attrs = attrs.With(o.Attrs[i].Name, c.vals[k])
		}
	}
	out, err := o.Call(args, attrs)
	if err != nil {
		at := c.n
		if e := (*op.Error)(nil); errors.As(err, &e) {
			for i := range o.Attrs {
				if k := len(o.Args) + i; e.Arg == "attribute "+o.Attrs[i].Name && c.at[k] != nil {
					at = c.at[k]
				}
			}
		}
		c.fail(at, "", "%s", opMessage(err))
	}
	out.Base = c.base()
	out.SInfoArgs = c.resultInfo()
	return out
}

// isInfoName reports whether an argument of that name gives struct info that a call needs: what it is
// of, or (out_) what the call returns.
func isInfoName(name string) bool {
	switch name {
	case "sinfo_args", "ty_args", "out_sinfo", "out_ty":
		return true
	}
	return false
}

// resultInfo returns the struct info that a call is given by the names of isInfoName.
func (c *call) resultInfo() (out []relax.StructInfo) {
	for _, kw := range c.extra {
		switch {
		case !isInfoName(kw.Name):
		case strings.HasPrefix(kw.Name, "out_"):
			out = c.tupleInfo(kw.Value, kw.Value.Kind == syntax.List)
		default:
			out = c.sinfoList(kw.Value)
		}
	}
	return out
}

// tupleInfo returns one struct info: that of a tuple where there are several, or always.
func (b *builder) tupleInfo(n *syntax.Node, always bool) []relax.StructInfo {
	list := b.sinfoList(n)
	if len(list) != 1 || always {
		list = []relax.StructInfo{&relax.TupleStructInfo{Base: b.span(n), Fields: list}}
	}
	return list
}

// opMessage is the message of an error of an operator, with its name as it is written.
func opMessage(err error) string {
	if rest, ok := strings.CutPrefix(err.Error(), "relax."); ok {
		return "R." + rest
	}
	return err.Error()
}

// defaultOf returns the argument that the Python function of TVM fills in, nil for none; args are
// those before it.
func (c *call) defaultOf(a *op.Arg, args []relax.Expr) relax.Expr {
	switch name := c.sig.operator.Name; {
	case a.Name == "storage_scope":
		return &relax.StringImm{Base: c.base(), Value: "global"}
	case a.Name == "runtime_device_index" && (name == "relax.memory.alloc_tensor" || name == "relax.vm.alloc_tensor"):
		return &relax.PrimValue{Base: c.base(), Value: tir.Int(0)}
	case (name == "relax.triu" || name == "relax.tril") && a.Name == "k":
		return &relax.PrimValue{Base: c.base(), Value: tir.Int(0)}
	case name == "relax.memory.view":
		return &relax.Tuple{Base: c.base()}
	case name == "relax.unique" && a.Name != "x" && a.Name != "axis":
		return &relax.PrimValue{Base: c.base(), Value: tir.Bool(a.Name == "sorted")}
	case name == "relax.nn.attention_var_len" && len(args) > 4:
		return args[len(args)-2] // those of the keys are those of the queries
	}
	return nil
}
