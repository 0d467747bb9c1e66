package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (b *builder) moduleExpr(s *syntax.Stmt) {
	if s.Value.Kind != syntax.Call {
		return
	}
	path, _ := b.path(s.Value.Kids[0])
	switch path {
	case "I.module_attrs":
		a := b.bind(s.Value, "attrs")
		b.need(s.Value, a, 1, "attrs")
		b.mod.mod = b.mod.mod.WithAttrs(b.attrDict(a[0]))
	case "I.module_global_infos":
		a := b.bind(s.Value, "infos")
		b.need(s.Value, a, 1, "infos")
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
		help := ""
		if best := near(path, []string{"I.module_attrs", "I.module_global_infos"}); best != "" {
			help = "did you mean " + best + "?"
		}
		b.fail(s.Value.Kids[0], help, "%s cannot stand in a module", path)
	}
}

// moduleCall evaluates the calls of I.
func (b *builder) moduleCall(name string, n *syntax.Node) any {
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
	if best := near(name, []string{"ir_module", "module_attrs", "module_global_infos", "vdevice", "Range", "GlobalVar", "dummy_global_info"}); best != "" {
		help = "did you mean I." + best + "?"
	}
	b.fail(n, help, "I has no %q", name)
	return nil
}

// attrDict evaluates a dictionary of attributes.
func (b *builder) attrDict(n *syntax.Node) *ir.Attrs {
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

func (b *builder) toAttrs(d *dict, n *syntax.Node) *ir.Attrs {
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

// olderName is the name that an attribute of newer versions of TVM had before.
func olderName(key string) string {
	for _, prefix := range []string{"tirx.", "s_tir."} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			return "tir." + rest
		}
	}
	return key
}

// attrValue turns a value into that of an attribute.
func (b *builder) attrValue(v any, n *syntax.Node) ir.Value {
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
