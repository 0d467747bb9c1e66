package topi

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// nd is an array of the references, which know nothing of tensors and kernels.
type nd struct {
	shape []int
	v     []float64
}

func (a nd) at(i ...int) float64 {
	p := 0
	for k, d := range a.shape {
		if i[k] < 0 || i[k] >= d {
			panic(fmt.Sprintf("reference reads %v of shape %v", i, a.shape))
		}
		p = p*d + i[k]
	}
	return a.v[p]
}

// fill returns an array whose element at i is f(i).
func fill(shape []int, f func(i []int) float64) nd {
	out := nd{shape: append([]int{}, shape...)}
	i := make([]int, len(shape))
	for _, d := range shape {
		if d == 0 {
			return out
		}
	}
	for {
		out.v = append(out.v, f(i))
		k := len(i) - 1
		for ; k >= 0; k-- {
			if i[k]++; i[k] < shape[k] {
				break
			}
			i[k] = 0
		}
		if k < 0 {
			return out
		}
	}
}

func dims(d ...int) []int { return d }

// random returns an array of numbers between -2 and 2.
func random(r *rand.Rand, shape ...int) nd {
	return fill(shape, func([]int) float64 { return float64(float32(r.Float64()*4 - 2)) })
}

func randomInts(r *rand.Rand, lo, hi int, shape ...int) nd {
	return fill(shape, func([]int) float64 { return float64(lo + r.IntN(hi-lo)) })
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// kernelTest runs kernels, with constant or with symbolic extents.
type kernelTest struct {
	*testing.T
	symbolic bool
	vars     map[int]*tir.Var
	args     []*te.Tensor
	data     []any
}

// both runs f with constant and with symbolic extents.
func both(t *testing.T, name string, f func(k *kernelTest)) {
	t.Helper()
	for _, symbolic := range []bool{false, true} {
		t.Run(fmt.Sprintf("%s/symbolic=%v", name, symbolic), func(t *testing.T) {
			f(&kernelTest{T: t, symbolic: symbolic, vars: map[int]*tir.Var{}})
		})
	}
}

func static(t *testing.T, name string, f func(k *kernelTest)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { f(&kernelTest{T: t}) })
}

// extent is d, or a variable that stands for it: one for each number.
func (k *kernelTest) extent(d int) tir.Expr {
	if !k.symbolic || d == 1 {
		return tir.Int(int64(d))
	}
	if k.vars[d] == nil {
		k.vars[d] = tir.NewSizeVar(fmt.Sprintf("n%d", d), dtype.Int64T)
	}
	return k.vars[d]
}

func (k *kernelTest) extents(shape ...int) []tir.Expr {
	out := make([]tir.Expr, len(shape))
	for i, d := range shape {
		out[i] = k.extent(d)
	}
	return out
}

func toTensor(a nd, d dtype.DType) *tensor.Tensor {
	shape := make([]int64, len(a.shape))
	for i, n := range a.shape {
		shape[i] = int64(n)
	}
	out := tensor.MustNew(d, shape...)
	for i, v := range a.v {
		out.SetFloat(i, v)
	}
	return out
}

// in declares an input of the kernel with its value.
func (k *kernelTest) in(a nd, d dtype.DType) *te.Tensor {
	t := te.Placeholder(fmt.Sprintf("in%d", len(k.args)), d, k.extents(a.shape...)...)
	k.args, k.data = append(k.args, t), append(k.data, toTensor(a, d))
	return t
}

func (k *kernelTest) float(a nd) *te.Tensor { return k.in(a, dtype.Float32T) }

// fixed is float with constant extents, for weights.
func (k *kernelTest) fixed(a nd, d dtype.DType) *te.Tensor {
	old := k.symbolic
	k.symbolic = false
	t := k.in(a, d)
	k.symbolic = old
	return t
}

// run makes a function of the inputs and outs, runs it and returns the results, which have
// the shapes of the references.
func (k *kernelTest) run(outs []*te.Tensor, shapes ...[]int) []*tensor.Tensor {
	k.Helper()
	return k.runAs(true, outs, shapes...)
}

// runAs is run with tuned kernels, as the default pipeline has them, or with TVM's.
func (k *kernelTest) runAs(tuned bool, outs []*te.Tensor, shapes ...[]int) []*tensor.Tensor {
	k.Helper()
	fn, err := te.CreatePrimFunc(append(append([]*te.Tensor{}, k.args...), outs...), te.FuncOpts{Tuned: tuned})
	if err != nil {
		k.Fatal(err)
	}
	if found := tir.Verify("kernel", fn); len(found) > 0 {
		k.Fatalf("not well formed: %v", found)
	}
	data := append([]any{}, k.data...)
	var results []*tensor.Tensor
	for i, o := range outs {
		r := toTensor(nd{shape: shapes[i]}, o.DType)
		results, data = append(results, r), append(data, r)
	}
	if err := interp.Run(context.Background(), fn, data, nil); err != nil {
		k.Fatal(err)
	}
	return results
}

// want compares the kernels that compute out, tuned and as TVM writes it, with the reference.
func (k *kernelTest) want(out *te.Tensor, ref nd) {
	k.Helper()
	k.wantTuned(out, ref)
	k.compare(k.runAs(false, []*te.Tensor{out}, ref.shape)[0], ref)
}

// wantTuned is want for what TVM's kernel gets wrong.
func (k *kernelTest) wantTuned(out *te.Tensor, ref nd) {
	k.Helper()
	k.compare(k.run([]*te.Tensor{out}, ref.shape)[0], ref)
}

func (k *kernelTest) compare(got *tensor.Tensor, ref nd) {
	k.Helper()
	for i, w := range ref.v {
		g := got.Float(i)
		if g == w || g != g && w != w {
			continue
		}
		if d := math.Abs(g - w); !(d <= 2e-5*math.Max(1, math.Abs(w))) {
			k.Fatalf("element %d of shape %v: got %v, want %v", i, ref.shape, g, w)
		}
	}
}

func (k *kernelTest) ok(t *te.Tensor, err error) *te.Tensor {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
	return t
}
