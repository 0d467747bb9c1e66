package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// liveAlloc is an allocation that may be moved.
type liveAlloc struct {
	node    *tir.Allocate
	bits    int64 // 0 if the size is not constant
	scope   string
	level   int           // scopes around the allocation
	attach  tir.Stmt      // see storageEntry
	decl    *tir.Buffer   // declared directly behind the allocation
	guarded bool          // it may run less often than the place that it moves to
	entry   *storageEntry // the memory that it is given; nil if nothing uses it
}

// storageEvent is a statement in the order of execution that uses allocations, or the begin or the end of one that holds others. Uses are
// noted at the level of the allocation: what is used inside of a loop is needed at all times of the loop, since the next iteration comes back, unless
// the allocation is inside of the loop itself.
type storageEvent struct {
	stmt      tir.Stmt
	attach    tir.Stmt // where memory belongs that is first used here
	pair      int      // how far the other end of the scope is: ahead of a begin, back of an end, 0 for a statement
	touched   []*liveAlloc
	gen, kill []*liveAlloc // first used here, and last used here
}

// storageLives lists the events of a function in one walk.
type storageLives struct {
	ctx      *pass.Context
	body     tir.Stmt
	events   []*storageEvent
	stack    []*storageEvent
	attach   tir.Stmt
	depth    int // scopes around the body of attach
	inKernel bool
	barriers bool // barriers are written in the function
	defs     map[*tir.Var]tir.Stmt
	threads  []*tir.IterVar // around the present statement
	around   map[tir.Stmt][]*tir.IterVar
	allocs   []*liveAlloc // in order
	byVar    map[*tir.Var]*liveAlloc
	accessed map[*tir.Buffer]bool
	err      error
}

func findLives(c *pass.Context, body tir.Stmt) *storageLives {
	p := &storageLives{
		ctx: c, body: body, byVar: map[*tir.Var]*liveAlloc{}, accessed: map[*tir.Buffer]bool{}, defs: map[*tir.Var]tir.Stmt{}, around: map[tir.Stmt][]*tir.IterVar{},
	}
	p.walk(body)
	p.liveness()
	return p
}

// liveness finds the events with which allocations are first and last used.
func (p *storageLives) liveness() {
	seen := map[*liveAlloc]bool{}
	for i := len(p.events) - 1; i >= 0; i-- {
		for _, a := range p.events[i].touched {
			if !seen[a] {
				seen[a] = true
				p.events[i].kill = append(p.events[i].kill, a)
			}
		}
	}
	clear(seen)
	for i, e := range p.events {
		if e.pair < 0 {
			continue
		}
		for _, a := range p.events[i+e.pair].touched {
			if !seen[a] {
				seen[a] = true
				e.gen = append(e.gen, a)
			}
		}
	}
}

func (p *storageLives) children(n ir.Node) { n.EachChild(p.walk) }

// leaf lists a statement without others in it, or expressions that are computed before those.
func (p *storageLives) leaf(s tir.Stmt, visit func()) {
	e := &storageEvent{stmt: s, attach: p.attach}
	p.stack = append(p.stack, e)
	visit()
	p.stack = p.stack[:len(p.stack)-1]
	if len(e.touched) > 0 {
		p.note(e)
	}
}

func (p *storageLives) note(e *storageEvent) {
	p.events = append(p.events, e)
	if len(p.threads) > 0 {
		p.around[e.stmt] = p.threads
	}
}

// scoped lists a statement that holds others: its begin, those, and its end. Memory inside of it belongs to attach.
func (p *storageLives) scoped(s, attach tir.Stmt) {
	begin, end := &storageEvent{stmt: s, attach: p.attach}, &storageEvent{stmt: s, attach: p.attach}
	first := len(p.events)
	p.note(begin)
	outer, depth := p.attach, p.depth
	p.attach = attach
	p.stack = append(p.stack, end)
	if attach == s {
		p.depth = len(p.stack)
	}
	p.children(s)
	p.stack = p.stack[:len(p.stack)-1]
	p.attach, p.depth = outer, depth
	begin.pair, end.pair = len(p.events)-first, first-len(p.events)
	p.events = append(p.events, end)
}

