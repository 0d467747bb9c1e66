package topi

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// spacing is the distance from 1 to the next number of a type.
var spacing = map[dtype.DType]float64{dtype.Float16T: 1.0 / 1024, dtype.BFloat16T: 1.0 / 128, dtype.Float32T: math.Ldexp(1, -23)}

// wantRounded compares with a reference in float64, to the half of a last place that one
// rounding costs and what float32 may lose on the way.
func (k *kernelTest) wantRounded(out *te.Tensor, d dtype.DType, ref nd) {
	k.Helper()
	if out.DType != d {
		k.Fatalf("the result is %s, want %s", out.DType, d)
	}
	got := k.run([]*te.Tensor{out}, ref.shape)[0]
	for i, w := range ref.v {
		if diff := math.Abs(got.Float(i) - w); !(diff <= (0.501*spacing[d]+2e-6)*math.Abs(w)+1e-6) {
			k.Fatalf("element %d of shape %v: got %v, want %v", i, ref.shape, got.Float(i), w)
		}
	}
}

// rounding the inputs first keeps the references exact.
func asType(a nd, d dtype.DType) nd {
	t := toTensor(a, d)
	out := nd{shape: a.shape}
	for i := range a.v {
		out.v = append(out.v, t.Float(i))
	}
	return out
}

func total(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// halfTypes runs f for both halves, with constant and with symbolic extents.
func halfTypes(t *testing.T, name string, f func(k *kernelTest, d dtype.DType)) {
	t.Helper()
	for _, d := range []dtype.DType{dtype.Float16T, dtype.BFloat16T} {
		both(t, name+"/"+d.String(), func(k *kernelTest) { f(k, d) })
	}
}

// TestHalvesAccumulateInFloat32 reduces more elements than a half can count: 4096 halves of
// 0.1 or so. In their own precision the sums would stop growing.
func TestHalvesAccumulateInFloat32(t *testing.T) {
	const n = 4096
	for _, kind := range []string{"sum", "mean", "variance", "std"} {
		halfTypes(t, kind, func(k *kernelTest, d dtype.DType) {
			x := asType(fill(dims(2, n), func(i []int) float64 { return 0.5 + 0.01*float64(i[1]%7) }), d)
			ref := fill(dims(2), func(i []int) float64 {
				row := x.v[i[0]*n : (i[0]+1)*n]
				s := total(row)
				mean := s / n
				sq := 0.0
				for _, v := range row {
					sq += (v - mean) * (v - mean)
				}
				return map[string]float64{"sum": s, "mean": mean, "variance": sq / n, "std": math.Sqrt(sq / n)}[kind]
			})
			k.wantRounded(k.ok(Reduce(kind, k.in(x, d), []int{1}, false)), d, ref)
		})
	}
	halfTypes(t, "prod", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(300), func(i []int) float64 { return 1 + float64(1-i[0]%2*2)*0.02 }), d)
		p := 1.0
		for _, v := range x.v {
			p *= v
		}
		k.wantRounded(k.ok(Reduce("prod", k.in(x, d), nil, false)), d, nd{dims(), []float64{p}})
	})
	halfTypes(t, "matmul", func(k *kernelTest, d dtype.DType) {
		r := newRand(1)
		a, b := asType(random(r, 2, n), d), asType(random(r, n, 3), d)
		for i := range a.v {
			a.v[i] = math.Abs(a.v[i])
		}
		for i := range b.v {
			b.v[i] = math.Abs(b.v[i])
		}
		ref := fill(dims(2, 3), func(i []int) float64 {
			s := 0.0
			for j := range n {
				s += a.at(i[0], j) * b.at(j, i[1])
			}
			return s
		})
		x, y := k.in(a, d), k.in(b, d)
		k.wantRounded(k.ok(Matmul(x, y, MatmulOpts{})), d, ref)
	})
	halfTypes(t, "einsum", func(k *kernelTest, d dtype.DType) {
		a := asType(fill(dims(2, n), func([]int) float64 { return 0.3 }), d)
		v := a.v[0]
		k.wantRounded(k.ok(Einsum("ij,ij->i", []*te.Tensor{k.in(a, d), k.in(a, d)})), d, fill(dims(2), func([]int) float64 { return n * v * v }))
	})
	halfTypes(t, "softmax", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(1, n), func(i []int) float64 { return float64(i[1]%3) * 0.25 }), d)
		s := 0.0
		for _, v := range x.v {
			s += math.Exp(v)
		}
		in := k.in(x, d)
		k.wantRounded(Softmax(in, 1), d, fill(dims(1, n), func(i []int) float64 { return math.Exp(x.at(i...)) / s }))
	})
	halfTypes(t, "log_softmax", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(1, n), func(i []int) float64 { return float64(i[1]%3) * 0.25 }), d)
		s := 0.0
		for _, v := range x.v {
			s += math.Exp(v)
		}
		k.wantRounded(LogSoftmax(k.in(x, d), 1), d, fill(dims(1, n), func(i []int) float64 { return x.at(i...) - math.Log(s) }))
	})
	for _, kind := range []string{"cumsum", "cumprod"} {
		halfTypes(t, kind, func(k *kernelTest, d dtype.DType) {
			x := asType(fill(dims(n), func(i []int) float64 { return 1 + float64(1-i[0]%2*2)*0.1 }), d)
			if kind == "cumprod" {
				x = asType(fill(dims(n), func(i []int) float64 { return 1 + float64(1-i[0]%2*2)*0.02 }), d)
			}
			ref := nd{shape: x.shape}
			acc := map[string]float64{"cumprod": 1}[kind]
			for _, v := range x.v {
				if kind == "cumsum" {
					acc += v
				} else {
					acc *= v
				}
				ref.v = append(ref.v, acc)
			}
			k.wantRounded(Scan(kind, k.in(x, d), 0, d, false), d, ref)
		})
	}
}

