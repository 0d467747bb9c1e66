package lower

// Memory is what graphs are made of. It serves one after the other: what a generator makes of a module is a graph for each function, of which nothing
// is left when its code is written. The zero value is ready.
type Memory struct {
	nodes   pages[Node]
	args    pages[*Node]
	regions pages[Region]
	count   int          // of regions in this graph
	items   [24][][]Item // room that no region has, by size
	known   table
}

// Reset takes back what a graph was made of. Nothing may look at it any more.
func (m *Memory) Reset() {
	m.nodes.reset()
	m.args.reset()
	m.known.reset()
	for i := range m.count {
		m.putItems(m.regions.at(i).Items)
	}
	m.regions.reset()
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

// pages hands out elements that lie many to a page.
type pages[T any] struct {
	list [][]T
	page int
	rest []T
}

const perPage = 128

// take returns n elements, which hold what they held before.
func (p *pages[T]) take(n int) []T {
	if len(p.rest) < n {
		if p.page == len(p.list) {
			p.list = append(p.list, make([]T, perPage))
		}
		p.rest = p.list[p.page]
		p.page++
	}
	out := p.rest[:n:n]
	p.rest = p.rest[n:]
	return out
}

// at returns element i, where all were taken one by one.
func (p *pages[T]) at(i int) *T { return &p.list[i/perPage][i%perPage] }

func (p *pages[T]) reset() { p.page, p.rest = 0, nil }
