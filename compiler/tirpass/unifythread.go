package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// UnifyThreadBinding binds each thread of a kernel once.
var UnifyThreadBinding = &pass.Pass{
	Name: "tir.UnifyThreadBinding", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Gives all loops of a kernel that are bound to the same thread one variable, and launches all threads around the kernel. Refuses loops over one thread with different extents.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		u := &threadUnifier{c: c, an: arith.Bounded(c.Budget()), sub: map[*tir.Var]tir.Expr{}}
		u.m.Stmt, u.m.Expr, u.m.Buffer = u.stmt, u.expr, u.buffer
		u.buffers = map[*tir.Buffer]*tir.Buffer{}
		out := f.WithBody(u.stmt(f.Body))
		return out, u.err
	}),
}

// launch is a thread of the kernel that is being rewritten.
type launch struct {
	v    *tir.Var
	dom  *tir.Range
	tag  string
	base ir.Base
}

type threadUnifier struct {
	c       *pass.Context
	m       tir.Mapper
	an      *arith.Analyzer
	sub     map[*tir.Var]tir.Expr // the variable of a thread for those of its loops
	buffers map[*tir.Buffer]*tir.Buffer
	threads []launch // in the order in which they are met
	depth   int      // of loops bound to blocks around; the first thread of a kernel counts
	err     error
}

func (u *threadUnifier) expr(e tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok {
		if x, ok := u.sub[v]; ok {
			return x
		}
		return e
	}
	return u.m.MapExpr(e)
}

// buffer replaces variables of loops in the definition of b.
func (u *threadUnifier) buffer(b *tir.Buffer) *tir.Buffer {
	out, ok := u.buffers[b]
	if !ok {
		out = b.MapExprs(u.expr)
		u.buffers[b] = out
	}
	return out
}

func (u *threadUnifier) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.AttrStmt:
		if iv, ok := s.Node.(*tir.IterVar); ok && (s.Key == "thread_extent" || s.Key == "virtual_thread") {
			dom := &tir.Range{Min: tir.Const(s.Value.DType(), 0), Extent: u.expr(s.Value)}
			return u.thread(s, iv.Var, iv.ThreadTag, dom, s.Body)
		}
	case *tir.For:
		if s.Kind != tir.ThreadBinding || s.Thread == nil {
			break
		}
		if u.depth == 0 && unified(s) {
			return s
		}
		out := u.thread(s, s.LoopVar, s.Thread.ThreadTag, &tir.Range{Min: u.expr(s.Min), Extent: u.expr(s.Extent)}, s.Body)
		if s.Annotations.Len() == 0 {
			return out
		}
		if loop, ok := out.(*tir.For); ok {
			noted := *loop
			noted.Annotations = s.Annotations
			return &noted
		}
		// The annotation stays on a loop of one iteration.
		t := s.LoopVar.DType()
		return &tir.For{Base: s.Base, LoopVar: &tir.Var{Name: "var", Type: s.LoopVar.Type}, Min: tir.Const(t, 0), Extent: tir.Const(t, 1), Body: out, Annotations: s.Annotations}
	}
	return u.m.MapStmt(s)
}

// thread rewrites body, in which v stands for thread tag with the values of dom.
func (u *threadUnifier) thread(s tir.Stmt, v *tir.Var, tag string, dom *tir.Range, body tir.Stmt) tir.Stmt {
	depth, root := u.depth, u.depth == 0
	if root {
		u.threads = nil // kernels may launch their threads in different numbers
	}
	if root || strings.HasPrefix(tag, "blockIdx.") {
		u.depth++
	}
	t := u.find(v, tag, dom, s)
	u.sub[v] = tir.CastTo(v.DType(), t)
	out := u.stmt(body)
	u.depth = depth
	if !root {
		u.c.Rewrite("use the thread that is launched already", s, out)
		return out
	}
	for i := len(u.threads) - 1; i >= 0; i-- {
		x := u.threads[i]
		out = &tir.For{
			Base: x.base, LoopVar: x.v, Min: x.dom.Min, Extent: x.dom.Extent, Kind: tir.ThreadBinding, Body: out,
			Thread: &tir.IterVar{Var: &tir.Var{Type: x.v.Type}, Kind: tir.ThreadIndex, ThreadTag: x.tag},
		}
	}
	u.c.Rewrite("launch all threads of a kernel", s, out)
	return out
}

// find returns the variable of thread tag in this kernel.
func (u *threadUnifier) find(v *tir.Var, tag string, dom *tir.Range, s tir.Stmt) *tir.Var {
	for _, t := range u.threads {
		if t.tag != tag {
			continue
		}
		have, want := t.dom, dom
		if u.err == nil && !(u.an.CanProveEqual(tir.CastTo(want.Extent.DType(), have.Extent), want.Extent) && u.an.CanProveEqual(tir.CastTo(want.Min.DType(), have.Min), want.Min)) {
			u.err = fmt.Errorf("all loops that are bound to %q should have the same extent, but there are two loops with extents %s and %s, which are not known to be equal", tag, exprName(have.Extent), exprName(want.Extent))
		}
		return t.v
	}
	t := launch{dom: dom, tag: tag, base: s.Meta()}
	t.v = &tir.Var{Name: strings.ReplaceAll(tag, ".", "_"), Type: &ir.PrimType{DType: dom.Extent.DType()}}
	u.threads = append(u.threads, t)
	return t.v
}

// unified reports whether the threads of a kernel are bound once each, by its outermost loops.
func unified(s *tir.For) bool {
	seen := map[string]bool{}
	var body tir.Stmt = s
	for {
		loop, ok := body.(*tir.For)
		if !ok || loop.Kind != tir.ThreadBinding || loop.Thread == nil {
			break
		}
		if seen[loop.Thread.ThreadTag] || loop.Annotations.Len() > 0 {
			return false
		}
		seen[loop.Thread.ThreadTag] = true
		body = loop.Body
	}
	alone := true
	ir.Walk(body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			alone = alone && n.Kind != tir.ThreadBinding
		case *tir.AttrStmt:
			alone = alone && n.BoundThread() == nil
		}
		return alone
	})
	return alone
}
