package starpass

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/relaypass"
)

// The attributes of operators that scripts can set: rules of passes of Relay.
const (
	alterAttr       = "FTVMAlterOpLayout"
	legalizeAttr    = "FTVMLegalize"
	qnnLegalizeAttr = "FTVMQnnLegalize"
)

// relayRules are rules by the name of the attribute and of the operator.
type relayRules map[string]map[string]starlark.Callable

// ruleOf checks the arguments that name a rule.
func ruleOf(what, name, key string, v starlark.Value) (starlark.Callable, error) {
	switch key {
	case alterAttr, legalizeAttr, qnnLegalizeAttr:
	default:
		return nil, fmt.Errorf("%s: the attribute of operators that scripts can set is %s, %s or %s, got %s", what, alterAttr, legalizeAttr, qnnLegalizeAttr, key)
	}
	if _, _, ok := relay.Signature(name); !ok {
		return nil, fmt.Errorf("%s: Relay has no operator %q here", what, name)
	}
	f, ok := v.(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("%s: the rule of %s is a function, got %s", what, name, describe(v))
	}
	return f, nil
}

// with returns the rules with another one; a nil rule is taken away.
func (r relayRules) with(key, name string, f starlark.Callable) relayRules {
	out := maps.Clone(r)
	if out == nil {
		out = relayRules{}
	}
	table := maps.Clone(out[key])
	if table == nil {
		table = map[string]starlark.Callable{}
	}
	if table[name] = f; f == nil {
		delete(table, name)
	}
	out[key] = table
	return out
}

// registerOpAttr is tvm.ir.register_op_attr(op_name, attr_key, value=None, level=10), also as a decorator of the function.
func registerOpAttr(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, key string
	var v, level starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "op_name", &name, "attr_key", &key, "value?", &v, "level?", &level); err != nil {
		return nil, err
	}
	set := func(t *starlark.Thread, v starlark.Value) (starlark.Value, error) {
		f, err := ruleOf("register_op_attr", name, key, v)
		if err != nil {
			return nil, err
		}
		r := runOf(t)
		r.rules = r.rules.with(key, name, f)
		return v, nil
	}
	if v != nil && v != starlark.None {
		return set(t, v)
	}
	return builtin("register_op_attr", func(t *starlark.Thread, d *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var f starlark.Value
		if err := starlark.UnpackArgs(d.Name(), args, kwargs, "value", &f); err != nil {
			return nil, err
		}
		return set(t, f)
	}), nil
}

// temporaryAttr is TempOpAttr(op_name, attr_key, value): it holds under with.
type temporaryAttr struct {
	name, key string
	f         starlark.Callable
}

func tempOpAttr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, key string
	var v starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "op_name", &name, "attr_key", &key, "value", &v); err != nil {
		return nil, err
	}
	f, err := ruleOf("TempOpAttr", name, key, v)
	return &temporaryAttr{name, key, f}, err
}

func (a *temporaryAttr) String() string      { return "<TempOpAttr " + a.name + " " + a.key + ">" }
func (*temporaryAttr) Type() string          { return "TempOpAttr" }
func (a *temporaryAttr) Freeze()             { a.f.Freeze() }
func (*temporaryAttr) Truth() starlark.Bool  { return true }
func (*temporaryAttr) Hash() (uint32, error) { return 0, errors.New("a TempOpAttr cannot be a key") }

func (a *temporaryAttr) enter(t *starlark.Thread) (starlark.Value, func(error) error, error) {
	r := runOf(t)
	old := r.rules
	r.rules = old.with(a.key, a.name, a.f)
	return a, func(error) error { r.rules = old; return nil }, nil
}

// relayPassesWithRules are the passes of Relay that take rules of the script. Which these are is known where the pass is made.
func relayPassesWithRules() map[string]builtinFunc {
	return map[string]builtinFunc{
		"AlterOpLayout": ruled(relaypass.AlterOpLayout, func(*pass.Pass) string { return alterAttr }, func(r *run, table map[string]starlark.Callable) *pass.Pass {
			rules := map[string]relaypass.AlterRule{}
			for name, f := range table {
				rules[name] = r.alteration(name, f)
			}
			return relaypass.CustomAlterOpLayout(rules)
		}),
		"Legalize": ruled(relaypass.Legalize, func(p *pass.Pass) string { return p.Arg("legalize_map_attr_name").(string) }, func(r *run, table map[string]starlark.Callable) *pass.Pass {
			rules := map[string]relaypass.LegalizeRule{}
			for name, f := range table {
				rules[name] = r.legalization(name, f)
			}
			return relaypass.CustomLegalize(rules)
		}),
	}
}

// ruled is a pass with the rules that the attribute has at the moment.
func ruled(p *pass.Pass, key func(*pass.Pass) string, made func(*run, map[string]starlark.Callable) *pass.Pass) builtinFunc {
	return func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := registered(p).CallInternal(t, args, kwargs)
		if err != nil {
			return nil, err
		}
		set := v.(*Pass).builtin
		table := runOf(t).rules[key(set)]
		if len(table) == 0 {
			return v, nil
		}
		held := make([]starlark.Value, 0, len(table))
		for _, name := range sortedKeys(table) {
			held = append(held, table[name])
		}
		return calling(set, held, func(r *run) *pass.Pass { return made(r, table) }), nil
	}
}

