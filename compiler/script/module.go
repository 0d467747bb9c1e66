package script

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (p *printer) module(m *ir.Module) {
	names := FuncNames(m)
	p.importLine("ir", p.irp, "I.")
	if len(names) > 0 {
		p.importLine("tir", p.tirp, "T.")
		if _, prim := m.Lookup(names[0]).(*tir.PrimFunc); !prim { // those stand last
			p.importLine("relax", p.relaxp, "R.")
		}
	}
	if p.opts.TVM {
		names = referenceOrder(m, names)
	}
	p.rawLine("")
	p.rawLine("@" + p.irp + "ir_module")
	p.rawLine("class " + p.class + ":")
	p.indent++
	head := m.Attrs().Len() > 0 || len(m.GlobalInfos()) > 0
	p.irSeen, p.infos = head, m.GlobalInfos()
	p.attrsLine(p.irp, "module_attrs(", m.Attrs())
	if infos := m.GlobalInfos(); len(infos) > 0 {
		p.globalInfos(infos)
	}
	if len(names) == 0 && !head {
		p.rawLine("pass")
	}
	for i, n := range names {
		if i > 0 || head {
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
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank[a]-rank[b], strings.Compare(a, b)) })
	return names
}

// referenceOrder turns the order of FuncNames into TVM's: PrimFuncs, external functions, Relax functions,
// "main" last.
func referenceOrder(m *ir.Module, names []string) []string {
	rank := func(name string) int {
		switch m.Lookup(name).(type) {
		case *tir.PrimFunc:
			return 1
		case *relax.ExternFunc:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if (a == "main") != (b == "main") {
			if a == "main" {
				return 1
			}
			return -1
		}
		return rank(a) - rank(b)
	})
	return names
}

func (p *printer) globalInfos(infos map[string][]ir.Node) {
	p.begin(nil)
	p.i("module_global_infos({")
	list(p, slices.Sorted(maps.Keys(infos)), func(kind string) {
		p.quote(kind)
		p.str(": [")
		list(p, infos[kind], func(n ir.Node) {
			switch d := n.(type) {
			case *relax.VDevice:
				p.vdevice(d)
			case *relax.DeviceMesh:
				p.deviceMesh(d)
			default:
				p.i("dummy_global_info()")
			}
		})
		p.str("]")
	})
	p.str("})")
	p.end()
}

func (p *printer) vdevice(d *relax.VDevice) {
	p.i("vdevice(")
	p.quote(d.Target)
	p.str(", ")
	p.int(int64(d.ID))
	p.thenQuoted(d.Scope)
	p.str(")")
}

func (p *printer) function(name string, f ir.Function) {
	defer p.leave(p.enter())
	p.open(f)
	defer p.shut()
	switch f := f.(type) {
	case *tir.PrimFunc:
		p.primFunc(name, f)
	case *relax.Function:
		p.relaxFunc(name, f)
	case *relax.ExternFunc:
		p.begin(f)
		p.str(functionName(name) + " = ")
		p.externFuncCall(f)
		p.end()
	default:
		panic(fmt.Sprintf("script: unknown kind of function %T", f))
	}
}

// attrsLine prints a line that gives attributes, none where there are none.
func (p *printer) attrsLine(prefix, fn string, a *ir.Attrs) {
	if a.Len() == 0 {
		return
	}
	p.begin(nil)
	p.str(prefix + fn)
	p.attrs(a)
	p.str(")")
	p.end()
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
		if p.opts.TVM {
			p.str(pyBool(v))
			return
		}
		p.bool(v)
	case int64:
		p.int(v)
	case float64:
		if finite := !math.IsNaN(v) && !math.IsInf(v, 0); finite {
			p.float(v)
			break
		}
		p.str("float(") // without it, the name of the number is a string
		p.float(v)
		p.str(")")
	case string:
		p.quote(v)
	case dtype.DType:
		p.quote(v.String())
	case []ir.Value:
		p.str("[")
		list(p, v, p.value)
		p.str("]")
	case *ir.Attrs:
		p.attrs(v)
	case *tir.IntImm:
		// A plain number would read back as one.
		defer func(d dtype.DType) { p.intDType = d }(p.intDType)
		p.intDType = dtype.Void
		p.expr(v, 0)
	case *tir.FloatImm:
		p.typedFloat(v)
	case *tir.StringImm:
		if p.opts.TVM {
			p.quote(v.Value)
			return
		}
		p.t("StringImm(") // without it, it reads back as a string
		p.quote(v.Value)
		p.str(")")
	case *tir.CommReducer:
		p.commReducer(v)
	case *relax.VDevice:
		p.quote(vdeviceName(v))
	case *relax.DeviceMesh:
		p.meshName(v)
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
	case *tir.Array:
		p.attrNode(v)
	default:
		p.str("metadata[")
		p.quote(typeName(v))
		p.str("]")
	}
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
