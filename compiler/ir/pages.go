package ir

// Pages hands out elements that lie many to a page, and takes all of them back at once, for what is made and dropped by the million. The zero Pages is
// empty.
type Pages[T any] struct {
	list  [][]T
	page  int
	rest  []T
	total int
}

// The first page has few elements, each other one twice as many as the one before, up to the largest.
const (
	firstPage   = 8
	largestPage = 256
)

// Take returns n elements, at most 32, which hold what they held before.
func (p *Pages[T]) Take(n int) []T {
	for n > len(p.rest) {
		if p.page == len(p.list) {
			size := min(firstPage<<min(p.page, 5), largestPage)
			p.list = append(p.list, make([]T, size))
			p.total += size
		}
		p.rest = p.list[p.page]
		p.page++
	}
	out := p.rest[:n:n]
	p.rest = p.rest[n:]
	return out
}

// One returns an element that holds v.
func (p *Pages[T]) One(v T) *T {
	out := &p.Take(1)[0]
	*out = v
	return out
}

// Each calls f for all elements that were taken, where these were taken one by one.
func (p *Pages[T]) Each(f func(*T)) {
	for i := range p.page {
		page := p.list[i]
		if i == p.page-1 {
			page = page[:len(page)-len(p.rest)]
		}
		for k := range page {
			f(&page[k])
		}
	}
}

// Reset takes all elements back. Nothing may look at them any more.
func (p *Pages[T]) Reset() { p.page, p.rest = 0, nil }

// Len returns how many elements there is room for.
func (p *Pages[T]) Len() int { return p.total }
