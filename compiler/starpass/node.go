package starpass

import (
	"fmt"
	"hash/maphash"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
)

// Node is a node of the IR as a value of Starlark. Its type is TVM's name of the node, its
// fields are those of the schema and TVM's names of them. Two are equal if they are the same
// node; structural_equal compares what they say.
type Node struct{ n ir.Node }

var (
	_ starlark.HasAttrs   = (*Node)(nil)
	_ starlark.HasBinary  = (*Node)(nil)
	_ starlark.HasUnary   = (*Node)(nil)
	_ starlark.Comparable = (*Node)(nil)
)

var nodeSeed = maphash.MakeSeed()

// Type returns TVM's name of the node.
func (v *Node) Type() string { return nodeName(v.n) }

// Freeze does nothing: nodes never change.
func (*Node) Freeze() {}

// Truth is true, but for constants, which have that of their value.
func (v *Node) Truth() starlark.Bool {
	if x, ok := scalarOf(v.n); ok {
		return x.Truth()
	}
	return true
}

// Hash is that of the node's identity. Dictionaries keep the order of insertion, so it does
// not show.
func (v *Node) Hash() (uint32, error) { return uint32(maphash.Comparable(nodeSeed, v.n)), nil }

// CompareSameType compares identities.
func (v *Node) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o, ok := y.(*Node)
	same := ok && v.n == o.n
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("nodes have no order: write tir.%s(a, b) for the expression", map[syntax.Token]string{
		syntax.LT: "LT", syntax.LE: "LE", syntax.GT: "GT", syntax.GE: "GE",
	}[op])
}

// maxPrinted bounds the nodes of what is printed, those that stand in several places counted
// for each.
const maxPrinted = 100_000

// String prints the node as TVMScript.
func (v *Node) String() string {
	text, err := printNode(v.n)
	if err != nil {
		return "<" + v.Type() + ": " + err.Error() + ">"
	}
	return text
}

func printNode(n ir.Node) (text string, err error) {
	if o, ok := n.(*ir.Op); ok {
		return o.Name, nil
	}
	count := 0
	ir.Walk(n, func(ir.Node) bool { count++; return count <= maxPrinted })
	if count > maxPrinted {
		return "", fmt.Errorf("more than %d nodes are not printed", maxPrinted)
	}
	// A node that a script is still building may lack what the printer looks at.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be printed: %v", r)
		}
	}()
	return script.Node(n, script.Options{}), nil
}

// Attr returns a field or method.
func (v *Node) Attr(name string) (starlark.Value, error) {
	if f, ok := findField(v.n, name); ok {
		x, _ := ir.FieldByName(v.n, f.Name)
		if _, untyped := x.(relax.StructInfo); !untyped && name == "struct_info" {
			return computed(v.n, name), nil
		}
		if t, ok := x.(ir.Type); ok && name == "dtype" {
			return value(ir.TypeDType(t)), nil
		}
		return value(x), nil
	}
	if x := computed(v.n, name); x != nil {
		return x, nil
	}
	return v.method(name), nil
}

func (v *Node) method(name string) starlark.Value {
	switch name {
	case "same_as":
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var other starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "other", &other); err != nil {
				return nil, err
			}
			o, ok := other.(*Node)
			return starlark.Bool(ok && o.n == v.n), nil
		})
	case "script":
		return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
				return nil, err
			}
			text, err := printNode(v.n)
			if err != nil {
				return nil, err
			}
			return runOf(t).result(starlark.String(text))
		})
	case "with_attr", "without_attr":
		if f, ok := v.n.(ir.Function); ok {
			return attrMethod(name, f.FuncAttrs(), func(a *ir.Attrs) starlark.Value { return &Node{f.WithFuncAttrs(a)} })
		}
	}
	return nil
}

// attrMethod is with_attr(key, value) or without_attr(key).
func attrMethod(name string, attrs *ir.Attrs, done func(*ir.Attrs) starlark.Value) starlark.Value {
	return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var key string
		var v starlark.Value
		if name == "without_attr" {
			if err := starlark.UnpackArgs(name, args, kwargs, "key", &key); err != nil {
				return nil, err
			}
			return done(attrs.Without(key)), nil
		}
		if err := starlark.UnpackArgs(name, args, kwargs, "key", &key, "value", &v); err != nil {
			return nil, err
		}
		x, err := attrValue(v, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		return done(attrs.With(key, x)), nil
	})
}

// AttrNames returns the names of the fields.
func (v *Node) AttrNames() []string {
	names := append(fieldNames(v.n), "same_as", "script", "span")
	if _, ok := v.n.(relax.Expr); ok {
		names = append(names, "struct_info")
	}
	if _, ok := v.n.(ir.Function); ok {
		names = append(names, "with_attr", "without_attr")
	}
	return names
}

// asNode returns v's node as a T.
func asNode[T ir.Node](v starlark.Value, want string) (T, error) {
	var none T
	v, err := plain(v)
	if err != nil {
		return none, err
	}
	n, ok := v.(*Node)
	if !ok {
		return none, fmt.Errorf("expected %s, got %s", want, describe(v))
	}
	t, ok := n.n.(T)
	if !ok {
		return none, fmt.Errorf("expected %s, got %s.%s", want, levelOf(n.n), n.Type())
	}
	return t, nil
}

// describe names a value in errors.
func describe(v starlark.Value) string {
	switch v := v.(type) {
	case *Node:
		return levelOf(v.n) + "." + v.Type()
	case starlark.NoneType:
		return "None"
	case starlark.String:
		s := string(v)
		if len(s) > 40 {
			s = s[:40] + "..."
		}
		return fmt.Sprintf("the string %q", s)
	}
	return "a value of type " + strings.TrimSpace(v.Type())
}
