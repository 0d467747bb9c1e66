package cpu_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestCases: what joins tensors that lie across it is split into copies, which are transposed in tiles, as the heads of detectors are: each place of an image has several rows.
func TestCases(t *testing.T) {
	turned := func(x *te.Tensor) *te.Tensor { return topi.PermuteDims(x, []int{0, 2, 3, 1}) }
	rows := func(x *te.Tensor, count, width int64) *te.Tensor {
		return topi.Reshape(turned(x), []tir.Expr{tir.Int(1), tir.Int(count), tir.Int(width)})
	}
	join := func(axis int, xs ...*te.Tensor) *te.Tensor { return topi.Concat(xs, axis) }
	a, b := in("a", 1, 24, 6, 9), in("b", 1, 24, 3, 5)
	plain, other := in("plain", 2, 5, 16), in("other", 2, 7, 16)
	n := tir.NewVar("n", dtype.Int64T)
	open := in("open", 1, 24, n, 5)
	for _, c := range []struct {
		name string
		kernel
		splits, turns int
	}{
		{"three rows of each place", kernel{args: []*te.Tensor{a, b, join(1, rows(a, 162, 8), rows(b, 45, 8))}}, 1, 2},
		{"one row", kernel{args: []*te.Tensor{a, b, join(1, rows(a, 54, 24), rows(b, 15, 24))}}, 1, 2},
		{"along what is written", kernel{args: []*te.Tensor{plain, other, join(1, plain, other)}}, 0, 0},
		{"symbolic", kernel{[]*te.Tensor{open, b, join(1, turned(open), turned(b))}, map[*tir.Var]int64{n: 4}}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := create(t, c.kernel)
			for _, m := range []cpu.Machine{{Lanes: 8, Registers: 16, L1: 1 << 15, L2: 1 << 20, Spreads: true}, {Lanes: 4, Registers: 16, L1: 1 << 15, L2: 1 << 20}} {
				splits, turns := c.splits, c.turns
				if !m.Spreads {
					splits, turns = 0, 0 // its code generator does not transpose in registers
				}
				trace, _, err := m.Trace(f)
				if err != nil {
					t.Fatal(err)
				}
				w := &counted{}
				g, err := m.Schedule(f, nil, w)
				if err != nil {
					t.Fatal(err)
				}
				got := 0
				for _, i := range trace {
					if i.Kind == sch.KindOf("SplitCases") {
						got++
					}
				}
				if got != splits || w.rules["transpose in registers"] != turns {
					t.Errorf("%d lanes: %d splits and %d transposes, want %d and %d", m.Lanes, got, w.rules["transpose in registers"], splits, turns)
				}
				out := run(t, f, c.arguments(t))
				compare(t, out, run(t, g, c.arguments(t)))
				back, _ := tirtest.Backwards(g)
				compare(t, out, run(t, back, c.arguments(t)))
			}
		})
	}
}

// counted counts the rules that applied.
type counted struct{ rules map[string]int }

func (c *counted) Rewrite(rule string, _, _ ir.Node) {
	if c.rules == nil {
		c.rules = map[string]int{}
	}
	c.rules[rule]++
}
func (*counted) Took(string, ir.Node, string)     {}
func (*counted) Declined(string, ir.Node, string) {}
