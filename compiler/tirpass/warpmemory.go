package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// LowerWarpMemory keeps the memory of a warp in the registers of its threads.
//
// Memory of scope warp is shared by threads that run in step. Its elements are dealt out: with width threads along x and the
// coefficient m of threadIdx.x in the indices of its stores, element m*z + width*m*y + x (x < m) is element m*y + x of thread z. A store has to
// be to the thread's own elements and becomes local; a load of another thread's becomes a shuffle. The scheme, and the limit
// to threadIdx.x, are those of TVM's lower_warp_memory.cc.
var LowerWarpMemory = &pass.Pass{
	Name: "tir.LowerWarpMemory", Kind: pass.PrimFunc, Lowering: true,
	Doc:         "Replaces memory of scope warp by local memory of its threads, and loads of what another thread has by tvm_warp_shuffle. The target says how many threads a warp has (thread_warp_size); with one, nothing changes.",
	ReadsTarget: true,
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !hasWarpMemory(f.Body) {
			return f, nil
		}
		size, err := warpSizeOf(c, f)
		if err != nil || size == 1 {
			return f, err
		}
		l := &warpLowerer{c: c, size: size, an: arith.Bounded(c.Budget()), vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
		l.bind(f.Body)
		l.m.Stmt, l.m.Expr, l.m.Buffer = l.stmt, l.expr, l.buffer
		body := l.stmt(f.Body)
		if l.err != nil {
			return nil, l.err
		}
		return f.WithBody(body), nil
	}),
}

func hasWarpMemory(s tir.Stmt) bool {
	return anyStmt(s, func(s tir.Stmt) bool {
		a, ok := s.(*tir.Allocate)
		return ok && scopeOf(a.Var) == "warp"
	})
}

// warpSizeOf returns how many threads a warp of the target of f has.
func warpSizeOf(c *pass.Context, f *tir.PrimFunc) (int64, error) {
	t := c.TargetOf()
	if text := f.Attrs.Str(ir.AttrTarget, ""); text != "" {
		var err error
		if t, err = target.Parse(text); err != nil {
			return 0, fmt.Errorf("its attribute target: %w", err)
		}
	}
	if t.IsZero() {
		return 0, fmt.Errorf("LowerWarpMemory: Require the target attribute: give a target, such as cuda, or run tir.BindTarget first")
	}
	n := t.IntAttr("thread_warp_size", 1)
	if n < 1 || n > 1<<10 {
		return 0, fmt.Errorf("the target has thread_warp_size %d: expected 1 to 1024", n)
	}
	return n, nil
}

// warpLowerer rewrites the accesses to warp memory.
type warpLowerer struct {
	c        *pass.Context
	m        tir.Mapper
	size     int64
	an       *arith.Analyzer
	vars     map[*tir.Var]*tir.Var // pointers to warp memory, now local
	buffers  map[*tir.Buffer]*tir.Buffer
	of       map[*tir.Var]*warpMemory
	launches []*tir.AttrStmt // around the statement that is visited
	err      error
}

// warpMemory is how an allocation is dealt out.
type warpMemory struct {
	index  *tir.Var // of the thread in the warp
	width  int64    // threads along x
	coeff  int64    // m
	groups int64    // values of y
}

func (l *warpLowerer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// bind tells the analyzer the ranges of loops and threads.
func (l *warpLowerer) bind(s tir.Stmt) {
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			l.an.BindRange(n.LoopVar, &tir.Range{Min: n.Min, Extent: n.Extent})
		case *tir.AttrStmt:
			if iv := n.BoundThread(); iv != nil {
				l.an.BindRange(iv.Var, &tir.Range{Min: tir.Const(n.Value.DType(), 0), Extent: n.Value})
			}
		}
		return true
	})
}

func (l *warpLowerer) stmt(s tir.Stmt) tir.Stmt {
	if l.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.Allocate:
		if scopeOf(s.Var) == "warp" {
			return l.allocate(s)
		}
	case *tir.AttrStmt:
		l.launches = append(l.launches, s)
		defer func() { l.launches = l.launches[:len(l.launches)-1] }()
	case *tir.BufferStore:
		w := l.of[s.Buffer.Data]
		if w == nil {
			break
		}
		if len(s.Indices) != 1 {
			l.fail("Expected flat memory to use as warp memory. Has FlattenBuffer been run?")
			return s
		}
		local, thread, ok := l.split(w, s.Indices[0])
		if !ok || !l.an.CanProveEqual(thread, tir.CastTo(thread.DType(), w.index)) {
			l.fail("LowerWarpMemory failed due to store index=%s: a thread can store elements of its own only, those of thread %s here", text(s.Indices[0]), w.index.Name)
			return s
		}
		out := s.WithBuffer(l.buffer(s.Buffer)).WithValue(l.expr(s.Value)).WithIndices([]tir.Expr{local})
		l.c.Rewrite("store to registers", s, out)
		return out
	}
	return l.m.MapStmt(s)
}

