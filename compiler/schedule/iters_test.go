package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

func TestFuseItersText(t *testing.T) {
	const cubeParams = `A: T.Buffer((2, 3, 5), "float32"), B: T.Buffer((2, 3, 5), "float32")`
	const cube = `
for i, j, k in T.grid(2, 3, 5):
    with T.block("B"):
        vi, vj, vk = T.axis.remap("SSS", [i, j, k])
        B[vi, vj, vk] = A[vi, vj, vk]`
	changes(t, []change{
		{"all", cubeParams, cube, func(o on) error { return o.s.FuseIters(o.b("B"), 0, 2) }, `
for vi_vj_vk_l in range(30):
    with T.block("B"):
        vi_vj_vk = T.axis.spatial(30, vi_vj_vk_l)
        B[vi_vj_vk // 15, vi_vj_vk % 15 // 5, vi_vj_vk % 5] = A[vi_vj_vk // 15, vi_vj_vk % 15 // 5, vi_vj_vk % 5]`, nil},
		{"the first two", cubeParams, cube, func(o on) error { return o.s.FuseIters(o.b("B"), 0, 1) }, `
for vi_vj_l, k in T.grid(6, 5):
    with T.block("B"):
        vi_vj, vk = T.axis.remap("SS", [vi_vj_l, k])
        B[vi_vj // 3, vi_vj % 3, vk] = A[vi_vj // 3, vi_vj % 3, vk]`, nil},
		{"the last two", cubeParams, cube, func(o on) error { return o.s.FuseIters(o.b("B"), 1, 2) }, `
for i, vj_vk_l in T.grid(2, 15):
    with T.block("B"):
        vi, vj_vk = T.axis.remap("SS", [i, vj_vk_l])
        B[vi, vj_vk // 5, vj_vk % 5] = A[vi, vj_vk // 5, vj_vk % 5]`, nil},
		{"of a reduction, whose start moves too", productSmallParams, productSmall, func(o on) error { return o.s.FuseIters(o.b("C"), 0, 1) }, `
for vi_vj_l, k in T.grid(12, 6):
    with T.block("C"):
        vi_vj, vk = T.axis.remap("SR", [vi_vj_l, k])
        with T.init():
            C[vi_vj // 3, vi_vj % 3] = T.float32(0.0)
        C[vi_vj // 3, vi_vj % 3] = C[vi_vj // 3, vi_vj % 3] + A[vi_vj // 3, vk] * B[vk, vi_vj % 3]`, nil},
		{"symbolic", symbolicCopyParams, symbolicCopyBody, func(o on) error { return o.s.FuseIters(o.b("B"), 0, 1) }, `
for vi_vj_l in range(n * m):
    with T.block("B"):
        vi_vj = T.axis.spatial(n * m, vi_vj_l)
        B[vi_vj // m, vi_vj % m] = A[vi_vj // m, vi_vj % m]`, sizes},
		{"split and fused again", productSmallParams, productSmall, func(o on) error {
			return steps(o.s.SplitIter(o.b("C"), 2, 2), o.s.FuseIters(o.b("C"), 2, 3))
		}, "", nil},
		{"in the second nest", chainParams, chain, func(o on) error {
			i, j := o.l("C", 0), o.l("C", 1)
			err := o.s.FuseIters(o.b("C"), 0, 1)
			refuses(o.t, o.s.Unroll(i), "schedule: unroll loop i: the loop was removed by an earlier primitive")
			refuses(o.t, o.s.Unroll(j), "schedule: unroll loop j: the loop was removed by an earlier primitive")
			return err
		}, `
B = T.alloc_buffer((4, 6))
C = T.alloc_buffer((4, 6))
D = T.alloc_buffer((4,))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for vi_vj_l in range(24):
    with T.block("C"):
        vi_vj = T.axis.spatial(24, vi_vj_l)
        C[vi_vj // 6, vi_vj % 6] = B[vi_vj // 6, vi_vj % 6] * T.float32(2.0)
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0.0)
        D[vi] = D[vi] + C[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] - T.float32(1.0)`, nil},
		{"split", productSmallParams, productSmall, func(o on) error { return o.s.SplitIter(o.b("C"), 2, 2) }, `
for i, j, vk_0_l, vk_1_l in T.grid(4, 3, 3, 2):
    with T.block("C"):
        vi, vj, vk_0, vk_1 = T.axis.remap("SSRR", [i, j, vk_0_l, vk_1_l])
        with T.init():
            C[vi, vj] = T.float32(0.0)
        C[vi, vj] = C[vi, vj] + A[vi, vk_0 * 2 + vk_1] * B[vk_0 * 2 + vk_1, vj]`, nil},
		{"split the first", cubeParams, cube, func(o on) error { return o.s.SplitIter(o.b("B"), 0, 2) }, `
for vi_0_l, vi_1_l, j, k in T.grid(1, 2, 3, 5):
    with T.block("B"):
        vi_0, vi_1, vj, vk = T.axis.remap("SSSS", [vi_0_l, vi_1_l, j, k])
        B[vi_1, vj, vk] = A[vi_1, vj, vk]`, nil},
	})
	s := scheduled(t, parsed(t, symbolicCopyParams, symbolicCopyBody))
	refuses(t, s.SplitIter(block(t, s, "B"), 0, 2), "schedule: transform_block_layout block B: the extent of vi is not a multiple of 2")
	refuses(t, s.SplitIter(block(t, s, "B"), -1, 2), "schedule: transform_block_layout block B: variables -1 to -1 of 2")
}

