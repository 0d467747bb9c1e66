package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// Function attributes that the passes of the packed calling convention agree on.
const (
	attrIsEntry = "tir.is_entry_func"
	attrNoAlias = "tir.noalias"

	// callingCPacked marks functions with the packed signature.
	callingCPacked = 1
)

// BindTarget notes the target on each PrimFunc.
var BindTarget = &pass.Pass{
	Name: "tir.BindTarget", Kind: pass.PrimFunc, Lowering: true,
	Doc:         "Notes on each PrimFunc the target that it is compiled for.",
	Options:     []pass.Option{{Name: "target", Default: "", Doc: "the target, e.g. wasm; empty takes that of the run"}},
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		if s := c.Arg("target").(string); s != "" {
			var err error
			if t, err = target.Parse(s); err != nil {
				return nil, fmt.Errorf("option target: %w", err)
			}
		}
		if t.IsZero() {
			return nil, errors.New("no target is set: give one, such as wasm")
		}
		return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			if f.Attrs.Has(ir.AttrTarget) {
				return f, nil
			}
			out := f.WithFuncAttrs(f.Attrs.With(ir.AttrTarget, t.String())).(*tir.PrimFunc)
			c.Rewrite("note the target", f, out)
			return out, nil
		})(c, m)
	},
}

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
