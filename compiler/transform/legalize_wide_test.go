package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestManyParts: a tensor is cut into more parts than a kernel takes, and they are joined in reverse, by no kernel with
// too many arguments, of which none comes of fusing them either.
func TestManyParts(t *testing.T) {
	for _, c := range []struct {
		join  string
		count int64
	}{{"concat", 1100}, {"stack", 1100}, {"concat", 513}, {"stack", 513}, {"concat", 512}} {
		n := c.count
		x := param("x", relax.StaticTensor(dtype.Float32T, 2, n))
		m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr {
			cuts := make([]int64, n-1)
			for i := range cuts {
				cuts[i] = int64(i) + 1
			}
			parts := emit(t, b, op.SplitAt(x, -1, cuts...), "parts")
			var list []relax.Expr
			for i := range n {
				list = append(list, emit(t, b, &relax.TupleGetItem{Tuple: parts, Index: int(n - 1 - i)}, ""))
			}
			out, err := op.New("relax."+c.join, []relax.Expr{&relax.Tuple{Fields: list}}, ir.NewAttrs("axis", int64(-2)))
			if err != nil {
				t.Fatal(err)
			}
			return out
		})
		out, found := legalize(t, m)
		if len(found) > 0 {
			t.Errorf("%s of %d: %v", c.join, n, found)
		}
		in := make([]float32, 2*n)
		want := make([]float64, 2*n)
		for i := range in {
			in[i] = float32(i)
			row, col := int64(i)/n, n-1-int64(i)%n
			if at := 2*col + row; c.join == "concat" {
				want[at] = float64(i)
			} else { // of parts of shape (2, 1), along the axis in the middle
				want[row*n+col] = float64(i)
			}
		}
		if c.count == 512 {
			wantKernels(t, out, "split concatenate")
		}
		wantValues(t, out, []*tensor.Tensor{f32(t, []int64{2, n}, in...)}, want...)
		fused := runPass(t, passtest.NewContext(), transform.FuseOps, runPass(t, passtest.NewContext(), transform.AnnotateTIROpPattern, out))
		fused = runPass(t, passtest.NewContext(), transform.FuseTIR, fused)
		for gv, f := range fused.Funcs() {
			if f, ok := f.(*tir.PrimFunc); ok && len(f.Params) > abi.MaxArgs {
				t.Errorf("%s of %d: %s has %d parameters", c.join, n, gv.Name, len(f.Params))
			}
		}
		wantValues(t, fused, []*tensor.Tensor{f32(t, []int64{2, n}, in...)}, want...)
	}
}

// TestFusionTakesNoMoreThanAKernel: kernels are fused only as far as one kernel can take what they take.
func TestFusionTakesNoMoreThanAKernel(t *testing.T) {
	for _, c := range []struct {
		args int
		want string
	}{{511, "a+b"}, {512, "a b"}} {
		list := strings.Join(slices.Repeat([]string{"x"}, c.args), " ")
		out := runPass(t, passtest.NewContext(), transform.FuseOps, kernelGraph(t, "a = elem "+list+"; b! = elem a y "+list))
		if got := groups(out); got != c.want {
			t.Errorf("kernels of %d and %d tensors make %s, want %s", c.args, c.args+2, got, c.want)
		}
	}
}
