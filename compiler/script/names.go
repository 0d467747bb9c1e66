package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// nameTable holds the names in use: nil for what had one and has none any more.
type nameTable struct {
	vars    ir.Memo[*tir.Var, *ident]
	buffers ir.Memo[*tir.Buffer, *ident]
	values  ir.Memo[*relax.Var, *ident]
	idents  map[string]*ident // by name, and by the hint that it was made of
	turn    uint32            // what idents say of others does not count
	order   []definition      // in order, for leaving frames
	most    int               // names that were defined at once
}

// ident is a name that something may have. It stays when nothing has it any more: the next function has most of the same names.
type ident struct {
	text     string
	turn     uint32
	used     bool
	free     int      // the smallest suffix that may be free
	suffixed []*ident // by suffix, from 1 on
}

// definition is a name in use: that of base, or base_suffix where suffix is above 0.
type definition struct {
	obj    ir.Node
	base   *ident
	suffix int
}

// maxIdents is how many names are kept that are not in use.
const maxIdents = 1 << 13

func (t *nameTable) init() { t.idents, t.turn = map[string]*ident{}, 1 }

// clear forgets all names.
func (t *nameTable) clear() {
	t.vars.Clear()
	t.buffers.Clear()
	t.values.Clear()
	clear(t.order[:max(t.most, len(t.order))])
	t.order, t.most = t.order[:0], 0
	if t.turn++; t.turn == 0 || len(t.idents) > maxIdents {
		t.init()
	}
}

// ident returns the name that a hint becomes.
func (t *nameTable) ident(hint string) *ident {
	x := t.idents[hint]
	if x == nil {
		if text := identifier(hint); text != hint {
			x = t.ident(text)
		} else {
			x = &ident{text: text}
		}
		t.idents[hint] = x
	}
	if x.turn != t.turn {
		x.turn, x.used, x.free = t.turn, false, 0
	}
	return x
}

// with returns the name x_suffix.
func (t *nameTable) with(x *ident, suffix int) *ident {
	for len(x.suffixed) < suffix {
		x.suffixed = append(x.suffixed, nil)
	}
	y := x.suffixed[suffix-1]
	if y == nil {
		y = t.ident(x.text + "_" + strconv.Itoa(suffix))
		x.suffixed[suffix-1] = y
	}
	if y.turn != t.turn {
		y.turn, y.used, y.free = t.turn, false, 0
	}
	return y
}

// reserve keeps a name from being given to anything. What is no identifier is given to nothing anyway.
func (t *nameTable) reserve(name string) {
	if x := t.ident(name); x.text == name {
		x.used = true
	}
}

// of returns the name of a variable or buffer, "" if it has none.
func (t *nameTable) of(obj ir.Node) string {
	switch x := obj.(type) {
	case *tir.Var:
		return t.ofVar(x)
	case *tir.Buffer:
		return t.ofBuffer(x)
	case *relax.Var:
		return t.ofValue(x)
	}
	panic(fmt.Sprintf("script: %T has no name", obj))
}

func (t *nameTable) ofVar(v *tir.Var) string {
	x, _ := t.vars.Get(v)
	return x.name()
}

func (t *nameTable) ofBuffer(b *tir.Buffer) string {
	x, _ := t.buffers.Get(b)
	return x.name()
}

func (t *nameTable) ofValue(v *relax.Var) string {
	x, _ := t.values.Get(v)
	return x.name()
}

// name is "" for none.
func (x *ident) name() string {
	if x == nil {
		return ""
	}
	return x.text
}

// same reports whether x and y are names, and the same: those of long functions are not kept, but made anew.
func (x *ident) same(y *ident) bool { return x != nil && y != nil && (x == y || x.text == y.text) }

// set notes the name of obj, and returns the one that it had.
func (t *nameTable) set(obj ir.Node, x *ident) (was *ident) {
	switch obj := obj.(type) {
	case *tir.Var:
		was, _ = t.vars.Get(obj)
		t.vars.Put(obj, x)
	case *tir.Buffer:
		was, _ = t.buffers.Get(obj)
		t.buffers.Put(obj, x)
	case *relax.Var:
		was, _ = t.values.Get(obj)
		t.values.Put(obj, x)
	}
	return was
}

// fresh returns a name like base that is not in use, and its suffix.
func (t *nameTable) fresh(base *ident) (*ident, int) {
	if !base.used {
		return base, 0
	}
	for i := max(base.free, 1); ; i++ {
		if x := t.with(base, i); !x.used {
			base.free = i + 1
			return x, i
		}
	}
}

// enter starts a frame; leave forgets the names defined since.
func (p *printer) enter() int { return len(p.names.order) }

func (p *printer) leave(mark int) {
	t := &p.names
	t.most = max(t.most, len(t.order))
	for _, d := range t.order[mark:] {
		if x := t.set(d.obj, nil); x != nil {
			x.used = false
		}
		d.base.free = min(d.base.free, d.suffix)
	}
	t.order = t.order[:mark]
}

// define gives obj a name like hint that is not in use.
func (p *printer) define(obj ir.Node, hint string) string {
	if n := p.names.of(obj); n != "" {
		return n
	}
	base := p.names.ident(hint)
	x, suffix := p.names.fresh(base)
	p.names.set(obj, x)
	x.used = true
	p.names.order = append(p.names.order, definition{obj, base, suffix})
	return x.text
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

// functionName makes the name of a function of a module a Python identifier. What names inside of functions must not shadow, it may
// be called: it is reached through its module.
func functionName(name string) string {
	switch name {
	case "cls", "metadata", "range":
		return name
	}
	return identifier(name)
}

// IsFunctionName reports whether a text can define a function of a module by that name: an identifier, no word of Python, and none of
// those that stand for the dialects in the decorators of the next function.
func IsFunctionName(name string) bool { return name != "" && functionName(name) == name }

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
