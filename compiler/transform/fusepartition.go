package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/abi"
)

// partitioner groups the nodes of a graph.
type partitioner struct {
	maxDepth int
	searches int // so far: nodes note which came to them last
}

// first reports whether the search that goes on comes to n for the first time.
func (t *partitioner) first(n *fuseNode) bool {
	if n.seen == t.searches {
		return false
	}
	n.seen = t.searches
	return true
}

// partition groups nodes in TVM's three phases: reductions with their outputs, injective
// operations, and what is left over.
func partition(nodes []*fuseNode, maxDepth int) *partitioner {
	t := &partitioner{maxDepth: maxDepth}
	groups := make([]fuseGroup, len(nodes))
	for i, n := range nodes {
		groups[i] = fuseGroup{pattern: n.pattern, size: 1, args: n.operands()}
		n.group = &groups[i]
	}
	for phase := range 2 {
		for _, n := range nodes {
			t.fuse(n, phase)
		}
	}
	return t
}

// fuse joins n to its post-dominator, where it may.
func (t *partitioner) fuse(n *fuseNode, phase int) {
	p := n.parent
	g := n.group.root()
	n.over = p
	switch {
	case n.pattern == patOpaque:
		n.why = apartOpaque
		return
	case p == nil:
		n.why = apartUsers
		return
	case p.pattern == patOpaque:
		n.why = apartOpaqueUser
		return
	case p.group.root() == g:
		return
	}
	switch size, args := t.sizeUpTo(n, p); {
	case size > t.maxDepth:
		n.why = apartSize
		return
	case args >= abi.MaxArgs: // the result is an argument too
		n.why = apartArgs
		return
	}
	if p.group.pattern == patTuple {
		n.why = apartTuple
		return
	}
	var allow func(k opPattern, sink bool) bool
	switch {
	case g.pattern == patOutEWiseFusable:
		if n.edge != patElemWise {
			n.why = apartOutput
			return
		}
		allow = func(k opPattern, _ bool) bool { return k <= patBroadcast }
	case g.pattern <= patBroadcast:
		if n.edge > patInjective && n.edge != patCommReduce {
			n.why = apartEdge
			return
		}
		allow = func(k opPattern, sink bool) bool {
			if !sink {
				return k <= patInjective
			}
			return k <= patCommReduce || k == patOutEWiseFusable
		}
	case g.pattern == patInjective || g.pattern == patTuple:
		if phase != 1 {
			n.why = apartEdge
			return
		}
		allow = func(k opPattern, _ bool) bool { return k <= patInjective }
	default:
		n.why = apartReduction
		return
	}
	n.why = apartPath
	if n.over = t.pathBlocks(n, p, allow); n.over == nil {
		t.commit(n, p)
	}
}

// pathBlocks returns the first node on the paths from n to sink that does not satisfy allow, nil
// if all do.
func (t *partitioner) pathBlocks(n, sink *fuseNode, allow func(opPattern, bool) bool) *fuseNode {
	t.searches++
	return t.blocks(n, sink, allow)
}

// blocks goes on from x, which may join.
func (t *partitioner) blocks(x, sink *fuseNode, allow func(opPattern, bool) bool) *fuseNode {
	for _, e := range x.outs {
		y := e.to
		if !t.first(y) {
			continue
		}
		if !allow(y.group.root().pattern, y == sink) {
			return y
		}
		if y != sink {
			if b := t.blocks(y, sink, allow); b != nil {
				return b
			}
		}
	}
	return nil
}

// commit merges all nodes on the paths from n to sink into sink's group.
func (t *partitioner) commit(n, sink *fuseNode) {
	t.searches++
	t.join(n, sink, sink.group.root())
}

func (t *partitioner) join(x, sink *fuseNode, target *fuseGroup) {
	if x == sink || !t.first(x) {
		return
	}
	if g := x.group.root(); g != target {
		g.up = target
		target.size += g.size
		target.args += g.args - 1
		if g.pattern == patOutEWiseFusable { // only the reduction decides what the group may take in
			target.pattern = g.pattern
		}
	}
	for _, e := range x.outs {
		t.join(e.to, sink, target)
	}
}

// sizeUpTo counts the nodes in the groups on the paths from n to sink, as far as the limit, and what a group of them takes.
func (t *partitioner) sizeUpTo(n, sink *fuseNode) (size, args int) {
	t.searches++
	g := sink.group.root()
	return t.size(n, sink, g.size, g.args)
}

func (t *partitioner) size(x, sink *fuseNode, size, args int) (int, int) {
	if x == sink || size > t.maxDepth || !t.first(x) {
		return size, args
	}
	size, args = size+x.group.size, args+x.group.args-1
	for _, e := range x.outs {
		size, args = t.size(e.to, sink, size, args)
	}
	return size, args
}

// operands counts what a call takes, at least as many as it takes tensors.
func (n *fuseNode) operands() int {
	if n.call == nil {
		return 0
	}
	count := 0
	for _, a := range n.call.Args {
		switch a := a.(type) {
		case *ir.GlobalVar: // the kernel
		case *relax.Tuple:
			count += len(a.Fields)
		default:
			count++
		}
	}
	return count
}
