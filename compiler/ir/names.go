package ir

import "strconv"

// Names gives out names that differ from each other. The zero value has given out none. A name
// takes a few steps, however many there are like it.
type Names struct {
	used map[string]bool
	next map[string]int // the first number behind a hint that may be free
}

// Use notes that a name is taken.
func (n *Names) Use(name string) {
	if n.used == nil {
		n.used, n.next = map[string]bool{}, map[string]int{}
	}
	n.used[name] = true
}

// Fresh takes hint, or hint followed by sep and the first free number from 1 on.
func (n *Names) Fresh(hint, sep string) string {
	name := hint
	if n.used[name] {
		key := hint + sep
		i := max(n.next[key], 1)
		for name = key + strconv.Itoa(i); n.used[name]; name = key + strconv.Itoa(i) {
			i++
		}
		n.next[key] = i + 1
	}
	n.Use(name)
	return name
}
