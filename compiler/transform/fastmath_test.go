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

const fastFour = `
@R.function
def main(x: R.Tensor(%s, "%s")):
    n = T.int64()
    a = R.nn.softmax(x, axis=%d)
    b = R.exp(a)
    c = R.erf(b)
    d = R.tanh(c)
    e = R.sin(d)
    return e
`

// TestFastMathTransform has the operators that TVM's test of the pass has, in random shapes and types.
func TestFastMathTransform(t *testing.T) {
	seed.Each(t, 30, func(t *testing.T, r *rand.Rand) {
		shape := []string{"(16,)", "(0,)", "(1,)", `("n",)`, `(3, "n")`, "(2, 3, 5)", `("n", 0)`}[r.IntN(7)]
		axis := r.IntN(strings.Count(shape, ",")+1-boolInt(strings.Contains(shape, ",)"))) - 1
		d := []string{"float32", "float32", "float64"}[r.IntN(3)]
		m := read(t, fmt.Sprintf(fastFour, shape, d, axis))
		out, _ := check(t, passtest.NewContext(), transform.FastMathTransform, m)
		text := passtest.Text(out)
		for _, name := range []string{"fast_softmax", "fast_exp", "fast_erf", "fast_tanh"} {
			if !strings.Contains(text, "cls."+name+",") {
				t.Errorf("%s is not called\n%s", name, text)
			}
		}
		if !strings.Contains(text, "R.sin(") {
			t.Errorf("sin is not left alone\n%s", text)
		}
		sameOutputs(t, outputs(t, m, 3, false), outputs(t, out, 3, false))
	})
}

// TestFastOperators: Relay's operators that approximate become the same kernels.
func TestFastOperators(t *testing.T) {
	const exact = `
@R.function
def main(x: R.Tensor((2, 3), "float32")):
    a = R.nn.softmax(x, axis=1)
    b = R.exp(a)
    c = R.erf(b)
    d = R.tanh(c)
    return d
`
	fast := strings.NewReplacer("R.nn.softmax", "R.relay.nn.fast_softmax", "R.exp", "R.relay.fast_exp", "R.erf", "R.relay.fast_erf", "R.tanh", "R.relay.fast_tanh").Replace(exact)
	m := read(t, fast)
	out, _ := check(t, passtest.NewContext(), transform.LegalizeOps, m)
	text := passtest.Text(out)
	for _, name := range []string{"fast_softmax", "fast_exp", "fast_erf", "fast_tanh"} {
		if !strings.Contains(text, "cls."+name+",") {
			t.Errorf("%s is not called\n%s", name, text)
		}
	}
	sameOutputs(t, outputs(t, read(t, exact), 3, false), outputs(t, out, 3, false))
}

// TestFastMathTransformUnknown leaves what has no known shape.
func TestFastMathTransformUnknown(t *testing.T) {
	runPairs(t, transform.FastMathTransform, pair{name: "unknown extents", before: `
@R.function
def main(x: R.Tensor(dtype="float32", ndim=1)):
    y = R.exp(x)
    return y
`})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
