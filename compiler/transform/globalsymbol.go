package transform

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// AttachGlobalSymbol names functions for the outside.
var AttachGlobalSymbol = &pass.Pass{
	Name: "AttachGlobalSymbol", Kind: pass.Module, Lowering: true,
	Doc: "Gives every function its name as global_symbol, so that generated code and the machine can find it. If the module has a system_lib_prefix, the names of PrimFuncs begin with it.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		prefix := m.Attrs().Str("system_lib_prefix", "")
		names := map[string]string{}
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			symbol := gv.Name
			switch fn.(type) {
			case *tir.PrimFunc:
				if !strings.HasPrefix(gv.Name, prefix) || ir.GlobalSymbol(fn) != gv.Name { // it has not run yet
					symbol = prefix + gv.Name
				}
			case *relax.Function:
			default:
				continue
			}
			if symbol == ir.GlobalSymbol(fn) {
				continue
			}
			named := fn.WithFuncAttrs(fn.FuncAttrs().With(ir.AttrGlobalSymbol, symbol))
			e.Set(gv.Name, named)
			c.Working(gv.Name)
			c.Rewrite("name for the outside", fn, named)
			if symbol == gv.Name {
				continue
			}
			if m.Lookup(symbol) != nil {
				return nil, fmt.Errorf("with the system_lib_prefix %q of the module, PrimFunc %s is called %s, and so is another function: rename one of them", prefix, gv.Name, symbol)
			}
			names[gv.Name] = symbol
		}
		c.Working("")
		if m = e.Done(); len(names) == 0 {
			return m, nil
		}
		return renameFunctions(c, m, names)
	},
}
