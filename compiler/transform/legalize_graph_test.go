package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestLegalizeOpsWithoutKernels: what becomes no kernel but a constant, a call of the runtime or an argument.
func TestLegalizeOpsWithoutKernels(t *testing.T) {
	for _, c := range []struct{ params, call, want string }{
		{"", `R.arange(1, 8, 3, "int64")`, `metadata["relax.expr.Constant"]["6cf390a0991b"]  # int64[3]`},
		{"", `R.astype(R.const(1.5, "float32"), "int32")`, `R.const(1, "int32")`},
		{`x: R.Tensor((4,), "float32")`, `R.ccl.allreduce(x, "avg", False)`, `R.call_dps_packed("runtime.disco.allreduce", (x, R.shape([4]), R.prim_value(T.bool(False))), out_sinfo=R.Tensor((4,), dtype="float32"))`},
		{`x: R.Tensor((4,), "float32")`, `R.ccl.broadcast_from_worker0(x)`, `R.call_dps_packed("runtime.disco.broadcast_from_worker0"`},
		{`x: R.Tensor((4,), "float32")`, `R.grad.no_grad(x)`, `y: R.Tensor((4,), dtype="float32") = x`},
	} {
		m := read(t, "@R.function\ndef main("+c.params+"):\n    y = "+c.call+"\n    return y\n")
		out := runPass(t, passtest.NewContext(), transform.LegalizeOps, m)
		passtest.WellFormed(t, c.call, out)
		if got := passtest.Text(out); !strings.Contains(got, c.want) || len(kernels(out)) > 0 {
			t.Errorf("%s becomes\n%s\nwant %s", c.call, got, c.want)
		}
	}
}
