package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tensorintrin"
	"github.com/irscope/irscope/compiler/tir"
)

// maxIntrinsics bounds how many a script registers.
const maxIntrinsics = 1000

// tensorIntrin is a tensor intrinsic in a script.
type tensorIntrin struct{ t *sch.TensorIntrin }

var _ starlark.HasAttrs = (*tensorIntrin)(nil)

func (*tensorIntrin) String() string       { return "<TensorIntrin>" }
func (*tensorIntrin) Type() string         { return "TensorIntrin" }
func (*tensorIntrin) Freeze()              {}
func (*tensorIntrin) Truth() starlark.Bool { return true }
func (*tensorIntrin) Hash() (uint32, error) {
	return 0, fmt.Errorf("a tensor intrinsic cannot be a key")
}
func (*tensorIntrin) AttrNames() []string { return []string{"desc", "impl"} }

// Attr returns the description or the implementation.
func (v *tensorIntrin) Attr(name string) (starlark.Value, error) {
	switch name {
	case "desc":
		return &Node{v.t.Desc}, nil
	case "impl":
		return &Node{v.t.Impl}, nil
	}
	return nil, nil
}

// tensorIntrinType is tir.TensorIntrin: register(name, desc, impl, override=False) and get(name, allow_missing=False).
func tensorIntrinType() starlark.Value {
	return &typeValue{
		name: "TensorIntrin",
		is:   func(v starlark.Value) bool { _, ok := v.(*tensorIntrin); return ok },
		members: starlark.StringDict{
			"register": builtin("register", registerIntrin), "get": builtin("get", getIntrin),
		},
	}
}

// primFuncOf returns a PrimFunc that is given itself, or as the only one of a module.
func primFuncOf(v starlark.Value) (*tir.PrimFunc, error) {
	m, ok := v.(*Module)
	if !ok {
		return asNode[*tir.PrimFunc](v, "a PrimFunc")
	}
	var found *tir.PrimFunc
	n := 0
	for _, f := range m.m.Funcs() {
		if p, ok := f.(*tir.PrimFunc); ok {
			found, n = p, n+1
		}
	}
	if n != 1 {
		return nil, fmt.Errorf("expected a PrimFunc or a module of one, got a module of %d", n)
	}
	return found, nil
}

func registerIntrin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var desc, impl starlark.Value
	override := false
	if err := starlark.UnpackArgs("TensorIntrin.register", args, kwargs, "name", &name, "desc", &desc, "impl", &impl, "override?", &override); err != nil {
		return nil, err
	}
	r := runOf(t)
	if _, err := r.intrinsic(name); err == nil && !override {
		return nil, fmt.Errorf("ValueError: TensorIntrin '%s' has already been registered", name)
	}
	if len(r.intrins) >= maxIntrinsics {
		return nil, fmt.Errorf("TensorIntrin.register: a script registers at most %d tensor intrinsics", maxIntrinsics)
	}
	d, err := primFuncOf(desc)
	if err != nil {
		return nil, fmt.Errorf("TensorIntrin.register: desc: %w", err)
	}
	i, err := primFuncOf(impl)
	if err != nil {
		return nil, fmt.Errorf("TensorIntrin.register: impl: %w", err)
	}
	for what, f := range map[string]*tir.PrimFunc{"desc": d, "impl": i} {
		for _, found := range tir.Verify(what, f) {
			if found.Severity == ir.Error {
				return nil, fmt.Errorf("TensorIntrin.register: %s is not well-formed: %s", what, found.Message)
			}
		}
	}
	x, err := sch.NewTensorIntrin(d, i)
	if err != nil {
		return nil, err
	}
	if r.intrins == nil {
		r.intrins = map[string]*sch.TensorIntrin{}
	}
	r.intrins[name] = x
	return starlark.None, r.alloc(1 << 10)
}

func getIntrin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	missing := false
	if err := starlark.UnpackArgs("TensorIntrin.get", args, kwargs, "name", &name, "allow_missing?", &missing); err != nil {
		return nil, err
	}
	x, err := runOf(t).intrinsic(name)
	if err != nil {
		if missing {
			return starlark.None, nil
		}
		return nil, err
	}
	return &tensorIntrin{x}, nil
}

// intrinsic returns the tensor intrinsic that the script registered under a name, or the one that is built in.
func (r *run) intrinsic(name string) (*sch.TensorIntrin, error) {
	if x := r.intrins[name]; x != nil {
		return x, nil
	}
	return tensorintrin.Lookup(name)
}
