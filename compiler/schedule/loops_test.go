package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

const (
	copyParams = `A: T.Buffer((12,), "float32"), B: T.Buffer((12,), "float32")`
	copyBody   = `
for i in range(12):
    with T.block("B"):
        vi = T.axis.spatial(12, i)
        B[vi] = A[vi]`
	symbolicCopyParams = `a: T.handle, b: T.handle`
	symbolicCopyBody   = `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
B = T.match_buffer(b, (n, m))
for i, j in T.grid(n, m):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj]`
)

// sizes are the extents of symbolicCopyBody to run it with.
var sizes = []map[string]int64{{"n": 0, "m": 3}, {"n": 1, "m": 1}, {"n": 3, "m": 4}, {"n": 5, "m": 7}, {"n": 8, "m": 2}}

func TestSplitText(t *testing.T) {
	changes(t, []change{
		{"three factors, the first inferred", copyParams, copyBody, func(o on) error {
			l, err := o.s.Split(o.l("B", 0), 0, 3, 2)
			if len(l) != 3 || l[0].Name() != "i_0" || l[1].Name() != "i_1" || l[2].Name() != "i_2" {
				o.t.Errorf("loops are %v", l)
			}
			return err
		}, `
for i_0, i_1, i_2 in T.grid(2, 3, 2):
    with T.block("B"):
        vi = T.axis.spatial(12, (i_0 * 3 + i_1) * 2 + i_2)
        B[vi] = A[vi]`, nil},
		{"the last one inferred, with a rest", copyParams, copyBody, func(o on) error { return second(o.s.Split(o.l("B", 0), 5, 0)) }, `
for i_0, i_1 in T.grid(5, 3):
    with T.block("B"):
        vi = T.axis.spatial(12, i_0 * 3 + i_1)
        T.where(i_0 * 3 + i_1 < 12)
        B[vi] = A[vi]`, nil},
		{"the middle one inferred", copyParams, copyBody, func(o on) error { return second(o.s.Split(o.l("B", 0), 2, 0, 2)) }, `
for i_0, i_1, i_2 in T.grid(2, 3, 2):
    with T.block("B"):
        vi = T.axis.spatial(12, (i_0 * 3 + i_1) * 2 + i_2)
        B[vi] = A[vi]`, nil},
		{"by its extent", copyParams, copyBody, func(o on) error { return second(o.s.Split(o.l("B", 0), 12)) }, `
for i_0 in range(12):
    with T.block("B"):
        vi = T.axis.spatial(12, i_0)
        B[vi] = A[vi]`, nil},
		{"by more than its extent", copyParams, copyBody, func(o on) error { return second(o.s.Split(o.l("B", 0), 2, 7)) }, `
for i_0, i_1 in T.grid(2, 7):
    with T.block("B"):
        vi = T.axis.spatial(12, i_0 * 7 + i_1)
        T.where(i_0 * 7 + i_1 < 12)
        B[vi] = A[vi]`, nil},
		{"twice with a rest, under both conditions", copyParams, copyBody, func(o on) error {
			l, err := o.s.Split(o.l("B", 0), 0, 5)
			return steps(err, second(o.s.Split(l[1], 0, 2)))
		}, `
for i_0, i_1_0, i_1_1 in T.grid(3, 3, 2):
    with T.block("B"):
        vi = T.axis.spatial(12, i_0 * 5 + (i_1_0 * 2 + i_1_1))
        T.where(i_0 * 5 + (i_1_0 * 2 + i_1_1) < 12 and i_1_0 * 2 + i_1_1 < 5)
        B[vi] = A[vi]`, nil},
		{"a symbolic extent", symbolicCopyParams, symbolicCopyBody, func(o on) error { return second(o.s.Split(o.l("B", 1), 0, 4)) }, `
for i, j_0, j_1 in T.grid(n, (m + 3) // 4, 4):
    with T.block("B"):
        vi = T.axis.spatial(n, i)
        vj = T.axis.spatial(m, j_0 * 4 + j_1)
        T.where(j_0 * 4 + j_1 < m)
        B[vi, vj] = A[vi, vj]`, sizes},
		{"a symbolic extent into a number of parts", symbolicCopyParams, symbolicCopyBody, func(o on) error { return second(o.s.Split(o.l("B", 0), 3, 0)) }, `
for i_0, i_1, j in T.grid(3, (n + 2) // 3, m):
    with T.block("B"):
        vi = T.axis.spatial(n, i_0 * ((n + 2) // 3) + i_1)
        vj = T.axis.spatial(m, j)
        T.where(i_0 * ((n + 2) // 3) + i_1 < n)
        B[vi, vj] = A[vi, vj]`, sizes},
		{"around several statements", copyParams, `
for i in range(12):
    with T.block("A"):
        vi = T.axis.spatial(12, i)
        B[vi] = T.float32(1)
    for j in range(1):
        with T.block("B"):
            vi = T.axis.spatial(12, i + j)
            B[vi] = B[vi] + A[vi]`, func(o on) error { return second(o.s.Split(o.l("A", 0), 0, 8)) }, `
for i_0, i_1 in T.grid(2, 8):
    with T.block("A"):
        vi = T.axis.spatial(12, i_0 * 8 + i_1)
        T.where(i_0 * 8 + i_1 < 12)
        B[vi] = T.float32(1.0)
    for j in range(1):
        with T.block("B"):
            vi = T.axis.spatial(12, i_0 * 8 + i_1 + j)
            T.where(i_0 * 8 + i_1 < 12)
            B[vi] = B[vi] + A[vi]`, nil},
		{"with extents inside that depend on it", `A: T.Buffer((6, 6), "float32"), B: T.Buffer((6, 6), "float32")`, `
for i in range(6):
    for j in range(i + 1):
        with T.block("B"):
            vi = T.axis.spatial(6, i)
            vj = T.axis.spatial(6, j)
            T.where(j + 1 < 6 - i)
            B[vi, vj] = A[vi, vj]`, func(o on) error { return second(o.s.Split(o.l("B", 0), 0, 2)) }, `
for i_0, i_1 in T.grid(3, 2):
    for j in range(i_0 * 2 + i_1 + 1):
        with T.block("B"):
            vi = T.axis.spatial(6, i_0 * 2 + i_1)
            vj = T.axis.spatial(6, j)
            T.where(j + 1 < 6 - (i_0 * 2 + i_1))
            B[vi, vj] = A[vi, vj]`, nil},
		{"around a block without variables", copyParams, `
for i in range(12):
    with T.block("B"):
        B[i] = A[i]`, func(o on) error { return second(o.s.Split(o.l("B", 0), 0, 4)) }, `
for i_0, i_1 in T.grid(3, 4):
    with T.block("B"):
        B[i_0 * 4 + i_1] = A[i_0 * 4 + i_1]`, nil},
		{"around blocks within a block without variables", copyParams, `
for i in range(12):
    with T.block("outer"):
        for j in range(1):
            with T.block("B"):
                vi = T.axis.spatial(12, i + j)
                B[vi] = A[vi]`, func(o on) error { return second(o.s.Split(o.s.GetLoops(o.s.GetChildBlocks(o.s.Root())[0])[0], 0, 4)) }, `
for i_0, i_1 in T.grid(3, 4):
    with T.block("outer"):
        for j in range(1):
            with T.block("B"):
                vi = T.axis.spatial(12, i_0 * 4 + i_1 + j)
                B[vi] = A[vi]`, nil},
	})
}

