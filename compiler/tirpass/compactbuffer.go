package tirpass

import (
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// A schedule that moves a producer into a loop leaves its buffer at full size, although one iteration
// uses a small part of it. Compaction allocates just that part:
//
//	for i in 64:                            for i in 64:
//	  B = alloc(64, 64)                       B = alloc(1, 64)
//	  for j in 64: B[i, j] = A[i, j]          for j in 64: B[0, j] = A[i, j]
//	  for j in 64: C[i, j] = B[i, j]          for j in 64: C[i, j] = B[0, j]
//
// Each access is relaxed to the interval that it covers while the block that allocates the buffer runs
// once: variables defined inside of the block run over their ranges, those outside stay symbolic. The
// union of the intervals in each dimension gives where the smaller buffer starts (min, an expression of
// outer loops) and its extent, which must become a constant or be proved smaller than the old one.
//
// Two things are less simple than that. Memory that threads share must hold what all of them access, so
// variables of such threads are relaxed even though they are outside (sharedAcross). And a buffer that is
// reached by a pointer, another buffer over the same memory, or a vector keeps its shape, since not all
// of its accesses are known.
//
// Cost: one walk, and an interval evaluation for each access over the variables in scope. After TVM's
// src/tir/transforms/compact_buffer_region.cc.

// CompactBufferAllocation shrinks buffers to the part that is accessed.
var CompactBufferAllocation = &pass.Pass{
	Name: "tir.CompactBufferAllocation", Kind: pass.PrimFunc,
	Needs:   []pass.Need{{Form: pass.OpaqueBlocks, Why: "regions must be in terms of loops"}},
	Doc:     "Shrinks each buffer that a block allocates to the region that the block accesses, and shifts the accesses to start at 0.",
	Options: []pass.Option{{Name: "is_strict", Default: true, Doc: "take no more than a buffer's original shape; false makes room for all that is accessed"}},
	Run: pass.EachPrimFunc(func(ctx *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !allocates(f.Body, true) {
			return f, nil
		}
		c := &compactor{
			ctx: ctx, an: arith.Bounded(ctx.Budget()), live: map[*tir.Buffer]*accessed{}, plan: map[*tir.Buffer]*compaction{},
			data: map[*tir.Var]*tir.Buffer{}, strict: ctx.Arg("is_strict").(bool), place: 1,
			only: onlyBuffers(f.Body), aligns: storageAligns(f.Body),
		}
		c.scan(f.Body)
		if len(c.plan) == 0 {
			return f, nil
		}
		return f.WithBody(c.rewrite(f.Body)), nil
	}),
}

// accessed collects the regions of a buffer that its block accesses, relaxed over the
// variables defined inside of the block.
type accessed struct {
	from    int // variables in scope at the block
	scope   string
	regions [][]arith.IntSet
	opaque  bool                      // accessed by pointer: it keeps its shape
	dom     map[*tir.Var]arith.IntSet // of the variables in scope at the last access
	at      int                       // which scope that was; 0 for none
}

// compaction is a smaller buffer and where it starts in the original one.
type compaction struct {
	buffer *tir.Buffer
	min    []tir.Expr
}

type compactor struct {
	ctx *pass.Context
	// strict keeps accesses that are out of bounds so.
	strict bool

	an    *arith.Analyzer
	scope []scopedVar
	place int // counts the changes of scope
	live  map[*tir.Buffer]*accessed
	plan  map[*tir.Buffer]*compaction
	data  map[*tir.Var]*tir.Buffer

	only   map[*tir.Var]*tir.Buffer // the buffer over memory; nil if there are several
	aligns map[*tir.Var][]dimAlign
}

// scopedVar is a variable with its range, or with its value if that is nil. thread is the
// thread that a loop is bound to, iter says that it is of a block.
type scopedVar struct {
	v      *tir.Var
	dom    *tir.Range
	value  tir.Expr
	within *arith.IntSet // what a condition says of a variable in scope, in place of dom and value
	thread string
	iter   bool
}

// sharedAcross reports whether all iterations of a loop bound to the thread see one memory of
// the given scope, as TVM ranks scopes and threads: blocks share what is global, the threads
// of a block also what is shared, and nothing shares what is local.
func sharedAcross(scope, thread string) bool {
	switch {
	case thread == "":
		return false
	case scope == "" || strings.HasPrefix(scope, "global"):
		return true
	case strings.HasPrefix(scope, "shared"):
		return !strings.HasPrefix(thread, "blockIdx")
	case scope == "warp":
		return thread == "threadIdx.x"
	}
	return false
}

// within scans body with x in scope.
func (c *compactor) within(x scopedVar, body ir.Node) {
	if x.dom != nil {
		c.an.BindRange(x.v, x.dom)
	}
	c.push(x)
	c.scan(body)
	c.pop(len(c.scope) - 1)
}

func (c *compactor) push(x scopedVar) {
	c.scope = append(c.scope, x)
	c.place++
}

// pop takes what was pushed behind the first n variables out of scope.
func (c *compactor) pop(n int) {
	c.scope = c.scope[:n]
	c.place++
}

func (c *compactor) scan(n ir.Node) {
	switch n := n.(type) {
	case *tir.For:
		c.scan(n.Min)
		c.scan(n.Extent)
		x := scopedVar{v: n.LoopVar, dom: &tir.Range{Min: n.Min, Extent: n.Extent}}
		if n.Kind == tir.ThreadBinding && n.Thread != nil {
			x.thread = n.Thread.ThreadTag
		}
		c.within(x, n.Body)
		return
	case *tir.LetStmt:
		c.scan(n.Value)
		c.within(scopedVar{v: n.Var, value: n.Value}, n.Body)
		return
	case *tir.Let:
		c.scan(n.Value)
		c.within(scopedVar{v: n.Var, value: n.Value}, n.Body)
		return
	case *tir.AttrStmt:
		if iv := n.BoundThread(); iv != nil {
			x := scopedVar{v: iv.Var, dom: &tir.Range{Min: tir.Const(n.Value.DType(), 0), Extent: n.Value}, thread: iv.ThreadTag}
			c.within(x, n.Body)
			return
		}
	case *tir.Block:
		c.block(n)
		return
	case *tir.BlockRealize:
		for _, v := range n.Values {
			c.scan(v)
		}
		c.scan(n.Predicate)
		c.where(n.Predicate, n.Block)
		return
	case *tir.IfThenElse:
		c.scan(n.Cond)
		c.where(n.Cond, n.Then)
		if n.Else != nil {
			c.where(tir.LogicalNot(n.Cond), n.Else)
		}
		return
	case *tir.Call:
		if isCall(n, tir.OpIfThenElse) {
			c.scan(n.Args[0])
			c.where(n.Args[0], n.Args[1])
			c.where(tir.LogicalNot(n.Args[0]), n.Args[2])
			return
		}
	case *tir.Allocate:
		c.allocate(n)
		return
	case *tir.BufferLoad:
		c.access(n.Buffer, n.Indices)
		for _, e := range n.Indices {
			c.scan(e)
		}
		return
	case *tir.BufferStore:
		c.access(n.Buffer, n.Indices)
		for _, e := range n.Indices {
			c.scan(e)
		}
		c.scan(n.Value)
		return
	case *tir.Var:
		if b := c.data[n]; b != nil && c.live[b] != nil {
			c.live[b].opaque = true
		}
		return
	case *tir.DeclBuffer:
		// Another buffer over the same memory: its indices say nothing of the first one's.
		if b := c.data[n.Buffer.Data]; b != nil && b != n.Buffer && c.live[b] != nil {
			c.live[b].opaque = true
		}
		c.scan(n.Body)
		return
	case *tir.MatchBufferRegion:
		return
	case *tir.BufferRegion:
		return
	}
	n.EachChild(c.scan)
}

func (c *compactor) block(b *tir.Block) {
	// Iteration variables are in scope inside of their block only.
	outer := len(c.scope)
	for _, iv := range b.IterVars {
		c.an.BindRange(iv.Var, iv.Dom)
		c.push(scopedVar{v: iv.Var, dom: iv.Dom, iter: true})
	}
	defer c.pop(outer)
	for _, buf := range b.AllocBuffers {
		c.live[buf] = &accessed{from: len(c.scope), scope: buf.Scope()}
		c.data[buf.Data] = buf
	}
	for _, m := range b.MatchBuffers {
		if a := c.live[m.Source.Buffer]; a != nil {
			a.regions = append(a.regions, c.relax(a, m.Source.Region))
		}
	}
	if b.Init != nil {
		c.scan(b.Init)
	}
	c.scan(b.Body)
	for _, buf := range b.AllocBuffers {
		c.finish(buf)
	}
}

// finish decides on the form of a buffer whose accesses have all been seen.
func (c *compactor) finish(b *tir.Buffer) {
	if p := c.compact(b, c.live[b]); p != nil {
		c.plan[b] = p
		c.ctx.Rewrite(ruleShrink, b, p.buffer)
	}
	delete(c.live, b)
}

func (c *compactor) access(b *tir.Buffer, indices []tir.Expr) {
	a := c.live[b]
	if a == nil {
		return
	}
	region := make([]*tir.Range, len(indices))
	for i, e := range indices {
		if e.DType().Lanes > 1 {
			a.opaque = true
			return
		}
		region[i] = &tir.Range{Min: e, Extent: tir.Const(e.DType(), 1)}
	}
	a.regions = append(a.regions, c.relax(a, region))
}

// relax evaluates a region over the variables defined inside of the block that allocates
// the buffer, and over the threads around it that share its memory with those variables that
// may depend on them. An outer one may bound an inner one.
func (c *compactor) relax(a *accessed, region []*tir.Range) []arith.IntSet {
	if a.at != c.place {
		a.dom, a.at = c.domain(a), c.place
	}
	return arith.EvalSetRegion(region, a.dom)
}

// domain returns the values of the variables in scope over which accesses to the buffer of a are relaxed.
func (c *compactor) domain(a *accessed) map[*tir.Var]arith.IntSet {
	dom := map[*tir.Var]arith.IntSet{}
	across := false // some thread around sees the same memory
	for i, x := range c.scope {
		across = across || sharedAcross(a.scope, x.thread)
		switch {
		case x.within != nil:
			if outer, ok := dom[x.v]; ok {
				delete(dom, x.v)
				dom[x.v] = cutTo(outer, arith.EvalIntSet(*x.within, dom))
			}
		case i < a.from && !sharedAcross(a.scope, x.thread) && !(across && (x.iter || x.dom == nil)):
			continue // one value for all that the block accesses
		case x.dom != nil:
			dom[x.v] = arith.EvalSetRange(x.dom, dom)
		case x.v.DType().IsInteger() && bindable(x.value):
			dom[x.v] = arith.EvalSet(x.value, dom)
		default:
			dom[x.v] = arith.Everything()
		}
	}
	return dom
}

// bindable reports whether a set may be made of the value of a variable: no memory is read and nothing
// called, so it follows from the variables in it.
func bindable(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.BufferLoad, *tir.Call:
			ok = false
		}
		return ok
	})
	return ok
}

