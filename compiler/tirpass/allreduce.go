package tirpass

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LowerThreadAllreduce writes reductions over threads as what threads do.
var LowerThreadAllreduce = &pass.Pass{
	Name: "tir.LowerThreadAllreduce", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces reductions over threads by shuffles between the threads of a warp, where the target has them and the threads fit, and else by a tree over shared memory with barriers.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !f.Attrs.Has(ir.AttrTarget) {
			return nil, errors.New("LowerThreadAllreduce: Require the target attribute, since it depends on the target how threads exchange values: run tir.BindTarget first")
		}
		text := f.Attrs.Str(ir.AttrTarget, "")
		r := &allReducer{
			c: c, an: arith.Bounded(c.Budget()), kind: targetKind(text), warp: targetInt(text, "thread_warp_size", 1), limit: targetInt(text, "max_num_threads", -1),
			results: map[*tir.Var]*reduced{}, buffers: map[*tir.Buffer]*tir.Buffer{},
		}
		r.m.Stmt, r.m.Expr, r.m.Buffer = r.stmt, r.expr, r.buffer
		body := r.stmt(f.Body)
		if r.err != nil {
			return nil, r.err
		}
		return f.WithBody(body), nil
	}),
}

// reduced is where the result of a reduction is once it is lowered.
type reduced struct {
	buffer *tir.Buffer // takes the place of the buffer that the result was to be in
	load   tir.Expr    // reads the result
}

type allReducer struct {
	c         *pass.Context
	m         tir.Mapper
	an        *arith.Analyzer
	kind      string // of the target
	warp      int64  // threads in a warp
	limit     int64  // threads in a block, -1 if unknown
	threads   []*tir.AttrStmt
	combiners []*tir.CommReducer
	results   map[*tir.Var]*reduced
	buffers   map[*tir.Buffer]*tir.Buffer
	err       error
}

func (r *allReducer) fail(err error) tir.Stmt {
	r.err = cmp.Or(r.err, err)
	return tir.NoOp()
}

func (r *allReducer) buffer(b *tir.Buffer) *tir.Buffer {
	to := r.results[b.Data]
	if to == nil {
		return b
	}
	out, ok := r.buffers[b]
	if !ok {
		again := *b
		again.Data = to.buffer.Data
		out = &again
		r.buffers[b] = out
	}
	return out
}

func (r *allReducer) expr(e tir.Expr) tir.Expr {
	if l, ok := e.(*tir.BufferLoad); ok {
		if to := r.results[l.Buffer.Data]; to != nil {
			for _, i := range l.Indices {
				if !tir.IsConst(i, 0) {
					r.fail(fmt.Errorf("the result of a reduction over threads is read from %s at an index that is not 0: it has one element", l.Buffer.Name))
				}
			}
			return to.load
		}
	}
	return r.m.MapExpr(e)
}

func (r *allReducer) stmt(s tir.Stmt) tir.Stmt {
	if r.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.AttrStmt:
		if _, ok := s.Node.(*tir.IterVar); ok && s.Key == tir.KeyThreadExtent {
			r.threads = append(r.threads, s)
			out := r.m.MapStmt(s)
			r.threads = r.threads[:len(r.threads)-1]
			return out
		}
		if reducer, ok := s.Node.(*tir.CommReducer); ok && s.Key == "reduce_scope" {
			r.combiners = append(r.combiners, reducer)
			out := r.m.MapStmt(s)
			r.combiners = r.combiners[:len(r.combiners)-1]
			return out
		}
	case *tir.Evaluate:
		out := r.m.MapStmt(s).(*tir.Evaluate)
		call, ok := tir.IsCallTo(out.Value, tir.OpThreadAllreduce)
		if !ok {
			return out
		}
		lowered := r.lower(call)
		if r.err == nil {
			r.c.Rewrite("lower a reduction over threads", s, lowered)
		}
		return lowered
	case *tir.Allocate:
		out := r.m.MapStmt(s).(*tir.Allocate)
		to := r.results[out.Var]
		if to == nil {
			return out
		}
		body := r.stmt(out.Body) // uses that stand before the reduction
		if to.buffer.Scope() == "shared" {
			body = &tir.AttrStmt{Base: s.Base, Node: to.buffer.Data, Key: volatileScope, Value: tir.Int32(1), Body: body}
		}
		moved := *out
		moved.Var, moved.Type, moved.Extents, moved.Condition, moved.Body = to.buffer.Data, to.buffer.DType, to.buffer.Shape, tir.Bool(true), body
		r.c.Rewrite("let the result of a reduction stay where it is made", s, &moved)
		return &moved
	}
	return r.m.MapStmt(s)
}

