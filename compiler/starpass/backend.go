package starpass

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// maxRegistered bounds the patterns that a script registers.
const maxRegistered = 1000

// backendNamespace is relax.backend: the patterns that a script registers, and the makers of TVM's python/tvm/relax/backend/patterns.py.
func backendNamespace() starlark.Value {
	patterns := starlark.StringDict{}
	for name, f := range backendPatterns() {
		patterns[name] = builtin(name, f)
	}
	registry := starlark.StringDict{
		"register_patterns":        builtin("register_patterns", registerPatterns),
		"get_patterns_with_prefix": builtin("get_patterns_with_prefix", patternsWithPrefix),
		"get_pattern":              builtin("get_pattern", patternCalled),
	}
	d := starlark.StringDict{"patterns": namespace("relax.backend.patterns", patterns), "pattern_registry": namespace("relax.backend.pattern_registry", registry)}
	for name, f := range registry {
		d[name] = f
	}
	return namespace("relax.backend", d)
}

// backendPattern is a pattern in the making, with the names of its parts in order.
type backendPattern struct {
	r     *run
	names []string
	parts []dpl.Pattern
	err   error
}

// part names a part of the pattern.
func (b *backendPattern) part(name string, p dpl.Pattern) dpl.Pattern {
	b.names, b.parts = append(b.names, name), append(b.parts, p)
	return p
}

// any is a part that matches everything.
func (b *backendPattern) any(name string) dpl.Pattern { return b.part(name, dpl.Wildcard()) }

// op is a call of an operator.
func (b *backendPattern) op(name string, operands ...dpl.Pattern) dpl.Pattern {
	p := dpl.Op(name, operands...)
	if b.err == nil && op.Lookup(name) == nil && b.r.operators[name] == nil {
		b.err = noOperator(name)
	}
	if _, err := b.r.related(&Pattern{p}, operands); err != nil && b.err == nil {
		b.err = err
	}
	return p
}

// done adds a bias and an activation to p, and returns the pattern and its parts by name.
func (b *backendPattern) done(p dpl.Pattern, bias bool, activation starlark.Value) (starlark.Value, error) {
	if bias {
		p = b.op("relax.add", p, b.any("bias"))
	}
	if name, ok := starlark.AsString(orNone(activation)); ok && name != "" {
		p = b.op(name, p)
	}
	if b.err != nil {
		return nil, b.err
	}
	d := starlark.NewDict(len(b.names))
	for i, name := range b.names {
		if err := d.SetKey(starlark.String(name), &Pattern{b.parts[i]}); err != nil {
			return nil, err
		}
	}
	return starlark.Tuple{&Pattern{p}, d}, nil
}

// backendPatterns are functions that return a pattern and a dictionary of its parts.
func backendPatterns() map[string]builtinFunc {
	type flags struct {
		bias, transposed, varLen bool
		activation               starlark.Value
	}
	maker := func(params []string, f func(b *backendPattern, o *flags) (starlark.Value, error)) builtinFunc {
		return func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			o := &flags{}
			into := map[string]any{"with_bias": &o.bias, "activation": &o.activation, "transposed_rhs": &o.transposed, "var_len": &o.varLen}
			var pairs []any
			for _, p := range params {
				pairs = append(pairs, p+"?", into[p])
			}
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, pairs...); err != nil {
				return nil, err
			}
			return f(&backendPattern{r: runOf(t)}, o)
		}
	}
	matmul := func(b *backendPattern, transposed bool) dpl.Pattern {
		lhs, rhs := b.any("lhs"), b.any("rhs")
		if transposed {
			rhs = b.op("relax.permute_dims", rhs)
		}
		return b.part("root", b.op("relax.matmul", lhs, rhs))
	}
	return map[string]builtinFunc{
		"make_fused_bias_activation_pattern": func(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var name string
			var bias bool
			var activation starlark.Value
			if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "op_name", &name, "with_bias?", &bias, "activation?", &activation); err != nil {
				return nil, err
			}
			b := &backendPattern{r: runOf(t)}
			return b.done(b.part("root", b.op(name, b.any("lhs"), b.any("rhs"))), bias, activation)
		},
		"make_residual_block_pattern": residualBlock,
		"make_conv2d_pattern": maker([]string{"with_bias", "activation"}, func(b *backendPattern, o *flags) (starlark.Value, error) {
			return b.done(b.part("root", b.op("relax.nn.conv2d", b.any("input"), b.any("weight"))), o.bias, o.activation)
		}),
		"make_matmul_pattern": maker([]string{"with_bias", "activation", "transposed_rhs"}, func(b *backendPattern, o *flags) (starlark.Value, error) {
			return b.done(matmul(b, o.transposed), o.bias, o.activation)
		}),
		"make_matmul_dequantize_pattern": maker([]string{"transposed_rhs"}, func(b *backendPattern, o *flags) (starlark.Value, error) {
			out := matmul(b, o.transposed)
			return b.done(b.op("relax.dequantize", out, b.part("scale", dpl.IsConst()), b.part("zp", dpl.IsConst())), false, nil)
		}),
		"make_attention_pattern": maker([]string{"with_bias", "var_len"}, func(b *backendPattern, o *flags) (starlark.Value, error) {
			operands := []dpl.Pattern{b.any("query"), b.any("key"), b.any("value")}
			name, more := "relax.nn.attention", []string(nil)
			switch {
			case o.bias:
				name, more = "relax.nn.attention_bias", []string{"bias"}
			case o.varLen:
				name, more = "relax.nn.attention_var_len", []string{"seqstart_q", "seqstart_k", "max_seqlen_q", "max_seqlen_k"}
			}
			for _, s := range more {
				operands = append(operands, b.any(s))
			}
			return b.done(b.op(name, operands...), false, nil)
		}),
		"make_layer_norm_pattern": maker(nil, func(b *backendPattern, _ *flags) (starlark.Value, error) {
			return b.done(b.op("relax.nn.layer_norm", dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard()), false, nil)
		}),
		"make_rms_norm_pattern": maker(nil, func(b *backendPattern, _ *flags) (starlark.Value, error) {
			gv, inp := b.part("gv", dpl.IsGlobalVar("")), b.any("inp")
			return b.done(b.part("rms_norm", b.op("relax.call_tir", gv, dpl.Tuple(inp, dpl.Wildcard()))), false, nil)
		}),
	}
}

