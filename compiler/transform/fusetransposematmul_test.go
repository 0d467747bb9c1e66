package transform_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// transposedProduct is a function that multiplies x and a transposed matrix; more are further bindings of the block.
func transposedProduct(x, w, axes, product, more, result string) string {
	return fmt.Sprintf(`
@R.function
def main(x: R.Tensor(%s, "float32"), w: R.Tensor(%s, "float32")):
    n = T.int64()
    with R.dataflow():
        t = R.permute_dims(w, %s)
        o = R.matmul(%s)
%s        R.output(%s)
    return %[6]s
`, x, w, axes, product, more, result)
}

// TestFuseTransposeMatmulWhere lists which products read a transposed matrix as it lies.
func TestFuseTransposeMatmulWhere(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		fused, stays bool // the transposed matrix
	}{
		{"a matrix", transposedProduct("(2, 4)", "(3, 4)", "[1, 0]", "x, t", "", "o"), true, false},
		{"no axes", transposedProduct("(2, 4)", "(3, 4)", "None", "x, t", "", "o"), true, false},
		{"axes from the end", transposedProduct("(2, 4)", "(3, 4)", "[-1, -2]", "x, t", "", "o"), true, false},
		{"a vector", transposedProduct("(4,)", "(3, 4)", "[1, 0]", "x, t", "", "o"), true, false},
		{"a stack", transposedProduct(`("n", 2, 4)`, `("n", 3, 4)`, "[0, 2, 1]", "x, t", "", "o"), true, false},
		{"stacks that are broadcast", transposedProduct(`(5, 1, 2, 4)`, `(6, 3, 4)`, "[0, 2, 1]", "x, t", "", "o"), true, false},
		{"all axes of a stack are reversed", transposedProduct("(3, 2, 4)", "(5, 4, 3)", "None", "x, t", "", "o"), false, true},
		{"the first factor", transposedProduct("(3, 2)", "(3, 4)", "[1, 0]", "t, x", "", "o"), false, true},
		{"another use", transposedProduct("(2, 4)", "(3, 4)", "[1, 0]", "x, t", "        u = R.exp(t)\n", "o, u"), true, true},
		{"a result of the block", transposedProduct("(2, 4)", "(3, 4)", "[1, 0]", "x, t", "", "o, t"), true, true},
		{"both factors", transposedProduct("(2, 2)", "(4, 4)", "[1, 0]", "t, t", "", "o"), true, true},
		{"another block", `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")):
    with R.dataflow():
        t = R.permute_dims(w)
        R.output(t)
    with R.dataflow():
        o = R.matmul(x, t)
        R.output(o)
    return o
`, false, true},
		{"no dataflow block", `
@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")):
    t = R.permute_dims(w)
    o = R.matmul(x, t)
    return o
`, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, c.text)
			out, _ := check(t, passtest.NewContext(), transform.FuseTransposeMatmul, m)
			text := passtest.Text(out)
			if fused, stays := strings.Contains(text, "cls.NT_matmul"), strings.Contains(text, "R.permute_dims"); fused != c.fused || stays != c.stays {
				t.Errorf("fused is %t and the matrix there %t, want %t and %t\n%s", fused, stays, c.fused, c.stays, text)
			}
			sameOutputs(t, outputs(t, m, 3, false), outputs(t, out, 3, false))
		})
	}
}

// TestFuseTransposeMatmulMeaning multiplies random shapes of random types.
func TestFuseTransposeMatmulMeaning(t *testing.T) {
	seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
		extent := func() int { return []int{0, 1, 2, 3, 5}[r.IntN(5)] }
		k, rows, cols, stack := extent(), extent(), extent(), extent()
		d := []string{"float32", "float64", "int8", "uint8", "int32", "int64"}[r.IntN(6)] // sums of float16 are rounded otherwise by the tuned kernels of the reference
		x := []string{fmt.Sprintf("(%d,)", k), fmt.Sprintf("(%d, %d)", rows, k), fmt.Sprintf(`("n", %d, %d)`, rows, k), fmt.Sprintf("(1, %d, %d)", rows, k)}[r.IntN(4)]
		w, axes := fmt.Sprintf("(%d, %d)", cols, k), "[1, 0]"
		if r.IntN(2) == 0 && !strings.Contains(x, "n") {
			w, axes = fmt.Sprintf("(%d, %d, %d)", stack, cols, k), "[0, 2, 1]"
		}
		text := strings.ReplaceAll(transposedProduct(x, w, axes, "x, t", "", "o"), "float32", d)
		m := read(t, text)
		out, _ := check(t, passtest.NewContext(), transform.FuseTransposeMatmul, m)
		if out == m {
			t.Errorf("nothing changed\n%s", text)
		}
		sameOutputs(t, outputs(t, m, 3, false), outputs(t, out, 3, false))
	})
}
