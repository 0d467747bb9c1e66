package parse

import (
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/tir"
)

// frame is the value of a call that opens a scope, such as T.allocate or T.block, or that
// makes a statement.
type frame struct {
	kind  string // "block", "init", "dataflow", "loop" or "" for a plain scope
	def   any    // what the scope defines
	wrap  func(body tir.Stmt) tir.Stmt
	stmt  tir.Stmt // a statement without a body
	loop  *loopHead
	block *blockHead
}

// bind matches the arguments of a call with parameters. A last name that starts with * takes
// the positional arguments that are left, as a list. What is not given is nil.
func (b *builder) bind(n *syntax.Node, names ...string) []*syntax.Node {
	out := make([]*syntax.Node, len(names))
	args := b.spread(n.Kids[1:])
	for i, a := range args {
		if i >= len(names) || strings.HasPrefix(names[i], "*") {
			if i >= len(names) && !strings.HasPrefix(names[len(names)-1], "*") {
				b.fail(a, "", "%s takes at most %d arguments (%s)", b.callee(n), len(names), strings.Join(names, ", "))
			}
			rest := args[len(names)-1:]
			out[len(names)-1] = &syntax.Node{Kind: syntax.Tuple, At: rest[0].At, End: rest[len(rest)-1].End, Kids: rest}
			break
		}
		out[i] = a
	}
next:
	for k := range n.Keywords() {
		kw := &n.Keywords()[k]
		for i, name := range names {
			if name == kw.Name {
				if out[i] != nil {
					b.fail(kw.Value, "", "%s is given its argument %s twice", b.callee(n), kw.Name)
				}
				out[i] = kw.Value
				continue next
			}
		}
		help := "it takes " + strings.Join(names, ", ")
		if best := near(kw.Name, names); best != "" {
			help = "did you mean " + best + "?"
		}
		b.d.Add(kw.At, kw.End, b.callee(n)+" has no argument "+kw.Name, help)
		panic(failure{})
	}
	return out
}

// need checks that the first k of the bound arguments were given.
func (b *builder) need(n *syntax.Node, args []*syntax.Node, k int, names ...string) {
	for i := range k {
		if args[i] == nil {
			b.fail(n, "", "%s needs its argument %s", b.callee(n), names[i])
		}
	}
}

// spread replaces starred arguments by what they hold.
func (b *builder) spread(args []*syntax.Node) []*syntax.Node {
	star := false
	for _, a := range args {
		star = star || a.Kind == syntax.Star
	}
	if !star {
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

// callee returns what a call calls, as it is written.
func (b *builder) callee(n *syntax.Node) string { return b.src[n.Kids[0].At:n.Kids[0].End] }

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func sortedCopy(names []string) []string {
	out := append([]string{}, names...)
	sort.Strings(out)
	return out
}

// flag evaluates an optional bool argument.
func (b *builder) flag(n *syntax.Node) bool {
	if n == nil {
		return false
	}
	v := b.eval(n)
	i, ok := asInt(v)
	if !ok {
		b.fail(n, "", "expected True or False, got %s", describe(v))
	}
	return i != 0
}
