package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LowerAsyncDMA makes copies that are committed to a queue transfers of a DMA engine.
var LowerAsyncDMA = &pass.Pass{
	Name: "tir.LowerAsyncDMA", Kind: pass.PrimFunc, Lowering: true,
	Doc:    "Replaces loops in the body of an attribute async_commit_queue_scope that copy contiguous memory by dma_copy, and the attributes that wait for such a queue by dma_wait. Several copies of one commit become a group.",
	Config: []string{"tir.experimental_dma_bypass_cache"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &dmaLowerer{c: c, m: newMutator(c, c.Budget()), queues: map[int64]bool{}, bypass: c.ConfigBool("tir.experimental_dma_bypass_cache")}
		l.m.Stmt = l.commits
		body := l.m.MutateStmt(f.Body)
		if len(l.queues) == 0 {
			return f, nil
		}
		w := &tir.Mapper{}
		w.Stmt = func(s tir.Stmt) tir.Stmt { return l.waits(w, s) }
		return f.WithBody(w.Stmt(body)), nil
	}),
}

// The attributes by which InjectSoftwarePipeline says what belongs to a queue.
const (
	attrAsyncCommit   = "async_commit_queue_scope"
	attrAsyncWait     = "async_wait_queue_scope"
	attrAsyncInflight = "async_wait_inflight_count"
)

type dmaLowerer struct {
	c      *pass.Context
	m      *arith.Mutator
	queues map[int64]bool // those with transfers
	queue  *int64         // the one that copies go to, nil outside of commits
	copies int            // of this commit
	bypass bool
}

// commits replaces copies in commits.
func (l *dmaLowerer) commits(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.AttrStmt:
		queue, ok := tir.AsInt(s.Value)
		if s.Key != attrAsyncCommit || !ok || l.queue != nil {
			break
		}
		l.queue, l.copies = &queue, 0
		out := l.m.VisitStmt(s)
		n := l.copies
		l.queue, l.copies = nil, 0
		if n > 1 {
			out = tir.Seq(dmaCall(s.Base, "dma_start_group", tir.Int32(queue)), out, dmaCall(s.Base, "dma_end_group", tir.Int32(queue)))
		}
		return out
	case *tir.For:
		if l.queue == nil {
			break
		}
		out, why := l.transfer(s)
		if out == nil {
			l.c.Declined("copy by DMA", s, why)
			break
		}
		l.queues[*l.queue] = true
		l.copies++
		l.c.Rewrite("copy by DMA", s, out)
		return out
	}
	return l.m.VisitStmt(s)
}

func dmaCall(base ir.Base, name string, args ...tir.Expr) tir.Stmt {
	return &tir.Evaluate{Base: base, Value: &tir.Call{Base: base, Type: dtype.Int32T, Op: tir.LookupBuiltin("tir." + name).Op, Args: args}}
}

// transfer returns the transfer that loop s is, or why it is none.
func (l *dmaLowerer) transfer(s *tir.For) (out tir.Stmt, why string) {
	doms, total := map[*tir.Var]arith.IntSet{}, tir.Expr(tir.Int32(1))
	ranges := map[*tir.Var]*tir.Range{}
	body := tir.Stmt(s)
	for {
		f, ok := body.(*tir.For)
		if !ok {
			break
		}
		if f.Kind == tir.ThreadBinding || f.Step != nil && !tir.IsConst(f.Step, 1) {
			return nil, "loop " + f.LoopVar.Name + " is bound to threads, or has a step"
		}
		doms[f.LoopVar] = arith.FromMinExtent(f.Min, f.Extent)
		ranges[f.LoopVar] = &tir.Range{Min: f.Min, Extent: f.Extent}
		total = tir.Mul(tir.CastTo(f.Extent.DType(), total), f.Extent)
		body = f.Body
	}
	st, ok := body.(*tir.BufferStore)
	if !ok {
		return nil, "its loops run more than a store"
	}
	ld, ok := st.Value.(*tir.BufferLoad)
	switch {
	case !ok:
		return nil, "what it stores is computed: a transfer only copies"
	case len(st.Indices) != 1 || len(ld.Indices) != 1:
		return nil, "its buffers are not flat"
	case st.Predicate != nil || ld.Predicate != nil || st.Value.DType().Lanes != 1:
		return nil, "it copies vectors, or with predicates"
	case ld.Buffer.DType != st.Buffer.DType || len(ld.Buffer.Strides)+len(st.Buffer.Strides) > 0:
		return nil, "its buffers have different types, or strides"
	case ld.Buffer.Data == st.Buffer.Data:
		return nil, "it copies within one buffer, where the parts may overlap"
	}
	a := l.m.An
	dst, src := st.Indices[0], ld.Indices[0]
	if len(arith.DetectIterMap([]tir.Expr{dst}, ranges, nil, arith.Bijective, a, true).Indices) != 1 {
		return nil, "its iterations are not known to write different elements"
	}
	to, from := arith.EvalSet(dst, doms), arith.EvalSet(src, doms)
	if !to.HasLower() || !to.HasUpper() || !from.HasLower() {
		return nil, "the part that it copies has no bounds that are known"
	}
	one := tir.Const(dst.DType(), 1)
	extent := a.Simplify(tir.Add(tir.Sub(to.Max, to.Min), one))
	if !a.CanProveEqual(extent, tir.CastTo(extent.DType(), total)) {
		return nil, "the elements that it writes do not follow each other in memory"
	}
	if !a.CanProveEqual(tir.Sub(dst, to.Min), tir.CastTo(dst.DType(), tir.Sub(src, from.Min))) {
		return nil, "it writes the elements in another order than they have"
	}
	address := func(b *tir.Buffer, at tir.Expr) tir.Expr {
		return &tir.Call{Base: s.Base, Type: dtype.HandleT, Op: tir.OpAddressOf, Args: []tir.Expr{tir.Load(b, a.Simplify(at))}}
	}
	size := tir.Mul(extent, tir.Const(extent.DType(), int64(bytesOf(st.Buffer.DType))))
	return dmaCall(s.Base, "dma_copy", tir.Int32(*l.queue), address(st.Buffer, to.Min), address(ld.Buffer, from.Min), size, tir.Bool(l.bypass)), ""
}

// waits replaces the attributes that wait for a queue with transfers.
func (l *dmaLowerer) waits(m *tir.Mapper, s tir.Stmt) tir.Stmt {
	a, ok := s.(*tir.AttrStmt)
	if !ok || a.Key != attrAsyncWait {
		return m.MapStmt(s)
	}
	queue, ok := tir.AsInt(a.Value)
	in, isCount := a.Body.(*tir.AttrStmt)
	switch {
	case !ok || !l.queues[queue]:
		l.c.Declined("wait for DMA", s, "no copy of this queue is a transfer")
	case !isCount || in.Key != attrAsyncInflight:
		l.c.Declined("wait for DMA", s, "it does not say how many transfers may still be under way")
	default:
		out := tir.Seq(dmaCall(a.Base, "dma_wait", tir.Int32(queue), in.Value), m.Stmt(in.Body))
		l.c.Rewrite("wait for DMA", s, out)
		return out
	}
	return m.MapStmt(s)
}
