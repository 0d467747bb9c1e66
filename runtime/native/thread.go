package native

import (
	"encoding/binary"

	"github.com/irscope/irscope/runtime"
)

// thread is what the code needs that one thread runs.
type thread struct {
	frame      Frame
	workspaces runtime.Workspaces
	pace       runtime.Pace
}

// begin gives the code the budget that it had at the end before, 0 if there is none.
func (t *thread) begin(budget uint32) {
	t.pace.Begin(budget)
	t.frame.setBudget(t.pace.Budget)
}

// polled gives the code more to do.
func (t *thread) polled() { t.frame.setBudget(t.pace.Next()) }

func (f *Frame) setBudget(n uint32) { binary.LittleEndian.PutUint32(f.Room[BudgetAt-frozen:], n) }
