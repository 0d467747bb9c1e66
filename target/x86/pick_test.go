//go:build linux && amd64

package x86_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// pattern is a vector of indices whose distances are known: a ramp that is multiplied and divided, or taken apart into a quotient and a remainder, as pictures grow and phases are joined.
func pattern(r *rand.Rand, start tir.Expr, lanes int) tir.Expr {
	c := func(n int64) tir.Expr { return broadcast(tir.Int32(n), lanes) }
	v := tir.Add(tir.Mul(ramp(tir.Int32(0), 1, lanes), c(1+r.Int64N(3))), c(r.Int64N(4)))
	by := c(1 + r.Int64N(5))
	switch r.IntN(6) {
	case 0:
		v = tir.FloorDiv(v, by)
	case 4:
		v = tir.Add(tir.NewCall(tir.OpShiftRight, v, c(r.Int64N(3))), tir.Mul(tir.NewCall(tir.OpBitwiseAnd, v, c(r.Int64N(8))), c(20)))
	case 1:
		v = tir.Add(tir.Mul(tir.FloorMod(v, by), c(r.Int64N(90))), tir.FloorDiv(v, by))
	case 2:
		v = tir.Sub(tir.Mul(c(1+r.Int64N(4)), v), tir.Div(v, by))
	case 3:
		v = tir.Max(tir.Min(tir.Sub(v, c(3)), c(r.Int64N(40))), c(r.Int64N(5)))
	}
	return tir.Add(broadcast(start, lanes), v)
}

// TestPicked reads vectors whose lanes are at known distances, of all lanes and types.
func TestPicked(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	const n, turns = 700, 3
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.UInt32T, dtype.Float64T, dtype.Float16T, dtype.Int8T} {
		for _, lanes := range []int{2, 4, 5, 8, 16, 24, 32, 48} {
			for k := range 6 {
				t.Run(fmt.Sprint(d, lanes, k), func(t *testing.T) {
					x, y, i := flat("X", d, n), flat("Y", d, int64(turns*lanes)), i32var("i")
					load := tir.Load(x, pattern(r, tir.Mul(i, tir.Int32(int64(r.IntN(20)))), lanes))
					store := tir.Store(y, load, ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes))
					check(t, primFunc("f", []any{x, y}, forLoop(i, tir.Int32(turns), store)), random(d, 1, n), random(d, 2, int64(turns*lanes)))
				})
			}
		}
	}
}

// condition is one of vectors of integers at known distances, of scalars, and of what is made of them: in a loop over i, which is known where that is unrolled.
func condition(r *rand.Rand, i tir.Expr, lanes, depth int) tir.Expr {
	c := func(n int64) tir.Expr { return broadcast(tir.Int32(n), lanes) }
	compare := []tir.BinaryOp{tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpEQ, tir.OpNE}
	switch k := r.IntN(6); {
	case k < 2 && depth > 0:
		return tir.NewBinary([]tir.BinaryOp{tir.OpAnd, tir.OpOr}[k], condition(r, i, lanes, depth-1), condition(r, i, lanes, depth-1))
	case k == 2 && depth > 0:
		return tir.LogicalNot(condition(r, i, lanes, depth-1))
	case k == 3:
		return broadcast(tir.NewBinary(compare[r.IntN(6)], i, tir.Int32(r.Int64N(3))), lanes)
	}
	return tir.NewBinary(compare[r.IntN(6)], pattern(r, tir.Mul(i, tir.Int32(r.Int64N(3))), lanes), c(r.Int64N(40)))
}

