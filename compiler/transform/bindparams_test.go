package transform_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/relax/relaxtest"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestBindParamsPairs has what TVM's tests of the pass have: parameters of known, symbolic, and unknown shape, shapes, and scalars.
func TestBindParamsPairs(t *testing.T) {
	bind := func(name string, value any) *ir.Attrs {
		return ir.NewAttrs("func_name", "main", "params", ir.NewAttrs(name, value))
	}
	three := []ir.Value{1.0, int64(2), -0.5}
	const after = `
@R.function
def main() -> R.Tensor((3,), "float32"):
    B: R.Tensor((3,), "float32") = R.const([1.0, 2.0, -0.5], "float32")
    out = R.add(B, B)
    return out
`
	taking := func(info string) string {
		return fmt.Sprintf(`
@R.function
def main(A: %s):
    B: %[1]s = A
    out = R.add(B, B)
    return out
`, info)
	}
	shapes := func(info string) string {
		return fmt.Sprintf(`
@R.function
def main(A: %s):
    B: %[1]s = A
    return B
`, info)
	}
	const shape = `
@R.function
def main() -> R.Shape([16]):
    B: R.Shape([16]) = R.shape([16])
    return B
`
	const calls = `
@I.ir_module
class Module:
    @R.function
    def main(A: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        return A

    @R.function
    def other(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = Module.main(x)
        return y
`
	const field = `
@R.function
def main(t: R.Tuple(R.Tensor((1,), "int64"), R.Tensor((), "bool"))) -> R.Tensor((1,), "int64"):
    a = t[0]
    return a
`
	runPairs(t, transform.BindParams,
		pair{name: "known", before: taking(`R.Tensor((3,), "float32")`), args: bind("A", three), after: after},
		pair{name: "symbolic", before: taking(`R.Tensor(("n",), "float32")`), args: bind("A", three), after: after},
		pair{name: "a rank", before: taking(`R.Tensor(dtype="float32", ndim=1)`), args: bind("A", three), after: after},
		pair{name: "nothing known", before: taking(`R.Tensor`), args: bind("A", three), after: after},
		pair{name: "an expression", before: taking(`R.Tensor`), args: bind("A", &relax.Constant{Data: ir.Float32Blob([]int64{3}, 1, 2, -0.5)}), after: after},
		pair{name: "a shape", before: shapes(`R.Shape(["n"])`), args: bind("A", []ir.Value{int64(16)}), after: shape},
		pair{name: "a shape of a rank", before: shapes(`R.Shape(ndim=1)`), args: bind("A", []ir.Value{int64(16)}), after: shape},
		pair{name: "any shape", before: shapes(`R.Shape`), args: bind("A", []ir.Value{int64(16)}), after: shape},
		pair{name: "a scalar", before: shapes(`R.Prim(value="n")`), args: bind("A", 16), after: `
@R.function
def main() -> R.Prim(value=16):
    B = R.prim_value(16)
    return B
`},
		pair{name: "inputs are counted again", args: bind("x", []ir.Value{int64(2), int64(-3)}), before: `
@R.function
def main(x: R.Tensor((2,), "int8"), y: R.Tensor((2,), "int8"), w: R.Tensor((2,), "int8")) -> R.Tensor((2,), "int8"):
    R.func_attr({"num_input": 2})
    z = R.add(x, y)
    return z
`, after: `
@R.function
def main(y: R.Tensor((2,), "int8"), w: R.Tensor((2,), "int8")) -> R.Tensor((2,), "int8"):
    R.func_attr({"num_input": 1})
    z = R.add(R.const([2, -3], "int8"), y)
    return z
`},
		pair{name: "a tuple", args: bind("t", []ir.Value{[]ir.Value{int64(1)}, true}), before: field, after: `
@R.function
def main() -> R.Tensor((1,), "int64"):
    a = R.const([1], "int64")
    return a
`},
		pair{name: "a tuple of other length", before: field, args: bind("t", []ir.Value{true}), err: "params: the value of t: [true], want a list of 2 values for the fields"},
		pair{name: "nothing", before: shapes("R.Shape")},
		pair{name: "no such parameter", before: shapes("R.Shape"), args: bind("B", three), err: "params: the function has no parameter called B; there are A"},
		pair{name: "no such function", before: shapes("R.Shape"), args: ir.NewAttrs("func_name", "f", "params", ir.NewAttrs("A", 1)), err: "func_name: the module has no Relax function called f"},
		pair{name: "a function that is called", before: calls, args: bind("A", three), err: "func_name: main is called by other, with arguments for all of its parameters; inline it first"},
		pair{name: "other extents", before: taking(`R.Tensor((2,), "float32")`), args: bind("A", three), err: `params: the value of A is Tensor((3,), "float32"), want Tensor((2,), "float32")`},
		pair{name: "lists of several lengths", before: taking("R.Tensor"), args: bind("A", []ir.Value{three, []ir.Value{1.0}}), err: "params: the value of A: a list of 1 elements at depth 1, want 3 as in the first"},
		pair{name: "lists of several depths", before: taking("R.Tensor"), args: bind("A", []ir.Value{1.0, three}), err: "params: the value of A: [1, 2, -0.5] at depth 1, want lists of the shape [2], as the first elements have it"},
		pair{name: "a number for unknown extents", before: taking(`R.Tensor(("n",), "float32")`), args: bind("A", 1), err: `params: the value of A: 1 for Tensor((n,), "float32"), whose extents are not all known: want lists, one in the other, that say them`},
		pair{name: "no number", before: taking(`R.Tensor((2,), "float32")`), args: bind("A", "one"), err: `params: the value of A: "one", want a number of type float32`},
		pair{name: "too large a number", before: taking(`R.Tensor((2,), "int8")`), args: bind("A", 300), err: `params: the value of A: 300, which is no int8`},
		pair{name: "a fraction", before: taking(`R.Tensor((2,), "int8")`), args: bind("A", 1.5), err: `params: the value of A: 1.5, want a number of type int8`},
		pair{name: "no extents", before: shapes("R.Shape"), args: bind("A", 3), err: "params: the value of A: 3, want a list of extents"},
		pair{name: "too small an extent", before: shapes("R.Shape"), args: bind("A", []ir.Value{int64(-1)}), err: "params: the value of A: the extent -1, want a whole number of 0 or more"},
	)
}

