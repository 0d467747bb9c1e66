package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// syncInserter puts barriers in front of statements, which it knows by the numbers of syncWalk.
type syncInserter struct {
	c       *pass.Context
	m       tir.Mapper
	scope   string
	syncs   map[int]bool
	next    int
	threads []*tir.AttrStmt
	global  *globalBarrier // of all blocks, where the memory is theirs
}

func (in *syncInserter) stmt(s tir.Stmt) tir.Stmt {
	number := in.next
	in.next++
	var wait tir.Stmt
	if in.syncs[number] {
		wait = barrier(s.Meta(), in.scope)
		if in.global != nil {
			wait = in.global.wait(s.Meta(), in.threads)
		}
	}
	out := s
	switch x := s.(type) {
	case *tir.AttrStmt:
		switch iv, _ := x.Node.(*tir.IterVar); {
		case x.Key == handThreaded:
			in.next += countStmts(x.Body)
		case x.Key == tir.KeyThreadExtent && iv != nil:
			in.threads = append(in.threads, x)
			out = in.m.MapStmt(s)
			in.threads = in.threads[:len(in.threads)-1]
			if len(in.threads) == 0 && in.global != nil {
				out = in.global.prepare(out.(*tir.AttrStmt))
			}
		default:
			out = in.m.MapStmt(s)
		}
	default:
		out = in.m.MapStmt(s)
	}
	if wait == nil {
		return out
	}
	in.c.Rewrite("insert a barrier", s, wait)
	return tir.Seq(wait, out)
}

func (in *syncInserter) expr(e tir.Expr) tir.Expr {
	if in.global != nil {
		in.global.count(e)
	}
	return in.m.MapExpr(e)
}

// globalBarrier makes the barriers of all blocks of a kernel.
type globalBarrier struct {
	stats  map[*tir.Var]*[2]int // reads and writes of global memory in the kernel
	order  []*tir.Var
	lead   tir.Expr // holds in one thread of each block
	blocks tir.Expr // their number
}

func (g *globalBarrier) touch(v *tir.Var, write int) {
	if rank, _, _ := splitScope(scopeOf(v)); rank != "global" {
		return
	}
	if g.stats[v] == nil {
		g.stats[v] = new([2]int)
		g.order = append(g.order, v)
	}
	g.stats[v][write]++
}

func (g *globalBarrier) count(e tir.Expr) {
	switch e := e.(type) {
	case *tir.BufferLoad:
		g.touch(e.Buffer.Data, 0)
	case *tir.Call:
		if c, ok := tir.IsCallTo(e, tir.OpAccessPtr); ok {
			if v, ok := c.Args[1].(*tir.Var); ok {
				mask, _ := tir.AsInt(c.Args[4])
				for i := range 2 {
					if mask>>i&1 == 1 {
						g.touch(v, i)
					}
				}
			}
		}
	}
}

// wait is the barrier itself.
func (g *globalBarrier) wait(base ir.Base, threads []*tir.AttrStmt) tir.Stmt {
	if g.blocks == nil {
		g.blocks, g.lead = tir.Int32(1), tir.Bool(true)
		first := true
		for _, a := range threads {
			iv := a.Node.(*tir.IterVar)
			switch level, _, _ := threadDim(iv.ThreadTag); level {
			case 0:
				if first {
					g.blocks, first = a.Value, false
				} else {
					g.blocks = tir.Mul(a.Value, g.blocks)
				}
			case 1:
				g.lead = tir.And(g.lead, tir.EQ(iv.Var, tir.Const(iv.Var.DType(), 0)))
			}
		}
	}
	args := []tir.Expr{&tir.StringImm{Base: base, Value: "global"}, g.lead, g.blocks}
	return &tir.Evaluate{Base: base, Value: &tir.Call{Base: base, Type: dtype.Int32T, Op: tir.OpStorageSync, Args: args}}
}

// prepare makes the counter of the barriers ready before the kernel, and in it. Memory that is read and written in the kernel is
// volatile.
func (g *globalBarrier) prepare(kernel *tir.AttrStmt) tir.Stmt {
	base := kernel.Base
	body := kernel.Body
	if g.blocks == nil {
		*g = globalBarrier{stats: map[*tir.Var]*[2]int{}}
		return kernel
	}
	ir.Walk(body, func(n ir.Node) bool {
		if s, ok := n.(*tir.BufferStore); ok {
			g.touch(s.Buffer.Data, 1)
		}
		return true
	})
	for _, v := range g.order {
		if n := g.stats[v]; n[0] > 0 && n[1] > 0 {
			body = &tir.AttrStmt{Base: base, Node: v, Key: volatileScope, Value: tir.Int32(1), Body: body}
		}
	}
	*g = globalBarrier{stats: map[*tir.Var]*[2]int{}}
	init := &tir.Call{Base: base, Type: dtype.Int32T, Op: tir.LookupBuiltin("tir.tvm_global_barrier_kinit").Op}
	name := &tir.StringImm{Base: base, Value: "__tvm_prepare_global_barrier"}
	before := &tir.Call{Base: base, Type: dtype.Int32T, Op: tir.OpCallPacked, Args: []tir.Expr{name}}
	return tir.Seq(&tir.Evaluate{Base: base, Value: before}, kernel.WithBody(tir.Seq(&tir.Evaluate{Base: base, Value: init}, body)))
}

// volatileScope marks memory that must be read again at each access.
const volatileScope = "volatile_scope"

// syncAfterWaits puts a barrier behind each wait for copies that run aside, for other threads read what a thread has copied.
func syncAfterWaits(c *pass.Context, s tir.Stmt) tir.Stmt {
	m := &tir.Mapper{}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		a, ok := s.(*tir.AttrStmt)
		if !ok || a.Key != "async_wait_queue_scope" {
			return m.MapStmt(s)
		}
		inner, ok := a.Body.(*tir.AttrStmt)
		if !ok || inner.Key != "async_wait_inflight_count" {
			return m.MapStmt(s)
		}
		first := inner.Body
		if q, ok := first.(*tir.SeqStmt); ok {
			first = q.Seq[0]
		}
		if e, ok := first.(*tir.Evaluate); ok {
			if _, ok := tir.IsCallTo(e.Value, tir.OpStorageSync); ok {
				return s // it is there
			}
		}
		out := a.WithBody(inner.WithBody(tir.Seq(barrier(a.Base, "shared"), inner.Body)))
		c.Rewrite("insert a barrier behind a wait", a, out)
		return out
	}
	return m.Stmt(s)
}
