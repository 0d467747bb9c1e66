package sch_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/compiler/tensorintrin"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestForeignTrace applies a trace as TVM writes it.
func TestForeignTrace(t *testing.T) {
	s := newSchedule(t, loopsOver(64, 32), 1)
	const text = `[[["GetBlock", [], ["B", "main"], ["b0"]], ["GetLoops", ["b0"], [], ["l1", "l2"]], ["SamplePerfectTile", ["l1"], [3, 16], ["v3", "v4", "v5"]],
		["Split", ["l1", "v3", "v4", "v5"], [1], ["l6", "l7", "l8"]], ["Annotate", ["l8", {"key": [1, "x"]}], ["pragma"], []], ["Annotate", ["b0", "\"text\""], ["name"], []],
		["Fuse", ["l6", "l7"], [true], ["l9"]], ["EnterPostproc", [], [], []], ["Bind", ["l9"], ["threadIdx.x"], []]], [[2, [4, 2, 8]]]]`
	if err := s.ApplyJSON(decoded(t, []byte(text))); err != nil {
		t.Fatal(err)
	}
	const want = `# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  b0 = sch.get_block(name="B", func_name="main")
  l1, l2 = sch.get_loops(block=b0)
  v3, v4, v5 = sch.sample_perfect_tile(loop=l1, n=3, max_innermost_factor=16, decision=[4, 2, 8])
  l6, l7, l8 = sch.split(loop=l1, factors=[v3, v4, v5], preserve_unit_iters=True, disable_predication=False)
  sch.annotate(block_or_loop=l8, ann_key="pragma", ann_val={"key": [1, "x"]})
  sch.annotate(block_or_loop=b0, ann_key="name", ann_val="text")
  l9 = sch.fuse(l6, l7, preserve_unit_iters=True)
  sch.enter_postproc()
  sch.bind(loop=l9, thread_axis="threadIdx.x")`
	if got := traceText(s); got != want {
		t.Errorf("trace\n%s\nwant\n%s", got, want)
	}
	for _, bad := range []string{
		`{}`, `[]`, `[[], {}]`, `[[["GetBlock"]], []]`, `[[["NoSuch", [], [], []]], []]`, `[[["get_block", [], ["B", "main"], ["b0"]]], []]`,
		`[[["GetBlock", [], ["B", "main"], []]], []]`, `[[["GetLoops", ["b9"], [], []]], []]`, `[[["GetBlock", [], ["B", "main", 3], ["b"]]], []]`,
		`[[], [[0, 1]]]`, `[[], [["x", 1]]]`, `[[["GetBlock", [], ["B", "main"], [3]]], []]`, `[[["SampleCategorical", [], [[1], [1]], ["v"]]], [[0, 7]]]`,
	} {
		if err := newSchedule(t, loopsOver(4), 1).ApplyJSON(decoded(t, []byte(bad))); err == nil {
			t.Errorf("%s was applied", bad)
		}
	}
}

// TestBrokenTraces changes parts of traces at random: each is applied or refused, without a panic.
func TestBrokenTraces(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	applied, refused := 0, 0
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]string{}
			for _, f := range txtar.Parse(data).Files {
				part[f.Name] = string(f.Data)
			}
			if part["says"] != "" {
				continue
			}
			before := read(t, "before", part["before"])
			script, err := starpass.Parse("steps", part["steps"], starpass.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			done, err := script.Schedule(t.Context(), before, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(sch.JSON(done.Trace()))
			if err != nil {
				t.Fatal(err)
			}
			for range 60 {
				trace := decoded(t, text)
				broken(r, trace)
				s := newSchedule(t, before, 1)
				s.UseIntrinsics(tensorintrin.Lookup)
				if s.ApplyJSON(trace) == nil {
					applied++
				} else {
					refused++
				}
			}
		}
	})
	if applied < 15 || refused < 300 {
		t.Errorf("%d traces applied, %d refused", applied, refused)
	}
}

// broken changes one place of a trace.
func broken(r *rand.Rand, x any) {
	values := []any{nil, int64(-1), int64(0), int64(3), int64(1 << 40), 1.5, true, "b0", "l1", "l2", "", "{", "[]", `"B"`, []any{}, []any{int64(1)}, map[string]any{"a": "b"}}
	list, ok := x.([]any)
	for ok && len(list) > 0 {
		i := r.IntN(len(list))
		inner, deeper := list[i].([]any)
		if deeper && len(inner) > 0 && r.IntN(8) > 0 {
			list = inner
			continue
		}
		list[i] = values[r.IntN(len(values))]
		return
	}
}