// TestChosen chooses lanes of what is loaded under conditions that are known, in parts, or not at all.
func TestChosen(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	const n, turns = 700, 3
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.Float64T, dtype.Int8T} {
		for _, lanes := range []int{2, 4, 8, 16, 32} {
			for k := range 12 {
				t.Run(fmt.Sprint(d, lanes, k), func(t *testing.T) {
					x, y, i := flat("X", d, n), flat("Y", d, int64(turns*lanes)), i32var("i")
					load := tir.Load(x, pattern(r, tir.Mul(i, tir.Int32(int64(r.IntN(20)))), lanes))
					value := &tir.Select{Cond: condition(r, i, lanes, 2), True: load, False: broadcast(tir.Const(d, 3), lanes)}
					loop := forLoop(i, tir.Int32(turns), tir.Store(y, value, ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)))
					if k%2 == 0 {
						loop.(*tir.For).Kind = tir.Unrolled
					}
					check(t, primFunc("f", []any{x, y}, loop), random(d, 1, n), random(d, 2, int64(turns*lanes)))
				})
			}
		}
	}
}

// TestPickedTogether picks lanes for several vectors of the rows that all of them read, of one and of several buffers, some of them where a condition holds or behind a loop.
func TestPickedTogether(t *testing.T) {
	const n, turns = 900, 3
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.Float64T} {
		for _, lanes := range []int{4, 8, 16, 32} {
			t.Run(fmt.Sprint(d, lanes), func(t *testing.T) {
				seed.Each(t, 10, func(t *testing.T, r *rand.Rand) {
					xs := []*tir.Buffer{flat("X", d, n), flat("Z", d, n)}
					count := 2 + r.Int64N(6)
					y, i, u := flat("Y", d, int64(turns*lanes)*count), i32var("i"), i32var("u")
					at := func(k int64) tir.Expr {
						return ramp(tir.Mul(tir.Add(tir.Mul(i, tir.Int32(count)), tir.Add(u, tir.Int32(k))), tir.Int32(int64(lanes))), 1, lanes)
					}
					read := func() tir.Expr {
						from := tir.Add(tir.Mul(i, tir.Int32(int64(20*(1+r.IntN(2))))), tir.Add(tir.Mul(u, tir.Int32(r.Int64N(40))), tir.Int32(r.Int64N(70))))
						if r.IntN(3) == 0 {
							return tir.Load(xs[r.IntN(2)], pattern(r, from, lanes))
						}
						return tir.Load(xs[r.IntN(2)], ramp(from, 1+r.Int64N(3), lanes))
					}
					value := func() tir.Expr {
						switch a, b := read(), read(); r.IntN(4) {
						case 0:
							return tir.Max(a, b)
						case 1:
							return &tir.Select{Cond: condition(r, u, lanes, 1), True: a, False: b}
						case 2:
							if d.IsFloat() {
								return tir.NewCall(tir.OpFma, a, b, read())
							}
						}
						return read()
					}
					var body []tir.Stmt
					for k := range count - 2 {
						var s tir.Stmt = tir.Store(y, value(), at(k))
						switch r.IntN(6) {
						case 0:
							s = &tir.IfThenElse{Cond: tir.LT(tir.FloorMod(tir.Add(i, u), tir.Int32(2)), tir.Int32(1)), Then: s}
						case 1:
							s = forLoop(i32var("once"), tir.Int32(1+r.Int64N(2)), s)
						}
						body = append(body, s)
					}
					body = append(body, tir.Store(y, value(), at(count-2)))
					loop := forLoop(u, tir.Int32(2), body...)
					loop.(*tir.For).Kind = tir.Unrolled
					check(t, primFunc("f", []any{xs[0], xs[1], y}, forLoop(i, tir.Int32(turns), loop)), random(d, 1, n), random(d, 2, n), random(d, 3, int64(turns*lanes)*count))
				})
			})
		}
	}
}

