package wasm

// countUses finds which nodes are needed, from the effects backwards, and how often.
func countUses(r *region) {
	for i := range r.items {
		it := &r.items[i]
		if it.kind == itemDef {
			continue
		}
		at, pos := r, i
		if it.kind == itemLoop {
			at, pos = it.body, len(it.body.items) // the condition is computed at the end of a turn
		}
		for _, a := range it.args {
			use(a, at, nil, pos)
		}
		if it.body != nil {
			countUses(it.body)
		}
		if it.alt != nil {
			countUses(it.alt)
		}
	}
}

func use(n *node, at *region, user *node, pos int) {
	if n.leaf() {
		return
	}
	n.uses++
	n.user, n.userPos = user, pos
	if at != n.region {
		n.cross = true
	}
	if n.uses > 1 {
		return
	}
	for _, a := range n.args {
		use(a, n.region, n, 0)
	}
}

// inlined reports whether n is written where it is used instead of being kept in a local.
func (n *node) inlined() bool {
	if n.leaf() {
		return true
	}
	if n.uses != 1 || n.cross {
		return false
	}
	return n.barrier == never || n.barrier >= n.emitPos()
}

// emitPos is the index of the item in whose place the only use of n is written.
func (n *node) emitPos() int {
	for u := n; ; u = u.user {
		if u.user == nil {
			return u.userPos
		}
		if !u.user.inlined() {
			return u.user.pos
		}
	}
}
