package sch_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestBehindTiles calls primitives behind those that TVM does not have, also where extents are symbolic: what tiles, cut loops, fused variables and
// views leave is refused by primitives that would change results.
func TestBehindTiles(t *testing.T) {
	type program struct {
		m       *ir.Module
		extents map[string]int64
	}
	list := map[string]program{}
	for _, c := range tileKernels {
		list["tile "+c.name] = program{parsed(t, c.params, c.body), c.extents}
	}
	for name, m := range programs(t) {
		list[name] = program{m, nil}
	}
	for name, p := range list {
		want := results(t, p.m, p.extents)
		t.Run(name, func(t *testing.T) {
			seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
				s := newSchedule(t, p.m, 1)
				t.Cleanup(func() {
					if t.Failed() {
						t.Log(sch.Text(s.Trace()))
					}
				})
				done := 0
				for i := 0; i < 60 && done < 8; i++ {
					k := pick(r, sch.Kinds())
					if done == 0 || i%4 == 0 {
						k = sch.KindOf(pick(r, own))
					}
					if k.Pure || slices.Contains(meaningless, k.Name) {
						continue
					}
					args := arguments(r, s, k, p.extents)
					old := s.Module()
					if args == nil {
						continue
					}
					if _, err := s.Do(k, args...); err != nil || s.Module() == old {
						continue
					}
					if bounded(s) {
						if err := s.Undo(); err != nil {
							t.Fatal(err)
						}
						continue
					}
					done++
					if found := tir.Verify("main", s.Module().Lookup("main").(*tir.PrimFunc)); len(found) > 0 {
						t.Fatalf("%s\n%s", found[0].Message, source(s.Module()))
					}
				}
				if err := roundtrip.Check(s.Module()); err != nil {
					t.Fatalf("%v\n%s", err, source(s.Module()))
				}
				if d := differs(want, results(t, s.Module(), p.extents)); d != "" {
					t.Fatalf("%s\n%s", d, source(s.Module()))
				}
			})
		})
	}
}