func TestHalfWindowsAndNormsAccumulateInFloat32(t *testing.T) {
	halfTypes(t, "conv", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(1, 512, 3, 3), func([]int) float64 { return 0.5 }), d)
		w := asType(fill(dims(2, 512, 3, 3), func(i []int) float64 { return 0.3 }), d)
		v := x.v[0] * w.v[0]
		in, wt := k.in(x, d), k.fixed(w, d)
		o := ConvOpts{Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW"}
		k.wantRounded(k.ok(Conv(in, wt, o)), d, fill(dims(1, 2, 3, 3), func(i []int) float64 {
			side := func(j int) float64 { return 3 - math.Abs(float64(j-1)) }
			return 512 * v * side(i[2]) * side(i[3])
		}))
	})
	halfTypes(t, "conv_transpose", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(1, 4096, 2), func([]int) float64 { return 0.5 }), d)
		w := asType(fill(dims(4096, 1, 2), func(i []int) float64 { return 0.3 }), d)
		v := 4096 * x.v[0] * w.v[0]
		in, wt := k.in(x, d), k.fixed(w, d)
		o := ConvOpts{Strides: []int64{1}, Dilation: []int64{1}, Before: []int64{0}, After: []int64{0}, OutputPadding: []int64{0}, Groups: 1, Data: "NCW", Kernel: "IOW"}
		k.wantRounded(k.ok(ConvTranspose(in, wt, o)), d, nd{dims(1, 1, 3), []float64{v, 2 * v, v}})
	})
	halfTypes(t, "avg_pool", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(1, 1, 64, 64), func([]int) float64 { return 0.3 }), d)
		o := PoolOpts{Size: []int64{64, 64}, Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{0, 0}, After: []int64{0, 0}, Layout: "NCHW"}
		k.wantRounded(k.ok(Pool("avg", k.in(x, d), o)), d, nd{dims(1, 1, 1, 1), x.v[:1]})
	})
	halfTypes(t, "adaptive_avg_pool", func(k *kernelTest, d dtype.DType) {
		x := asType(fill(dims(1, 1, 64, 64), func([]int) float64 { return 0.3 }), d)
		k.wantRounded(k.ok(AdaptiveAvgPool(k.in(x, d), []tir.Expr{tir.Int(1), tir.Int(1)}, "NCHW", "")), d, nd{dims(1, 1, 1, 1), x.v[:1]})
	})
	halfTypes(t, "layer_norm", func(k *kernelTest, d dtype.DType) {
		const n = 4096
		x := asType(fill(dims(1, n), func(i []int) float64 { return 2 + 0.5*float64(i[1]%5) }), d)
		mean := total(x.v) / n
		sq := 0.0
		for _, v := range x.v {
			sq += (v - mean) * (v - mean)
		}
		k.wantRounded(LayerNorm(k.in(x, d), nil, nil, []int{1}, 1e-5), d, fill(dims(1, n), func(i []int) float64 {
			return (x.at(i...) - mean) / math.Sqrt(sq/n+1e-5)
		}))
	})
	halfTypes(t, "attention", func(k *kernelTest, d dtype.DType) {
		const n = 2048 // keys, all alike
		q := asType(fill(dims(1, 1, 1, 4), func([]int) float64 { return 1 }), d)
		v := asType(fill(dims(1, n, 1, 4), func(i []int) float64 { return 1 + 0.25*float64(i[1]%2) }), d)
		out := Attention(k.in(q, d), k.in(v, d), k.in(v, d), nil, AttentionOpts{Scale: 1e-3})
		a, b := math.Exp(4e-3), math.Exp(5e-3)
		k.wantRounded(out, d, fill(dims(1, 1, 1, 4), func([]int) float64 { return (a + 1.25*b) / (a + b) }))
	})
	halfTypes(t, "scatter_add", func(k *kernelTest, d dtype.DType) {
		const n = 4096
		at := fill(dims(n), func([]int) float64 { return 1 })
		u := asType(fill(dims(n), func([]int) float64 { return 0.3 }), d)
		out := ScatterElements(k.fixed(fill(dims(3), func([]int) float64 { return 0 }), d), k.in(at, dtype.Int64T), k.in(u, d), 0, "add")
		k.wantRounded(out, d, nd{dims(3), []float64{0, n * u.v[0], 0}})
	})
}

