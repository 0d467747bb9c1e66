package sch_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// TestRolling tiles two sums of neighbours in all sizes, of which some do not divide the extent and some do not overlap, and lets what is between
// them roll.
func TestRolling(t *testing.T) {
	m := programs(t)["pools"]
	want := run(t, m)
	rolled := 0
	for axis := range 2 {
		for size := int64(1); size < 8; size++ {
			s, err := sch.NewSchedule(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			do := func(name string, args ...any) []any {
				t.Helper()
				out, err := s.Do(sch.KindOf(name), args...)
				if err != nil {
					t.Fatalf("size %d: %v", size, err)
				}
				return out
			}
			blocks := do("GetChildBlocks", do("GetBlock", "root", nil)[0])
			loops := do("GetLoops", blocks[1])
			tiles := do("Split", loops[axis], []tir.Expr{nil, tir.Int(size)}, true, false)
			do("Reorder", []*sch.Loop{tiles[0].(*sch.Loop), loops[1-axis].(*sch.Loop), tiles[1].(*sch.Loop)})
			do("ComputeAt", blocks[0], tiles[0], true, int64(-1))
			if _, err := s.Do(sch.KindOf("RollingBuffer"), blocks[0], int64(0)); err == nil {
				rolled++
			} else if axis == 1 && size < 7 {
				t.Errorf("size %d: %v", size, err)
			}
			if d := differs(want, run(t, s.Module())); d != "" {
				t.Errorf("axis %d, size %d: %s\n%s", axis, size, d, source(s.Module()))
			}
			replayed(t, m, s)
		}
	}
	if rolled < 6 {
		t.Errorf("%d buffers rolled", rolled)
	}
}
