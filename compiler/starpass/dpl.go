package starpass

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxUnordered bounds the fields of a tuple in any order: there are many orders.
const maxUnordered = 8

// maxRewrites bounds the rewrites of a function: a rewriter may make what it matches, again and again.
const maxRewrites = 10000

// dplNamespace is relax.dpl.
func dplNamespace() starlark.Value {
	d := starlark.StringDict{
		"PatternContext":                     patternContextType(),
		"PatternSeq":                         &typeValue{name: "PatternSeq", is: func(v starlark.Value) bool { _, ok := v.(*PatternSeq); return ok }, call: builtin("PatternSeq", patternSeqBuiltin)},
		"DFPattern":                          &typeValue{name: "DFPattern", is: isPattern},
		"make_fused_bias_activation_pattern": builtin("make_fused_bias_activation_pattern", fusedBiasActivation),
		"rewrite_call":                       builtin("rewrite_call", rewriteCall),
		"rewrite_bindings":                   builtin("rewrite_bindings", rewriteBindings),
	}
	for name, f := range patternMakers() {
		d[name] = builtin(name, f)
	}
	for class, maker := range map[string]string{
		"WildcardPattern": "wildcard", "ConstantPattern": "is_const", "VarPattern": "is_var", "DataflowVarPattern": "is_dfv", "GlobalVarPattern": "is_gv",
		"ExprPattern": "is_expr", "TupleGetItemPattern": "is_tuple_get_item", "PrimArrPattern": "is_shape", "NotPattern": "reject",
	} {
		d[class] = d[maker]
	}
	for _, part := range []string{"context", "pattern", "rewrite"} {
		d[part] = namespace("relax.dpl."+part, d)
	}
	return namespace("relax.dpl", d)
}

func isPattern(v starlark.Value) bool { _, ok := v.(*Pattern); return ok }

func patternOf(v starlark.Value) (dpl.Pattern, error) {
	p, ok := v.(*Pattern)
	if !ok {
		return nil, fmt.Errorf("expected a pattern, got %s", describe(v))
	}
	return p.p, nil
}

func patternsOf(v starlark.Value) ([]dpl.Pattern, error) {
	var out []dpl.Pattern
	err := eachOf(v, func(x starlark.Value) error {
		p, err := patternOf(x)
		out = append(out, p)
		return err
	})
	return out, err
}

// patternMakers are the functions that make patterns.
func patternMakers() map[string]builtinFunc {
	none := func(f func() dpl.Pattern) builtinFunc {
		return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return &Pattern{f()}, starlark.UnpackArgs(b.Name(), args, kwargs)
		}
	}
	name := func(key string, f func(string) dpl.Pattern) builtinFunc {
		return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			s := ""
			err := starlark.UnpackArgs(b.Name(), args, kwargs, key+"?", &s)
			return &Pattern{f(s)}, err
		}
	}
	list := func(key string, f func([]dpl.Pattern) (dpl.Pattern, error)) builtinFunc {
		return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var fields starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, key, &fields); err != nil {
				return nil, err
			}
			ps, err := patternsOf(fields)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			p, err := f(ps)
			return &Pattern{p}, err
		}
	}
	unordered := func(ps []dpl.Pattern) (dpl.Pattern, error) {
		if len(ps) > maxUnordered {
			return nil, fmt.Errorf("a tuple in any order has at most %d fields, got %d", maxUnordered, len(ps))
		}
		return dpl.UnorderedTuple(ps...), nil
	}
	return map[string]builtinFunc{
		"wildcard": none(dpl.Wildcard), "is_const": none(dpl.IsConst),
		"is_var": name("name", dpl.IsVar), "is_dfv": name("name", dpl.IsDataflowVar), "is_gv": name("name", dpl.IsGlobalVar), "ExternFuncPattern": name("global_symbol", dpl.IsExtern),
		"TuplePattern":          list("fields", func(ps []dpl.Pattern) (dpl.Pattern, error) { return dpl.Tuple(ps...), nil }),
		"UnorderedTuplePattern": list("fields", unordered),
		"is_op": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var s string
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "op_name", &s); err != nil {
				return nil, err
			}
			if op.Lookup(s) == nil {
				return nil, fmt.Errorf("is_op: there is no operator %s", s)
			}
			return &Pattern{dpl.IsOp(s)}, nil
		},
		"is_expr": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &v); err != nil {
				return nil, err
			}
			e, err := valueExpr(v)
			return &Pattern{dpl.IsExpr(e)}, err
		},
		"is_tuple": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var fields starlark.Value
			any := false
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "fields", &fields, "unordered?", &any); err != nil {
				return nil, err
			}
			ps, err := patternsOf(fields)
			if err != nil || !any {
				return &Pattern{dpl.Tuple(ps...)}, err
			}
			p, err := unordered(ps)
			return &Pattern{p}, err
		},
		"is_tuple_get_item": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var t, index starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "tuple_value", &t, "index?", &index); err != nil {
				return nil, err
			}
			p, err := patternOf(t)
			if err != nil {
				return nil, err
			}
			return getItem(p, index)
		},
		"is_shape": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var shape starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "shape", &shape); err != nil {
				return nil, err
			}
			dims, err := dimsOf(shape)
			return &Pattern{dpl.IsShape(dims...)}, err
		},
		"has_dtype": narrowing("dtype", hasDType), "has_attr": narrowing("attrs", hasAttr),
		"reject": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &v); err != nil {
				return nil, err
			}
			p, err := patternOf(v)
			return &Pattern{dpl.Not(p)}, err
		},
		"FunctionPattern": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var params, body starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "params", &params, "body", &body); err != nil {
				return nil, err
			}
			ps, err := patternsOf(params)
			if err != nil {
				return nil, err
			}
			q, err := patternOf(body)
			return &Pattern{dpl.Function(slices.Concat([]dpl.Pattern{}, ps), q)}, err
		},
		"is_call_tir":        callPattern("relax.call_tir", dpl.IsGlobalVar),
		"is_call_dps_packed": callPattern("relax.call_dps_packed", dpl.IsExtern),
		"is_call_packed":     callPacked,
	}
}

