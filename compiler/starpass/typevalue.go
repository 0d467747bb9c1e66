package starpass

import (
	"errors"
	"fmt"
	"reflect"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// typeValue is a type of the compiler that scripts call to make a value, look members up in, and ask for in isinstance.
type typeValue struct {
	name    string
	call    *starlark.Builtin // nil where the type cannot be called
	members starlark.StringDict
	is      func(starlark.Value) bool // nil where no value is of it
}

// nodeType is another name of it where it is the type of nodes.
type nodeType = typeValue

var (
	_ starlark.Callable = (*typeValue)(nil)
	_ starlark.HasAttrs = (*typeValue)(nil)
)

func (v *typeValue) String() string        { return "<type " + v.name + ">" }
func (*typeValue) Type() string            { return "type" }
func (v *typeValue) Name() string          { return v.name }
func (*typeValue) Freeze()                 {}
func (*typeValue) Truth() starlark.Bool    { return true }
func (v *typeValue) Hash() (uint32, error) { return starlark.String(v.name).Hash() }

// AttrNames returns the names of the members.
func (v *typeValue) AttrNames() []string { return append(sortedKeys(v.members), "__name__") }

// Attr returns a member.
func (v *typeValue) Attr(name string) (starlark.Value, error) {
	if name == "__name__" {
		return starlark.String(v.name), nil
	}
	return v.members[name], nil
}

// CallInternal makes a value.
func (v *typeValue) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if v.call == nil {
		return nil, fmt.Errorf("%s cannot be called: it is a type of many nodes", v.name)
	}
	return v.call.CallInternal(t, args, kwargs)
}

// typeOfNodes is the type of the nodes that are a T, without a constructor.
func typeOfNodes[T ir.Node](name string) *typeValue {
	return &typeValue{name: name, is: func(v starlark.Value) bool {
		n, ok := v.(*Node)
		if !ok {
			return false
		}
		_, ok = n.n.(T)
		return ok
	}}
}

// typeOfKind is the type of nodes of one kind, or of those that have another name.
func typeOfKind(k *kind, name string, call *starlark.Builtin) *typeValue {
	return &typeValue{name: name, call: call, is: func(v starlark.Value) bool {
		n, ok := v.(*Node)
		return ok && reflect.TypeOf(n.n) == k.typ && (name == k.name || nodeName(n.n) == name)
	}}
}

// families are the types of nodes that have no nodes of their own, by level.
func families(level string) starlark.StringDict {
	switch level {
	case levelRelax:
		return starlark.StringDict{
			"Expr": typeOfNodes[relax.Expr]("Expr"), "Binding": typeOfNodes[relax.Binding]("Binding"), "StructInfo": typeOfNodes[relax.StructInfo]("StructInfo"),
			"DataflowBlock": &typeValue{name: "DataflowBlock", is: func(v starlark.Value) bool {
				n, ok := v.(*Node)
				return ok && nodeName(n.n) == "DataflowBlock"
			}},
		}
	case levelTIR:
		return starlark.StringDict{"PrimExpr": typeOfNodes[tir.Expr]("PrimExpr"), "Stmt": typeOfNodes[tir.Stmt]("Stmt")}
	}
	return nil
}

// isInstance is isinstance(value, type or tuple of types).
func isInstance(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v, of starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &v, &of); err != nil {
		return nil, err
	}
	ok, err := isOf(v, of)
	return starlark.Bool(ok), err
}

// builtinTypes are the functions of Starlark that are types in Python, with what Starlark calls their values.
var builtinTypes = map[string]string{
	"str": "string", "int": "int", "float": "float", "bool": "bool", "list": "list", "tuple": "tuple", "dict": "dict", "set": "set", "bytes": "bytes", "range": "range",
}

// isOf tells whether a value is of a type, or of one of a tuple of types.
func isOf(v, of starlark.Value) (bool, error) {
	switch of := of.(type) {
	case starlark.Tuple:
		for _, x := range of {
			if ok, err := isOf(v, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *Class:
		x, ok := v.(*Instance)
		return ok && x.class.derives(of), nil
	case *passClass:
		p, ok := v.(*Pass)
		return ok && p.object != nil && p.object.class.derives(of.class), nil
	case *typeValue:
		if of.is != nil {
			return of.is(v), nil
		}
	case *starlark.Builtin:
		if want := builtinTypes[of.Name()]; want != "" {
			return v.Type() == want || want == "int" && v.Type() == "bool", nil
		}
	}
	return false, fmt.Errorf("isinstance: expected a type or a tuple of types, got %s", describe(of))
}

// isSame is (is)(a, b).
func isSame(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	a, b := args[0], args[1]
	switch x := a.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Bytes, starlark.Tuple:
		if a.Type() != b.Type() {
			return starlark.False, nil
		}
		if _, ok := x.(starlark.Tuple); ok {
			return nil, errors.New("is: tuples are compared by ==")
		}
		eq, err := starlark.Equal(a, b)
		return starlark.Bool(eq), err
	case *Node:
		y, ok := b.(*Node)
		return starlark.Bool(ok && x.n == y.n), nil
	case *Module:
		y, ok := b.(*Module)
		return starlark.Bool(ok && x.m == y.m), nil
	case *Context:
		y, ok := b.(*Context)
		return starlark.Bool(ok && x.c == y.c), nil
	}
	if !reflect.TypeOf(a).Comparable() || !reflect.TypeOf(b).Comparable() {
		return starlark.False, nil
	}
	return starlark.Bool(a == b), nil
}
