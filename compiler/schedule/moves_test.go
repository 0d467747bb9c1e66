package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// stencil is C = B shifted by 0, 1 and 2, added, where B = A * 2.
const (
	stencilParams = `A: T.Buffer((10,), "float32"), C: T.Buffer((8,), "float32")`
	stencil       = `
B = T.alloc_buffer((10,))
for i in range(10):
    with T.block("B"):
        vi = T.axis.spatial(10, i)
        B[vi] = A[vi] * T.float32(2)
for i in range(8):
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        C[vi] = B[vi] + B[vi + 1] + B[vi + 2]`
)

func TestComputeAtText(t *testing.T) {
	const sumParams = `A: T.Buffer((4, 6), "float32"), D: T.Buffer((4,), "float32")`
	const sum = `
C = T.alloc_buffer((4, 6))
for i, j in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = A[vi, vj] * T.float32(2)
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0)
        D[vi] = D[vi] + C[vi, vk]`
	changes(t, []change{
		{"a window", stencilParams, stencil, func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 0)) }, `
B = T.alloc_buffer((10,))
for i in range(8):
    for ax0 in range(3):
        with T.block("B"):
            vi = T.axis.spatial(10, i + ax0)
            B[vi] = A[vi] * T.float32(2.0)
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        C[vi] = B[vi] + B[vi + 1] + B[vi + 2]`, nil},
		{"the window of a tile", stencilParams, stencil, func(o on) error {
			l, err := o.s.Split(o.l("C", 0), 0, 4)
			return steps(err, o.s.ComputeAt(o.b("B"), l[0]))
		}, `
B = T.alloc_buffer((10,))
for i_0 in range(2):
    for ax0 in range(6):
        with T.block("B"):
            vi = T.axis.spatial(10, i_0 * 4 + ax0)
            B[vi] = A[vi] * T.float32(2.0)
    for i_1 in range(4):
        with T.block("C"):
            vi = T.axis.spatial(8, i_0 * 4 + i_1)
            C[vi] = B[vi] + B[vi + 1] + B[vi + 2]`, nil},
		{"the window of a tile that does not divide", stencilParams, stencil, func(o on) error {
			l, err := o.s.Split(o.l("C", 0), 0, 3)
			return steps(err, o.s.ComputeAt(o.b("B"), l[0]))
		}, `
B = T.alloc_buffer((10,))
for i_0 in range(3):
    for ax0 in range(5):
        with T.block("B"):
            vi = T.axis.spatial(10, i_0 * 3 + ax0)
            T.where(i_0 * 3 + ax0 < 10)
            B[vi] = A[vi] * T.float32(2.0)
    for i_1 in range(3):
        with T.block("C"):
            vi = T.axis.spatial(8, i_0 * 3 + i_1)
            T.where(i_0 * 3 + i_1 < 8)
            C[vi] = B[vi] + B[vi + 1] + B[vi + 2]`, nil},
		{"a window that begins before the axis", stencilParams, `
B = T.alloc_buffer((10,))
for i in range(10):
    with T.block("B"):
        vi = T.axis.spatial(10, i)
        B[vi] = A[vi] * T.float32(2)
for i in range(8):
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        C[vi] = T.if_then_else(vi >= 2, B[vi - 2], T.float32(0)) + B[vi]`, func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 0)) }, `
B = T.alloc_buffer((10,))
for i in range(8):
    for ax0 in range(3):
        with T.block("B"):
            vi = T.axis.spatial(10, i - 2 + ax0)
            T.where(i - 2 + ax0 >= 0)
            B[vi] = A[vi] * T.float32(2.0)
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        C[vi] = T.if_then_else(vi >= 2, B[vi - 2], T.float32(0.0)) + B[vi]`, nil},
		{"rows of a sum", sumParams, sum, func(o on) error { return o.s.ComputeAt(o.b("C"), o.l("D", 0)) }, `
C = T.alloc_buffer((4, 6))
for i in range(4):
    for ax1 in range(6):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, ax1])
            C[vi, vj] = A[vi, vj] * T.float32(2.0)
    for k in range(6):
        with T.block("D"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                D[vi] = T.float32(0.0)
            D[vi] = D[vi] + C[vi, vk]`, nil},
		{"terms of a sum", sumParams, sum, func(o on) error { return o.s.ComputeAt(o.b("C"), o.l("D", 1)) }, `
C = T.alloc_buffer((4, 6))
for i, k in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, k])
        C[vi, vj] = A[vi, vj] * T.float32(2.0)
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0.0)
        D[vi] = D[vi] + C[vi, vk]`, nil},
		{"a reduction", chainParams, chain, func(o on) error { return o.s.ComputeAt(o.b("D"), o.l("E", 0)) }, `
B = T.alloc_buffer((4, 6))
C = T.alloc_buffer((4, 6))
D = T.alloc_buffer((4,))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for i, j in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] * T.float32(2.0)
for i in range(4):
    for ax1 in range(6):
        with T.block("D"):
            vi, vk = T.axis.remap("SR", [i, ax1])
            with T.init():
                D[vi] = T.float32(0.0)
            D[vi] = D[vi] + C[vi, vk]
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] - T.float32(1.0)`, nil},
		{"before the first of two consumers", stencilParams, `
B = T.alloc_buffer((10,))
for i in range(10):
    with T.block("B"):
        vi = T.axis.spatial(10, i)
        B[vi] = A[vi] * T.float32(2)
for i in range(8):
    with T.block("none"):
        vi = T.axis.spatial(8, i)
        C[vi] = T.float32(1)
    with T.block("first"):
        vi = T.axis.spatial(8, i)
        C[vi] = C[vi] + B[vi]
    for k in range(1):
        with T.block("second"):
            vi = T.axis.spatial(8, i + k)
            C[vi] = C[vi] + B[vi + 2]`, func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("first", 0)) }, `
B = T.alloc_buffer((10,))
for i in range(8):
    with T.block("none"):
        vi = T.axis.spatial(8, i)
        C[vi] = T.float32(1.0)
    for ax0 in range(3):
        with T.block("B"):
            vi = T.axis.spatial(10, i + ax0)
            B[vi] = A[vi] * T.float32(2.0)
    with T.block("first"):
        vi = T.axis.spatial(8, i)
        C[vi] = C[vi] + B[vi]
    for k in range(1):
        with T.block("second"):
            vi = T.axis.spatial(8, i + k)
            C[vi] = C[vi] + B[vi + 2]`, nil},
		{"a column of ones", `A: T.Buffer((4, 1), "float32"), C: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4, 1))
for i, j in T.grid(4, 1):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, 0] = A[vi, vj]
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = B[vi, 0]`, func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 0)) }, `
B = T.alloc_buffer((4, 1))
for i in range(4):
    for ax1 in range(1):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, ax1])
            B[vi, 0] = A[vi, vj]
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = B[vi, 0]`, nil},
	})
}

