package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// kind says what an argument must be, and turns the value of the text into what a build takes.
type kind struct {
	// raw arguments are not evaluated: they are read in a scope or a way of their own.
	raw bool
	// what and help are what the error of one that is missing says; its name where they are empty.
	what, help string
	// convert returns what a build takes, or fails at n with what is expected; nil leaves the value
	// as it is. The value of raw arguments is nil.
	convert func(c *call, p *param, v any, n *syntax.Node) any
}

// plain is the kind of a parameter that any value can be given for.
var plain = &kind{}

// argumentKinds returns the kinds that rows name. Builds take of them: a tir.Expr, a []tir.Expr, an
// int64, a bool, a string, a dtype.DType, *ir.Attrs, a *tir.Buffer, a *tir.BufferRegion, a
// relax.Expr, a relax.StructInfo or a []relax.StructInfo; of value the value, of node the syntax.
func argumentKinds() map[string]*kind {
	type (
		values = func(c *call, p *param, v any, n *syntax.Node) any
		nodes  = func(c *call, n *syntax.Node) any
	)
	eager := func(f values) *kind { return &kind{convert: f} }
	raw := func(f nodes) *kind {
		return &kind{raw: true, convert: func(c *call, _ *param, _ any, n *syntax.Node) any { return f(c, n) }}
	}
	return map[string]*kind{
		"value": plain,
		"node":  {raw: true},
		"expr":  eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toExpr(v, n) }),
		"exprs": eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toExprs(v, n) }),
		"int":   eager(func(c *call, p *param, v any, n *syntax.Node) any { return c.toInt(v, n, "the argument "+p.name) }),
		"bool": eager(func(c *call, p *param, v any, n *syntax.Node) any {
			i, ok := asInt(v)
			if !ok {
				c.fail(n, "", "the argument %s must be True or False, got %s", p.name, describe(v))
			}
			return i != 0
		}),
		"str": eager(func(c *call, p *param, v any, n *syntax.Node) any {
			if _, ok := v.(string); ok {
				return v // as it is: in another interface it would take memory again
			}
			return c.toString(v, n, "the argument "+p.name)
		}),
		"dtype": eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toType(v, n) }),
		"attrs": eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toAttrs(v, n) }),
		"buffer": eager(func(c *call, _ *param, v any, n *syntax.Node) any {
			buf, ok := v.(*tir.Buffer)
			if !ok {
				c.fail(n, "", "expected a buffer, got %s", describe(v))
			}
			return buf
		}),
		"region":  eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toRegion(v, n) }),
		"lanes":   eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toLanes(v, n) }),
		"operand": eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.operand(c.sig.intrinsic.Name, v, n) }),
		"dims":    eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.dimList(v, n) }),
		"graph":   eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toRelax(v, n) }),
		"callee":  eager(func(c *call, _ *param, v any, n *syntax.Node) any { return c.toArgument(v, op.Callee, "func", n) }),
		"info":    raw(func(c *call, n *syntax.Node) any { return c.sinfo(n) }),
		"infos":   raw(func(c *call, n *syntax.Node) any { return c.sinfoList(n) }),
		// What a function returns: several infos are those of a tuple.
		"result": {raw: true, what: "the struct info of its result", help: "add out_sinfo=R.Tensor(...)", convert: func(c *call, _ *param, _ any, n *syntax.Node) any {
			return c.tupleInfo(n, false)
		}},
		"rtype": {what: "the type of its result", help: `give it by name, as in dtype="float32"`, convert: func(c *call, _ *param, v any, n *syntax.Node) any {
			return c.toType(v, n)
		}},
		"argument": eager(func(c *call, p *param, v any, n *syntax.Node) any {
			if v == nil && p.arg.Optional {
				return nil
			}
			return c.toArgument(v, p.arg.Kind, p.arg.Name, n)
		}),
		"attribute": eager(func(c *call, p *param, v any, n *syntax.Node) any {
			if v == nil && n.Kind != syntax.Lambda && !p.attr.Required && !optional(p.attr.Type) {
				return absent{} // None stands for the default
			}
			return c.attribute(v, p.attr, n)
		}),
	}
}

// optional reports whether None is a value of an attribute.
func optional(t op.AttrType) bool {
	switch t {
	case op.OptIntAttr, op.OptFloatAttr, op.OptStringAttr, op.OptIntsAttr, op.NodeAttr, op.DTypeAttr:
		return true
	}
	return false
}

