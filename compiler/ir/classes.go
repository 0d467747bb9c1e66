package ir

// classes is a union-find structure over the nodes of two sides: those that were found equal
// are in one class. A pair that is compared again costs nothing, and no pairs are compared but
// those that join two classes, so the number of comparisons is less than that of the nodes of
// both sides, however they are shared. A node may stand on both sides, for different things
// where variables are renamed. A class holds where the finding says that made it.
type classes struct {
	left, right map[Node]int32
	up          []class
}

type class struct {
	finding
	up int32 // a class that was joined to another one; itself otherwise
}

func (c *classes) root(i int32) int32 {
	for c.up[i].up != i {
		c.up[i].up = c.up[c.up[i].up].up
		i = c.up[i].up
	}
	return i
}

// find returns where it holds that a and b are equal, if that was found.
func (c *classes) find(a, b Node) (finding, bool) {
	i, ok := c.left[a]
	if !ok {
		return finding{}, false
	}
	j, ok := c.right[b]
	if !ok {
		return finding{}, false
	}
	i = c.root(i)
	return c.up[i].finding, i == c.root(j)
}

// join puts a and b into one class that holds where f says. What was found before about either
// of them is kept if it holds in the same scope.
func (c *classes) join(a, b Node, f finding) {
	if c.left == nil {
		c.left, c.right = map[Node]int32{}, map[Node]int32{}
	}
	i, ok := c.member(c.left, a, f)
	j, ok2 := c.member(c.right, b, f)
	switch {
	case ok && ok2:
		c.up[i].marks |= c.up[j].marks | f.marks
		c.up[j].up = i
	case ok:
		c.up[i].marks |= f.marks
		c.right[b] = i
	case ok2:
		c.up[j].marks |= f.marks
		c.left[a] = j
	default:
		n := int32(len(c.up))
		c.up = append(c.up, class{f, n})
		c.left[a], c.right[b] = n, n
	}
}

func (c *classes) member(side map[Node]int32, n Node, f finding) (int32, bool) {
	i, ok := side[n]
	if !ok {
		return 0, false
	}
	i = c.root(i)
	return i, c.up[i].id == f.id && c.up[i].depth == f.depth
}
