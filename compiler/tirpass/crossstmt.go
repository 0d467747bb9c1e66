package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/reducer"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// threadReduction is a reduction of block r over loops that is to be split. inside holds the results
// of a thread, none if it has one value only, across those of all threads.
type threadReduction struct {
	*reducer.Reduction
	r              *tir.BlockRealize
	loops          []*tir.For
	inside, across []*tir.Buffer
}

// stmt returns the blocks of the reduction inside of the loops that are bound to threads.
func (t *threadReduction) stmt() tir.Stmt {
	var list []tir.Stmt
	if t.inside != nil {
		list = append(list, t.init())
	}
	if s := t.inThread(t.loops[0]); s != nil {
		list = append(list, s)
	}
	out := tir.Seq(append(list, t.allReduce(), t.writeBack())...)
	for i := len(t.loops) - 1; i >= 0; i-- {
		if tagOf(t.loops[i]) != "" {
			out = t.loops[i].WithBody(out)
		}
	}
	return out
}

// block returns a block of the reduction.
func (t *threadReduction) block(suffix string, pred tir.Expr, iters []*tir.IterVar, values []tir.Expr, reads, writes []*tir.BufferRegion, body tir.Stmt) tir.Stmt {
	b := &tir.Block{Base: t.r.Block.Base, IterVars: iters, Reads: reads, Writes: writes, Name: t.r.Block.Name + suffix, Body: body}
	return &tir.BlockRealize{Base: t.r.Base, Values: values, Predicate: pred, Block: b}
}

func firstElements(buffers []*tir.Buffer) []*tir.BufferRegion {
	out := make([]*tir.BufferRegion, len(buffers))
	for i, b := range buffers {
		out[i] = &tir.BufferRegion{Buffer: b, Region: []*tir.Range{{Min: tir.Int32(0), Extent: tir.Int32(1)}}}
	}
	return out
}

func (t *threadReduction) init() tir.Stmt {
	stores := make([]tir.Stmt, len(t.inside))
	for i, b := range t.inside {
		stores[i] = &tir.BufferStore{Base: t.r.Block.Base, Buffer: b, Value: t.Reducer.Identity[i], Indices: []tir.Expr{tir.Int32(0)}}
	}
	return t.block("_in_thread_init", tir.Bool(true), nil, nil, nil, firstElements(t.inside), tir.Seq(stores...))
}

// inThread returns s, in the outermost loop, with the block reducing in its thread, without the loops over
// threads around it; nil if nothing is left.
func (t *threadReduction) inThread(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BlockRealize:
		if s != t.r {
			return s
		}
		if t.inside == nil {
			return nil
		}
		b := s.Block.WithInit(nil).WithWrites(firstElements(t.inside)).WithBody(t.redirect(s.Block.Body)).WithName(s.Block.Name + "_in_thread")
		return s.WithBlock(b)
	case *tir.For:
		body := t.inThread(s.Body)
		if body == nil || tagOf(s) != "" && reduces(body) {
			return body
		}
		return s.WithBody(body)
	case *tir.SeqStmt:
		var list []tir.Stmt
		for _, x := range s.Seq {
			if x = t.inThread(x); x != nil {
				list = append(list, x)
			}
		}
		if len(list) == 0 {
			return nil
		}
		return tir.Seq(list...)
	}
	return s
}

// reduces reports whether a block in s has a reduction variable.
func reduces(s tir.Stmt) bool {
	return ir.Any(s, func(n ir.Node) bool {
		b, ok := n.(*tir.Block)
		return ok && slices.ContainsFunc(b.IterVars, func(iv *tir.IterVar) bool { return iv.Kind == tir.CommReduce })
	})
}

// redirect makes accesses to the buffers of the reduction accesses to those of the thread.
func (t *threadReduction) redirect(s tir.Stmt) tir.Stmt {
	zero := []tir.Expr{tir.Int32(0)}
	return tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt {
		if st, ok := s.(*tir.BufferStore); ok {
			if i := slices.Index(t.Buffers, st.Buffer); i >= 0 {
				return st.WithBuffer(t.inside[i]).WithIndices(zero)
			}
		}
		return s
	}, func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok {
			if i := slices.Index(t.Buffers, l.Buffer); i >= 0 {
				return l.WithBuffer(t.inside[i]).WithIndices(zero)
			}
		}
		return e
	})
}

