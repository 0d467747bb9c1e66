package topi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// evaluate computes an expression of integers whose variables have values.
func evaluate(t *testing.T, e tir.Expr, vars map[*tir.Var]int64) int64 {
	t.Helper()
	sub := map[*tir.Var]tir.Expr{}
	for v, n := range vars {
		sub[v] = tir.Int(n)
	}
	n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(tir.SubstExpr(e, sub)))
	if !ok {
		t.Fatalf("%v has no value with %v", e, vars)
	}
	return n
}

// TestChosenParts: the last part whose start is not behind, for any number of parts and empty ones among them. So few are told
// apart one after the other that neither depth nor steps grow with their number.
func TestChosenParts(t *testing.T) {
	i := tir.NewVar("i", dtype.Int64T)
	for _, n := range []int{1, 2, 3, 63, 64, 65, 127, 128, 129, 200} {
		starts := make([]tir.Expr, n)
		at := make([]int64, n)
		for k := range n {
			if k > 0 {
				at[k] = at[k-1] + int64(k%3) // every third part is empty
			}
			starts[k] = tir.Int(at[k])
		}
		e := choose(i, starts, func(k int) tir.Expr { return tir.Int(int64(1000 + k)) })
		for v := int64(0); v <= at[n-1]; v++ {
			want := 0
			for k := range at {
				if at[k] <= v {
					want = k
				}
			}
			if got := evaluate(t, e, map[*tir.Var]int64{i: v}); got != int64(1000+want) {
				t.Fatalf("of %d parts the one at %d is %d, want %d", n, v, got-1000, want)
			}
		}
		// A run of at most 64 parts is a chain; more are halved before.
		var depth func(e tir.Expr) int
		depth = func(e tir.Expr) int {
			c, ok := e.(*tir.Call)
			if !ok {
				return 0
			}
			return 1 + max(depth(c.Args[1]), depth(c.Args[2]))
		}
		var steps func(n int) int
		steps = func(n int) int {
			if n <= 64 {
				return n - 1
			}
			return 1 + max(steps(n/2), steps(n-n/2))
		}
		if depth(e) != steps(n) {
			t.Errorf("%d parts are told apart in %d steps, want %d", n, depth(e), steps(n))
		}
	}
}