// TestPickedFromRegisters reads vectors of elements that lie apart in an array that is kept in registers, which others wrote.
func TestPickedFromRegisters(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	const turns = 3
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.Float64T, dtype.Int8T} {
		for _, lanes := range []int{4, 8, 16, 32} {
			for k := range 8 {
				t.Run(fmt.Sprint(d, lanes, k), func(t *testing.T) {
					size := int64((2 + r.IntN(3)) * lanes)
					x, y, a, i := flat("X", d, turns*size), flat("Y", d, int64(turns*lanes)), flat("A", d, size), i32var("i")
					var body []tir.Stmt
					for at := int64(0); at < size; at += int64(lanes) {
						body = append(body, tir.Store(a, tir.Load(x, ramp(tir.Add(tir.Mul(i, tir.Int32(size)), tir.Int32(at)), 1, lanes)), ramp(tir.Int32(at), 1, lanes)))
					}
					from, c := r.Int64N(4), func(n int64) tir.Expr { return broadcast(tir.Int32(n), lanes) }
					step := 1 + r.Int64N((size-from-1)/int64(lanes-1))
					v := tir.Min(tir.Add(tir.Mul(ramp(tir.Int32(0), 1, lanes), c(step)), c(from)), c(size-1-r.Int64N(3)))
					if k%2 == 0 {
						v = tir.FloorMod(tir.Mul(v, c(1+r.Int64N(5))), c(size))
					}
					body = append(body, tir.Store(y, tir.Load(a, v), ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)))
					f := primFunc("f", []any{x, y}, local(a, forLoop(i, tir.Int32(turns), body...)))
					check(t, f, random(d, 1, turns*size), random(d, 2, int64(turns*lanes)))
				})
			}
		}
	}
}

