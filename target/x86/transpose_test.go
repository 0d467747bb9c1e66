//go:build linux && amd64

package x86_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/codegen"
)

// rowwise copies vectors of lanes elements that are apart by stride, rows of them side by side, where gap says so with an element left out in the middle.
func rowwise(d dtype.DType, rows, lanes int, stride int64, gap bool, x, y *tir.Buffer) *tir.PrimFunc {
	v := i32var("i")
	var list []tir.Stmt
	for r := range int64(rows) {
		from := r
		if gap && r >= int64(rows/2) {
			from++
		}
		load := tir.Load(x, ramp(tir.Add(tir.Mul(v, tir.Int32(3)), tir.Int32(from)), stride, lanes))
		list = append(list, tir.Store(y, load, ramp(tir.Add(tir.Mul(v, tir.Int32(5)), tir.Int32(r*int64(lanes+1))), 1, lanes)))
	}
	f := primFunc("f", []any{x, y}, forLoop(v, tir.Int32(3), list...))
	if x == y {
		f = primFunc("f", []any{x}, forLoop(v, tir.Int32(3), list...))
	}
	return f
}

// TestRows copies vectors side by side whose elements are apart: of all lanes, types and numbers of rows, to other memory and to the same.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.UInt32T, dtype.Float64T, dtype.Float16T, dtype.Int8T} {
		for _, lanes := range []int{2, 3, 4, 8, 16, 32} {
			for _, rows := range []int{3, 4, 6, 8, 16, 17} {
				stride := []int64{0, 2, 3, 5, 17}[r.IntN(5)]
				n := int64(20 + rows + 17*lanes + rows*(lanes+1))
				x, y := flat("X", d, n), flat("Y", d, n)
				for _, gap := range []bool{false, true} {
					t.Run(fmt.Sprint(d, lanes, rows, stride, gap), func(t *testing.T) {
						check(t, rowwise(d, rows, lanes, stride, gap, x, y), random(d, 1, n), random(d, 2, n))
						check(t, rowwise(d, rows, lanes, stride, gap, x, x), random(d, 1, n))
					})
				}
			}
		}
	}
}

// TestTransposes transposes tensors, and changes layouts, under the default schedule.
func TestTransposes(t *testing.T) {
	kernels := map[string][]*te.Tensor{}
	for _, s := range [][]int{{1, 1}, {4, 4}, {3, 40}, {40, 3}, {5, 6}, {16, 16}, {17, 33}, {20, 36}, {50, 31}, {64, 40}, {48, 33}, {0, 16}, {40, 7}, {7, 40}, {37, 6}, {33, 11}, {48, 180}, {40, 83}} {
		x := placeholder("x", s...)
		kernels[fmt.Sprint(s)] = []*te.Tensor{x, topi.PermuteDims(x, []int{1, 0})}
	}
	for _, axes := range [][]int{{0, 2, 3, 1}, {0, 3, 1, 2}, {3, 2, 1, 0}, {0, 2, 1, 3}} {
		x := placeholder("x", 2, 19, 5, 23)
		kernels[fmt.Sprint(axes)] = []*te.Tensor{x, topi.PermuteDims(x, axes)}
	}
	for _, n := range []int{1, 3, 7, 12} {
		kernels[fmt.Sprint("blocks", n)] = rearranged("NCHW", "NCHW16c", []int{1, 32, n, n}, []int{1, 2, n, n, 16})
		kernels[fmt.Sprint("from blocks", n)] = rearranged("NCHW16c", "NCHW", []int{1, 2, n, n, 16}, []int{1, 32, n, n})
		for _, d := range []dtype.DType{dtype.Int8T, dtype.UInt8T} {
			kernels[fmt.Sprint(d, " blocks", n)] = rearrangedOf(d, "NCHW", "NCHW16c", []int{1, 32, n, n}, []int{1, 2, n, n, 16})
			kernels[fmt.Sprint(d, " from blocks", n)] = rearrangedOf(d, "NCHW16c", "NCHW", []int{1, 2, n, n, 16}, []int{1, 32, n, n})
		}
		kernels[fmt.Sprint("from 8", n)] = rearranged("NCHW8c", "NCHW", []int{1, 4, n, n, 8}, []int{1, 32, n, n})
	}
	machines := maps.Clone(targets)
	for machine, tgt := range targets { // tiles in groups, as beyond the second cache
		machines[machine+" with a small cache"] = tgt[:strings.Index(tgt, "-l2")] + "-l2-cache-bytes=1024"
	}
	for name, args := range kernels {
		for machine, tgt := range machines {
			t.Run(name+" "+machine, func(t *testing.T) {
				f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
				if err != nil {
					t.Fatal(err)
				}
				f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
				list := make([]any, len(args))
				for i, a := range tensors(t, args) {
					list[i] = a
				}
				checkLowered(t, f, scheduled(t, tgt, args), list...)
			})
		}
	}
}

