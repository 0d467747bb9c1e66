package parse

import (
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// moduleRows are the values of I.
var moduleRows = []row{
	{"I.vdevice(target: value = None, vdevice_id: int = 0, memory_scope: str = 'global')", func(c *call) any {
		d := &relax.VDevice{Base: c.base(), ID: c.intAt(1), Scope: c.strAt(2)}
		if c.at[0] != nil {
			d.Target = targetText(c.vals[0])
		}
		return d
	}},
	{"I.dummy_global_info()", func(c *call) any { return &relax.VDevice{Base: c.base()} }},
	{"I.GlobalVar(name: str)", func(c *call) any { return c.globalVar(c.strAt(0), c.n) }},
	{"I.Op(name: str)", func(c *call) any { return ir.NewOp(c.strAt(0)) }},
}

// classRows are the statements of a module.
var classRows = []row{
	{"I.module_attrs(attrs: attrs)", func(c *call) any {
		c.mod.mod = c.mod.mod.WithAttrs(c.attrsAt(0))
		return done
	}},
	{"I.module_global_infos(infos: value)", func(c *call) any {
		d, ok := c.vals[0].(*dict)
		if !ok {
			c.fail(c.at[0], "", "expected a dictionary, got %s", describe(c.vals[0]))
		}
		for i, k := range d.keys {
			kind, _ := k.(string)
			l, ok := d.vals[i].(*list)
			if !ok {
				c.fail(c.at[0], "", "expected a list of infos for %q", kind)
			}
			infos := []ir.Node{}
			for _, v := range l.items {
				if n, ok := v.(ir.Node); ok {
					infos = append(infos, n)
				}
			}
			c.mod.infos[kind] = infos
			c.mod.mod = c.mod.mod.WithGlobalInfos(kind, infos)
		}
		return done
	}},
}

// moduleExpr runs a statement of a module that is a call.
func (b *builder) moduleExpr(s *syntax.Stmt) {
	if s.Value.Kind != syntax.Call {
		return
	}
	path, _ := b.path(s.Value.Kids[0])
	if sig := b.table[path]; sig == nil || sig.place != inClass {
		b.fail(s.Value.Kids[0], did(path, []string{"I.module_attrs", "I.module_global_infos"}, "", ""), "%s cannot stand in a module", path)
	}
	b.eval(s.Value)
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

// targetText writes a target, a string or a dictionary, as one string.
func targetText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case *dict:
		return dictText(x)
	}
	return describe(v)
}

// canonicalTarget writes a target of a known kind in its canonical form, so that all ways to write it are equal, and another as
// it is; host is empty for none.
func canonicalTarget(text, host string) string {
	if t, err := target.Parse(text); err == nil {
		if host == "" {
			return t.String()
		}
		if h, err := target.Parse(host); err == nil {
			return t.WithHost(h).String()
		}
	}
	if host != "" {
		if strings.ContainsAny(host, " \t\n\"\\") {
			host = strconv.Quote(host)
		}
		text += " -host=" + host
	}
	return text
}

// dictText writes a dictionary as JSON, with its keys in order.
func dictText(d *dict) string {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return describe(d.keys[order[i]]) < describe(d.keys[order[j]]) })
	var s strings.Builder
	s.WriteByte('{')
	for i, k := range order {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(jsonText(d.keys[k]) + ": " + jsonText(d.vals[k]))
	}
	s.WriteByte('}')
	return s.String()
}

func jsonText(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case bool:
		return strconv.FormatBool(x)
	case nil:
		return "null"
	case *dict:
		return dictText(x)
	case *list:
		parts := make([]string, len(x.items))
		for i, it := range x.items {
			parts[i] = jsonText(it)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *tir.IntImm:
		if x.Type.IsBool() {
			return strconv.FormatBool(x.Value != 0)
		}
		return strconv.FormatInt(x.Value, 10)
	}
	return describe(v)
}
