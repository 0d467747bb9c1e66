package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// rests binds in front of a nest of marked loops what copies share: variables whose values none of them changes, and of an index, which is a sum of constants
// times variables of these loops and of a rest that none of them changes, the rest.
type rests struct {
	tir.Mapper
	inner map[*tir.Var]bool // variables that the nest defines: true for those of marked loops
	lets  []*tir.LetStmt    // in order, without bodies
	from  *sources
	at    tir.Stmt // that is looked at
}

func newRests(loop *tir.For, from *sources) *rests {
	r := &rests{inner: map[*tir.Var]bool{}, from: from}
	ir.Walk(loop, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			r.inner[n.LoopVar] = n.Kind == tir.Unrolled
		case *tir.LetStmt:
			r.inner[n.Var] = false
		case *tir.Let:
			r.inner[n.Var] = false
		}
		return true
	})
	r.Expr, r.Stmt = r.expr, r.stmt
	return r
}

// around puts the bindings in front of s.
func (r *rests) around(s tir.Stmt) tir.Stmt {
	if r == nil {
		return s
	}
	for _, let := range slices.Backward(r.lets) {
		let.Body = s
		s = let
	}
	return s
}

// bind binds a variable in front of the nest.
func (r *rests) bind(v *tir.Var, value tir.Expr) {
	let := &tir.LetStmt{Base: r.at.Meta(), Var: v, Value: value}
	r.lets = append(r.lets, let)
	r.from.note(let, r.at)
}

func (r *rests) stmt(s tir.Stmt) tir.Stmt {
	around := r.at
	r.at = s
	defer func() { r.at = around }()
	if let, ok := s.(*tir.LetStmt); ok && r.shared(let.Value) && !isInt(let.Value) { // copies have a constant in place of such a variable
		r.bind(let.Var, let.Value)
		delete(r.inner, let.Var)
		return r.stmt(let.Body)
	}
	out := r.MapStmt(s)
	if x, ok := out.(*tir.BufferStore); ok {
		out = x.WithIndices(r.indices(x.Indices))
	}
	r.from.note(out, s)
	return out
}

func (r *rests) expr(e tir.Expr) tir.Expr {
	out := r.MapExpr(e)
	if x, ok := out.(*tir.BufferLoad); ok {
		return x.WithIndices(r.indices(x.Indices))
	}
	return out
}

// indices returns the indices of an access with the rest of the only one bound.
func (r *rests) indices(indices []tir.Expr) []tir.Expr {
	if len(indices) != 1 {
		return indices
	}
	if x, ok := indices[0].(*tir.Ramp); ok {
		if at := r.index(x.Start); at != nil {
			return []tir.Expr{x.WithStart(at)}
		}
	} else if at := r.index(indices[0]); at != nil {
		return []tir.Expr{at}
	}
	return indices
}

// index returns e as a variable for its rest plus what copies change, nil where it is no such sum, or too simple for that.
func (r *rests) index(e tir.Expr) tir.Expr {
	d := e.DType()
	if !d.IsInteger() || d.Lanes != 1 {
		return nil
	}
	var rest, changed tir.Expr
	terms := 0
	var split func(e tir.Expr, k int64) bool
	split = func(e tir.Expr, k int64) bool {
		switch x := e.(type) {
		case *tir.Binary:
			switch x.Op {
			case tir.OpAdd:
				return split(x.A, k) && split(x.B, k)
			case tir.OpSub:
				return split(x.A, k) && split(x.B, -k)
			case tir.OpMul:
				if c, ok := tir.AsInt(x.B); ok {
					return split(x.A, k*c)
				}
			}
		case *tir.Var:
			if r.inner[x] {
				changed = plus(changed, x, k)
				return true
			}
		}
		if !r.shared(e) {
			return false
		}
		terms++
		rest = plus(rest, e, k)
		return true
	}
	if !split(e, 1) || rest == nil || changed == nil && terms < 2 {
		return nil
	}
	if _, constant := EvalInt(rest); constant { // as all of the index is in a copy
		return nil
	}
	if v, ok := rest.(*tir.Var); ok { // nothing is gained
		return plus(changed, v, 1)
	}
	v := tir.NewVar("rest", d)
	r.bind(v, rest)
	return plus(changed, v, 1)
}

// shared reports whether e may be computed in front of the nest: it reads no memory, uses nothing that the nest defines, and cannot fail.
func (r *rests) shared(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			_, inner := r.inner[n]
			ok = ok && !inner
		case *tir.IntImm, *tir.Select:
		case *tir.Cast:
			ok = ok && n.Type.IsInteger() && n.Value.DType().IsInteger()
		case *tir.Binary:
			switch n.Op {
			case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
				c, constant := tir.AsInt(n.B)
				ok = ok && constant && c > 0
			}
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// plus returns sum + k*e, where sum may be nil.
func plus(sum, e tir.Expr, k int64) tir.Expr {
	if k != 1 {
		e = tir.Mul(e, tir.Const(e.DType(), k))
	}
	if sum == nil {
		return e
	}
	return tir.Add(sum, e)
}
