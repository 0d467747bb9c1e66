package sch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// TestForRules sums in parts of which some have no step: they have a value once their init is taken out. Without ForRules rfactor refuses that.
func TestForRules(t *testing.T) {
	m := read(t, "sum", `# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8, 10), "float32"), B: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 10):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
`)
	want := run(t, m)
	for _, rules := range []bool{false, true} {
		s := newSchedule(t, m, 1)
		if rules {
			s.ForRules()
		}
		do := func(name string, args ...any) []any {
			t.Helper()
			out, err := s.Do(sch.KindOf(name), args...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		b := do("GetBlock", "sum", nil)[0]
		k := do("Split", do("GetLoops", b)[1], []tir.Expr{nil, tir.Int(16)}, true, false)
		out, err := s.Do(sch.KindOf("RFactor"), k[1], int64(0))
		if !rules {
			if err == nil || !strings.Contains(err.Error(), "a part may have no first step") {
				t.Errorf("got %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		loops := do("GetLoops", out[0])
		do("Reorder", []*sch.Loop{loops[2].(*sch.Loop), loops[1].(*sch.Loop)}) // which needs an affine binding
		do("DecomposeReduction", out[0], loops[1])
		do("ReverseComputeAt", b, loops[0], true, int64(-1)) // which needs a stage pipeline
		if d := differs(want, run(t, s.Module())); d != "" {
			t.Errorf("%s\n%s", d, source(s.Module()))
		}
	}
}