func (l *warpLowerer) allocate(a *tir.Allocate) tir.Stmt {
	w, total := l.find(a)
	if l.err != nil {
		return a
	}
	v := &tir.Var{Base: a.Var.Base, Name: a.Var.Name, Type: &ir.PointerType{Elem: a.Var.Type.(*ir.PointerType).Elem, Scope: "local"}}
	if l.of == nil {
		l.of = map[*tir.Var]*warpMemory{}
	}
	l.vars[a.Var], l.of[a.Var] = v, w
	out := a.WithVar(v).WithExtents([]tir.Expr{tir.Int32(total / w.width)}).WithBody(l.stmt(a.Body))
	l.c.Rewrite("deal out warp memory", a, out)
	return out
}

func (l *warpLowerer) buffer(b *tir.Buffer) *tir.Buffer {
	v := l.vars[b.Data]
	if v == nil {
		return b
	}
	out := l.buffers[b]
	if out == nil {
		c := *b
		c.Data = v
		if w := l.of[b.Data]; w != nil && len(c.Shape) == 1 {
			if n, ok := tir.AsInt(c.Shape[0]); ok {
				c.Shape = []tir.Expr{tir.Const(c.Shape[0].DType(), (n+w.width*w.coeff-1)/(w.width*w.coeff)*w.coeff)}
			}
		}
		out = &c
		l.buffers[b] = out
	}
	return out
}

// The positions at which intrinsics of matrices have a pointer to registers; behind each is the index.
var registerArgs = map[string][]int{"tir.ptx_mma": {6, 8, 10}, "tir.ptx_ldmatrix": {3}, "tir.mma_store": {3}, "tir.mma_fill": {1}}

func (l *warpLowerer) expr(e tir.Expr) tir.Expr {
	if l.err != nil {
		return e
	}
	switch n := e.(type) {
	case *tir.Var:
		if l.vars[n] != nil {
			l.fail("Cannot access address of warp memory %s directly: it is spread over the registers of the threads", n.Name)
		}
		return e
	case *tir.BufferLoad:
		if w := l.of[n.Buffer.Data]; w != nil {
			return l.load(w, n)
		}
	case *tir.Call:
		if at := registerArgs[n.Op.CalleeName()]; at != nil {
			return l.matrices(n, at)
		}
	}
	return l.m.MapExpr(e)
}

// load reads an element, from the thread that has it.
func (l *warpLowerer) load(w *warpMemory, n *tir.BufferLoad) tir.Expr {
	if len(n.Indices) != 1 || n.Predicate != nil {
		l.fail("Expected flat memory to use as warp memory, accessed without predicates. Has FlattenBuffer been run?")
		return n
	}
	local, thread, ok := l.split(w, n.Indices[0])
	if !ok || usesAny(local, w.index) {
		l.fail("LowerWarpMemory failed to rewrite load to shuffle for index %s local_index=%s", text(n.Indices[0]), text(local))
		return n
	}
	own := n.WithBuffer(l.buffer(n.Buffer)).WithIndices([]tir.Expr{local})
	if l.an.CanProveEqual(thread, tir.CastTo(thread.DType(), w.index)) {
		return own
	}
	mask := &tir.Call{Base: n.Base, Type: dtype.UInt32T, Op: tir.LookupBuiltin("tir.tvm_warp_activemask").Op}
	out := &tir.Call{Base: n.Base, Type: own.DType(), Op: tir.LookupBuiltin("tir.tvm_warp_shuffle").Op, Args: []tir.Expr{mask, own, thread, tir.Int32(w.width), tir.Int32(l.size)}}
	l.c.Rewrite("load by a shuffle", n, out)
	return out
}

// matrices rewrites the registers of an intrinsic.
func (l *warpLowerer) matrices(n *tir.Call, at []int) tir.Expr {
	args := append([]tir.Expr(nil), n.Args...)
	pointer := map[int]bool{}
	for _, i := range at {
		if i+1 >= len(args) {
			continue
		}
		v, ok := args[i].(*tir.Var)
		if !ok || l.of[v] == nil {
			continue
		}
		local, _, ok := l.split(l.of[v], args[i+1])
		if !ok {
			l.fail("%s has the index %s into warp memory, which is no sum that can be dealt out", n.Op.CalleeName(), text(args[i+1]))
			return n
		}
		args[i], args[i+1] = l.vars[v], local
		pointer[i], pointer[i+1] = true, true
	}
	for i := range args {
		if !pointer[i] {
			args[i] = l.expr(args[i])
		}
	}
	return n.WithArgs(args)
}

// text is e as it is written.
func text(e tir.Expr) string { return script.Node(e, script.Options{}) }
