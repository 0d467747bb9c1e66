package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// Function attributes that the passes of the packed calling convention agree on.
const (
	attrIsEntry = "tir.is_entry_func"
	attrNoAlias = "tir.noalias"

	// callingCPacked marks functions with the packed signature.
	callingCPacked = 1
)

// AnnotateEntryFunc marks the only public PrimFunc of a module as its entry.
var AnnotateEntryFunc = &pass.Pass{
	Name: "tir.AnnotateEntryFunc", Kind: pass.Module,
	Doc: "Marks a module's only PrimFunc, or its only public one, as the entry of the module.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		var all, public []string
		for gv, fn := range m.Funcs() {
			if _, ok := fn.(*tir.PrimFunc); !ok {
				return m, nil // a module with Relax functions is entered through them
			}
			all = append(all, gv.Name)
			if ir.GlobalSymbol(fn) != "" {
				public = append(public, gv.Name)
			}
		}
		entry := all
		if len(all) != 1 {
			entry = public
		}
		if len(entry) != 1 {
			for gv, fn := range m.Funcs() {
				c.Working(gv.Name)
				c.Declined("mark as the entry", fn, "the module has several PrimFuncs, but not exactly one public one")
			}
			return m, nil
		}
		fn := m.Lookup(entry[0])
		if fn.FuncAttrs().Bool(attrIsEntry, false) {
			return m, nil
		}
		out := fn.WithFuncAttrs(fn.FuncAttrs().With(attrIsEntry, true))
		c.Working(entry[0])
		c.Rewrite("mark as the entry", fn, out)
		return m.With(entry[0], out), nil
	},
}
