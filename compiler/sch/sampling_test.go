package sch_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// do calls an instruction that must work.
func do(t testing.TB, s *sch.Schedule, kind string, args ...any) []any {
	t.Helper()
	out, err := s.Do(sch.KindOf(kind), args...)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return out
}

func newSchedule(t testing.TB, m *ir.Module, seed int64) *sch.Schedule {
	t.Helper()
	s, err := sch.NewSchedule(m, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loopsOver returns a function that fills a buffer in loops of the given extents.
func loopsOver(extents ...int64) *ir.Module {
	var shape, at, values []tir.Expr
	var ivs []*tir.IterVar
	var loops []*tir.For
	for _, n := range extents {
		v, i := tir.NewVar("v", dtype.Int32T), tir.NewVar("i", dtype.Int32T)
		shape = append(shape, tir.Int32(n))
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(n)}, Var: v})
		loops = append(loops, &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(n)})
		at, values = append(at, v), append(values, i)
	}
	b := tir.NewBuffer("B", dtype.Float32T, shape, "")
	var region []*tir.Range
	for _, e := range at {
		region = append(region, &tir.Range{Min: e, Extent: tir.Int32(1)})
	}
	var body tir.Stmt = &tir.BlockRealize{Values: values, Predicate: tir.Bool(true), Block: &tir.Block{
		Name: "B", IterVars: ivs, Writes: []*tir.BufferRegion{{Buffer: b, Region: region}}, Body: tir.Store(b, tir.FloatConst(dtype.Float32T, 1), at...),
	}}
	for i := len(loops) - 1; i >= 0; i-- {
		body = loops[i].WithBody(body)
	}
	root := &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "root", Body: body}}
	return ir.NewModule().With("main", &tir.PrimFunc{Params: []*tir.Var{{Name: "p", Type: b.Data.Type}}, Buffers: []*tir.Buffer{b}, Body: root})
}

// TestSampleCategorical draws each number about as often as its probability says, the same for the same seed.
func TestSampleCategorical(t *testing.T) {
	m := loopsOver(4)
	candidates, probs := []int64{5, 2, 7, 1}, []float64{0.15, 0.55, 0.05, 0.25}
	var first []int64
	for range 2 {
		s := newSchedule(t, m, 42)
		counts := map[int64]int{}
		var all []int64
		for range 2000 {
			v := do(t, s, "SampleCategorical", candidates, probs, nil)[0].(*tir.Var)
			x, _ := s.Value(v)
			counts[x]++
			all = append(all, x)
		}
		for i, c := range candidates {
			if got := float64(counts[c]) / 2000; math.Abs(got-probs[i]) > 0.04 {
				t.Errorf("%d was drawn with frequency %v, want %v", c, got, probs[i])
			}
		}
		if first == nil {
			first = all
		}
		for i := range all {
			if all[i] != first[i] {
				t.Fatalf("draw %d is %d, and %d with the same seed", i, all[i], first[i])
			}
		}
		replayed(t, m, s)
	}
	s := newSchedule(t, m, 42)
	for _, bad := range [][]any{
		{candidates, probs[:3], nil},
		{candidates, probs, int64(4)},
		{candidates, probs, int64(-1)},
		{[]int64{}, []float64{}, nil},
		{[]int64{1}, []float64{0}, nil},
		{[]int64{1}, []float64{-1}, nil},
		{[]int64{1}, []float64{math.NaN()}, nil},
	} {
		if _, err := s.Do(sch.KindOf("SampleCategorical"), bad...); err == nil {
			t.Errorf("%v was drawn", bad)
		}
	}
}

