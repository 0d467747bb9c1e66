package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Storage rewriting is register allocation for arrays: allocations whose lives do not overlap get one
// piece of memory, made as far out as possible.
//
//	A = alloc(64); write A; read A          A = alloc(64); write A; read A
//	B = alloc(64); write B; read B          write A; read A
//
// Statements are numbered in order. The life of an allocation is the interval from its first to its last
// use (storagelive.go); a use inside of a loop counts from the loop's first statement to its last one,
// because the next iteration comes back, unless the allocation is inside of that loop itself. Allocations
// are then taken in order and get the best free entry: the smallest that is large enough, else the
// largest that is smaller and grows, but none that differs by more than a factor of 16, which would keep
// large memory for small things. An entry is free from the end of the life that it held last.
//
// Memory is not shared between iterations that run at once: entries belong to the innermost parallel or
// thread loop (attach), and are allocated in its body.
//
// Cost: allocations times entries. After TVM's src/tir/transforms/storage_rewrite.cc, without its
// rewriting of buffers to vector types.

// StorageRewrite moves allocations out of loops and lets those that are never live together
// share memory.
var StorageRewrite = &pass.Pass{
	Name: "tir.StorageRewrite", Kind: pass.PrimFunc,
	Needs:  []pass.Need{{Form: pass.FlatBuffers, Why: "memory is shared between flat buffers"}},
	Doc:    "Moves allocations to the outermost place and lets allocations of the same type and scope share memory where their lives do not overlap.",
	Config: []string{"tir.disable_storage_rewrite"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if c.ConfigBool("tir.disable_storage_rewrite") {
			return f, nil
		}
		return f.WithBody(rewriteStorage(c, f.Body)), nil
	}),
}

// storageEntry is memory that one or more allocations use.
type storageEntry struct {
	base   ir.Base
	v      *tir.Var
	typ    dtype.DType
	scope  string
	attach tir.Stmt // loop in whose body it is allocated, nil for the function's body
	elems  int64
	free   int // statement from which nothing uses it
}

func rewriteStorage(c *pass.Context, body tir.Stmt) tir.Stmt {
	live := findLives(c, body)
	if len(live.allocs) == 0 {
		return body
	}
	r := &storageRewriter{ctx: c, live: live, entries: map[tir.Stmt][]*storageEntry{}}
	sub := r.assign()
	if len(sub) == 0 && r.settled(body) {
		return body
	}
	r.report()
	m := &tir.Mapper{}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		switch s := s.(type) {
		case *tir.Allocate:
			if live.byVar[s.Var] != nil {
				return m.Stmt(s.Body)
			}
		case *tir.For:
			if list := r.entries[s]; list != nil {
				out := *m.MapStmt(s).(*tir.For)
				out.Body = allocateEntries(out.Body, list)
				return &out
			}
		case *tir.AttrStmt:
			if list := r.entries[s]; list != nil {
				out := *m.MapStmt(s).(*tir.AttrStmt)
				out.Body = allocateEntries(out.Body, list)
				return &out
			}
		}
		return m.MapStmt(s)
	}
	return tir.SubstStmt(allocateEntries(m.Stmt(body), r.entries[nil]), sub)
}

type storageRewriter struct {
	ctx     *pass.Context
	live    *storageLives
	all     []*storageEntry
	entries map[tir.Stmt][]*storageEntry // by the place where they are allocated
}

// assign gives each allocation its memory and returns the pointers that others replace.
func (r *storageRewriter) assign() map[*tir.Var]tir.Expr {
	sub := map[*tir.Var]tir.Expr{}
	for _, a := range r.live.allocs {
		e := r.best(a)
		if e == nil {
			if r.ctx.Observed() {
				r.ctx.Declined(ruleShare, a.node, r.whyOwn(a))
			}
			e = &storageEntry{base: a.node.Base, v: a.node.Var, typ: a.node.Type, scope: a.scope, attach: a.attach}
			r.all = append(r.all, e)
			r.entries[a.attach] = append(r.entries[a.attach], e)
		}
		a.entry = e
		e.elems, e.free = max(e.elems, a.elems), max(e.free, a.end+1)
		if e.v != a.node.Var {
			sub[a.node.Var] = e.v
		}
	}
	return sub
}

// report reports what becomes of each allocation.
func (r *storageRewriter) report() {
	if !r.ctx.Observed() {
		return
	}
	for _, a := range r.live.allocs {
		name := "move an allocation outward"
		if a.entry.v != a.node.Var {
			name = ruleShare
		}
		r.ctx.RewriteAll(name, []ir.Node{a.node}, []ir.Node{a.entry.v})
	}
}

// ruleShare is the name of the rule.
const ruleShare = "share memory"

// whyOwn says why an allocation shares no memory with those before it.
func (r *storageRewriter) whyOwn(a *liveAlloc) string {
	switch {
	case a.elems*int64(a.node.Type.Bytes()) <= 4:
		return "it is a single value, which becomes a register"
	case a.scope != "global":
		return "its scope is " + a.scope + ": it becomes registers"
	}
	why := "nothing was allocated before it"
	for _, e := range r.all {
		switch {
		case e.typ != a.node.Type:
			why = "what is free has another element type"
		case e.scope != a.scope || e.attach != a.attach:
			why = "what is free is in another scope or parallel loop"
		case e.free > a.start:
			return e.v.Name + " is still needed"
		default:
			return "its size and that of " + e.v.Name + " differ by more than a factor of 16"
		}
	}
	return why
}

// best returns the smallest free memory that a fits into, or the largest that can grow by
// less than a factor of 16; nil if none is free. As in TVM, memory of at most 32 bits and
// memory outside the global scope is not shared: it becomes registers.
func (r *storageRewriter) best(a *liveAlloc) *storageEntry {
	const matchRange = 16
	// Not the first that fits: lives are intervals, so any free entry would be correct, but taking the
	// largest for something small leaves the next large allocation without one.
	if a.elems*int64(a.node.Type.Bytes()) <= 4 || a.scope != "global" {
		return nil
	}
	var fits, grows *storageEntry
	for _, e := range r.all {
		if e.free > a.start || e.typ != a.node.Type || e.scope != a.scope || e.attach != a.attach {
			continue
		}
		if e.elems >= a.elems && e.elems <= a.elems*matchRange && (fits == nil || e.elems < fits.elems) {
			fits = e
		}
		if e.elems < a.elems && e.elems*matchRange >= a.elems && (grows == nil || e.elems > grows.elems) {
			grows = e
		}
	}
	if fits != nil {
		return fits
	}
	return grows
}

// settled reports whether all allocations stand already where they would be moved to.
func (r *storageRewriter) settled(body tir.Stmt) bool {
	for attach, list := range r.entries {
		s := body
		switch at := attach.(type) {
		case *tir.For:
			s = at.Body
		case *tir.AttrStmt:
			s = at.Body
		}
		for _, e := range list {
			a, ok := s.(*tir.Allocate)
			if !ok || a.Var != e.v || len(a.Extents) != 1 || !tir.IsConst(a.Extents[0], e.elems) {
				return false
			}
			s = a.Body
		}
	}
	return true
}

func allocateEntries(body tir.Stmt, list []*storageEntry) tir.Stmt {
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		body = &tir.Allocate{
			Base: e.base, Var: e.v, Type: e.typ, Extents: []tir.Expr{constExtent(e.elems)},
			Condition: tir.Bool(true), Body: body,
		}
	}
	return body
}

func constExtent(n int64) tir.Expr {
	if n > 1<<31-1 {
		return tir.Int(n)
	}
	return tir.Int32(n)
}