// narrowing is has_dtype(dtype, pattern=None) or has_attr(attrs, pattern=None).
func narrowing(key string, f func(dpl.Pattern, starlark.Value) (dpl.Pattern, error)) builtinFunc {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v, of starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, key, &v, "pattern?", &of); err != nil {
			return nil, err
		}
		inner := dpl.Wildcard()
		if of != nil && of != starlark.None {
			var err error
			if inner, err = patternOf(of); err != nil {
				return nil, err
			}
		}
		p, err := f(inner, v)
		return &Pattern{p}, err
	}
}

func hasDType(p dpl.Pattern, v starlark.Value) (dpl.Pattern, error) {
	s, ok := starlark.AsString(v)
	if !ok {
		return nil, fmt.Errorf("expected the name of an element type, got %s", describe(v))
	}
	dt, err := dtype.Parse(s)
	return dpl.HasDType(p, dt), err
}

func hasAttr(p dpl.Pattern, v starlark.Value) (dpl.Pattern, error) {
	attrs, err := attrsOf(v)
	return dpl.HasAttrs(p, attrs), err
}

func hasShape(p dpl.Pattern, v starlark.Value) (dpl.Pattern, error) {
	dims, err := dimsOf(v)
	return dpl.HasShape(p, dims...), err
}

func hasStructInfo(p dpl.Pattern, v starlark.Value) (dpl.Pattern, error) {
	info, err := asNode[relax.StructInfo](v, "struct info")
	return dpl.HasSInfo(p, info), err
}

// getItem is a field of a tuple; None is any.
func getItem(p dpl.Pattern, index starlark.Value) (starlark.Value, error) {
	n := -1
	if index != nil && index != starlark.None {
		var err error
		if n, err = starlark.AsInt32(index); err != nil || n < 0 {
			return nil, fmt.Errorf("expected the number of a field, got %s", index)
		}
	}
	return &Pattern{dpl.GetItem(p, n)}, nil
}

// callPattern is is_call_tir(func_name, args=None, tir_vars=None) or is_call_dps_packed(func_name, args=None).
func callPattern(name string, callee func(string) dpl.Pattern) builtinFunc {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var s string
		var operands, more starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "func_name", &s, "args?", &operands, "tir_vars?", &more); err != nil {
			return nil, err
		}
		list := []dpl.Pattern{callee(s), dpl.Wildcard()}
		if p, ok := operands.(*Pattern); ok {
			list[1] = p.p
		} else if operands != nil && operands != starlark.None {
			ps, err := patternsOf(operands)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			list[1] = dpl.Tuple(ps...)
		}
		if more != nil && more != starlark.None {
			p, err := patternOf(more)
			if err != nil {
				return nil, fmt.Errorf("%s: tir_vars: %w", b.Name(), err)
			}
			list = append(list, p)
		}
		return &Pattern{dpl.Op(name, list...)}, nil
	}
}

// callPacked is is_call_packed(func_name, args=None).
func callPacked(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var s string
	var operands starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "func_name", &s, "args?", &operands); err != nil {
		return nil, err
	}
	callee := dpl.IsExtern(s)
	if operands == nil || operands == starlark.None {
		return &Pattern{dpl.CallVarArgs(callee)}, nil
	}
	ps, err := patternsOf(operands)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return runOf(t).related(&Pattern{dpl.Call(callee, ps...)}, ps)
}

// fusedBiasActivation is make_fused_bias_activation_pattern(op_name, with_bias=False, activation=None).
func fusedBiasActivation(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var activation starlark.Value
	bias := false
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "op_name", &name, "with_bias?", &bias, "activation?", &activation); err != nil {
		return nil, err
	}
	r := runOf(t)
	wrap := func(name string, operands ...dpl.Pattern) (dpl.Pattern, error) {
		p := dpl.Op(name, operands...)
		_, err := r.related(&Pattern{p}, operands)
		return p, err
	}
	out, err := wrap(name, dpl.Wildcard(), dpl.Wildcard())
	if err == nil && bias {
		out, err = wrap("relax.add", out, dpl.Wildcard())
	}
	if s, ok := starlark.AsString(orNone(activation)); err == nil && ok {
		out, err = wrap(s, out)
	}
	return &Pattern{out}, err
}

