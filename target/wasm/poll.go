package wasm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// Every loop must call the runtime within about abi.PollBudget operations of its own or of what
// surrounds it, however often it turns out to run: a kernel that does not come by can neither be
// cancelled nor interrupted, and stops the whole process at the next garbage collection. So each
// statement has a bound on the operations that it takes without taking them off the budget, and a
// loop keeps that bound finite:
//
//   - A loop of few operations in all does nothing; its operations count for what is around it.
//   - Where one turn costs turnCost, each turn takes its cost off the budget.
//   - Otherwise the loop runs in strips of about stripCost, so that nothing is added to its turns.
//     What remains of the last strip is not taken off but counts, as a whole strip, for what is
//     around it.
//
// A function of the module that others call takes what its body leaves off the budget when it is
// entered.
const (
	quietCost = 1 << 20
	turnCost  = 1 << 12
	stripCost = 1 << 14
)

// plan decides how the loop e polls, and returns the operations that it does not take off the
// budget. trips is infinite where it is not known. A loop that steps by one and is not left in
// the middle can run in strips.
func (e *loopEffects) plan(trips float64, strips bool) float64 {
	total := trips * e.body
	switch {
	case e.body == 0 || trips == 0:
		return 0
	case total <= quietCost:
		return total
	case e.body < turnCost && strips:
		e.polls, e.strip = true, int64(math.Ceil(stripCost/e.body))
		return float64(e.strip) * e.body
	}
	e.polls = true
	return 1
}

// inStrips reports whether s, with effects e, can run in strips.
func (e *loopEffects) inStrips(s *tir.For) bool { return s.Step == nil && !e.jumps }

// poll takes a cost in simple operations off the budget.
func (g *gen) poll(cost float64) {
	g.add(item{kind: itemPoll, imm: uint64(min(max(cost, 1), abi.PollBudget)), callee: g.mod.hostFunc(abi.ImportStopped), global: g.mod.budget()})
}

// budget is the global that counts down the work until the next poll.
func (m *module) budget() wasmbin.GlobalRef {
	if !m.polls {
		m.polls = true
		m.left = m.bin.AddGlobal("poll_budget", wasmbin.I32, true, abi.PollBudget)
	}
	return m.left
}

// poll writes a poll. Where the budget is used up it calls the runtime, which gives the
// scheduler its turn, and leaves the function if the run was cancelled.
func (e *emitter) poll(it *item) {
	f := e.f
	left := f.NewLocal("left", wasmbin.I32)
	f.GlobalGet(it.global)
	f.I32Const(int32(it.imm))
	f.Op(wasmbin.I32Sub)
	f.LocalTee(left)
	f.GlobalSet(it.global)
	f.LocalGet(left)
	f.I32Const(0)
	f.Op(wasmbin.I32LtS)
	f.If("poll", wasmbin.None)
	f.Call(it.callee)
	f.If("stopped", wasmbin.None)
	if e.kernel {
		f.I32Const(abi.ErrStopped)
		f.Return()
	} else {
		f.Op(wasmbin.OpUnreachable)
	}
	f.End()
	f.I32Const(abi.PollBudget)
	f.GlobalSet(it.global)
	f.End()
}