func TestFuseText(t *testing.T) {
	const cube = `
for i, j, k in T.grid(2, 3, 5):
    with T.block("B"):
        vi, vj, vk = T.axis.remap("SSS", [i, j, k])
        B[vi, vj, vk] = A[vi, vj, vk]`
	const params = `A: T.Buffer((2, 3, 5), "float32"), B: T.Buffer((2, 3, 5), "float32")`
	changes(t, []change{
		{"three", params, cube, func(o on) error {
			l, err := o.s.Fuse(o.s.GetLoops(o.b("B"))...)
			if l.Name() != "i_j_k_fused" || l.Kind() != tir.Serial {
				o.t.Errorf("the loop is %s, %s", l.Name(), l.Kind())
			}
			return err
		}, `
for i_j_k_fused in range(30):
    with T.block("B"):
        vi = T.axis.spatial(2, i_j_k_fused // 5 // 3)
        vj = T.axis.spatial(3, i_j_k_fused // 5 % 3)
        vk = T.axis.spatial(5, i_j_k_fused % 5)
        B[vi, vj, vk] = A[vi, vj, vk]`, nil},
		{"the inner two", params, cube, func(o on) error { return second(o.s.Fuse(o.l("B", 1), o.l("B", 2))) }, `
for i, j_k_fused in T.grid(2, 15):
    with T.block("B"):
        vi = T.axis.spatial(2, i)
        vj = T.axis.spatial(3, j_k_fused // 5)
        vk = T.axis.spatial(5, j_k_fused % 5)
        B[vi, vj, vk] = A[vi, vj, vk]`, nil},
		{"symbolic", symbolicCopyParams, symbolicCopyBody, func(o on) error { return second(o.s.Fuse(o.l("B", 0), o.l("B", 1))) }, `
for i_j_fused in range(n * m):
    with T.block("B"):
        vi = T.axis.spatial(n, i_j_fused // m)
        vj = T.axis.spatial(m, i_j_fused % m)
        B[vi, vj] = A[vi, vj]`, sizes},
		{"of two types", `A: T.Buffer((3, 4), "float32"), B: T.Buffer((3, 4), "float32")`, `
for i in range(3):
    for j in range(T.int64(4)):
        with T.block("B"):
            vi = T.axis.spatial(3, i)
            vj = T.axis.spatial(T.int64(4), j)
            B[vi, vj] = A[vi, vj]`, func(o on) error { return second(o.s.Fuse(o.l("B", 0), o.l("B", 1))) }, `
for i_j_fused in range(12):
    with T.block("B"):
        vi = T.axis.spatial(3, T.Cast("int32", i_j_fused // 4))
        vj = T.axis.spatial(4, i_j_fused % 4)
        B[vi, vj] = A[vi, vj]`, nil},
		{"of two types, the other way round", `A: T.Buffer((3, 4), "float32"), B: T.Buffer((3, 4), "float32")`, `
for i in range(T.int64(3)):
    for j in range(4):
        with T.block("B"):
            vi = T.axis.spatial(T.int64(3), i)
            vj = T.axis.spatial(4, j)
            B[vi, vj] = A[vi, vj]`, func(o on) error { return second(o.s.Fuse(o.l("B", 0), o.l("B", 1))) }, `
for i_j_fused in range(12):
    with T.block("B"):
        vi = T.axis.spatial(3, i_j_fused // 4)
        vj = T.axis.spatial(4, T.Cast("int32", i_j_fused % 4))
        B[vi, vj] = A[vi, vj]`, nil},
		{"split and fused again", copyParams, copyBody, func(o on) error {
			l, err := o.s.Split(o.l("B", 0), 0, 5)
			return steps(err, second(o.s.Fuse(l...)))
		}, `
for i_0_i_1_fused in range(15):
    with T.block("B"):
        vi = T.axis.spatial(12, i_0_i_1_fused // 5 * 5 + i_0_i_1_fused % 5)
        T.where(i_0_i_1_fused // 5 * 5 + i_0_i_1_fused % 5 < 12)
        B[vi] = A[vi]`, nil},
	})
	refusals(t, `A: T.Buffer((6, 6), "float32"), B: T.Buffer((6, 6), "float32")`, `
for i in range(6):
    for j in range(i + 1):
        for k in range(1):
            with T.block("B"):
                vi = T.axis.spatial(6, i)
                vj = T.axis.spatial(6, j + k)
                B[vi, vj] = A[vi, vj]`, []refusal{
		{"a triangle", func(o on) error { return second(o.s.Fuse(o.l("B", 0), o.l("B", 1))) }, "schedule: fuse loop j: its extent depends on loop i"},
		{"a triangle's other loops", func(o on) error { return second(o.s.Fuse(o.l("B", 1), o.l("B", 2))) }, ""},
		{"a loop of another nest", func(o on) error { return second(o.s.Fuse(o.l("B", 0), o.l("B", 2))) }, "schedule: fuse loop k: it is not the only body of loop i"},
	})
}

