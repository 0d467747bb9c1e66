package relay

import (
	"fmt"
	"maps"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// operator returns the call of the operator that Relay knows by a name, with its struct info.
func (b *builder) operator(n *node, name string, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	b.typeWeights(name, args, attrs)
	if read := readerOf(name); read != nil {
		return read(b, n, args, attrs)
	}
	r := rows()[name]
	if r == nil {
		msg := "operator " + name + " has no counterpart in this IR"
		if near := nearest.Name(name, maps.Keys(rows())); near != "" {
			msg += "; did you mean " + near + "?"
		}
		return nil, fmt.Errorf("%s", msg)
	}
	c, err := b.row(n, r, args, attrs)
	if err != nil && r.own != nil && b.beyondRelax(args, attrs) {
		return b.row(n, r.own, args, attrs)
	}
	return c, err
}

// beyondRelax reports whether Relax's operator cannot take a call whatever its shapes are: a layout is blocked, or the only operand
// is not of floats.
func (b *builder) beyondRelax(args []relax.Expr, attrs []attr) bool {
	for _, a := range attrs {
		if s, ok := a.value.(string); ok && strings.HasSuffix(a.name, "layout") && strings.ContainsAny(s, "0123456789abcdefghijklmnopqrstuvwxyz") {
			return true
		}
	}
	if len(args) != 1 {
		return false
	}
	t, ok := b.ctx.SInfoOf(args[0]).(*relax.TensorStructInfo)
	return ok && !t.DType.IsVoid() && !t.DType.IsFloat()
}

func (b *builder) row(n *node, r *row, args []relax.Expr, attrs []attr) (*relax.Call, error) {
	list, err := r.read(attrs)
	if err != nil {
		return nil, err
	}
	return b.typed(n, r.op.Name, args, list)
}

// typed makes a call of an operator and infers its struct info. Errors name the operator as Relay does.
func (b *builder) typed(n *node, name string, args []relax.Expr, attrs *ir.Attrs) (*relax.Call, error) {
	c, err := op.New(name, args, attrs)
	if err == nil {
		c.Base = spanBase(n.span)
		c.SInfo, err = relax.InferCall(c, b.ops, b.ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s", strings.Replace(err.Error(), name, n.name, 1))
	}
	return c, nil
}

// read returns the attributes of the IR for those of a call.
func (r *row) read(attrs []attr) (*ir.Attrs, error) {
	var out *ir.Attrs
	given := map[string]attr{}
	for _, a := range attrs {
		given[a.name] = a
	}
	for _, x := range r.attrs {
		a, ok := given[x.name]
		delete(given, x.name)
		switch {
		case x.to == "":
		case !ok && x.required:
			return nil, fmt.Errorf("%s needs its attribute %s", r.name, x.name)
		case !ok:
			out = out.With(x.to, r.normal(x, x.def))
		default:
			v, fits := convert(a.value, x.kind)
			if !fits {
				return nil, fmt.Errorf("%s: the attribute %s is not of its type", r.name, x.name)
			}
			out = out.With(x.to, r.normal(x, v))
		}
	}
	for _, a := range attrs {
		if _, left := given[a.name]; left {
			if a.name == "attrs_type_key" || a.name == "exclude" && a.value == false {
				continue
			}
			return nil, fmt.Errorf("%s has no attribute %s", r.name, a.name)
		}
	}
	for name, v := range always[r.op.Name] {
		out = out.With(name, v)
	}
	return out, nil
}

// normal is a value as the IR has it: no extents are those of the input.
func (r *row) normal(x rowAttr, v ir.Value) ir.Value {
	if list, ok := v.([]ir.Value); ok && len(list) == 0 && x.kind == op.OptIntsAttr && x.name == "output_size" {
		return nil
	}
	return v
}

// always are attributes of Relax that Relay's operators have not.
var always = map[string]map[string]ir.Value{
	"relax.nn.batch_norm": {"training": false},
}
