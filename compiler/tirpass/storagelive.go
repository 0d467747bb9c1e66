package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// liveAlloc is one allocation of constant size: the statements between which its content is
// needed, and the place that its memory moves to.
type liveAlloc struct {
	node       *tir.Allocate
	elems      int64
	scope      string
	level      int           // loops and branches around the allocation
	attach     tir.Stmt      // see storageEntry
	start, end int           // numbers of statements, both included
	entry      *storageEntry // the memory that it is given
}

func (a *liveAlloc) extend(from, to int) {
	if a.start < 0 || from < a.start {
		a.start = from
	}
	a.end = max(a.end, to)
}

// storageLives finds the lives of allocations in one walk that numbers the statements.
type storageLives struct {
	ctx    *pass.Context
	time   int
	scopes []*storageScope
	attach tir.Stmt
	allocs []*liveAlloc // in order
	byVar  map[*tir.Var]*liveAlloc
}

// storageScope is a loop or branch around the current statement, with the allocations from
// outside that are used in it: they are live over all of it.
type storageScope struct {
	start   int
	touched []*liveAlloc
}

func findLives(c *pass.Context, body tir.Stmt) *storageLives {
	p := &storageLives{ctx: c, byVar: map[*tir.Var]*liveAlloc{}}
	p.scan(body)
	return p
}

func (p *storageLives) scan(n ir.Node) {
	switch n := n.(type) {
	case *tir.Allocate:
		p.allocate(n)
		return
	case *tir.For:
		p.scan(n.Min)
		p.scan(n.Extent)
		saved := p.attach
		if n.Kind == tir.Parallel || n.Kind == tir.ThreadBinding {
			p.attach = n // iterations run at once: each needs memory of its own
		}
		p.inScope(n.Body)
		p.attach = saved
		return
	case *tir.AttrStmt:
		saved := p.attach
		if n.Key == tir.KeyThreadExtent || n.Key == tir.KeyVirtualThread {
			p.attach = n
		}
		p.scan(n.Value)
		p.scan(n.Body)
		p.attach = saved
		return
	case *tir.While:
		p.inScope(&tir.IfThenElse{Cond: n.Cond, Then: n.Body}) // the condition runs in each turn
		return
	case *tir.IfThenElse:
		p.scan(n.Cond)
		p.inScope(n.Then)
		if n.Else != nil {
			p.inScope(n.Else)
		}
		return
	case *tir.DeclBuffer:
		p.scan(n.Body) // a declaration touches nothing
		return
	case *tir.Buffer:
		p.touch(n.Data)
	case *tir.Var:
		p.touch(n)
	case *tir.BufferStore, *tir.Evaluate:
		p.time++
	}
	n.EachChild(p.scan)
}

func (p *storageLives) inScope(s tir.Stmt) {
	p.scopes = append(p.scopes, &storageScope{start: p.time + 1})
	p.scan(s)
	n := len(p.scopes) - 1
	top := p.scopes[n]
	p.scopes = p.scopes[:n]
	for _, a := range top.touched {
		a.extend(top.start, p.time)
	}
}

// touch notes a use of v: at this statement, or over all of the loop or branch around it
// that lies directly in the scope of the allocation.
func (p *storageLives) touch(v *tir.Var) {
	a := p.byVar[v]
	if a == nil {
		return
	}
	if a.level == len(p.scopes) {
		a.extend(p.time, p.time)
		return
	}
	s := p.scopes[a.level]
	if k := len(s.touched); k == 0 || s.touched[k-1] != a {
		s.touched = append(s.touched, a)
	}
}

// allocate plans n if its size is a constant; other allocations stay where they are.
func (p *storageLives) allocate(n *tir.Allocate) {
	elems, constant := int64(1), tir.IsTrue(n.Condition) && n.Annotations.Len() == 0
	for _, e := range n.Extents {
		x, ok := tir.AsInt(e)
		constant = constant && ok
		elems *= x
	}
	if constant {
		scope := "global"
		if t, ok := n.Var.Type.(*ir.PointerType); ok && t.Scope != "" {
			scope = t.Scope
		}
		a := &liveAlloc{node: n, elems: elems, scope: scope, level: len(p.scopes), attach: p.attach, start: -1, end: -1}
		p.allocs = append(p.allocs, a)
		p.byVar[n.Var] = a
	} else {
		p.ctx.Declined(ruleShare, n, "its size is not a constant, or it has a condition or annotations")
	}
	for _, e := range n.Extents {
		p.scan(e)
	}
	p.scan(n.Body)
}