func TestReorderText(t *testing.T) {
	const params = `A: T.Buffer((2, 3, 5, 7), "float32"), B: T.Buffer((2, 3, 5, 7), "float32")`
	const body = `
for i, j, k, l in T.grid(2, 3, 5, 7):
    with T.block("B"):
        vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
        B[vi, vj, vk, vl] = A[vi, vj, vk, vl]`
	block := `
    with T.block("B"):
        vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
        B[vi, vj, vk, vl] = A[vi, vj, vk, vl]`
	changes(t, []change{
		{"all backwards", params, body, func(o on) error {
			l := o.s.GetLoops(o.b("B"))
			return o.s.Reorder(l[3], l[2], l[1], l[0])
		}, "for l, k, j, i in T.grid(7, 5, 3, 2):" + block, nil},
		{"the outermost to the inside", params, body, func(o on) error {
			l := o.s.GetLoops(o.b("B"))
			return o.s.Reorder(l[3], l[0])
		}, "for l, j, k, i in T.grid(7, 3, 5, 2):" + block, nil},
		{"three of four, the first stays", params, body, func(o on) error {
			l := o.s.GetLoops(o.b("B"))
			return o.s.Reorder(l[3], l[1], l[2])
		}, "for i, l, j, k in T.grid(2, 7, 3, 5):" + block, nil},
		{"the second of two nests", chainParams, chain, func(o on) error { return o.s.Reorder(o.l("C", 1), o.l("C", 0)) }, `
B = T.alloc_buffer((4, 6))
C = T.alloc_buffer((4, 6))
D = T.alloc_buffer((4,))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for j, i in T.grid(6, 4):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] * T.float32(2.0)
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
	})
	refusals(t, `A: T.Buffer((6, 6), "float32"), B: T.Buffer((6, 6), "float32")`, `
for i in range(6):
    for j in range(i + 1):
        with T.block("B"):
            vi = T.axis.spatial(6, i)
            vj = T.axis.spatial(6, j)
            B[vi, vj] = A[vi, vj]`, []refusal{
		{"a triangle", func(o on) error { return o.s.Reorder(o.l("B", 1), o.l("B", 0)) }, "schedule: reorder loop j: its extent depends on loop i, which would be inside"},
		{"a triangle as it is", func(o on) error { return o.s.Reorder(o.l("B", 0), o.l("B", 1)) }, ""},
	})
	refusals(t, copyParams, `
for i, j in T.grid(3, 4):
    with T.block("B"):
        vi = T.axis.opaque(3, i)
        vj = T.axis.opaque(4, j)
        B[vi * 4 + vj] = A[vi * 4 + vj]`, []refusal{
		{"opaque variables", func(o on) error { return o.s.Reorder(o.l("B", 1), o.l("B", 0)) }, "schedule: reorder block B: its iteration variable vi is opaque, so that the order of loops matters"},
		{"vectorize an opaque variable", func(o on) error { return o.s.Vectorize(o.l("B", 1)) }, "schedule: vectorize block B loop j: its iteration variable vj is opaque and depends on the loop"},
	})
}
