package predicate

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
)

// OfModule is the name of the function that Holds asks.
const OfModule = "predicate"

// Holds asks the function predicate(mod) of a script about a module: it returns True or False. The limits are those that the script was
// read with.
func Holds(c *pass.Context, s *starpass.Script, m *ir.Module) (bool, error) {
	v, err := s.Call(starpass.CallOptions{Context: c, Function: OfModule, Module: m, Args: starlark.StringDict{"mod": starpass.ModuleValue(m)}})
	if err != nil {
		return false, err
	}
	yes, ok := v.(starlark.Bool)
	if !ok {
		return false, fmt.Errorf("%s returned %s, expected True or False", OfModule, v.Type())
	}
	return bool(yes), nil
}