// conditions counts the comparisons in the block of a name.
func conditions(t *testing.T, ins, outs []*te.Tensor, name string) int {
	t.Helper()
	fn, err := te.CreatePrimFunc(append(slices.Clone(ins), outs...), te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ir.Walk(fn, func(x ir.Node) bool {
		if b, ok := x.(*tir.Block); ok && b.Name == name {
			ir.Walk(b.Body, func(x ir.Node) bool {
				if c, ok := x.(*tir.Binary); ok && (c.Op == tir.OpLT || c.Op == tir.OpLE || c.Op == tir.OpGT || c.Op == tir.OpGE || c.Op == tir.OpEQ) {
					n++
				}
				return true
			})
		}
		return true
	})
	return n
}

// TestPaddingAsksOnlyWhereItPads: one comparison for each end of an axis that gets elements.
func TestPaddingAsksOnlyWhereItPads(t *testing.T) {
	x := te.Placeholder("x", dtype.Float32T, intShape(4, 5)...)
	for _, c := range []struct {
		before, after []int64
		want          int
	}{
		{[]int64{0, 0}, []int64{0, 0}, 0},
		{[]int64{1, 0}, []int64{0, 0}, 1},
		{[]int64{0, 0}, []int64{0, 2}, 1},
		{[]int64{1, 1}, []int64{1, 1}, 4},
		{[]int64{-1, 2}, []int64{1, -1}, 2},
		{[]int64{-1, 0}, []int64{0, -1}, 0},
	} {
		out, err := Pad(x, c.before, c.after, "constant", tir.FloatConst(dtype.Float32T, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := conditions(t, []*te.Tensor{x}, []*te.Tensor{out}, "PadInput"); got != c.want {
			t.Errorf("before %v and after %v: %d comparisons, want %d", c.before, c.after, got, c.want)
		}
		for k := range 2 {
			if want := []int64{4, 5}[k] + c.before[k] + c.after[k]; !tir.IsConst(out.Shape[k], want) {
				t.Errorf("before %v and after %v: axis %d has extent %v, want %d", c.before, c.after, k, out.Shape[k], want)
			}
		}
	}
	// The index of the greatest of some elements is there, of what may be none it is asked for.
	for n, want := range map[int64]int{0: 1, 1: 0, 2: 0} {
		y := te.Placeholder("y", dtype.Int32T, intShape(3, n)...)
		if got := conditions(t, []*te.Tensor{y}, []*te.Tensor{ArgReduce(y, 1, false, false, false, dtype.Int64T)}, "y_red"); got != want {
			t.Errorf("the greatest of %d elements is asked for by %d comparisons, want %d", n, got, want)
		}
	}
	// Where nothing is added along an axis its index stays as it is: no minimum, no remainder.
	for _, mode := range []string{"reflect", "replicate", "circular"} {
		out, err := Pad(x, []int64{0, 1}, []int64{0, 0}, mode, nil)
		if err != nil {
			t.Fatal(err)
		}
		fn, err := te.CreatePrimFunc([]*te.Tensor{x, out}, te.FuncOpts{Tuned: true})
		if err != nil {
			t.Fatal(err)
		}
		ir.Walk(fn, func(n ir.Node) bool {
			if l, ok := n.(*tir.BufferLoad); ok {
				if _, plain := l.Indices[0].(*tir.Var); !plain {
					t.Errorf("%s: an axis that gets nothing is read at %v", mode, l.Indices[0])
				}
			}
			return true
		})
	}
}

// TestPhasesOfATransposedConvolution: up to four phases of unequal kernels get a block each, more one block for all.
func TestPhasesOfATransposedConvolution(t *testing.T) {
	x := te.Placeholder("x", dtype.Float32T, intShape(1, 2, 5, 5)...)
	for _, c := range []struct {
		kernel, strides, dilation [2]int64
		want                      string
	}{
		{[2]int64{3, 3}, [2]int64{1, 1}, [2]int64{1, 1}, "data_pad kernel_phases conv2d_transpose_nchw"},
		{[2]int64{4, 4}, [2]int64{2, 2}, [2]int64{1, 1}, "data_pad kernel_phases conv2d_transpose_nchw interleave"},
		{[2]int64{3, 2}, [2]int64{2, 1}, [2]int64{1, 1}, "data_pad kernel_phases conv2d_transpose_nchw kernel_phases_1 conv2d_transpose_nchw_1 interleave"},
		{[2]int64{3, 4}, [2]int64{2, 2}, [2]int64{1, 1}, "data_pad" + strings.Repeat(" kernel_phases conv2d_transpose_nchw", 4) + " interleave"},
		{[2]int64{3, 1}, [2]int64{4, 1}, [2]int64{1, 1}, "data_pad" + strings.Repeat(" kernel_phases conv2d_transpose_nchw", 3) + " interleave"}, // the fourth has no element
		{[2]int64{3, 1}, [2]int64{5, 1}, [2]int64{1, 1}, "data_pad kernel_phases conv2d_transpose_nchw interleave"},
		{[2]int64{3, 3}, [2]int64{2, 3}, [2]int64{1, 1}, "data_pad kernel_phases conv2d_transpose_nchw interleave"},
		{[2]int64{3, 3}, [2]int64{2, 2}, [2]int64{2, 2}, "data_pad kernel_phases conv2d_transpose_nchw"},
	} {
		w := te.Placeholder("w", dtype.Float32T, intShape(2, 2, c.kernel[0], c.kernel[1])...)
		out, err := ConvTranspose(x, w, ConvOpts{
			Strides: c.strides[:], Dilation: c.dilation[:], Before: []int64{0, 0}, After: []int64{0, 0}, OutputPadding: []int64{0, 0}, Groups: 1, Data: "NCHW", Kernel: "IOHW",
		})
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, b := range blocks(t, []*te.Tensor{x, w}, []*te.Tensor{out}) {
			name, _, _ := strings.Cut(b, "(")
			got = append(got, strings.TrimRight(name, "_0123456789"))
		}
		for _, name := range strings.Fields(c.want) {
			want = append(want, strings.TrimRight(name, "_0123456789"))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("kernel %v with strides %v and dilation %v: %q, want %q", c.kernel, c.strides, c.dilation, got, want)
		}
	}
}

// TestWhereSumsAreWidened: 1024 terms of a sum and 8192 products are added in float32, one more in float64.
func TestWhereSumsAreWidened(t *testing.T) {
	for _, c := range []struct {
		what string
		n    int64
		make func(x *te.Tensor) (*te.Tensor, error)
		wide bool
	}{
		{"sum", 1024, func(x *te.Tensor) (*te.Tensor, error) { return Reduce("sum", x, nil, false) }, false},
		{"sum", 1025, func(x *te.Tensor) (*te.Tensor, error) { return Reduce("sum", x, nil, false) }, true},
		{"prod", 1024, func(x *te.Tensor) (*te.Tensor, error) { return Reduce("prod", x, nil, false) }, false},
		{"prod", 1025, func(x *te.Tensor) (*te.Tensor, error) { return Reduce("prod", x, nil, false) }, true},
		{"max", 1 << 20, func(x *te.Tensor) (*te.Tensor, error) { return Reduce("max", x, nil, false) }, false},
		{"cumsum", 1024, func(x *te.Tensor) (*te.Tensor, error) { return Scan("cumsum", x, 0, dtype.Float32T, true), nil }, false},
		{"cumsum", 1025, func(x *te.Tensor) (*te.Tensor, error) { return Scan("cumsum", x, 0, dtype.Float32T, true), nil }, true},
		{"dot", 8192, func(x *te.Tensor) (*te.Tensor, error) { return Matmul(x, x, MatmulOpts{}) }, false},
		{"dot", 8193, func(x *te.Tensor) (*te.Tensor, error) { return Matmul(x, x, MatmulOpts{}) }, true},
		{"einsum", 8192, func(x *te.Tensor) (*te.Tensor, error) { return Einsum("i,i->", []*te.Tensor{x, x}) }, false},
		{"einsum", 8193, func(x *te.Tensor) (*te.Tensor, error) { return Einsum("i,i->", []*te.Tensor{x, x}) }, true},
	} {
		x := te.Placeholder("x", dtype.Float32T, tir.Int(c.n))
		out, err := c.make(x)
		if err != nil || out.DType != dtype.Float32T {
			t.Fatal(out.DType, err)
		}
		wide := false
		for _, b := range blocks(t, []*te.Tensor{x}, []*te.Tensor{out}) {
			wide = wide || strings.HasPrefix(b, "T_cast")
			if runs := strings.Contains(b, "sum_runs=64"); runs && (!c.wide || c.what == "prod") {
				t.Errorf("%s of %d: runs are noted on %s", c.what, c.n, b)
			}
		}
		if wide != c.wide {
			t.Errorf("%s of %d terms is widened: %t", c.what, c.n, wide)
		}
	}
}

// TestFirstIndicesOfSlices: for each extent, begin and stride as slice.indices of Python, with constants and with variables.
func TestFirstIndicesOfSlices(t *testing.T) {
	n, b := tir.NewVar("n", dtype.Int64T), tir.NewVar("b", dtype.Int64T)
	for extent := int64(0); extent <= 4; extent++ {
		for begin := int64(-6); begin <= 6; begin++ {
			for _, stride := range []int64{-2, -1, 1, 2} {
				want := begin
				if want < 0 {
					want += extent
				}
				if stride < 0 {
					want = min(max(want, -1), extent-1)
				} else {
					want = min(max(want, 0), extent)
				}
				vars := map[*tir.Var]int64{n: extent, b: begin}
				what := fmt.Sprintf("begin %d of %d with stride %d", begin, extent, stride)
				for form, e := range map[string]tir.Expr{"constants": sliceStart(tir.Int(begin), stride, tir.Int(extent)), "a symbolic extent": sliceStart(tir.Int(begin), stride, n), "variables": sliceStart(b, stride, n)} {
					if got := evaluate(t, e, vars); got != want {
						t.Errorf("%s, %s: %d, want %d", what, form, got, want)
					}
				}
			}
		}
	}
	if got := sliceStart(tir.Int(0), 1, n); !tir.IsConst(got, 0) {
		t.Errorf("a slice from 0 begins at %v", got)
	}
}

// TestPositionsInABox: the position of an index in row-major order and the index of a position, where axes of extent 1 have no part.
func TestPositionsInABox(t *testing.T) {
	a, b, c := tir.NewVar("a", dtype.Int64T), tir.NewVar("b", dtype.Int64T), tir.NewVar("c", dtype.Int64T)
	n := tir.NewSizeVar("n", dtype.Int64T)
	for _, x := range []struct {
		shape []tir.Expr
		want  tir.Expr
	}{
		{intShape(2, 4, 3), tir.Add(tir.Mul(tir.Add(tir.Mul(a, tir.Int(4)), b), tir.Int(3)), c)},
		{intShape(2, 1, 3), tir.Add(tir.Mul(a, tir.Int(3)), c)},
		{intShape(1, 4, 1), b},
		{intShape(1, 1, 1), tir.Int(0)},
		{[]tir.Expr{tir.Int(1), n, tir.Int(3)}, tir.Add(tir.Mul(b, tir.Int(3)), c)},
	} {
		if got := ravel([]tir.Expr{a, b, c}, x.shape); !ir.StructuralEqual(got, x.want, ir.EqualOpts{}) {
			t.Errorf("the position in %v is %v, want %v", x.shape, got, x.want)
		}
	}
	p := tir.NewVar("p", dtype.Int64T)
	mod, div := func(e tir.Expr, k int64) tir.Expr { return tir.FloorMod(e, tir.Int(k)) }, func(e tir.Expr, k int64) tir.Expr { return tir.FloorDiv(e, tir.Int(k)) }
	for _, x := range []struct {
		shape, want []tir.Expr
	}{
		{intShape(2, 4, 3), []tir.Expr{div(div(p, 3), 4), mod(div(p, 3), 4), mod(p, 3)}},
		{intShape(1, 4, 3), []tir.Expr{tir.Int(0), div(p, 3), mod(p, 3)}},
		{intShape(4, 1, 3), []tir.Expr{div(p, 3), tir.Int(0), mod(p, 3)}},
		{intShape(1, 1, 3), []tir.Expr{tir.Int(0), tir.Int(0), p}},
		{intShape(3, 1, 1), []tir.Expr{p, tir.Int(0), tir.Int(0)}},
		{intShape(1, 1, 1), []tir.Expr{tir.Int(0), tir.Int(0), tir.Int(0)}},
	} {
		got := make([]tir.Expr, 3)
		unravel(got, x.shape, p)
		for k := range got {
			if !ir.StructuralEqual(got[k], x.want[k], ir.EqualOpts{}) {
				t.Errorf("axis %d in %v is %v, want %v", k, x.shape, got[k], x.want[k])
			}
		}
	}
}

// TestResultsOfAPhase: each phase computes as many elements as the longest of them has, and no more.
func TestResultsOfAPhase(t *testing.T) {
	x, w := te.Placeholder("x", dtype.Float32T, intShape(1, 1, 5)...), te.Placeholder("w", dtype.Float32T, intShape(1, 1, 4)...)
	for before := int64(-1); before <= 4; before++ {
		for after := int64(0); after <= 2; after++ {
			const stride, size, n = 2, 4, 5
			out, err := ConvTranspose(x, w, ConvOpts{
				Strides: []int64{stride}, Dilation: []int64{1}, Before: []int64{before}, After: []int64{after}, OutputPadding: []int64{0}, Groups: 1, Data: "NCW", Kernel: "IOW",
			})
			if err != nil {
				t.Fatal(err)
			}
			fn, err := te.CreatePrimFunc([]*te.Tensor{x, w, out}, te.FuncOpts{Tuned: true})
			if err != nil {
				t.Fatal(err)
			}
			whole := int64((n-1)*stride + size - before - after)
			want := (whole + stride - 1) / stride // whatever is cut off in front
			found := false
			ir.Walk(fn, func(x ir.Node) bool {
				if b, ok := x.(*tir.Block); ok && b.Name == "conv1d_transpose_ncw" {
					found = true
					if got := b.IterVars[3].Dom.Extent; !tir.IsConst(got, want) {
						t.Errorf("before %d, after %d: a phase has %v results, want %d", before, after, got, want)
					}
				}
				return true
			})
			if !found || !tir.IsConst(out.Shape[2], whole) {
				t.Errorf("before %d, after %d: the result has the extent %v, want %d", before, after, out.Shape[2], whole)
			}
		}
	}
}
