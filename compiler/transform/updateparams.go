package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ruleUpdateParam is the name of the rule in rewrites.
const ruleUpdateParam = "change what is known of a parameter"

// UpdateParamStructInfo gives parameters other shapes and element types.
var UpdateParamStructInfo = &pass.Pass{
	Name: "UpdateParamStructInfo", Level: 1, Kind: pass.Module,
	Doc: "Gives parameters of functions another shape or element type, and infers again what follows from them, up to the results. A function that does not fit them is an error.",
	Options: []pass.Option{{
		Name: "sinfo_func", Default: &ir.Attrs{},
		Doc: `by the name of the parameter what it is to be, e.g. {"w": {"shape": [64, "n"], "dtype": "float16"}}; what is not said stays`,
	}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		updates := c.Arg("sinfo_func").(*ir.Attrs)
		found := map[string]bool{}
		out, err := updateParams(c, m, func(f *relax.Function, p *relax.Var) (relax.StructInfo, error) {
			v, ok := updates.Get(p.Name)
			if !ok {
				return nil, nil
			}
			found[p.Name] = true
			info, err := updatedInfo(f, p.SInfo, v)
			if err != nil {
				return nil, fmt.Errorf("sinfo_func: %s: %w", p.Name, err)
			}
			return info, nil
		})
		if err != nil {
			return nil, err
		}
		for i := range updates.Len() {
			if name, _ := updates.At(i); !found[name] {
				return nil, fmt.Errorf("sinfo_func: no function has a parameter called %s", name)
			}
		}
		return out, nil
	},
}

// UpdateParamStructInfoBy is UpdateParamStructInfo with a function that says for each parameter what it is to be, nil for what it is, as in TVM.
func UpdateParamStructInfoBy(update func(p *relax.Var) (relax.StructInfo, error)) *pass.Pass {
	p := *UpdateParamStructInfo
	p.Options, p.Foreign = nil, true
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		return updateParams(c, m, func(_ *relax.Function, p *relax.Var) (relax.StructInfo, error) { return update(p) })
	}
	return &p
}

// updateParams changes the parameters of all functions, those of local ones too.
func updateParams(c *pass.Context, m *ir.Module, update func(f *relax.Function, p *relax.Var) (relax.StructInfo, error)) (*ir.Module, error) {
	out, err := eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		to, err := updatedParams(f, update)
		if err != nil || len(to) == 0 {
			return f, err
		}
		return withParamInfo(c, m, f, to)
	})
	if err != nil || out == m {
		return out, err
	}
	for gv, fn := range m.Funcs() {
		if _, ok := fn.(*relax.Function); ok && out.Lookup(gv.Name) != fn {
			if by := callerOf(m, gv.Name); by != "" {
				return nil, fmt.Errorf("%s is called by %s, with arguments for the parameters that it has now; inline it first", gv.Name, by)
			}
		}
	}
	return out, nil
}

// updatedParams returns the parameters of f, and of functions in it, that change, with what they become.
func updatedParams(f *relax.Function, update func(f *relax.Function, p *relax.Var) (relax.StructInfo, error)) (map[*relax.Var]relax.StructInfo, error) {
	to := map[*relax.Var]relax.StructInfo{}
	var failed error
	ir.Walk(f, func(n ir.Node) bool {
		g, ok := n.(*relax.Function)
		if !ok {
			return failed == nil
		}
		for _, p := range g.Params {
			info, err := update(f, p)
			if err != nil && failed == nil {
				failed = err
			}
			if info != nil && !relax.EqualSInfo(info, p.SInfo) {
				to[p] = info
			}
		}
		return true
	})
	return to, failed
}

