package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// Storage rewriting is register allocation for arrays: allocations whose lives do not overlap get one
// piece of memory, made as far out as possible.
//
//	A = alloc(64); write A; read A          A = alloc(64); write A; read A
//	B = alloc(64); write B; read B          write A; read A
//
// Statements are listed in order, a loop or branch as its begin and its end. An allocation lives from the first to the last of them that uses it
// at its own level (storagelive.go). In that order allocations get memory: that of an allocation which the same statement reads last, where it
// reads each element just to compute that one (storageinplace.go), or free memory (storageplan.go). Memory is free from the end
// of the life that it held last.
//
// Memory is not shared between iterations that run at once: entries belong to a parallel loop or the launch of a kernel (attach), and are allocated
// in its body. What cannot be moved there, because its size is not known before, stays where it is.
//
// Memory of a special kind, whose scope has a tag, is one allocation with a part for each entry (storagetagged.go).
//
// Last, buffers in such memory that are accessed by vectors of one length get elements that are vectors, as PointerValueTypeRewrite does for all.
//
// Cost: allocations times free entries. After TVM's src/tir/transforms/storage_rewrite.cc.

// StorageRewrite moves allocations out of loops and lets those that are never live together
// share memory.
var StorageRewrite = &pass.Pass{
	Name: "tir.StorageRewrite", Kind: pass.PrimFunc,
	Needs:  []pass.Need{{Form: pass.FlatBuffers, Why: "memory is shared between flat buffers"}},
	Doc:    "Moves allocations to the outermost place, lets allocations of one scope share memory where their lives do not overlap or one is computed from the other element by element, and gives buffers that are accessed as vectors elements that are vectors.",
	Config: []string{"tir.disable_storage_rewrite", configMergeStatic},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if c.ConfigBool("tir.disable_storage_rewrite") {
			return f, nil
		}
		body, err := rewriteStorage(c, f)
		if err != nil {
			return nil, err
		}
		// Constants keep their type, as TVM's generators have no constants that are vectors, and parameters theirs, as callers know it.
		return rewritePointers(c, f.WithBody(body), pointerRules{allocations: true, lets: true, untyped: true, lenient: true})
	}),
}

// Names of the rules.
const (
	ruleShare   = "share memory"
	ruleInPlace = "write over what is read last"
)

func rewriteStorage(c *pass.Context, f *tir.PrimFunc) (tir.Stmt, error) {
	live := findLives(c, f.Body)
	if live.err != nil {
		return nil, live.err
	}
	p := &storagePlan{
		ctx: c, live: live, reuse: !c.ConfigBool(configMergeStatic), exact: exactStorage(f),
		sized: map[tir.Stmt][]*storageEntry{}, unsized: map[tir.Stmt][]*storageEntry{}, over: map[*liveAlloc]bool{},
	}
	p.run()
	r := &storageRewriter{
		ctx: c, plan: p, live: live, an: arith.Bounded(c.Budget()), sub: map[*tir.Var]tir.Expr{}, hoisted: map[*tir.Buffer]bool{},
		buffers: map[*tir.Buffer]*tir.Buffer{}, entries: map[tir.Stmt][]*storageEntry{},
	}
	r.an.MarkShapes(f)
	r.place()
	if r.settled(f.Body) {
		return f.Body, nil
	}
	r.report()
	r.m.Stmt, r.m.Expr, r.m.Buffer = r.stmt, r.expr, r.buffer
	return tir.SubstStmt(r.allocate(r.stmt(f.Body), nil), r.sub), nil
}

// exactStorage reports whether memory can be used for elements of one type only.
func exactStorage(f *tir.PrimFunc) bool {
	t, err := target.Parse(f.Attrs.Str(ir.AttrTarget, ""))
	return err == nil && (t.Kind().Name == "vulkan" || t.Kind().Name == "webgpu")
}

type storageRewriter struct {
	ctx     *pass.Context
	plan    *storagePlan
	live    *storageLives
	an      *arith.Analyzer
	m       tir.Mapper
	sub     map[*tir.Var]tir.Expr
	hoisted map[*tir.Buffer]bool        // declared where their memory is allocated
	buffers map[*tir.Buffer]*tir.Buffer // in parts of memory, made larger
	entries map[tir.Stmt][]*storageEntry
}

