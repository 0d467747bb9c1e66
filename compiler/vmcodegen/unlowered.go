package vmcodegen

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/op"
)

// Unlowered is something that no instruction exists for.
type Unlowered struct {
	Func, Var string
	What      string
	// Passes lower it and did not run, as far as is known.
	Passes []string
}

// Error names what was left and what to do.
func (e *Unlowered) Error() string {
	s := fmt.Sprintf("function %s", e.Func)
	if e.Var != "" {
		s += ", variable " + e.Var
	}
	s += ": " + e.What + " was not lowered"
	if len(e.Passes) == 0 {
		return s + ": the passes that lower it ran, and their warnings say why they left it"
	}
	return s + "; run " + strings.Join(e.Passes, " and ")
}

// unlowered is the error that what was left, which passes would have lowered.
func (g *generator) unlowered(what string, passes ...string) error {
	e := &Unlowered{Func: g.name, What: what, Passes: passes}
	if g.at != nil {
		e.Var = g.at.Name
	}
	return e
}

// lowers returns the passes that lower an operator.
func lowers(name string) []string {
	switch {
	case name == "relax.call_tir" || name == "relax.call_dps_packed" || name == "relax.call_tir_inplace":
		return []string{"CallTIRRewrite"}
	case name == "relax.builtin.alloc_tensor":
		return []string{"LowerAllocTensor"}
	case strings.HasPrefix(name, "relax.memory.") || name == "relax.shape_of" || name == "relax.vm.call_tir_dyn" ||
		name == "relax.tensor_to_shape" || strings.HasSuffix(name, "_closure"):
		return []string{"LowerRuntimeBuiltin"}
	case name == "relax.reshape": // what RewriteDataflowReshape made a view is left to the second
		return []string{"LegalizeOps", "LowerRuntimeBuiltin"}
	case name == "relax.call_pure_packed":
		return []string{"RemovePurityChecking"}
	case strings.HasPrefix(name, op.RelayPrefix):
		return []string{"relay.ToRelax", "LegalizeOps"}
	}
	return []string{"LegalizeOps"}
}
