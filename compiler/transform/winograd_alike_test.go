package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// TestWinogradOfCallsAlike: convolutions that are alike have the same kernels, which come from all of them, each has its own weights, and what
// differs in padding has a kernel of its own.
func TestWinogradOfCallsAlike(t *testing.T) {
	w := func(v string) string {
		return fmt.Sprintf(`R.broadcast_to(R.const([%s, 1.0, -0.25], "float32"), R.shape([4, 4, 3, 3]))`, v)
	}
	for _, batch := range []string{"2", `"n"`} {
		m := read(t, fmt.Sprintf(`
@R.function
def main(x: R.Tensor((%[1]s, 4, 7, 6), "float32")):
    with R.dataflow():
        wa = %[2]s
        wb = %[3]s
        wc = %[4]s
        a = R.nn.conv2d(x, wa, padding=[1, 1])
        b = R.nn.conv2d(a, wb, padding=[1, 1])
        c = R.nn.conv2d(b, wc)
        d = R.nn.conv2d(b, wc, padding=[1, 1])
        R.output(c, d)
    e = R.nn.conv2d(d, R.const(0.5, "float32") * %[2]s, padding=[1, 1])
    return (c, d, e)
`, batch, w("0.5"), w("0.75"), w("-2.0")))
		want := outputs(t, m, 2, false)
		relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
			vb := b.(*relax.VarBinding)
			vb.Origin = m.Origins().Add(ir.Origin{Pass: "import", Name: vb.Var.Name})
		})
		out, _ := check(t, passtest.NewContext(pass.WithTarget(shortVectors(t))), must(transform.ConvertConv2DToWinograd.With(ir.NewAttrs("tile", int64(2)))), m)
		if d := differInSums(outputs(t, out, 2, false), want); d != "" {
			t.Errorf("batch %s: %s", batch, d)
		}
		of := map[string][]string{} // calls by kernel
		relax.EachBinding(ir.MustLookup[*relax.Function](out, "main").Body, func(blk *relax.BindingBlock, b relax.Binding) {
			if v := b.Bound(); strings.HasSuffix(v.Name, "_weights") && v.Dataflow != blk.Dataflow {
				t.Errorf("batch %s: %s is seen outside of its block", batch, v.Name)
			}
			if kernel := kernelCalled(b.BoundValue()); strings.Contains(kernel, "winograd") {
				of[kernel] = append(of[kernel], strings.TrimSuffix(b.Bound().Name, "_winograd_weights"))
			}
		})
		var groups []string
		for kernel, calls := range of {
			groups = append(groups, strings.Join(calls, ""))
			ir.Walk(out.Lookup(kernel), func(n ir.Node) bool {
				if _, stmt := n.(tir.Stmt); !stmt {
					return true
				}
				var from []string
				for _, o := range out.Origins().Sources(n.Meta().Origin) {
					from = append(from, o.Name)
				}
				slices.Sort(from)
				if !slices.Equal(from, calls) {
					t.Errorf("batch %s: a statement of %s comes from %v, want %v", batch, kernel, from, calls)
				}
				return false
			})
		}
		slices.Sort(groups)
		if got := strings.Join(groups, " "); got != "abcde abde c" { // the weights of all are transformed by one kernel
			t.Errorf("batch %s: calls by kernel are %s:\n%s", batch, got, passtest.Text(out))
		}
	}
}

// kernelCalled is the name of the kernel that e calls, "" if it calls none.
func kernelCalled(e relax.Expr) string {
	if c, ok := e.(*relax.Call); ok && len(c.Args) == 2 {
		if gv, ok := c.Args[0].(*ir.GlobalVar); ok {
			return gv.Name
		}
	}
	return ""
}
