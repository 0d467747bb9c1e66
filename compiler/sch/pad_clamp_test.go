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

// firstBlock is the first block in the root of a schedule.
func firstBlock(t *testing.T, s *sch.Schedule) any {
	t.Helper()
	blocks, err := s.Do(sch.KindOf("GetBlock"), "root", nil)
	if err == nil {
		blocks, err = s.Do(sch.KindOf("GetChildBlocks"), blocks[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	return blocks[0]
}

// TestClampPadding pads by all of several widths, wider ones than what is padded among them: the block chooses between values, of which none is read out of bounds, and computes the same.
func TestClampPadding(t *testing.T) {
	for before := range int64(4) {
		for after := range int64(4) {
			x := in("x", dtype.Float32T, 2, 3, 2)
			y := must(topi.Pad(x, []int64{0, before, after}, []int64{0, after, before}, "constant", tir.FloatConst(dtype.Float32T, 7)))
			f, err := te.CreatePrimFunc([]*te.Tensor{x, y}, te.FuncOpts{Tuned: true})
			if err != nil {
				t.Fatal(err)
			}
			m := ir.NewModule().With("main", f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "main")))
			s, err := sch.NewSchedule(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			if before+after == 0 {
				continue // nothing is padded
			}
			block := firstBlock(t, s)
			if _, err := s.Do(sch.KindOf("ClampPadding"), block); err != nil {
				t.Fatal(err)
			}
			if d := differs(run(t, m), run(t, s.Module())); d != "" {
				t.Errorf("%d, %d: %s\n%s", before, after, d, source(s.Module()))
			}
			if text := source(s.Module()); strings.Contains(text, "if_then_else") || !strings.Contains(text, "T.Select") {
				t.Errorf("%d, %d: it still branches\n%s", before, after, text)
			}
			replayed(t, m, s)
			if _, err := s.Do(sch.KindOf("ClampPadding"), block); err == nil || !strings.Contains(err.Error(), "does not pad") {
				t.Errorf("%d, %d: done again: %v", before, after, err)
			}
		}
	}
}

// TestClampPaddingRefuses asks for blocks that do not pad what they load.
func TestClampPaddingRefuses(t *testing.T) {
	for name, want := range map[string]string{"chain": "does not pad: it does not store a constant", "softmax": "does not pad: its body is no store alone"} {
		s, err := sch.NewSchedule(programs(t)[name], 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Do(sch.KindOf("ClampPadding"), firstBlock(t, s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
