package lower

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// stmt translates a statement.
func (w *Walker) stmt(s tir.Stmt) {
	w.step()
	if _, list := s.(*tir.SeqStmt); !list {
		outer := w.At
		w.At = w.memory.from.of(s)
		defer func() { w.At = outer }()
	}
	switch s := s.(type) {
	case *tir.SeqStmt:
		w.statements(s.Seq)
	case *tir.LetStmt:
		w.BindLet(s.Var, s.Value)
		w.stmt(s.Body)
	case *tir.AttrStmt:
		w.attrStmt(s)
	case *tir.AssertStmt:
		w.assert(s)
	case *tir.BufferStore:
		w.bufferStore(s)
	case *tir.Allocate:
		w.allocate(s)
	case *tir.AllocateConst:
		w.checkStorage(s.Type, KindName(s))
		w.OwnClass(s.Var)
		w.Vars[s.Var] = One(dtype.HandleT, w.gen.Data(s.Data))
		w.stmt(s.Body)
	case *tir.DeclBuffer:
		w.stmt(s.Body)
	case *tir.Evaluate:
		w.Expr(s.Value) // a pure value leaves no code
	case *tir.IfThenElse:
		w.ifStmt(s)
	case *tir.For:
		w.forStmt(s)
	case *tir.While:
		w.whileStmt(s)
	case *tir.Block, *tir.BlockRealize, *tir.BufferRealize:
		w.Fail(KindName(s), "must be lowered first: run LowerOpaqueBlock and FlattenBuffer")
	default:
		panic(fmt.Sprintf("lower: unknown statement %T", s))
	}
}

// attrStmt passes over annotations; those that would change the meaning are refused.
func (w *Walker) attrStmt(s *tir.AttrStmt) {
	switch s.Key {
	case "thread_extent", "virtual_thread":
		w.Fail("AttrStmt "+s.Key, "the target has no threads to bind a loop to")
	case tir.KeyBoundIndex, tir.KeyBoundExtent:
		w.bound = append(w.bound, s.Value)
	}
	w.stmt(s.Body)
	w.bound = nil
}

func (w *Walker) ifStmt(s *tir.IfThenElse) {
	if m := w.twice[s]; m != nil {
		w.runTwice(s, m)
		return
	}
	cond := w.ScalarExpr(s.Cond, "IfThenElse")
	if v, ok := cond.Int(); ok {
		if v != 0 {
			w.straight(s.Then)
		} else if s.Else != nil {
			w.straight(s.Else)
		}
		return
	}
	var no func()
	if s.Else != nil {
		no = func() { w.straight(s.Else) }
	}
	w.Branch(cond, "if", func() { w.straight(s.Then) }, no)
}

// assert leaves the function where the condition does not hold.
func (w *Walker) assert(s *tir.AssertStmt) {
	bound := w.bound
	w.bound = nil
	cond := w.ScalarExpr(s.Cond, "AssertStmt")
	if v, ok := cond.Int(); !ok || v == 0 {
		w.Branch(w.Fn(Eqz, cond), "assert", func() { w.gen.Raise(s, bound) }, nil)
	}
	w.straight(s.Body)
}

// Facts are the two numbers of an error, of 64 bits: values, and 0 for those that are not there.
func (w *Walker) Facts(values []tir.Expr) [2]*Node {
	out := [2]*Node{w.Int(64, 0), w.Int(64, 0)}
	for i, e := range values {
		by := ExtendS
		if e.DType().IsUInt() {
			by = ExtendU
		}
		out[i] = w.extended(w.ScalarExpr(e, "AssertStmt"), by)
	}
	return out
}
