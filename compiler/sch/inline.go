package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	errBodyInline = `The body of the inlined block should be in form of
    'A[f(i, j, k, ...)] = g(i, j, k, ...)',
where the store indices mapping f on the left are bijective affine.`
	errBodyReverseInline = "The body of the inlined block should be in form of\n    `B[...] = g(i, j, k, A[f(i, j, k, ...)] ...)`," + `
where A is the only buffer the block consumes, whose indices are distinct atomic variables,
and there should be no variables other than the index variables), and f is a bijective affine
mapping and there should not be predicates in the inlined block. The iter domains of the inlined
block should be covered by the producer block.`
)

// inliner removes a block and rewrites the accesses to the buffer between it and another block.
type inliner struct {
	root     site
	buf      *tir.Buffer
	from, to tir.Stmt // the sequence that holds the block, and what is left of it
	byData   map[*tir.Var]*tir.Buffer
	load     func(*tir.BufferLoad) tir.Expr
	store    func(*tir.BufferStore) tir.Stmt
	realize  func(old *tir.Block, now *tir.BlockRealize) *tir.BlockRealize
	opaque   bool
	became   reuse
	origin   ir.OriginID // of what is removed
}

// hasInit returns an error for a block with an init statement.
func (s *State) hasInit(b *tir.Block) error {
	if b.Init != nil {
		return s.fail("HasInitBlock", "The block has init statement: {0}", b)
	}
	return nil
}

// singleWrite returns the only buffer that a block writes.
func (s *State) singleWrite(b *tir.Block) (*tir.Buffer, error) {
	if len(b.Writes) != 1 {
		return nil, s.fail("NotSingleReadWriteBuffer", fmt.Sprintf("The block is only allowed to write a single buffer region, but it writes %d region(s): {0}", len(b.Writes)), b)
	}
	return b.Writes[0].Buffer, nil
}

// removal returns the innermost sequence around a block in its scope and what is left of it without the block and the loops around.
func (s *State) removal(at, root site) (from, to tir.Stmt, err error) {
	if err := s.checkClosed(at); err != nil {
		return nil, nil, err
	}
	for i := len(at.path) - 2; i >= len(root.path); i-- {
		switch x := at.path[i].(type) {
		case *tir.For, *tir.BlockRealize:
		case *tir.SeqStmt:
			var rest []tir.Stmt
			for _, c := range x.Seq {
				if c != at.path[i+1] {
					rest = append(rest, c)
				}
			}
			return x, tir.Seq(rest...), nil
		default:
			return nil, nil, fmt.Errorf("block %s stands inside of a %s: only loops around a block can be removed with it", at.Block().Name, ir.TypeName(x))
		}
	}
	return nil, nil, s.fail("OnlyLeafError", "Block {0} is the only leaf in the scope {1}, which cannot be removed; Otherwise the scope will be empty.", at.Block(), root.Block())
}

// buffersOf returns the buffers of a function by their data pointers.
func buffersOf(f *tir.PrimFunc) map[*tir.Var]*tir.Buffer {
	out := map[*tir.Var]*tir.Buffer{}
	add := func(list []*tir.BufferRegion) {
		for _, r := range list {
			out[r.Buffer.Data] = r.Buffer
		}
	}
	visit(f.Body, func(x tir.Stmt) bool {
		if b, ok := x.(*tir.Block); ok {
			add(b.Reads)
			add(b.Writes)
			for _, a := range b.AllocBuffers {
				out[a.Data] = a
			}
		}
		return true
	})
	return out
}

// accessed derives what a block reads and writes, opaque accesses in both.
func accessed(b *tir.Block, byData map[*tir.Var]*tir.Buffer) (reads, writes []*tir.BufferRegion) {
	reads, writes, opaque := region.OfBlock(b, byData)
	return append(reads, opaque...), append(writes, opaque...)
}

// run rewrites the scope.
func (n *inliner) run(s *State) (*State, error) {
	n.byData, n.became = buffersOf(n.root.f), reuse{}
	scope := n.root.Block()
	same := s.untouched(scope, n.buf.Data)
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Var:
			n.opaque = n.opaque || e == n.buf.Data
			return e
		case *tir.BufferLoad:
			out := m.MapExpr(e).(*tir.BufferLoad)
			if out.Buffer == n.buf && n.load != nil {
				return n.load(out)
			}
			return out
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		if same[x] {
			return x
		}
		if x == n.from {
			x = n.to
		}
		switch x := x.(type) {
		case *tir.Block:
			for _, mb := range x.MatchBuffers {
				n.opaque = n.opaque || mb.Source.Buffer == n.buf
			}
			out := n.absorb(s, n.signature(m.MapStmt(x).(*tir.Block), x == scope), x)
			n.became[x] = out
			return out
		case *tir.BlockRealize:
			out := m.MapStmt(x).(*tir.BlockRealize)
			if n.realize != nil {
				out = n.realize(x.Block, out)
				n.became[x.Block] = out.Block
			}
			if out.Block.Origin != x.Block.Origin {
				c := *out
				c.Origin = out.Block.Origin
				return &c
			}
			return out
		case *tir.BufferStore:
			out := m.MapStmt(x).(*tir.BufferStore)
			if out.Buffer == n.buf && n.store != nil {
				return n.store(out)
			}
			return out
		}
		return m.MapStmt(x)
	}
	now := m.Stmt(scope)
	if n.opaque {
		return nil, s.fail("OpaqueAccessError", "The buffer to be inlined has opaque access (e.g. `B.data`), or its subregion is matched into other blocks: {0}", scope)
	}
	return s.replace(n.root, now, n.became), nil
}

