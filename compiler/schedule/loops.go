package schedule

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// substitute replaces loop variables in all that stands below n.
func (s *Schedule) substitute(n node, sub map[*tir.Var]tir.Expr) {
	for _, k := range n.at().kids {
		switch k := k.(type) {
		case *Loop:
			k.extent = tir.SubstExpr(k.extent, sub)
			s.substitute(k, sub)
		case *raw:
			k.stmt = tir.SubstStmt(k.stmt, sub)
		case *Block:
			k.values = substAll(k.values, sub)
			k.iters = substDomains(k.iters, sub)
			if k.pred != nil {
				k.pred = tir.SubstExpr(k.pred, sub)
			}
			if len(k.iters) == 0 { // its inside uses loop variables directly
				s.substitute(k, sub)
				head := &tir.Block{Reads: k.reads, Writes: k.writes, Body: tir.NoOp()}
				if k.body != nil {
					head.Body = k.body
				}
				head = tir.SubstStmt(head, sub).(*tir.Block)
				k.reads, k.writes = head.Reads, head.Writes
				if k.body != nil {
					k.body = head.Body
				}
			}
		}
	}
}

func substAll(list []tir.Expr, sub map[*tir.Var]tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(list))
	for k, e := range list {
		out[k] = tir.SubstExpr(e, sub)
	}
	return out
}

// substDomains replaces loop variables in the domains of iteration variables.
func substDomains(iters []*tir.IterVar, sub map[*tir.Var]tir.Expr) []*tir.IterVar {
	return ir.MapSame(iters, func(iv *tir.IterVar) *tir.IterVar {
		n, extent := tir.SubstExpr(iv.Dom.Min, sub), tir.SubstExpr(iv.Dom.Extent, sub)
		if n == iv.Dom.Min && extent == iv.Dom.Extent {
			return iv
		}
		return iv.WithDom(&tir.Range{Base: iv.Dom.Base, Min: n, Extent: extent})
	})
}

// guard adds a condition to the leaf blocks below n.
func guard(n node, cond tir.Expr) {
	if b, ok := n.(*Block); ok {
		if tir.IsTrue(b.pred) {
			b.pred = cond
		} else {
			b.pred = tir.And(b.pred, cond)
		}
		return
	}
	for _, k := range n.at().kids {
		guard(k, cond)
	}
}

// ranges binds the loops above n, and the variables of symbolic shapes stay free.
func ranges(n node) *arith.Analyzer {
	an := arith.NewAnalyzer()
	for ; n != nil; n = n.at().parent {
		if l, ok := n.(*Loop); ok {
			an.BindRange(l.v, &tir.Range{Min: tir.Const(l.v.DType(), 0), Extent: l.extent})
		}
	}
	return an
}

// Split replaces a loop by one loop for each factor, outermost first. One factor may be 0:
// it is inferred. Where the factors do not divide the extent, blocks get a predicate.
func (s *Schedule) Split(l *Loop, factors ...int64) ([]*Loop, error) {
	const prim = "split"
	if err := check(prim, l); err != nil {
		return nil, err
	}
	if l.kind != tir.Serial || l.attrs.Len() > 0 {
		return nil, fail(prim, nil, l, "the loop is %s or annotated: split it before", l.kind)
	}
	hole, product := -1, int64(1)
	for k, f := range factors {
		switch {
		case f == 0 && hole >= 0:
			return nil, fail(prim, nil, l, "factors %v: only one may be inferred", factors)
		case f == 0:
			hole = k
		case product > 1<<40/f: // or negative
			return nil, fail(prim, nil, l, "factor %d is out of range", f)
		default:
			product *= f
		}
	}
	if len(factors) == 0 {
		return nil, fail(prim, nil, l, "no factors")
	}
	d := l.v.DType()
	an := ranges(l)
	p := tir.Const(d, product)
	exact := an.CanProve(tir.EQ(tir.FloorMod(l.extent, p), tir.Const(d, 0)))
	var quotient tir.Expr
	if hole >= 0 {
		quotient = an.Simplify(ceilDiv(l.extent, p, exact))
	} else if n, ok := tir.AsInt(l.extent); !ok || n > product {
		return nil, fail(prim, nil, l, "factors %v do not reach its extent", factors)
	} else {
		exact = n == product
	}
	out := make([]*Loop, len(factors))
	var at tir.Expr
	for k, f := range factors {
		e := tir.Expr(tir.Const(d, f))
		if k == hole {
			e = quotient
		}
		out[k] = &Loop{base: l.base, v: tir.NewVar(l.v.Name+"_"+string(rune('0'+k%10)), d), extent: e}
		if at == nil {
			at = out[k].v
		} else {
			at = tir.Add(tir.Mul(at, e), out[k].v)
		}
	}
	s.exchange(l, out, map[*tir.Var]tir.Expr{l.v: at})
	if !exact {
		guard(out[len(out)-1], tir.LT(at, l.extent))
	}
	return out, nil
}

