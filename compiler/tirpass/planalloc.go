package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// A buffer should be allocated where its life begins and not further out: what is allocated in a loop is
// as small as one iteration needs (see compactbuffer.go), and can be shared with other buffers.
//
//	B = alloc                               for i:
//	for i:                                    B = alloc
//	  B[i] = ...; ... = B[i]                  B[i] = ...; ... = B[i]
//
// The place is the lowest common ancestor of all accesses in the tree of loops and blocks, found in one
// walk: a buffer's ancestor so far and a new access climb, deeper side first, until they meet. An
// allocation in a loop is a new buffer in each iteration, though, so from there the place moves out
// again past every loop that carries values of the buffer from one iteration to the next, as a running
// sum or a sliding window does (plancarried.go). TVM's
// src/tir/transforms/plan_update_buffer_allocation_location.cc decides that by the kinds of iteration
// variables alone (see dominate); looking at the accesses also gets loops right that no block describes.

// PlanAndUpdateBufferAllocationLocation moves each buffer of a block to the innermost place
// that holds all its accesses and outside of which its contents are not needed.
var PlanAndUpdateBufferAllocationLocation = &pass.Pass{
	Name: "tir.PlanAndUpdateBufferAllocationLocation", Kind: pass.PrimFunc,
	Doc: "Moves the allocation of each buffer to the lowest common ancestor of its accesses: a block, or a new opaque block in the body of a loop. It stays outside of a loop whose iterations may read what earlier ones wrote.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return planAllocations(c, f), nil
	}),
}

// planAllocations finds the lowest common ancestor of the accesses of each allocated buffer
// among loops and blocks, and goes outward from there past the loops that carry its contents
// from one iteration to the next (see carriers). An access belongs to the loop or block
// around it; one from a block that reads or writes the buffer in its signature only does not
// count.
func planAllocations(ctx *pass.Context, f *tir.PrimFunc) *tir.PrimFunc {
	if !allocates(f.Body, false) {
		return f
	}
	p := &planner{
		ctx:    ctx,
		parent: map[tir.Stmt]tir.Stmt{}, depth: map[tir.Stmt]int{}, lca: map[*tir.Buffer]tir.Stmt{},
		home: map[*tir.Buffer]*tir.Block{}, byData: map[*tir.Var]*tir.Buffer{},
	}
	p.scan(f.Body, nil)
	if len(p.order) == 0 {
		return f
	}
	c := findCarriers(f, p.root)
	place := map[tir.Stmt][]*tir.Buffer{}
	for _, b := range p.order {
		if at := p.outside(b, c); at != nil {
			p.lca[b] = at
			place[at] = append(place[at], b)
			if ctx.Observed() && at != tir.Stmt(p.home[b]) {
				ctx.RewriteAll("allocate closer to the accesses", []ir.Node{b}, []ir.Node{b})
			}
		}
	}
	w := &allocPlacer{planner: p, place: place, visible: visibleBuffers(f)}
	w.m.Stmt = w.stmt
	return f.WithBody(w.stmt(f.Body))
}

type planner struct {
	ctx    *pass.Context
	parent map[tir.Stmt]tir.Stmt // of loops and blocks
	depth  map[tir.Stmt]int
	lca    map[*tir.Buffer]tir.Stmt
	home   map[*tir.Buffer]*tir.Block // the block that allocates a buffer
	order  []*tir.Buffer
	byData map[*tir.Var]*tir.Buffer
	at     tir.Stmt      // the innermost loop or block around what child scans
	child  func(ir.Node) // scans a part of a node
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
		p.scanBlock(n)
		return
	case *tir.For:
		p.scan(n.Min, at)
		p.scan(n.Extent, at)
		p.nest(n, at)
		p.scan(n.Body, n)
		return
	case *tir.While:
		p.nest(n, at)
		p.scan(n.Cond, n)
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
	case *tir.DeclBuffer:
		if b := p.byData[n.Buffer.Data]; b != nil {
			p.access(b, at) // whose memory must be there
		}
	}
	if p.child == nil {
		p.child = func(n ir.Node) { p.scan(n, p.at) }
	}
	outer := p.at
	p.at = at
	n.EachChild(p.child)
	p.at = outer
}

