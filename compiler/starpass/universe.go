package starpass

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// universe returns guarded forms of those builtins of Starlark whose cost depends on the size
// of their arguments.
func universe() starlark.StringDict {
	d := starlark.StringDict{
		"print":   builtin("print", printBuiltin),
		"fail":    builtin("fail", failBuiltin),
		"getattr": builtin("getattr", getattrBuiltin),
		"int":     builtin("int", intBuiltin),
	}
	for _, name := range []string{"list", "tuple", "dict", "set", "zip", "enumerate", "reversed", "any", "all", "bytes", "hash"} {
		d[name] = guardedBuiltin(name, false)
	}
	for _, name := range []string{"sorted", "max", "min", "str", "repr"} {
		d[name] = guardedBuiltin(name, true)
	}
	return d
}

// guardedBuiltin counts a call of a builtin of Starlark by the entries of its arguments, or by
// all that they hold where the builtin walks them.
func guardedBuiltin(name string, walks bool) *starlark.Builtin {
	orig := starlark.Universe[name].(*starlark.Builtin)
	return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		r := runOf(t)
		for _, a := range args {
			if err := r.entries(name, a); err != nil {
				return nil, err
			}
			if err := r.work(shallow(a) / 4); err != nil {
				return nil, err
			}
		}
		if walks {
			if err := r.visited(name, name == "str" || name == "repr", args); err != nil {
				return nil, err
			}
		}
		if name == "dict" || name == "set" {
			for _, a := range args {
				if err := r.keysIn(a, name == "dict"); err != nil {
					return nil, err
				}
			}
		}
		v, err := orig.CallInternal(t, args, kwargs)
		if err != nil {
			return nil, err
		}
		if name == "zip" {
			for x := range starlark.Elements(v.(*starlark.List)) {
				if err := r.tuple(x); err != nil {
					return nil, err
				}
			}
			if err := r.alloc(bytesOf(v) * int64(1+len(args))); err != nil {
				return nil, err
			}
		}
		return r.result(v)
	})
}

func printBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep := " "
	if err := starlark.UnpackArgs("print", nil, kwargs, "sep?", &sep); err != nil {
		return nil, err
	}
	text, err := runOf(t).join(b.Name(), sep, args)
	if err != nil {
		return nil, err
	}
	return starlark.None, runOf(t).print(text)
}

func failBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep := " "
	if err := starlark.UnpackArgs("fail", nil, kwargs, "sep?", &sep); err != nil {
		return nil, err
	}
	text, err := runOf(t).join(b.Name(), sep, args)
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("fail: %s", text)
}

// join spells values as print does.
func (r *run) join(what, sep string, args starlark.Tuple) (string, error) {
	if err := r.spelled(what, args...); err != nil {
		return "", err
	}
	parts := make([]string, len(args))
	for i, a := range args {
		if s, ok := starlark.AsString(a); ok {
			parts[i] = s
		} else {
			parts[i] = a.String()
		}
	}
	text := strings.Join(parts, sep)
	return text, r.alloc(int64(len(text)))
}

func getattrBuiltin(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, def starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs("getattr", args, kwargs, 2, &x, &name, &def); err != nil {
		return nil, err
	}
	v, err := attr(x, name)
	if err != nil && def != nil {
		return def, nil
	}
	return v, err
}

// maxDigits bounds the texts that int reads: the cost grows with the square.
const maxDigits = 20_000

func intBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		switch x := args[0].(type) {
		case starlark.String:
			if len(x) > maxDigits {
				return nil, &LimitError{fmt.Sprintf("int: a text of %d bytes is beyond the limit of %d", len(x), maxDigits)}
			}
		case *Node:
			if v, ok := scalarOf(x.n); ok { // the value of an IntImm or FloatImm
				args = append(starlark.Tuple{v}, args[1:]...)
			}
		}
	}
	return starlark.Universe["int"].(*starlark.Builtin).CallInternal(t, args, kwargs)
}
