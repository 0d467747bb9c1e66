package starpass

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
)

// Module is a module as a value of Starlark: mod["main"], mod.functions, mod.update(name, fn).
// What mod.update and the like return is another module; update_func and mod[name] = fn change this one, as in TVM: the value, not the
// module of the compiler that it holds, so that nobody else sees it.
type Module struct {
	m      *ir.Module
	frozen bool
}

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

// Freeze keeps the functions as they are.
func (v *Module) Freeze() { v.frozen = true }

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
		"attrs", "functions", "functions_items", "get_attr", "get_global_var", "get_global_vars", "global_infos", "remove", "same_as", "script", "show",
		"update", "update_func", "with_attr", "without_attr",
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
			return &Module{m: v.m.WithAttrs(a)}
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
	"functions_items": (*Module).items,
	"get_attr":        (*Module).getAttr,
	"get_global_var":  (*Module).globalVar,
	"get_global_vars": (*Module).globalVars,
	"remove":          (*Module).remove,
	"same_as":         (*Module).sameAs,
	"script":          (*Module).script,
	"show":            (*Module).show,
	"update":          (*Module).update,
	"update_func":     (*Module).updateFunc,
}

// items is mod.functions_items(): pairs of GlobalVar and function.
func (v *Module) items(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("functions_items", args, kwargs); err != nil {
		return nil, err
	}
	var out []starlark.Value
	for gv, f := range v.m.Funcs() {
		out = append(out, starlark.Tuple{&Node{gv}, &Node{f}})
	}
	return r.result(starlark.NewList(out))
}

func (v *Module) globalVars(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("get_global_vars", args, kwargs); err != nil {
		return nil, err
	}
	var out []starlark.Value
	for gv := range v.m.Funcs() {
		out = append(out, &Node{gv})
	}
	return r.result(starlark.NewList(out))
}

func (v *Module) getAttr(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key string
	if err := starlark.UnpackArgs("get_attr", args, kwargs, "key", &key); err != nil {
		return nil, err
	}
	x, ok := v.m.Attrs().Get(key)
	if !ok {
		return starlark.None, nil
	}
	return value(x), nil
}

// show is mod.show(): it prints the module.
func (v *Module) show(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	text, err := v.script(r, args, kwargs)
	if err != nil {
		return nil, err
	}
	return starlark.None, r.print(strings.TrimSuffix(string(text.(starlark.String)), "\n"))
}

// SetKey is mod[name] = func.
func (v *Module) SetKey(key, fn starlark.Value) error {
	if v.frozen {
		return errors.New("the module belongs to the top level of a script, which is frozen: use mod.update(name, func)")
	}
	name, err := funcName(key)
	if err != nil {
		return err
	}
	f, err := asNode[ir.Function](fn, "a function")
	if err != nil {
		return err
	}
	v.m = v.m.With(name, f)
	return nil
}

// updateFunc is mod.update_func(var, func), which changes the module that it is called on.
func (v *Module) updateFunc(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key, fn starlark.Value
	if err := starlark.UnpackArgs("update_func", args, kwargs, "var", &key, "func", &fn); err != nil {
		return nil, err
	}
	return starlark.None, v.SetKey(key, fn)
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
	return &Module{m: v.m.Without(name)}, err
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
	return &Module{m: m}, nil
}
