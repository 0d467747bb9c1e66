package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestTransposedFactors lists which transposed factors a matmul reads as they lie in memory, by the kernels that are made: a
// transposed one that something else needs is made all the same.
func TestTransposedFactors(t *testing.T) {
	const square = `R.Tensor((2, 2), "float32")`
	flow := func(lines ...string) string {
		return "    with R.dataflow():\n        " + strings.Join(lines, "\n        ") + "\n        R.output(y)\n    return y\n"
	}
	for _, c := range []struct {
		name, params, body, want string
	}{
		{"the second", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "y = R.matmul(x, a)"), "NT_matmul"},
		{"the first", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "y = R.matmul(a, x)"), "TN_matmul"},
		{"both", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "b = R.permute_dims(x)", "y = R.matmul(a, b)"), "TT_matmul"},
		{"by axes", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w, axes=[1, 0])", "y = R.matmul(x, a)"), "NT_matmul"},
		{"by axes that change nothing", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w, axes=[0, 1])", "y = R.matmul(x, a)"), "matmul transpose"},
		{"the last two of three", `x: R.Tensor((2, 2, 2), "float32"), w: R.Tensor((2, 2, 2), "float32")`, flow("a = R.permute_dims(w, axes=[0, 2, 1])", "y = R.matmul(x, a)"), "NT_matmul"},
		{"the last two of three, from the end", `x: R.Tensor((2, 2, 2), "float32"), w: R.Tensor((2, 2, 2), "float32")`, flow("a = R.permute_dims(w, axes=[-3, -1, -2])", "y = R.matmul(x, a)"), "NT_matmul"},
		{"all three", `x: R.Tensor((2, 2, 2), "float32"), w: R.Tensor((2, 2, 2), "float32")`, flow("a = R.permute_dims(w)", "y = R.matmul(x, a)"), "matmul transpose"},
		{"the first two of three", `x: R.Tensor((2, 2, 2), "float32"), w: R.Tensor((2, 2, 2), "float32")`, flow("a = R.permute_dims(w, axes=[1, 0, 2])", "y = R.matmul(x, a)"), "matmul transpose"},
		{"a vector", `x: R.Tensor((2, 2), "float32"), w: R.Tensor((2,), "float32")`, flow("a = R.permute_dims(w)", "y = R.matmul(x, a)"), "matmul transpose"},
		{"a constant", "x: " + square, flow(`a = R.permute_dims(R.const([[1.0, 2.0], [3.0, 4.0]], "float32"))`, "y = R.matmul(x, a)"), "NT_matmul"},
		{"what was computed", "x: " + square, flow("a = R.exp(x)", "b = R.permute_dims(a)", "y = R.matmul(x, b)"), "exp matmul transpose"},
		{"by two matmuls", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "b = R.matmul(x, a)", "y = R.matmul(b, a)"), "NT_matmul"},
		{"and needed by another", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "b = R.matmul(x, a)", "y = R.add(b, a)"), "NT_matmul add transpose"},
		{"in a tuple", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "b = R.matmul(x, a)", "y = (a, b)"), "NT_matmul transpose"},
		{"an output of the block", "x: " + square + ", w: " + square, `    with R.dataflow():
        a = R.permute_dims(w)
        y = R.matmul(x, a)
        R.output(a, y)
    return y
`, "NT_matmul transpose"},
		{"outside dataflow, as the result", "x: " + square + ", w: " + square, `    a = R.permute_dims(w)
    y = R.matmul(x, a)
    return a
`, "NT_matmul transpose"},
		{"nothing uses it", "x: " + square + ", w: " + square, flow("a = R.permute_dims(w)", "y = R.exp(x)"), "exp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, "@R.function\ndef main("+c.params+"):\n"+c.body)
			out := runPass(t, passtest.NewContext(), tunedLegalizeOps, m)
			passtest.WellFormed(t, "after", out)
			if got := strings.Join(slices.Sorted(slices.Values(kernels(out))), " "); got != c.want {
				t.Errorf("the kernels are %s, want %s\n%s", got, c.want, passtest.Text(out))
			}
			// A matmul that is left alone reads its factors as they are.
			out = runPass(t, passtest.NewContext(), must(transform.LegalizeOps.With(ir.NewAttrs("skip_ops", []string{"relax.matmul"}))), m)
			passtest.WellFormed(t, "without matmul", out)
			if strings.Contains(c.want, "matmul") && !strings.Contains(strings.Join(kernels(out), " "), "transpose") {
				t.Error("a transposed factor is gone, and matmul is not lowered")
			}
		})
	}
}

// TestSymbolicBroadcasts: an extent of 1 or that of the result is checked before the call.
func TestSymbolicBroadcasts(t *testing.T) {
	for _, c := range []struct {
		name, from, to, cast string
		inputs               []string
		want                 []float64
	}{
		{"to a new axis", `("n",)`, "[2, n]", "", []string{"2: 1 2"}, []float64{1, 2, 1, 2}},
		{"of the same extent", `("n", 1)`, "[n, 2]", "", []string{"2 1: 1 2"}, []float64{1, 1, 2, 2}},
		{"of a known extent", `(1,)`, "[n]", "", []string{"1: 3", "2: 0 0"}, []float64{3, 3}},
		{"of an extent that may be 1", `("n",)`, "[2]", "R.match_cast(x, R.Tensor((T.Select(n == 1, T.int64(1), T.int64(2)),), dtype=\"float32\"))", []string{"2: 1 2"}, []float64{1, 2}},
		{"of one of two that may be 1", `("n", 3)`, "[2, m, 3]", "R.match_cast(x, R.Tensor((T.Select(n == 1, T.int64(1), m), 3), dtype=\"float32\"))", []string{"2 3: 1 2 3 4 5 6", "2: 0 0"}, []float64{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			params := "x: R.Tensor(" + c.from + `, "float32")`
			if len(c.inputs) > 1 {
				other := "m"
				if !strings.Contains(c.to, "m") {
					other = "n"
				}
				params += `, y: R.Tensor(("` + other + `",), "float32")`
			}
			m := read(t, "@R.function\ndef main("+params+"):\n    n = T.int64()\n    m = T.int64()\n    with R.dataflow():\n        z = R.broadcast_to(x, R.shape("+c.to+"))\n        R.output(z)\n    return z\n")
			out := runPass(t, passtest.NewContext(), tunedLegalizeOps, m)
			passtest.WellFormed(t, "after", out)
			if got := strings.Contains(passtest.Text(out), "match_cast"); got != (c.cast != "") || !strings.Contains(passtest.Text(out), c.cast) {
				t.Errorf("want %q in\n%s", c.cast, passtest.Text(out))
			}
			if c.cast != "" {
				return // the evaluator of the tests binds no expressions
			}
			results, err := evalMain(t.Context(), out, tensors(c.inputs))
			if err != nil {
				t.Fatal(err)
			}
			if got := results[0].Floats(); !slices.Equal(got, c.want) {
				t.Errorf("it makes %v, want %v", got, c.want)
			}
		})
	}
}
