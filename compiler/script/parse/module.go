package parse

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// module builds the functions of a class, or lone functions.
func (b *builder) module(class string, stmts []*stmt, lone bool) *ir.Module {
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
	var defs []*stmt
	var order []string
	declared := map[string]bool{}
	declare := func(name string, s *stmt) bool {
		if declared[name] {
			b.d.add(s.at, s.end, "the module has two functions called "+name, "rename one of them")
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
			switch s.kind {
			case sDef:
				switch kind, _ := b.decorator(s); kind {
				case "prim_func", "function":
					if declare(s.name, s) {
						defs = append(defs, s)
					}
				case "pyfunc", "py_func": // of the host program
				case "macro", "inline":
					b.env.define(s.name, newMacro(s))
				default:
					b.undecorated(s)
				}
			case sAssign, sAnnAssign:
				b.moduleAssign(s, declare)
			case sExpr:
				b.moduleExpr(s)
			case sPass, sImport:
				b.imports(s)
			default:
				b.d.add(s.at, s.end, "this statement cannot stand in a module", "")
			}
		})
	}
	b.functions(defs)
	if b.d.failed() {
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

// symbolNames names lone functions by their global symbol, as TVM does, where that is a name
// that no other has.
func (b *builder) symbolNames(stmts []*stmt) {
	count := map[string]int{}
	symbols := make([]string, len(stmts))
	for i, s := range stmts {
		count[s.name]++
		if symbols[i] = b.symbolOf(s); symbols[i] != s.name {
			count[symbols[i]]++
		}
	}
	for i, s := range stmts {
		if sym := symbols[i]; sym != "" && sym != s.name && count[sym] == 1 && count[s.name] == 1 {
			b.env.define(s.name, lookupLater(sym))
			s.name = sym
		}
	}
}

// lookupLater is the function of that name, once it is declared.
type lookupLater string

// symbolOf returns the global symbol that the attributes of a function give, "" if none do.
func (b *builder) symbolOf(s *stmt) string {
	for _, x := range s.body {
		if x.kind != sExpr || x.value.kind != nCall || len(x.value.kids) != 2 || x.value.kids[1].kind != nDict {
			continue
		}
		if path, _ := b.path(x.value.kids[0]); path != "T.func_attr" && path != "R.func_attr" {
			continue
		}
		for i := 0; i+1 < len(x.value.kids[1].kids); i += 2 {
			if k, v := x.value.kids[1].kids[i], x.value.kids[1].kids[i+1]; k.s == ir.AttrGlobalSymbol && v.kind == nString && isIdentifier(v.s) {
				return v.s
			}
		}
	}
	return ""
}

// functions builds the loop-level functions and then the graph-level ones, whose signatures
// all are known before the first of them is built.
func (b *builder) functions(defs []*stmt) {
	m := b.mod
	kinds := make([]string, len(defs))
	decos := make([]*node, len(defs))
	for i, s := range defs {
		kinds[i], decos[i] = b.decorator(s)
		if kinds[i] == "prim_func" {
			stub := &tir.PrimFunc{RetType: ir.VoidType()}
			if n := len(b.d.list); s.ann != nil {
				b.guard(s, func() { stub.RetType = b.typeOf(s.ann) })
				b.d.list = b.d.list[:n] // reported when the function itself is read
			}
			m.funcs[s.name] = stub
		}
	}
	for i, s := range defs {
		if kinds[i] == "prim_func" {
			b.d.fn = s.name
			b.guard(s, func() { m.funcs[s.name] = b.primFunc(s, decos[i]) })
		}
	}
	for i, s := range defs {
		if kinds[i] == "function" {
			b.d.fn = s.name
			n := len(b.d.list)
			b.guard(s, func() { m.funcs[s.name] = b.signature(s, decos[i]) })
			b.d.list = b.d.list[:n] // reported when the function itself is read
		}
	}
	for i, s := range defs {
		if kinds[i] == "function" {
			b.d.fn = s.name
			b.guard(s, func() { m.funcs[s.name] = b.graphFunction(s, decos[i]) })
		}
	}
	b.d.fn = ""
}

func (b *builder) moduleAssign(s *stmt, declare func(string, *stmt) bool) {
	t := s.targets[0]
	if t.kind != nName || s.value == nil {
		b.d.add(s.at, s.end, "expected a name and a value", "")
		return
	}
	if s.value.kind == nName && s.value.s == b.mod.class {
		b.env.define(t.s, moduleRef{}) // cls = Module
		return
	}
	switch v := b.eval(s.value).(type) {
	case *relax.ExternFunc:
		if declare(t.s, s) {
			b.mod.funcs[t.s] = v
		}
	default:
		b.env.define(t.s, v)
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
