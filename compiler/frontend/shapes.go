package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// bindShapes gives parameters and symbolic dimensions of the Relax function of m, main or the
// only one, the shapes that are given for their names.
func bindShapes(m *ir.Module, shapes map[string][]onnx.Dim) (*ir.Module, error) {
	if len(shapes) == 0 {
		return m, nil
	}
	name, f := graphFunction(m)
	if f == nil {
		return nil, fmt.Errorf("shapes are given, but the module has no Relax function main")
	}
	b := &shapeBinder{values: map[*tir.Var]tir.Expr{}}
	params, dims := map[string]*relax.Var{}, map[string]*tir.Var{}
	for _, p := range f.Params {
		params[p.Name] = p
	}
	for _, v := range relax.DefinedSymbolicVars(f) {
		dims[v.Name] = v
	}
	for _, given := range slices.Sorted(maps.Keys(shapes)) {
		shape := shapes[given]
		var err error
		switch p, v := params[given], dims[given]; {
		case p != nil:
			err = b.param(p, shape)
		case v != nil && len(shape) == 1:
			err = b.dim(v, shape[0])
		case v != nil:
			err = fmt.Errorf("it is one dimension, but %d are given", len(shape))
		default:
			known := append(slices.Sorted(maps.Keys(params)), slices.Sorted(maps.Keys(dims))...)
			return nil, fmt.Errorf("a shape is given for %q, which is neither a parameter of %s nor a symbolic dimension; these are: %s", given, name, strings.Join(known, ", "))
		}
		if err != nil {
			return nil, fmt.Errorf("the shape given for %q: %w", given, err)
		}
	}
	e := m.Edit()
	e.Set(name, relax.BindSymbolicVars(f, b.values))
	return e.Done(), nil
}

// graphFunction returns main, or the only Relax function of m.
func graphFunction(m *ir.Module) (string, *relax.Function) {
	if f, ok := m.Lookup("main").(*relax.Function); ok {
		return "main", f
	}
	name, only := "", (*relax.Function)(nil)
	for gv, f := range m.Funcs() {
		if f, ok := f.(*relax.Function); ok {
			if only != nil {
				return "", nil
			}
			name, only = gv.Name, f
		}
	}
	return name, only
}

// shapeBinder collects the values of symbolic dimensions.
type shapeBinder struct{ values map[*tir.Var]tir.Expr }

func (b *shapeBinder) param(p *relax.Var, shape []onnx.Dim) error {
	t, _ := p.SInfo.(*relax.TensorStructInfo)
	if t == nil {
		return fmt.Errorf("the parameter is not a tensor but %s", relax.FormatSInfo(p.SInfo))
	}
	declared, ok := t.Shape.(*relax.ShapeExpr)
	if !ok || len(declared.Values) != len(shape) {
		return fmt.Errorf("it has %d dimensions, but the parameter is %s", len(shape), relax.FormatSInfo(t))
	}
	for i, e := range declared.Values { // variables first: they may stand in the others
		if _, ok := e.(*tir.Var); ok {
			if err := b.dim(e, shape[i]); err != nil {
				return fmt.Errorf("dimension %d: %w", i, err)
			}
		}
	}
	for i, e := range declared.Values {
		if err := b.dim(e, shape[i]); err != nil {
			return fmt.Errorf("dimension %d: %w", i, err)
		}
	}
	return nil
}

// dim binds e, as far as it is a variable without a value, to what is given for it.
func (b *shapeBinder) dim(e tir.Expr, d onnx.Dim) error {
	v, isVar := e.(*tir.Var)
	if d.Name != "" {
		if isVar && v.Name == d.Name {
			return nil
		}
		return fmt.Errorf("it is given as %q, expected a number", d.Name)
	}
	if d.Value < 0 {
		return fmt.Errorf("%d is negative", d.Value)
	}
	if isVar && b.values[v] == nil {
		b.values[v] = tir.Const(v.DType(), d.Value)
		return nil
	}
	is := relax.Subst{Prims: b.values}.Prim(e)
	if n, ok := tir.AsInt(is); !ok || n != d.Value {
		what := relax.FormatSInfo(&relax.PrimStructInfo{Value: is, DType: is.DType()})
		if ok {
			what = strconv.FormatInt(n, 10)
		}
		return fmt.Errorf("it is given as %d, but it is %s", d.Value, what)
	}
	return nil
}
