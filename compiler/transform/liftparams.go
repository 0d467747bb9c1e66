package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

const (
	configConsumeParams = "relax.lift_transform_params.consume_params"
	transformSuffix     = "transform_params"
	ruleLiftParams      = "compute before the inputs are known"
)

// LiftTransformParams moves what depends on the weights alone to a function of its own.
var LiftTransformParams = &pass.Pass{
	Name: "LiftTransformParams", Kind: pass.Module,
	Doc: "Moves what functions compute in dataflow blocks from weights alone (parameters behind the first num_input ones) to functions NAME_transform_params, which run once before the model does. Their results take the place of the weights. Local functions are lifted like by LambdaLift.",
	Options: []pass.Option{{
		Name: "shared_transform", Default: false, Or: []ir.Value{}, Elem: "",
		Doc: "whether one function transform_params serves all functions, which have the same weights, or the names of the functions that it serves",
	}},
	Config: []string{configConsumeParams},
	Breaks: []*pass.Form{pass.NoDataflow},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		targets, shared, err := liftTargets(m, c.Arg("shared_transform"))
		if err != nil {
			return nil, err
		}
		out, err := cutFunctions(c, m, targets, shared)
		if err != nil {
			return nil, err
		}
		if out, err = LambdaLift.Run(c, out); err != nil || len(targets) == 0 {
			return out, err
		}
		return finishTransforms(c, out)
	},
}

