package transform_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestCustomLegalizeOps takes subtract(y, x) for add(x, y), and a kernel for an operator that has none.
func TestCustomLegalizeOps(t *testing.T) {
	m := read(t, `@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
    with R.dataflow():
        a = R.add(x, y)
        b = R.multiply(a, a)
        R.output(b)
    return b
`)
	p := transform.CustomLegalizeOps(map[string]transform.Custom{"relax.add": func(k transform.CustomKernel) ([]*te.Tensor, error) {
		out, err := topi.Binary("subtract", topi.T(k.Tensor(k.Call().Args[1])), topi.T(k.Tensor(k.Call().Args[0])))
		return []*te.Tensor{out}, err
	}})
	out, found := passtest.Check(t, passtest.NewContext(), p, m)
	if len(found) > 0 {
		t.Errorf("%v", found)
	}
	if s := passtest.Text(out); !strings.Contains(s, "R.call_tir(cls.add, (y, x)") {
		t.Errorf("the arguments are not swapped:\n%s", s)
	}
	got, err := evalMain(t.Context(), out, []*tensor.Tensor{given("2: 1 2"), given("2: 3 5")})
	if err != nil || got[0].Float(0) != 4 || got[0].Float(1) != 9 {
		t.Errorf("it makes %v, %v", got, err)
	}

	wrong := transform.CustomLegalizeOps(map[string]transform.Custom{"relax.add": func(transform.CustomKernel) ([]*te.Tensor, error) {
		return nil, errors.New("no kernel today")
	}})
	if _, err := passtest.NewContext().Run(wrong, m); err == nil || !strings.Contains(err.Error(), "a: relax.add: no kernel today") {
		t.Errorf("it says %v", err)
	}
}
