package compiler_test

import (
	"reflect"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
)

// TestNames: a list of names, where a module has one.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		attrs           *ir.Attrs
		inputs, outputs []string
	}{
		{ir.NewAttrs(), nil, nil},
		{ir.NewAttrs(ir.AttrOutputNames, []ir.Value{"a", "b"}), nil, []string{"a", "b"}},
		{ir.NewAttrs(ir.AttrOutputNames, []ir.Value{int64(3)}), nil, []string{"3"}},
		{ir.NewAttrs(ir.AttrOutputNames, "a"), nil, nil},
		{ir.NewAttrs(ir.AttrInputNames, []ir.Value{"a"}), []string{"a"}, nil},
	} {
		in, out := compiler.Names(ir.NewModule().WithAttrs(c.attrs))
		if !reflect.DeepEqual(in, c.inputs) || !reflect.DeepEqual(out, c.outputs) {
			t.Errorf("%v names the inputs %q and the outputs %q", c.attrs, in, out)
		}
	}
}

// TestCompileKeepsNames: the program calls inputs and outputs of main what the model calls them, also where they are no
// identifiers, and those of other functions, or without a name, by their parameters.
func TestCompileKeepsNames(t *testing.T) {
	const text = `
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")) -> R.Tuple(R.Tensor(("n", 4), "float32"), R.Tensor(("n", 4), "float32")):
        n = T.int64()
        a = R.add(x, y)
        b = R.multiply(x, y)
        return (a, b)

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.add(x, x)
        return a
`
	level := 2
	for name, c := range map[string]struct {
		attrs           *ir.Attrs
		inputs, outputs []string
	}{
		"none":     {ir.NewAttrs(), []string{"x", "y"}, nil},
		"both":     {ir.NewAttrs(ir.AttrInputNames, []ir.Value{"in:0", "in:1"}, ir.AttrOutputNames, []ir.Value{"sum/out", "product"}), []string{"in:0", "in:1"}, []string{"sum/out", "product"}},
		"too few":  {ir.NewAttrs(ir.AttrInputNames, []ir.Value{"in:0"}, ir.AttrOutputNames, []ir.Value{"sum/out"}), []string{"in:0", "y"}, []string{"sum/out"}},
		"too many": {ir.NewAttrs(ir.AttrInputNames, []ir.Value{"a", "b", "c"}, ir.AttrOutputNames, []ir.Value{"a", "b", "c"}), []string{"a", "b"}, []string{"a", "b"}},
	} {
		req := compiler.Request{Module: sized(t, text).WithAttrs(c.attrs), OptLevel: &level}
		whole, err := compiler.Compile(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		fixed, err := compiler.Specialize(t.Context(), req, compiler.Entry, map[string]int64{"n": 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range []*compiler.Result{whole, fixed} {
			sig := res.Artifact.Function(compiler.Entry)
			var inputs []string
			for _, p := range sig.Params {
				inputs = append(inputs, p.Name)
			}
			if !reflect.DeepEqual(inputs, c.inputs) || !reflect.DeepEqual(sig.Outputs, c.outputs) {
				t.Errorf("%s: the inputs are %q and the outputs %q", name, inputs, sig.Outputs)
			}
			if other := res.Artifact.Function("other"); other.Params[0].Name != "x" || other.Outputs != nil {
				t.Errorf("%s: the other function is %+v", name, other)
			}
		}
	}
}
