package wasm

import (
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// stmt translates a statement.
func (g *gen) stmt(s tir.Stmt) {
	g.step()
	switch s := s.(type) {
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			g.stmt(x)
		}
	case *tir.LetStmt:
		g.bindLet(s.Var, s.Value)
		g.stmt(s.Body)
	case *tir.AttrStmt:
		g.attrStmt(s)
	case *tir.AssertStmt:
		g.assert(s)
	case *tir.BufferStore:
		g.bufferStore(s)
	case *tir.Allocate:
		g.allocate(s)
	case *tir.AllocateConst:
		g.allocateConst(s)
	case *tir.DeclBuffer:
		g.stmt(s.Body)
	case *tir.Evaluate:
		g.evaluate(s.Value)
	case *tir.IfThenElse:
		g.ifStmt(s)
	case *tir.For:
		g.forStmt(s)
	case *tir.While:
		g.whileStmt(s)
	case *tir.Block, *tir.BlockRealize, *tir.BufferRealize:
		g.fail(lower.KindName(s), "must be lowered first: run LowerOpaqueBlock and FlattenBuffer")
	default:
		panic(fmt.Sprintf("wasm: unknown statement %T", s))
	}
}

func (g *gen) evaluate(e tir.Expr) {
	if _, ok := e.(*tir.Call); ok {
		g.expr(e)
		return
	}
	g.expr(e) // for the errors that it may report; a pure value leaves no code
}

// attrStmt passes over annotations; those that would change the meaning are refused.
func (g *gen) attrStmt(s *tir.AttrStmt) {
	switch s.Key {
	case "thread_extent", "virtual_thread":
		g.fail("AttrStmt "+s.Key, "the target has no threads to bind a loop to")
	}
	if s.Key == tir.KeyBoundIndex || s.Key == tir.KeyBoundExtent {
		g.bound = append(g.bound, s.Value)
	}
	g.stmt(s.Body)
	g.bound = nil
}

func (g *gen) ifStmt(s *tir.IfThenElse) {
	cond := g.scalarExpr(s.Cond, "IfThenElse")
	if v, ok := cond.Int(); ok {
		if v != 0 {
			g.stmt(s.Then)
		} else if s.Else != nil {
			g.stmt(s.Else)
		}
		return
	}
	var no func()
	if s.Else != nil {
		no = func() { g.stmt(s.Else) }
	}
	g.Branch(cond, "if", func() { g.stmt(s.Then) }, no)
}

// cstring returns the address of a zero-terminated string in the data of the module.
func (g *gen) cstring(s string) *node { return g.dataAddress(g.mod.data.str(s)) }

// dataAddress is the address of an offset in the data of the module.
func (g *gen) dataAddress(off int) *node {
	base := g.Global(lower.Op(wasmbin.OpGlobalGet), wasmbin.PackGlobal(g.mod.dataBase()), "data")
	return g.op(wasmbin.I32Add, base, g.i32(int32(off)))
}
