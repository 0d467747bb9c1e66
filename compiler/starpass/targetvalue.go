package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/target"
)

// Target is a target as a value of Starlark.
type Target struct{ t target.Target }

var (
	_ manager           = (*Target)(nil)
	_ starlark.HasAttrs = (*Target)(nil)
)

// String is the text of the target.
func (v *Target) String() string { return v.t.String() }

// Type is "Target".
func (*Target) Type() string { return "Target" }

// Freeze does nothing: targets never change.
func (*Target) Freeze() {}

// Truth is true.
func (*Target) Truth() starlark.Bool { return true }

// Hash fails.
func (*Target) Hash() (uint32, error) { return 0, errors.New("a Target cannot be a key") }

// AttrNames returns the fields.
func (*Target) AttrNames() []string { return []string{"keys", "kind"} }

// Attr returns a field.
func (v *Target) Attr(name string) (starlark.Value, error) {
	switch name {
	case "kind":
		return namespace("TargetKind", starlark.StringDict{"name": starlark.String(v.t.Kind().Name)}), nil
	case "keys":
		return listOf(v.t.Keys()), nil
	}
	return nil, nil
}

// enter makes a context current that is like the one before, for this target.
func (v *Target) enter(t *starlark.Thread) (starlark.Value, func(error) error, error) {
	r := runOf(t)
	if r.cur == nil {
		return nil, nil, errors.New("with Target: there is no pass context here: use it in main or in a pass")
	}
	c := *r.cur
	c.Target = v.t
	outer := r.cur
	r.cur = &c
	return v, func(error) error { r.cur = outer; return nil }, nil
}

// targetType is tvm.target.Target: Target("wasm"), Target.current().
func targetType() starlark.Value {
	return &typeValue{name: "Target", call: builtin("Target", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &v); err != nil {
			return nil, err
		}
		t, err := targetOf(v)
		return &Target{t}, err
	}), members: starlark.StringDict{
		"current": builtin("current", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			none := true
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "allow_none?", &none); err != nil {
				return nil, err
			}
			if r := runOf(t); r.cur != nil && !r.cur.Target.IsZero() {
				if step := r.cur.Step(); step != nil && !step.Pass.ReadsTarget {
					return nil, undeclared(r.cur, readsTarget)
				}
				return &Target{r.cur.Target}, nil
			}
			return starlark.None, nil
		}),
	}}
}

// targetOf returns a target that is given as such or by its text.
func targetOf(v starlark.Value) (target.Target, error) {
	switch v := v.(type) {
	case *Target:
		return v.t, nil
	case starlark.String:
		return target.Parse(string(v))
	}
	return target.Target{}, fmt.Errorf("expected a Target or the text of one, got %s", describe(v))
}
