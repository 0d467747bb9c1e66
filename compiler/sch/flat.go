package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// FlattenAccess lets a block, and those inside of it, access buffers through one-dimensional views where indices are
// quotients and remainders, as after FuseBlockIters, that cancel out in the flat index. It is no primitive
// of TVM's, and is to be called last: other primitives do not look into views. Buffers of the block itself stay where the pass that shrinks them takes the quotients away (shrinking).
func (s *State) FlattenAccess(b *Block) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	became, keep := reuse{}, shrinking(at.Block())
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		k, ok := x.(*tir.Block)
		if !ok {
			return m.MapStmt(x)
		}
		now := k
		if len(realizes(k)) > 0 {
			now = k.WithBody(m.Stmt(k.Body))
		} else {
			now = flattened(k, keep)
		}
		if now != k {
			became[k] = now
		}
		return now
	}
	now := m.Stmt(at.Block())
	if now == at.stmt() {
		return s, nil
	}
	return s.replace(at, now, became), nil
}

// flattened returns a block that holds no others with flat accesses, but for those of some buffers; the block itself if it has none.
func flattened(b *tir.Block, keep map[*tir.Buffer]bool) *tir.Block {
	f := &viewer{an: arith.NewAnalyzer(), views: map[*tir.Buffer]*tir.Buffer{}, keep: keep}
	for _, iv := range b.IterVars {
		f.an.BindRange(iv.Var, iv.Dom)
	}
	change := func(st tir.Stmt) tir.Stmt {
		if st == nil {
			return nil
		}
		return tir.RewriteStmt(st, f.stmt, f.expr)
	}
	body, init := change(b.Body), change(b.Init)
	if len(f.order) == 0 {
		return b
	}
	// The views are declared where they are used; regions stay those of the buffers.
	declare := func(st tir.Stmt) tir.Stmt {
		for k := len(f.order) - 1; st != nil && k >= 0; k-- {
			st = &tir.DeclBuffer{Base: b.Base, Buffer: f.order[k], Body: st}
		}
		return st
	}
	now := *b
	now.Body, now.Init = declare(body), declare(init)
	return &now
}

type viewer struct {
	an    *arith.Analyzer
	views map[*tir.Buffer]*tir.Buffer
	keep  map[*tir.Buffer]bool
	order []*tir.Buffer
}

// flat returns the view of a buffer and the index into it, nil where it does not help.
func (f *viewer) flat(b *tir.Buffer, indices []tir.Expr) (*tir.Buffer, tir.Expr) {
	if len(indices) < 2 || f.keep[b] || len(b.Strides) > 0 || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0) {
		return nil, nil
	}
	at, ok := UndividedIndex(f.an, b, indices)
	if !ok {
		return nil, nil
	}
	v := f.views[b]
	if v == nil {
		n := tir.Expr(tir.Const(b.Shape[0].DType(), 1))
		for _, e := range b.Shape {
			n = tir.Mul(n, e)
		}
		v = b.WithShape([]tir.Expr{n}).WithName(b.Name + "_flat")
		f.views[b] = v
		f.order = append(f.order, v)
	}
	return v, at
}

func (f *viewer) expr(e tir.Expr) tir.Expr {
	if l, ok := e.(*tir.BufferLoad); ok {
		if v, at := f.flat(l.Buffer, l.Indices); v != nil {
			return &tir.BufferLoad{Base: l.Base, Buffer: v, Indices: []tir.Expr{at}, Predicate: l.Predicate}
		}
	}
	return e
}

func (f *viewer) stmt(st tir.Stmt) tir.Stmt {
	if x, ok := st.(*tir.BufferStore); ok {
		if v, at := f.flat(x.Buffer, x.Indices); v != nil {
			return &tir.BufferStore{Base: x.Base, Buffer: v, Value: x.Value, Indices: []tir.Expr{at}, Predicate: x.Predicate}
		}
	}
	return st
}

// UndividedIndex returns the flat index of an access to a compact buffer if it takes no quotient or remainder of some variable of which the indices
// take one: those of a reshape cancel out, also where others, as those of a channel shuffle, stay.
func UndividedIndex(an *arith.Analyzer, b *tir.Buffer, indices []tir.Expr) (tir.Expr, bool) {
	before := map[*tir.Var]bool{}
	for _, ix := range indices {
		divided(ix, before)
	}
	if len(before) == 0 {
		return nil, false
	}
	at := an.Simplify(FlatIndex(b, indices))
	after := map[*tir.Var]bool{}
	divided(at, after)
	for v := range before {
		if !after[v] {
			return at, true
		}
	}
	return nil, false
}

// divided adds the variables of which e takes a quotient or a remainder.
func divided(e tir.Expr, to map[*tir.Var]bool) {
	ir.Walk(e, func(n ir.Node) bool {
		x, ok := n.(*tir.Binary)
		if !ok || x.Op != tir.OpFloorDiv && x.Op != tir.OpFloorMod {
			return true
		}
		ir.Walk(x, func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok {
				to[v] = true
			}
			return true
		})
		return false
	})
}

// Divides reports whether e holds a quotient or a remainder.
func Divides(e tir.Expr) bool {
	switch e := e.(type) { // most of what is asked for
	case *tir.IntImm, *tir.Var:
		return false
	case *tir.Binary:
		return e.Op == tir.OpFloorDiv || e.Op == tir.OpFloorMod || Divides(e.A) || Divides(e.B)
	}
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		if x, ok := n.(*tir.Binary); ok && (x.Op == tir.OpFloorDiv || x.Op == tir.OpFloorMod) {
			found = true
		}
		return !found
	})
	return found
}