// liftTargets returns the names of the functions to work on, sorted, and whether they share one transformation.
func liftTargets(m *ir.Module, option ir.Value) (names []string, shared bool, err error) {
	switch v := option.(type) {
	case bool:
		shared = v
	case []ir.Value:
		shared = true
		for _, x := range v {
			name := x.(string)
			f, ok := m.Lookup(name).(*relax.Function)
			if !ok {
				return nil, false, fmt.Errorf("shared_transform: the module has no Relax function called %s", name)
			}
			if !f.Attrs.Has(attrNumInput) {
				return nil, false, fmt.Errorf("shared_transform: the function %s has no attribute num_input", name)
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			return names, shared, nil
		}
	}
	for gv, fn := range m.Funcs() {
		if f, ok := fn.(*relax.Function); ok && f.Attrs.Has(attrNumInput) && !strings.HasSuffix(gv.Name, transformSuffix) {
			names = append(names, gv.Name)
		}
	}
	slices.Sort(names)
	return names, shared, nil
}

// cutFunctions replaces each function by what is left of it, and adds the transformations.
func cutFunctions(c *pass.Context, m *ir.Module, targets []string, shared bool) (*ir.Module, error) {
	parts := make([]*liftPart, len(targets))
	for i, name := range targets {
		f := m.Lookup(name).(*relax.Function)
		n, _, err := numInput(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		parts[i] = newLiftPart(name, f, n)
	}
	var all *sharedLift
	if shared && len(parts) > 0 {
		var err error
		if all, err = shareLift(parts); err != nil {
			return nil, err
		}
	}
	for _, p := range parts {
		p.collect(all)
	}
	if all != nil {
		all.collect(parts)
	}
	e := m.Edit()
	add := func(name string, f *relax.Function) error {
		if old, ok := m.Lookup(name).(*relax.Function); ok {
			var err error
			if f, err = compose(c, m, old, f); err != nil {
				return err
			}
		}
		c.Working(name)
		c.Rewrite(ruleLiftParams, m.Lookup(name), f)
		e.Set(name, f)
		return nil
	}
	for _, p := range parts {
		if shared && all.isTrivial(parts, m) || !shared && p.isTrivial(m) {
			c.Working(p.name)
			c.Declined(ruleLiftParams, p.fn, "nothing depends on the weights alone")
			continue
		}
		left, err := p.runtime(c, m, all)
		if err != nil {
			return nil, err
		}
		c.Working(p.name)
		c.Rewrite(ruleLiftParams, p.fn, left)
		e.Set(p.name, left)
		if !shared {
			f, err := p.transform(c, m)
			if err == nil {
				err = add(p.name+"_"+transformSuffix, f)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if shared && len(parts) > 0 && !all.isTrivial(parts, m) {
		f, err := all.transform(c, m)
		if err == nil {
			err = add(transformSuffix, f)
		}
		if err != nil {
			return nil, err
		}
	}
	c.Working("")
	return e.Done(), nil
}

// finishTransforms makes the transformations public, and lets them free each weight after its use if the config says so.
func finishTransforms(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	consume := c.Config.Get(configConsumeParams).(bool)
	return eachFunction(c, m, func(gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if !strings.HasSuffix(gv.Name, transformSuffix) {
			return f, nil
		}
		out := f
		if ir.GlobalSymbol(f) != gv.Name {
			out = f.WithAttrs(f.Attrs.With(ir.AttrGlobalSymbol, gv.Name))
			c.Rewrite("name for the outside", f, out)
		}
		if !consume || len(out.Params) == 0 {
			return out, nil
		}
		return consumeParams(c, m, out)
	})
}

// consumeParams resets the fields of the tuple of weights that a transformation takes when they have been read.
func consumeParams(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	bundle := f.Params[len(f.Params)-1]
	read, done := map[int]*relax.Var{}, map[int]bool{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if call := callsOp(b.BoundValue(), opCallPurePacked); call != nil && len(call.Args) == 3 && call.Args[1] == relax.Expr(bundle) {
			if n, ok := tir.AsInt(call.Args[2].(*relax.PrimValue).Value); ok {
				done[int(n)] = true
			}
		}
	})
	mu := op.NewExprMutator(m)
	mu.Binding = func(b relax.Binding) {
		get, ok := b.BoundValue().(*relax.TupleGetItem)
		if !ok || get.Tuple != relax.Expr(bundle) || done[get.Index] {
			mu.VisitBinding(b)
			return
		}
		if first := read[get.Index]; first != nil {
			mu.Reemit(&relax.VarBinding{Base: b.Meta(), Var: b.Bound(), Value: first})
			return
		}
		mu.VisitBinding(b)
		read[get.Index] = b.Bound()
		reset := &relax.Call{Base: b.Meta(), Op: ir.NewOp(opCallPurePacked), SInfoArgs: []relax.StructInfo{void}, Args: []relax.Expr{
			&relax.ExternFunc{Symbol: "vm.builtin.tuple_reset_item"}, bundle, &relax.PrimValue{Value: tir.Const(dtype.Int32T, int64(get.Index))},
		}}
		mu.Emit(reset, "_")
		c.Rewrite("free a weight that was read", nil, reset)
	}
	return mu.Function(f)
}

// compose returns a function that gives what first returns to then.
func compose(c *pass.Context, m *ir.Module, first, then *relax.Function) (*relax.Function, error) {
	then = relax.CopyFunction(then)
	first = relax.CopyFunction(first)
	result := &relax.Var{Name: "func_a_output", SInfo: first.Ret}
	bindings := []relax.Binding{&relax.VarBinding{Var: result, Value: first.Body}}
	var fields []relax.Expr
	if t, ok := first.Ret.(*relax.TupleStructInfo); ok {
		for i := range t.Fields {
			fields = append(fields, &relax.TupleGetItem{Tuple: result, Index: i, SInfo: t.Fields[i]})
		}
	} else {
		fields = []relax.Expr{result}
	}
	if isBundled(then.Params) {
		fields = []relax.Expr{result}
	}
	if len(fields) != len(then.Params) {
		return nil, fmt.Errorf("the transformation that exists returns %d values, and the new one takes %d", len(fields), len(then.Params))
	}
	for i, p := range then.Params {
		bindings = append(bindings, &relax.MatchCast{Var: p, Value: fields[i], SInfo: p.SInfo})
	}
	body := then.Body.WithBlocks(slices.Concat([]*relax.BindingBlock{{Bindings: bindings}}, then.Body.Blocks))
	out := &relax.Function{Base: first.Base, Params: first.Params, Body: body, Pure: first.Pure && then.Pure, Attrs: first.Attrs}
	out, err := op.NewBlockBuilder(m).NormalizeFunction(out)
	if err != nil {
		return nil, err
	}
	return tidy(c, m, out)
}

// tidy removes names, and what nothing uses.
func tidy(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	out, err := canonicalizeBindings(c, c.Step().Input, canonicalizeSymbols(c, merged(f, true)))
	if err != nil {
		return nil, err
	}
	if out, err = removeUnused(c, m, out); err != nil {
		return nil, err
	}
	return op.NewBlockBuilder(m).NormalizeFunction(merged(out, true))
}