// rewriting is what a rewriter of a script needs.
func rewriting(t *starlark.Thread, what string, fn starlark.Value) (*run, *relax.Function, *ir.Module, error) {
	r := runOf(t)
	f, err := asNode[*relax.Function](fn, "a relax.Function")
	if err == nil && r.cur == nil {
		err = errors.New("it cannot run here, where no pass context is: call it from main or from a pass")
	}
	if err == nil {
		err = r.countNodes(what, f)
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", what, err)
	}
	m := r.mod
	if m == nil {
		m = ir.NewModule()
	}
	return r, f, m, nil
}

// rewriteCall is rewrite_call(pattern, rewriter, func).
func rewriteCall(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var pattern, fn starlark.Value
	var rewriter starlark.Callable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &pattern, "rewriter", &rewriter, "func", &fn); err != nil {
		return nil, err
	}
	p, err := patternOf(pattern)
	if err != nil {
		return nil, fmt.Errorf("rewrite_call: %w", err)
	}
	r, f, m, err := rewriting(t, "rewrite_call", fn)
	if err != nil {
		return nil, err
	}
	var failed error
	calls := 0
	rewrite := func(e relax.Expr, found dpl.Matches, _ dpl.Bindings) relax.Expr {
		if calls++; calls > maxRewrites && failed == nil {
			failed = &LimitError{fmt.Sprintf("rewrite_call: more than %d rewrites: what the rewriter makes matches the pattern again", maxRewrites)}
		}
		if failed != nil {
			return nil
		}
		v, err := r.call(rewriter, nodeValue(e), matchedValues(found))
		if err == nil && v != starlark.None {
			var to relax.Expr
			if to, err = valueExpr(v); err == nil {
				r.rewrote("rewrite_call", e, to)
				return to
			}
			err = fmt.Errorf("rewrite_call: the rewriter returned %s: expected an expression", describe(v))
		}
		failed = err
		return nil
	}
	var out *relax.Function
	if stop := budget.Catch(func() { out, err = transform.RewriteCalls(r.cur, m, f, p, rewrite) }); stop != nil {
		err = &LimitError{"rewrite_call: " + stop.Error()}
	}
	if failed != nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	if out == f {
		return fn, nil
	}
	return nodeValue(out), nil
}

// rewriteBindings is rewrite_bindings(ctx, rewriter, func).
func rewriteBindings(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var patterns, fn starlark.Value
	var rewriter starlark.Callable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "ctx", &patterns, "rewriter", &rewriter, "func", &fn); err != nil {
		return nil, err
	}
	pc, ok := patterns.(*PatternContext)
	if !ok {
		return nil, fmt.Errorf("rewrite_bindings: expected a PatternContext, got %s", describe(patterns))
	}
	r, f, m, err := rewriting(t, "rewrite_bindings", fn)
	if err != nil {
		return nil, err
	}
	var failed error
	rewrite := func(found map[dpl.Pattern]*relax.Var, bound dpl.Bindings) map[*relax.Var]relax.Expr {
		if failed != nil {
			return nil
		}
		var to map[*relax.Var]relax.Expr
		to, failed = r.newValues(rewriter, found, bound)
		return to
	}
	var out *relax.Function
	if stop := budget.Catch(func() { out, err = transform.RewriteBindings(r.cur, m, f, pc.c, rewrite) }); stop != nil {
		err = &LimitError{"rewrite_bindings: " + stop.Error()}
	}
	if failed != nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	if out == f {
		return fn, nil
	}
	return nodeValue(out), nil
}

// rewrote reports that the running pass put to in the place of e.
func (r *run) rewrote(rule string, e, to relax.Expr) {
	if r.cur.Observed() && e != to {
		r.rewrites++
		r.cur.Rewrite(rule, e, to)
	}
}

// newValues asks a rewriter of bindings.
func (r *run) newValues(rewriter starlark.Callable, found map[dpl.Pattern]*relax.Var, bound dpl.Bindings) (map[*relax.Var]relax.Expr, error) {
	matched := dpl.Matches{}
	for p, v := range found {
		matched[p] = v
	}
	v, err := r.call(rewriter, matchedValues(matched), &boundValues{bound})
	if err != nil || v == starlark.None {
		return nil, err
	}
	d, ok := v.(starlark.IterableMapping)
	if !ok {
		return nil, fmt.Errorf("rewrite_bindings: the rewriter returned %s: expected a dict of expressions by variable", describe(v))
	}
	out := map[*relax.Var]relax.Expr{}
	for _, kv := range d.Items() {
		x, err := asNode[*relax.Var](kv[0], "a relax.Var")
		if err != nil {
			return nil, fmt.Errorf("rewrite_bindings: %w", err)
		}
		if out[x], err = valueExpr(kv[1]); err != nil {
			return nil, fmt.Errorf("rewrite_bindings: %s: %w", x.Name, err)
		}
		if old := bound[x]; old != nil {
			r.rewrote("rewrite_bindings", old, out[x])
		}
	}
	return out, nil
}
