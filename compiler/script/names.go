package script

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// frame returns a function that forgets the names defined since.
func (p *printer) frame() func() {
	n := len(p.order)
	return func() {
		for _, d := range p.order[n:] {
			delete(p.used, p.names[d.obj])
			delete(p.names, d.obj)
			p.free[d.hint] = min(p.free[d.hint], d.suffix)
		}
		p.order = p.order[:n]
	}
}

// define gives obj a name like hint that is not in use.
func (p *printer) define(obj any, hint string) string {
	if n, ok := p.names[obj]; ok {
		return n
	}
	base := identifier(hint)
	name, i := base, 0
	if p.used[name] {
		for i = max(p.free[base], 1); ; i++ {
			if name = base + "_" + strconv.Itoa(i); !p.used[name] {
				break
			}
		}
		p.free[base] = i + 1
	}
	p.names[obj] = name
	p.used[name] = true
	p.order = append(p.order, definition{obj, base, i})
	return name
}

// name returns the name of a variable or buffer, defining it if nothing has.
func (p *printer) name(obj any) string {
	if n, ok := p.names[obj]; ok {
		return n
	}
	switch x := obj.(type) {
	case *tir.Var:
		return p.define(x, x.Name)
	case *tir.Buffer:
		return p.define(x, x.Name)
	case *relax.Var:
		return p.define(x, x.Name)
	}
	return p.define(obj, "x")
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
	if reserved[hint] {
		return hint + "_"
	}
	return hint
}

func identByte(c byte, i int) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9'
}

var reserved = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`False None True and as assert async await break class continue def del elif else
		except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
		I T R cls metadata range`) {
		out[w] = true
	}
	return out
}()
