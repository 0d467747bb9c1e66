package lower

// CountUses finds which nodes of r are needed, from the effects backwards, and how often. It is
// called once, for the region of the function, when all of it is built.
func CountUses(r *Region) {
	for i := range r.Items {
		it := &r.Items[i]
		if it.Kind == ItemDef {
			continue
		}
		at, pos := r, i
		if it.Kind == ItemLoop {
			at, pos = it.Body, len(it.Body.Items) // the condition is computed at the end of a turn
		}
		for _, a := range it.Args {
			use(a, at, nil, pos)
		}
		if it.Body != nil {
			CountUses(it.Body)
		}
		if it.Alt != nil {
			CountUses(it.Alt)
		}
	}
}

func use(n *Node, at *Region, user *Node, pos int) {
	if n.Leaf() {
		return
	}
	n.Uses++
	n.user, n.userPos = user, pos
	if at != n.Region {
		n.Cross = true
	}
	if n.Uses > 1 {
		return
	}
	for _, a := range n.Args {
		use(a, n.Region, n, 0)
	}
}

// Inlined reports whether n is written where it is used instead of being kept in a register: it is
// used once, in its own region, before what would end it.
func (n *Node) Inlined() bool {
	if n.Leaf() {
		return true
	}
	if n.Uses != 1 || n.Cross {
		return false
	}
	return n.barrier == never || n.barrier >= n.emitPos()
}

// emitPos is the index of the item in whose place the only use of n is written.
func (n *Node) emitPos() int {
	for u := n; ; u = u.user {
		if u.user == nil {
			return u.userPos
		}
		if !u.user.Inlined() {
			return u.user.Pos
		}
	}
}
