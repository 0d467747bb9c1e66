package cpu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// quantizedProduct multiplies x by so many blocks of columns of integers, whose scales and zeros so many rows have in common.
func quantizedProduct(x *te.Tensor, blocks, depth, width, rows int, halves bool) kernel {
	held := depth
	if halves {
		held = depth / 2
	}
	data := typed(dtype.Int8T, "data", blocks, held, width)
	scale, zero := in("scale", blocks, (depth+rows-1)/rows, width), in("zero", blocks, (depth+rows-1)/rows, width)
	y := must(topi.MatmulQuantized(x, topi.QuantizedWeights{Data: data, Halves: halves, Zero: topi.T(zero), Scale: topi.T(scale), Rows: int64(rows)}))
	return kernel{args: []*te.Tensor{x, data, scale, zero, relu(y)}}
}

// TestPanels: weights that are computed are where they are multiplied for one row, in a panel of columns for more, and never all in memory.
func TestPanels(t *testing.T) {
	n := tir.NewVar("n", dtype.Int64T)
	for _, c := range []struct {
		name   string
		rows   any
		panels bool
	}{{"one row", 1, false}, {"rows", 24, true}, {"any number", n, true}} {
		for _, halves := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				k := quantizedProduct(in("x", c.rows, 64), 6, 64, 32, 16, halves)
				k.syms = map[*tir.Var]int64{n: 13}
				f := create(t, k)
				for _, m := range []cpu.Machine{{Lanes: 8, Registers: 16, L1: 1 << 15, L2: 1 << 20, Spreads: true}, {Lanes: 4, Registers: 16, L1: 1 << 15, L2: 1 << 20}} {
					w := &saidRules{}
					g, err := m.Schedule(f, nil, w)
					if err != nil {
						t.Fatal(err)
					}
					if said := slices.Contains(w.rules, "compute a factor as it is copied"); said != c.panels {
						t.Errorf("%d lanes: panels are computed: %v, want %v", m.Lanes, said, c.panels)
					}
					ir.Walk(g.Body, func(x ir.Node) bool {
						b, ok := x.(*tir.Block)
						if !ok {
							return true
						}
						for _, a := range b.AllocBuffers {
							size := int64(1)
							for _, e := range a.Shape {
								d, _ := tir.AsInt(e)
								size *= d
							}
							if panel := strings.HasSuffix(a.Name, "_pack"); size > 64*32 || panel && !c.panels {
								t.Errorf("%d lanes: %s has %d elements", m.Lanes, a.Name, size)
							}
						}
						return true
					})
					compare(t, run(t, f, k.arguments(t)), run(t, g, k.arguments(t)))
				}
			})
		}
	}
}

// saidRules notes the rules that applied.
type saidRules struct{ rules []string }

func (s *saidRules) Rewrite(rule string, _, _ ir.Node) { s.rules = append(s.rules, rule) }
func (s *saidRules) Declined(string, ir.Node, string)  {}
func (s *saidRules) Took(string, ir.Node, string)      {}