// groupThread is a thread around a reduction.
type groupThread struct {
	iv     *tir.IterVar
	dim    int
	extent int64
}

// allReduce is one reduction over threads.
type allReduce struct {
	*allReducer
	base         ir.Base
	combiner     *tir.CommReducer
	values       []tir.Expr
	to           []*tir.Buffer // the results
	index, group tir.Expr      // of a thread in its reduction, and of its reduction
	extent       int64         // threads in a reduction
	groups       int64         // reductions
	contiguous   int64         // threads of a reduction that are next to each other
	seq          []tir.Stmt
	fresh        []*tir.Buffer // to be allocated
}

// lower returns what a call of tvm_thread_allreduce does.
func (r *allReducer) lower(call *tir.Call) tir.Stmt {
	a, err := r.parse(call)
	if err != nil {
		return r.fail(fmt.Errorf("the call of T.tvm_thread_allreduce: %w", err))
	}
	switch {
	case a.inWarps():
		a.reduceInWarps()
	case a.extent == 1:
		for i, b := range a.to {
			a.seq = append(a.seq, a.store(b, a.values[i], tir.Int32(0)))
		}
	default:
		a.reduceInMemory()
	}
	body := tir.Seq(a.seq...)
	for _, b := range a.fresh {
		body = &tir.DeclBuffer{Base: a.base, Buffer: b, Body: body}
		body = &tir.Allocate{Base: a.base, Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: body}
	}
	return body
}

// parse reads the arguments of a call: the number of values, the values, a condition, the results, and the threads.
func (r *allReducer) parse(call *tir.Call) (*allReduce, error) {
	if len(r.combiners) == 0 {
		return nil, errors.New("it stands in no reduce_scope, which says how values are combined")
	}
	a := &allReduce{allReducer: r, base: call.Base, combiner: r.combiners[len(r.combiners)-1]}
	size := len(a.combiner.Result)
	if n, ok := int64(0), len(call.Args) > 0; ok {
		if n, ok = tir.AsInt(call.Args[0]); !ok || n != int64(size) || len(call.Args) < 2+2*size {
			return nil, fmt.Errorf("its first argument must be the number of values that the reduce_scope combines, %d, and that many values, a condition and that many results must follow", size)
		}
	} else {
		return nil, errors.New("it has no arguments")
	}
	cond := call.Args[size+1]
	for i := range size {
		v := call.Args[1+i]
		if !tir.IsConst(cond, 1) {
			v = &tir.Select{Base: a.base, Cond: cond, True: v, False: a.combiner.Identity[i]}
		}
		a.values = append(a.values, v)
		to := call.Args[2+size+i]
		if x, ok := to.(*tir.Cast); ok {
			to = x.Value // of a boolean that is stored as a number
		}
		load, ok := to.(*tir.BufferLoad)
		if !ok {
			return nil, fmt.Errorf("argument %d must name the buffer of a result by a load from it", 2+size+i)
		}
		if r.results[load.Buffer.Data] != nil || slices.Contains(a.to, load.Buffer) {
			return nil, fmt.Errorf("buffer %s is the result of two reductions: give each its own", load.Buffer.Name)
		}
		a.to = append(a.to, load.Buffer)
	}
	over := map[*tir.Var]bool{}
	for i, e := range call.Args[2+2*size:] {
		if v, ok := e.(*tir.Var); ok {
			over[v] = true
		} else if !tir.IsConst(e, 0) {
			return nil, fmt.Errorf("arg%dshould be a VarNode or IntImmNode: it must be the variable of a thread, or 0 for one of extent 1", 2+2*size+i)
		}
	}
	return a, a.arrange(over)
}

