package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// assumed is what a function takes the elements of a buffer to be: value where when holds, both in vars, the indices of an element.
type assumed struct {
	vars        []*tir.Var
	when, value tir.Expr
}

// assumptions are those about all elements of a buffer that nothing changes, so that they hold wherever the function is. That is the usual form, for which
// it need not be followed what buffers hold, at a cost that grows with the loops.
type assumptions struct {
	of      map[*tir.Buffer][]assumed
	changed map[*tir.Var]bool
	loops   map[*tir.Var]*tir.For
	lets    map[*tir.Var]tir.Expr // what the variables of blocks stand for
}

func assumptionsOf(f *tir.PrimFunc) *assumptions {
	a := &assumptions{of: map[*tir.Buffer][]assumed{}, changed: map[*tir.Var]bool{}, loops: map[*tir.Var]*tir.For{}, lets: map[*tir.Var]tir.Expr{}}
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferStore:
			a.changed[n.Buffer.Data] = true
		case *tir.MatchBufferRegion:
			a.changed[n.Source.Buffer.Data] = true
		case *tir.Var: // its address is taken, or it is allocated
			a.changed[n] = true
		case *tir.Call:
			if l, ok := addressed(n); ok {
				a.changed[l.Buffer.Data] = true
			}
		}
		return true
	})
	a.visit(f.Body)
	return a
}

// addressed returns the element whose address a call takes.
func addressed(c *tir.Call) (*tir.BufferLoad, bool) {
	if !isCall(c, tir.OpAddressOf) || len(c.Args) != 1 {
		return nil, false
	}
	l, ok := c.Args[0].(*tir.BufferLoad)
	return l, ok
}

// visit looks for assumptions in what certainly runs.
func (a *assumptions) visit(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			a.visit(x)
		}
	case *tir.For:
		a.loops[s.LoopVar] = s
		a.visit(s.Body)
	case *tir.BlockRealize:
		if !tir.IsTrue(s.Predicate) {
			return
		}
		for i, iv := range s.Block.IterVars {
			a.lets[iv.Var] = tir.SubstExpr(s.Values[i], a.lets)
		}
		a.visit(s.Block.Body)
	case *tir.Evaluate:
		if c, ok := tir.IsCallTo(s.Value, tir.OpAssume); ok && len(c.Args) == 1 {
			for _, part := range tir.Conjuncts(nil, c.Args[0]) {
				a.add(part)
			}
		}
	}
}

// add notes an assumption of the form "condition or ... or buffer[indices] == value".
func (a *assumptions) add(part tir.Expr) {
	when := tir.Expr(tir.Bool(true))
	var equal *tir.Binary
	for _, x := range alternatives(nil, part) {
		b, ok := x.(*tir.Binary)
		switch {
		case arith.SideEffect(x) <= tir.Pure:
			when = tir.And(when, tir.LogicalNot(x))
		case ok && b.Op == tir.OpEQ && equal == nil:
			equal = b
		default:
			return
		}
	}
	if equal == nil {
		return
	}
	load, ok := equal.A.(*tir.BufferLoad)
	value := equal.B
	if !ok {
		if load, ok = equal.B.(*tir.BufferLoad); !ok {
			return
		}
		value = equal.A
	}
	if a.changed[load.Buffer.Data] || load.Predicate != nil || !value.DType().IsInteger() || arith.SideEffect(value) > tir.Pure {
		return
	}
	x := assumed{when: tir.SubstExpr(when, a.lets), value: tir.SubstExpr(value, a.lets)}
	own := map[*tir.Var]bool{}
	for d, e := range load.Indices {
		v, ok := tir.SubstExpr(e, a.lets).(*tir.Var)
		if !ok || own[v] || a.loops[v] == nil || a.loops[v].Step != nil || !tir.IsConst(a.loops[v].Min, 0) || !tir.Equal(a.loops[v].Extent, load.Buffer.Shape[d]) {
			return
		}
		own[v] = true
		x.vars = append(x.vars, v)
	}
	other := func(v *tir.Var) bool { return a.loops[v] != nil && !own[v] }
	if arith.UsesVar(x.when, other) || arith.UsesVar(x.value, other) {
		return
	}
	a.of[load.Buffer] = append(a.of[load.Buffer], x)
}

// apply puts assumed values in the place of the loads in e for which an proves that they hold.
func (a *assumptions) apply(e tir.Expr, an *arith.Analyzer) tir.Expr {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		l, ok := e.(*tir.BufferLoad)
		if !ok || l.Predicate != nil {
			return m.MapExpr(e)
		}
		for _, x := range a.of[l.Buffer] {
			sub := map[*tir.Var]tir.Expr{}
			for i, v := range x.vars {
				sub[v] = l.Indices[i]
			}
			if an.CanProve(tir.SubstExpr(x.when, sub)) {
				return tir.SubstExpr(x.value, sub)
			}
		}
		return m.MapExpr(e)
	}
	return m.Expr(e)
}