// withParamInfo returns f with other struct info for parameters. Symbolic variables that they do not define any more become what is in their
// place, which must be known.
func withParamInfo(c *pass.Context, m *ir.Module, f *relax.Function, to map[*relax.Var]relax.StructInfo) (*relax.Function, error) {
	var old, now []relax.StructInfo
	var infos []relax.StructInfo
	for _, p := range f.Params {
		if info := to[p]; info != nil {
			old, now = append(old, p.SInfo), append(now, info)
			infos = append(infos, info)
			continue
		}
		infos = append(infos, p.SInfo)
	}
	kept := relax.DefinableVars(infos...)
	mu := op.NewExprMutator(m)
	places, _ := mu.Builder().Context().MatchParams(old, now)
	lost := map[*tir.Var]tir.Expr{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		if slices.Contains(kept, v) {
			continue
		}
		e := places[v]
		if e == nil {
			return nil, fmt.Errorf("the parameters do not define the symbolic variable %s any more", v.Name)
		}
		lost[v] = e
	}
	g := f
	if len(lost) > 0 { // before anything is inferred: n and what it becomes must not meet in one expression
		g = substSymbols(f, lost)
	}
	was := paramsBefore(f, g)
	mu.VarDef = func(v *relax.Var) *relax.Var {
		before := was[v]
		info := to[before]
		if before == nil || info == nil {
			return v
		}
		out := v.WithSInfo(relax.Subst{Prims: lost}.SInfo(info))
		c.Rewrite(ruleUpdateParam, before, out)
		return out
	}
	return mu.Function(g)
}

// paramsBefore returns for the parameters of g, and of functions in it, which those of f they were. The two have the same structure.
func paramsBefore(f, g *relax.Function) map[*relax.Var]*relax.Var {
	before, after := allParams(f), allParams(g)
	out := make(map[*relax.Var]*relax.Var, len(before))
	for i, p := range after {
		out[p] = before[i]
	}
	return out
}

// allParams returns the parameters of f and of functions in it, in the order of ir.Walk.
func allParams(f *relax.Function) []*relax.Var {
	var out []*relax.Var
	ir.Walk(f, func(n ir.Node) bool {
		if g, ok := n.(*relax.Function); ok {
			out = append(out, g.Params...)
		}
		return true
	})
	return out
}

// updatedInfo returns info with what v, the value of an option, says in its place.
func updatedInfo(f *relax.Function, info relax.StructInfo, v ir.Value) (relax.StructInfo, error) {
	fields, ok := v.(*ir.Attrs)
	if !ok {
		return nil, fmt.Errorf(`%s, want a dict such as {"shape": [2, "n"], "dtype": "float32"}`, tir.DescribeValue(v))
	}
	t, ok := info.(*relax.TensorStructInfo)
	if !ok {
		return nil, fmt.Errorf("the parameter is %s, want a tensor", relax.FormatSInfo(info))
	}
	out := *t
	for i := range fields.Len() {
		key, v := fields.At(i)
		switch key {
		case "dtype":
			name, _ := v.(string)
			d, err := dtype.Parse(name)
			if err != nil {
				return nil, fmt.Errorf("dtype is %s, want an element type", tir.DescribeValue(v))
			}
			out.DType = d
		case "shape":
			list, ok := v.([]ir.Value)
			if !ok {
				return nil, fmt.Errorf("shape is %s, want a list of extents", tir.DescribeValue(v))
			}
			dims := make([]tir.Expr, len(list))
			for i, x := range list {
				e, err := extentOf(f, x)
				if err != nil {
					return nil, fmt.Errorf("shape: %w", err)
				}
				dims[i] = e
			}
			out.Shape, out.NDim = &relax.ShapeExpr{Values: dims}, len(dims)
		default:
			return nil, fmt.Errorf("%s: there is dtype and shape", key)
		}
	}
	return &out, nil
}

// extentOf returns an extent: a number, or a symbolic variable of f by its name.
func extentOf(f *relax.Function, v ir.Value) (tir.Expr, error) {
	switch v := v.(type) {
	case int64:
		if v >= 0 {
			return tir.Int(v), nil
		}
	case string:
		var names []string
		for _, s := range relax.DefinedSymbolicVars(f) {
			if s.Name == v {
				return s, nil
			}
			names = append(names, s.Name)
		}
		return nil, fmt.Errorf("the function has no symbolic variable called %s; there are %s", v, orNone(names))
	}
	return nil, fmt.Errorf("the extent %s, want a whole number of 0 or more, or the name of a symbolic variable", tir.DescribeValue(v))
}
