package graphrun

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// A call of a function whose result the caller returns takes the caller's place, so that a loop, which is a function that calls itself there, nests no
// calls and keeps nothing of the turns before.

// maxTurns bounds the calls of a function that take the place of others.
const maxTurns = 1 << 20

// tail is a call whose result is that of the function which makes it.
type tail struct {
	name string
	fn   *relax.Function
	args Tuple
}

// returned runs a sequence whose value the function returns. It stops before a last call, which it returns.
func (f *frame) returned(s *relax.SeqExpr) (Value, *tail, error) {
	last := f.lastOf(s)
	if err := f.bindings(s, last); err != nil {
		return nil, nil, err
	}
	if last != nil {
		v, next, err := f.last(last.BoundValue())
		if err != nil {
			err = fmt.Errorf("variable %s: %w", last.Bound().Name, err)
		}
		return v, next, err
	}
	reg, err := f.register(s.Body)
	if err != nil {
		return nil, nil, err
	}
	return reg.value, nil, nil
}

// last runs what lastOf found.
func (f *frame) last(e relax.Expr) (Value, *tail, error) {
	if c, ok := e.(*relax.Call); ok {
		name := c.Op.(*ir.GlobalVar).Name
		args, err := f.list(c.Args)
		return nil, &tail{name, f.mod.Lookup(name).(*relax.Function), args}, err
	}
	branches := e.(*relax.If)
	cond, err := f.eval(branches.Cond)
	if err != nil {
		return nil, nil, err
	}
	if truth(cond) {
		return f.returned(branches.Then)
	}
	return f.returned(branches.Else)
}

// lastOf returns the binding of a last call of a Relax function.
func (f *frame) lastOf(s *relax.SeqExpr) relax.Binding {
	return relax.TailCall(s, func(gv *ir.GlobalVar) bool {
		_, graph := f.mod.Lookup(gv.Name).(*relax.Function)
		return graph
	})
}

// bind gives the parameters of fn their values.
func (f *frame) bind(name string, fn *relax.Function, args []Value) error {
	if len(args) != len(fn.Params) {
		return fmt.Errorf("%s takes %d arguments, got %d", name, len(fn.Params), len(args))
	}
	for i, p := range fn.Params {
		f.regs[p] = &register{value: args[i]}
		if err := f.match(p.SInfo, args[i]); err != nil {
			return fmt.Errorf("%s: parameter %s: %w", name, p.Name, err)
		}
	}
	return nil
}

// enter runs fn in a frame that is its own, and what takes its place.
func (f *frame) enter(name string, fn *relax.Function, args []Value) (Value, error) {
	if f.depth++; f.depth > maxDepth {
		return nil, fmt.Errorf("%s: calls are nested more than %d deep", name, maxDepth)
	}
	defer func() { f.depth-- }()
	for turns := 0; ; turns++ {
		if turns > maxTurns {
			return nil, fmt.Errorf("%s: functions have called others in their place more than %d times", name, maxTurns)
		}
		if err := f.bind(name, fn, args); err != nil {
			return nil, err
		}
		v, next, err := f.returned(fn.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if next == nil {
			return v, nil
		}
		name, fn, args = next.name, next.fn, next.args
		f = &frame{f.runner, map[*relax.Var]*register{}, map[*tir.Var]int64{}}
	}
}
