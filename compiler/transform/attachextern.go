package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// AttachExternModules links modules of kernels that others wrote.
var AttachExternModules = &pass.Pass{
	Name: "AttachExternModules", Kind: pass.Module,
	Doc: "Puts the kernels of other modules into the module under their symbols, by which calls of external functions (call_dps_packed, call_packed) then find them.",
	Options: []pass.Option{
		{Name: "extern_modules", Default: []ir.Value{}, Elem: "", Doc: "texts of modules whose functions are PrimFuncs with a global_symbol"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		var modules []*ir.Module
		for i, v := range c.Arg("extern_modules").([]ir.Value) {
			x, found := parse.Module(fmt.Sprintf("extern_modules[%d]", i), v.(string), parse.Options{})
			for _, d := range found {
				if d.Severity == ir.Error {
					return nil, fmt.Errorf("extern_modules: %s: %s", d.Span, d.Message)
				}
			}
			modules = append(modules, x)
		}
		return attachModules(c, m, modules)
	},
}

// AttachExternModulesWith is AttachExternModules with modules that a program has.
func AttachExternModulesWith(modules ...*ir.Module) *pass.Pass {
	p := *AttachExternModules
	p.Options, p.Foreign = nil, true
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return attachModules(c, m, modules) }
	return &p
}

func attachModules(c *pass.Context, m *ir.Module, modules []*ir.Module) (*ir.Module, error) {
	const rule = "attach an external kernel"
	e := m.Edit()
	for _, x := range modules {
		for gv, fn := range x.Funcs() {
			f, ok := fn.(*tir.PrimFunc)
			symbol := ir.GlobalSymbol(fn)
			if !ok || symbol == "" {
				return nil, fmt.Errorf("extern_modules: %s is no PrimFunc with a global_symbol, by which it could be called: only such functions are attached", gv.Name)
			}
			for other, had := range m.Funcs() {
				if ir.GlobalSymbol(had) == symbol && other.Name != symbol {
					return nil, fmt.Errorf("extern_modules: the module has the symbol %s already, as %s", symbol, other.Name)
				}
			}
			made := tir.CopyFunc(f)
			if had := e.Lookup(symbol); had != nil {
				if ir.StructuralEqual(had, made, ir.EqualOpts{}) {
					c.Declined(rule, had, "the module has it already")
					continue
				}
				return nil, fmt.Errorf("extern_modules: the module has another function %s already", symbol)
			}
			e.Set(symbol, made)
			c.Rewrite(rule, nil, made)
		}
	}
	return e.Done(), nil
}
