package parse

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// module builds the functions of a class, or lone functions.
func (b *builder) module(class string, stmts []*syntax.Stmt, lone bool) *ir.Module {
	mod := ir.NewModule()
	m := &moduleState{
		mod: mod, roots: roots{table: mod.Origins()}, class: class, infos: map[string][]ir.Node{}, lone: lone,
		funcs: map[string]ir.Function{}, vars: map[string]*ir.GlobalVar{},
	}
	b.mod = m
	mark := b.env.mark()
	defer func() { b.env.release(mark); b.mod = nil }()
	b.env.define(class, moduleRef{})
	b.env.define("cls", moduleRef{})
	if b.within() {
		b.join(m)
	}
	var defs []*syntax.Stmt
	var order []string
	declared := map[string]bool{}
	declare := func(name string, s *syntax.Stmt) bool {
		if declared[name] {
			b.d.Add(s.At, s.End, "the module has two functions called "+name, "rename one of them")
			return false
		}
		declared[name] = true
		if m.vars[name] == nil {
			m.vars[name] = ir.NewGlobalVar(name)
		}
		order = append(order, name)
		return true
	}
	if lone && !b.within() {
		b.symbolNames(stmts)
	}
	for _, s := range stmts {
		b.guard(s, func() {
			switch s.Kind {
			case syntax.Def:
				switch s.Role {
				case "prim_func", "function":
					if declare(s.Name, s) {
						defs = append(defs, s)
					}
				case "pyfunc", "py_func": // of the host program
				case "macro", "inline":
					b.env.define(s.Name, newMacro(s))
				default:
					b.undecorated(s)
				}
			case syntax.Assign, syntax.AnnAssign:
				b.moduleAssign(s, declare)
			case syntax.ExprStmt:
				b.moduleExpr(s)
			case syntax.Pass, syntax.Import:
				b.imports(s)
			default:
				b.d.Add(s.At, s.End, "this statement cannot stand in a module", "")
			}
		})
	}
	b.functions(defs)
	if b.d.Failed() {
		return m.mod
	}
	edit := m.mod.Edit()
	for _, name := range order {
		if f := m.funcs[name]; f != nil {
			edit.Set(name, f)
		}
	}
	m.mod = edit.Done()
	return m.mod
}

// globalVar returns the variable of a function of the module.
func (b *builder) globalVar(name string, n *syntax.Node) any {
	if gv := b.mod.vars[name]; gv != nil {
		return gv
	}
	if b.mod.lone && !b.within() {
		gv := ir.NewGlobalVar(name)
		b.mod.vars[name] = gv
		return gv
	}
	names := sorted(b.mod.vars)
	b.fail(n, did(name, names, "", "it has "+strings.Join(names, ", ")), "the module has no function %q", name)
	return nil
}

// symbolNames names lone functions by their global symbol, as TVM does, where that is a name
// that no other has. With Options.Nameless a private function that is alone is called "main", unless it
// calls itself by the name that it has here.
func (b *builder) symbolNames(stmts []*syntax.Stmt) {
	if b.opts.Nameless && len(stmts) == 1 && b.private(stmts[0]) && b.symbolOf(stmts[0]) == "" && !namesItself(b.src, stmts[0].Name) {
		b.env.define(stmts[0].Name, lookupLater("main"))
		stmts[0].Name = "main"
		return
	}
	count := map[string]int{}
	symbols := make([]string, len(stmts))
	for i, s := range stmts {
		count[s.Name]++
		if symbols[i] = b.symbolOf(s); symbols[i] != s.Name {
			count[symbols[i]]++
		}
	}
	for i, s := range stmts {
		if sym := symbols[i]; sym != "" && sym != s.Name && count[sym] == 1 && count[s.Name] == 1 {
			b.env.define(s.Name, lookupLater(sym))
			s.Name = sym
		}
	}
}

// namesItself reports whether a text refers to a function through its module.
func namesItself(src, name string) bool {
	for rest := src; ; {
		i := strings.Index(rest, "."+name)
		if i < 0 {
			return false
		}
		rest = rest[i+1+len(name):]
		if rest == "" || !syntax.IsIdentifier("_"+rest[:1]) {
			return true
		}
	}
}

// lookupLater is the function of that name, once it is declared.
type lookupLater string

