package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
)

// noViews fails where a buffer that f allocates is reached by a view, which would keep it whole: of what nests hand on, a row is kept.
func noViews(t *testing.T, f *tir.PrimFunc) {
	t.Helper()
	own := map[*tir.Var]bool{}
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				own[b.Data] = true
			}
		case *tir.DeclBuffer:
			if own[n.Buffer.Data] {
				t.Errorf("%s is a view of a buffer of the function", n.Buffer.Name)
			}
		}
		return true
	})
}

// TestRowsThroughAllNests: where the first cache keeps a row of what nests hand on, and not all rows, one loop over rows holds them all, which threads share as they shared each.
func TestRowsThroughAllNests(t *testing.T) {
	softmax := func(axis int, dims ...any) kernel {
		x := in("x", dims...)
		return kernel{args: []*te.Tensor{x, relu(topi.Softmax(x, axis))}}
	}
	norm := func(dims ...any) kernel {
		last := dims[len(dims)-1].(int)
		x, g, b := in("x", dims...), in("g", last), in("b", last)
		return kernel{args: []*te.Tensor{x, g, b, topi.LayerNorm(x, g, b, []int{len(dims) - 1}, 1e-5)}}
	}
	for _, c := range []struct {
		name string
		kernel
		l1      int64
		merges  int
		beside  int64 // rows in a turn
		abreast bool  // they share what they read
	}{
		{"softmax", softmax(1, 40, 24), 1 << 10, 3, 2, false},
		{"softmax of three axes", softmax(2, 5, 8, 24), 1 << 10, 3, 2, false},
		{"softmax of four axes", softmax(3, 2, 3, 7, 24), 1 << 10, 3, 1, false}, // no number but 1 divides 7
		{"softmax of four axes, rows beside each other", softmax(3, 2, 3, 12, 24), 2 << 10, 3, 4, false},
		{"eight rows beside each other", softmax(1, 400, 24), 4 << 10, 3, 8, false},
		{"an odd number of rows", softmax(1, 401, 24), 4 << 10, 3, 1, false},
		{"softmax that fits", softmax(1, 40, 24), 16 << 10, 0, 8, false},
		{"rows that do not fit", softmax(1, 8, 300), 1 << 10, 0, 1, false},
		{"softmax of columns", softmax(0, 24, 40), 1 << 10, 0, 1, false},
		{"layer norm", norm(40, 24), 1 << 10, 2, 2, true},
		{"layer norm of three axes", norm(5, 9, 24), 1 << 10, 2, 1, false},
		{"layer norm of three axes, rows beside each other", norm(5, 16, 24), 2 << 10, 2, 4, true},
		{"layer norm of long rows", norm(40, 96), 4 << 10, 2, 2, true},
		{"softmax of long rows", softmax(1, 40, 96), 4 << 10, 3, 2, false},
		{"one row", softmax(1, 1, 64), 256, 0, 1, false},
	} {
		for threads := int64(1); threads <= 2; threads++ {
			t.Run(fmt.Sprintf("%s, %d threads", c.name, threads), func(t *testing.T) {
				f := create(t, c.kernel)
				m := cpu.Machine{Lanes: 8, Registers: 16, L1: c.l1, L2: 1 << 20, Spreads: true, Threads: threads, ForkWork: 1}
				trace, _, err := m.Trace(f)
				if err != nil {
					t.Fatal(err)
				}
				merges, beside := 0, int64(1)
				for _, x := range trace {
					if x.Kind == sch.KindOf("Merge") {
						merges++
					}
					if x.Kind == sch.KindOf("TileReduction") && c.merges > 0 {
						tile := x.Args[2].([]int64)
						beside = max(beside, tile[len(tile)-2])
					}
				}
				if got := slices.ContainsFunc(trace, func(x *sch.Instruction) bool { return x.Kind == sch.KindOf("Reorder") }); got != c.abreast {
					t.Errorf("rows are abreast: %v, want %v", got, c.abreast)
				}
				if c.merges > 0 && beside != c.beside {
					t.Errorf("%d rows are beside each other, want %d", beside, c.beside)
				}
				if merges != c.merges {
					t.Errorf("%d nests are merged into the one before, want %d", merges, c.merges)
				}
				g, err := m.Schedule(f, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.merges > 0 {
					noViews(t, g)
				}
				want := run(t, f, c.arguments(t))
				compare(t, want, run(t, g, c.arguments(t)))
				back, loops := tirtest.Backwards(g)
				if threads > 1 && c.merges > 0 && loops != 1 {
					t.Errorf("%d loops are parallel, want the one over rows", loops)
				}
				compare(t, want, run(t, back, c.arguments(t)))
			})
		}
	}
}

// TestRowsInAnotherOrder: the nests of the second softmax are merged, but not into those of the first, whose rows they take in another order. What was tried is undone.
func TestRowsInAnotherOrder(t *testing.T) {
	x := in("x", 5, 8, 24)
	k := kernel{args: []*te.Tensor{x, topi.Softmax(topi.Flip(topi.Softmax(x, 2), 1), 2)}}
	f := create(t, k)
	m := cpu.Machine{Lanes: 8, Registers: 16, L1: 1 << 10, L2: 1 << 20, Spreads: true, Threads: 1, ForkWork: 1}
	trace, _, err := m.Trace(f)
	if err != nil {
		t.Fatal(err)
	}
	merges := 0
	for _, i := range trace {
		if i.Kind == sch.KindOf("Merge") {
			merges++
		}
	}
	if merges != 6 {
		t.Errorf("%d nests are merged into the one before, want 3 of each softmax", merges)
	}
	g, err := m.Schedule(f, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, run(t, f, k.arguments(t)), run(t, g, k.arguments(t)))
}