// TestOriginal tells which loops are as they were created.
func TestOriginal(t *testing.T) {
	bind := func(value, dom, extent string) string {
		return `
for i, j in T.grid(` + extent + `, 6):
    with T.block("B"):
        vi = T.axis.spatial(` + dom + `, ` + value + `)
        vj = T.axis.spatial(6, j)
        B[vi, vj] = A[vi, vj]`
	}
	const params = `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")`
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"created", bind("i", "4", "4"), true},
		{"a part", bind("i", "4", "3"), false},
		{"from one on", bind("i + 1", "4", "3"), false},
		{"a domain from one on", bind("i", "(1, 4)", "3"), false},
		{"bound to the other loop", "for i, j in T.grid(4, 6):\n    with T.block(\"B\"):\n        vj, vi = T.axis.remap(\"SS\", [j, i])\n        B[vi, vj] = A[vi, vj]", false},
		{"a condition", "for i, j in T.grid(4, 6):\n    with T.block(\"B\"):\n        vi, vj = T.axis.remap(\"SS\", [i, j])\n        T.where(i < 3)\n        B[vi, vj] = A[vi, vj]", false},
		{"a variable less", "for i, j in T.grid(4, 6):\n    with T.block(\"B\"):\n        vj = T.axis.spatial(6, j)\n        B[0, vj] = A[0, vj]", false},
		{"a parallel loop", "for i in T.parallel(4):\n    for j in range(6):\n        with T.block(\"B\"):\n            vi, vj = T.axis.remap(\"SS\", [i, j])\n            B[vi, vj] = A[vi, vj]", false},
		{"no variables", "with T.block(\"B\"):\n    B[0, 0] = A[0, 0]\nwith T.block(\"C\"):\n    B[0, 1] = A[0, 1]", false},
	} {
		s := scheduled(t, parsed(t, params, c.body))
		if got := s.Original(block(t, s, "B")); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	s := scheduled(t, parsed(t, chainParams, chain))
	b := block(t, s, "B")
	if err := s.ComputeInline(b); err != nil {
		t.Fatal(err)
	}
	if s.Original(b) {
		t.Error("what was removed is as it was created")
	}
	if !s.Original(block(t, s, "D")) {
		t.Error("a reduction is not as it was created")
	}
}

