package parse

import (
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
)

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
