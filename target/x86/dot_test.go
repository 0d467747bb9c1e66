//go:build linux && amd64

package x86_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// words returns n words whose bytes are extreme or random.
func words(d dtype.DType, n int64, seed uint64) *tensor.Tensor {
	t := random(d, seed, n)
	for i, w := range []int64{0, -1, 0x7f7f7f7f, -0x7f7f7f80, 0x00ff00ff, 0x01000100} {
		t.SetInt(i, w)
		t.SetInt(int(n)-1-i, w)
	}
	return t
}

// dp4a is the sum of the products of bytes of words.
func dp4a(x, y, sum tir.Expr) tir.Expr {
	return &tir.Call{Type: sum.DType(), Op: tir.OpDp4a, Args: []tir.Expr{x, y, sum}}
}

// dotKernel adds the products of words of both kinds of signs to sums, in vectors of so many lanes: one word for all lanes, of the word before, and of results that
// are the operands of others.
func dotKernel(dx, dy dtype.DType, lanes int, n int64) *tir.PrimFunc {
	x, y, o := flat("X", dx, n), flat("Y", dy, n), flat("O", dtype.Int32T, 4*n)
	i := i32var("i")
	at := func(off int64) tir.Expr {
		e := tir.Add(tir.Mul(i, tir.Int32(int64(lanes))), tir.Int32(off))
		if lanes > 1 {
			return ramp(e, 1, lanes)
		}
		return e
	}
	spread := func(e tir.Expr) tir.Expr {
		if lanes > 1 {
			return broadcast(e, lanes)
		}
		return e
	}
	zero := spread(tir.Int32(0))
	a, b := tir.Load(x, at(0)), tir.Load(y, at(0))
	nested := dp4a(a, tir.CastTo(b.DType(), dp4a(a, b, zero)), dp4a(b, a, zero))
	return primFunc("f", []any{x, y, o}, forLoop(i, tir.Int32(n/int64(lanes)),
		tir.Store(o, dp4a(a, b, tir.Load(o, at(0))), at(0)),
		tir.Store(o, tir.Add(dp4a(spread(tir.Load(x, i)), b, zero), tir.Load(o, at(n))), at(n)),
		tir.Store(o, tir.Add(tir.Load(o, at(2*n)), dp4a(a, spread(tir.Load(y, i)), tir.Load(o, at(0)))), at(2*n)),
		tir.Store(o, tir.Add(nested, nested), at(3*n)),
	))
}

// TestDotProductsOfBytes compares them with the interpreter for all signs, and looks for the instructions that they should be.
func TestDotProductsOfBytes(t *testing.T) {
	for _, dx := range []dtype.DType{dtype.UInt32T, dtype.Int32T} {
		for _, dy := range []dtype.DType{dtype.UInt32T, dtype.Int32T} {
			for _, lanes := range []int{1, 2, 3, 4, 8, 16, 32} {
				const n = 96
				f := dotKernel(dx, dy, lanes, n)
				t.Run(fmt.Sprint(dx, dy, lanes), func(t *testing.T) {
					check(t, f, words(dx, n, 1), words(dy, n, 2), random(dtype.Int32T, 3, 4*n))
					if lanes < 4 {
						return
					}
					for name, mixed := range map[string]bool{"vnni": dx != dy, "avx512": false, "avx2": false} {
						lib, _, err := build(pack(t, f), machines[name])
						if err != nil {
							t.Fatal(err)
						}
						text := lib.Kernels[0].Text()
						if strings.Contains(text, "vpdpbusd") != mixed || strings.Contains(text, "vpmaddwd") == mixed {
							t.Errorf("%s multiplies bytes by other instructions than it should:\n%s", name, text)
						}
						if n := strings.Count(text, "vpaddd"); mixed && n != 2*max(1, lanes/16) { // those that add what starts from another sum
							t.Errorf("%d additions are apart from products:\n%s", n, text)
						}
					}
				})
			}
		}
	}
}

// TestDotOfOtherTypes: what is no word is refused.
func TestDotOfOtherTypes(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Int8T, dtype.Int64T, dtype.Float32T} {
		x, o := flat("X", d, 4), flat("O", dtype.Int32T, 4)
		zero := tir.Int32(0)
		f := primFunc("f", []any{x, o}, tir.Store(o, dp4a(tir.Load(x, zero), tir.Load(x, zero), zero), zero))
		if _, _, err := build(pack(t, f), machines["vnni"]); err == nil || !strings.Contains(err.Error(), "expected words of four bytes") {
			t.Errorf("dp4a of %s: got %v", d, err)
		}
	}
}

// TestSpreadWordsAreReadAgain: places of a window two steps apart are the same (stride 2), but no register holds a word for so long, as sums need them all.
func TestSpreadWordsAreReadAgain(t *testing.T) {
	const places, rows, steps = 14, 7, 4
	x, y, o := flat("X", dtype.UInt32T, rows*40), flat("Y", dtype.Int32T, rows*steps*32), flat("O", dtype.Int32T, 2*places*16)
	sums := tir.NewBuffer("S", dtype.Int32T.WithLanes(16), []tir.Expr{tir.Int32(2 * places)}, "local")
	k := i32var("k")
	at := func(n int) tir.Expr { return ramp(tir.Int32(int64(16*n)), 1, 16) }
	var begin, step, end []tir.Stmt
	for n := range 2 * places {
		begin = append(begin, tir.Store(sums, broadcast(tir.Int32(0), 16), tir.Int32(int64(n))))
		end = append(end, tir.Store(o, tir.Load(sums, tir.Int32(int64(n))), at(n)))
	}
	for u := range int64(steps) {
		for i := range int64(places) {
			for j := range int64(2) {
				word := tir.Load(x, tir.Add(tir.Mul(k, tir.Int32(40)), tir.Int32(2*i+u)))
				weights := tir.Load(y, ramp(tir.Add(tir.Mul(k, tir.Int32(steps*32)), tir.Int32(32*u+16*j)), 1, 16))
				sum := tir.Int32(j*places + i)
				step = append(step, tir.Store(sums, dp4a(broadcast(word, 16), weights, tir.Load(sums, sum)), sum))
			}
		}
	}
	f := primFunc("f", []any{x, y, o}, local(sums, append(append(begin, forLoop(k, tir.Int32(rows), step...)), end...)...))
	check(t, f, words(dtype.UInt32T, rows*40, 1), words(dtype.Int32T, rows*steps*32, 2), tensor.MustNew(dtype.Int32T, 2*places*16))
	lib, _, err := build(pack(t, f), machines["vnni"])
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(lib.Kernels[0].Text(), "vbroadcastss"); n != steps*places {
		t.Errorf("%d words are spread, want %d", n, steps*places)
	}
}