func TestComputeAtSymbolic(t *testing.T) {
	chain := symbolicKernels["chain"]
	const row = `
B = T.alloc_buffer((n, m))
for i in range(n):
    for ax1 in range(m):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, ax1])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for j in range(m):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1.0)`
	changes(t, []change{
		{"compute_at of a row", chain.params, chain.body, func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 0)) }, row, sizes},
		{"compute_at of a tile", chain.params, chain.body, func(o on) error {
			l, err := o.s.Split(o.l("C", 1), 0, 4)
			return steps(err, o.s.ComputeAt(o.b("B"), l[0]))
		}, `
B = T.alloc_buffer((n, m))
for i, j_0 in T.grid(n, (m + 3) // 4):
    for ax1 in range(4):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            vj = T.axis.spatial(m, j_0 * 4 + ax1)
            T.where(j_0 * 4 + ax1 < m)
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for j_1 in range(4):
        with T.block("C"):
            vi = T.axis.spatial(n, i)
            vj = T.axis.spatial(m, j_0 * 4 + j_1)
            T.where(j_0 * 4 + j_1 < m)
            C[vi, vj] = B[vi, vj] + T.float32(1.0)`, sizes},
		{"reverse_compute_at of a row", chain.params, chain.body, func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("B", 0)) }, `
B = T.alloc_buffer((n, m))
for i in range(n):
    for j in range(m):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for ax1 in range(m):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, ax1])
            C[vi, vj] = B[vi, vj] + T.float32(1.0)`, sizes},
		{"reverse_compute_at of an element", chain.params, chain.body, func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("B", 1)) }, "", sizes},
	})
}

