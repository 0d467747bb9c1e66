package topi

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestFast compares the approximations with the functions, over the range in which these are neither 0 nor infinite.
func TestFast(t *testing.T) {
	var near, wide []float64
	for i := range 2001 {
		near = append(near, float64(i-1000)/200)
		wide = append(wide, float64(i-1000)/12)
	}
	for _, c := range []struct {
		name string
		fast func(*te.Tensor) *te.Tensor
		f    func(float64) float64
		in   []float64
	}{
		{"exp", FastExp, math.Exp, near},
		{"exp of large numbers", FastExp, math.Exp, wide},
		{"tanh", FastTanh, math.Tanh, near},
		{"tanh of large numbers", FastTanh, math.Tanh, wide},
		{"erf", FastErf, math.Erf, near},
		{"erf of large numbers", FastErf, math.Erf, wide},
		{"none", FastExp, math.Exp, nil},
	} {
		for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T} {
			both(t, c.name+" "+d.String(), func(k *kernelTest) {
				in := nd{dims(len(c.in)), c.in}
				x := k.in(in, d)
				got := k.run([]*te.Tensor{c.fast(x)}, in.shape)[0]
				for i, v := range c.in {
					want := c.f(float64(float32(v)))
					if d == dtype.Float64T {
						want = c.f(v)
					}
					if g := got.Float(i); !(math.Abs(g-want) <= 1e-5*math.Max(math.Abs(want), 1e-2)) {
						k.Fatalf("of %v it is %v, want %v", v, g, want)
					}
				}
			})
		}
	}
}

// TestFastEnds lists what the approximations give where the functions leave the range of float32.
func TestFastEnds(t *testing.T) {
	inf := math.Inf(1)
	both(t, "exp", func(k *kernelTest) {
		got := k.run([]*te.Tensor{FastExp(k.float(nd{dims(4), []float64{-inf, -100, 100, inf}}))}, dims(4))[0]
		if a, b, c, d := got.Float(0), got.Float(1), got.Float(2), got.Float(3); a != 0 || b != 0 || c < 2e38 || d != inf {
			t.Errorf("got %v %v %v %v", a, b, c, d)
		}
	})
	for _, f := range []func(*te.Tensor) *te.Tensor{FastTanh, FastErf} {
		both(t, "from -1 to 1", func(k *kernelTest) {
			got := k.run([]*te.Tensor{f(k.float(nd{dims(2), []float64{-inf, inf}}))}, dims(2))[0]
			if a, b := got.Float(0), got.Float(1); math.Abs(a+1) > 1e-5 || math.Abs(b-1) > 1e-5 {
				t.Errorf("got %v %v", a, b)
			}
		})
	}
}

func TestFastSoftmax(t *testing.T) {
	x := random(newRand(5), 3, 5, 2)
	x.v[0], x.v[1] = 80, 200
	for axis := range 3 {
		total := reduceRef(x, []int{axis}, true, func(v []float64) float64 {
			s := 0.0
			for _, x := range v {
				s += math.Exp(x - 200)
			}
			return s
		})
		both(t, "softmax", func(k *kernelTest) {
			k.want(FastSoftmax(k.float(x), axis), fill(x.shape, func(i []int) float64 {
				at := append([]int{}, i...)
				at[axis] = 0
				return math.Exp(x.at(i...)-200) / total.at(at...)
			}))
		})
	}
}
