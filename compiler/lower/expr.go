package lower

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// MayFail reports whether computing e may stop the kernel: it reads memory or divides by what may be zero.
func MayFail(e tir.Expr) bool {
	return ir.Any(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return true
		case *tir.Binary:
			if n.Op >= tir.OpDiv && n.Op <= tir.OpFloorMod && n.DType().IsInteger() {
				d, ok := tir.AsInt(n.B)
				return !ok || d == 0
			}
		}
		return false
	})
}

// Simple reports whether e is made of at most budget operations that read no memory, call nothing and cannot trap.
func Simple(e tir.Expr, budget int) bool {
	n := 0
	ok := true
	ir.Walk(e, func(x ir.Node) bool {
		switch x := x.(type) {
		case *tir.Var, *tir.IntImm, *tir.FloatImm, *tir.Cast, *tir.Not, *tir.Ramp, *tir.Broadcast, *tir.Select:
		case *tir.Binary:
			if x.DType().IsInteger() && x.Op >= tir.OpDiv && x.Op <= tir.OpFloorMod {
				ok = false
			}
		default:
			ok = false
		}
		n++
		return ok && n <= 3*budget
	})
	return ok && n <= 3*budget
}

// KindName is how a node is called in errors: its TVM name.
func KindName(n any) string {
	switch n := n.(type) {
	case *tir.Binary:
		return n.Op.String()
	case *tir.Call:
		return "Call " + n.Op.CalleeName()
	case *tir.BufferLoad:
		return "BufferLoad of " + n.Buffer.Name
	case *tir.BufferStore:
		return "BufferStore to " + n.Buffer.Name
	case *tir.Allocate:
		return "Allocate " + n.Var.Name
	case *tir.Var:
		return "Var " + n.Name
	case *tir.IntImm: // of which there are many
		return "IntImm"
	case *tir.FloatImm:
		return "FloatImm"
	}
	s := fmt.Sprintf("%T", n)
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}