// ruleArguments are what a rule gets: the attributes under Relay's names, the operands, and their types with that of the result behind them.
func (r *run) ruleArguments(call *relax.Call, types []relax.StructInfo) (attrs starlark.Value, inputs, infos *starlark.List, result starlark.Value) {
	_, list := relay.Attributes(call)
	d := starlark.NewDict(list.Len())
	for i := range list.Len() {
		key, v := list.At(i)
		_ = d.SetKey(starlark.String(key), value(v)) // strings hash
	}
	operands := call.Args
	if o, ok := call.Op.(*ir.Op); ok && (o.Name == "relax.reshape" || o.Name == "relax.clip") {
		operands = operands[:1]
	}
	var in, of []starlark.Value
	for _, a := range operands {
		in = append(in, &Node{a})
	}
	for _, s := range types[:min(len(operands), len(types))] {
		of = append(of, &Node{s})
	}
	result = starlark.None
	if call.SInfo != nil {
		result = &Node{call.SInfo}
	}
	return &relayAttrs{d}, starlark.NewList(in), starlark.NewList(of), result
}

// legalization calls a function (attrs, inputs, types) of the script, which returns an expression, or None to leave the call.
func (r *run) legalization(name string, f starlark.Callable) relaypass.LegalizeRule {
	return func(l *relaypass.Legalization) (relax.Expr, error) {
		var types []relax.StructInfo
		for _, a := range l.Call().Args {
			types = append(types, l.Info(a))
		}
		attrs, inputs, infos, result := r.ruleArguments(l.Call(), types)
		_ = infos.Append(result) // it is new
		v, err := r.call(f, attrs, inputs, infos)
		if err != nil {
			return nil, err
		}
		if v == starlark.None {
			return nil, nil
		}
		e, err := valueExpr(v)
		if err == nil {
			err = r.countNodes(name, e)
		}
		return e, err
	}
}

// alteration calls a function (attrs, inputs, tinfos, out_type) of the script, which returns a call, or None to leave it.
func (r *run) alteration(name string, f starlark.Callable) relaypass.AlterRule {
	return func(call *relax.Call, types []*relax.TensorStructInfo) (*relaypass.Alteration, error) {
		list := make([]relax.StructInfo, len(types))
		for i, s := range types {
			list[i] = s
		}
		attrs, inputs, infos, result := r.ruleArguments(call, list)
		r.loose = true // its operands have yet to be brought into the layouts
		v, err := r.call(f, attrs, inputs, infos, result)
		r.loose = false
		if err != nil || v == starlark.None {
			return nil, err
		}
		c, err := asNode[*relax.Call](v, "a call from the rule of "+name)
		if err == nil {
			err = r.countNodes(name, c)
		}
		if err != nil {
			return nil, err
		}
		o, ok := c.Op.(*ir.Op)
		if !ok {
			return nil, fmt.Errorf("the rule of %s returns the call of a function, expected that of an operator", name)
		}
		out := &relaypass.Alteration{Op: o.Name, Attrs: c.Attrs}
		if len(c.Args) != len(call.Args) {
			return nil, fmt.Errorf("the rule of %s returns a call of %d operands, expected %d as before", name, len(c.Args), len(call.Args))
		}
		for i, a := range c.Args {
			if a != call.Args[i] {
				out.Args = c.Args
			}
		}
		return out, nil
	}
}

// relayAttrs are the attributes of a call: attrs["padding"], attrs.padding, attrs.get_int("axis"), dict(attrs), f(**attrs).
type relayAttrs struct{ *starlark.Dict }

var _ starlark.HasAttrs = (*relayAttrs)(nil)

func (a *relayAttrs) Type() string { return "Attrs" }

// AttrNames returns the attributes and the methods.
func (a *relayAttrs) AttrNames() []string {
	out := append(a.Dict.AttrNames(), "get_int", "get_int_tuple", "get_str")
	for _, k := range a.Keys() {
		out = append(out, string(k.(starlark.String)))
	}
	return out
}

// Attr returns an attribute or a method.
func (a *relayAttrs) Attr(name string) (starlark.Value, error) {
	if v, ok, err := a.Get(starlark.String(name)); ok || err != nil {
		return v, err
	}
	if strings.HasPrefix(name, "get_") {
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var key string
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "key", &key); err != nil {
				return nil, err
			}
			v, ok, err := a.Get(starlark.String(key))
			if err == nil && !ok {
				err = fmt.Errorf("there is no attribute %s", key)
			}
			return v, err
		}), nil
	}
	return a.Dict.Attr(name)
}

// relayBinary are the operators of Relay that stand for those of Python between expressions of the graph level.
var relayBinary = map[string]string{"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}

// graphBinary is x + y of expressions of the graph level; nil where one is none.
func graphBinary(token string, x relax.Expr, y starlark.Value, right bool) (starlark.Value, error) {
	name := relayBinary[token]
	n, ok := y.(*Node)
	if name == "" || !ok {
		return nil, nil
	}
	other, ok := n.n.(relax.Expr)
	if !ok {
		return nil, nil
	}
	if right {
		x, other = other, x
	}
	c := op.Binary(name, x, other)
	made, err := relay.Make(name, c.Args, nil, false)
	if err != nil {
		return &Node{c}, nil //nolint:nilerr // where it stands says what is wrong with it
	}
	return &Node{made}, nil
}
