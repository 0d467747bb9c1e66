package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// RenormalizeSplitPattern rewrites nested divisions so that what they share comes out.
var RenormalizeSplitPattern = &pass.Pass{
	Name: "tir.RenormalizeSplitPattern", Kind: pass.PrimFunc,
	Doc: "Brings x % (a*b) // b to the form x // b % a, takes common factors out of divisions, and compares quotients instead of values, so that simplification finds terms that splits of loops left equal.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return renormalizeSplits(c, f), nil
	}),
}

func renormalizeSplits(c *pass.Context, f *tir.PrimFunc) *tir.PrimFunc {
	r := &renormalizer{c: c, m: &tir.Mapper{}}
	memo, done := tir.MemoFor(r.expr)
	defer done()
	r.m.Expr = memo
	r.m.Stmt = func(s tir.Stmt) tir.Stmt { return r.m.MapStmt(s) }
	return f.WithBody(r.m.Stmt(f.Body))
}

type renormalizer struct {
	c     *pass.Context
	m     *tir.Mapper
	depth int
}

// maxRenormalize bounds rewriting the result of a rewrite again.
const maxRenormalize = 5

// changed reports that e became out, unless out is what e was, and returns out.
func (r *renormalizer) changed(name string, e, out tir.Expr) tir.Expr {
	r.c.Rewrite(name, e, out)
	return out
}

func (r *renormalizer) again(e tir.Expr) tir.Expr {
	if r.depth >= maxRenormalize {
		return e
	}
	r.depth++
	e = r.m.Expr(e)
	r.depth--
	return e
}

func (r *renormalizer) expr(e tir.Expr) tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.A.DType().IsInt() {
		switch b.Op {
		case tir.OpLE:
			return r.not(b.B, b.A, b)
		case tir.OpGE:
			return r.not(b.A, b.B, b)
		case tir.OpGT:
			return r.changed("turn a comparison around", e, r.m.Expr(tir.LT(b.B, b.A)))
		}
	}
	out := r.m.MapExpr(e)
	switch x := out.(type) {
	case *tir.Binary:
		switch x.Op {
		case tir.OpFloorDiv:
			if y := r.floorDiv(x); y != nil {
				return r.changed("bring a quotient to split form", e, r.again(y))
			}
		case tir.OpLT: // x < c is x//c < 1
			if c, _ := tir.AsInt(x.B); c > 1 && x.A.DType().IsInt() && x.A.DType().IsScalar() {
				if _, constant := tir.AsInt(x.A); !constant {
					return r.changed("compare quotients", e, r.again(tir.LT(tir.FloorDiv(x.A, x.B), tir.Const(x.A.DType(), 1))))
				}
			}
		}
	case *tir.Not:
		return r.changed("negate a comparison", e, negated(x))
	}
	return out
}

// not rewrites not (x < y), which e says in another way.
func (r *renormalizer) not(x, y tir.Expr, e *tir.Binary) tir.Expr {
	lt := r.m.Expr(tir.LT(x, y))
	if b, ok := lt.(*tir.Binary); ok && b.Op == tir.OpLT && b.A == x && b.B == y {
		if e.Op == tir.OpLE {
			return e
		}
		return r.changed("turn a comparison around", e, tir.LE(y, x))
	}
	return r.changed("negate a comparison", e, negated(&tir.Not{A: lt}))
}

// negated turns the negation of an inequality into the opposite one.
func negated(n *tir.Not) tir.Expr {
	switch x := n.A.(type) {
	case *tir.IntImm, *tir.Not:
		return tir.LogicalNot(x)
	case *tir.Binary:
		if x.A.DType().IsFloat() {
			return n // false on both sides of a NaN
		}
		switch x.Op {
		case tir.OpLE:
			return tir.LT(x.B, x.A)
		case tir.OpGE:
			return tir.LT(x.A, x.B)
		case tir.OpLT:
			return tir.LE(x.B, x.A)
		case tir.OpGT:
			return tir.LE(x.A, x.B)
		}
	}
	return n
}

// floorDiv rewrites a division by a constant, scalar or in all lanes; nil for no change.
func (r *renormalizer) floorDiv(x *tir.Binary) tir.Expr {
	c2, ok := tir.AsInt(x.B)
	a, isBinary := x.A.(*tir.Binary)
	if !ok || c2 <= 0 || !isBinary || !x.A.DType().IsInt() {
		return nil
	}
	d := x.A.DType()
	switch a.Op {
	case tir.OpFloorMod:
		if c3, ok := tir.AsInt(a.B); ok && c3 > 0 && c3%c2 == 0 {
			return tir.FloorMod(tir.FloorDiv(a.A, x.B), tir.Const(d, c3/c2))
		}
	case tir.OpAdd:
		// (p*c1 + rest) // c2 with a common factor c3
		p, rest := a.A, a.B
		if in, ok := p.(*tir.Binary); ok && in.Op == tir.OpAdd {
			p, rest = in.A, tir.Add(in.B, rest)
		}
		m, ok := p.(*tir.Binary)
		if !ok || m.Op != tir.OpMul {
			return nil
		}
		c1, _ := tir.AsInt(m.B)
		if c1 <= 0 {
			return nil
		}
		if c3 := arith.GCD(c1, c2); c3 > 1 {
			top := tir.Add(tir.Mul(m.A, tir.Const(d, c1/c3)), tir.FloorDiv(rest, tir.Const(d, c3)))
			return tir.FloorDiv(top, tir.Const(d, c2/c3))
		}
	}
	return nil
}