// residualBlock is make_residual_block_pattern(node_output, binary_op="relax.add", activation=None); node_output is a pattern, or one with its parts.
func residualBlock(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var node, activation starlark.Value
	binary := "relax.add"
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "node_output", &node, "binary_op?", &binary, "activation?", &activation); err != nil {
		return nil, err
	}
	b := &backendPattern{r: runOf(t)}
	if pair, ok := node.(starlark.Tuple); ok && len(pair) == 2 {
		d, ok := pair[1].(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf("%s: expected a pattern, or a pattern and a dictionary of its parts, got %s", fn.Name(), describe(pair[1]))
		}
		for _, kv := range d.Items() {
			name, _ := starlark.AsString(kv[0])
			p, err := patternOf(kv[1])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", fn.Name(), kv[0], err)
			}
			b.part(name, p)
		}
		node = pair[0]
	}
	out, err := patternOf(node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fn.Name(), err)
	}
	residual := b.any("residual")
	return b.done(dpl.Or(b.op(binary, out, residual), b.op(binary, residual, out)), false, activation)
}

// fusionPatternBuiltin is FusionPattern(name, pattern, annotation_patterns=None, check=None): the tuple that FuseOpsByPattern takes.
func fusionPatternBuiltin(_ *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, pattern starlark.Value
	var parts, check starlark.Value = starlark.None, starlark.None
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "name", &name, "pattern", &pattern, "annotation_patterns?", &parts, "check?", &check); err != nil {
		return nil, err
	}
	out := starlark.Tuple{name, pattern, parts, check}
	_, _, err := fusionPattern(out)
	return out, err
}

// registerPatterns is register_patterns(patterns): they are known to get_patterns_with_prefix for the rest of the run, the later ones first.
func registerPatterns(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Value
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "patterns", &list); err != nil {
		return nil, err
	}
	r := runOf(t)
	return starlark.None, eachOf(list, func(v starlark.Value) error {
		if _, _, err := fusionPattern(v); err != nil {
			return fmt.Errorf("%s: %w", fn.Name(), err)
		}
		if len(r.registered) == maxRegistered {
			return fmt.Errorf("%s: a script has at most %d patterns", fn.Name(), maxRegistered)
		}
		r.registered = append(r.registered, v.(starlark.Tuple))
		return nil
	})
}

// patternsWithPrefix is get_patterns_with_prefix(prefix). Where the script registered none whose names begin so, it is what FuseOpsByPattern takes for
// those of the code generators that are registered.
func patternsWithPrefix(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var prefix string
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "prefix", &prefix); err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, p := range slices.Backward(runOf(t).registered) {
		if name, _ := starlark.AsString(p[0]); strings.HasPrefix(name, prefix) {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		out = append(out, starlark.String(prefix+"*"))
	}
	return starlark.NewList(out), nil
}

// patternCalled is get_pattern(name): the pattern of the script that was registered last under this name, None if there is none.
func patternCalled(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	for _, p := range slices.Backward(runOf(t).registered) {
		if p[0] == starlark.String(name) {
			return p, nil
		}
	}
	return starlark.None, nil
}
