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
	if n.pattern == patOpaque || p == nil || p.pattern == patOpaque || p.group.root() == g {
		return
	}
	if g.size+p.group.root().size > maxDepth {
		return
	}
	var allow func(k opPattern, sink bool) bool
	switch {
	case g.pattern == patOutEWiseFusable:
		if n.edge != patElemWise {
			return
		}
		allow = func(k opPattern, _ bool) bool { return k <= patBroadcast }
	case g.pattern <= patBroadcast:
		if n.edge > patInjective && n.edge != patCommReduce {
			return
		}
		allow = func(k opPattern, sink bool) bool {
			if !sink {
				return k <= patInjective
			}
			return k <= patCommReduce || k == patOutEWiseFusable
		}
	case g.pattern == patInjective:
		if phase != 1 {
			return
		}
		allow = func(k opPattern, _ bool) bool { return k <= patInjective }
	default:
		return
	}
	if pathAllows(n, p, allow) {
		commitFuse(n, p)
	}
}

// pathAllows reports whether every node on the paths from n to sink satisfies allow.
func pathAllows(n, sink *fuseNode, allow func(opPattern, bool) bool) bool {
	seen := map[*fuseNode]bool{}
	var visit func(x *fuseNode) bool
	visit = func(x *fuseNode) bool {
		if seen[x] {
			return true
		}
		seen[x] = true
		if !allow(x.group.root().pattern, x == sink) {
			return false
		}
		if x == sink {
			return true
		}
		for _, e := range x.outs {
			if !visit(e.to) {
				return false
			}
		}
		return true
	}
	for _, e := range n.outs {
		if !visit(e.to) {
			return false
		}
	}
	return true
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
