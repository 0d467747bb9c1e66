package wasm_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	gort "runtime"
	"sort"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// halfFormat is a format of 16 bits by its definition: a sign, exponent bits, mantissa bits.
type halfFormat struct {
	d         dtype.DType
	mant, exp int
}

var halfFormats = []halfFormat{{dtype.Float16T, 10, 5}, {dtype.BFloat16T, 7, 8}}

// value is what bits mean.
func (f halfFormat) value(bits uint16) float64 {
	m := float64(bits & (1<<f.mant - 1))
	e := int(bits>>f.mant) & (1<<f.exp - 1)
	bias := 1<<(f.exp-1) - 1
	v := math.Ldexp(m, 1-bias-f.mant)
	switch {
	case e == 1<<f.exp-1 && m == 0:
		v = math.Inf(1)
	case e == 1<<f.exp-1:
		v = math.NaN()
	case e > 0:
		v = math.Ldexp(m+float64(int(1)<<f.mant), e-bias-f.mant)
	}
	if bits>>15 != 0 {
		v = -v
	}
	return v
}

// round returns the bits of the nearest number, of two the even one.
func (f halfFormat) round(v float32) uint16 {
	sign := uint16(math.Float32bits(v) >> 31 << 15)
	x := math.Abs(float64(v))
	inf := 1<<15 - 1<<f.mant
	above := sort.Search(inf, func(i int) bool { return f.value(uint16(i)) > x })
	if above == 0 || math.IsInf(x, 0) {
		return sign | uint16(inf)
	}
	lo, hi := f.value(uint16(above-1)), f.value(uint16(above))
	if above == inf { // what would come next decides where infinity begins
		hi = 2*lo - f.value(uint16(above-2))
	}
	if d := (x - lo) - (hi - x); d > 0 || d == 0 && above%2 == 0 {
		return sign | uint16(above)
	}
	return sign | uint16(above-1)
}

func isNaN32(b uint32) bool { return b&0x7fffffff > 0x7f800000 }

// castKernel converts n elements, in vectors of lanes.
func castKernel(from, to dtype.DType, n int64, lanes int) *tir.PrimFunc {
	x, y, i := flat("X", from, n), flat("Y", to, n), i32var("i")
	at := tir.Expr(i)
	if lanes > 1 {
		at = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
	}
	return primFunc("cast", []any{x, y}, forLoop(i, tir.Int32(n/int64(lanes)),
		tir.Store(y, &tir.Cast{Type: to.WithLanes(lanes), Value: tir.Load(x, at)}, at)))
}

// convert runs castKernel in generated code.
func convert(t *testing.T, in *tensor.Tensor, to dtype.DType, lanes int) *tensor.Tensor {
	t.Helper()
	n := in.Shape[0]
	_, mod, dev := load(t, pack(t, castKernel(in.DType, to, n, lanes)), target.Default())
	out := tensor.MustNew(to, n)
	if err := runWasm(t, mod, dev, []any{in, out}); err != nil {
		t.Fatal(err)
	}
	return out
}

var castLanes = []int{1, 2, 4, 8, 16, 32}

// TestHalvesToFloat32 converts all 65,536 patterns of both formats.
func TestHalvesToFloat32(t *testing.T) {
	for _, f := range halfFormats {
		in := tensor.MustNew(f.d, 1<<16)
		for i := range 1 << 16 {
			binary.LittleEndian.PutUint16(in.Data[2*i:], uint16(i))
		}
		for _, lanes := range castLanes {
			t.Run(fmt.Sprintf("%s/%d", f.d, lanes), func(t *testing.T) {
				out := convert(t, in, dtype.Float32T, lanes)
				for i := range 1 << 16 {
					got, want := binary.LittleEndian.Uint32(out.Data[4*i:]), f.value(uint16(i))
					if math.IsNaN(want) && isNaN32(got) && got>>31 == uint32(i)>>15 {
						continue
					}
					if got != math.Float32bits(float32(want)) {
						t.Fatalf("%#04x becomes %#08x, want %v", i, got, want)
					}
				}
			})
		}
	}
}

