package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// attrNumInput is how many parameters of a function are its inputs; those behind them are weights.
const attrNumInput = "num_input"

// BundleModelParams makes one tuple of the weights of a function.
var BundleModelParams = &pass.Pass{
	Name: "BundleModelParams", Level: 1, Kind: pass.Module,
	Doc:     "Replaces the parameters behind the first num_input ones, the weights of a model, with one tuple, and takes each from there where it is used. A function without the attribute num_input stays.",
	Options: []pass.Option{{Name: "param_tuple_name", Default: "", Doc: "the name of the tuple; empty is model_params"}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		name := c.Arg("param_tuple_name").(string)
		if name == "" {
			name = "model_params"
		}
		return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			n, has, err := numInput(f)
			if err != nil || !has {
				return f, err
			}
			if isBundled(f.Params[n:]) {
				c.Declined("bundle the weights", f, "they are a tuple already")
				return f, nil
			}
			out, err := bundleParams(m, f, n, name)
			if err != nil {
				return nil, err
			}
			return rewritten(c, "bundle the weights", f, out), nil
		})
	},
}

// numInput returns how many parameters of f are inputs, and whether it says so.
func numInput(f *relax.Function) (n int, has bool, err error) {
	v, has := f.Attrs.Get(attrNumInput)
	if !has {
		return 0, false, nil
	}
	x, ok := v.(int64)
	if !ok || x < 0 || x > int64(len(f.Params)) {
		return 0, true, fmt.Errorf("the attribute num_input is %v, want a number from 0 to %d, the number of parameters", v, len(f.Params))
	}
	return int(x), true, nil
}

// isBundled tells whether parameters are one tuple.
func isBundled(params []*relax.Var) bool {
	if len(params) != 1 {
		return false
	}
	_, ok := params[0].SInfo.(*relax.TupleStructInfo)
	return ok
}

// bundleParams returns f with one parameter, a tuple called name, in the place of those behind the first n. A field is taken from it where
// it is used.
func bundleParams(m *ir.Module, f *relax.Function, n int, name string) (*relax.Function, error) {
	fields := make([]relax.StructInfo, 0, len(f.Params)-n)
	place := map[*relax.Var]int{}
	for i, p := range f.Params[n:] {
		fields = append(fields, p.SInfo)
		place[p] = i
	}
	bundle := &relax.Var{Name: namesOf(f).fresh(name), SInfo: &relax.TupleStructInfo{Fields: fields}}
	mu := op.NewExprMutator(m)
	mu.Expr = func(e relax.Expr) relax.Expr {
		if v, ok := e.(*relax.Var); ok {
			if i, ok := place[v]; ok {
				return mu.Emit(&relax.TupleGetItem{Base: v.Base, Tuple: bundle, Index: i, SInfo: v.SInfo}, v.Name)
			}
		}
		return mu.VisitExpr(e)
	}
	params := append(append([]*relax.Var{}, f.Params[:n]...), bundle)
	return mu.Function(f.WithParams(params))
}