// toInt returns an integer that is known now; what names it in the error.
func (b *builder) toInt(v any, n *syntax.Node, what string) int64 {
	i, ok := asInt(v)
	if !ok {
		b.fail(n, "", "%s must be an integer, got %s", what, describe(v))
	}
	return i
}

// toString returns a string; what names it in the error.
func (b *builder) toString(v any, n *syntax.Node, what string) string {
	switch v := v.(type) {
	case string:
		return v
	case *tir.StringImm:
		return v.Value
	case *relax.StringImm:
		return v.Value
	}
	b.fail(n, "", "%s must be a string, got %s", what, describe(v))
	return ""
}

// toAttrs returns the attributes in a dictionary, nil for None.
func (b *builder) toAttrs(v any, n *syntax.Node) *ir.Attrs {
	if v == nil {
		return nil
	}
	d, ok := v.(*dict)
	if !ok {
		b.fail(n, "", "expected a dictionary of attributes, got %s", describe(v))
	}
	var out *ir.Attrs
	for i, k := range d.keys {
		key, ok := k.(string)
		if !ok {
			b.fail(n, "", "the keys of attributes are strings, got %s", describe(k))
		}
		out = out.With(key, b.attrValue(d.vals[i], n))
	}
	return out
}

// funcAttrs returns the attributes of a function with those of another statement under the names that
// rename gives; it must not repeat one.
func (c *call) funcAttrs(to *ir.Attrs, rename func(string) string) *ir.Attrs {
	from := c.attrsAt(0)
	for i := range from.Len() {
		key, v := from.At(i)
		key = rename(key)
		if to.Has(key) {
			c.fail(c.at[0], "", "the function has the attribute %q already", key)
		}
		to = to.With(key, flagged(key, v))
	}
	return to
}

// lanes is the number of elements of a vector, times vscale() where it is scalable.
type lanes struct {
	n        int
	scalable bool
}

// maxLanes bounds the length of vectors.
const maxLanes = 1 << 15

// toLanes returns the number of elements of a vector.
func (b *builder) toLanes(v any, n *syntax.Node) lanes {
	l, ok := asInt(v)
	scalable := false
	if e, isExpr := v.(tir.Expr); isExpr && !ok {
		l, scalable = scalableCount(e)
		ok = scalable
	}
	if !ok {
		b.fail(n, `it is a number, or T.vscale() * 4 for vectors of scalable length`, "the number of lanes must be a constant")
	}
	if l < 1 || l > maxLanes {
		b.fail(n, "", "the number of lanes must be from 1 to %d, got %d", maxLanes, l)
	}
	return lanes{int(l), scalable}
}

// scalableCount returns the factor of T.vscale() that e is.
func scalableCount(e tir.Expr) (int64, bool) {
	switch e := e.(type) {
	case *tir.Call:
		return 1, e.Op == tir.OpVScale
	case *tir.Cast:
		return scalableCount(e.Value)
	case *tir.Binary:
		if e.Op != tir.OpMul {
			return 0, false
		}
		x, y := e.A, e.B
		if _, ok := tir.AsInt(y); !ok {
			x, y = y, x
		}
		k, ok := tir.AsInt(y)
		n, scalable := scalableCount(x)
		if !ok || !scalable || k < -maxLanes || k > maxLanes || n < -maxLanes || n > maxLanes {
			return 0, false
		}
		return n * k, true
	}
	return 0, false
}

// elements returns how many elements there are from start to the end of a slice of extent n with the
// given stride.
func elements(n, stride tir.Expr) (out lanes, ok bool) {
	count, ok := tir.AsInt(n)
	step, ok2 := tir.AsInt(stride)
	if !ok {
		count, out.scalable = scalableCount(n)
		ok = out.scalable
	}
	switch {
	case !ok2:
		// The printer writes stop as start + stride * lanes.
		count, ok = 0, false
		if m, isMul := n.(*tir.Binary); isMul && m.Op == tir.OpMul {
			if count, ok = tir.AsInt(m.B); !ok {
				count, out.scalable = scalableCount(m.B)
				ok = out.scalable
			}
		}
	case step > 0:
		count = (count + step - 1) / step
	case step < 0:
		count = (-count - step - 1) / -step
	default:
		ok = false
	}
	out.n = int(min(max(count, 0), maxLanes+1))
	return out, ok && count >= 1 && count <= maxLanes
}
