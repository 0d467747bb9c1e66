package instruments

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// opFLOPs estimates the work of an operator that is no kernel yet: two operations for each
// multiply-add of matmul and convolution, one for each element of others.
func opFLOPs(name string, c *relax.Call) int64 {
	out, ok := c.SInfo.(*relax.TensorStructInfo)
	if !ok || len(c.Args) == 0 {
		return 0
	}
	n := elements(out)
	arg := func(i int) []int64 {
		if i >= len(c.Args) {
			return nil
		}
		t, ok := relax.SInfoOf(c.Args[i]).(*relax.TensorStructInfo)
		if !ok {
			return nil
		}
		dims, _ := t.StaticDims()
		return dims
	}
	switch name {
	case "relax.matmul":
		if d := arg(0); len(d) > 0 {
			return 2 * n * d[len(d)-1]
		}
	case "relax.nn.conv1d", "relax.nn.conv2d", "relax.nn.conv3d":
		if d := arg(1); len(d) > 1 {
			k := int64(1)
			for _, x := range d[1:] {
				k *= x
			}
			return 2 * n * k
		}
	case "relax.reshape", "relax.permute_dims", "relax.expand_dims", "relax.squeeze", "relax.concat", "relax.take",
		"relax.call_tir", "relax.builtin.alloc_tensor", "relax.memory.alloc_tensor", "relax.vm.alloc_tensor":
		return 0
	}
	return n
}

// loopFLOPs counts the floating-point operations that a statement runs: loops of unknown
// extent and both branches of conditionals count once.
func loopFLOPs(s tir.Stmt) int64 {
	switch s := s.(type) {
	case *tir.For:
		n, ok := tir.AsInt(s.Extent)
		if !ok {
			n = 1
		}
		return n * loopFLOPs(s.Body)
	case *tir.BlockRealize:
		return loopFLOPs(s.Block.Body) // an init runs once for each output and is not counted
	case *tir.SeqStmt:
		var n int64
		for _, x := range s.Seq {
			n += loopFLOPs(x)
		}
		return n
	case *tir.BufferStore:
		if s.Predicate == nil {
			return exprFLOPs(s.Value) + exprsFLOPs(s.Indices)
		}
	case *tir.LetStmt:
		return exprFLOPs(s.Value) + loopFLOPs(s.Body)
	case nil:
		return 0
	}
	var n int64
	s.EachChild(func(c ir.Node) {
		switch c := c.(type) {
		case tir.Stmt:
			n += loopFLOPs(c)
		case tir.Expr:
			n += exprFLOPs(c)
		}
	})
	return n
}

func exprFLOPs(e tir.Expr) int64 {
	var n int64
	switch e := e.(type) {
	case *tir.Var, *tir.IntImm, *tir.FloatImm:
		return 0
	case *tir.Binary:
		if d := e.A.DType(); d.IsFloat() {
			n = int64(d.Lanes)
		}
		return n + exprFLOPs(e.A) + exprFLOPs(e.B)
	case *tir.Call:
		if e.Type.IsFloat() && tir.CallEffect(e) == tir.Pure {
			if _, cond := tir.IsCallTo(e, tir.OpIfThenElse); !cond {
				n = int64(e.Type.Lanes)
			}
		}
		return n + exprsFLOPs(e.Args)
	case *tir.BufferLoad:
		if e.Predicate != nil {
			n = exprFLOPs(e.Predicate)
		}
		return n + exprsFLOPs(e.Indices)
	case *tir.Cast:
		return exprFLOPs(e.Value)
	case *tir.Select:
		return exprFLOPs(e.Cond) + exprFLOPs(e.True) + exprFLOPs(e.False)
	case *tir.Ramp:
		return exprFLOPs(e.Start) + exprFLOPs(e.Stride)
	case *tir.Broadcast:
		return exprFLOPs(e.Value)
	}
	var child func(c ir.Node)
	child = func(c ir.Node) {
		if x, ok := c.(tir.Expr); ok {
			n += exprFLOPs(x)
		} else {
			c.EachChild(child)
		}
	}
	e.EachChild(child)
	return n
}

func exprsFLOPs(list []tir.Expr) int64 {
	var n int64
	for _, e := range list {
		n += exprFLOPs(e)
	}
	return n
}
