package tirpass

import (
	"cmp"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// sharedRegion is a region of the merged allocation. Its layers lie over each other: what is in one of them is dead
// when the next one is in use; the buffers of one layer lie next to each other.
type sharedRegion struct {
	bits   int64 // 0 if the size is not constant
	layers [][]*tir.Var
}

// sharedStep is a statement in the order of execution, or the begin or end of one that holds others, with the buffers
// that it uses at the level of their allocation.
type sharedStep struct {
	touched []*tir.Var
	pair    int // how far the other end of the scope is: ahead of a begin, back of an end, 0 for a statement
	gen     []*tir.Var
	kill    []*tir.Var
}

// sharedPlan decides where the buffers of a scope lie. After TVM's src/tir/transforms/merge_shared_memory_allocations.cc, except that no buffer
// takes the place of one that is read by the same statement.
type sharedPlan struct {
	scope    string
	allocs   map[*tir.Var]*tir.Allocate
	steps    []*sharedStep
	level    map[*tir.Var]int // of allocations
	stack    []*sharedStep
	inKernel bool
	at       map[*tir.Var]*sharedRegion
	sized    []*sharedRegion // free regions of constant size, by size
	unsized  []*sharedRegion // and the others
	regions  []*sharedRegion // all in use
}

// smallBits is the size up to which buffers keep a place of their own.
const smallBits = 32

func (p *sharedPlan) plan(body tir.Stmt) {
	p.level = map[*tir.Var]int{}
	p.walk(body)
	p.liveness()
	for _, s := range p.steps {
		// A statement that reads one buffer and writes another may be run by one thread before another one: they share nothing.
		if s.pair < 0 {
			p.freeAll(s.kill)
		}
		for _, v := range s.gen {
			p.at[v] = p.find(v)
		}
		if s.pair == 0 {
			p.freeAll(s.kill)
		}
	}
}

func (p *sharedPlan) freeAll(list []*tir.Var) {
	for _, v := range list {
		p.free(v)
	}
}

// liveness says at which step a buffer is first and last used: with the scopes around, up to that of its allocation.
func (p *sharedPlan) liveness() {
	seen := map[*tir.Var]bool{}
	for _, s := range slices.Backward(p.steps) {
		for _, v := range s.touched {
			if !seen[v] {
				seen[v] = true
				s.kill = append(s.kill, v)
			}
		}
	}
	clear(seen)
	for i, s := range p.steps {
		if s.pair < 0 {
			continue
		}
		for _, v := range p.steps[i+s.pair].touched {
			if !seen[v] {
				seen[v] = true
				s.gen = append(s.gen, v)
			}
		}
	}
}

func (p *sharedPlan) touch(v *tir.Var) {
	if p.allocs[v] == nil {
		return
	}
	level := p.level[v]
	if level >= len(p.stack) { // used by what stands around all statements
		return
	}
	p.stack[level].touched = append(p.stack[level].touched, v)
}

func (p *sharedPlan) push() *sharedStep {
	s := &sharedStep{}
	p.stack = append(p.stack, s)
	return s
}

func (p *sharedPlan) pop() { p.stack = p.stack[:len(p.stack)-1] }

func (p *sharedPlan) children(n ir.Node) { n.EachChild(p.walk) }

// walk lists the statements.
func (p *sharedPlan) walk(n ir.Node) {
	switch n := n.(type) {
	case *tir.Allocate:
		p.level[n.Var] = len(p.stack)
		for _, e := range n.Extents {
			p.walk(e)
		}
		p.walk(n.Body)
	case *tir.DeclBuffer:
		p.walk(n.Body)
	case *tir.BufferStore:
		s := p.push()
		for _, e := range n.Indices {
			p.walk(e)
		}
		p.walk(n.Value)
		if n.Predicate != nil {
			p.walk(n.Predicate)
		}
		p.touch(n.Buffer.Data)
		p.pop()
		if len(s.touched) > 0 {
			p.steps = append(p.steps, s)
		}
	case *tir.Evaluate:
		s := p.push()
		p.walk(n.Value)
		p.pop()
		if len(s.touched) > 0 {
			p.steps = append(p.steps, s)
		}
	case *tir.LetStmt: // its value is read where the statement stands
		s := p.push()
		p.walk(n.Value)
		p.pop()
		if len(s.touched) > 0 {
			p.steps = append(p.steps, s)
		}
		p.walk(n.Body)
	case *tir.BufferLoad:
		p.children(n)
		p.touch(n.Buffer.Data)
	case *tir.Var:
		p.touch(n)
	case *tir.AttrStmt:
		outermost := n.Key == tir.KeyThreadExtent && !p.inKernel
		if !outermost && n.Key != "extern_scope" && n.Key != tir.KeyVirtualThread {
			if n.Value != nil {
				p.walk(n.Value)
			}
			p.walk(n.Body)
			return
		}
		p.inKernel = p.inKernel || outermost
		p.scoped(n)
		if outermost {
			p.inKernel = false
		}
	case *tir.IfThenElse, *tir.For, *tir.While, *tir.AssertStmt:
		p.scoped(n)
	default:
		p.children(n)
	}
}

// scoped lists a statement that holds others: its begin, those, and its end.
func (p *sharedPlan) scoped(n ir.Node) {
	begin, first := &sharedStep{}, len(p.steps)
	p.steps = append(p.steps, begin)
	s := p.push()
	p.children(n)
	p.pop()
	begin.pair, s.pair = len(p.steps)-first, first-len(p.steps)
	p.steps = append(p.steps, s)
}

// bits is the size of an allocation, 0 if it is not constant.
func allocBits(a *tir.Allocate) int64 {
	n := int64(a.Type.Bits) * max(int64(a.Type.Lanes), 1)
	for _, e := range a.Extents {
		k, ok := tir.AsInt(e)
		if !ok || k > 0 && n > math.MaxInt64/k {
			return 0
		}
		n *= k
	}
	return n
}

// find returns a region for a buffer: the smallest free one that it fits into, unless it would be mostly empty, or several smaller ones
// together, or a new one.
func (p *sharedPlan) find(v *tir.Var) *sharedRegion {
	const matchRange = 16
	bits := allocBits(p.allocs[v])
	fresh := &sharedRegion{bits: bits, layers: [][]*tir.Var{{v}}}
	switch {
	case bits > 0 && bits <= smallBits:
	case bits > 0:
		mid, _ := slices.BinarySearchFunc(p.sized, bits, func(r *sharedRegion, n int64) int { return cmp.Compare(r.bits, n) })
		if mid < len(p.sized) && p.sized[mid].bits <= bits*matchRange {
			r := p.sized[mid]
			p.sized = slices.Delete(p.sized, mid, mid+1)
			r.layers = append(r.layers, []*tir.Var{v})
			return r
		}
		var layers [][]*tir.Var
		var sum int64
		from := mid
		for from > 0 && sum < bits {
			from--
			r := p.sized[from]
			sum += r.bits
			for i, layer := range r.layers {
				if i == len(layers) {
					layers = append(layers, nil)
				}
				layers[i] = append(layers[i], layer...)
			}
		}
		if sum > 0 {
			gone := p.sized[from:mid]
			p.regions = slices.DeleteFunc(p.regions, func(r *sharedRegion) bool { return slices.Contains(gone, r) })
			p.sized = slices.Delete(p.sized, from, mid)
			fresh.bits, fresh.layers = max(bits, sum), append(layers, []*tir.Var{v})
		}
	case len(p.unsized) > 0:
		r := p.unsized[0]
		p.unsized = p.unsized[1:]
		r.layers = append(r.layers, []*tir.Var{v})
		return r
	}
	p.regions = append(p.regions, fresh)
	return fresh
}

func (p *sharedPlan) free(v *tir.Var) {
	r := p.at[v]
	switch {
	case r.bits > 0 && r.bits <= smallBits:
	case r.bits > 0:
		at, _ := slices.BinarySearchFunc(p.sized, r.bits+1, func(r *sharedRegion, n int64) int { return cmp.Compare(r.bits, n) })
		p.sized = slices.Insert(p.sized, at, r)
	default:
		p.unsized = append(p.unsized, r)
	}
}

// layOut gives each buffer its offset in bytes, and returns the size of all: free regions in order, then those that are never free. Buffers that
// nothing uses have no place.
func (p *sharedPlan) layOut(order []*tir.Allocate, offsets map[*tir.Var]tir.Expr) tir.Expr {
	all := slices.Concat(p.sized, p.unsized)
	for _, r := range p.regions {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	var align []int64 // of each layer
	for _, r := range all {
		for i, layer := range r.layers {
			if i == len(align) {
				align = append(align, 1)
			}
			for _, v := range layer {
				align[i] = max(align[i], int64(bytesOf(p.allocs[v].Type)))
			}
		}
	}
	total := tir.Expr(tir.Int32(0))
	for _, r := range all {
		size := tir.Expr(tir.Int32(0))
		for i, layer := range r.layers {
			inner := tir.Expr(tir.Int32(0))
			for _, v := range layer {
				a := p.allocs[v]
				offsets[v] = tir.Add(total, inner)
				n := tir.Expr(tir.Int32(int64(bytesOf(a.Type))))
				for _, e := range a.Extents {
					n = tir.Mul(tir.CastTo(n.DType(), e), n)
				}
				inner = tir.Add(inner, n)
				k := tir.Int32(align[i])
				inner = tir.Add(inner, tir.FloorMod(tir.Sub(k, tir.FloorMod(inner, k)), k))
			}
			size = tir.Max(size, inner)
		}
		if k := tir.Int32(slices.Max(align)); slices.Min(align) != k.Value { // the next region must be aligned for its first layer too
			size = tir.Add(size, tir.FloorMod(tir.Sub(k, tir.FloorMod(size, k)), k))
		}
		total = tir.Add(total, size)
	}
	for _, a := range order {
		if offsets[a.Var] == nil {
			offsets[a.Var] = tir.Int32(0)
		}
	}
	return total
}
