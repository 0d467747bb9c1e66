package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// RemoveUnusedFunctions keeps the entry functions and what they call.
var RemoveUnusedFunctions = &pass.Pass{
	Name: "relay.RemoveUnusedFunctions", Level: 1, Kind: pass.Module,
	Doc:     "Removes the functions that no entry function calls, directly or through others.",
	Options: []pass.Option{{Name: "entry_functions", Default: []ir.Value{"main"}, Elem: "", Doc: "the functions to start at"}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		reached := map[string]bool{}
		var open []string
		reach := func(name string) {
			if !reached[name] && m.Lookup(name) != nil {
				reached[name] = true
				open = append(open, name)
			}
		}
		for _, name := range c.Arg("entry_functions").([]ir.Value) {
			reach(name.(string))
		}
		for len(open) > 0 {
			f := m.Lookup(open[len(open)-1])
			open = open[:len(open)-1]
			ir.Walk(f, func(n ir.Node) bool {
				if gv, ok := n.(*ir.GlobalVar); ok {
					reach(gv.Name)
				}
				return true
			})
		}
		var gone []string
		for gv, f := range m.Funcs() {
			if !reached[gv.Name] {
				gone = append(gone, gv.Name)
				c.Rewrite("remove an unused function", f, nil)
			}
		}
		if len(gone) == 0 {
			return m, nil
		}
		return m.Without(gone...), nil
	},
}