// TestRefill: a constant is stored all over a buffer whose layout changed.
func TestRefill(t *testing.T) {
	const padded = `
P = T.alloc_buffer((9,))
for i in range(9):
    with T.block("P"):
        vi = T.axis.spatial(9, i)
        P[vi] = T.if_then_else(2 <= vi and vi < 8, A[vi - 2], T.float32(5))
for i in range(9):
    with T.block("E"):
        vi = T.axis.spatial(9, i)
        E[vi] = P[8 - vi]`
	const params = `A: T.Buffer((6,), "float32"), E: T.Buffer((9,), "float32")`
	phases := func(o on) error {
		c := tir.Const(o.b("P").Iters()[0].Var.DType(), 2)
		v := tir.NewVar("i", c.DType())
		_, err := o.s.TransformLayout(o.b("P").Writes()[0].Buffer, &tir.IndexMap{Initial: []*tir.Var{v}, Final: []tir.Expr{tir.FloorMod(v, c), tir.FloorDiv(v, c)}})
		return err
	}
	changes(t, []change{
		{"phases", params, padded, func(o on) error {
			fill, err := o.s.DecomposePadding(o.b("P"))
			if err != nil {
				return err
			}
			l := o.s.GetLoops(fill)[0]
			err = steps(phases(o), o.s.Refill(fill))
			refuses(o.t, o.s.Unroll(l), "schedule: unroll loop ax0: the loop was removed by an earlier primitive")
			return err
		}, `
P = T.alloc_buffer((2, 5))
for ax0, ax1 in T.grid(2, 5):
    with T.block("P_pad"):
        v0, v1 = T.axis.remap("SS", [ax0, ax1])
        P[v0, v1] = T.float32(5.0)
for i in range(6):
    with T.block("P"):
        vi = T.axis.spatial(9, 2 + i)
        P[vi % 2, vi // 2] = A[vi - 2]
for i in range(9):
    with T.block("E"):
        vi = T.axis.spatial(9, i)
        E[vi] = P[vi % 2, vi * -1 // 2 + 4]`, nil},
	})
	const say = "schedule: refill block P: "
	fill := func(first, store string) string {
		return `
P = T.alloc_buffer((4,))
` + first + `for i in range(4):
    with T.block("P"):
        vi = T.axis.spatial(4, i)
        ` + store + `
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = P[vi]`
	}
	const small = `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`
	again := func(o on) error { return o.s.Refill(o.b("P")) }
	const before = `for i in range(4):
    with T.block("first"):
        vi = T.axis.spatial(4, i)
        P[vi] = A[vi]
`
	refusals(t, small, fill("", "P[vi] = T.float32(2)"), []refusal{{"all", again, ""}})
	refusals(t, small, fill("", "P[vi] = A[vi]"), []refusal{{"no constant", again, say + "it does not fill a buffer of the function with a constant"}})
	refusals(t, small, fill("", "P[vi] = T.float32(2)\n        P[vi] = T.float32(3)"), []refusal{{"two stores", again, say + "it does not fill a buffer of the function with a constant"}})
	refusals(t, small, fill(before, "P[vi] = T.float32(2)"), []refusal{{"not the first", again, say + "block first uses the buffer before"}})
	refusals(t, small, fill("", "P[vi] = T.float32(2)"), []refusal{
		{"a split loop", func(o on) error { return steps(second(o.s.Split(o.l("P", 0), 0, 2)), again(o)) }, say + "its loops were changed before"},
		{"a parameter", func(o on) error { return o.s.Refill(o.b("E")) }, "schedule: refill block E: it does not fill a buffer of the function with a constant"},
	})
	refusals(t, small, "for i in range(4):\n    with T.block(\"E\"):\n        vi = T.axis.spatial(4, i)\n        E[vi] = T.float32(1)", []refusal{
		{"a parameter with a constant", func(o on) error { return o.s.Refill(o.b("E")) }, "schedule: refill block E: it does not fill a buffer of the function with a constant"},
	})
}
