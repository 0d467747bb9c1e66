package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// file builds the modules of a text. Functions outside of classes make up one module.
func (b *builder) file(stmts []*stmt) []NamedModule {
	b.intType = dtype.Int32T
	var out []NamedModule
	var lone []*stmt
	for _, s := range stmts {
		b.guard(s, func() {
			switch s.kind {
			case sClass:
				if kind, _ := b.decorator(s); kind == "ir_module" {
					out = append(out, NamedModule{s.name, b.module(s.name, s.body, false)})
					return
				}
				b.d.add(s.at, s.end, "class "+s.name+" is no module", "put @I.ir_module before it")
			case sDef:
				switch kind, _ := b.decorator(s); kind {
				case "prim_func", "function":
					lone = append(lone, s)
				case "macro", "inline":
					b.env.define(s.name, &macro{s})
				default:
					b.d.add(s.at, s.end, "function "+s.name+" is no function of the compiler", "put @T.prim_func or @R.function before it")
				}
			case sImport:
				b.imports(s)
			case sAssign:
				b.topAssign(s)
			case sExpr, sPass:
			default:
				b.d.add(s.at, s.end, "only modules and functions may stand at the top of a script", "")
			}
		})
	}
	if len(lone) > 0 {
		out = append(out, NamedModule{"Module", b.module("Module", lone, true)})
	}
	return out
}