// TestRefusedBehindTiles: what primitives say where they would change what tiles and views compute.
func TestRefusedBehindTiles(t *testing.T) {
	const rows = `A: T.Buffer((6, 4), "float32"), C: T.Buffer((24,), "float32")`
	const flat = `
B = T.alloc_buffer((6, 4))
for i, j in T.grid(6, 4):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] * T.float32(2)
for i in range(24):
    with T.block("C"):
        v = T.axis.spatial(24, i)
        C[v] = B[v // 4, v % 4] + T.float32(1)`
	const sums = `
for j, k in T.grid(5, 6):
    with T.block("C"):
        vj, vk = T.axis.remap("SR", [j, k])
        with T.init():
            C[vj] = T.float32(0)
        C[vj] = C[vj] + A[vj, vk]`
	const scratch = `
L = T.alloc_buffer((1,))
C = T.alloc_buffer((5,))
for i in range(5):
    with T.block("L"):
        vi = T.axis.spatial(5, i)
        L[0] = A[vi] * T.float32(2)
    with T.block("C"):
        vi = T.axis.spatial(5, i)
        C[vi] = L[0] + T.float32(1)
for i in range(5):
    with T.block("E"):
        vi = T.axis.spatial(5, i)
        E[vi] = C[vi] * T.float32(3)`
	first := func(s *sch.Schedule, block string) any {
		return do(t, s, "GetLoops", do(t, s, "GetBlock", block, nil)[0])[0]
	}
	for name, c := range map[string]struct {
		params, body string
		call         func(*sch.Schedule) error
		want         string
	}{
		"inlined below a view": {rows, flat, func(s *sch.Schedule) error {
			do(t, s, "FlattenAccess", "C")
			_, err := s.Do(sch.KindOf("ComputeInline"), "B")
			return err
		}, "memory of buffer B is accessed as buffer B_flat too"},
		"a loop below a view": {rows, flat, func(s *sch.Schedule) error {
			do(t, s, "FlattenAccess", "C")
			_, err := s.Do(sch.KindOf("Parallel"), first(s, "B"))
			return err
		}, ""},
		"inlined without a view": {rows, flat, func(s *sch.Schedule) error {
			_, err := s.Do(sch.KindOf("ComputeInline"), "B")
			return err
		}, ""},
		"moved away from a scratch": {`A: T.Buffer((5,), "float32"), E: T.Buffer((5,), "float32")`, scratch, func(s *sch.Schedule) error {
			_, err := s.Do(sch.KindOf("ComputeAt"), "C", first(s, "E"), false, int64(-1))
			return err
		}, "writes the same elements of L"},
		"padded behind a cut": {`A: T.Buffer((5, 6), "float32"), C: T.Buffer((5,), "float32")`, sums, func(s *sch.Schedule) error {
			do(t, s, "CutLoop", first(s, "C"), int64(4), int64(0))
			_, err := s.Do(sch.KindOf("PadEinsum"), "C", []int64{4, 1})
			return err
		}, "part of the domain"},
	} {
		err := c.call(newSchedule(t, parsed(t, c.params, c.body), 0))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// TestPartsOfDomains: blocks that run over a part of their domain, or whose variables are remainders, mean the same behind a primitive; where that
// could not be, it refuses.
func TestPartsOfDomains(t *testing.T) {
	const part = `
for i, k in T.grid(6, 5):
    with T.block("C"):
        vi = T.axis.spatial(9, i + 2)
        vk = T.axis.reduce((3, 8), 3 + k)
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`
	const pairs = `
B = T.alloc_buffer((12,))
for i0, i1 in T.grid(6, 2):
    with T.block("B"):
        v0, v1 = T.axis.remap("SS", [i0, i1])
        B[v0 * 2 + v1] = A[v0 * 2 + v1] * T.float32(2)
for i, r in T.grid(4, 3):
    with T.block("C"):
        vi, vr = T.axis.remap("SR", [i, r])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + B[vi * 2 + vr]`
	const nothing = `
for i, k in T.grid(9, 0):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(5)
        C[vi] = C[vi] + A[vi, vk]`
	loops := func(s *sch.Schedule, block string) []any {
		return do(t, s, "GetLoops", do(t, s, "GetBlock", block, nil)[0])
	}
	const places = `
P = T.alloc_buffer((9,), "int32")
for i in range(6):
    with T.block("P"):
        v = T.axis.spatial(9, i + 2)
        P[v] = 8 - v
for i in range(6):
    with T.block("C"):
        vi = T.axis.spatial(9, i + 2)
        C[vi] = A[P[vi], 3]`
	reindex := func(s *sch.Schedule) error {
		_, err := s.Do(sch.KindOf("ReIndex"), "C", "A")
		return err
	}
	rows := `A: T.Buffer((9, 8), "float32"), C: T.Buffer((9,), "float32")`
	for name, c := range map[string]struct {
		params, body string
		call         func(*sch.Schedule) error
		refused      string
	}{
		"blockize": {rows, part, func(s *sch.Schedule) error {
			_, err := s.Do(sch.KindOf("Blockize"), loops(s, "C")[0], false)
			return err
		}, ""},
		"blockize in the middle": {rows, part, func(s *sch.Schedule) error {
			two := do(t, s, "Split", loops(s, "C")[0], []tir.Expr{nil, tir.Int32(3)}, true, false)
			_, err := s.Do(sch.KindOf("Blockize"), two[1], false)
			return err
		}, ""},
		"blockize a loop over a result and over nothing": {rows, nothing, func(s *sch.Schedule) error {
			two := loops(s, "C")
			one := do(t, s, "Fuse", []*sch.Loop{two[0].(*sch.Loop), two[1].(*sch.Loop)}, false)[0]
			_, err := s.Do(sch.KindOf("Blockize"), one, true)
			return err
		}, ""},
		"reindex_cache_read": {rows, part, func(s *sch.Schedule) error {
			same := &sch.Lambda{Call: func(x []tir.Expr) (any, error) { return []any{x[0], x[1]}, nil }}
			_, err := s.Do(sch.KindOf("ReindexCacheRead"), "C", int64(0), "global", same)
			return err
		}, ""},
		"reindex at places that are data":          {rows, strings.ReplaceAll(strings.ReplaceAll(places, "range(6)", "range(9)"), "i + 2", "i"), reindex, ""},
		"reindex at places that are known in part": {rows, places, reindex, "at a place that is data"},
		"compute_at": {`A: T.Buffer((12,), "float32"), C: T.Buffer((4,), "float32")`, pairs, func(s *sch.Schedule) error {
			_, err := s.Do(sch.KindOf("ComputeAt"), "B", loops(s, "C")[0], false, int64(-1))
			return err
		}, ""},
		"loop_partition of a loop that does not begin at 0": {rows, strings.ReplaceAll(places, "for i in range(6):", "for i in range(1, 7):"), func(s *sch.Schedule) error {
			_, err := s.Do(sch.KindOf("LoopPartition"), loops(s, "P")[0], []tir.Expr{tir.Int32(1), tir.Int32(2), nil}, false)
			return err
		}, ""},
		"pad_einsum behind cache_index": {rows, strings.ReplaceAll(places, "range(6)", "range(9)"), func(s *sch.Schedule) error {
			do(t, s, "CacheIndex", do(t, s, "GetBlock", "P", nil)[0], "global", int64(0))
			_, err := s.Do(sch.KindOf("PadEinsum"), do(t, s, "GetBlock", "P", nil)[0], []int64{4})
			return err
		}, "does not declare that it reads"},
		"a copy and a reduction in one block": {rows, strings.ReplaceAll(strings.ReplaceAll(part, "i + 2", "i"), "(3, 8), 3 + k", "5, k"), func(s *sch.Schedule) error {
			copied := do(t, s, "ReadAt", loops(s, "C")[1], "C", int64(0), "local")[0].(*sch.Block)
			_, err := s.Do(sch.KindOf("Blockize"), []*sch.Block{copied, do(t, s, "GetBlock", "C", nil)[0].(*sch.Block)}, false)
			return err
		}, "is a reduction over loops outside of the new block"},
	} {
		t.Run(name, func(t *testing.T) {
			m := parsed(t, c.params, c.body)
			s := newSchedule(t, m, 0)
			switch err := c.call(s); {
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %v, want %q", err, c.refused)
			case c.refused == "" && err != nil:
				t.Error(err)
			case c.refused == "":
				same(t, m, s, nil)
			}
		})
	}
}
