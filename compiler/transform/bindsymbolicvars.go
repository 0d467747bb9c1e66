package transform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// BindSymbolicVars gives symbolic extents a value.
var BindSymbolicVars = &pass.Pass{
	Name: "BindSymbolicVars", Level: 1, Kind: pass.Module,
	Doc: "Replaces the symbolic variables named in binding_map with numbers, so that shapes become static, in the function func_name or in all that have them.",
	Options: []pass.Option{
		{Name: "binding_map", Default: &ir.Attrs{}, Doc: `numbers by the name of the variable, e.g. {"n": 16}`},
		{Name: "func_name", Default: "", Doc: "the only function to work on; empty is all"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		values := c.Arg("binding_map").(*ir.Attrs)
		only := c.Arg("func_name").(string)
		if only != "" {
			if _, ok := m.Lookup(only).(*relax.Function); !ok {
				return nil, fmt.Errorf("func_name: the module has no Relax function called %s", only)
			}
		}
		found := map[string]bool{}
		there := map[string]bool{}
		out, err := eachFunction(c, m, func(gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			if only != "" && only != gv.Name {
				return f, nil
			}
			return bindSymbols(c, gv.Name, f, values, found, there)
		})
		if err != nil {
			return nil, err
		}
		for i := range values.Len() {
			if name, _ := values.At(i); !found[name] {
				return nil, fmt.Errorf("binding_map: no function has a symbolic variable called %s; there are %s", name, orNone(slices.Sorted(maps.Keys(there))))
			}
		}
		return out, nil
	},
}

// bindSymbols binds the variables of f that have a value. It notes in found the names that have one, and in there all.
func bindSymbols(c *pass.Context, name string, f *relax.Function, values *ir.Attrs, found, there map[string]bool) (*relax.Function, error) {
	byName := map[string][]*tir.Var{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		byName[v.Name] = append(byName[v.Name], v)
		there[v.Name] = true
	}
	bound := map[*tir.Var]tir.Expr{}
	for i := range values.Len() {
		key, value := values.At(i)
		vars := byName[key]
		if len(vars) == 0 {
			continue
		}
		found[key] = true
		n, ok := value.(int64)
		switch {
		case !ok:
			return nil, fmt.Errorf("binding_map: the value of %s is %v, want a whole number", key, value)
		case n < 0:
			return nil, fmt.Errorf("binding_map: the value of %s is %d, want 0 or more", key, n)
		case len(vars) > 1:
			return nil, fmt.Errorf("binding_map: %s has %d symbolic variables called %s, and it is not known which is meant", name, len(vars), key)
		}
		bound[vars[0]] = tir.Int(n)
		c.Rewrite("bind a symbolic variable", vars[0], bound[vars[0]])
	}
	if len(bound) == 0 {
		return f, nil
	}
	return substSymbols(f, bound), nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
