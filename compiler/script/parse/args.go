package parse

import (
	"sort"
	"strconv"
	"strings"

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
func (b *builder) bind(n *node, names ...string) []*node {
	out := make([]*node, len(names))
	args := b.spread(n.kids[1:])
	for i, a := range args {
		if i >= len(names) || strings.HasPrefix(names[i], "*") {
			if i >= len(names) && !strings.HasPrefix(names[len(names)-1], "*") {
				b.fail(a, "", "%s takes at most %d arguments (%s)", b.callee(n), len(names), strings.Join(names, ", "))
			}
			rest := args[len(names)-1:]
			out[len(names)-1] = &node{kind: nTuple, at: rest[0].at, end: rest[len(rest)-1].end, kids: rest}
			break
		}
		out[i] = a
	}
next:
	for k := range n.keywords() {
		kw := &n.keywords()[k]
		for i, name := range names {
			if name == kw.name {
				if out[i] != nil {
					b.fail(kw.value, "", "%s is given its argument %s twice", b.callee(n), kw.name)
				}
				out[i] = kw.value
				continue next
			}
		}
		help := "it takes " + strings.Join(names, ", ")
		if best := near(kw.name, names); best != "" {
			help = "did you mean " + best + "?"
		}
		b.d.add(kw.at, kw.end, b.callee(n)+" has no argument "+kw.name, help)
		panic(failure{})
	}
	return out
}

// need checks that the first k of the bound arguments were given.
func (b *builder) need(n *node, args []*node, k int, names ...string) {
	for i := range k {
		if args[i] == nil {
			b.fail(n, "", "%s needs its argument %s", b.callee(n), names[i])
		}
	}
}

// spread replaces starred arguments by what they hold.
func (b *builder) spread(args []*node) []*node {
	star := false
	for _, a := range args {
		star = star || a.kind == nStar
	}
	if !star {
		return args
	}
	var out []*node
	for _, a := range args {
		if a.kind != nStar {
			out = append(out, a)
			continue
		}
		for _, v := range b.values([]*node{a}) {
			out = append(out, valueNode(a.at, a.end, v))
		}
	}
	return out
}

// callee returns what a call calls, as it is written.
func (b *builder) callee(n *node) string { return b.src[n.kids[0].at:n.kids[0].end] }

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
func (b *builder) flag(n *node) bool {
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
