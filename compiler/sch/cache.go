package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// cacheStage is a copy of a buffer to be put into a scope, and where.
type cacheStage struct {
	from, to *tir.Buffer // what the copy reads and writes
	root     site
	loc      tir.Stmt // the loop of the scope, or the scope, whose body it is put into
	pos      int
	region   *tir.BufferRegion
	pred     tir.Expr // of the copy; nil is true
	stmt     tir.Stmt // the copy
	block    *tir.Block
	became   reuse
	base     ir.Base // of the copy
}

// detect finds where the copy of what a block writes stands: before the first of the related blocks, in the innermost loop around them all
// (TVM's CacheLocDetector); at the end of the scope if there are none.
func (c *cacheStage) detect(writer *tir.Block, related map[*tir.Block]bool) {
	scope := c.root.Block()
	if len(related) == 0 {
		c.loc, c.pos = scope, 1
		if q, ok := peeled(scope.Body).(*tir.SeqStmt); ok {
			c.pos = len(q.Seq)
		}
		return
	}
	c.loc, c.pos = nil, -1
	seen, met := false, false // the writer, a related block
	var visit func(tir.Stmt)
	visit = func(x tir.Stmt) {
		switch x := x.(type) {
		case *tir.SeqStmt:
			before := seen
			seen = false
			for i, y := range x.Seq {
				if c.pos >= 0 {
					break
				}
				visit(y)
				if seen && met && c.pos < 0 {
					c.pos = i
					break
				}
				if met {
					break
				}
			}
			seen = seen || before
			return
		case *tir.For:
			visit(x.Body)
			if seen && met && c.loc == nil && c.pos >= 0 {
				c.loc = x
			}
			return
		case *tir.Block:
			if x == writer {
				seen = true
			} else if related[x] {
				met = true
			}
			return
		}
		children(x, visit)
	}
	visit(scope.Body)
	if met && c.loc == nil {
		c.loc = scope
		if !seen && c.pos < 0 {
			c.pos = 0
		}
	}
	c.pos = max(c.pos, 0)
	if c.loc == nil {
		c.loc = scope
	}
}

// peeled returns what is inside of constants and declarations of buffers at the beginning of a body.
func peeled(x tir.Stmt) tir.Stmt {
	for {
		switch y := x.(type) {
		case *tir.AllocateConst:
			x = y.Body
		case *tir.DeclBuffer:
			x = y.Body
		default:
			return x
		}
	}
}

// inserted puts the copy into a body.
func (c *cacheStage) inserted(x tir.Stmt) tir.Stmt {
	switch y := x.(type) {
	case *tir.AllocateConst:
		return y.WithBody(c.inserted(y.Body))
	case *tir.DeclBuffer:
		return y.WithBody(c.inserted(y.Body))
	case *tir.SeqStmt:
		list := append([]tir.Stmt(nil), y.Seq[:c.pos]...)
		return tir.Seq(append(append(list, c.stmt), y.Seq[c.pos:]...)...)
	}
	if c.pos == 0 {
		return tir.Seq(c.stmt, x)
	}
	return tir.Seq(x, c.stmt)
}

// below returns the loops between the place of the copy and a block.
func (c *cacheStage) below(at site) []*tir.For {
	loops := at.loops()
	for i, l := range loops {
		if tir.Stmt(l) == c.loc {
			return loops[i+1:]
		}
	}
	return loops
}

