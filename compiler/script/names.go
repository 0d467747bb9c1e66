package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// nameTable holds the names in use: "" for what had one and has none any more.
type nameTable struct {
	vars    ir.Memo[*tir.Var, string]
	buffers ir.Memo[*tir.Buffer, string]
	values  ir.Memo[*relax.Var, string]
	used    map[string]bool
	free    map[string]int // by hint, the smallest suffix that may be free
	order   []definition   // in order, for leaving frames
	most    int            // names that were defined at once
}

// definition is a name in use: hint, or hint_suffix where suffix is above 0.
type definition struct {
	obj    ir.Node
	hint   string
	suffix int
}

func (t *nameTable) init() {
	t.used, t.free = map[string]bool{}, map[string]int{}
}

// clear forgets all names.
func (t *nameTable) clear() {
	t.vars.Clear()
	t.buffers.Clear()
	t.values.Clear()
	clear(t.used)
	clear(t.free)
	clear(t.order[:max(t.most, len(t.order))])
	t.order, t.most = t.order[:0], 0
}

// reserve keeps a name from being given to anything.
func (t *nameTable) reserve(name string) { t.used[name] = true }

// of returns the name of a variable or buffer, "" if it has none.
func (t *nameTable) of(obj ir.Node) string {
	switch x := obj.(type) {
	case *tir.Var:
		return t.ofVar(x)
	case *tir.Buffer:
		return t.ofBuffer(x)
	case *relax.Var:
		name, _ := t.values.Get(x)
		return name
	}
	panic(fmt.Sprintf("script: %T has no name", obj))
}

func (t *nameTable) ofVar(v *tir.Var) string {
	name, _ := t.vars.Get(v)
	return name
}

func (t *nameTable) ofBuffer(b *tir.Buffer) string {
	name, _ := t.buffers.Get(b)
	return name
}

func (t *nameTable) set(obj ir.Node, name string) {
	switch x := obj.(type) {
	case *tir.Var:
		t.vars.Put(x, name)
	case *tir.Buffer:
		t.buffers.Put(x, name)
	case *relax.Var:
		t.values.Put(x, name)
	}
}

// remove forgets the name of obj and returns it.
func (t *nameTable) remove(obj ir.Node) string {
	name := t.of(obj)
	t.set(obj, "")
	return name
}

// fresh returns a name like hint that is not in use, and its suffix.
func (t *nameTable) fresh(hint string) (string, int) {
	if !t.used[hint] {
		return hint, 0
	}
	for i := max(t.free[hint], 1); ; i++ {
		if name := hint + "_" + strconv.Itoa(i); !t.used[name] {
			t.free[hint] = i + 1
			return name, i
		}
	}
}

// enter starts a frame; leave forgets the names defined since.
func (p *printer) enter() int { return len(p.names.order) }

func (p *printer) leave(mark int) {
	t := &p.names
	t.most = max(t.most, len(t.order))
	for _, d := range t.order[mark:] {
		delete(t.used, t.remove(d.obj))
		if d.suffix < t.free[d.hint] {
			t.free[d.hint] = d.suffix
		}
	}
	t.order = t.order[:mark]
}

// define gives obj a name like hint that is not in use.
func (p *printer) define(obj ir.Node, hint string) string {
	if n := p.names.of(obj); n != "" {
		return n
	}
	base := identifier(hint)
	name, suffix := p.names.fresh(base)
	p.names.set(obj, name)
	p.names.used[name] = true
	p.names.order = append(p.names.order, definition{obj, base, suffix})
	return name
}

// name returns the name of a variable or buffer, defining it if nothing has.
func (p *printer) name(obj ir.Node) string {
	if n := p.names.of(obj); n != "" {
		return n
	}
	p.undefinedUse = true
	return p.define(obj, hintOf(obj))
}

func hintOf(obj ir.Node) string { return obj.(ir.Variable).VarName() }

// def prints the name of obj where it is defined, use where it is used.
func (p *printer) def(obj ir.Node) {
	p.tracked(obj, p.define(obj, hintOf(obj)))
}

func (p *printer) use(obj ir.Node) { p.tracked(obj, p.name(obj)) }

func (p *printer) tracked(obj ir.Node, name string) {
	p.open(obj)
	p.str(name)
	p.shut()
}

// identifier makes hint a Python identifier that no keyword or dialect name shadows.
func identifier(hint string) string {
	if hint == "" {
		return "v"
	}
	ok := true
	for i := 0; i < len(hint); i++ {
		if !identByte(hint[i], i) {
			ok = false
			break
		}
	}
	if !ok {
		b := make([]byte, 0, len(hint)+1)
		if hint[0] >= '0' && hint[0] <= '9' {
			b = append(b, '_')
		}
		for i := 0; i < len(hint); i++ {
			if identByte(hint[i], 1) {
				b = append(b, hint[i])
			} else {
				b = append(b, '_')
			}
		}
		hint = string(b)
	}
	if len(hint) <= maxReserved && reserved[hint] {
		return hint + "_"
	}
	return hint
}

func identByte(c byte, i int) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9'
}

// maxReserved is the length of the longest reserved word.
const maxReserved = 8

var reserved = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`False None True and as assert async await break class continue def del elif else
		except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
		I T R cls metadata range`) {
		out[w] = true
	}
	return out
}()