// TestSamplePerfectTile draws factors whose product is the extent, all ways to do so about equally often.
func TestSamplePerfectTile(t *testing.T) {
	for _, extent := range []int64{1, 2, 128, 257, 1470, 65536, 65537, 131074, math.MaxInt32} {
		s := newSchedule(t, loopsOver(extent), 7)
		b := do(t, s, "GetBlock", "B", nil)[0]
		l := do(t, s, "GetLoops", b)[0]
		for n := int64(1); n < 6; n++ {
			for range 20 {
				prod := int64(1)
				for _, v := range do(t, s, "SamplePerfectTile", l, n, int64(-1), nil) {
					x, ok := s.Value(v.(*tir.Var))
					if !ok {
						t.Fatal("a factor has no value")
					}
					prod *= x
				}
				if prod != extent {
					t.Fatalf("%d in %d parts: the product is %d", extent, n, prod)
				}
			}
		}
	}
	m := loopsOver(8)
	s := newSchedule(t, m, 3)
	l := do(t, s, "GetLoops", do(t, s, "GetBlock", "B", nil)[0])[0]
	ways := map[[3]int64]int{}
	for range 2000 {
		var w [3]int64
		for i, v := range do(t, s, "SamplePerfectTile", l, int64(3), int64(-1), nil) {
			w[i], _ = s.Value(v.(*tir.Var))
		}
		ways[w]++
	}
	if len(ways) != 10 {
		t.Errorf("8 has %d factorizations into 3 parts, want 10", len(ways))
	}
	for w, n := range ways {
		if n < 120 || n > 280 {
			t.Errorf("%v was drawn %d times of 2000, expected about 200", w, n)
		}
	}
	for range 100 {
		out := do(t, s, "SamplePerfectTile", l, int64(2), int64(2), nil)
		if x, _ := s.Value(out[1].(*tir.Var)); x > 2 {
			t.Fatalf("the innermost factor is %d", x)
		}
	}
	for decision, want := range map[[3]int64][3]int64{{2, 2, 2}: {2, 2, 2}, {9, 9, 4}: {1, 2, 4}, {1, 3, 2}: {1, 4, 2}, {1, 1, 0}: {1, 1, 8}} {
		out := do(t, s, "SamplePerfectTile", l, int64(3), int64(16), decision[:])
		for i, v := range out {
			if x, _ := s.Value(v.(*tir.Var)); x != want[i] {
				t.Errorf("decision %v: factor %d is %d, want %d", decision, i, x, want[i])
			}
		}
	}
	replayed(t, m, s)
	for _, bad := range [][]any{{l, int64(0), int64(-1), nil}, {l, int64(1 << 40), int64(-1), nil}, {l, int64(2), int64(0), nil}, {l, int64(3), int64(-1), []int64{8}}, {l, int64(1), int64(16), nil}} {
		if _, err := s.Do(sch.KindOf("SamplePerfectTile"), bad...); err == nil {
			t.Errorf("a tile was drawn for %v", bad[1:])
		}
	}
	none := newSchedule(t, loopsOver(0), 1)
	l = do(t, none, "GetLoops", do(t, none, "GetBlock", "B", nil)[0])[0]
	if _, err := none.Do(sch.KindOf("SamplePerfectTile"), l, int64(2), int64(-1), nil); err == nil {
		t.Error("a loop without iterations was tiled")
	}
}

// TestSamplePartitionedTile draws factors whose inner part is a multiple of a number.
func TestSamplePartitionedTile(t *testing.T) {
	m := loopsOver(96)
	s := newSchedule(t, m, 5)
	l := do(t, s, "GetLoops", do(t, s, "GetBlock", "B", nil)[0])[0]
	check := func(inner int64, args ...any) {
		t.Helper()
		all, in := int64(1), int64(1)
		for i, v := range do(t, s, "SamplePartitionedTile", args...) {
			x, _ := s.Value(v.(*tir.Var))
			if all *= x; i >= 2 {
				in *= x
			}
		}
		if all != 96 || in%inner != 0 {
			t.Fatalf("the product is %d, that of the inner part %d", all, in)
		}
	}
	for range 100 {
		check(8, l, int64(4), int64(2), int64(8), nil)
	}
	check(8, l, int64(4), int64(2), int64(8), []int64{96, 1, 1, 1})
	check(8, l, int64(4), int64(2), int64(8), []int64{1, 1, 8, 12})
	replayed(t, m, s)
	if _, err := s.Do(sch.KindOf("SamplePartitionedTile"), l, int64(4), int64(4), int64(8), nil); err == nil {
		t.Error("a part behind the last factor was taken")
	}
}

// TestSampleComputeLocation draws where a block is computed, and computes it there.
func TestSampleComputeLocation(t *testing.T) {
	m := chain(4)
	seen := map[int64]int{}
	for seed := int64(1); seed < 60; seed++ {
		s := newSchedule(t, m, seed*30000001) // the first numbers of small seeds are small
		b := do(t, s, "GetBlock", "B1", nil)[0]
		l := do(t, s, "SampleComputeLocation", b, nil)[0]
		i := s.Trace()[len(s.Trace())-1].Decision.(int64)
		seen[i]++
		if mark := l.(*sch.Loop).Mark(); (mark == "inline") != (i == -2) || (mark == "root") != (i == -1) {
			t.Errorf("decision %d stands for %q", i, mark)
		}
		do(t, s, "ComputeAt", b, l, true, int64(-1))
		replayed(t, m, s)
		if i == -1 {
			if s.Module() != m {
				t.Error("a block that stays changed the module")
			}
			if _, err := s.Do(sch.KindOf("Unroll"), l); err == nil {
				t.Error("the mark of a location was unrolled")
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("drawn %v, want -2, -1, 0 and 1", seen)
	}
	s := newSchedule(t, m, 1)
	b := do(t, s, "GetBlock", "B1", nil)[0]
	for given, want := range map[int64]int64{-5: -1, -2: -2, 1: 1, 7: 1} {
		do(t, s, "SampleComputeLocation", b, given)
		if got := s.Trace()[len(s.Trace())-1].Decision; got != want {
			t.Errorf("decision %d became %v, want %d", given, got, want)
		}
	}
}

// TestSeeds checks the range of seeds.
func TestSeeds(t *testing.T) {
	m := loopsOver(4)
	if _, err := sch.NewSchedule(m, -3); err == nil {
		t.Error("a negative seed was taken")
	}
	s := newSchedule(t, m, 0)
	if s.Seed(-2) == nil || s.Seed(1<<60) != nil {
		t.Error("seeds below -1 are refused, large ones taken")
	}
}