// packedProduct is a product of many rows by a transposed matrix, which is copied to where vectors run along it.
func packedProduct(k int) []*te.Tensor {
	x, y := placeholder("x", 2, 70, k), placeholder("y", 2, 40, k)
	return []*te.Tensor{x, y, must(topi.Matmul(x, y, topi.MatmulOpts{TransposeB: true}))}
}

// TestPackedProducts multiplies small whole numbers, whose sums are the same in any order.
func TestPackedProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, k := range []int{32, 12, 13} {
		args := packedProduct(k)
		f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
		if err != nil {
			t.Fatal(err)
		}
		f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
		var list []any
		for _, x := range tensors(t, args) {
			for i := range len(x.Data) / 4 {
				x.SetFloat(i, float64(r.IntN(9)-4))
			}
			list = append(list, x)
		}
		for _, tgt := range targets {
			checkLowered(t, f, scheduled(t, tgt, args), list...)
		}
	}
}

// TestShuffles: a change of layout, and the copy of a factor, is done by shuffles of vectors, which are not there without the schedule.
func TestShuffles(t *testing.T) {
	for name, args := range map[string][]*te.Tensor{
		"layout": rearranged("NCHW", "NCHW16c", []int{1, 32, 7, 7}, []int{1, 2, 7, 7, 16}), "copy": packedProduct(32), "copy of fewer rows": packedProduct(12),
	} {
		for machine, tgt := range targets {
			lib, _, err := build(scheduled(t, tgt, args), machineOf(t, tgt))
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(lib.Kernels[0].Text()); !strings.Contains(text, "vshufps") {
				t.Errorf("%s, %s: no shuffle in\n%s", name, machine, text)
			}
		}
	}
}

// TestShortRows: rows that are left over of four are read as four, but for the last one, behind which there may be no memory; so are not rows that lie close to each other, of which lanes are picked.
func TestShortRows(t *testing.T) {
	for _, c := range []struct {
		rows   int
		stride int64
		masks  int // loads that are masked, for each vector
	}{{2, 7, 1}, {3, 6, 1}, {4, 7, 0}, {2, 3, 0}, {3, 4, 0}} {
		for machine, tgt := range targets {
			lanes := map[string]int{"avx512": 16, "avx2": 8}[machine]
			x, y := flat("X", dtype.Float32T, 400), flat("Y", dtype.Float32T, 400)
			lib, _, err := build(packedFor(t, targetOf(t, tgt), rowwise(dtype.Float32T, c.rows, lanes, c.stride, false, x, y)), machineOf(t, tgt))
			if err != nil {
				t.Fatal(err)
			}
			masks := 0
			for _, line := range strings.Split(lib.Kernels[0].Text(), "\n") {
				if strings.Contains(line, "xmmword") && (strings.Contains(line, "{k") || strings.Contains(line, "vmaskmovps")) {
					masks++
				}
			}
			if masks != c.masks {
				t.Errorf("%d rows that are %d elements apart, %s: %d masked loads, want %d in\n%s", c.rows, c.stride, machine, masks, c.masks, lib.Kernels[0].Text())
			}
		}
	}
}

// TestEdges: a depthwise convolution reads what it pads where that is, without a condition in any loop.
func TestEdges(t *testing.T) {
	for _, c := range [][3]int{{32, 20, 1}, {32, 20, 2}, {16, 7, 1}, {16, 2, 1}} {
		args, _ := depthwise(c[0], c[1], c[2], 16)
		for machine, tgt := range targets {
			c := passtest.NewContext()
			m, err := c.Run(pass.NewSequential("copies", tirpass.UnrollLoop, tirpass.Simplify), ir.NewModule().With("kernel", scheduled(t, tgt, args)[0].Prim)) // what holds of each copy
			if err != nil {
				t.Fatal(err)
			}
			ir.Walk(codegen.Funcs(m)[0].Prim.Body, func(n ir.Node) bool {
				if x, ok := n.(tir.Expr); ok {
					if _, cond := tir.IsCallTo(x, tir.OpIfThenElse); cond {
						t.Errorf("%v %s: %v", c, machine, x)
					}
				}
				return true
			})
		}
	}
}
