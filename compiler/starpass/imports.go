package starpass

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// importBuiltin is (import)("tvm.relax.transform", bound) or (import)("tvm.relax:transform", bound). Modules of TVM lead into the
// namespace tvm; others are not available, which is an error where they are used: many scripts import more than they need.
func importBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	path, item, from := strings.Cut(string(args[0].(starlark.String)), ":")
	names := strings.Split(path, ".")
	if names[0] != "tvm" {
		if from {
			path += "." + item
		}
		return &missing{path}, nil
	}
	if from {
		names = append(names, item)
	}
	v := tvmNamespace(runOf(t))
	for i, n := range names[1:] {
		next, err := attr(v, n)
		if err != nil {
			if h, ok := v.(starlark.HasAttrs); ok {
				if near := nearestOf(n, h.AttrNames()); near != "" {
					return nil, fmt.Errorf("import: %s has no %s here; did you mean %s?", strings.Join(names[:i+1], "."), n, near)
				}
			}
			return &missing{strings.Join(names, ".")}, nil
		}
		v = next
	}
	return v, nil
}

// missing is what a script imported and cannot have.
type missing struct{ name string }

var (
	_ starlark.HasAttrs = (*missing)(nil)
	_ starlark.Callable = (*missing)(nil)
)

func (m *missing) String() string      { return "<" + m.name + ", which is not available>" }
func (m *missing) Name() string        { return m.name }
func (*missing) Type() string          { return "module" }
func (*missing) Freeze()               {}
func (*missing) Truth() starlark.Bool  { return true }
func (*missing) Hash() (uint32, error) { return 0, errors.New("a module cannot be a key") }
func (*missing) AttrNames() []string   { return nil }
func (m *missing) unavailable() error {
	if strings.HasPrefix(m.name, "tvm.") {
		return fmt.Errorf("%s is not available in scripts", m.name)
	}
	return fmt.Errorf("%s is not available: scripts have the modules of TVM that docs/scripting.md names, and no others", m.name)
}

// Attr fails: nothing of it can be used.
func (m *missing) Attr(string) (starlark.Value, error) { return nil, m.unavailable() }

// CallInternal fails.
func (m *missing) CallInternal(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return nil, m.unavailable()
}