// ruleShrink is the name of the rule in decisions.
const ruleShrink = "shrink a buffer"

// compact returns the smaller form of b, nil if all of it is needed.
func (c *compactor) compact(b *tir.Buffer, a *accessed) *compaction {
	switch {
	case a.opaque:
		c.ctx.Declined(ruleShrink, b, "it is accessed through a pointer, another buffer or a vector")
		return nil
	case len(b.Strides) > 0:
		c.ctx.Declined(ruleShrink, b, "it has strides")
		return nil
	case len(a.regions) == 0 || len(b.Shape) == 0:
		return nil
	}
	union := arith.UnionRegion(a.regions)
	p := &compaction{min: make([]tir.Expr, len(b.Shape))}
	shape := make([]tir.Expr, len(b.Shape))
	changed := false
	for i, full := range b.Shape {
		p.min[i], shape[i] = c.extent(union[i], full)
		if shape[i] != full || !tir.IsConst(p.min[i], 0) {
			changed = true
		}
	}
	aligned := alignedStrides(shape, c.aligns[b.Data])
	if !changed && aligned == nil {
		c.ctx.Declined(ruleShrink, b, "all of it is accessed, or the part cannot be bounded")
		return nil
	}
	p.buffer = b.WithShape(shape).WithStrides(aligned)
	return p
}

