package parse

import (
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
)

// file builds the modules of a text. Functions outside of classes make up one module. What
// else stands around them in a file of Python, such as tests, is left out.
func (b *builder) file(stmts []*stmt) []NamedModule {
	b.intType, b.floatType, b.bufferType = dtype.Int32T, dtype.Float32T, dtype.Float32T
	f := &fileBuilder{builder: b}
	f.statements(stmts)
	if len(f.lone) > 0 {
		f.out = append(f.out, NamedModule{"Module", b.module("Module", f.lone, true)})
	}
	return f.out
}

// fileBuilder collects what a file holds.
type fileBuilder struct {
	*builder
	out  []NamedModule
	lone []*stmt
}

func (b *fileBuilder) statements(stmts []*stmt) {
	for _, s := range stmts {
		b.guard(s, func() {
			switch s.kind {
			case sClass:
				b.class(s)
			case sDef:
				b.def(s)
			case sImport:
				b.imports(s)
			case sAssign:
				b.topAssign(s)
			default: // of the program around the modules
			}
		})
	}
}

func (b *fileBuilder) class(s *stmt) {
	if kind, _ := b.decorator(s); kind == "ir_module" {
		b.out = append(b.out, NamedModule{s.name, b.module(s.name, s.body, false)})
		return
	}
	help := "put @I.ir_module before it"
	switch {
	case !holdsScript(s.body): // of the program around the modules
		return
	case len(s.items) > 0: // a test with functions in it
		b.statements(s.body)
		return
	case len(s.decorators) > 0:
		help = "its decorator is not @I.ir_module"
	}
	b.d.add(s.at, s.end, "class "+s.name+" is no module", help)
}

func (b *fileBuilder) def(s *stmt) {
	switch kind, _ := b.decorator(s); {
	case kind == "prim_func" || kind == "function":
		b.lone = append(b.lone, s)
	case kind == "macro" || kind == "inline":
		b.env.define(s.name, newMacro(s))
	case holdsScript(s.body): // a test with modules in it
		b.statements(s.body)
	case b.looksLikeScript(s):
		b.undecorated(s)
	}
}

// undecorated reports a function without the decorator that says what it is.
func (b *builder) undecorated(s *stmt) {
	help := "put @T.prim_func or @R.function before it"
	if len(s.decorators) > 0 {
		d := s.decorators[0]
		help = "@" + b.src[d.at:d.end] + " is not known: " + help
	}
	b.d.add(s.at, s.end, "function "+s.name+" is no function of the compiler", help)
}

// looksLikeScript reports whether the signature of a function is annotated as one of ours is.
func (b *builder) looksLikeScript(s *stmt) bool {
	if len(s.decorators) > 0 {
		if path, ok := b.path(s.decorators[0]); ok && (strings.HasPrefix(path, "T.") || strings.HasPrefix(path, "R.")) {
			return true
		}
	}
	for _, p := range s.params {
		for n := p.ann; n != nil; n = n.kids[0] {
			if path, ok := b.path(n); ok && (strings.HasPrefix(path, "T.") || strings.HasPrefix(path, "R.")) {
				return true
			}
			if len(n.kids) == 0 {
				break
			}
		}
	}
	return false
}

// holdsScript reports whether modules or functions of ours are defined in a body of Python.
func holdsScript(list []*stmt) bool {
	for _, s := range list {
		if (s.kind == sClass || s.kind == sDef) && (len(s.decorators) > 0 || holdsScript(s.body)) {
			return true
		}
	}
	return false
}

// imports defines what "from tvm.script import tir as T" and the like define.
func (b *builder) imports(s *stmt) {
	for _, p := range s.params {
		last := p.orig[strings.LastIndexByte(p.orig, '.')+1:]
		switch last {
		case "tir", "tirx":
			b.env.define(p.name, namespace{"T"})
		case "relax":
			b.env.define(p.name, namespace{"R"})
		case "ir":
			b.env.define(p.name, namespace{"I"})
		default:
			if strings.HasPrefix(s.name, "tvm") {
				root, _, _ := strings.Cut(p.name, ".")
				b.env.define(root, namespace{"tvm"})
			}
		}
	}
}

// topAssign defines a constant of the script, or reads the metadata of the printed module.
func (b *builder) topAssign(s *stmt) {
	t := s.targets[0]
	if t.kind == nName && t.s == "metadata" && s.value.kind == nCall && len(s.value.kids) == 2 {
		b.loadMetadata(s.value.kids[1])
		return
	}
	if t.kind != nName {
		return
	}
	// What cannot be evaluated belongs to the program around the modules; a use of the name
	// in one of them is an error there.
	n := len(b.d.list)
	if b.guard(s, func() {
		v := b.eval(s.value)
		b.weigh(v, t)
		b.env.define(t.s, v)
	}) {
		return
	}
	b.d.list = b.d.list[:n]
}
