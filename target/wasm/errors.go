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
	raise := g.mod.hostFunc(abi.ImportRaise)
	g.mod.raise = &raise
	g.Add(item{Kind: lower.ItemCall, Callee: lower.Ref(wasmbin.PackFunc(raise)), Args: g.Operands(id, facts[0], facts[1])})
	g.leave(abi.ErrRaised)
}

// raised is the end of a kernel that its assertions go to, with the arguments of the call that records an error. A kernel checks its arguments by dozens of assertions: a call
// for each would be a third of what it takes wazero to compile it.
type raised struct {
	label wasmbin.Label
	args  []wasmbin.Local // nil until one is needed
}

// openRaised begins what assertions leave.
func (e *emitter) openRaised() { e.raised.label = e.f.Block("raised") }

// raises writes a conditional as a branch to the end of the kernel where it does nothing but record an error.
func (e *emitter) raises(it *item) bool {
	r := it.Body
	n := len(r.Items) - 2
	if !e.kernel || it.Alt != nil || n < 0 || r.Items[n].Kind != lower.ItemCall || e.mod.raise == nil || wasmbin.UnpackFunc(uint64(r.Items[n].Callee)) != *e.mod.raise {
		return false
	}
	for _, x := range r.Items[:n] {
		if x.Kind != lower.ItemDef {
			return false
		}
	}
	e.items(r, n)
	for i, a := range r.Items[n].Args {
		if len(e.raised.args) == i {
			e.raised.args = append(e.raised.args, e.f.NewLocal("error", typeOf(a)))
		}
		e.value(a)
		e.f.LocalSet(e.raised.args[i])
	}
	e.close(r)
	e.f.BrIf(e.raised.label)
	return true
}

// closeRaised writes the end that assertions go to.
func (e *emitter) closeRaised() {
	f := e.f
	f.I32Const(0)
	f.Return()
	f.End()
	for _, a := range e.raised.args {
		f.LocalGet(a)
	}
	if e.raised.args != nil {
		f.Call(*e.mod.raise)
		f.I32Const(abi.ErrRaised)
		f.Return()
	}
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
