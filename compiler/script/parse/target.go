package parse

import (
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/tir"
)

// target evaluates T.target("llvm") and T.target({...}) to the text of the target.
func (b *builder) target(n *syntax.Node) any {
	a := b.bind(n, "target_config", "host")
	b.need(n, a, 1, "target_config")
	out := targetText(b.eval(a[0]))
	if a[1] != nil {
		out += " host=" + targetText(b.eval(a[1]))
	}
	return out
}

func targetText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case *dict:
		return dictText(x)
	}
	return describe(v)
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
