package vm

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/runtime"
)

// A function that calls itself in the place of returning is a loop: it begins anew in its frame, so that neither frames nor the tensors in them pile
// up. Hooks do not see these calls.

// ErrTurns is wrapped by the error of a run whose functions begin anew too often.
var ErrTurns = errors.New("repetition limit reached")

// repeats marks the calls of f by itself whose result it returns.
func (m *Machine) repeats(f FuncInfo) {
	for pc := f.Start; pc+1 < f.End; pc++ {
		c, next := &m.code[pc], &m.code[pc+1]
		callee := m.exec.Funcs
		c.again = c.op == OpCall && callee[c.fn].Name == f.Name && !f.Once && c.dst >= 0 && next.op == OpRet && next.reg == c.dst
	}
}

// again makes args the arguments of the function that fr is of, and its other registers empty.
func (m *Machine) again(fr *frame, f *FuncInfo, args []runtime.Value) error {
	if int64(len(args)) != f.NumArgs {
		return fmt.Errorf("function %s takes %d arguments, got %d", f.Name, f.NumArgs, len(args))
	}
	if m.turns++; m.turns > m.opts.MaxTurns {
		return fmt.Errorf("function %s has begun anew %d times: %w", f.Name, m.opts.MaxTurns, ErrTurns)
	}
	for _, a := range args {
		a.Retain()
	}
	for i := range fr.regs {
		fr.regs[i].Release()
		fr.regs[i] = runtime.Null()
	}
	copy(fr.regs, args)
	return nil
}
