package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ruleBindParam is the name of the rule in rewrites.
const ruleBindParam = "bind a parameter"

// BindParams gives parameters of a function, such as the weights of a model, a value.
var BindParams = &pass.Pass{
	Name: "BindParams", Kind: pass.Module,
	Doc: "Removes the parameters of the function func_name that are named in params, and puts constants in their place. What is known of a value, such as its extents, becomes known wherever it is used.",
	Options: []pass.Option{
		{Name: "func_name", Default: "main", Doc: "the function, by the name that callers from outside know, or the name in the module if it is private"},
		{Name: "params", Default: &ir.Attrs{}, Doc: `values by the name of the parameter: a number for all elements, lists of them as the shape says, e.g. {"w": [[1, 2], [3, 4]]}; a list of extents for a shape, and of values for a tuple`},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		name, values := c.Arg("func_name").(string), c.Arg("params").(*ir.Attrs)
		if values.Len() == 0 {
			return m, nil
		}
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || outerName(gv, f) != name {
				continue
			}
			c.Working(gv.Name)
			if by := callerOf(m, gv.Name); by != "" {
				return nil, fmt.Errorf("func_name: %s is called by %s, with arguments for all of its parameters; inline it first", name, by)
			}
			out, err := bindParams(c, m, f, values)
			if err != nil {
				return nil, err
			}
			c.Working("")
			return m.With(gv.Name, out), nil
		}
		return nil, fmt.Errorf("func_name: the module has no Relax function called %s", name)
	},
}

// outerName is the name by which a function is known outside, its name in the module if it is private.
func outerName(gv *ir.GlobalVar, f ir.Function) string {
	if symbol := ir.GlobalSymbol(f); symbol != "" {
		return symbol
	}
	return gv.Name
}

// callerOf returns the name of a function that refers to the one called name, "" if there is none.
func callerOf(m *ir.Module, name string) string {
	for gv, fn := range m.Funcs() {
		if ir.Any(fn, func(n ir.Node) bool { g, ok := n.(*ir.GlobalVar); return ok && g.Name == name }) {
			return gv.Name
		}
	}
	return ""
}

// bindParams returns f without the parameters that values names.
func bindParams(c *pass.Context, m *ir.Module, f *relax.Function, values *ir.Attrs) (*relax.Function, error) {
	mu := op.NewExprMutator(m)
	byName := map[string][]*relax.Var{}
	for _, p := range f.Params {
		byName[p.Name] = append(byName[p.Name], p)
	}
	bound, over := map[*relax.Var]relax.Expr{}, overwritesOf(f)
	var params, infos []relax.StructInfo
	for i := range values.Len() {
		key, value := values.At(i)
		vars := byName[key]
		switch {
		case len(vars) == 0:
			return nil, fmt.Errorf("params: the function has no parameter called %s; there are %s", key, orNone(paramNames(f)))
		case len(vars) > 1:
			return nil, fmt.Errorf("params: %d parameters are called %s, and it is not known which is meant", len(vars), key)
		}
		p := vars[0]
		if over.has(p) {
			return nil, fmt.Errorf("params: the function writes over %s in place, and so over a constant in its place", key)
		}
		x, err := paramValue(p.SInfo, value)
		if err != nil {
			return nil, fmt.Errorf("params: the value of %s: %w", key, err)
		}
		bound[p], params, infos = x, append(params, p.SInfo), append(infos, mu.Builder().Context().SInfoOf(x))
		c.Rewrite(ruleBindParam, p, x)
	}
	symbols, bad := mu.Builder().Context().MatchParams(params, infos)
	if bad >= 0 {
		key, _ := values.At(bad)
		return nil, fmt.Errorf("params: the value of %s is %s, want %s", key, relax.FormatSInfo(infos[bad]), relax.FormatSInfo(params[bad]))
	}
	var rest []*relax.Var
	n, has, err := numInput(f)
	if err != nil {
		return nil, err
	}
	left := n
	for i, p := range f.Params {
		if bound[p] == nil {
			rest = append(rest, p)
		} else if i < n {
			left--
		}
	}
	mu.Expr = func(e relax.Expr) relax.Expr {
		if v, ok := e.(*relax.Var); ok && bound[v] != nil {
			return bound[v]
		}
		if get, ok := e.(*relax.TupleGetItem); ok {
			v, _ := get.Tuple.(*relax.Var)
			if t, ok := bound[v].(*relax.Tuple); ok && get.Index < len(t.Fields) {
				return t.Fields[get.Index]
			}
		}
		return mu.VisitExpr(e)
	}
	out, err := mu.Function(f.WithParams(rest).WithRet(nil))
	if err != nil {
		return nil, err
	}
	if out.Ret == nil { // nothing used the parameters
		out = out.WithRet(f.Ret)
	}
	if has && left != n {
		out = out.WithAttrs(out.Attrs.With(attrNumInput, int64(left)))
	}
	if len(symbols) > 0 {
		out = substSymbols(out, symbols)
	}
	return out, nil
}

func paramNames(f *relax.Function) []string {
	out := make([]string, len(f.Params))
	for i, p := range f.Params {
		out[i] = p.Name
	}
	return out
}
