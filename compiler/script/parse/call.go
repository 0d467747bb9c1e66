package parse

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// call is a call of a construct with arguments that have been matched with the parameters of its
// signature, evaluated and checked. It is taken from a list and goes back to it after its build:
// what outlives the build must not refer to it.
type call struct {
	*builder
	n      *syntax.Node
	sig    *signature
	recv   any            // whose method is called
	at     []*syntax.Node // the argument of each parameter, nil where it is not given
	vals   []any          // its value; the default where it is not given
	restAt []*syntax.Node // the arguments of the parameter with a star
	rest   []any
	extra  []syntax.Keyword // by names that are no parameters
}

func (b *builder) newCall(s *signature, n *syntax.Node) *call {
	var c *call
	if k := len(b.calls); k > 0 {
		c, b.calls = b.calls[k-1], b.calls[:k-1]
	} else {
		c = &call{builder: b}
	}
	c.n, c.sig, c.recv = n, s, nil
	c.at, c.vals = resized(c.at, len(s.params)), resized(c.vals, len(s.params))
	c.restAt, c.rest, c.extra = c.restAt[:0], c.rest[:0], c.extra[:0]
	return c
}

// resized returns a list of n zero values, in the memory of another where it has room.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, max(n, 8))
	}
	list = list[:n]
	clear(list)
	return list
}

// apply evaluates a call of a construct.
func (b *builder) apply(s *signature, n *syntax.Node, recv any) any {
	c := b.newCall(s, n)
	c.recv = recv
	dims := b.dims
	if strings.HasPrefix(s.name, "R.") {
		b.dims = s.info
	}
	c.bind()
	for i, at := range c.at {
		if at != nil {
			c.vals[i] = c.evaluate(&s.params[i], at)
		} else {
			c.vals[i] = s.params[i].def
		}
	}
	for _, at := range c.restAt {
		c.rest = append(c.rest, c.evaluate(&s.params[s.rest], at))
	}
	return c.finish(dims)
}

// finish builds what a call makes, and gives the call back.
func (c *call) finish(dims bool) any {
	out := c.sig.build(c)
	c.dims = dims
	c.calls = append(c.calls, c)
	return out
}

// absent is the value of an argument of callOp that is not given.
type absent struct{}

// callOp calls an operator ("relax.add") with values in the order of its parameters.
func (b *builder) callOp(n *syntax.Node, name string, args ...any) any {
	s := b.table[name]
	if s == nil {
		b.fail(n, "", "graph-level values have no such operator")
	}
	c := b.newCall(s, n)
	for i := range s.params {
		c.vals[i] = s.params[i].def
		if i < len(args) && args[i] != any(absent{}) {
			c.at[i], c.vals[i] = n, c.convert(&s.params[i], args[i], n)
		}
	}
	return c.finish(b.dims)
}

// evaluate returns the argument n as the value of a parameter.
func (c *call) evaluate(p *param, n *syntax.Node) any {
	if p.kind.raw {
		if p.kind.convert == nil {
			return n
		}
		return p.kind.convert(c, p, nil, n)
	}
	if p.attr != nil && n.Kind == syntax.Lambda {
		return c.convert(p, nil, n)
	}
	return c.convert(p, c.eval(n), n)
}

// convert checks that v can be the value of a parameter.
func (c *call) convert(p *param, v any, n *syntax.Node) any {
	if p.kind.convert == nil || v == nil && p.null {
		return v
	}
	return p.kind.convert(c, p, v, n)
}

// base returns the span and origin of what the call makes.
func (c *call) base() ir.Base { return c.span(c.n) }

// has reports whether an argument was given, and is not None.
func (c *call) has(i int) bool { return c.at[i] != nil && c.vals[i] != nil }

// argument returns the value of parameter i, the zero value for None.
func argument[T any](c *call, i int) T {
	v, _ := c.vals[i].(T)
	return v
}

func (c *call) exprAt(i int) tir.Expr         { return argument[tir.Expr](c, i) }
func (c *call) exprsAt(i int) []tir.Expr      { return argument[[]tir.Expr](c, i) }
func (c *call) strAt(i int) string            { return argument[string](c, i) }
func (c *call) intAt(i int) int               { return int(argument[int64](c, i)) }
func (c *call) flagAt(i int) bool             { return argument[bool](c, i) }
func (c *call) typeAt(i int) dtype.DType      { return argument[dtype.DType](c, i) }
func (c *call) attrsAt(i int) *ir.Attrs       { return argument[*ir.Attrs](c, i) }
func (c *call) graphAt(i int) relax.Expr      { return argument[relax.Expr](c, i) }
func (c *call) infoAt(i int) relax.StructInfo { return argument[relax.StructInfo](c, i) }
func (c *call) nodeAt(i int) *syntax.Node     { return argument[*syntax.Node](c, i) }

