package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// messages are the errors that the kernels of a module raise, each once. The host keeps them:
// a text in linear memory could be overwritten by the very store that an error is about.
type messages struct {
	list []abi.Message
	ids  map[abi.Message]int
}

func (m *messages) id(msg abi.Message) int {
	if id, ok := m.ids[msg]; ok {
		return id
	}
	if m.ids == nil {
		m.ids = map[abi.Message]int{}
	}
	id := len(m.list)
	m.ids[msg] = id
	m.list = append(m.list, msg)
	return id
}

// assert records the message and leaves the function where the condition does not hold.
func (g *gen) assert(s *tir.AssertStmt) {
	bound := g.bound
	g.bound = nil
	cond := g.scalarExpr(s.Cond, "AssertStmt")
	if v, ok := cond.Int(); !ok || v == 0 {
		g.Branch(g.op(wasmbin.I32Eqz, cond), "assert", func() {
			text, fact, values := codegen.FailureOf(s, bound)
			g.raise(abi.Message{Kind: "RuntimeError", Text: text, Fact: fact}, values)
		}, nil)
	}
	g.stmt(s.Body)
}

// raise records an error with up to two numbers and leaves the function.
func (g *gen) raise(msg abi.Message, values []tir.Expr) {
	args := []*node{g.i32(int32(g.mod.errors.id(msg))), g.i64(0), g.i64(0)}
	for i, e := range values {
		n := g.scalarExpr(e, "AssertStmt")
		if typeOf(n) == wasmbin.I32 {
			widen := wasmbin.I64ExtendI32S
			if e.DType().IsUInt() {
				widen = wasmbin.I64ExtendI32U
			}
			n = g.op(widen, n)
		}
		args[i+1] = n
	}
	g.Add(item{Kind: lower.ItemCall, Callee: lower.Ref(wasmbin.PackFunc(g.mod.hostFunc(abi.ImportRaise))), Args: args})
	g.leave(abi.ErrRaised)
}

// leave returns an error code. A function that has none to return stops the kernel that
// called it: the host knows why.
func (g *gen) leave(code int32) {
	if !g.kernel {
		g.Add(item{Kind: lower.ItemTrap})
		return
	}
	g.Add(item{Kind: lower.ItemReturn, Args: []*node{g.i32(code)}})
}