func ceilDiv(a, b tir.Expr, exact bool) tir.Expr {
	if !exact {
		a = tir.Sub(tir.Add(a, b), tir.Const(b.DType(), 1))
	}
	return tir.FloorDiv(a, b)
}

// exchange puts a nest of loops in the place of l, around its body.
func (s *Schedule) exchange(l *Loop, loops []*Loop, sub map[*tir.Var]tir.Expr) {
	last := loops[len(loops)-1]
	s.substitute(l, sub)
	last.kids = l.kids
	for _, k := range last.kids {
		k.at().parent = last
	}
	top := node(last)
	if len(loops) > 1 {
		top = nest(loops[:len(loops)-1], last)
	}
	replace(l, top)
	l.dead, l.kids = true, nil
}

// Fuse replaces loops, each the only body of the one before, by one loop over all their
// iterations.
func (s *Schedule) Fuse(loops ...*Loop) (*Loop, error) {
	const prim = "fuse"
	if len(loops) == 0 {
		return nil, fail(prim, nil, nil, "no loops")
	}
	for k, l := range loops {
		if err := check(prim, l); err != nil {
			return nil, err
		}
		if l.kind != tir.Serial || l.attrs.Len() > 0 {
			return nil, fail(prim, nil, l, "the loop is %s or annotated: fuse it before", l.kind)
		}
		if k == 0 {
			continue
		}
		if up := loops[k-1]; l.parent != node(up) || len(up.kids) != 1 {
			return nil, fail(prim, nil, l, "it is not the only body of loop %s", up.v.Name)
		}
		for _, o := range loops[:k] {
			if arith.UsesVar(l.extent, func(v *tir.Var) bool { return v == o.v }) {
				return nil, fail(prim, nil, l, "its extent depends on loop %s", o.v.Name)
			}
		}
	}
	if len(loops) == 1 {
		return loops[0], nil
	}
	name, extent := loops[0].v.Name, loops[0].extent
	for _, l := range loops[1:] {
		name += "_" + l.v.Name
		extent = tir.Mul(extent, l.extent)
	}
	// The loops may be of several types: the widest one holds all iterations.
	f := &Loop{base: loops[0].base, v: tir.NewVar(name+"_fused", extent.DType()), extent: extent}
	sub := map[*tir.Var]tir.Expr{}
	rest := tir.Expr(f.v)
	for k := len(loops) - 1; k > 0; k-- {
		sub[loops[k].v] = tir.CastTo(loops[k].v.DType(), tir.FloorMod(rest, loops[k].extent))
		rest = tir.FloorDiv(rest, loops[k].extent)
	}
	sub[loops[0].v] = tir.CastTo(loops[0].v.DType(), rest)
	inner := loops[len(loops)-1]
	s.substitute(inner, sub)
	f.kids = inner.kids
	for _, k := range f.kids {
		k.at().parent = f
	}
	replace(loops[0], f)
	for _, l := range loops {
		l.dead, l.kids = true, nil
	}
	return f, nil
}
