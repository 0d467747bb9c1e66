package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// Fork leaves every loop to one thread: modules have no shared memory.
func (g *gen) Fork(*tir.For, *lower.Node, *lower.Node, func(lo, end *lower.Node)) bool { return false }

// Poll takes a cost in simple operations off the budget. The middle end says where: a kernel that
// does not come by can neither be canceled nor interrupted, and stops the whole process at the next
// garbage collection.
func (g *gen) Poll(cost float64) {
	g.mod.budget()
	g.polls = true
	g.Add(item{Kind: lower.ItemPoll, Imm: uint64(min(max(cost, 1), abi.PollBudget)), Callee: lower.Ref(wasmbin.PackFunc(g.mod.hostFunc(abi.ImportBudget)))})
}

// budget is the global that counts down the work until the next poll.
func (m *module) budget() wasmbin.GlobalRef {
	if !m.polls {
		m.polls = true
		m.left = m.bin.AddGlobal("poll_budget", wasmbin.I32, true, abi.FirstBudget)
	}
	return m.left
}

// begin leaves a kernel that polls no more than a first budget: what the one before did in a time says nothing of this one. It never adds to the budget, as kernels
// may call each other in loops.
func (e *emitter) begin() {
	f := e.f
	f.I32Const(abi.FirstBudget)
	f.GlobalGet(e.mod.left)
	f.GlobalGet(e.mod.left)
	f.I32Const(abi.FirstBudget)
	f.Op(wasmbin.I32GtS)
	f.Select()
	f.GlobalSet(e.mod.left)
}

// poll writes a poll. Where the budget is used up it calls the runtime, which gives the
// scheduler its turn and says how far the next one is, and leaves the function if the run was canceled.
func (e *emitter) poll(it *item) {
	f := e.f
	left := f.NewLocal("left", wasmbin.I32)
	f.GlobalGet(e.mod.left)
	f.I32Const(int32(it.Imm))
	f.Op(wasmbin.I32Sub)
	f.LocalTee(left)
	f.GlobalSet(e.mod.left)
	f.LocalGet(left)
	f.I32Const(0)
	f.Op(wasmbin.I32LtS)
	f.If("poll", wasmbin.None)
	f.Call(wasmbin.UnpackFunc(uint64(it.Callee)))
	f.LocalTee(left)
	f.GlobalSet(e.mod.left)
	f.LocalGet(left)
	f.Op(wasmbin.I32Eqz)
	f.If("stopped", wasmbin.None)
	if e.kernel {
		f.I32Const(abi.ErrStopped)
		f.Return()
	} else {
		f.Op(wasmbin.OpUnreachable)
	}
	f.End()
	f.End()
}
