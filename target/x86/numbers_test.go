//go:build linux && amd64

package x86_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/tensor"
)

// zeroes is random, with zeros of both signs and infinities among the elements, windows of zeros alone, and no NaN.
func zeroes(x *tensor.Tensor) *tensor.Tensor {
	values := []float64{math.Copysign(0, -1), 0, math.Inf(1), math.Inf(-1)}
	for i := 5; i < x.Len(); i += 7 {
		x.SetFloat(i, values[i%len(values)])
	}
	for i := range x.Len() / 3 {
		x.SetFloat(i, math.Copysign(0, float64(i*i%5)-1.5))
	}
	return x
}

// TestMaximaOfNumbers: maxima of windows are those of numbers as long as all are, and right where one element is NaN, wherever it is and whatever its bits are.
func TestMaximaOfNumbers(t *testing.T) {
	nans := []uint32{0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff}
	for _, c := range []struct {
		layout               string
		c, h, k, stride, pad int
		twice                bool
		places               int // of NaN
	}{
		{"NCHW16c", 32, 28, 3, 1, 1, true, 23},
		{"NCHW16c", 16, 14, 5, 1, 2, true, 23},
		{"NCHW16c", 16, 9, 3, 1, 1, false, 9}, // turns of a few maxima
		{"NCHW", 2, 28, 3, 1, 1, true, 40},
		{"NCHW", 3, 21, 3, 1, 1, true, 40},
		{"NCHW16c", 32, 28, 2, 2, 0, true, 23},
		{"NCHW", 3, 55, 3, 2, 0, true, 23},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			list := pooled("max", c.layout, c.c, c.h, c.k, c.stride, c.pad)
			text := map[string]string{}
			for name, tgt := range targets {
				lib, _, err := build(scheduled(t, tgt, list), machineOf(t, tgt))
				if err != nil {
					t.Fatal(err)
				}
				text[name] = lib.Kernels[0].Text()
			}
			if strings.Contains(text["avx512"], "vrangeps") != c.twice || strings.Contains(text["avx2"], "vrangeps") {
				t.Errorf("maxima of numbers: want %v with AVX-512, and none with AVX2", c.twice)
			}
			args := tensors(t, list)
			zeroes(args[0])
			sameScheduled(t, list, args, true)
			if testing.Short() {
				c.places /= 4
			}
			for n := range c.places {
				i := n * (args[0].Len() - 1) / (c.places - 1)
				was := binary.LittleEndian.Uint32(args[0].Data[4*i:])
				binary.LittleEndian.PutUint32(args[0].Data[4*i:], nans[n%len(nans)])
				sameScheduled(t, list, args, true)
				binary.LittleEndian.PutUint32(args[0].Data[4*i:], was)
			}
		})
	}
}

