package instruments

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
)

// counter counts what PrimFuncs are built of, and meanwhile the floating-point operations that they run: each pass makes others of
// most kernels, so that one walk has to do.
type counter struct{ event.Structure }

// function counts what fn is built of and returns the operations that a call runs.
func (c *counter) function(fn *tir.PrimFunc) int64 {
	for _, b := range fn.Buffers {
		if b != nil {
			c.Buffers++
		}
	}
	return c.stmt(fn.Body)
}

// note counts a node without what it is made of.
func (c *counter) note(n ir.Node) {
	switch n := n.(type) {
	case *tir.For, *tir.While:
		c.Loops++
	case *tir.Block:
		c.Blocks++
		c.Buffers += len(n.AllocBuffers)
	case *tir.Allocate, *tir.AllocateConst, *tir.BufferRealize:
		c.Buffers++
	case *tir.Call:
		c.Calls++
	}
}

// all counts a node, whose operations are those of something else.
func (c *counter) all(n ir.Node) {
	switch n := n.(type) {
	case nil, *tir.Var, *tir.IntImm:
		return
	case tir.Expr:
		c.expr(n)
		return
	case *tir.Range:
		c.all(n.Min)
		c.all(n.Extent)
		return
	case *tir.BufferRegion:
		for _, r := range n.Region {
			c.all(r)
		}
		return
	case *tir.IterVar:
		if n.Dom != nil {
			c.all(n.Dom)
		}
		return
	}
	ir.Walk(n, func(n ir.Node) bool {
		c.note(n)
		return true
	})
}

// stmt counts a statement and returns its operations: loops of unknown extent count as extent says, and both branches of conditionals.
func (c *counter) stmt(s tir.Stmt) int64 {
	switch s := s.(type) {
	case nil:
		return 0
	case *tir.For:
		c.Loops++
		c.all(s.Min)
		c.all(s.Extent)
		if s.Thread != nil {
			c.all(s.Thread)
		}
		if s.Step != nil {
			c.all(s.Step)
		}
		return extent(s.Extent) * c.stmt(s.Body)
	case *tir.BlockRealize:
		return c.block(s)
	case *tir.SeqStmt:
		var n int64
		for _, x := range s.Seq {
			n += c.stmt(x)
		}
		return n
	case *tir.BufferStore:
		n := c.expr(s.Value) + c.exprs(s.Indices)
		if s.Predicate != nil {
			n += c.expr(s.Predicate)
		}
		return n
	case *tir.LetStmt:
		return c.expr(s.Value) + c.stmt(s.Body)
	case *tir.Evaluate:
		return c.expr(s.Value)
	case *tir.Allocate:
		c.note(s)
		return c.exprs(s.Extents) + c.expr(s.Condition) + c.stmt(s.Body)
	case *tir.DeclBuffer:
		return c.stmt(s.Body)
	case *tir.AssertStmt:
		return c.expr(s.Cond) + c.expr(s.Message) + c.stmt(s.Body)
	case *tir.IfThenElse:
		return c.expr(s.Cond) + c.stmt(s.Then) + c.stmt(s.Else)
	}
	c.note(s)
	return c.parts(s)
}

// parts is stmt of what a statement is made of.
func (c *counter) parts(s tir.Stmt) int64 {
	var n int64
	s.EachChild(func(x ir.Node) {
		switch x := x.(type) {
		case tir.Stmt:
			n += c.stmt(x)
		case tir.Expr:
			n += c.expr(x)
		default:
			c.all(x)
		}
	})
	return n
}

// block is stmt of a block, of which the body counts: an init runs once for each output.
func (c *counter) block(s *tir.BlockRealize) int64 {
	for _, e := range s.Values {
		c.all(e)
	}
	if s.Predicate != nil {
		c.all(s.Predicate)
	}
	b := s.Block
	c.note(b)
	for _, iv := range b.IterVars {
		c.all(iv)
	}
	for _, r := range b.Reads {
		c.all(r)
	}
	for _, r := range b.Writes {
		c.all(r)
	}
	for _, m := range b.MatchBuffers {
		c.all(m)
	}
	c.stmt(b.Init)
	return c.stmt(b.Body)
}

// expr counts an expression and returns its operations.
func (c *counter) expr(e tir.Expr) int64 {
	var n int64
	switch e := e.(type) {
	case *tir.Var, *tir.IntImm, *tir.FloatImm:
		return 0
	case *tir.Binary:
		if d := e.A.DType(); d.IsFloat() {
			n = int64(d.Lanes)
		}
		return n + c.expr(e.A) + c.expr(e.B)
	case *tir.Call:
		c.Calls++
		if e.Type.IsFloat() && tir.CallEffect(e) == tir.Pure {
			n = int64(e.Type.Lanes)
			if _, cond := tir.IsCallTo(e, tir.OpIfThenElse); cond {
				n = 0
			} else if _, fma := tir.IsCallTo(e, tir.OpFma); fma {
				n *= 2
			}
		}
		return n + c.exprs(e.Args)
	case *tir.BufferLoad:
		if e.Predicate != nil {
			n = c.expr(e.Predicate)
		}
		return n + c.exprs(e.Indices)
	case *tir.Cast:
		return c.expr(e.Value)
	case *tir.Select:
		return c.expr(e.Cond) + c.expr(e.True) + c.expr(e.False)
	case *tir.Ramp:
		return c.expr(e.Start) + c.expr(e.Stride)
	case *tir.Broadcast:
		return c.expr(e.Value)
	case nil, *tir.StringImm:
		return 0
	case *tir.Not:
		return c.expr(e.A)
	}
	return c.below(e)
}

// below is expr of what a node is made of. Few expressions get here, and only here is a closure made.
func (c *counter) below(n ir.Node) int64 {
	var sum int64
	n.EachChild(func(x ir.Node) {
		if x, ok := x.(tir.Expr); ok {
			sum += c.expr(x)
			return
		}
		c.note(x)
		sum += c.below(x)
	})
	return sum
}

func (c *counter) exprs(list []tir.Expr) int64 {
	var n int64
	for _, e := range list {
		n += c.expr(e)
	}
	return n
}
