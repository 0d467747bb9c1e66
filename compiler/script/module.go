package script

import (
	"fmt"
	"sort"
	"strings"

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
	p.importLine("ir", p.irp, "I.")
	if hasTIR || hasRelax {
		p.importLine("tir", p.tirp, "T.")
	}
	if hasRelax {
		p.importLine("relax", p.relaxp, "R.")
	}
	p.rawLine("")
	p.rawLine("@" + p.irp + "ir_module")
	p.rawLine("class " + p.class + ":")
	p.indent++
	empty := len(names) == 0
	if m.Attrs().Len() > 0 {
		p.begin(nil)
		p.i("module_attrs(")
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

// importLine names the prefix of a dialect: in a comment, as TVM does, where it is the usual
// one, and in a statement otherwise.
func (p *printer) importLine(dialect, prefix, usual string) {
	line := "from tvm.script import " + dialect + " as " + strings.TrimSuffix(prefix, ".")
	if prefix == usual {
		line = "# " + line
	}
	p.rawLine(line)
}

// FuncNames returns the names of m's functions in the order in which they are printed:
// "main", the other Relax functions, external functions, PrimFuncs, each by name. TVM
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

func (p *printer) globalInfos(infos map[string][]ir.Node) {
	kinds := make([]string, 0, len(infos))
	for k := range infos {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	p.begin(nil)
	p.i("module_global_infos({")
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
				p.i("dummy_global_info()")
			}
		}
		p.str("]")
	}
	p.str("})")
	p.end()
}

func (p *printer) vdevice(d *relax.VDevice) {
	p.i("vdevice(")
	p.quote(d.Target)
	p.str(", ")
	p.int(int64(d.ID))
	p.str(", ")
	p.quote(d.Scope)
	p.str(")")
}

func (p *printer) function(name string, f ir.Function) {
	mark := p.enter()
	if p.track == nil {
		p.functionText(name, f)
	} else {
		p.track.enter(f, len(p.buf))
		p.functionText(name, f)
		p.track.leave(len(p.buf))
	}
	p.leave(mark)
}

func (p *printer) functionText(name string, f ir.Function) {
	switch f := f.(type) {
	case *tir.PrimFunc:
		p.primFunc(name, f)
	case *relax.Function:
		p.relaxFunc(name, f)
	case *relax.ExternFunc:
		p.begin(f)
		p.str(identifier(name) + " = ")
		p.externFuncCall(f)
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
			p.t("bool(True)")
		} else {
			p.t("bool(False)")
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
	case *tir.FloatImm:
		p.t(v.Type.String() + "(")
		p.float(v.Value)
		p.str(")")
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
		p.use(v)
	case *tir.IndexMap:
		p.indexMap(v)
	case *tir.Range:
		p.rangeOf(v)
	case *tir.BufferRegion:
		p.region(v)
	default:
		p.str("metadata[")
		p.quote(typeName(v))
		p.str("]")
	}
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
