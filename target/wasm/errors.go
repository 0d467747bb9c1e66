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

// Raise records the error of an assertion, with up to two numbers, and leaves the function.
func (g *gen) Raise(s *tir.AssertStmt, bound []tir.Expr) {
	text, fact, values := codegen.FailureOf(s, bound)
	id := g.i32(int32(g.mod.errors.id(abi.Message{Kind: "RuntimeError", Text: text, Fact: fact})))
	facts := g.Facts(values)
	g.Add(item{Kind: lower.ItemCall, Callee: lower.Ref(wasmbin.PackFunc(g.mod.hostFunc(abi.ImportRaise))), Args: g.Operands(id, facts[0], facts[1])})
	g.leave(abi.ErrRaised)
}

// leave returns an error code. A function that has none to return stops the kernel that
// called it: the host knows why.
func (g *gen) leave(code int32) {
	if !g.kernel {
		g.Add(item{Kind: lower.ItemTrap})
		return
	}
	g.Add(item{Kind: lower.ItemReturn, Args: g.Operands(g.i32(code))})
}