// place makes the statements that allocate memory.
func (r *storageRewriter) place() {
	for _, e := range r.plan.all {
		r.entries[e.attach] = append(r.entries[e.attach], e)
	}
	mergeTagged(r.live, r.entries)
	for _, e := range r.plan.all {
		r.allocation(e)
		for _, a := range e.allocs {
			if v := e.placed.v; v != a.node.Var {
				r.sub[a.node.Var] = v
			}
		}
	}
}

// report reports what becomes of each allocation.
func (r *storageRewriter) report() {
	if !r.ctx.Observed() {
		return
	}
	for _, a := range r.live.allocs {
		switch {
		case a.entry == nil:
			r.ctx.Rewrite("remove an allocation that nothing uses", a.node, nil)
		case r.plan.over[a.entry.allocs[0]] && a != a.entry.allocs[0]:
			r.ctx.RewriteAll(ruleInPlace, []ir.Node{a.node}, []ir.Node{a.entry.placed.v})
		case a.entry.placed.v != a.node.Var:
			r.ctx.RewriteAll(ruleShare, []ir.Node{a.node}, []ir.Node{a.entry.placed.v})
		default:
			r.ctx.RewriteAll("move an allocation outward", []ir.Node{a.node}, []ir.Node{a.entry.placed.v})
		}
	}
}

// drops reports whether the declaration of a buffer goes: because it has moved, or nothing accesses it.
func (r *storageRewriter) drops(b *tir.Buffer) bool { return r.hoisted[b] || !r.live.accessed[b] }

func (r *storageRewriter) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Allocate:
		if r.live.byVar[s.Var] != nil {
			return r.stmt(s.Body)
		}
	case *tir.DeclBuffer:
		if r.drops(s.Buffer) {
			return r.stmt(s.Body)
		}
	case *tir.For:
		if r.entries[s] != nil {
			out := r.m.MapStmt(s).(*tir.For)
			return out.WithBody(r.allocate(out.Body, s))
		}
	case *tir.AttrStmt:
		if r.entries[s] != nil {
			out := r.m.MapStmt(s).(*tir.AttrStmt)
			return out.WithBody(r.allocate(out.Body, s))
		}
	case *tir.BufferStore:
		out := r.m.MapStmt(s).(*tir.BufferStore)
		return out.WithIndices(r.shifted(s.Buffer, out.Indices))
	}
	return r.m.MapStmt(s)
}

// allocate puts the allocations of a place around its body.
func (r *storageRewriter) allocate(body, attach tir.Stmt) tir.Stmt {
	list := r.entries[attach]
	for i := len(list) - 1; i >= 0; i-- {
		for j := len(list[i].nest) - 1; j >= 0; j-- {
			switch s := list[i].nest[j].(type) {
			case *tir.Allocate:
				body = s.WithBody(body)
			case *tir.DeclBuffer:
				body = s.WithBody(body)
			}
		}
	}
	return body
}

// settled reports whether everything stands already where it would be moved to.
func (r *storageRewriter) settled(body tir.Stmt) bool {
	if len(r.sub) > 0 {
		return false
	}
	for _, a := range r.live.allocs {
		if a.entry == nil {
			return false
		}
	}
	for attach, list := range r.entries {
		s := body
		switch at := attach.(type) {
		case *tir.For:
			s = at.Body
		case *tir.AttrStmt:
			s = at.Body
		}
		if !settledAt(s, list) {
			return false
		}
	}
	unused := false
	ir.Walk(body, func(n ir.Node) bool {
		if d, ok := n.(*tir.DeclBuffer); ok && !r.live.accessed[d.Buffer] {
			unused = true
		}
		_, expr := n.(tir.Expr)
		return !expr && !unused
	})
	return !unused
}

// settledAt reports whether a body begins with the allocations of entries, in any order.
func settledAt(s tir.Stmt, list []*storageEntry) bool {
	wanted := map[*tir.Var]*storageEntry{}
	for _, e := range list {
		wanted[e.v] = e
	}
	for len(wanted) > 0 {
		a, ok := s.(*tir.Allocate)
		if !ok || wanted[a.Var] == nil {
			return false
		}
		nest := wanted[a.Var].nest
		if want := nest[0].(*tir.Allocate); a.Type != want.Type || !sameExprs(a.Extents, want.Extents) {
			return false
		}
		delete(wanted, a.Var)
		s = a.Body
		if len(nest) > 1 { // its body is the declaration
			s = s.(*tir.DeclBuffer).Body
		}
	}
	return true
}
