package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// InjectVirtualThread runs virtual threads one after the other.
var InjectVirtualThread = &pass.Pass{
	Name: "tir.InjectVirtualThread", Kind: pass.PrimFunc, Lowering: true,
	Needs: []pass.Need{{Form: pass.FlatBuffers, Why: "the parts of virtual threads lie one behind the other in a buffer"}},
	Doc: "Runs virtual threads one after the other, statement by statement: what depends on the thread is repeated, in a loop or, for fewer than 16 threads, one copy behind the other. " +
		"A buffer that is allocated inside and holds what depends on the thread gets a part for each.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		var failed error
		m := &tir.Mapper{}
		m.Stmt = func(s tir.Stmt) tir.Stmt {
			s = m.MapStmt(s)
			a, ok := s.(*tir.AttrStmt)
			if !ok || a.Key != tir.KeyVirtualThread || a.BoundThread() == nil || failed != nil {
				return s
			}
			out, err := virtualThreads(c, a)
			if err != nil {
				failed = err
				return s
			}
			c.Rewrite("run virtual threads one after the other", a, out)
			return out
		}
		body := m.Stmt(f.Body)
		if failed != nil {
			return nil, failed
		}
		if body == f.Body {
			return f, nil
		}
		return newSSA(c, c.Budget()).function(f.WithBody(body)), nil
	}),
}

// fewVirtualThreads is from how many virtual threads on an innermost statement is repeated by a loop.
const fewVirtualThreads = 16

// virtualThreads returns what runs the body of a for all of its threads.
func virtualThreads(c *pass.Context, a *tir.AttrStmt) (tir.Stmt, error) {
	iv := a.BoundThread()
	n, ok := tir.AsInt(a.Value)
	if !ok || n < 1 || n > maxVirtualThreads {
		return nil, fmt.Errorf("virtual thread %s: expected a constant number of threads from 1 to %d", iv.Var.Name, maxVirtualThreads)
	}
	if hasBlock(a.Body) {
		return nil, fmt.Errorf("virtual thread %s: a block is left in it: run tir.LowerOpaqueBlock first", iv.Var.Name)
	}
	v := &virtualThread{
		c: c, an: arith.Bounded(c.Budget()), v: iv.Var, n: n, share: strings.HasPrefix(iv.ThreadTag, "vthread"),
		touched: touchedBy(c, a.Body, iv.Var), strides: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{},
	}
	v.an.BindRange(iv.Var, &tir.Range{Min: tir.Const(iv.Var.DType(), 0), Extent: tir.Const(iv.Var.DType(), n)})
	v.m = tir.Mapper{Stmt: v.stmt, Expr: v.expr, Buffer: v.buffer}
	out := v.stmt(a.Body)
	return out, v.err
}

// maxVirtualThreads bounds the threads of one virtual thread.
const maxVirtualThreads = 1 << 16

// virtualThread rewrites the body of a virtual thread. It visits statements from the outside in until it meets one with an expression that depends
// on the thread, which it repeats as a whole.
type virtualThread struct {
	c       *pass.Context
	an      *arith.Analyzer
	m       tir.Mapper
	v       *tir.Var
	n       int64
	share   bool // what does not depend on the thread runs once
	touched map[*tir.Var]bool
	strides map[*tir.Var]tir.Expr // elements of a thread's part, of buffers with parts
	buffers map[*tir.Buffer]*tir.Buffer

	inside bool // of a statement that is repeated
	met    bool // something that depends on the thread was met in the expressions of the statement
	loops  int  // in the statement that was visited last
	err    error
}

// fail notes the first error.
func (v *virtualThread) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("virtual thread %s: "+format, append([]any{v.v.Name}, args...)...)
	}
}

