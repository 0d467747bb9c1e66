package ir

import (
	"maps"
	"strings"
)

// renamed are passes and config options that newer versions of TVM call otherwise, without their prefix.
var renamed = map[string]string{"StmtSimplify": "Simplify", "CommonSubexprElim": "CommonSubexprElimTIR"}

// NewerNames returns the names that newer versions of TVM have for passes and config options, without their prefix, with those of v0.23.
func NewerNames() map[string]string { return maps.Clone(renamed) }

// OlderName returns the name that TVM v0.23 has for an attribute, a pass or a config option of newer versions, which call tir
// tirx, and s_tir what concerns blocks. It returns any other name as it is.
func OlderName(name string) string {
	for _, prefix := range []string{"tirx.", "s_tir.", "tir."} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" {
			continue
		}
		head, field, dotted := strings.Cut(rest, ".")
		if older, ok := renamed[head]; ok {
			rest = older
			if dotted {
				rest += "." + field
			}
		}
		return "tir." + rest
	}
	return name
}
