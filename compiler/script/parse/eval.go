package parse

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// eval evaluates an expression as Python would, over nodes of the IR.
func (b *builder) eval(n *node) any {
	b.opts.Budget.Spend(1)
	switch n.kind {
	case nName:
		return b.name(n)
	case nInt:
		return b.integer(n)
	case nFloat:
		f, err := strconv.ParseFloat(n.s, 64)
		if err != nil && !math.IsInf(f, 0) {
			b.fail(n, "", "%q is no number", n.s)
		}
		return f
	case nString:
		return n.s
	case nConst:
		switch n.s {
		case "True":
			return true
		case "False":
			return false
		case "...":
			b.fail(n, "", "an ellipsis is no value")
		}
		return nil
	case nAttr:
		return b.attr(n)
	case nCall:
		return b.call(n)
	case nIndex:
		return b.index(n)
	case nTuple, nList:
		return b.newList(n, b.values(n.kids), n.kind == nTuple)
	case nDict:
		d := &dict{}
		for i := 0; i < len(n.kids); i += 2 {
			d.keys = append(d.keys, b.eval(n.kids[i]))
			d.vals = append(d.vals, b.eval(n.kids[i+1]))
		}
		return d
	case nUnary:
		return b.unary(n)
	case nBinary:
		return b.binary(n, n.s, b.eval(n.kids[0]), b.eval(n.kids[1]))
	case nCompare:
		return b.compare(n)
	case nBool:
		return b.logic(n)
	case nIfExp:
		return b.conditional(n)
	case nValue:
		return n.more.val
	case nLambda:
		b.fail(n, "", "a lambda may only stand where a function is expected, as in T.index_map")
	case nSlice:
		b.fail(n, "", "a slice may only stand in the indices of a buffer")
	case nStar:
		b.fail(n, "", "a starred value may only stand in a list or among arguments")
	}
	panic(failure{})
}

// values evaluates a list, spreading what is starred.
func (b *builder) values(kids []*node) []any {
	out := make([]any, 0, len(kids))
	for _, k := range kids {
		if k.kind != nStar {
			out = append(out, b.eval(k))
			continue
		}
		v, ok := b.eval(k.kids[0]).(*list)
		if !ok {
			b.fail(k, "", "only a list or tuple can be spread with *")
		}
		out = append(out, v.items...)
	}
	return out
}

// name looks up a name; those of the dialects are known without an import.
func (b *builder) name(n *node) any {
	if v, ok := b.env.lookup(n.s); ok {
		switch x := v.(type) {
		case poison:
			panic(failure{})
		case metaVar:
			return x.v
		case hidden:
			b.fail(n, "add it to the R.output(...) of the block", "%s is visible in its dataflow block only", n.s)
		case lookupLater:
			return b.globalVar(string(x), n)
		}
		return v
	}
	switch n.s {
	case "T", "R", "I":
		return namespace{n.s}
	case "tvm", "script", "metadata", "range", "int", "float", "bool", "float32", "len":
		return namespace{n.s}
	case "cls", "Module":
		return moduleRef{}
	}
	if v, ok := b.opts.Define[n.s]; ok {
		return b.defined(v, n)
	}
	var names []string
	for k := range b.env.vals {
		names = append(names, k)
	}
	for k := range b.opts.Define {
		names = append(names, k)
	}
	sort.Strings(names)
	help := "define it before it is used, or give its value with --define " + n.s + "=..."
	if best := near(n.s, names); best != "" {
		help = "did you mean " + best + "?"
	} else if b.mod != nil && b.mod.vars[n.s] != nil {
		help = "functions of the module are called as cls." + n.s
	}
	b.fail(n, help, "undefined name %q", n.s)
	return nil
}

// defined turns a value of Options.Define into one of the builder's.
func (b *builder) defined(v any, n *node) any {
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
	b.fail(n, "", "the value given for %q is a %T, which a script cannot hold", n.s, v)
	return nil
}

// path returns the dotted name that n spells, and whether its first part is a dialect's.
func (b *builder) path(n *node) (string, bool) {
	root := n
	if n.kind == nValue {
		ns, ok := n.more.val.(namespace)
		return ns.path, ok
	}
	for root.kind == nAttr {
		root = root.kids[0]
	}
	if root.kind != nName {
		return "", false
	}
	v, ok := b.env.lookup(root.s)
	if !ok {
		switch root.s {
		case "T", "R", "I", "tvm", "script", "range", "int", "float", "len", "bool", "metadata":
			v = namespace{root.s}
		default:
			return "", false
		}
	}
	ns, ok := v.(namespace)
	if !ok {
		return "", false
	}
	if root == n {
		return ns.path, true
	}
	if ns.path == root.s && len(root.s) == int(root.end-root.at) {
		if text := b.src[root.at:n.end]; !strings.ContainsAny(text, " \n\t\\()#") {
			return text, true
		}
	}
	rest := ""
	for x := n; x.kind == nAttr; x = x.kids[0] {
		rest = "." + x.s + rest
	}
	return ns.path + rest, true
}

func (b *builder) enter(n *node) {
	if b.depth++; b.depth > maxChain {
		b.fail(n, "", "this nests too deeply")
	}
}
