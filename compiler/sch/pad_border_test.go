package sch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestSplitPadding pads by all of several widths: each element of the result is stored once, the constant in two blocks along each axis that is padded on both sides.
func TestSplitPadding(t *testing.T) {
	for before := range int64(3) {
		for after := range int64(3) {
			for other := range int64(2) {
				x := in("x", dtype.Float32T, 2, 3, 1, 4)
				y := must(topi.Pad(x, []int64{0, before, other, 0}, []int64{0, after, 1, 0}, "constant", tir.FloatConst(dtype.Float32T, 7)))
				f, err := te.CreatePrimFunc([]*te.Tensor{x, y}, te.FuncOpts{Tuned: true})
				if err != nil {
					t.Fatal(err)
				}
				m := ir.NewModule().With("main", f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "main")))
				s, err := sch.NewSchedule(m, 1)
				if err != nil {
					t.Fatal(err)
				}
				do := func(name string, args ...any) []any {
					t.Helper()
					out, err := s.Do(sch.KindOf(name), args...)
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
				fills := do("SplitPadding", do("GetChildBlocks", do("GetBlock", "root", nil)[0])[0])
				if want := int(min(before, 1) + min(after, 1) + other + 1); len(fills) != want {
					t.Errorf("%d, %d, %d: %d blocks, want %d", before, after, other, len(fills), want)
				}
				if d := differs(run(t, m), run(t, s.Module())); d != "" {
					t.Errorf("%d, %d, %d: %s\n%s", before, after, other, d, source(s.Module()))
				}
				points := int64(0)
				ir.Walk(s.Module().Lookup("main").(*tir.PrimFunc).Body, func(n ir.Node) bool {
					b, ok := n.(*tir.Block)
					if ok && len(b.IterVars) > 0 {
						volume := int64(1)
						for _, iv := range b.IterVars {
							e, _ := tir.AsInt(iv.Dom.Extent)
							volume *= e
						}
						points += volume
					}
					return true
				})
				if want := 2 * (3 + before + after) * (1 + other + 1) * 4; points != want {
					t.Errorf("%d, %d, %d: %d stores, want %d\n%s", before, after, other, points, want, source(s.Module()))
				}
				replayed(t, m, s)
			}
		}
	}
}

// TestSplitPaddingRefuses asks for what cannot be split.
func TestSplitPaddingRefuses(t *testing.T) {
	for name, want := range map[string]string{"chain": "padding predicate", "softmax": "is not a complete block"} {
		s, err := sch.NewSchedule(programs(t)[name], 1)
		if err != nil {
			t.Fatal(err)
		}
		root, err := s.Do(sch.KindOf("GetBlock"), "root", nil)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := s.Do(sch.KindOf("GetChildBlocks"), root[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Do(sch.KindOf("SplitPadding"), blocks[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