// load reads the one element of b.
func (t *threadReduction) load(b *tir.Buffer) tir.Expr {
	return &tir.BufferLoad{Base: t.r.Block.Base, Buffer: b, Indices: []tir.Expr{tir.Int32(0)}}
}

// allReduce combines the results of all threads.
func (t *threadReduction) allReduce() tir.Stmt {
	base := t.r.Block.Base
	args := []tir.Expr{tir.Const(dtype.UInt32T, int64(len(t.Buffers)))}
	if t.inside == nil {
		args = append(args, t.Values...)
	}
	for _, b := range t.inside {
		args = append(args, t.load(b))
	}
	args = append(args, tir.Bool(true))
	for _, b := range t.across {
		args = append(args, t.load(b))
	}
	for _, l := range t.loops {
		if tagOf(l) != "" {
			args = append(args, l.LoopVar)
		}
	}
	combine := *t.Reducer
	combine.Base = base
	null := &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpReinterpret, Args: []tir.Expr{tir.Const(dtype.UInt64T, 0)}}
	body := &tir.AttrStmt{
		Base: base, Node: &combine, Key: "reduce_scope", Value: null,
		Body: &tir.Evaluate{Base: base, Value: &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpThreadAllreduce, Args: args}},
	}
	if t.inside != nil {
		return t.block("_cross_thread", tir.Bool(true), nil, nil, firstElements(t.inside), firstElements(t.across), body)
	}
	return t.block("_cross_thread", tir.Bool(true), t.r.Block.IterVars, t.r.Values, t.r.Block.Reads, firstElements(t.across), body)
}

// writeBack stores the results, in one thread if others see them.
func (t *threadReduction) writeBack() tir.Stmt {
	var iters []*tir.IterVar
	var values []tir.Expr
	own := map[*tir.Var]tir.Expr{}
	for i, iv := range t.r.Block.IterVars {
		if iv.Kind == tir.CommReduce {
			continue
		}
		v := *iv.Var
		again := *iv
		again.Var = &v
		own[iv.Var] = &v
		iters, values = append(iters, &again), append(values, t.r.Values[i])
	}
	indices := make([]tir.Expr, len(t.Indices))
	for i, e := range t.Indices {
		indices[i] = tir.SubstExpr(e, own)
	}
	region := make([]*tir.Range, len(t.r.Block.Writes[0].Region))
	for i, x := range t.r.Block.Writes[0].Region {
		region[i] = &tir.Range{Min: tir.SubstExpr(x.Min, own), Extent: tir.SubstExpr(x.Extent, own)}
	}
	stores, writes := make([]tir.Stmt, len(t.Buffers)), make([]*tir.BufferRegion, len(t.Buffers))
	for i, b := range t.Buffers {
		stores[i] = &tir.BufferStore{Base: t.r.Block.Base, Buffer: b, Value: t.load(t.across[i]), Indices: indices}
		writes[i] = &tir.BufferRegion{Buffer: b, Region: region}
	}
	return t.block("_write_back", t.writePredicate(), iters, values, firstElements(t.across), writes, tir.Seq(stores...))
}

// writePredicate is the part of the predicate of the block that says nothing of the loops of the
// reduction, and that the thread is the first if its memory is not its own.
func (t *threadReduction) writePredicate() tir.Expr {
	over := map[*tir.Var]bool{}
	for _, l := range t.loops {
		over[l.LoopVar] = true
	}
	out := tir.Expr(tir.Bool(true))
	var clauses func(e tir.Expr)
	clauses = func(e tir.Expr) {
		if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpAnd {
			clauses(b.A)
			clauses(b.B)
		} else if !arith.UsesVar(e, func(v *tir.Var) bool { return over[v] }) {
			out = conjunction(out, e)
		}
	}
	clauses(t.r.Predicate)
	if t.Buffers[0].Scope() == "local" {
		return out
	}
	for _, l := range t.loops {
		if tagOf(l) != "" {
			out = conjunction(out, tir.EQ(l.LoopVar, tir.Const(l.LoopVar.DType(), 0)))
		}
	}
	return out
}
