package x86

import (
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/target/codegen"
)

// stmt translates a statement.
func (g *gen) stmt(s tir.Stmt) {
	g.step()
	if _, list := s.(*tir.SeqStmt); !list {
		outer := g.At
		g.At = s
		defer func() { g.At = outer }()
	}
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
		g.checkStorage(s.Type, lower.KindName(s))
		g.OwnClass(s.Var)
		g.vars[s.Var] = one(s.Var.DType(), g.fn(lower.Add, g.word(native.DataAt, "data"), g.i32(int32(g.mod.data.add(s.Data)))))
		g.stmt(s.Body)
	case *tir.DeclBuffer:
		g.stmt(s.Body)
	case *tir.Evaluate:
		g.expr(s.Value) // a pure value leaves no code
	case *tir.IfThenElse:
		g.ifStmt(s)
	case *tir.For:
		g.forStmt(s)
	case *tir.While:
		g.whileStmt(s)
	case *tir.Block, *tir.BlockRealize, *tir.BufferRealize:
		g.fail(lower.KindName(s), "must be lowered first: run LowerOpaqueBlock and FlattenBuffer")
	default:
		panic(fmt.Sprintf("x86: unknown statement %T", s))
	}
}

// attrStmt passes over annotations; those that would change the meaning are refused.
func (g *gen) attrStmt(s *tir.AttrStmt) {
	switch s.Key {
	case "thread_extent", "virtual_thread":
		g.fail("AttrStmt "+s.Key, "the target has no threads to bind a loop to")
	case tir.KeyBoundIndex, tir.KeyBoundExtent:
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

// poll takes a cost in simple operations off the budget. The middle end says where: a kernel that does not come by can neither be canceled nor
// interrupted, and a collection waits for it.
func (g *gen) poll(cost float64) {
	g.Add(item{Kind: lower.ItemPoll, Imm: uint64(min(max(cost, 1), abi.PollBudget))})
}

// assert leaves the kernel with the number of a message where the condition does not hold.
func (g *gen) assert(s *tir.AssertStmt) {
	bound := g.bound
	g.bound = nil
	cond := g.scalarExpr(s.Cond, "AssertStmt")
	if v, ok := cond.Int(); !ok || v == 0 {
		g.Branch(g.fn(lower.Eqz, cond), "assert", func() {
			text, fact, values := codegen.FailureOf(s, bound)
			g.raise(abi.Message{Kind: "RuntimeError", Text: text, Fact: fact}, values)
		}, nil)
	}
	g.stmt(s.Body)
}

// raise hands an error with up to two numbers to the host and leaves the kernel.
func (g *gen) raise(msg abi.Message, values []tir.Expr) {
	args := []*node{g.i64(int64(g.mod.message(msg))), g.i64(0), g.i64(0)}
	for i, e := range values {
		n := g.scalarExpr(e, "AssertStmt")
		if n.Type == tI32 {
			n = g.conv(extendFn(!e.DType().IsUInt()), n)
		}
		args[i+1] = n
	}
	g.Add(item{Kind: lower.ItemCall, Callee: raised, Args: args})
	g.leave(native.StatusRaised)
}

// raised is the item that writes the words of an error.
const raised lower.Ref = 1 << 32

// leave returns a status.
func (g *gen) leave(status int32) {
	g.Add(item{Kind: lower.ItemReturn, Args: []*node{g.i32(status)}})
}
