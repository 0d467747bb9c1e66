//go:build linux && amd64

package x86_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

var smallTypes = []dtype.DType{
	dtype.Int8T, dtype.UInt8T, dtype.Int16T, dtype.UInt16T, dtype.Float16T, dtype.BFloat16T,
}

// numbers are random integers of the whole range of a type, or floats.
func numbers(d dtype.DType, seed uint64, n int64) *tensor.Tensor {
	t := random(d, seed, n)
	if d.IsInteger() {
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range t.Data {
			t.Data[i] = byte(r.Uint32())
		}
	}
	return t
}

// TestSmallLanes computes on vectors of 8 and 16 bits of all sizes, whole, short and odd ones.
func TestSmallLanes(t *testing.T) {
	for _, d := range smallTypes {
		for _, lanes := range []int{2, 3, 4, 8, 12, 16, 24, 32, 48, 64} {
			n := int64(lanes)
			x, y := flat("X", d, n+1), flat("Y", d, n+1)
			at := ramp(tir.Int32(1), 1, lanes)
			a, b := tir.Load(x, at), tir.Load(y, at)
			one := broadcast(tir.Load(x, tir.Int32(0)), lanes)
			values := []tir.Expr{
				tir.Add(a, b), tir.Sub(a, one), tir.Mul(a, b), tir.Min(a, b), tir.Max(b, one), tir.Load(x, ramp(tir.Int32(n), -1, lanes)),
				&tir.Select{Cond: tir.LT(a, b), True: b, False: one}, &tir.Select{Cond: tir.NewBinary(tir.OpEQ, a, one), True: a, False: b},
				&tir.Select{Cond: tir.NewBinary(tir.OpGE, a, b), True: tir.Add(a, b), False: tir.CastTo(d.WithLanes(lanes), tir.NewBinary(tir.OpNE, b, one))},
			}
			if d.IsInteger() {
				k := tir.Const(d.WithLanes(lanes), 3)
				values = append(values, tir.NewCall(tir.OpShiftLeft, a, k), tir.NewCall(tir.OpShiftRight, a, k), tir.NewCall(tir.OpBitwiseXor, a, tir.NewCall(tir.OpBitwiseNot, b)))
			}
			z := flat("Z", d, n*int64(len(values)))
			var body []tir.Stmt
			for i, v := range values {
				body = append(body, tir.Store(z, v, ramp(tir.Int32(n*int64(i)), 1, lanes)))
			}
			t.Run(fmt.Sprintf("%sx%d", d, lanes), func(t *testing.T) {
				check(t, primFunc("f", []any{x, y, z}, body...), numbers(d, 1, n+1), numbers(d, 2, n+1), numbers(d, 3, n*int64(len(values))))
			})
		}
	}
}

// TestSmallCasts converts from and to vectors of 8 and 16 bits.
func TestSmallCasts(t *testing.T) {
	others := append([]dtype.DType{dtype.Int32T, dtype.UInt32T, dtype.Int64T, dtype.Float32T, dtype.Float64T}, smallTypes...)
	for _, d := range smallTypes {
		for _, lanes := range []int{4, 8, 16, 64} {
			n := int64(lanes)
			x := flat("X", d, n)
			at := ramp(tir.Int32(0), 1, lanes)
			params, args := []any{x}, []any{numbers(d, 1, n)}
			var body []tir.Stmt
			for i, o := range others {
				in, out, back := flat(fmt.Sprint("I", i), o, n), flat(fmt.Sprint("O", i), o, n), flat(fmt.Sprint("B", i), d, n)
				params = append(params, in, out, back)
				args = append(args, numbers(o, uint64(i), n), numbers(o, 2, n), numbers(d, 3, n))
				body = append(body, tir.Store(out, tir.CastTo(o.WithLanes(lanes), tir.Load(x, at)), at), tir.Store(back, tir.CastTo(d.WithLanes(lanes), tir.Load(in, at)), at))
			}
			t.Run(fmt.Sprintf("%sx%d", d, lanes), func(t *testing.T) { check(t, primFunc("f", params, body...), args...) })
		}
	}
}

// TestSmallWhole looks for instructions on single lanes in what needs none.
func TestSmallWhole(t *testing.T) {
	x, w, y := flat("X", dtype.UInt8T, 32), flat("W", dtype.Int8T, 32), flat("Y", dtype.Int32T, 32)
	h, f := flat("H", dtype.Float16T, 32), flat("F", dtype.Float16T, 32)
	at := ramp(tir.Int32(0), 1, 32)
	i32 := dtype.Int32T.WithLanes(32)
	fn := primFunc("f", []any{x, w, y, h, f},
		tir.Store(y, tir.Add(tir.Load(y, at), tir.Mul(tir.CastTo(i32, tir.Load(x, at)), tir.CastTo(i32, tir.Load(w, at)))), at),
		tir.Store(h, tir.Max(tir.Mul(tir.Load(h, at), tir.Load(f, at)), tir.FloatConst(dtype.Float16T.WithLanes(32), 0)), at))
	funcs := packed(t, fn)
	for name, m := range machines {
		lib, _, err := build(funcs, m)
		if err != nil {
			t.Fatal(err)
		}
		text := lib.Kernels[0].Text()
		_, loop, found := strings.Cut(text, "vpmov")
		if !found {
			t.Errorf("%s: nothing is widened in\n%s", name, text)
		}
		for _, single := range []string{"vpinsr", "vpextr", "\tmovzx", "\tmovsx"} {
			if strings.Contains(loop, single) {
				t.Errorf("%s: there is %s in\n%s", name, single, loop)
			}
		}
	}
}

// TestMasked loads and stores vectors under predicates: what they leave out is not touched, and reads as zero.
func TestMasked(t *testing.T) {
	types := append([]dtype.DType{dtype.Int32T, dtype.UInt32T, dtype.Int64T, dtype.Float32T, dtype.Float64T}, smallTypes...)
	for _, d := range types {
		for _, lanes := range []int{2, 4, 8, 16, 32, 48, 64} {
			a, b, n := flat("A", d, 64), flat("B", d, 64), i32var("n")
			at := ramp(tir.Int32(0), 1, lanes)
			load := tir.Load(a, at)
			load.Predicate = tir.LT(at, broadcast(tir.Sub(n, tir.Int32(1)), lanes))
			store := tir.Store(b, tir.Add(load, broadcast(tir.Load(a, tir.Int32(1)), lanes)), at)
			store.Predicate = tir.NewBinary(tir.OpAnd, tir.LT(at, broadcast(n, lanes)), tir.NewBinary(tir.OpNE, tir.Load(b, at), broadcast(tir.Load(b, tir.Int32(3)), lanes)))
			f := primFunc("f", []any{a, b, n}, store)
			funcs := packed(t, f)
			for _, n := range []int64{0, 1, 7, 13, 64} {
				checkLowered(t, f, funcs, numbers(d, 1, 64), numbers(d, 2, 64), n)
			}
			for name, m := range machines {
				lib, _, err := build(funcs, m)
				if err != nil {
					t.Fatal(err)
				}
				avx2, want := !m.Features.AVX512, "{k1}"
				if avx2 {
					want = "vmaskmov"
				}
				text := lib.Kernels[0].Text()
				bits := lanes * int(d.Bits)
				if whole := bits >= 128 && (d.Bits >= 32 || !avx2); strings.Contains(text, want) != whole && (avx2 || whole) {
					t.Errorf("%s, %sx%d: masked instructions: %v\n%s", name, d, lanes, !whole, text)
				}
			}
		}
	}
}
