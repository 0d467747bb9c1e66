package script

import (
	"fmt"
	"sort"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (p *printer) module(m *ir.Module) {
	names := FuncNames(m)
	hasRelax, hasTIR := false, false
	for _, n := range names {
		switch m.Lookup(n).(type) {
		case *tir.PrimFunc:
			hasTIR = true
		default:
			hasRelax = true
		}
	}
	p.rawLine("# from tvm.script import ir as I")
	if hasTIR || hasRelax {
		p.rawLine("# from tvm.script import tir as T")
	}
	if hasRelax {
		p.rawLine("# from tvm.script import relax as R")
	}
	p.rawLine("")
	p.rawLine("@I.ir_module")
	class := p.opts.Name
	if class == "" {
		class = "Module"
	}
	p.rawLine("class " + class + ":")
	p.indent++
	empty := len(names) == 0
	if m.Attrs().Len() > 0 {
		p.begin(nil)
		p.str("I.module_attrs(")
		p.attrs(m.Attrs())
		p.str(")")
		p.end()
		empty = false
	}
	if infos := m.GlobalInfos(); len(infos) > 0 {
		p.globalInfos(infos)
		empty = false
	}
	if empty {
		p.begin(nil)
		p.str("pass")
		p.end()
	}
	for i, n := range names {
		if i > 0 || m.Attrs().Len() > 0 || len(m.GlobalInfos()) > 0 {
			p.rawLine("")
		}
		p.function(n, m.Lookup(n))
	}
	p.indent--
}

// FuncNames returns the names of m's functions in the order in which they are printed:
// "main", the other graph functions, external functions, loop functions, each by name. TVM
// prints the same in reverse, which leaves "main" thousands of lines below; a parser does
// not mind.
func FuncNames(m *ir.Module) []string {
	var names []string
	rank := map[string]int{}
	for gv, f := range m.Funcs() {
		names = append(names, gv.Name)
		switch f.(type) {
		case *tir.PrimFunc:
			rank[gv.Name] = 3
		case *relax.ExternFunc:
			rank[gv.Name] = 2
		default:
			rank[gv.Name] = 1
			if gv.Name == "main" {
				rank[gv.Name] = 0
			}
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if rank[a] != rank[b] {
			return rank[a] < rank[b]
		}
		return a < b
	})
	return names
}

func (p *printer) rawLine(s string) {
	if s != "" {
		for range p.indent {
			p.buf = append(p.buf, "    "...)
		}
	}
	p.str(s)
	p.end()
}

func (p *printer) globalInfos(infos map[string][]ir.Node) {
	kinds := make([]string, 0, len(infos))
	for k := range infos {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	p.begin(nil)
	p.str("I.module_global_infos({")
	for i, k := range kinds {
		if i > 0 {
			p.str(", ")
		}
		p.quote(k)
		p.str(": [")
		for j, n := range infos[k] {
			if j > 0 {
				p.str(", ")
			}
			if d, ok := n.(*relax.VDevice); ok {
				p.vdevice(d)
			} else {
				p.str("I.dummy_global_info()")
			}
		}
		p.str("]")
	}
	p.str("})")
	p.end()
}

func (p *printer) vdevice(d *relax.VDevice) {
	p.str("I.vdevice(")
	p.quote(d.Target)
	p.str(", ")
	p.int(int64(d.ID))
	p.str(", ")
	p.quote(d.Scope)
	p.str(")")
}

func (p *printer) function(name string, f ir.Function) {
	leave := p.frame()
	defer leave()
	switch f := f.(type) {
	case *tir.PrimFunc:
		p.primFunc(name, f)
	case *relax.Function:
		p.relaxFunc(name, f)
	case *relax.ExternFunc:
		p.begin(f)
		p.str(identifier(name) + " = R.ExternFunc(")
		p.quote(f.Symbol)
		p.str(")")
		p.end()
	default:
		panic(fmt.Sprintf("script: unknown kind of function %T", f))
	}
}

// attrs prints a dictionary of attributes.
func (p *printer) attrs(a *ir.Attrs) {
	p.str("{")
	for i := range a.Len() {
		if i > 0 {
			p.str(", ")
		}
		k, v := a.At(i)
		p.quote(k)
		p.str(": ")
		p.value(v)
	}
	p.str("}")
}

// value prints the value of an attribute.
func (p *printer) value(v ir.Value) {
	switch v := v.(type) {
	case nil:
		p.str("None")
	case bool:
		if v {
			p.str("T.bool(True)")
		} else {
			p.str("T.bool(False)")
		}
	case int64:
		p.int(v)
	case float64:
		p.float(v)
	case string:
		p.quote(v)
	case dtype.DType:
		p.quote(v.String())
	case []ir.Value:
		p.str("[")
		for i, x := range v {
			if i > 0 {
				p.str(", ")
			}
			p.value(x)
		}
		p.str("]")
	case *ir.Attrs:
		p.attrs(v)
	case *tir.IntImm:
		// A plain number would read back as one.
		defer func(d dtype.DType) { p.intDType = d }(p.intDType)
		p.intDType = dtype.Void
		p.expr(v, 0)
	case *tir.CommReducer:
		p.commReducer(v)
	case *relax.VDevice:
		p.quote(vdeviceName(v))
	case tir.Expr:
		p.expr(v, 0)
	case relax.StructInfo:
		p.sinfo(v)
	case relax.Expr:
		p.rexpr(v)
	case *tir.Buffer:
		p.str(p.name(v))
	case *tir.IndexMap:
		p.indexMap(v)
	default:
		p.str("metadata[")
		p.quote(typeName(v))
		p.str("]")
	}
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