// TestFloat32ToHalves rounds each number of the formats, what lies in the middle between
// neighbours, and the float32 just beside both, with either sign; infinities and NaN.
func TestFloat32ToHalves(t *testing.T) {
	for _, f := range halfFormats {
		var bits []uint32
		for i := range 1 << 15 {
			v := f.value(uint16(i))
			bits = append(bits, math.Float32bits(float32(v)))
			next := f.value(uint16(i + 1))
			if math.IsInf(next, 0) {
				next = 2*v - f.value(uint16(i-1))
			}
			if i < 1<<15-1<<f.mant {
				bits = append(bits, math.Float32bits(float32((v+next)/2)))
			}
		}
		for i, n := 0, len(bits); i < n; i++ {
			bits = append(bits, bits[i]+1, bits[i]-1&0x7fffffff)
		}
		bits = append(bits, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x7f7fffff, 1, 0x00800000, 0x007fffff)
		for i, n := 0, len(bits); i < n; i++ {
			bits = append(bits, bits[i]|0x80000000)
		}
		for len(bits)%32 != 0 {
			bits = append(bits, 0)
		}
		in := tensor.MustNew(dtype.Float32T, int64(len(bits)))
		want := make([]uint16, len(bits))
		for i, b := range bits {
			binary.LittleEndian.PutUint32(in.Data[4*i:], b)
			if !isNaN32(b) {
				want[i] = f.round(math.Float32frombits(b))
			}
		}
		for _, lanes := range castLanes {
			t.Run(fmt.Sprintf("%s/%d", f.d, lanes), func(t *testing.T) {
				out := convert(t, in, f.d, lanes)
				for i, b := range bits {
					got := binary.LittleEndian.Uint16(out.Data[2*i:])
					if isNaN32(b) && math.IsNaN(f.value(got)) && got>>15 == uint16(b>>31) {
						continue
					}
					if got != want[i] || isNaN32(b) {
						t.Fatalf("%#08x (%v) becomes %#04x, want %#04x", b, math.Float32frombits(b), got, want[i])
					}
				}
			})
		}
	}
}

// TestShortVectors converts and computes with vectors that do not fill a register.
func TestShortVectors(t *testing.T) {
	types := []string{"float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"}
	for _, from := range types {
		for _, to := range types {
			for _, lanes := range []int{2, 4, 8} {
				if testing.Short() && lanes != 4 {
					continue
				}
				f, d := dtype.MustParse(from), dtype.MustParse(to)
				const n = 16
				in := tensor.MustNew(f, n)
				for i := range n {
					in.SetFloat(i, float64(i*7%n))
				}
				check(t, castKernel(f, d, n, lanes), 0, in, tensor.MustNew(d, n))
				x, y, i := flat("X", f, n), flat("Y", d, n), i32var("i")
				at := ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
				twice := tir.NewBinary(tir.OpAdd, tir.Load(x, at), tir.Load(x, at))
				less := tir.NewBinary(tir.OpLT, twice, broadcast(tir.Const(f, 9), lanes))
				value := &tir.Select{Cond: less, True: &tir.Cast{Type: d.WithLanes(lanes), Value: twice}, False: broadcast(tir.Const(d, 3), lanes)}
				check(t, primFunc("short", []any{x, y}, forLoop(i, tir.Int32(n/int64(lanes)), tir.Store(y, value, at))), 0, in, tensor.MustNew(d, n))
				one := &tir.Cast{Type: d.WithLanes(lanes), Value: less} // a mask, which has no bits of its own
				check(t, primFunc("mask", []any{x, y}, forLoop(i, tir.Int32(n/int64(lanes)), tir.Store(y, one, at))), 0, in, tensor.MustNew(d, n))
			}
		}
	}
}

// BenchmarkCasts converts 65,536 elements in vectors and reports the time of one, and its ratio to
// copying float32.
func BenchmarkCasts(b *testing.B) {
	f32, base := dtype.Float32T, 0.0
	for _, k := range [][2]dtype.DType{
		{f32, f32}, {dtype.Float16T, f32}, {f32, dtype.Float16T}, {dtype.BFloat16T, f32}, {f32, dtype.BFloat16T}, {dtype.Int8T, dtype.Int32T}, {f32, dtype.Float64T},
	} {
		b.Run(k[0].String()+"_"+k[1].String(), func(b *testing.B) {
			const n = 1 << 16
			_, mod, dev := load(b, pack(b, castKernel(k[0], k[1], n, 16)), target.Default())
			var vals []runtime.Value
			for _, d := range k {
				x, err := dev.Upload(tensor.MustNew(d, n))
				if err != nil {
					b.Fatal(err)
				}
				vals = append(vals, runtime.TensorValue(x))
			}
			gort.LockOSThread()
			defer gort.UnlockOSThread()
			best := 0.0
			for b.Loop() {
				start := threadTime()
				if _, err := mod.Kernel("cast").Run(context.Background(), vals...); err != nil {
					b.Fatal(err)
				}
				if t := threadTime() - start; best == 0 || t < best {
					best = t
				}
			}
			if k[0] == k[1] {
				base = best
			}
			b.ReportMetric(best/n*1e9, "ns/element")
			if base > 0 {
				b.ReportMetric(best/base, "of-copy")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
