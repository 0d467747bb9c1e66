package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// splitRemainders rewrites remainders in an index of which the low terms stay the same: (x*1024 + y*32 + z) % 4096 is x % 4 * 1024 + y*32 + z where
// y*32 + z is known to be in [0, 1024). Along y and z the index then moves by a constant. It is what the simplifier, as TVM's, does for two terms.
func splitRemainders(e tir.Expr, an *arith.Analyzer) tir.Expr {
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		mod, ok := e.(*tir.Binary)
		if !ok || mod.Op != tir.OpFloorMod {
			return e
		}
		if n, ok := tir.AsInt(mod.B); ok && n > 0 {
			if out := splitRemainder(summands(mod.A, nil), n, an); out != nil {
				return out
			}
		}
		return e
	})
}

// splitRemainder is the sum of terms modulo n with as many low terms outside as can be, nil where none can.
func splitRemainder(terms []tir.Expr, n int64, an *arith.Analyzer) tir.Expr {
	var out tir.Expr
	most := int64(1)
	for _, t := range terms {
		by := factor(t)
		if by <= most || n%by != 0 {
			continue
		}
		c := func(n int64) tir.Expr { return tir.Const(t.DType(), n) }
		var high, low tir.Expr
		for _, t := range terms {
			if factor(t)%by == 0 {
				high = plus(high, tir.FloorDiv(t, c(by)))
			} else {
				low = plus(low, t)
			}
		}
		if low == nil {
			continue
		}
		if b := an.ConstIntBound(low); b.Min < 0 || b.Max >= by {
			continue
		}
		most = by
		out = an.Simplify(tir.Add(tir.Mul(tir.FloorMod(an.Simplify(high), c(n/by)), c(by)), low))
	}
	return out
}

func plus(a, b tir.Expr) tir.Expr {
	if a == nil {
		return b
	}
	return tir.Add(a, b)
}

// summands appends the terms of a sum.
func summands(e tir.Expr, out []tir.Expr) []tir.Expr {
	if x, ok := e.(*tir.Binary); ok && x.Op == tir.OpAdd {
		return summands(x.B, summands(x.A, out))
	}
	return append(out, e)
}

// factor is the constant factor of a term.
func factor(t tir.Expr) int64 {
	if n, ok := tir.AsInt(t); ok {
		return n
	}
	if x, ok := t.(*tir.Binary); ok && x.Op == tir.OpMul {
		if n, ok := tir.AsInt(x.B); ok {
			return n
		}
	}
	return 1
}
