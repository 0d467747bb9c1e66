package script

import (
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// A pass leaves most bindings of a large Relax function as they are. The text of a binding is its own and the names that its variables have, so that
// one that was printed before, with variables that have the names of that time, is not printed anew.

// minBindings is how many bindings a function must have for its lines to be kept: small ones would take the place of the large one.
const minBindings = 64

// lineMemory is the lines of the Relax function that was printed last, and those of the one that is printed.
type lineMemory struct{ was, now keptLines }

// keptLines are the lines of a text that are bindings.
type keptLines struct {
	source string
	lines  ir.Memo[*relax.VarBinding, keptLine]
	uses   []namedVar // of all lines
}

// keptLine is a binding in a text, without its indentation and the end of its line.
type keptLine struct {
	start, end int32
	uses, last int32  // its variables are uses[uses:last]
	name       *ident // of the variable that it binds
}

// namedVar is a variable that stands in a line under a name.
type namedVar struct {
	v    *relax.Var
	name *ident
}

// memoryFor returns the memory for the lines of f; nil where it takes none, as it is small or printed with options.
func (s *Scratch) memoryFor(f *relax.Function) *lineMemory {
	n := 0
	for _, b := range f.Body.Blocks {
		n += len(b.Bindings)
	}
	o := s.opts
	o.Scratch = nil
	if n < minBindings || !reflect.ValueOf(&o).Elem().IsZero() {
		return nil
	}
	m := &s.memory
	m.now.lines.Clear()
	clear(m.now.uses)
	m.now.uses = m.now.uses[:0]
	return m
}

// printed makes the function that was printed the last one.
func (m *lineMemory) printed(source string) {
	m.now.source = source
	m.was, m.now = m.now, m.was
	m.now.source = ""
}

// again prints b as it was printed the last time, if nothing says that it is to be printed otherwise.
func (p *printer) again(b *relax.VarBinding) bool {
	m := p.memory
	l, ok := m.was.lines.Get(b)
	if !ok {
		return false
	}
	uses := m.was.uses[l.uses:l.last]
	for _, u := range uses {
		if x, _ := p.names.values.Get(u.v); !x.same(u.name) {
			return false
		}
	}
	p.define(b.Var, b.Var.Name)
	name, _ := p.names.values.Get(b.Var)
	if !name.same(l.name) {
		return false
	}
	p.begin(b)
	at := len(p.buf)
	p.str(m.was.source[l.start:l.end])
	first := len(m.now.uses)
	m.now.uses = append(m.now.uses, uses...)
	m.keep(b, at, len(p.buf), first, name)
	p.end()
	return true
}

// keep notes that b was printed.
func (m *lineMemory) keep(b *relax.VarBinding, start, end, uses int, name *ident) {
	m.now.lines.Put(b, keptLine{int32(start), int32(end), int32(uses), int32(len(m.now.uses)), name})
}

// printedBinding keeps the line that b was printed on, from start to where the printer is; uses is how many variables had been used before it. A line with
// variables of extents is not kept.
func (p *printer) printedBinding(b *relax.VarBinding, start, uses int) {
	m := p.memory
	name, _ := p.names.values.Get(b.Var)
	if p.names.vars.Len()+p.names.buffers.Len() > 0 {
		m.now.uses = m.now.uses[:uses]
		return
	}
	m.keep(b, start, len(p.buf)-1, uses, name)
}

// used returns how many variables were used.
func (m *lineMemory) used() int {
	if m == nil {
		return 0
	}
	return len(m.now.uses)
}

// usedIn notes that v stands in the line that is printed.
func (m *lineMemory) usedIn(v *relax.Var, name *ident) {
	m.now.uses = append(m.now.uses, namedVar{v, name})
}
