package vmcodegen

import (
	"fmt"
	"strings"
)

// Unlowered is something that no instruction exists for.
type Unlowered struct {
	Func, Var string
	What      string
	Help      string
}

// Error names what was left and what to do.
func (e *Unlowered) Error() string {
	s := fmt.Sprintf("function %s", e.Func)
	if e.Var != "" {
		s += ", variable " + e.Var
	}
	return s + ": " + e.What + " was not lowered; " + e.Help
}

func (g *generator) unlowered(what, help string) error {
	e := &Unlowered{Func: g.name, What: what, Help: help}
	if g.at != nil {
		e.Var = g.at.Name
	}
	return e
}

// help says which pass lowers an operator that is left over.
func help(name string) string {
	switch {
	case name == "relax.call_tir" || name == "relax.call_dps_packed" || name == "relax.call_tir_inplace":
		return "run CallTIRRewrite"
	case name == "relax.builtin.alloc_tensor":
		return "run LowerAllocTensor"
	case strings.HasPrefix(name, "relax.memory.") || name == "relax.shape_of" || name == "relax.vm.call_tir_dyn" ||
		name == "relax.tensor_to_shape" || strings.HasSuffix(name, "_closure"):
		return "run LowerRuntimeBuiltin"
	case name == "relax.reshape":
		return "run LegalizeOps, or LowerRuntimeBuiltin after RewriteDataflowReshape"
	case name == "relax.call_pure_packed":
		return "run RemovePurityChecking"
	}
	return "run LegalizeOps"
}
