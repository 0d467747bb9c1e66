package starpass

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/transform"
)

// withFunctions are passes of the compiler that take functions or patterns of the script in the place of options. A call without any is that of the
// pass as it is registered.
func withFunctions() map[string]builtinFunc {
	return map[string]builtinFunc{
		"LegalizeOps": legalizeOpsBuiltin, "UpdateParamStructInfo": updateParamsBuiltin, "FuseOpsByPattern": fuseByPatternBuiltin,
		"ApplyPassToFunction": applyToFunctionBuiltin, "SplitCallTIRByPattern": splitCallTIRBuiltin, "AttachExternModules": attachModulesBuiltin,
	}
}

// calling returns a pass that calls functions of the script: made makes it of the run that they are called in.
func calling(p *pass.Pass, held []starlark.Value, made func(r *run) *pass.Pass) *Pass {
	out := wrapPass(p)
	out.native, out.holds = made, held
	return out
}

// bound returns p, whose functions with gives the run that they are called in.
func (p *Pass) bound(with func(*pass.Context, func(*run) error) error) *pass.Pass {
	out := *p.builtin
	out.Foreign = true
	out.Options = append(slices.Clone(out.Options), sourceOption)
	out.Args = out.Args.With(optSource, p.hash)
	out.Run = func(c *pass.Context, m *ir.Module) (made *ir.Module, err error) {
		err = with(c, func(r *run) error {
			return r.under(c, m, nil, func() error {
				r.failed = nil
				if made, err = p.native(r).Run(c, m); r.failed != nil {
					return r.failed
				}
				return err
			})
		})
		return made, err
	}
	return &out
}

// optionsOf sets options of a pass that are given by name; those that took are already used.
func optionsOf(p *pass.Pass, kwargs []starlark.Tuple, took ...string) (*pass.Pass, error) {
	var set *ir.Attrs
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		if slices.Contains(took, name) {
			continue
		}
		x, err := attrValue(kv[1], 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		set = set.With(name, x)
	}
	if set.Len() == 0 {
		return p, nil
	}
	return p.With(set)
}

// argument returns the value that is given first or by name, nil if neither.
func argument(args starlark.Tuple, kwargs []starlark.Tuple, name string) starlark.Value {
	if len(args) > 0 {
		return args[0]
	}
	for _, kv := range kwargs {
		if kv[0] == starlark.String(name) {
			return kv[1]
		}
	}
	return nil
}

// legalizeOpsBuiltin is LegalizeOps(customize_legalize_map={"relax.add": f}): f(bb, call) returns what the call becomes.
func legalizeOpsBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	const key = "customize_legalize_map"
	d, ok := argument(args, kwargs, key).(*starlark.Dict)
	if !ok {
		return registered(pipeline.Held(transform.LegalizeOps)).CallInternal(t, args, kwargs)
	}
	if len(args) > 1 {
		return nil, errors.New("LegalizeOps: what comes behind the map is given by name")
	}
	p, err := optionsOf(transform.LegalizeOps, kwargs, key)
	if err != nil {
		return nil, err
	}
	forms, held := map[string]starlark.Callable{}, []starlark.Value{}
	for _, kv := range d.Items() {
		name, ok := starlark.AsString(kv[0])
		f, callable := kv[1].(starlark.Callable)
		if !ok || !callable {
			return nil, fmt.Errorf("LegalizeOps: %s is mapped to %s, expected names of operators and functions (bb, call)", kv[0], describe(kv[1]))
		}
		if op.Lookup(name) == nil && runOf(t).operators[name] == nil {
			return nil, fmt.Errorf("LegalizeOps: %w", noOperator(name))
		}
		forms[name], held = f, append(held, f)
	}
	return calling(p, held, func(r *run) *pass.Pass {
		bound := map[string]op.LegalizeFunc{}
		for name, f := range forms {
			bound[name] = r.legalizer(name, f)
		}
		return transform.LegalizeOpsWith(bound)
	}), nil
}

// legalizer calls a function (bb, call) of the script.
func (r *run) legalizer(name string, f starlark.Callable) op.LegalizeFunc {
	return func(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
		lent := true
		defer func() { lent = false }()
		v, err := r.call(f, &Builder{own: bb, lent: &lent}, &Node{call})
		if err != nil {
			return nil, err
		}
		if v == starlark.None {
			return nil, fmt.Errorf("the rule of %s returns None, expected an expression, or the call to leave it: is a return missing?", name)
		}
		return valueExpr(v)
	}
}

// updateParamsBuiltin is UpdateParamStructInfo(sinfo_func): sinfo_func(var) returns struct info, or None to leave the parameter.
func updateParamsBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f, ok := argument(args, kwargs, "sinfo_func").(starlark.Callable)
	if !ok {
		return registered(transform.UpdateParamStructInfo).CallInternal(t, args, kwargs)
	}
	p := *transform.UpdateParamStructInfo
	p.Options = nil
	return calling(&p, []starlark.Value{f}, func(r *run) *pass.Pass {
		return transform.UpdateParamStructInfoBy(func(p *relax.Var) (relax.StructInfo, error) {
			v, err := r.call(f, &Node{p})
			if err != nil || v == starlark.None {
				return nil, err
			}
			return asNode[relax.StructInfo](v, "struct info, or None")
		})
	}), nil
}

