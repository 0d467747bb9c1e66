package relay

import "github.com/irscope/irscope/compiler/ir"

// The nodes of a function form a graph without cycles. Before they are bound, each is given the innermost scope that holds all its
// uses: the body of a function or a branch of an if. The walk visits operands before what uses them, the parts of a let in their
// order, and each node once, and so yields an order in which values can be bound: what is bound in an outer scope on behalf of a
// branch stands before the if. Both steps take time linear in the edges of the graph, and no recursion: a chain may be as long as a text.

// scope is a body of a function or a branch. Its entries are bound in order.
type scope struct {
	parent  *scope
	depth   int
	entries []entry
}

// event is a step of the walk: a node whose operands are done, a function that begins or a let whose value is next or done.
type event struct {
	kind eventKind
	n    *node
}

type eventKind uint8

const (
	evNode eventKind = iota
	evBegin
	evBind
)

// child is what a node uses, in one of its inner scopes, or in its own (-1).
type child struct {
	n     *node
	inner int
}

// children returns what n uses, in the order in which it is computed.
func (n *node) children(out []child) []child {
	for i, a := range n.args {
		inner := -1
		if n.kind == kIf && i > 0 {
			inner = i - 1
		}
		out = append(out, child{a, inner})
	}
	if n.op != nil {
		out = append(out, child{n.op, -1})
	}
	if n.kind == kFn {
		out = append(out, child{n.fn.body, 0})
	}
	return out
}

// walk returns the events of the graph below root.
func walk(root *node) []event {
	type frame struct {
		n    *node
		kids []child
		next int
	}
	var out []event
	seen := map[*node]bool{root: true}
	stack := []frame{{n: root, kids: root.children(nil)}}
	out = begin(out, root)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.n.kind == kLet && f.next == 1 {
			out = append(out, event{evBind, f.n})
		}
		if f.next == len(f.kids) {
			out = append(out, event{evNode, f.n})
			stack = stack[:len(stack)-1]
			continue
		}
		c := f.kids[f.next].n
		f.next++
		if !seen[c] {
			seen[c] = true
			out = begin(out, c)
			stack = append(stack, frame{n: c, kids: c.children(nil)})
		}
	}
	return out
}

// begin adds what happens before the parts of a node are visited.
func begin(out []event, n *node) []event {
	if n.kind == kFn || n.kind == kLet {
		return append(out, event{evBegin, n})
	}
	return out
}

// place gives each node its scope: the innermost that holds all its uses. Nodes are seen after all that use them.
func place(events []event, root *node, body *scope) {
	root.scope = body
	for i := len(events) - 1; i >= 0; i-- {
		n := events[i].n
		if events[i].kind != evNode {
			continue
		}
		switch n.kind {
		case kIf:
			n.inner = [2]*scope{{parent: n.scope, depth: n.scope.depth + 1}, {parent: n.scope, depth: n.scope.depth + 1}}
		case kFn:
			n.inner[0] = &scope{parent: n.scope, depth: n.scope.depth + 1}
		}
		for _, c := range n.children(nil) {
			s := n.scope
			if c.inner >= 0 {
				s = n.inner[c.inner]
			}
			c.n.uses++
			c.n.scope = join(c.n.scope, s)
		}
	}
}

// join returns the innermost scope that holds both.
func join(a, b *scope) *scope {
	if a == nil {
		return b
	}
	for a != b {
		if a.depth >= b.depth {
			a = a.parent
		} else {
			b = b.parent
		}
	}
	return a
}

// holds reports whether what is bound in s is visible in t.
func (s *scope) holds(t *scope) bool {
	for t != nil && t.depth > s.depth {
		t = t.parent
	}
	return s == t
}

func spanBase(s *ir.Span) ir.Base { return ir.Base{Span: s} }
