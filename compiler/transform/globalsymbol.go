package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// AttachGlobalSymbol names functions for the outside.
var AttachGlobalSymbol = &pass.Pass{
	Name: "AttachGlobalSymbol", Kind: pass.Module, Lowering: true,
	Doc: "Gives every PrimFunc a global_symbol, with the module's system_lib_prefix if it has one, so that generated code can be found by it.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		prefix := m.Attrs().Str("system_lib_prefix", "")
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			symbol := ir.GlobalSymbol(fn)
			switch fn.(type) {
			case *tir.PrimFunc:
				symbol = prefix + gv.Name
			case *relax.Function:
				if symbol == "" {
					continue // a private Relax function is called by name within the machine
				}
				symbol = gv.Name
			default:
				continue
			}
			if symbol != ir.GlobalSymbol(fn) {
				named := fn.WithFuncAttrs(fn.FuncAttrs().With(ir.AttrGlobalSymbol, symbol))
				e.Set(gv.Name, named)
				c.Working(gv.Name)
				c.Rewrite("name for the outside", fn, named)
			}
		}
		c.Working("")
		return e.Done(), nil
	},
}
