package starpass

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/tir"
)

// relayOperators is relay with its operators: relay.add(x, y), relay.nn.conv2d(data, weight, padding=(1, 1)), with the names and attributes of Relay.
// Calls may be operands of others.
type relayOperators struct {
	prefix string              // "" or "nn."
	more   starlark.StringDict // what is no operator
}

var _ starlark.HasAttrs = (*relayOperators)(nil)

func (o *relayOperators) String() string {
	return strings.TrimSuffix("<module relay."+o.prefix, ".") + ">"
}
func (*relayOperators) Type() string          { return "module" }
func (*relayOperators) Freeze()               {}
func (*relayOperators) Truth() starlark.Bool  { return true }
func (*relayOperators) Hash() (uint32, error) { return 0, errors.New("a module cannot be a key") }

// AttrNames returns the members, the operators and the groups of operators.
func (o *relayOperators) AttrNames() []string {
	set := map[string]bool{}
	for name := range o.more {
		set[name] = true
	}
	for _, name := range relay.Names(o.prefix) {
		first, _, _ := strings.Cut(name, ".")
		set[first] = true
	}
	return sortedKeys(set)
}

// Attr returns a member, an operator as a function that makes calls of it, or a group of operators.
func (o *relayOperators) Attr(name string) (starlark.Value, error) {
	if v := o.more[name]; v != nil {
		return v, nil
	}
	full := o.prefix + name
	if _, _, ok := relay.Signature(full); ok {
		return builtin(full, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return relayCall(t, full, args, kwargs)
		}), nil
	}
	if i := sort.SearchStrings(o.AttrNames(), name); i < len(o.AttrNames()) && o.AttrNames()[i] == name {
		return &relayOperators{prefix: full + "."}, nil
	}
	return nil, nil
}

// relayCall makes a call: operands first, by position or name, then attributes.
func relayCall(t *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	if err := r.work(visitCost); err != nil {
		return nil, err
	}
	operands, names, _ := relay.Signature(name)
	given := make([]relax.Expr, 0, len(operands))
	attrs := ir.NewAttrs()
	set := func(key string, v starlark.Value) error {
		x, err := attrValue(v, 0)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, key, err)
		}
		if attrs.Has(key) {
			return fmt.Errorf("%s: %s is given twice", name, key)
		}
		attrs = attrs.With(key, x)
		return nil
	}
	operand := func(v starlark.Value) error {
		e, err := valueExpr(v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		given = append(given, e)
		return nil
	}
	for i, v := range args {
		var err error
		switch {
		case len(given) < len(operands) && isOperand(v):
			err = operand(v)
		case i-len(given) < len(names):
			err = set(names[i-len(given)], v)
		default:
			err = fmt.Errorf("%s: too many arguments: it takes the operands %s and the attributes %s", name, strings.Join(operands, ", "), strings.Join(names, ", "))
		}
		if err != nil {
			return nil, err
		}
	}
	for _, kv := range kwargs {
		key := string(kv[0].(starlark.String))
		if len(given) < len(operands) && operands[len(given)] == key {
			if err := operand(kv[1]); err != nil {
				return nil, err
			}
			continue
		}
		if !slices.Contains(names, key) && key != "attrs_type_key" {
			return nil, fmt.Errorf("%s has no attribute %s; it has %s", name, key, strings.Join(names, ", "))
		}
		if err := set(key, kv[1]); err != nil {
			return nil, err
		}
	}
	c, err := relay.Make(name, given, attrs, r.loose)
	if err != nil {
		return nil, err
	}
	return &Node{c}, nil
}

// isOperand reports whether a value is an expression or a list of such.
func isOperand(v starlark.Value) bool {
	switch v := v.(type) {
	case *Node:
		_, ok := v.n.(relax.Expr)
		return ok
	case starlark.Tuple, *starlark.List:
		n := 0
		err := eachOf(v, func(x starlark.Value) error {
			if n++; !isOperand(x) {
				return errors.New("no operand")
			}
			return nil
		})
		return err == nil && n > 0
	}
	return false
}

// Get is x[i] of an expression of the graph level that is a tuple, and A[i, j] of a buffer.
func (v *Node) Get(k starlark.Value) (starlark.Value, bool, error) {
	if buf, ok := v.n.(*tir.Buffer); ok {
		load, err := loadOf(buf, k)
		return load, err == nil, err
	}
	e, ok := v.n.(relax.Expr)
	i, err := starlark.AsInt32(k)
	if !ok || err != nil {
		return nil, false, fmt.Errorf("unhandled index operation %s[%s]", v.Type(), k.Type())
	}
	if t, ok := e.(*relax.Tuple); ok && i >= 0 && i < len(t.Fields) {
		return &Node{t.Fields[i]}, true, nil
	}
	info, err := relax.FieldSInfo(relax.SInfoOf(e), i)
	if err != nil {
		return nil, false, err
	}
	return &Node{&relax.TupleGetItem{Tuple: e, Index: i, SInfo: info}}, true, nil
}

// loadOf is A[i, j]: the element of a buffer at an index for each of its axes.
func loadOf(buf *tir.Buffer, k starlark.Value) (starlark.Value, error) {
	at, ok := k.(starlark.Tuple)
	if !ok {
		at = starlark.Tuple{k}
	}
	if len(at) != len(buf.Shape) {
		return nil, fmt.Errorf("%s has %d axes, got %d indices", buf.Name, len(buf.Shape), len(at))
	}
	load := &tir.BufferLoad{Buffer: buf, Indices: make([]tir.Expr, len(at))}
	for i, x := range at {
		e, err := exprOf(x, buf.Shape[i].DType())
		if err == nil && !e.DType().IsInteger() {
			err = fmt.Errorf("got a %s", e.DType())
		}
		if err != nil {
			return nil, fmt.Errorf("index %d of %s: %w", i, buf.Name, err)
		}
		load.Indices[i] = e
	}
	return &Node{load}, nil
}