// TestLongFloat32Sums sums so many elements of 0.1 that float32 would be wrong by a hundredth.
func TestLongFloat32Sums(t *testing.T) {
	const n = 1 << 20
	tenth := float64(float32(0.1))
	x := fill(dims(n), func([]int) float64 { return 0.1 })
	both(t, "mean", func(k *kernelTest) {
		k.wantRounded(k.ok(Reduce("mean", k.float(x), nil, false)), dtype.Float32T, nd{dims(), []float64{tenth}})
	})
	both(t, "dot", func(k *kernelTest) {
		k.wantRounded(k.ok(Matmul(k.float(x), k.float(x), MatmulOpts{})), dtype.Float32T, nd{dims(), []float64{n * tenth * tenth}})
	})
	both(t, "half", func(k *kernelTest) {
		tenth := asType(nd{dims(), []float64{0.1}}, dtype.Float16T).v[0]
		k.wantRounded(k.ok(Reduce("mean", k.in(x, dtype.Float16T), nil, false)), dtype.Float16T, nd{dims(), []float64{tenth}})
	})
	both(t, "cumsum", func(k *kernelTest) {
		k.wantRounded(Scan("cumsum", k.float(x), 0, dtype.Float32T, false), dtype.Float32T, fill(dims(n), func(i []int) float64 { return float64(i[0]+1) * tenth }))
	})
	both(t, "layer_norm", func(k *kernelTest) { // the mean is 0.1 but for its rounding
		out := LayerNorm(k.float(x), nil, nil, []int{0}, 1)
		k.wantRounded(out, dtype.Float32T, fill(dims(n), func([]int) float64 { return 0 }))
	})
	const sides = 1 << 7
	both(t, "global_pool", func(k *kernelTest) {
		y := fill(dims(1, 1, sides, sides), func([]int) float64 { return 0.1 })
		out := k.ok(AdaptiveAvgPool(k.float(y), []tir.Expr{tir.Int(1), tir.Int(1)}, "NCHW", ""))
		k.wantRounded(out, dtype.Float32T, nd{dims(1, 1, 1, 1), []float64{tenth}})
	})
}
