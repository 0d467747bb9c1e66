package parse

import (
	"math"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/runtime/dtype"
)

// eval evaluates an expression as Python would, over nodes of the IR.
func (b *builder) eval(n *syntax.Node) any {
	b.opts.Budget.Spend(1)
	switch n.Kind {
	case syntax.Name:
		return b.name(n)
	case syntax.Int:
		return b.integer(n)
	case syntax.Float:
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil && !math.IsInf(f, 0) {
			b.fail(n, "", "%q is not a number", n.Text)
		}
		return f
	case syntax.String:
		return n.Text
	case syntax.Const:
		switch n.Text {
		case "True":
			return true
		case "False":
			return false
		case "...":
			b.fail(n, "", "an ellipsis is not a value")
		}
		return nil
	case syntax.Attr:
		return b.attr(n)
	case syntax.Call:
		return b.call(n)
	case syntax.Index:
		return b.index(n)
	case syntax.Tuple, syntax.List:
		return b.newList(n, b.values(n.Kids), n.Kind == syntax.Tuple)
	case syntax.Dict:
		d := &dict{}
		for i := 0; i < len(n.Kids); i += 2 {
			d.keys = append(d.keys, b.eval(n.Kids[i]))
			d.vals = append(d.vals, b.eval(n.Kids[i+1]))
		}
		return d
	case syntax.Unary:
		return b.unary(n)
	case syntax.Binary:
		return b.binary(n, n.Text, b.eval(n.Kids[0]), b.eval(n.Kids[1]))
	case syntax.Compare:
		return b.compare(n)
	case syntax.Bool:
		return b.logic(n)
	case syntax.IfExp:
		return b.conditional(n)
	case syntax.Value:
		return n.Value()
	case syntax.Lambda:
		b.fail(n, "", "a lambda may only stand where a function is expected, as in T.index_map")
	case syntax.Slice:
		b.fail(n, "", "a slice may only stand in the indices of a buffer")
	case syntax.Star:
		b.fail(n, "", "a starred value may only stand in a list or among arguments")
	}
	panic(failure{})
}

// values evaluates a list, spreading what is starred.
func (b *builder) values(kids []*syntax.Node) []any {
	out := make([]any, 0, len(kids))
	for _, k := range kids {
		if k.Kind != syntax.Star {
			out = append(out, b.eval(k))
			continue
		}
		v, ok := b.eval(k.Kids[0]).(*list)
		if !ok {
			b.fail(k, "", "only a list or tuple can be spread with *")
		}
		out = append(out, v.items...)
	}
	return out
}

// name looks up a name; those of the dialects are known without an import.
func (b *builder) name(n *syntax.Node) any {
	if v, ok := b.env.lookup(n.Text); ok {
		switch x := v.(type) {
		case poison:
			panic(failure{})
		case metaVar:
			return x.v
		case hidden:
			b.fail(n, "add it to the R.output(...) of the block", "%s is visible in its dataflow block only", n.Text)
		case lookupLater:
			return b.globalVar(string(x), n)
		}
		return v
	}
	switch {
	case isHostName(n.Text) || n.Text == "float32":
		return namespace{n.Text}
	case n.Text == "cls" || n.Text == "Module":
		return moduleRef{}
	}
	if v, ok := b.opts.Define[n.Text]; ok {
		return b.defined(v, n)
	}
	names := append(sorted(b.env.vals), sorted(b.opts.Define)...)
	help := "define it before it is used, or define " + n.Text + "=... for the run"
	if b.mod != nil && b.mod.vars[n.Text] != nil {
		help = "functions of the module are called as cls." + n.Text
	}
	b.fail(n, did(n.Text, names, "", help), "undefined name %q", n.Text)
	return nil
}

// isHostName reports whether a name is known without an import.
func isHostName(s string) bool {
	switch s {
	case "T", "R", "I", "tvm", "script", "range", "int", "float", "len", "bool", "metadata":
		return true
	}
	return false
}

// defined turns a value of Options.Define into one of the builder's.
func (b *builder) defined(v any, n *syntax.Node) any {
	switch x := v.(type) {
	case int:
		return int64(x)
	case []any:
		out := &list{}
		for _, y := range x {
			out.items = append(out.items, b.defined(y, n))
		}
		return out
	case nil, bool, int64, float64, string, dtype.DType, ir.Node:
		return v
	}
	b.fail(n, "", "the value given for %q is a %T, which a script cannot hold", n.Text, v)
	return nil
}

// path returns the dotted name that n spells, and whether its first part is a dialect's.
func (b *builder) path(n *syntax.Node) (string, bool) {
	root := n
	if n.Kind == syntax.Value {
		ns, ok := n.Value().(namespace)
		return ns.path, ok
	}
	for root.Kind == syntax.Attr {
		root = root.Kids[0]
	}
	if root.Kind != syntax.Name {
		return "", false
	}
	v, ok := b.env.lookup(root.Text)
	if !ok {
		if !isHostName(root.Text) {
			return "", false
		}
		v = namespace{root.Text}
	}
	ns, ok := v.(namespace)
	if !ok {
		return "", false
	}
	if root == n {
		return ns.path, true
	}
	if ns.path == root.Text && len(root.Text) == int(root.End-root.At) {
		if text := b.src[root.At:n.End]; isPath(text) {
			return text, true
		}
	}
	rest := ""
	for x := n; x.Kind == syntax.Attr; x = x.Kids[0] {
		rest = "." + x.Text + rest
	}
	return ns.path + rest, true
}

// isPath reports whether a text is names with dots between them, and nothing else.
func isPath(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\n', '\t', '\\', '(', ')', '#':
			return false
		}
	}
	return true
}

func (b *builder) enter(n *syntax.Node) {
	if b.depth++; b.depth > syntax.MaxChain {
		b.fail(n, "", "this is nested too deeply")
	}
}

// scope maps names to values. Frames nest: what is defined in one is forgotten at its end.
type scope struct {
	vals map[string]binding
	log  []shadowed
}

// binding is what a name stands for, and how many were defined before it.
type binding struct {
	v  any
	at int
}

type shadowed struct {
	name string
	old  binding
	had  bool
}

// mark starts a frame; release ends it.
func (s *scope) mark() int { return len(s.log) }

func (s *scope) release(mark int) {
	for i := len(s.log) - 1; i >= mark; i-- {
		if u := s.log[i]; u.had {
			s.vals[u.name] = u.old
		} else {
			delete(s.vals, u.name)
		}
	}
	s.log = s.log[:mark]
}

func (s *scope) define(name string, v any) {
	old, had := s.vals[name]
	s.vals[name] = binding{v, len(s.log)}
	s.log = append(s.log, shadowed{name, old, had})
}

func (s *scope) lookup(name string) (any, bool) {
	x, ok := s.vals[name]
	return x.v, ok
}

// definedSince returns what a name stands for, and whether it was defined after a mark.
func (s *scope) definedSince(mark int, name string) (any, bool) {
	x, ok := s.vals[name]
	return x.v, ok && x.at >= mark
}

// since returns the names that were defined after a mark.
func (s *scope) since(mark int) []string {
	out := make([]string, 0, len(s.log)-mark)
	for _, u := range s.log[mark:] {
		out = append(out, u.name)
	}
	return out
}
