package transform

// partition groups nodes in TVM's three phases: reductions with their outputs, injective
// operations, and what is left over.
func partition(nodes []*fuseNode, maxDepth int) {
	for _, n := range nodes {
		n.group = &fuseGroup{pattern: n.pattern, size: 1}
	}
	for phase := range 2 {
		for _, n := range nodes {
			fuseNodeInto(n, phase, maxDepth)
		}
	}
}

func fuseNodeInto(n *fuseNode, phase, maxDepth int) {
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
	case sizeUpTo(n, p, maxDepth) > maxDepth:
		n.why = apartSize
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
	if n.over = pathBlocks(n, p, allow); n.over == nil {
		commitFuse(n, p)
	}
}

// pathBlocks returns the first node on the paths from n to sink that does not satisfy allow, nil
// if all do.
func pathBlocks(n, sink *fuseNode, allow func(opPattern, bool) bool) *fuseNode {
	seen := map[*fuseNode]bool{}
	var visit func(x *fuseNode) *fuseNode
	visit = func(x *fuseNode) *fuseNode {
		if seen[x] {
			return nil
		}
		seen[x] = true
		if !allow(x.group.root().pattern, x == sink) {
			return x
		}
		if x == sink {
			return nil
		}
		for _, e := range x.outs {
			if b := visit(e.to); b != nil {
				return b
			}
		}
		return nil
	}
	for _, e := range n.outs {
		if b := visit(e.to); b != nil {
			return b
		}
	}
	return nil
}

// commitFuse merges all nodes on the paths from n to sink into sink's group.
func commitFuse(n, sink *fuseNode) {
	target := sink.group.root()
	seen := map[*fuseNode]bool{}
	var visit func(x *fuseNode)
	visit = func(x *fuseNode) {
		if x == sink || seen[x] {
			return
		}
		seen[x] = true
		if g := x.group.root(); g != target {
			g.up = target
			target.size += g.size
			if g.pattern == patOutEWiseFusable { // only the reduction decides what the group may take in
				target.pattern = g.pattern
			}
		}
		for _, e := range x.outs {
			visit(e.to)
		}
	}
	visit(n)
}
