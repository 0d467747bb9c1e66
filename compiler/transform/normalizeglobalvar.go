package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// NormalizeGlobalVar names public functions as they are known outside.
var NormalizeGlobalVar = &pass.Pass{
	Name: "NormalizeGlobalVar", Kind: pass.Module,
	Doc: "Gives each public function its global_symbol as the name in the module, and another name to each private function that has the name of a public one.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		names, err := normalNames(m)
		if err != nil || len(names) == 0 {
			return m, err
		}
		out := underNames(c, m, names)
		mu := renamer(out, names)
		return eachFunction(c, out, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			to, err := mu.Function(f)
			if err != nil || to == f {
				return f, err
			}
			if to, err = mu.Builder().NormalizeFunction(to); err != nil { // the result is inferred, not what it was declared as
				return nil, err
			}
			return rewritten(c, ruleNewNames, f, to), nil
		})
	},
}

// ruleNewNames is the name of the rule that changes references.
const ruleNewNames = "use the new names"

// renameFunctions gives functions of m the names that names has for theirs, everywhere.
func renameFunctions(c *pass.Context, m *ir.Module, names map[string]string) (*ir.Module, error) {
	out := underNames(c, m, names)
	mu := renamer(out, names)
	return eachFunction(c, out, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		to, err := mu.Function(f)
		if err != nil {
			return nil, err
		}
		return rewritten(c, ruleNewNames, f, to), nil
	})
}

// underNames puts the functions of m under their new names, which PrimFuncs use at once.
func underNames(c *pass.Context, m *ir.Module, names map[string]string) *ir.Module {
	out := ir.NewModuleWithOrigins(m.Origins()).WithAttrs(m.Attrs())
	for kind, infos := range m.GlobalInfos() {
		out = out.WithGlobalInfos(kind, infos)
	}
	e := out.Edit()
	for gv, fn := range m.Funcs() {
		name := gv.Name
		if to := names[name]; to != "" {
			name = to
		}
		if f, ok := fn.(*tir.PrimFunc); ok {
			fn = renamedKernel(f, names)
		}
		e.Set(name, fn)
		if name != gv.Name || fn != m.Lookup(gv.Name) {
			c.Working(name)
			c.Rewrite("name as it is known outside", m.Lookup(gv.Name), fn)
		}
	}
	c.Working("")
	return e.Done()
}

// normalNames returns the new names of functions by their old ones, where they differ.
func normalNames(m *ir.Module) (map[string]string, error) {
	var taken ir.Names
	owner := map[string]string{}
	out := map[string]string{}
	for gv, fn := range m.Funcs() {
		symbol := ir.GlobalSymbol(fn)
		if symbol == "" {
			continue
		}
		if owner[symbol] != "" {
			return nil, fmt.Errorf("functions %s and %s have the same global_symbol %s", owner[symbol], gv.Name, symbol)
		}
		owner[symbol] = gv.Name
		taken.Use(symbol)
		if symbol != gv.Name {
			out[gv.Name] = symbol
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	for gv, fn := range m.Funcs() {
		if ir.GlobalSymbol(fn) != "" {
			continue
		}
		if name := taken.Fresh(gv.Name, ""); name != gv.Name {
			out[gv.Name] = name
		}
	}
	return out, nil
}

// renamer returns a mutator that uses the new names of functions.
func renamer(m *ir.Module, names map[string]string) *relax.ExprMutator {
	mu := op.NewExprMutator(m)
	mu.Expr = func(e relax.Expr) relax.Expr {
		if gv, ok := e.(*ir.GlobalVar); ok && names[gv.Name] != "" {
			return ir.NewGlobalVar(names[gv.Name])
		}
		return mu.VisitExpr(e)
	}
	mu.Binding = func(b relax.Binding) {
		if to := mu.MapBinding(b); to != b {
			mu.Reemit(to)
		} else {
			mu.EmitNormalized(b)
		}
	}
	return mu
}

// renamedKernel returns f with the new names of the functions that it calls.
func renamedKernel(f *tir.PrimFunc, names map[string]string) *tir.PrimFunc {
	return f.WithBody(tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
		if call, ok := e.(*tir.Call); ok {
			if gv, ok := call.Op.(*ir.GlobalVar); ok && names[gv.Name] != "" {
				return call.WithOp(ir.NewGlobalVar(names[gv.Name]))
			}
		}
		return e
	}))
}