func (p *storageLives) walk(n ir.Node) {
	switch n := n.(type) {
	case *tir.Allocate:
		p.allocate(n)
	case *tir.DeclBuffer: // touches nothing
		p.walk(n.Body)
	case *tir.BufferStore, *tir.Evaluate:
		p.leaf(n.(tir.Stmt), func() { p.children(n) })
	case *tir.For:
		p.defs[n.LoopVar] = p.attach
		attach := p.attach
		if n.Kind == tir.Parallel || n.Kind == tir.ThreadBinding {
			attach = n // iterations run at once: each needs memory of its own
		}
		if n.Kind == tir.ThreadBinding && n.Thread != nil {
			defer p.within(&tir.IterVar{Var: n.LoopVar, Dom: &tir.Range{Min: n.Min, Extent: n.Extent}, ThreadTag: n.Thread.ThreadTag})()
		}
		p.scoped(n, attach)
	case *tir.AttrStmt:
		p.attr(n)
	case *tir.LetStmt:
		p.defs[n.Var] = p.attach
		p.scoped(n, p.attach)
	case *tir.IfThenElse, *tir.While, *tir.AssertStmt:
		p.scoped(n.(tir.Stmt), p.attach)
	case *tir.Buffer:
		p.accessed[n] = true
		p.touch(n.Data)
	case *tir.Var:
		p.touch(n)
	case *tir.Call:
		if op, _ := callOp(n, true); op == tir.OpStorageSync.Name {
			p.barriers = true
		}
		p.children(n)
	default:
		p.children(n)
	}
}

// within puts a thread around what follows, until the function that it returns is called.
func (p *storageLives) within(iv *tir.IterVar) (leave func()) {
	outer := p.threads
	p.threads = append(outer[:len(outer):len(outer)], iv)
	return func() { p.threads = outer }
}

func (p *storageLives) attr(n *tir.AttrStmt) {
	if v, ok := n.Node.(*tir.Var); ok {
		p.touch(v)
	}
	if iv := n.BoundThread(); iv != nil {
		p.defs[iv.Var] = p.attach
		dom := iv.Dom
		if dom == nil {
			dom = &tir.Range{Min: tir.Const(iv.Var.DType(), 0), Extent: n.Value}
		}
		defer p.within(&tir.IterVar{Var: iv.Var, Dom: dom, ThreadTag: iv.ThreadTag})()
	}
	switch {
	case n.Key == tir.KeyThreadExtent && !p.inKernel:
		p.inKernel = true
		p.scoped(n, n)
		p.inKernel = false
	case n.Key == tir.KeyVirtualThread:
		p.scoped(n, n)
	case n.Key == keyExternScope:
		p.scoped(n, p.attach)
	default:
		p.walk(n.Value)
		p.walk(n.Body)
	}
}

// Keys of AttrStmts around code that may do anything.
const (
	keyExternScope   = "extern_scope"
	keyVolatileScope = "volatile_scope"
)

// touch notes a use of v at the level of its allocation.
func (p *storageLives) touch(v *tir.Var) {
	a := p.byVar[v]
	switch {
	case a == nil:
	case a.level < len(p.stack):
		e := p.stack[a.level]
		if k := len(e.touched); k == 0 || e.touched[k-1] != a {
			e.touched = append(e.touched, a)
		}
	default: // in an expression of a statement that is no scope, such as an attribute
		p.events = append(p.events, &storageEvent{attach: p.attach, touched: []*liveAlloc{a}})
	}
}

// allocate plans n; what cannot be moved stays where it is.
func (p *storageLives) allocate(n *tir.Allocate) {
	p.defs[n.Var] = p.attach
	if why := p.pinned(n); why != "" {
		p.ctx.Declined(ruleShare, n, why)
	} else {
		scope := scopeOf(n.Var)
		if _, _, err := splitScope(scope); err != nil && p.err == nil {
			p.err = err
		}
		a := &liveAlloc{node: n, bits: allocBits(n), scope: scope, level: len(p.stack), attach: p.attach, guarded: len(p.stack) > p.depth}
		if d, ok := n.Body.(*tir.DeclBuffer); ok && d.Buffer.Data == n.Var && p.constant(d.Buffer) {
			a.decl = d.Buffer
		}
		p.allocs = append(p.allocs, a)
		p.byVar[n.Var] = a
	}
	p.leaf(n, func() {
		p.walk(n.Condition)
		for _, e := range n.Extents {
			p.walk(e)
		}
	})
	p.walk(n.Body)
}

// pinned says why an allocation stays where it is, "" if it may be moved.
func (p *storageLives) pinned(n *tir.Allocate) string {
	if !tir.IsTrue(n.Condition) || n.Annotations.Len() > 0 {
		return "it has a condition or annotations"
	}
	for _, e := range n.Extents {
		if !p.known(e) {
			return "its size is known only where it is"
		}
	}
	return ""
}

// constant reports whether a buffer can be declared where its memory is allocated.
func (p *storageLives) constant(b *tir.Buffer) bool {
	ok := true
	b.EachExpr(func(e tir.Expr) { ok = ok && (e == tir.Expr(b.Data) || p.known(e)) })
	return ok
}

// known reports whether e can be computed at the place that memory moves to.
func (p *storageLives) known(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			at, inside := p.defs[n]
			ok = ok && (!inside || at != p.attach)
		case *tir.BufferLoad, *tir.Call, *tir.Let:
			ok = false
		}
		return ok
	})
	return ok
}