// symbolOf returns the global symbol that the attributes of a function give, "" if none do.
func (b *builder) symbolOf(s *syntax.Stmt) string {
	for _, x := range s.Body {
		if x.Kind != syntax.ExprStmt || x.Value.Kind != syntax.Call || len(x.Value.Kids) != 2 || x.Value.Kids[1].Kind != syntax.Dict {
			continue
		}
		if path, _ := b.path(x.Value.Kids[0]); path != "T.func_attr" && path != "R.func_attr" {
			continue
		}
		for i := 0; i+1 < len(x.Value.Kids[1].Kids); i += 2 {
			if k, v := x.Value.Kids[1].Kids[i], x.Value.Kids[1].Kids[i+1]; k.Text == ir.AttrGlobalSymbol && v.Kind == syntax.String && syntax.IsIdentifier(v.Text) {
				return v.Text
			}
		}
	}
	return ""
}

// functions builds the PrimFuncs and then the graph-level ones, whose signatures
// all are known before the first of them is built.
func (b *builder) functions(defs []*syntax.Stmt) {
	m := b.mod
	each := func(role string, quiet bool, f func(s *syntax.Stmt)) {
		for _, s := range defs {
			if s.Role != role {
				continue
			}
			b.d.In = s.Name
			n := len(b.d.List)
			b.guard(s, func() { f(s) })
			if quiet { // its errors are reported when the function itself is read
				b.d.List = b.d.List[:n]
			}
		}
	}
	each("prim_func", true, func(s *syntax.Stmt) {
		stub := &tir.PrimFunc{RetType: ir.VoidType()}
		m.funcs[s.Name] = stub
		if s.Ann != nil {
			stub.RetType = b.typeOf(s.Ann)
		}
	})
	read := func(s *syntax.Stmt, build func()) {
		if b.unreadable = b.unreadable || !b.file.ReadBody(s); !b.unreadable {
			build()
		}
		s.Body = nil // the next one takes its place
	}
	each("prim_func", false, func(s *syntax.Stmt) { read(s, func() { m.funcs[s.Name] = b.primFunc(s) }) })
	each("function", true, func(s *syntax.Stmt) { m.funcs[s.Name] = b.signature(s) })
	each("function", false, func(s *syntax.Stmt) { read(s, func() { m.funcs[s.Name] = b.graphFunction(s) }) })
	b.d.In = ""
}

func (b *builder) moduleAssign(s *syntax.Stmt, declare func(string, *syntax.Stmt) bool) {
	t := s.Targets[0]
	if t.Kind != syntax.Name || s.Value == nil {
		b.d.Add(s.At, s.End, "expected a name and a value", "")
		return
	}
	if s.Value.Kind == syntax.Name && s.Value.Text == b.mod.class {
		b.env.define(t.Text, moduleRef{}) // cls = Module
		return
	}
	switch v := b.eval(s.Value).(type) {
	case *relax.ExternFunc:
		if declare(t.Text, s) {
			b.mod.funcs[t.Text] = v
		}
	default:
		b.env.define(t.Text, v)
	}
}

// blockBuilder returns a builder that sees the functions of the module.
func (b *builder) blockBuilder() *relax.BlockBuilder {
	if b.mod.bb == nil {
		m := b.mod
		bb := relax.NewBlockBuilder(m.mod, op.Table(), arith.Bounded(b.opts.Budget))
		ctx := bb.Context()
		ctx.Func = func(name string) ir.Function {
			f := m.funcs[name]
			if f != nil && f.FuncAttrs().Has(ir.AttrCallingConv) {
				return packedFunc // its parameters are not those of its calls any more
			}
			return f
		}
		ctx.VDevices = func() []ir.Node { return m.infos["vdevice"] }
		m.bb = bb
	}
	return b.mod.bb
}

var packedFunc = &relax.ExternFunc{SInfo: &relax.FuncStructInfo{Opaque: true, Ret: &relax.TupleStructInfo{}}}

// join makes the functions and devices of Options.Within known to functions that are read
// without a class.
func (b *builder) join(m *moduleState) {
	base := b.opts.Within
	for gv, fn := range base.Funcs() {
		m.vars[gv.Name], m.funcs[gv.Name] = gv, fn
	}
	for kind, infos := range base.GlobalInfos() {
		m.infos[kind] = slices.Clone(infos)
	}
}

// within tells whether functions without a class are a part of a module that is known.
func (b *builder) within() bool { return b.mod.lone && b.opts.Within != nil }
