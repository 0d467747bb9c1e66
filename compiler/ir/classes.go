package ir

// classes is a union-find structure over the nodes of two sides: those that were found equal
// are in one class. A pair that is compared again costs nothing, and no pairs are compared but
// those that join two classes, so the number of comparisons is less than that of the nodes of
// both sides, however they are shared. A node may stand on both sides, for different things
// where variables are renamed.
type classes struct {
	left, right map[Node]int32
	up          []int32 // a class that was joined to another one; itself otherwise
}

func (c *classes) root(i int32) int32 {
	for c.up[i] != i {
		c.up[i] = c.up[c.up[i]]
		i = c.up[i]
	}
	return i
}

func (c *classes) same(a, b Node) bool {
	i, ok := c.left[a]
	if !ok {
		return false
	}
	j, ok := c.right[b]
	return ok && c.root(i) == c.root(j)
}

func (c *classes) join(a, b Node) {
	if c.left == nil {
		c.left, c.right = map[Node]int32{}, map[Node]int32{}
	}
	i, ok := c.left[a]
	j, ok2 := c.right[b]
	switch {
	case ok && ok2:
		c.up[c.root(i)] = c.root(j)
	case ok:
		c.right[b] = i
	case ok2:
		c.left[a] = j
	default:
		n := int32(len(c.up))
		c.up = append(c.up, n)
		c.left[a], c.right[b] = n, n
	}
}
