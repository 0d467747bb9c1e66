package cpu_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// typed is in with elements of type d.
func typed(d dtype.DType, name string, shape ...int) *te.Tensor {
	var dims []tir.Expr
	for _, n := range shape {
		dims = append(dims, tir.Int(int64(n)))
	}
	return te.Placeholder(name, d, dims...)
}

// typeKernels are kernels that exist for each element type, out is that of the result: products
// of matrices with n rows and convolutions of c channels of h by h pixels.
func typeKernels(d, out dtype.DType, n, c, h int) map[string][]*te.Tensor {
	a, b := typed(d, "a", n, n), typed(d, "b", n, n)
	h1, h2 := typed(d, "h1", 12, n/2, n/4), typed(d, "h2", 12, n/4, n/2)
	x, w, dw := typed(d, "x", 1, c, h, h), typed(d, "w", c, c, 3, 3), typed(d, "w", c, 1, 3, 3)
	w1 := typed(d, "w", c, c, 1, 1)
	o := topi.ConvOpts{Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW", Out: out}
	one, depth, nhwc, transposed := o, o, o, o
	one.Before, one.After = []int64{0, 0}, []int64{0, 0}
	depth.Groups = int64(c)
	xl, wl := typed(d, "x", 1, h, h, c), typed(d, "w", 3, 3, c, c)
	nhwc.Data, nhwc.Kernel = "NHWC", "HWIO"
	ohwi := nhwc
	ohwi.Kernel = "OHWI"
	wo := typed(d, "w", c, 3, 3, c)
	transposed.Kernel, transposed.Strides, transposed.OutputPadding = "IOHW", []int64{2, 2}, []int64{1, 1}
	row := typed(d, "r", 1, 4*n)
	mat := typed(d, "m", 4*n, 4*n)
	all := map[string][]*te.Tensor{
		"matmul":     {a, b, must(topi.Matmul(a, b, topi.MatmulOpts{Out: out}))},
		"matmul_nt":  {a, b, must(topi.Matmul(a, b, topi.MatmulOpts{Out: out, TransposeB: true}))},
		"matvec":     {row, mat, must(topi.Matmul(row, mat, topi.MatmulOpts{Out: out}))},
		"batched":    {h1, h2, must(topi.Matmul(h1, h2, topi.MatmulOpts{Out: out}))},
		"conv":       {x, w, must(topi.Conv(x, w, o))},
		"conv1x1":    {x, w1, must(topi.Conv(x, w1, one))},
		"depthwise":  {x, dw, must(topi.Conv(x, dw, depth))},
		"conv_nhwc":  {xl, wl, must(topi.Conv(xl, wl, nhwc))},
		"conv_ohwi":  {xl, wo, must(topi.Conv(xl, wo, ohwi))},
		"transposed": {x, w, must(topi.ConvTranspose(x, w, transposed))},
	}
	if d == out { // the operators without a type of their own for the result
		all["einsum"] = []*te.Tensor{h1, h2, must(topi.Einsum("bij,bjk->bik", []*te.Tensor{h1, h2}))}
	}
	if d.IsFloat() {
		q, k, v := typed(d, "q", 1, n, 2, 16), typed(d, "k", 1, n, 2, 16), typed(d, "v", 1, n, 2, 16)
		all["attention"] = []*te.Tensor{q, k, v, topi.Attention(q, k, v, nil, topi.AttentionOpts{Scale: 0.01})}
	}
	return all
}

var typeRows = []struct{ in, out string }{
	{"float32", "float32"}, {"float16", "float16"}, {"bfloat16", "bfloat16"}, {"float64", "float64"}, {"int8", "int32"}, {"uint8", "int32"}, {"int8", "int8"}, {"int16", "int16"},
}

// TestTypesOnWasm compares scheduled kernels of each element type, in the interpreter and as
// generated code, with the plain loops: to the last place of halves, exactly for integers.
func TestTypesOnWasm(t *testing.T) {
	for i, row := range typeRows {
		if testing.Short() && i%2 == 1 {
			continue
		}
		for _, size := range [][3]int{{20, 12, 9}, {64, 16, 14}} {
			if testing.Short() && size[0] > 20 {
				continue
			}
			for name, args := range typeKernels(dtype.MustParse(row.in), dtype.MustParse(row.out), size[0], size[1], size[2]) {
				t.Run(name+"/"+row.in+"_"+row.out, func(t *testing.T) {
					k := kernel{args: args}
					f := create(t, k)
					want := run(t, f, filled(t, k))
					g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					same(t, want, run(t, g, filled(t, k)))
					same(t, want, compile(t, f).run(t, filled(t, k)))
				})
			}
		}
	}
}

// filled is arguments with numbers that each type has, small ones for integers.
func filled(t *testing.T, k kernel) []any {
	t.Helper()
	args := k.arguments(t)
	for i, a := range args[:len(args)-1] {
		x := a.(*tensor.Tensor)
		for j := range x.Len() {
			v := float64((j*7+i*5)%17) - 8
			if x.DType.IsUInt() {
				v = math.Abs(v) * 31
			}
			x.SetFloat(j, v)
		}
	}
	return args
}

func same(t *testing.T, want, got *tensor.Tensor) {
	t.Helper()
	ulp := map[dtype.DType]float64{dtype.Float16T: 1.0 / 1024, dtype.BFloat16T: 1.0 / 128, dtype.Float32T: 1e-5, dtype.Float64T: 1e-13}[want.DType]
	for i := range want.Len() {
		if a, b := want.Float(i), got.Float(i); !(math.Abs(a-b) <= ulp*math.Abs(a)) {
			t.Fatalf("element %d is %g, want %g", i, b, a)
		}
	}
}