func TestReverseComputeAtText(t *testing.T) {
	changes(t, []change{
		{"a tile", stencilParams, `
B = T.alloc_buffer((8,))
for i in range(8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = A[vi] * T.float32(2)
for i in range(8):
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        C[vi] = B[vi] + T.float32(1)`, func(o on) error {
			l, err := o.s.Split(o.l("B", 0), 0, 3)
			return steps(err, o.s.ReverseComputeAt(o.b("C"), l[0]))
		}, `
B = T.alloc_buffer((8,))
for i_0 in range(3):
    for i_1 in range(3):
        with T.block("B"):
            vi = T.axis.spatial(8, i_0 * 3 + i_1)
            T.where(i_0 * 3 + i_1 < 8)
            B[vi] = A[vi] * T.float32(2.0)
    for ax0 in range(3):
        with T.block("C"):
            vi = T.axis.spatial(8, i_0 * 3 + ax0)
            T.where(i_0 * 3 + ax0 < 8)
            C[vi] = B[vi] + T.float32(1.0)`, nil},
		{"behind the last of two producers", `A: T.Buffer((4, 3), "float32"), C: T.Buffer((4, 3), "float32")`, `
B = T.alloc_buffer((4,))
D = T.alloc_buffer((4,))
F = T.alloc_buffer((3,))
for j in range(3):
    with T.block("F"):
        vj = T.axis.spatial(3, j)
        F[vj] = T.Cast("float32", vj)
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi, 0] * T.float32(2)
    with T.block("D"):
        vi = T.axis.spatial(4, i)
        D[vi] = A[vi, 1] + T.float32(2)
    with T.block("none"):
        vi = T.axis.spatial(4, i)
        T.evaluate(vi)
for i, j in T.grid(4, 3):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi] * A[vi, vj] + F[vj]`, func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("D", 0)) }, `
B = T.alloc_buffer((4,))
D = T.alloc_buffer((4,))
F = T.alloc_buffer((3,))
for j in range(3):
    with T.block("F"):
        vj = T.axis.spatial(3, j)
        F[vj] = T.Cast("float32", vj)
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi, 0] * T.float32(2.0)
    for ax1 in range(3):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, ax1])
            C[vi, vj] = B[vi] * A[vi, vj] + F[vj]
    with T.block("D"):
        vi = T.axis.spatial(4, i)
        D[vi] = A[vi, 1] + T.float32(2.0)
    with T.block("none"):
        vi = T.axis.spatial(4, i)
        T.evaluate(vi)`, nil},
		{"a constant index", `A: T.Buffer((4, 2), "float32"), C: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4, 2))
for i, j in T.grid(4, 2):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] * T.float32(2)
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = B[vi, 1]`, func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("B", 0)) }, `
B = T.alloc_buffer((4, 2))
for i in range(4):
    for j in range(2):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = B[vi, 1]`, nil},
	})
}

// TestMoveBounds: what a block accesses must be known.
func TestMoveBounds(t *testing.T) {
	const params = `A: T.Buffer((8,), "float32"), E: T.Buffer((8,), "float32")`
	pair := func(store, load string) string {
		return `
B = T.alloc_buffer((8,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        ` + store + `
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = ` + load
	}
	at := func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("E", 0)) }
	back := func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("B", 0)) }
	refusals(t, params, pair("B[vi] = A[vi]", "B[vi]"), []refusal{
		{"a variable", at, ""},
		{"a variable, backwards", back, ""},
	})
	refusals(t, params, pair("B[vi + 1] = A[vi]", "B[vi + 1]"), []refusal{
		{"an expression", at, "schedule: compute_at block B loop i: it accesses axis 0 of B at something other than an iteration variable"},
		{"an expression, backwards", back, "schedule: reverse_compute_at block E loop i: it accesses axis 0 of B at something other than an iteration variable"},
	})
	refusals(t, params, `
B = T.alloc_buffer((8,))
for i in range(8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = A[vi]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi] + B[vi + 1]`, []refusal{
		{"a window backwards", back, "schedule: reverse_compute_at block E loop i: it accesses axis 0 of B at something other than an iteration variable"},
		{"a window", at, ""},
	})
	refusals(t, params, `
B = T.alloc_buffer((8,))
D = T.alloc_buffer((8,))
for i in range(8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = A[vi]
    with T.block("D"):
        vi = T.axis.spatial(8, i)
        D[vi] = A[vi] + T.float32(1)
for i in range(8):
    with T.block("E"):
        vi = T.axis.spatial(8, i)
        E[vi] = B[vi] + D[vi]`, []refusal{
		{"of two producers", back, "schedule: reverse_compute_at block E loop i: vi is determined by more than one access"},
		{"one of two producers", at, "schedule: compute_at block B loop i: loop i around the block is serial or holds other blocks"},
		{"where it stands", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("D", 0)) }, "schedule: compute_at block B loop i: the block is already in the loop"},
	})
	refusals(t, params, `
B = T.alloc_buffer((8,))
for i in range(8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = A[vi]
        E[vi] = A[vi]
for i in range(8):
    with T.block("none"):
        vi = T.axis.spatial(8, i)
        T.evaluate(B[vi] + E[vi])`, []refusal{
		{"a block that writes a parameter", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("none", 0)) }, "schedule: compute_at block B loop i: it writes E, which the function does not allocate"},
	})
	refusals(t, params, `
B = T.alloc_buffer((8,))
for i in range(8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = A[vi]
for i in range(8):
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        B[vi] = B[vi] + T.float32(1)
for i in range(8):
    with T.block("E"):
        vi = T.axis.spatial(8, i)
        E[vi] = B[vi]`, []refusal{
		{"one of two writers", func(o on) error { return o.s.ComputeAt(o.b("C"), o.l("E", 0)) }, "schedule: compute_at block C loop i: 2 blocks write B"},
		{"after two writers", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("C", 0)) }, "schedule: reverse_compute_at block E loop i: 2 blocks write B"},
	})
	refusals(t, params, `
for i in range(8):
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        E[vi] = E[vi] + A[vi]
for i in range(8):
    with T.block("D"):
        vi = T.axis.spatial(8, i)
        T.evaluate(E[vi])`, []refusal{
		{"what continues", func(o on) error { return o.s.ComputeAt(o.b("C"), o.l("D", 0)) }, "schedule: compute_at block C loop i: the block updates what E holds already"},
	})
}

