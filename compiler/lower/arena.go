package lower

import "github.com/irscope/irscope/compiler/ir"

// Memory is what graphs are made of. It serves one after the other: what a generator makes of a module is a graph for each function, of which nothing
// is left when its code is written. The zero value is ready.
type Memory struct {
	nodes   ir.Pages[Node]
	args    ir.Pages[*Node]
	regions ir.Pages[Region]
	count   int          // of regions in this graph
	items   [24][][]Item // room that no region has, by size
	known   table
	from    sources // of statements in copies of loops
}

// Reset takes back what a graph was made of. Nothing may look at it any more.
func (m *Memory) Reset() {
	m.nodes.Reset()
	m.args.Reset()
	m.known.reset()
	m.from.Clear()
	m.regions.Each(func(r *Region) { m.putItems(r.Items) })
	m.regions.Reset()
	m.count = 0
}

// leastItems is the room for items that a region begins with: most have a few.
const leastItems = 4

// add appends an item to a region, in room for twice as many where it is full.
func (m *Memory) add(r *Region, it Item) {
	if len(r.Items) == cap(r.Items) {
		class := 0
		for leastItems<<class <= len(r.Items) {
			class++
		}
		old := r.Items
		r.Items = append(m.takeItems(class), old...)
		m.putItems(old)
	}
	r.Items = append(r.Items, it)
}

// takeItems returns room for leastItems<<class items.
func (m *Memory) takeItems(class int) []Item {
	if class < len(m.items) {
		if free := m.items[class]; len(free) > 0 {
			m.items[class] = free[:len(free)-1]
			return free[len(free)-1]
		}
	}
	return make([]Item, 0, leastItems<<class)
}

// putItems takes room back.
func (m *Memory) putItems(items []Item) {
	for class := range m.items {
		if cap(items) == leastItems<<class {
			m.items[class] = append(m.items[class], items[:0])
			return
		}
	}
}