// relax returns the part of a buffer that a block accesses in all iterations of the loops below the place of the copy in which one of some conditions on
// the variables of the block holds, besides its predicate; no conditions always hold.
func (c *cacheStage) relax(at site, r *tir.BufferRegion, when []tir.Expr) *tir.BufferRegion {
	loops := c.below(at)
	outer := allLoops(c.root)
	if all := at.loops(); len(all) > len(loops) {
		outer = append(outer, all[:len(all)-len(loops)]...)
	}
	an := arith.NewAnalyzer()
	bound := bindings(at.Realize())
	sub := substRegion(r, bound)
	pred, dom := at.Realize().Predicate, relaxed(loops, outer, r.Buffer)
	var paths [][]arith.IntSet
	for _, cond := range when {
		paths = append(paths, arith.EstimateRegionUpperBound(sub.Region, dom, tir.And(pred, tir.SubstExpr(cond, bound)), an))
	}
	if len(when) == 0 {
		paths = append(paths, arith.EstimateRegionUpperBound(sub.Region, dom, pred, an))
	}
	sets := arith.UnionRegion(paths)
	full := tir.FullRegion(r.Buffer)
	out := make([]*tir.Range, len(sets))
	for _, l := range outer {
		an.BindRange(l.LoopVar, rangeOf(l))
	}
	for i, x := range sets {
		out[i] = x.CoverRange(full.Region[i])
		end := tir.LE(tir.Add(out[i].Min, out[i].Extent), full.Region[i].Extent)
		if (len(when) > 0 || !tir.IsTrue(pred)) && !an.CanProve(tir.And(tir.GE(out[i].Min, full.Region[i].Min), end)) {
			out[i] = full.Region[i] // what the predicate keeps within the buffer; TVM copies beyond it
		}
	}
	return &tir.BufferRegion{Buffer: r.Buffer, Region: out}
}

// copyBlock makes the loops and the block of the copy. If not whole, the cache has the shape of the region.
func (c *cacheStage) copyBlock(scope string, whole, read bool) {
	var loops []*tir.For
	var ivs []*tir.IterVar
	var values, src, dst []tir.Expr
	for i, r := range c.region.Region {
		d := r.Extent.DType()
		ax := tir.NewVar(fmt.Sprintf("ax%d", i), d)
		loops = append(loops, &tir.For{Base: c.base, LoopVar: ax, Min: tir.Const(d, 0), Extent: r.Extent})
		dim := c.region.Buffer.Shape[i]
		if whole {
			d = dim.DType() // of the axis, which indices need not have
		}
		v := tir.NewVar(fmt.Sprintf("v%d", i), d)
		if whole {
			values = append(values, tir.CastTo(d, tir.Add(r.Min, ax)))
			ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(dim.DType(), 0), Extent: dim}, Var: v})
			src, dst = append(src, v), append(dst, v)
			continue
		}
		values = append(values, ax)
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(d, 0), Extent: r.Extent}, Var: v})
		far := tir.Add(r.Min, v)
		if read {
			src, dst = append(src, far), append(dst, v)
		} else {
			src, dst = append(src, v), append(dst, far)
		}
	}
	c.copyOf(c.region.Buffer.Name+"_"+scope, loops, ivs, values, src, dst)
}

// copyOf makes the loops and the block of a copy from element to element.
func (c *cacheStage) copyOf(name string, loops []*tir.For, ivs []*tir.IterVar, values, src, dst []tir.Expr) {
	c.block = &tir.Block{
		Base: c.base, IterVars: ivs, Reads: []*tir.BufferRegion{point(c.from, src)}, Writes: []*tir.BufferRegion{point(c.to, dst)}, Name: name,
		Body: &tir.BufferStore{Buffer: c.to, Value: tir.Load(c.from, src...), Indices: dst},
	}
	if c.pred == nil {
		c.pred = tir.Bool(true)
	}
	c.stmt = &tir.BlockRealize{Base: c.base, Values: values, Predicate: c.pred, Block: c.block}
	for i := len(loops) - 1; i >= 0; i-- {
		c.stmt = loops[i].WithBody(c.stmt)
	}
}

// point returns the region of one element.
func point(b *tir.Buffer, indices []tir.Expr) *tir.BufferRegion {
	region := make([]*tir.Range, len(indices))
	for i, e := range indices {
		region[i] = &tir.Range{Min: e, Extent: tir.Const(e.DType(), 1)}
	}
	return &tir.BufferRegion{Buffer: b, Region: region}
}

// allReadersUnder reports whether the child blocks of a scope that read a buffer are child blocks of a loop or block.
func allReadersUnder(scope *tir.Block, x tir.Stmt, b *tir.Buffer) bool {
	under := map[*tir.Block]bool{}
	for _, r := range realizes(x) {
		under[r.Block] = true
	}
	for _, r := range realizes(scope) {
		if regionOf(r.Block.Reads, b) != nil && !under[r.Block] {
			return false
		}
	}
	return true
}