// signature drops the buffer from what the scope allocates, and derives the regions of a block that accessed it.
func (n *inliner) signature(b *tir.Block, scope bool) *tir.Block {
	if scope {
		var allocs []*tir.Buffer
		for _, a := range b.AllocBuffers {
			if a != n.buf {
				allocs = append(allocs, a)
			}
		}
		return b.WithAllocBuffers(allocs)
	}
	for _, r := range append(append([]*tir.BufferRegion(nil), b.Reads...), b.Writes...) {
		if r.Buffer == n.buf {
			reads, writes := accessed(b, n.byData)
			return b.WithReads(reads).WithWrites(writes)
		}
	}
	return b
}

// absorb notes that a block does the work of the one that is removed too.
func (n *inliner) absorb(s *State, b, old *tir.Block) *tir.Block {
	if s.origins == nil || b == old || len(realizes(b)) > 0 {
		return b
	}
	o := s.merged(b.Origin, n.origin)
	if o == b.Origin {
		return b
	}
	own := func(x tir.Stmt) tir.Stmt {
		if x == nil {
			return nil
		}
		return tir.RewriteStmt(x, func(x tir.Stmt) tir.Stmt { return ir.WithOrigin(x, o) }, nil)
	}
	out := *b
	out.Origin, out.Init, out.Body = o, own(b.Init), own(b.Body)
	return &out
}

// ComputeInline puts what a block computes in the place of the elements that its consumers read, and removes it (TVM's compute_inline).
func (s *State) ComputeInline(b *Block) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	block := at.Block()
	if err := s.hasInit(block); err != nil {
		return nil, err
	}
	buf, err := s.singleWrite(block)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, true)
	if err != nil {
		return nil, err
	}
	if err := s.checkNotOutput(at, root); err != nil {
		return nil, err
	}
	if err := s.checkComplete(at, root.Block()); err != nil {
		return nil, err
	}
	if err := s.checkInputsLast(block, root.Block(), buf); err != nil {
		return nil, err
	}
	vars, value, ok := inlinable(block)
	if !ok {
		return nil, s.fail("BodyAnalysisError", errBodyInline, block)
	}
	n := &inliner{root: root, buf: buf, origin: block.Origin}
	if n.from, n.to, err = s.removal(at, root); err != nil {
		return nil, err
	}
	n.load = func(l *tir.BufferLoad) tir.Expr {
		sub := map[*tir.Var]tir.Expr{}
		for i, v := range vars {
			sub[v] = tir.CastTo(v.DType(), l.Indices[i])
		}
		return tir.SubstExpr(value, sub)
	}
	return n.run(s)
}

// inlinable returns the value that a block stores as an expression of variables that stand for the indices; ok is false if there is none.
func inlinable(b *tir.Block) (vars []*tir.Var, value tir.Expr, ok bool) {
	store, ok := b.Body.(*tir.BufferStore)
	if !ok {
		return nil, nil, false
	}
	an := arith.NewAnalyzer()
	if len(store.Indices) == len(b.IterVars) {
		for i, e := range store.Indices {
			iv := b.IterVars[i]
			zero := an.CanProveEqual(e, tir.Const(e.DType(), 0)) && tir.IsConst(iv.Dom.Min, 0) && tir.IsConst(iv.Dom.Extent, 1)
			if e != tir.Expr(iv.Var) && !zero {
				break
			}
			vars = append(vars, iv.Var)
		}
		if len(vars) == len(b.IterVars) {
			return vars, store.Value, true
		}
	}
	doms := domains(b)
	res := arith.DetectIterMap(store.Indices, doms, tir.Bool(true), arith.Bijective, an, false)
	if len(res.Errors) > 0 {
		return nil, nil, false
	}
	vars = nil
	points := make([]tir.Expr, len(store.Indices))
	for i, e := range store.Indices {
		v := tir.NewVar(fmt.Sprintf("ph_%d", i), e.DType())
		vars, points[i] = append(vars, v), v
	}
	inverse, err := arith.InverseAffineIterMap(res.Indices, points)
	if err != nil {
		return nil, nil, false
	}
	for _, iv := range b.IterVars {
		if !tir.Symbolic(iv.Dom.Min) && an.CanProveEqual(iv.Dom.Extent, tir.Const(iv.Dom.Extent.DType(), 1)) {
			inverse[iv.Var] = iv.Dom.Min
		}
	}
	return vars, tir.SubstExpr(store.Value, inverse), true
}

// domains returns the domains of the iteration variables of a block.
func domains(b *tir.Block) map[*tir.Var]*tir.Range {
	out := map[*tir.Var]*tir.Range{}
	for _, iv := range b.IterVars {
		out[iv.Var] = iv.Dom
	}
	return out
}