// TestPeriods runs kernels whose reads come again after a few elements, under the default schedule: images that grow and shrink, axes shorter than a vector that change places, and phases
// of a convolution that are put in order. Images are compared with those whose places are computed as floats.
func TestPeriods(t *testing.T) {
	kernels := map[string][]*te.Tensor{}
	r := rand.New(rand.NewPCG(5, 5))
	for _, coords := range []string{"asymmetric", "half_pixel", "align_corners", "tf_half_pixel_for_nn"} {
		for _, rounding := range []string{"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"} {
			for _, s := range [][2]int{{7, 14}, {20, 60}, {20, 30}, {17, 34}, {50, 25}, {30, 20}, {16, 64}, {9, 63}, {100, 33}, {1, 16}, {5, 5}} {
				x := placeholder("x", 1, 1+r.IntN(3), s[0], s[0])
				size := []tir.Expr{tir.Int(int64(s[1])), tir.Int(int64(s[1]))}
				y := must(topi.Resize(x, size, topi.ResizeOpts{Layout: "NCHW", Method: "nearest_neighbor", Coordinate: coords, Rounding: rounding}))
				if r.IntN(2) == 0 {
					y = must(topi.Unary("relu", y))
				}
				kernels[fmt.Sprint("resize ", coords, rounding, s)] = []*te.Tensor{x, y}
			}
		}
	}
	for _, c := range []int{2, 3, 4, 5, 6, 7, 8, 9} {
		for _, axes := range [][]int{{0, 2, 3, 1}, {3, 0, 2, 1}, {0, 3, 2, 1}} {
			x := placeholder("x", 1+r.IntN(2), c, 1+r.IntN(5), 1+r.IntN(70))
			kernels[fmt.Sprint("last ", c, axes)] = []*te.Tensor{x, topi.PermuteDims(x, axes)}
		}
		x := placeholder("x", 1+r.IntN(2), 1+r.IntN(5), 1+r.IntN(70), c)
		kernels[fmt.Sprint("first ", c)] = []*te.Tensor{x, topi.PermuteDims(x, []int{0, 3, 1, 2})}
	}
	for _, k := range []int{2, 3, 4} {
		for _, n := range []int{5, 9, 17, 24} {
			x, w := placeholder("x", 1, 3, 4, n), placeholder("w", 3, 2, k, k)
			pad := int64(r.IntN(2))
			y := must(topi.ConvTranspose(x, w, topi.ConvOpts{
				Strides: []int64{2, int64(2 + n%2)}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{0, pad}, OutputPadding: []int64{0, 0}, Groups: 1, Data: "NCHW", Kernel: "IOHW",
			}))
			kernels[fmt.Sprint("phases ", k, n)] = []*te.Tensor{x, w, y}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		args := kernels[name]
		for machine, tgt := range targets {
			t.Run(name+" "+machine, func(t *testing.T) {
				f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(name, "resize") {
					if f, err = te.CreatePrimFunc(args, te.FuncOpts{}); err != nil {
						t.Fatal(err)
					}
				}
				f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
				list := make([]any, len(args))
				for i, a := range tensors(t, args) {
					for k := range len(a.Data) / 4 {
						a.SetFloat(k, float64(r.IntN(99)-49))
					}
					list[i] = a
				}
				checkLowered(t, f, scheduled(t, tgt, args), list...)
			})
		}
	}
}

// TestPickedInstructions: under the default schedule images grow, and a short axis becomes the last, by instructions that pick lanes.
func TestPickedInstructions(t *testing.T) {
	x, y := placeholder("x", 1, 2, 20, 20), placeholder("x", 1, 3, 20, 20)
	size := []tir.Expr{tir.Int(40), tir.Int(40)}
	for name, args := range map[string][]*te.Tensor{
		"resize": {x, must(topi.Resize(x, size, topi.ResizeOpts{Layout: "NCHW", Method: "nearest_neighbor", Coordinate: "half_pixel", Rounding: "round_prefer_floor"}))},
		"last":   {y, topi.PermuteDims(y, []int{0, 2, 3, 1})},
	} {
		for machine, tgt := range targets {
			lib, _, err := build(scheduled(t, tgt, args), machineOf(t, tgt))
			if err != nil {
				t.Fatal(err)
			}
			if text := lib.Kernels[0].Text(); !strings.Contains(text, "vperm") {
				t.Errorf("%s on %s picks no lanes:\n%s", name, machine, text)
			}
		}
	}
}

// TestRandomPeriods computes random functions of elements at quotients and remainders of indices under the default schedule, fused with others that read neighbours.
func TestRandomPeriods(t *testing.T) {
	seed.Each(t, seed.Cases(60, 600), func(t *testing.T, r *rand.Rand) {
		n, rows := 1+r.IntN(120), 1+r.IntN(4)
		a, b, c := 1+r.Int64N(4), r.Int64N(6), 1+r.Int64N(9)
		quotient := func(i tir.Expr) tir.Expr {
			return tir.FloorDiv(tir.Add(tir.Mul(i, tir.Int(a)), tir.Int(b)), tir.Int(c))
		}
		wide := int((int64(n-1)*a+b)/c) + 1
		parts := 1 + r.IntN(4)
		x, y, z := placeholder("x", rows, parts, wide), placeholder("y", rows, n), placeholder("z", rows, n, parts)
		kind := r.IntN(4)
		out := te.Compute("out", placeholder("out", rows, n).Shape, func(i []tir.Expr) tir.Expr {
			var e tir.Expr
			switch kind {
			case 0:
				e = x.At(i[0], tir.Int(0), quotient(i[1]))
			case 1: // of parts in turn
				e = x.At(i[0], tir.FloorMod(i[1], tir.Int(int64(parts))), tir.FloorDiv(i[1], tir.Int(max(int64(parts), (int64(n)+int64(wide)-1)/int64(wide)))))
			case 2: // every few elements
				e = z.At(i[0], i[1], tir.Int(int64(parts-1)))
			default: // and of the end of a row first
				e = tir.Add(x.At(i[0], tir.Int(0), quotient(i[1])), y.At(i[0], tir.Sub(tir.Int(int64(n-1)), i[1])))
			}
			if r.IntN(2) == 0 {
				e = tir.Add(e, y.At(i[0], i[1]))
			}
			return e
		}, te.AxisPrefix("i"))
		args := []*te.Tensor{x, y, z, out}
		f, err := te.CreatePrimFunc(args, te.FuncOpts{})
		if err != nil {
			t.Fatal(err)
		}
		f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
		var list []any
		for _, x := range tensors(t, args) {
			list = append(list, x)
		}
		for _, tgt := range targets {
			checkLowered(t, f, scheduled(t, tgt, args), list...)
		}
	})
}
