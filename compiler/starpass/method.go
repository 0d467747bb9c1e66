package starpass

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

func attrGuard(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	v, err := attr(args[0], string(args[1].(starlark.String)))
	if g, ok := v.(*getter); ok && err == nil {
		return starlark.Call(t, &g.Method, nil, nil)
	}
	return v, err
}

// keyed are methods that hash their first argument and do little else.
var keyed = map[string]bool{"get": true, "setdefault": true, "add": true, "discard": true}

// attr returns x.name; methods of strings and collections come guarded.
func attr(x starlark.Value, name string) (starlark.Value, error) {
	h, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s field or method", x.Type(), name)
	}
	v, err := h.Attr(name)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, noAttr(h, name)
	}
	switch x.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
		if b, ok := v.(*starlark.Builtin); ok && name != "append" {
			return guardedMethod(x, b), nil
		}
	}
	return v, nil
}

func noAttr(x starlark.HasAttrs, name string) error {
	msg := fmt.Sprintf("%s has no .%s field or method", x.Type(), name)
	names := x.AttrNames()
	if near := nearestOf(name, names); near != "" {
		return fmt.Errorf("%s; did you mean .%s?", msg, near)
	}
	if len(names) > 0 && len(names) <= 16 {
		msg += "; it has " + strings.Join(names, ", ")
	}
	return starlark.NoSuchAttrError(msg)
}

// guardedMethod counts a call of a method of x by the sizes of x, the arguments and the result.
func guardedMethod(x starlark.Value, b *starlark.Builtin) *starlark.Builtin {
	return builtin(b.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		r := runOf(t)
		if keyed[b.Name()] && len(args) > 0 {
			if err := r.hashed(args[0]); err != nil {
				return nil, err
			}
			return b.CallInternal(t, args, kwargs)
		}
		n := shallow(x)
		for _, a := range args {
			if err := r.entries(b.Name(), a); err != nil {
				return nil, err
			}
			n += shallow(a)
		}
		if err := r.work(n / 16); err != nil {
			return nil, err
		}
		if err := r.method(x, b.Name(), args, kwargs); err != nil {
			return nil, err
		}
		v, err := b.CallInternal(t, args, kwargs)
		if err != nil {
			return nil, err
		}
		return r.result(v)
	})
}

// entries checks that a collection, which may be a range, is not too long to be gone through.
func (m *meter) entries(what string, v starlark.Value) error {
	if most := m.limits.Memory / 16 / entrySize; !isText(v) && int64(shallow(v)) > most {
		return &LimitError{fmt.Sprintf("%s: %d entries are beyond the limit of %d", what, shallow(v), most)}
	}
	return nil
}

func isText(v starlark.Value) bool {
	switch v.(type) {
	case starlark.String, starlark.Bytes:
		return true
	}
	return false
}

// keyedMethod counts the keys that a method of a dictionary or set looks up or puts in.
func (m *meter) keyedMethod(x starlark.Value, name string, args starlark.Tuple) error {
	switch name {
	case "pop", "remove":
		for _, a := range args[:min(1, len(args))] {
			return m.hashed(a)
		}
	case "update", "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
		"intersection_update", "difference_update", "symmetric_difference_update":
		_, dict := x.(*starlark.Dict)
		if err := m.keysIn(x, false); err != nil {
			return err
		}
		for _, a := range args {
			if err := m.keysIn(a, dict); err != nil {
				return err
			}
		}
	}
	return nil
}

// method bounds the methods whose cost is more than the number of entries.
func (m *meter) method(x starlark.Value, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s, text := x.(starlark.String)
	switch x.(type) {
	case *starlark.Dict, *starlark.Set:
		if err := m.keyedMethod(x, name, args); err != nil {
			return err
		}
	}
	switch name {
	case "index", "remove":
		if !text && len(args) > 0 {
			return m.walked(name, x, args[0])
		}
	case "extend", "update":
		total := int64(0)
		for _, a := range args {
			total += dictEntry * int64(shallow(a))
		}
		return m.alloc(total)
	case "format":
		total := 1
		all := append(starlark.Tuple{}, args...)
		for _, kv := range kwargs {
			all = append(all, kv[1])
		}
		for _, a := range all {
			total += deep(a, maxDeep+1, true)
		}
		if fields := strings.Count(string(s), "{"); text && (total > maxDeep || fields > maxDeep/total) {
			return &LimitError{fmt.Sprintf("format: %d fields of values of this size are beyond the limit", fields)}
		}
		return m.work(total)
	case "join":
		if text && len(args) == 1 {
			total := int64(len(s)) * int64(shallow(args[0]))
			if it, ok := args[0].(starlark.Iterable); ok {
				for v := range starlark.Elements(it) {
					total += int64(shallow(v))
				}
			}
			return m.alloc(total)
		}
	case "replace":
		if text && len(args) >= 2 {
			old, _ := args[0].(starlark.String)
			to, _ := args[1].(starlark.String)
			return m.alloc(int64(len(s)) + int64(strings.Count(string(s), string(old)))*int64(len(to)))
		}
	}
	return nil
}
