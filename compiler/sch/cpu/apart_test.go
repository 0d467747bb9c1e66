package cpu_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestTakenApart: what is computed of elements across memory reads them from a copy, where one access alone goes across it.
func TestTakenApart(t *testing.T) {
	sigmoid := func(x *te.Tensor) *te.Tensor { return must(topi.Unary("sigmoid", x)) }
	turned := func(x *te.Tensor) *te.Tensor { return topi.PermuteDims(x, []int{0, 2, 1}) }
	add := func(x, y *te.Tensor) *te.Tensor { return must(topi.Binary("add", topi.T(x), topi.T(y))) }
	n := tir.NewVar("n", dtype.Int64T)
	x, y := in("x", 2, 19, 21), in("y", 2, 19, 21)
	same, row, column := in("same", 2, 21, 19), in("row", 19), in("column", 21, 1)
	s, narrow, one := in("s", 2, n, 21), in("narrow", 2, 19, 3), in("one", 1, 19, 21)
	twice := func(x *te.Tensor) *te.Tensor { return must(topi.Binary("multiply", topi.T(x), topi.T(sigmoid(x)))) }
	image := in("image", 2, 8, 3, 7)
	pixels := topi.Reshape(image, []tir.Expr{tir.Int(2), tir.Int(8), tir.Int(21)})
	flat := func(x *te.Tensor) *te.Tensor { return topi.Reshape(x, []tir.Expr{tir.Int(2 * 19 * 21)}) }
	longer := in("longer", 2, 20, 21)
	from := func(k int64) *te.Tensor {
		return te.Compute("from", x.Shape, func(i []tir.Expr) tir.Expr { return longer.At(i[0], tir.Add(i[1], tir.Int(k)), i[2]) })
	}
	for _, c := range []struct {
		name string
		kernel
		copies int
	}{
		{"read twice", kernel{args: []*te.Tensor{x, twice(turned(x))}}, 1},
		{"the pixels of an image read twice", kernel{args: []*te.Tensor{image, twice(turned(pixels))}}, 1},
		{"flat results", kernel{args: []*te.Tensor{x, sigmoid(flat(turned(x)))}}, 1},
		{"flat results in order", kernel{args: []*te.Tensor{x, sigmoid(flat(x))}}, 0},
		{"two elements of one tensor", kernel{args: []*te.Tensor{longer, add(turned(from(0)), turned(from(1)))}}, 0},
		{"sigmoid", kernel{args: []*te.Tensor{x, sigmoid(turned(x))}}, 1},
		{"no batch", kernel{args: []*te.Tensor{one, sigmoid(turned(one))}}, 1},
		{"added", kernel{args: []*te.Tensor{x, same, add(turned(x), same)}}, 1},
		{"a row added", kernel{args: []*te.Tensor{x, row, add(turned(x), row)}}, 1},
		{"a column added", kernel{args: []*te.Tensor{x, column, add(turned(x), column)}}, 1},
		{"symbolic", kernel{[]*te.Tensor{s, sigmoid(turned(s))}, map[*tir.Var]int64{n: 7}}, 1},
		{"symbolic and one", kernel{[]*te.Tensor{s, sigmoid(turned(s))}, map[*tir.Var]int64{n: 1}}, 1},
		{"two across", kernel{args: []*te.Tensor{x, y, add(turned(x), turned(y))}}, 0},
		{"a copy", kernel{args: []*te.Tensor{x, turned(x)}}, 0},
		{"along", kernel{args: []*te.Tensor{x, sigmoid(x)}}, 0},
		{"narrow", kernel{args: []*te.Tensor{narrow, sigmoid(turned(narrow))}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := create(t, c.kernel)
			for _, m := range []cpu.Machine{{Lanes: 8, Registers: 16, L1: 1 << 15, L2: 1 << 20, Spreads: true}, {Lanes: 4, Registers: 16, L1: 1 << 15, L2: 1 << 20}} {
				trace, _, err := m.Trace(f)
				if err != nil {
					t.Fatal(err)
				}
				copies, want := 0, c.copies
				for _, i := range trace {
					if i.Kind == sch.KindOf("ReindexCacheRead") {
						copies++
					}
				}
				if !m.Spreads {
					want = 0 // its code generator does not transpose in registers
				}
				if copies != want {
					t.Errorf("%d lanes: %d copies, want %d", m.Lanes, copies, want)
				}
				g, err := m.Schedule(f, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				out := run(t, f, c.arguments(t))
				compare(t, out, run(t, g, c.arguments(t)))
				back, _ := tirtest.Backwards(g)
				compare(t, out, run(t, back, c.arguments(t)))
			}
		})
	}
}