// typeOr returns an element type, the usual one where none was given.
func (c *call) typeOr(i int, usual dtype.DType) dtype.DType {
	if c.has(i) {
		return c.typeAt(i)
	}
	return usual
}

// graphs returns the arguments of a starred parameter of the graph level.
func (c *call) graphs() []relax.Expr {
	out := make([]relax.Expr, len(c.rest))
	for i, v := range c.rest {
		out[i] = v.(relax.Expr)
	}
	return out
}

// bind matches the arguments of a call with the parameters of its signature.
func (c *call) bind() {
	s := c.sig
	next := 0
	args := c.spread(c.n.Args())
	for _, a := range args {
		if s.intrinsic != nil && next < len(s.params) && next != s.rest && s.params[next].name == "dtype" && c.byName("dtype") {
			next++ // the type of the result, which stands among the others where it has no name
		}
		switch {
		case next == s.rest:
			c.restAt = append(c.restAt, a)
		case next < len(s.params) && !s.params[next].named:
			c.at[next] = a
			next++
		case next == len(s.params) && s.span:
			next++
		case next == 0:
			c.fail(a, "", "%s takes no arguments, got %d", c.name(), len(args))
		default:
			c.fail(a, s.takes(), "%s takes at most %s, got %d", c.name(), count(next, "argument", "arguments"), len(args))
		}
	}
	kws := c.n.Keywords()
	for i := range kws {
		c.bindName(&kws[i])
	}
	for i := range s.params {
		if s.params[i].need && c.at[i] == nil {
			c.missing(i)
		}
	}
}

// bindName matches an argument that is given by name.
func (c *call) bindName(kw *syntax.Keyword) {
	s := c.sig
	for i := range s.params {
		switch p := &s.params[i]; {
		case i == s.rest || !p.called(kw.Name):
		case c.at[i] != nil:
			c.fail(kw.Value, "", "%s is given its argument %s twice", c.name(), kw.Name)
		default:
			c.at[i] = kw.Value
			return
		}
	}
	switch {
	case s.open || s.infos && isInfoName(kw.Name):
		c.extra = append(c.extra, *kw)
		return
	case kw.Name == "span" && s.operator == nil: // of the host program
		return
	case kw.Name == "dtype" && s.intrinsic != nil: // TVM ignores it, too
		return
	}
	named := slices.DeleteFunc(s.names(), func(name string) bool { return name[0] == '*' })
	c.failAt(kw.At, kw.End, did(kw.Name, named, "", s.takes()), "%s has no argument %s", c.name(), kw.Name)
}

// byName reports whether an argument is given by name.
func (c *call) byName(name string) bool {
	return slices.ContainsFunc(c.n.Keywords(), func(kw syntax.Keyword) bool { return kw.Name == name })
}

// missing reports that an argument is not given.
func (c *call) missing(i int) {
	if k := c.sig.params[i].kind; k.what != "" {
		c.fail(c.n, k.help, "%s needs %s", c.name(), k.what)
	}
	c.fail(c.n, c.sig.takes(), "%s needs its argument %s", c.name(), c.sig.params[i].name)
}

// name returns what is called, for errors: methods with their receiver, as they are written.
func (c *call) name() string {
	if c.recv != nil && c.n.Kind == syntax.Call {
		fn := c.n.Kids[0]
		return c.src[fn.At:fn.End]
	}
	return c.sig.name
}

// spread replaces starred arguments by what they hold.
func (b *builder) spread(args []*syntax.Node) []*syntax.Node {
	starred := false
	for _, a := range args {
		starred = starred || a.Kind == syntax.Star
	}
	if !starred {
		return args
	}
	var out []*syntax.Node
	for _, a := range args {
		if a.Kind != syntax.Star {
			out = append(out, a)
			continue
		}
		for _, v := range b.values([]*syntax.Node{a}) {
			out = append(out, syntax.NewValue(a.At, a.End, v))
		}
	}
	return out
}