// TestTurnsRunTwice: a turn that reads what it wrote, or whose course is data, does not run again where an element is NaN; one that has its own values before it reads them does.
func TestTurnsRunTwice(t *testing.T) {
	if err := native.Available(); err != nil {
		t.Skip(err)
	}
	const n, lanes, chain = 4, 16, 24
	f32 := dtype.Float32T
	x, y := flat("X", f32, n*lanes*chain), flat("Y", f32, n*lanes*chain)
	i, j := i32var("i"), i32var("j")
	at := func(k int64) tir.Expr {
		return ramp(tir.Add(tir.Mul(i, tir.Int32(lanes*chain)), tir.Int32(lanes*k)), 1, lanes)
	}
	in := func(k int64) tir.Expr { return tir.Load(x, at(k)) }
	one := broadcast(tir.FloatConst(f32, 1), lanes)
	// longest is a maximum of the elements of a turn, three times over from a start.
	longest := func(e tir.Expr) tir.Expr {
		for k := range int64(3 * chain) {
			e = tir.Max(in(4+k%(chain-4)), e)
		}
		return e
	}
	acc := tir.NewBuffer("acc", f32, []tir.Expr{tir.Int32(2 * lanes)}, "local")
	part := func(k int64) tir.Expr { return ramp(tir.Int32(lanes*k), 1, lanes) }
	memory := tir.NewBuffer("memory", f32, []tir.Expr{tir.Int32(chain * lanes)}, "global")
	place := func(v tir.Expr) tir.Expr { return ramp(tir.Mul(v, tir.Int32(lanes)), 1, lanes) }
	for name, c := range map[string]struct {
		body  []tir.Stmt
		twice bool
	}{
		"results":            {[]tir.Stmt{tir.Store(y, longest(in(0)), at(0))}, true},
		"sum of maxima":      {[]tir.Stmt{tir.Store(y, tir.Add(longest(in(0)), longest(in(1))), at(0))}, true},
		"reads its result":   {[]tir.Stmt{tir.Store(y, tir.Add(longest(tir.Load(y, at(0))), one), at(0))}, false},
		"own values":         {[]tir.Stmt{tir.Store(acc, in(0), part(0)), tir.Store(acc, longest(tir.Load(acc, part(0))), part(0)), tir.Store(y, tir.Load(acc, part(0)), at(0))}, true},
		"values of a turn":   {[]tir.Stmt{tir.Store(acc, tir.Add(longest(tir.Load(acc, part(0))), one), part(0)), tir.Store(y, tir.Load(acc, part(0)), at(0))}, false},
		"half of its values": {[]tir.Stmt{tir.Store(acc, in(0), part(0)), tir.Store(acc, longest(tir.Load(acc, part(1))), part(1)), tir.Store(y, tir.Load(acc, part(1)), at(0))}, false},
		"a condition": {[]tir.Stmt{&tir.IfThenElse{
			Cond: tir.LT(tir.Load(x, tir.Mul(i, tir.Int32(lanes*chain))), tir.FloatConst(f32, 0)), Then: tir.Store(y, longest(in(0)), at(0)), Else: tir.Store(y, in(3), at(0)),
		}}, false},
		"values that may be missing": {[]tir.Stmt{
			&tir.IfThenElse{Cond: tir.LT(i, tir.Int32(2)), Then: tir.Store(acc, in(0), part(0))}, tir.Store(acc, tir.Add(longest(tir.Load(acc, part(0))), one), part(0)), tir.Store(y, tir.Load(acc, part(0)), at(0)),
		}, false},
		"looked at in some turns only": {[]tir.Stmt{
			tir.Store(y, in(2), at(1)), &tir.IfThenElse{Cond: tir.LT(i, tir.Int32(2)), Then: tir.Store(y, tir.Max(in(2), in(3)), at(2))},
			tir.Store(y, tir.Max(in(2), in(3)), at(3)), tir.Store(y, longest(in(0)), at(0)),
		}, true},
		"memory, written first": {[]tir.Stmt{
			forLoop(j, tir.Int32(chain), tir.Store(memory, tir.Load(x, ramp(tir.Add(tir.Mul(i, tir.Int32(lanes*chain)), tir.Mul(j, tir.Int32(lanes))), 1, lanes)), place(j))),
			tir.Store(y, longest(tir.Load(memory, place(tir.Int32(5)))), at(0)),
		}, true},
		"memory, read first": {[]tir.Stmt{
			tir.Store(y, longest(tir.Load(memory, place(tir.Add(i, tir.Int32(1))))), at(0)),
			forLoop(j, tir.Int32(chain), tir.Store(memory, tir.Load(x, ramp(tir.Add(tir.Mul(i, tir.Int32(lanes*chain)), tir.Mul(j, tir.Int32(lanes))), 1, lanes)), place(j))),
		}, false},
		"memory, written and read": {[]tir.Stmt{
			forLoop(j, tir.Int32(chain), tir.Store(memory, tir.Load(x, ramp(tir.Add(tir.Mul(i, tir.Int32(lanes*chain)), tir.Mul(j, tir.Int32(lanes))), 1, lanes)), place(j)),
				tir.Store(y, tir.Max(tir.Load(memory, place(tir.Sub(tir.Int32(chain-1), j))), tir.Max(in(1), tir.Max(in(2), tir.Max(in(3), in(1))))),
					ramp(tir.Add(tir.Mul(i, tir.Int32(lanes*chain)), tir.Mul(j, tir.Int32(lanes))), 1, lanes))),
		}, false},
		"memory, read and written": {[]tir.Stmt{
			forLoop(j, tir.Int32(chain), tir.Store(memory, tir.Add(tir.Max(tir.Load(memory, place(j)), tir.Max(in(1), tir.Max(in(2), in(3)))), one), place(j))),
			tir.Store(y, longest(tir.Load(memory, place(i))), at(0)),
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			fill := forLoop(j, tir.Int32(chain), tir.Store(memory, broadcast(tir.FloatConst(f32, 2), lanes), place(j)))
			start := []tir.Stmt{tir.Store(acc, one, part(0)), tir.Store(acc, one, part(1)), fill}
			f := primFunc("f", []any{x, y}, local(memory, local(acc, append(start, forLoop(i, tir.Int32(n), c.body...))...)))
			lib, _, err := build(pack(t, f), machines["avx512"])
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(lib.Kernels[0].Text(), "vrangeps"); got != c.twice {
				t.Errorf("maxima of numbers: %v, want %v", got, c.twice)
			}
			a := zeroes(random(f32, 1, n*lanes*chain))
			check(t, f, a, random(f32, 2, n*lanes*chain))
			for _, k := range []int{0, 1, lanes * (chain - 1), lanes * chain, 3*lanes*chain + 2*lanes + 5} {
				b := a.Clone()
				b.SetFloat(k, math.NaN())
				check(t, f, b, random(f32, 2, n*lanes*chain))
			}
		})
	}
}