// extent returns where the set s starts within [0, full) and how many indices it spans, with
// a constant extent where one can be found; 0 and full where it cannot be shrunk. Where the
// compactor is not strict, s may reach beyond full.
func (c *compactor) extent(s arith.IntSet, full tir.Expr) (lo, n tir.Expr) {
	d := full.DType()
	lo, n = tir.Const(d, 0), full
	if !s.HasLower() || !s.HasUpper() {
		return lo, n
	}
	r := s.CoverRange(&tir.Range{Min: tir.Const(d, 0), Extent: full})
	start := c.an.Simplify(tir.Max(tir.Const(d, 0), tir.CastTo(d, r.Min)))
	end := c.an.Simplify(tir.Min(tir.CastTo(d, tir.Add(r.Min, r.Extent)), full))
	size := c.an.Simplify(tir.Sub(end, start))
	if !c.strict {
		start, size = c.an.Simplify(tir.CastTo(d, r.Min)), c.an.Simplify(tir.CastTo(d, r.Extent))
	}
	if _, ok := tir.AsInt(size); !ok {
		// A bound is worth more than an expression of outer loops: memory has one size.
		size2 := c.an.Simplify(tir.CastTo(d, r.Extent))
		bound := c.an.ConstIntBound(size)
		if b2 := c.an.ConstIntBound(size2); b2.Max < bound.Max {
			bound = b2
		}
		if bound.Max >= 1<<40 {
			return lo, n
		}
		size = tir.Const(d, bound.Max)
	}
	if total, ok := tir.AsInt(full); ok {
		if k, _ := tir.AsInt(size); k >= total && (c.strict || k == total && tir.IsConst(start, 0)) || k <= 0 {
			return lo, n
		}
	} else if !c.an.CanProve(tir.LT(size, full)) && !c.an.CanProveLessEqualThanSymbolicShapeValue(size, full) {
		return lo, n
	}
	if readsMemory(start) {
		return lo, n // which may be another when the block begins
	}
	return start, size
}