func (p *planner) scanBlock(r *tir.BlockRealize) {
	b := r.Block
	for _, buf := range b.AllocBuffers {
		p.home[buf] = b
		p.order = append(p.order, buf)
		p.byData[buf.Data] = buf
	}
	for _, m := range b.MatchBuffers {
		p.access(m.Source.Buffer, b)
		// Accesses to the view are accesses to its source.
		if src := p.root(m.Source.Buffer); src != nil {
			p.byData[m.Buffer.Data] = src
		}
	}
	p.dominate(r)
	if b.Init != nil {
		p.scan(b.Init, b)
	}
	p.scan(b.Body, b)
}

// dominate keeps buffers outside of the loops that TVM keeps them outside of: what a block
// accumulates into outside of the loops of its reduction, and what an iteration variable
// other than of a spatial or reduction axis indexes outside of the loops that it is bound to.
func (p *planner) dominate(r *tir.BlockRealize) {
	b := r.Block
	opaque := map[*tir.Var]tir.Stmt{}
	for i, iv := range b.IterVars {
		if iv.Kind == tir.DataPar || i >= len(r.Values) {
			continue
		}
		at := p.outsideOf(r.Values[i], b)
		if iv.Kind != tir.CommReduce {
			opaque[iv.Var] = at
		}
		for _, w := range b.Writes {
			p.access(w.Buffer, at)
		}
	}
	for _, list := range [][]*tir.BufferRegion{b.Reads, b.Writes} {
		for _, x := range list {
			for _, dim := range x.Region {
				ir.Walk(dim, func(n ir.Node) bool {
					if v, ok := n.(*tir.Var); ok {
						p.access(x.Buffer, opaque[v])
					}
					return true
				})
			}
		}
	}
}

// outsideOf returns the place outside of all loops around b whose variables e uses, nil if
// there is none.
func (p *planner) outsideOf(e tir.Expr, b *tir.Block) tir.Stmt {
	uses := map[*tir.Var]bool{}
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			uses[v] = true
		}
		return true
	})
	var at tir.Stmt
	for s := p.parent[b]; s != nil; s = p.parent[s] {
		if loop, ok := s.(*tir.For); ok && uses[loop.LoopVar] {
			at = p.parent[s]
		}
	}
	return at
}

// root returns the allocated buffer whose memory b is, nil if there is none.
func (p *planner) root(b *tir.Buffer) *tir.Buffer {
	if p.home[b] != nil {
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
	if old := p.lca[b]; old != nil {
		at = p.common(old, at)
	}
	p.lca[b] = at
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

// outside returns the place for b: the common ancestor of its accesses, or the innermost loop
// or block above it that is outside of all loops that carry its contents. nil if nothing
// accesses b.
func (p *planner) outside(b *tir.Buffer, c *carriers) tir.Stmt {
	at := p.lca[b]
	if at == nil {
		return nil
	}
	home := tir.Stmt(p.home[b])
	if p.depth[at] < p.depth[home] {
		return home // the contents are new each time that the block runs
	}
	var path []tir.Stmt // innermost first
	for s := at; s != nil && s != home; s = p.parent[s] {
		path = append(path, s)
	}
	for i := len(path) - 1; i >= 0; i-- {
		if _, block := path[i].(*tir.Block); !block && c.carries(path[i], b) {
			at = p.parent[path[i]]
			p.ctx.Declined("allocate closer to the accesses", b, "a loop carries its contents from one iteration to the next")
			break
		}
	}
	for {
		if _, ok := at.(*tir.While); !ok {
			return at // a while loop has no place for it
		}
		at = p.parent[at]
	}
}