// TestBindParamsFills checks that a number stands for all elements, in the element type of the parameter.
func TestBindParamsFills(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((2, 0), "float16"), y: R.Tensor((3,), "uint8"), z: R.Tensor((), "bool")):
    a = (x, y, z)
    return a
`)
	out := must(passtest.NewContext().Run(must(transform.BindParams.With(ir.NewAttrs("params", ir.NewAttrs("x", 1, "y", 255, "z", true)))), m))
	var got []string
	ir.Walk(out.Lookup("main"), func(n ir.Node) bool {
		if c, ok := n.(*relax.Constant); ok {
			got = append(got, fmt.Sprint(c.Data.DType(), c.Data.Shape(), c.Data.Bytes()))
		}
		return true
	})
	if want := []string{"float16 [2 0] []", "uint8 [3] [255 255 255]", "bool [] [1]"}; !slices.Equal(got, want) {
		t.Errorf("the constants are %v, want %v", got, want)
	}
}

// TestBindParamsMeaning runs random programs on inputs, and with some of the inputs bound.
func TestBindParamsMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		m := relaxtest.Module(r)
		f, ok := m.Lookup("main").(*relax.Function)
		if !ok {
			t.Skip("no function main")
		}
		inputs, err := graphrun.Inputs(f, 2, 7)
		if err != nil {
			t.Fatal(err)
		}
		run := func(m *ir.Module, inputs []graphrun.Value) ([]*tensor.Tensor, error) {
			m, err := passtest.NewContext().Run(transform.LegalizeOps, m)
			if err != nil {
				return nil, err
			}
			return passtest.Outputs(m, m.Lookup("main").(*relax.Function), inputs)
		}
		want, err := run(m, inputs)
		if err != nil {
			t.Fatal(err)
		}
		values := &ir.Attrs{}
		var rest []graphrun.Value
		for i, p := range f.Params {
			x, ok := inputs[i].(*tensor.Tensor)
			if !ok || r.IntN(2) == 0 {
				rest = append(rest, inputs[i])
				continue
			}
			values = values.With(p.Name, &relax.Constant{Data: must(ir.NewBlob(x.DType, x.Shape, x.Data))})
		}
		c := passtest.NewContext()
		out, err := c.Run(must(transform.BindParams.With(ir.NewAttrs("params", values))), m)
		if err != nil {
			t.Fatal(err)
		}
		passtest.WellFormed(t, "after BindParams", out)
		got, err := run(out, rest)
		if err != nil {
			t.Fatalf("%v\n%s", err, passtest.Text(out))
		}
		if said := passtest.Differ(got, want); said != "" {
			t.Errorf("%s\n%s", said, passtest.Text(out))
		}
	})
}
