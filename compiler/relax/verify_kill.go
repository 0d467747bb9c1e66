package relax

import "github.com/irscope/irscope/compiler/ir"

// killOps are the operators that end the life of their argument: no use may follow.
var killOps = map[string]bool{
	"relax.memory.kill_storage": true,
	"relax.memory.kill_tensor":  true,
	"relax.vm.kill_object":      true,
}

// KilledBy returns the variable whose life e ends and the operator that does, nil if e is no
// such call.
func KilledBy(e Expr) (*Var, string) {
	c, ok := e.(*Call)
	if !ok || len(c.Args) != 1 {
		return nil, ""
	}
	o, ok := c.Op.(*ir.Op)
	if !ok || !killOps[o.Name] {
		return nil, ""
	}
	x, _ := c.Args[0].(*Var)
	return x, o.Name
}

// lives knows which values are dead. Variables that only give another name to one are that
// value: they share a register of the machine. A tuple is a value of its own that outlives
// the variables of its fields.
type lives struct {
	names map[*Var]*Var   // other names
	dead  map[*Var]string // by what operator
	order []*Var          // in which they died
}

func newLives() *lives { return &lives{names: map[*Var]*Var{}, dead: map[*Var]string{}} }

func (l *lives) value(x *Var) *Var {
	if y := l.names[x]; y != nil {
		return y
	}
	return x
}

// bound notes that x was bound to e, and what e killed.
func (l *lives) bound(x *Var, e Expr) {
	if y, ok := e.(*Var); ok {
		l.names[x] = l.value(y)
	}
	if y, op := KilledBy(e); y != nil {
		y = l.value(y)
		l.dead[y] = op
		l.order = append(l.order, y)
	}
}

// since takes back the deaths after the first n, and returns them.
func (l *lives) since(n int) map[*Var]string {
	out := map[*Var]string{}
	for _, x := range l.order[n:] {
		out[x] = l.dead[x]
		delete(l.dead, x)
	}
	l.order = l.order[:n]
	return out
}

// add notes deaths that since took back.
func (l *lives) add(dead map[*Var]string) {
	for x, op := range dead {
		if l.dead[x] == "" {
			l.dead[x] = op
			l.order = append(l.order, x)
		}
	}
}
