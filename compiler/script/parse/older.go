package parse

import "github.com/irscope/irscope/compiler/ir"

// flags are attributes of functions that v0.23 writes as True or False, and versions up to v0.20 also as 1 or 0.
var flags = map[string]bool{
	"relax.force_pure": true, "tir.is_entry_func": true, "tir.is_global_func": true, "tir.is_host_func": true, "tir.is_scheduled": true,
	"tir.noalias": true,
}

// flagged returns the value of an attribute of a function as v0.23 writes it.
func flagged(key string, v ir.Value) ir.Value {
	if n, ok := v.(int64); ok && flags[key] && (n == 0 || n == 1) {
		return n == 1
	}
	return v
}