// repeat runs s for each thread, where first, s is rewritten yet.
func (v *virtualThread) repeat(s tir.Stmt, first bool) tir.Stmt {
	v.met, v.inside = false, true
	if first {
		s = v.visit(s)
	}
	v.met, v.inside = false, false
	if v.loops == 0 && v.n < fewVirtualThreads {
		var all []tir.Stmt
		for i := range v.n {
			all = append(all, tir.SubstStmt(s, map[*tir.Var]tir.Expr{v.v: tir.Const(v.v.DType(), i)}))
		}
		return tir.Seq(all...)
	}
	i := tir.NewVar(v.v.Name+"_s", v.v.DType())
	return &tir.For{
		Base: s.Meta(), LoopVar: i, Min: tir.Const(i.DType(), 0), Extent: tir.Const(i.DType(), v.n),
		Body: tir.SubstStmt(s, map[*tir.Var]tir.Expr{v.v: i}),
	}
}

// stmt returns what runs s for all threads.
func (v *virtualThread) stmt(s tir.Stmt) tir.Stmt {
	v.c.Budget().Spend(1)
	v.met = false
	out := v.visit(s)
	if v.met && !v.inside {
		return v.repeat(out, false)
	}
	v.met = false
	return out
}

// visit rewrites s. Of what holds other statements, the expressions come first: if they depend on the thread, all of it is repeated.
func (v *virtualThread) visit(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.SeqStmt:
		depth := 0
		out := x.WithSeq(ir.MapSame(x.Seq, func(y tir.Stmt) tir.Stmt {
			v.loops = 0
			y = v.stmt(y)
			depth = max(depth, v.loops)
			return y
		}))
		v.loops = depth
		return tir.Seq(out.Seq...)
	case *tir.BufferStore, *tir.Evaluate:
		v.loops = 0
		if out := v.m.MapStmt(s); true {
			v.met = v.met || !v.share
			if st, ok := out.(*tir.BufferStore); ok {
				v.met = v.met || v.touched[st.Buffer.Data]
				return st.WithIndices(v.at(st.Buffer, st.Indices))
			}
			return out
		}
	case *tir.While:
		v.fail("it holds a while loop, whose iterations may differ between the threads")
		return s
	case *tir.For:
		if !tir.IsConst(x.Min, 0) || x.Step != nil {
			v.fail("loop %s does not count from 0 by 1: run tir.CanonicalizeLoop first", x.LoopVar.Name)
			return s
		}
	}
	if x, ok := s.(*tir.AttrStmt); ok { // what it is on stays, be it the pointer of a buffer with parts
		value := v.expr(x.Value)
		if v.met && !v.inside {
			return v.repeat(s, true)
		}
		v.met = false
		return x.WithValue(value).WithBody(v.stmt(x.Body))
	}
	own := &tir.Mapper{Expr: v.expr, Buffer: v.m.Buffer}
	own.Stmt = func(y tir.Stmt) tir.Stmt { return y }
	if a, ok := s.(*tir.Allocate); ok {
		return v.allocate(a, own)
	}
	own.MapStmt(s)
	if v.met && !v.inside {
		return v.repeat(s, true)
	}
	v.met = false
	depth := 0
	below := &tir.Mapper{Expr: v.expr, Buffer: v.m.Buffer}
	below.Stmt = func(y tir.Stmt) tir.Stmt {
		v.loops = 0
		y = v.stmt(y)
		depth = max(depth, v.loops)
		return y
	}
	out := below.MapStmt(s)
	v.met = false
	if v.loops = depth; isLoop(s) {
		v.loops++
	}
	return out
}

func isLoop(s tir.Stmt) bool { _, ok := s.(*tir.For); return ok }

// allocate gives a buffer a part for each thread if what it holds depends on the thread.
func (v *virtualThread) allocate(a *tir.Allocate, own *tir.Mapper) tir.Stmt {
	own.MapStmt(a)
	if v.met && !v.inside {
		return v.repeat(a, true)
	}
	v.met = false
	extents := a.Extents
	if (v.touched[a.Var] || !v.share) && !v.inside {
		if len(extents) != 1 {
			v.fail("allocation %s has %d dimensions: run tir.FlattenBuffer first", a.Var.Name, len(extents))
			return a
		}
		v.strides[a.Var] = extents[0]
		extents = []tir.Expr{tir.Mul(extents[0], tir.Const(extents[0].DType(), v.n))}
	}
	return a.WithExtents(extents).WithBody(v.stmt(a.Body))
}
