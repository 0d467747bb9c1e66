package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// PlanAndUpdateBufferAllocationLocation moves each buffer of a block to the innermost place
// that holds all its accesses.
var PlanAndUpdateBufferAllocationLocation = &pass.Pass{
	Name: "tir.PlanAndUpdateBufferAllocationLocation", Kind: pass.PrimFunc,
	Doc: "Moves the allocation of each buffer to the lowest common ancestor of its accesses: a block, or a new opaque block in the body of a loop.",
	Run: pass.EachPrimFunc(func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return planAllocations(f), nil
	}),
}

// planAllocations finds the lowest common ancestor of the accesses of each allocated buffer
// among loops and blocks. An access belongs to the loop or block around it; one from a block
// that reads or writes the buffer in its signature only does not count.
func planAllocations(f *tir.PrimFunc) *tir.PrimFunc {
	p := &planner{
		parent: map[tir.Stmt]tir.Stmt{}, depth: map[tir.Stmt]int{}, lca: map[*tir.Buffer]tir.Stmt{},
		managed: map[*tir.Buffer]bool{}, byData: map[*tir.Var]*tir.Buffer{}, reduceOf: map[tir.Stmt]map[*tir.Var]bool{},
	}
	p.scan(f.Body, nil)
	place := map[tir.Stmt][]*tir.Buffer{}
	for _, b := range p.order {
		if at := p.lca[b]; at != nil {
			place[at] = append(place[at], b)
		}
	}
	w := &allocPlacer{planner: p, place: place, visible: map[*tir.Buffer]bool{}}
	w.m.Stmt = w.stmt
	return f.WithBody(w.stmt(f.Body))
}

type planner struct {
	parent   map[tir.Stmt]tir.Stmt // loops and blocks
	depth    map[tir.Stmt]int
	lca      map[*tir.Buffer]tir.Stmt
	managed  map[*tir.Buffer]bool
	order    []*tir.Buffer
	byData   map[*tir.Var]*tir.Buffer
	reduceOf map[tir.Stmt]map[*tir.Var]bool // variables that reduction iters of a block are bound to
}

func (p *planner) scan(n ir.Node, at tir.Stmt) {
	switch n := n.(type) {
	case *tir.BlockRealize:
		for _, v := range n.Values {
			p.scan(v, at)
		}
		if n.Predicate != nil {
			p.scan(n.Predicate, at)
		}
		p.nest(n.Block, at)
		p.reduceOf[n.Block] = reductionVars(n)
		p.scanBlock(n.Block)
		return
	case *tir.For:
		p.scan(n.Min, at)
		p.scan(n.Extent, at)
		p.nest(n, at)
		p.scan(n.Body, n)
		return
	case *tir.BufferLoad:
		p.access(n.Buffer, at)
	case *tir.BufferStore:
		p.access(n.Buffer, at)
	case *tir.Var:
		if b := p.byData[n]; b != nil {
			p.access(b, at)
		}
	}
	n.EachChild(func(c ir.Node) { p.scan(c, at) })
}

func reductionVars(r *tir.BlockRealize) map[*tir.Var]bool {
	var out map[*tir.Var]bool
	for i, iv := range r.Block.IterVars {
		if iv.Kind == tir.DataPar || i >= len(r.Values) {
			continue
		}
		ir.Walk(r.Values[i], func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok {
				if out == nil {
					out = map[*tir.Var]bool{}
				}
				out[v] = true
			}
			return true
		})
	}
	return out
}

func (p *planner) scanBlock(b *tir.Block) {
	for _, buf := range b.AllocBuffers {
		p.managed[buf] = true
		p.order = append(p.order, buf)
		p.byData[buf.Data] = buf
	}
	for _, m := range b.MatchBuffers {
		p.access(m.Source.Buffer, p.parent[b])
		// Accesses to the view are accesses to its source.
		if src := p.root(m.Source.Buffer); src != nil {
			p.byData[m.Buffer.Data] = src
		}
	}
	// What a block accumulates into must outlive the loops of its reduction.
	if at := p.outsideReduction(b); at != tir.Stmt(b) {
		for _, w := range b.Writes {
			p.access(w.Buffer, at)
		}
	}
	if b.Init != nil {
		p.scan(b.Init, b)
	}
	p.scan(b.Body, b)
}

func (p *planner) root(b *tir.Buffer) *tir.Buffer {
	if p.managed[b] {
		return b
	}
	return p.byData[b.Data]
}

func (p *planner) nest(s, at tir.Stmt) {
	p.parent[s] = at
	if at != nil {
		p.depth[s] = p.depth[at] + 1
	}
}

// access notes that the accesses of b reach to at.
func (p *planner) access(b *tir.Buffer, at tir.Stmt) {
	if b = p.root(b); b == nil || at == nil {
		return
	}
	old := p.lca[b]
	if old == nil {
		p.lca[b] = at
		return
	}
	p.lca[b] = p.common(old, at)
}

// outsideReduction returns the ancestor of b outside all loops that its reduction runs
// over, b itself if there are none.
func (p *planner) outsideReduction(b *tir.Block) tir.Stmt {
	at := tir.Stmt(b)
	vars := p.reduceOf[at]
	if len(vars) == 0 {
		return at
	}
	best := at
	for s := p.parent[at]; s != nil; s = p.parent[s] {
		if loop, ok := s.(*tir.For); ok && vars[loop.LoopVar] {
			best = p.parent[s]
			if best == nil {
				return at
			}
		}
	}
	return best
}

func (p *planner) common(a, b tir.Stmt) tir.Stmt {
	for p.depth[a] > p.depth[b] {
		a = p.parent[a]
	}
	for p.depth[b] > p.depth[a] {
		b = p.parent[b]
	}
	for a != b {
		a, b = p.parent[a], p.parent[b]
	}
	return a
}
