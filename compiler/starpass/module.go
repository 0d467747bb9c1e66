package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
)

// Module is a module as a value of Starlark: mod["main"], mod.functions, mod.update(name, fn).
// Modules do not change; the methods return others.
type Module struct{ m *ir.Module }

var (
	_ starlark.HasAttrs        = (*Module)(nil)
	_ starlark.Mapping         = (*Module)(nil)
	_ starlark.IterableMapping = (*Module)(nil)
	_ starlark.Comparable      = (*Module)(nil)
)

// String names the functions.
func (v *Module) String() string {
	return fmt.Sprintf("IRModule(%s)", listOf(script.FuncNames(v.m)).String())
}

// Type is TVM's name.
func (*Module) Type() string { return "IRModule" }

// Freeze does nothing: modules never change.
func (*Module) Freeze() {}

// Truth is true.
func (*Module) Truth() starlark.Bool { return true }

// Hash fails: modules are no keys.
func (*Module) Hash() (uint32, error) { return 0, errors.New("an IRModule cannot be a key") }

// CompareSameType compares identities.
func (v *Module) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o, ok := y.(*Module)
	switch op {
	case syntax.EQL:
		return ok && v.m == o.m, nil
	case syntax.NEQ:
		return !ok || v.m != o.m, nil
	}
	return false, errors.New("modules have no order")
}

// Get returns a function by its name or GlobalVar; a missing one is an error.
func (v *Module) Get(key starlark.Value) (starlark.Value, bool, error) {
	name, err := funcName(key)
	if err != nil {
		return nil, false, err
	}
	if f := v.m.Lookup(name); f != nil {
		return &Node{f}, true, nil
	}
	var names []string
	for gv := range v.m.Funcs() {
		names = append(names, gv.Name)
	}
	msg := fmt.Sprintf("the module has no function %q", name)
	if near := nearestOf(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, false, errors.New(msg)
}

func funcName(v starlark.Value) (string, error) {
	if s, ok := starlark.AsString(v); ok {
		return s, nil
	}
	gv, err := asNode[*ir.GlobalVar](v, "the name or GlobalVar of a function")
	if err != nil {
		return "", err
	}
	return gv.Name, nil
}

// Len is the number of functions.
func (v *Module) Len() int { return v.m.Len() }

// Iterate goes through the names of the functions in order.
func (v *Module) Iterate() starlark.Iterator { return v.functions().Iterate() }

// Items returns pairs of name and function.
func (v *Module) Items() []starlark.Tuple { return v.functions().Items() }

func (v *Module) functions() *starlark.Dict {
	d := starlark.NewDict(v.m.Len())
	for gv, f := range v.m.Funcs() {
		_ = d.SetKey(starlark.String(gv.Name), &Node{f}) // strings hash
	}
	d.Freeze()
	return d
}

// AttrNames returns the fields and methods.
func (*Module) AttrNames() []string {
	return []string{
		"attrs", "functions", "get_global_var", "global_infos", "remove", "same_as", "script", "update", "with_attr", "without_attr",
	}
}

// Attr returns a field or method.
func (v *Module) Attr(name string) (starlark.Value, error) {
	switch name {
	case "functions":
		return v.functions(), nil
	case "attrs":
		return attrsValue(v.m.Attrs()), nil
	case "global_infos":
		return value(v.m.GlobalInfos()), nil
	case "with_attr", "without_attr":
		return attrMethod(name, v.m.Attrs(), func(a *ir.Attrs) starlark.Value {
			if a == v.m.Attrs() {
				return v
			}
			return &Module{v.m.WithAttrs(a)}
		}), nil
	}
	if f := moduleMethods[name]; f != nil {
		return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(v, runOf(t), args, kwargs)
		}), nil
	}
	return nil, nil
}

var moduleMethods = map[string]func(*Module, *run, starlark.Tuple, []starlark.Tuple) (starlark.Value, error){
	"get_global_var": (*Module).globalVar,
	"remove":         (*Module).remove,
	"same_as":        (*Module).sameAs,
	"script":         (*Module).script,
	"update":         (*Module).update,
}

func (v *Module) globalVar(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key starlark.Value
	if err := starlark.UnpackArgs("get_global_var", args, kwargs, "name", &key); err != nil {
		return nil, err
	}
	if _, _, err := v.Get(key); err != nil {
		return nil, err
	}
	name, err := funcName(key)
	return &Node{v.m.GlobalVar(name)}, err
}

func (v *Module) remove(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key starlark.Value
	if err := starlark.UnpackArgs("remove", args, kwargs, "name", &key); err != nil {
		return nil, err
	}
	if _, _, err := v.Get(key); err != nil {
		return nil, err
	}
	name, err := funcName(key)
	return &Module{v.m.Without(name)}, err
}

func (v *Module) sameAs(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var other starlark.Value
	if err := starlark.UnpackArgs("same_as", args, kwargs, "other", &other); err != nil {
		return nil, err
	}
	o, ok := other.(*Module)
	return starlark.Bool(ok && o.m == v.m), nil
}

// update is mod.update(name, fn): the module in which name is fn.
func (v *Module) update(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key, fn starlark.Value
	if err := starlark.UnpackArgs("update", args, kwargs, "name", &key, "func", &fn); err != nil {
		return nil, err
	}
	name, err := funcName(key)
	if err != nil {
		return nil, err
	}
	f, err := asNode[ir.Function](fn, "a function")
	if err != nil {
		return nil, fmt.Errorf("update: %w", err)
	}
	m := v.m.With(name, f)
	if m == v.m {
		return v, nil
	}
	return &Module{m}, nil
}
