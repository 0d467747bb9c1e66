package parse

import (
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/syntax"
)

// modules builds the modules of a text. Functions outside of classes make up one module. What
// else stands around them in a file of Python, such as tests, is left out.
func (b *builder) modules(stmts []*syntax.Stmt) []NamedModule {
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
	lone []*syntax.Stmt
}

func (b *fileBuilder) statements(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		b.guard(s, func() {
			switch s.Kind {
			case syntax.Class:
				b.class(s)
			case syntax.Def:
				b.def(s)
			case syntax.Import:
				b.imports(s)
			case syntax.Assign:
				b.topAssign(s)
			default: // of the program around the modules
			}
		})
	}
}

func (b *fileBuilder) class(s *syntax.Stmt) {
	if s.Role == "ir_module" {
		b.out = append(b.out, NamedModule{s.Name, b.module(s.Name, s.Body, false)})
		return
	}
	help := "put @I.ir_module before it"
	switch {
	case !holdsScript(s.Body): // of the program around the modules
		return
	case len(s.Items) > 0: // a test with functions in it
		b.statements(s.Body)
		return
	case len(s.Decorators) > 0:
		help = "its decorator is not @I.ir_module"
	}
	b.d.Add(s.At, s.End, "class "+s.Name+" is not a module", help)
}

func (b *fileBuilder) def(s *syntax.Stmt) {
	switch {
	case s.Role == "prim_func" || s.Role == "function":
		b.lone = append(b.lone, s)
	case s.Role == "macro" || s.Role == "inline":
		b.env.define(s.Name, newMacro(s))
	case holdsScript(s.Body): // a test with modules in it
		b.statements(s.Body)
	case b.looksLikeScript(s):
		b.undecorated(s)
	}
}

// undecorated reports a function without the decorator that says what it is.
func (b *builder) undecorated(s *syntax.Stmt) {
	help := "put @T.prim_func or @R.function before it"
	if len(s.Decorators) > 0 {
		d := s.Decorators[0]
		help = "@" + b.src[d.At:d.End] + " is not known: " + help
	}
	b.d.Add(s.At, s.End, "function "+s.Name+" is neither a Relax function nor a PrimFunc", help)
}

// looksLikeScript reports whether the signature of a function is annotated as one of ours is.
func (b *builder) looksLikeScript(s *syntax.Stmt) bool {
	ours := func(n *syntax.Node) bool {
		path, ok := b.path(n)
		return ok && (strings.HasPrefix(path, "T.") || strings.HasPrefix(path, "R."))
	}
	if len(s.Decorators) > 0 && ours(s.Decorators[0]) {
		return true
	}
	for _, p := range s.Params {
		for n := p.Ann; n != nil; n = n.Kids[0] {
			if ours(n) {
				return true
			}
			if len(n.Kids) == 0 {
				break
			}
		}
	}
	return false
}

// holdsScript reports whether modules or functions of ours are defined in a body of Python.
func holdsScript(list []*syntax.Stmt) bool {
	return slices.ContainsFunc(list, func(s *syntax.Stmt) bool {
		return (s.Kind == syntax.Class || s.Kind == syntax.Def) && (len(s.Decorators) > 0 || holdsScript(s.Body))
	})
}

// imports defines what "from tvm.script import tir as T" and the like define.
func (b *builder) imports(s *syntax.Stmt) {
	for _, p := range s.Params {
		last := p.Orig[strings.LastIndexByte(p.Orig, '.')+1:]
		switch last {
		case "tir", "tirx":
			b.tirx = b.tirx || last == "tirx"
			b.env.define(p.Name, namespace{"T"})
		case "relax":
			b.env.define(p.Name, namespace{"R"})
		case "ir":
			b.env.define(p.Name, namespace{"I"})
		default:
			if strings.HasPrefix(s.Name, "tvm") {
				root, _, _ := strings.Cut(p.Name, ".")
				b.env.define(root, namespace{"tvm"})
			}
		}
	}
}

// topAssign defines a constant of the script, or reads the metadata of the printed module.
func (b *builder) topAssign(s *syntax.Stmt) {
	t := s.Targets[0]
	if t.Kind == syntax.Name && t.Text == "metadata" && s.Value.Kind == syntax.Call && len(s.Value.Kids) == 2 {
		n := s.Value.Kids[1]
		tensors, err := script.ReadMetadata(b.toString(b.eval(n), n, "the metadata"))
		if err != nil {
			b.fail(n, "", "%v", err)
		}
		maps.Copy(b.metadata, tensors)
		return
	}
	if t.Kind != syntax.Name {
		return
	}
	// What cannot be evaluated belongs to the program around the modules; a use of the name
	// in one of them is an error there.
	n := len(b.d.List)
	if b.guard(s, func() {
		v := b.eval(s.Value)
		b.weigh(v, t)
		b.env.define(t.Text, v)
	}) {
		return
	}
	ours := func(e syntax.Error) bool { return strings.HasPrefix(e.Message, internalError) }
	b.d.List = append(b.d.List[:n], slices.DeleteFunc(slices.Clone(b.d.List[n:]), func(e syntax.Error) bool { return !ours(e) })...)
}