// arrange finds the place of a thread in its reduction, which is over some of the threads around.
func (a *allReduce) arrange(over map[*tir.Var]bool) error {
	var inside, outside []groupThread
	for _, s := range a.threads {
		iv := s.Node.(*tir.IterVar)
		level, dim, err := threadDim(iv.ThreadTag)
		if err != nil {
			return err
		}
		if dim < 0 {
			return errors.New("vthread do not work with cross thread reduction: virtual threads must be loops by then")
		}
		if level != 1 {
			continue
		}
		extent, ok := tir.AsInt(s.Value)
		if !ok {
			//lint:ignore ST1005 as TVM says it
			return fmt.Errorf("Need constant extent for reduce set %s: the threads of a block are split into reductions here", iv.ThreadTag)
		}
		t := groupThread{iv, dim, extent}
		switch {
		case over[iv.Var]:
			delete(over, iv.Var)
			if extent != 1 {
				inside = append(inside, t)
			}
		case extent != 1:
			outside = append(outside, t)
		}
	}
	if len(over) > 0 {
		//lint:ignore ST1005 as TVM says it
		return errors.New("Not all reduce index are presented in the context: it is over a variable that no thread_extent around it defines")
	}
	byDim := func(x, y groupThread) int { return cmp.Compare(x.dim, y.dim) }
	slices.SortStableFunc(inside, byDim)
	slices.SortStableFunc(outside, byDim)
	a.index, a.extent = flatThread(inside)
	a.group, a.groups = flatThread(outside)
	a.contiguous = 1
	for _, t := range inside {
		if len(outside) > 0 && outside[0].dim < t.dim {
			break
		}
		a.contiguous *= t.extent
	}
	return nil
}

// flatThread returns the number of a thread among those of the given dimensions, and how many there are.
func flatThread(list []groupThread) (index tir.Expr, extent int64) {
	extent = 1
	for _, t := range list {
		if index == nil {
			index = t.iv.Var
		} else {
			index = tir.Add(index, tir.Mul(t.iv.Var, tir.Const(t.iv.Var.DType(), extent)))
		}
		extent *= t.extent
	}
	if index == nil {
		index = tir.Const(dtype.Int32T, 0)
	}
	return index, extent
}

func (a *allReduce) store(b *tir.Buffer, v, index tir.Expr) tir.Stmt {
	return &tir.BufferStore{Base: a.base, Buffer: b, Value: v, Indices: []tir.Expr{index}}
}

func (a *allReduce) load(b *tir.Buffer, index tir.Expr) tir.Expr {
	return &tir.BufferLoad{Base: a.base, Buffer: b, Indices: []tir.Expr{index}}
}

// newBuffer returns a buffer of n elements.
func (a *allReduce) newBuffer(name string, d dtype.DType, n int64, scope string) *tir.Buffer {
	b := tir.NewBuffer(name, d, []tir.Expr{tir.Const(a.index.DType(), n)}, scope)
	b.Origin = a.base.Origin
	return b
}

// finish says where the results are.
func (a *allReduce) finish(i int, b *tir.Buffer, load tir.Expr) {
	a.results[a.to[i].Data] = &reduced{b, load}
	a.buffers[a.to[i]] = b
}

// combine applies the reducer.
func (a *allReduce) combine(x, y []tir.Expr) []tir.Expr {
	sub := map[*tir.Var]tir.Expr{}
	for i := range x {
		sub[a.combiner.LHS[i]], sub[a.combiner.RHS[i]] = x[i], y[i]
	}
	out := make([]tir.Expr, len(a.combiner.Result))
	for i, e := range a.combiner.Result {
		out[i] = tir.SubstExpr(e, sub)
	}
	return out
}

func (a *allReduce) when(cond tir.Expr, then ...tir.Stmt) tir.Stmt {
	return &tir.IfThenElse{Base: a.base, Cond: cond, Then: tir.Seq(then...)}
}

func (a *allReduce) num(n int64) tir.Expr { return tir.Const(a.index.DType(), n) }