// fuseByPatternBuiltin is FuseOpsByPattern([(name, pattern, annotations, check), ...]): annotations are patterns by name, and check(context) tells
// whether what matched is taken. Both may be left out. Names of patterns that are registered may stand between them.
func fuseByPatternBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	const key = "patterns"
	list := argument(args, kwargs, key)
	own := false
	var makers []func(r *run) transform.FusionPattern
	var held []starlark.Value
	err := eachOf(list, func(v starlark.Value) error {
		if _, named := v.(starlark.String); named {
			return nil
		}
		own = true
		m, f, err := fusionPattern(v)
		makers = append(makers, m)
		if f != nil {
			held = append(held, f)
		}
		return err
	})
	if list == nil || !own && err == nil {
		return registered(transform.FuseOpsByPattern).CallInternal(t, args, kwargs)
	}
	if err != nil {
		return nil, fmt.Errorf("FuseOpsByPattern: %w", err)
	}
	if starlark.Len(list) != len(makers) {
		return nil, errors.New("FuseOpsByPattern: patterns are either names, or tuples of a name and a pattern")
	}
	if len(args) > 1 {
		return nil, errors.New("FuseOpsByPattern: what comes behind the patterns is given by name")
	}
	p, err := optionsOf(transform.FuseByPatterns(), kwargs, key)
	if err != nil {
		return nil, err
	}
	return calling(p, held, func(r *run) *pass.Pass {
		out := make([]transform.FusionPattern, len(makers))
		for i, m := range makers {
			out[i] = m(r)
		}
		return transform.FuseByPatterns(out...)
	}), nil
}

// fusionPattern reads (name, pattern, annotations, check) and returns the check too, if there is one.
func fusionPattern(v starlark.Value) (func(r *run) transform.FusionPattern, starlark.Callable, error) {
	t, ok := v.(starlark.Tuple)
	if !ok || len(t) < 2 || len(t) > 4 {
		return nil, nil, fmt.Errorf("expected (name, pattern), and behind them annotations and a check, got %s", describe(v))
	}
	p := transform.FusionPattern{}
	var err error
	if p.Name, ok = starlark.AsString(t[0]); !ok || p.Name == "" {
		return nil, nil, fmt.Errorf("the name of a pattern is a string, got %s", describe(t[0]))
	}
	if p.Pattern, err = patternOf(t[1]); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if len(t) > 2 && t[2] != starlark.None {
		d, ok := t[2].(*starlark.Dict)
		if !ok {
			return nil, nil, fmt.Errorf("%s: annotations are a dictionary of patterns, got %s", p.Name, describe(t[2]))
		}
		p.Annotations = map[string]dpl.Pattern{}
		for _, kv := range d.Items() {
			name, _ := starlark.AsString(kv[0])
			if p.Annotations[name], err = patternOf(kv[1]); err != nil {
				return nil, nil, fmt.Errorf("%s: annotation %s: %w", p.Name, name, err)
			}
		}
	}
	if len(t) < 4 || t[3] == starlark.None {
		return func(*run) transform.FusionPattern { return p }, nil, nil
	}
	check, ok := t[3].(starlark.Callable)
	if !ok {
		return nil, nil, fmt.Errorf("%s: the check is a function, got %s", p.Name, describe(t[3]))
	}
	return func(r *run) transform.FusionPattern {
		q := p
		q.Check = func(c *transform.PatternCheckContext) error {
			v, err := r.call(check, checkContext(c))
			if err != nil {
				r.failed = errors.Join(r.failed, fmt.Errorf("the check of %s: %w", p.Name, err))
				return err
			}
			if !v.Truth() {
				return errors.New("the check of the script refuses it")
			}
			return nil
		}
		return q
	}, check, nil
}

// checkContext is what a check gets: TVM's PatternCheckContext.
func checkContext(c *transform.PatternCheckContext) starlark.Value {
	dict := func(n int, each func(set func(k, v starlark.Value))) *starlark.Dict {
		d := starlark.NewDict(n)
		each(func(k, v starlark.Value) { _ = d.SetKey(k, v) }) // keys of these types have hashes
		return d
	}
	annotated := dict(len(c.Annotated), func(set func(k, v starlark.Value)) {
		for _, name := range sortedKeys(c.Annotated) {
			set(starlark.String(name), &Node{c.Annotated[name]})
		}
	})
	vars := make([]*relax.Var, 0, len(c.Bindings))
	for v := range c.Bindings {
		vars = append(vars, v)
	}
	slices.SortFunc(vars, func(a, b *relax.Var) int { return cmp.Compare(a.Name, b.Name) })
	bindings := dict(len(vars), func(set func(k, v starlark.Value)) {
		for _, v := range vars {
			set(&Node{v}, &Node{c.Bindings[v]})
		}
	})
	usages := dict(len(vars), func(set func(k, v starlark.Value)) {
		for _, v := range vars {
			var list []starlark.Value
			for _, u := range c.Usages[v] {
				list = append(list, &Node{u})
			}
			set(&Node{v}, starlark.NewList(list))
		}
	})
	return starlarkstruct.FromStringDict(starlark.String("PatternCheckContext"), starlark.StringDict{
		"matched_expr": &Node{c.Matched}, "annotated_expr": annotated, "matched_bindings": bindings, "var_usages": usages,
	})
}

// applyToFunctionBuiltin is ApplyPassToFunction(pass, func_name_regex, error_if_no_function_matches_regex=False).
func applyToFunctionBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var inner starlark.Value
	var regex string
	var must bool
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "transform", &inner, "func_name_regex", &regex, "error_if_no_function_matches_regex?", &must); err != nil {
		return nil, err
	}
	p, ok := inner.(*Pass)
	if !ok {
		return nil, fmt.Errorf("ApplyPassToFunction: expected a pass, got %s", describe(inner))
	}
	shown, err := transform.ApplyPassToFunction(&pass.Pass{Name: p.name, Level: p.level, Required: p.required}, regex, must)
	if err != nil {
		return nil, err
	}
	return calling(shown, []starlark.Value{p}, func(r *run) *pass.Pass {
		q, _ := transform.ApplyPassToFunction(p.bind(r), regex, must) // the expression is one
		return q
	}), nil
}