// imports defines what "from tvm.script import tir as T" and the like define.
func (b *builder) imports(s *stmt) {
	for _, p := range s.params {
		switch p.orig {
		case "tir", "tirx":
			b.env.define(p.name, namespace{"T"})
		case "relax":
			b.env.define(p.name, namespace{"R"})
		case "ir":
			b.env.define(p.name, namespace{"I"})
		default:
			if strings.HasPrefix(s.name, "tvm") {
				root := p.name
				if i := strings.IndexByte(root, '.'); i >= 0 {
					root = root[:i]
				}
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
		b.fail(t, "", "expected a name on the left")
	}
	b.env.define(t.s, b.eval(s.value))
}

// module builds the functions of a class, or lone functions.
func (b *builder) module(class string, stmts []*stmt, lone bool) *ir.Module {
	m := &moduleState{
		mod: ir.NewModule(), class: class, infos: map[string][]ir.Node{}, lone: lone,
		funcs: map[string]ir.Function{}, vars: map[string]*ir.GlobalVar{},
	}
	b.mod = m
	mark := b.env.mark()
	defer func() { b.env.release(mark); b.mod = nil }()
	b.env.define(class, moduleRef{})
	b.env.define("cls", moduleRef{})
	var defs []*stmt
	var order []string
	declare := func(name string, s *stmt) bool {
		if m.vars[name] != nil {
			b.d.add(s.at, s.end, "the module has two functions called "+name, "")
			return false
		}
		m.vars[name] = ir.NewGlobalVar(name)
		order = append(order, name)
		return true
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
				case "macro", "inline":
					b.env.define(s.name, &macro{s})
				default:
					b.d.add(s.at, s.end, "function "+s.name+" is no function of the compiler", "put @T.prim_func or @R.function before it")
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
			if s.ann != nil {
				b.guard(s, func() { stub.RetType = b.typeOf(s.ann) })
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
			b.guard(s, func() { m.funcs[s.name] = b.signature(s, decos[i]) })
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

func (b *builder) moduleExpr(s *stmt) {
	if s.value.kind != nCall {
		return
	}
	path, _ := b.path(s.value.kids[0])
	switch path {
	case "I.module_attrs":
		a := b.bind(s.value, "attrs")
		b.need(s.value, a, 1, "attrs")
		b.mod.mod = b.mod.mod.WithAttrs(b.attrDict(a[0]))
	case "I.module_global_infos":
		a := b.bind(s.value, "infos")
		b.need(s.value, a, 1, "infos")
		d, ok := b.eval(a[0]).(*dict)
		if !ok {
			b.fail(a[0], "", "expected a dictionary")
		}
		for i, k := range d.keys {
			kind, _ := k.(string)
			l, ok := d.vals[i].(*list)
			if !ok {
				b.fail(a[0], "", "expected a list of infos for %q", kind)
			}
			infos := []ir.Node{}
			for _, v := range l.items {
				if n, ok := v.(ir.Node); ok {
					infos = append(infos, n)
				}
			}
			b.mod.infos[kind] = infos
			b.mod.mod = b.mod.mod.WithGlobalInfos(kind, infos)
		}
	default:
		b.fail(s.value, "", "%s cannot stand in a module", path)
	}
}

// moduleCall evaluates the calls of I.
func (b *builder) moduleCall(name string, n *node) any {
	switch name {
	case "vdevice":
		a := b.bind(n, "target", "vdevice_id", "memory_scope")
		d := &relax.VDevice{Base: b.span(n), Scope: "global"}
		if a[0] != nil {
			d.Target = targetText(b.eval(a[0]))
		}
		if a[1] != nil {
			d.ID = int(b.intOf(a[1], "the number of the device"))
		}
		if a[2] != nil {
			d.Scope = b.strOf(a[2], "the memory scope")
		}
		return d
	case "dummy_global_info":
		return &relax.VDevice{Base: b.span(n)}
	case "Range":
		return b.rangeCall(n)
	case "GlobalVar":
		return b.globalVar(b.strOf(b.one(n), "the name of a function"), n)
	case "Op":
		return ir.NewOp(b.strOf(b.one(n), "the name of an operator"))
	}
	help := ""
	if near := nearest(name, []string{"ir_module", "module_attrs", "module_global_infos", "vdevice", "Range", "GlobalVar", "dummy_global_info"}); near != "" {
		help = "did you mean I." + near + "?"
	}
	b.fail(n, help, "I has no %q", name)
	return nil
}

// blockBuilder returns a builder that sees the functions of the module.
func (b *builder) blockBuilder() *relax.BlockBuilder {
	if b.mod.bb == nil {
		m := b.mod
		bb := op.NewBlockBuilder(m.mod)
		ctx := bb.Context()
		ctx.Func = func(name string) ir.Function {
			f := m.funcs[name]
			if f != nil && f.FuncAttrs().Has(attrCallingConv) {
				return packedFunc // its parameters are not those of its calls any more
			}
			return f
		}
		ctx.VDevices = func() []ir.Node { return m.infos["vdevice"] }
		m.bb = bb
	}
	return b.mod.bb
}

// attrCallingConv is set on loop-level functions that take their arguments in packed form.
const attrCallingConv = "calling_conv"

var packedFunc = &relax.ExternFunc{SInfo: &relax.FuncStructInfo{Opaque: true, Ret: &relax.TupleStructInfo{}}}

// macro is a function whose statements stand in for its calls.
type macro struct {
	s *stmt
}

// maxMacros bounds how deeply macros call macros.
const maxMacros = 64

// expand runs the statements of a macro with its parameters bound to the arguments.
func (b *builder) expand(m *macro, n *node) any {
	names := make([]string, len(m.s.params))
	for i, p := range m.s.params {
		names[i] = p.name
	}
	var args []*node
	if len(names) > 0 {
		args = b.bind(n, names...)
	}
	values := make([]any, len(args))
	for i, a := range args {
		if a == nil {
			b.fail(n, "", "the macro needs its argument %s", names[i])
		}
		values[i] = b.eval(a)
		if f, ok := values[i].(fresh); ok {
			values[i] = f.v
		}
	}
	if b.tf == nil {
		b.fail(n, "", "macros can be used in loop-level functions only")
	}
	if b.depth += maxChain / maxMacros; b.depth > maxChain {
		b.fail(n, "", "macros call one another more than %d levels deep", maxMacros)
	}
	mark := b.env.mark()
	for i, v := range values {
		b.env.define(names[i], v)
	}
	for _, s := range m.s.body {
		b.tirStmt(s)
	}
	b.env.release(mark)
	b.depth -= maxChain / maxMacros
	return done
}

// attrDict evaluates a dictionary of attributes.
func (b *builder) attrDict(n *node) *ir.Attrs {
	v := b.eval(n)
	if v == nil {
		return nil
	}
	d, ok := v.(*dict)
	if !ok {
		b.fail(n, "", "expected a dictionary of attributes, got %s", describe(v))
	}
	return b.toAttrs(d, n)
}

func (b *builder) toAttrs(d *dict, n *node) *ir.Attrs {
	var out *ir.Attrs
	for i, k := range d.keys {
		key, ok := k.(string)
		if !ok {
			b.fail(n, "", "the keys of attributes are strings, got %s", describe(k))
		}
		out = out.With(key, b.attrValue(d.vals[i], n))
	}
	return out
}

// attrValue turns a value into that of an attribute.
func (b *builder) attrValue(v any, n *node) ir.Value {
	switch x := v.(type) {
	case nil, bool, int64, float64, string, dtype.DType:
		return x
	case *tir.IntImm:
		if x.Type.IsBool() {
			return x.Value != 0
		}
		return x
	case *tir.StringImm:
		return x.Value
	case *list:
		out := make([]ir.Value, len(x.items))
		for i, it := range x.items {
			out[i] = b.attrValue(it, n)
		}
		return out
	case *dict:
		if len(x.keys) == 0 {
			return ir.NewAttrs()
		}
		return b.toAttrs(x, n)
	case fresh:
		return x.v
	case metaVar:
		return b.attrValue(x.v, n)
	case ir.Node:
		return x
	}
	b.fail(n, "", "%s cannot be the value of an attribute", describe(v))
	return nil
}