// TestEmptyReductionBehindALoop: a sum of nothing must be written, also where the loop that its
// terms come from has no iteration.
func TestEmptyReductionBehindALoop(t *testing.T) {
	const params = `a: T.handle, d: T.handle`
	body := func(extent string) string {
		return `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
D = T.match_buffer(d, (n,))
C = T.alloc_buffer((n, m))
for i, j in T.grid(` + extent + `, m):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = A[vi, vj] * T.float32(2)
for i, k in T.grid(` + extent + `, m):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(3)
        D[vi] = D[vi] + C[vi, vk]`
	}
	for _, c := range []struct{ name, extent, want string }{
		{"a loop that may be empty", "n", "schedule: reverse_compute_at block D loop i: it may reduce over nothing, and loop i may have no iteration to write its initial value in"},
		{"a loop that is not empty", "T.int64(3)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parsed(t, params, body(c.extent))
			s := scheduled(t, f)
			o := on{t, s}
			err := s.ReverseComputeAt(o.b("D"), o.l("C", 0))
			if c.want != "" {
				refuses(t, err, c.want)
			} else if err != nil {
				t.Fatal(err)
			}
			for _, m := range []int64{0, 1, 2} {
				same(t, f, s, map[string]int64{"n": 3, "m": m})
			}
		})
	}
}

// TestPartOfNoRowsStartsNoSum: a loop over rows and columns at once has no iteration where there are no rows, which is no
// sum of nothing: where n is a multiple of 4 the second part would start the sums of the first one again.
func TestPartOfNoRowsStartsNoSum(t *testing.T) {
	changes(t, []change{{"the rest of tiles", `a: T.handle, d: T.handle`, `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
D = T.match_buffer(d, (n,))
for i, k in T.grid(n, m):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(3)
        D[vi] = D[vi] + A[vi, vk]`, func(o on) error {
		i := o.l("D", 0)
		n := i.Extent()
		_, rest, err := o.s.LoopPartition(i, tir.Mul(tir.FloorDiv(n, tir.Int(4)), tir.Int(4)))
		if err != nil {
			return err
		}
		return second(o.s.Fuse(rest, o.l("D_1", 1)))
	}, "", []map[string]int64{{"n": 8, "m": 3}, {"n": 3, "m": 3}, {"n": 7, "m": 2}, {"n": 8, "m": 0}, {"n": 7, "m": 0}, {"n": 0, "m": 2}}}})
}

// TestMovesOfReductions: a reduction with a start may say that it reads what it writes; what comes
// between producer and consumer may be a parameter.
func TestMovesOfReductions(t *testing.T) {
	refusals(t, `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4,), "float32")`, `
D = T.alloc_buffer((4,))
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        T.reads(D[vi], A[vi, vk])
        T.writes(D[vi])
        with T.init():
            D[vi] = T.float32(0)
        D[vi] = D[vi] + A[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi]`, []refusal{
		{"to its consumer", func(o on) error { return o.s.ComputeAt(o.b("D"), o.l("E", 0)) }, ""},
		{"its consumer", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("D", 0)) }, ""},
	})
	refusals(t, `A: T.Buffer((4,), "float32"), G: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
for i in range(4):
    with T.block("G"):
        vi = T.axis.spatial(4, i)
        G[vi] = A[vi] + T.float32(1)
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = G[vi] * T.float32(2)`, []refusal{
		{"behind a parameter", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("G", 0)) }, ""},
		{"a parameter", func(o on) error { return o.s.ComputeAt(o.b("G"), o.l("E", 0)) }, "schedule: compute_at block G loop i: it writes G, which the function does not allocate"},
		{"inline behind a parameter", reverseInline, "schedule: reverse_compute_inline block E: no buffer that it reads at its iteration variables comes from one block for it alone"},
	})
}
