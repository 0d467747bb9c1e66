package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	productSmallParams = `A: T.Buffer((4, 6), "float32"), B: T.Buffer((6, 3), "float32"), C: T.Buffer((4, 3), "float32")`
	productSmall       = `
for i, j, k in T.grid(4, 3, 6):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`
)

func TestDecomposeReductionText(t *testing.T) {
	changes(t, []change{
		{"at the outermost loop", productSmallParams, productSmall, func(o on) error {
			init, err := o.s.DecomposeReduction(o.b("C"), o.l("C", 0))
			if err == nil && (init != o.b("C_init") || init.IsReduction() || o.b("C").Init() != nil) {
				o.t.Errorf("the start is %s", init.Name())
			}
			return err
		}, `
for i_init, j_init in T.grid(4, 3):
    with T.block("C_init"):
        vi_init, vj_init = T.axis.remap("SS", [i_init, j_init])
        C[vi_init, vj_init] = T.float32(0.0)
for i, j, k in T.grid(4, 3, 6):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`, nil},
		{"between", productSmallParams, productSmall, func(o on) error { return second(o.s.DecomposeReduction(o.b("C"), o.l("C", 1))) }, `
for i in range(4):
    for j_init in range(3):
        with T.block("C_init"):
            vi_init, vj_init = T.axis.remap("SS", [i, j_init])
            C[vi_init, vj_init] = T.float32(0.0)
    for j, k in T.grid(3, 6):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`, nil},
		{"at the loop of the reduction", productSmallParams, productSmall, func(o on) error { return second(o.s.DecomposeReduction(o.b("C"), o.l("C", 2))) }, `
for i, j in T.grid(4, 3):
    with T.block("C_init"):
        vi_init, vj_init = T.axis.remap("SS", [i, j])
        C[vi_init, vj_init] = T.float32(0.0)
    for k in range(6):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`, nil},
		{"with the reduction outside of an axis", productSmallParams, productSmall, func(o on) error {
			return steps(o.s.Reorder(o.l("C", 2), o.l("C", 1)), second(o.s.DecomposeReduction(o.b("C"), o.l("C", 1))))
		}, `
for i in range(4):
    for j_init in range(3):
        with T.block("C_init"):
            vi_init, vj_init = T.axis.remap("SS", [i, j_init])
            C[vi_init, vj_init] = T.float32(0.0)
    for k, j in T.grid(6, 3):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`, nil},
		{"the condition of an axis goes along, that of the reduction does not", productSmallParams, productSmall, func(o on) error {
			i, err := o.s.Split(o.l("C", 0), 0, 3)
			if err != nil {
				return err
			}
			return steps(second(o.s.Split(o.l("C", 3), 0, 4)), second(o.s.DecomposeReduction(o.b("C"), i[1])))
		}, `
for i_0 in range(2):
    for i_1_init, j_init in T.grid(3, 3):
        with T.block("C_init"):
            vi_init = T.axis.spatial(4, i_0 * 3 + i_1_init)
            vj_init = T.axis.spatial(3, j_init)
            T.where(i_0 * 3 + i_1_init < 4)
            C[vi_init, vj_init] = T.float32(0.0)
    for i_1, j, k_0, k_1 in T.grid(3, 3, 2, 4):
        with T.block("C"):
            vi = T.axis.spatial(4, i_0 * 3 + i_1)
            vj = T.axis.spatial(3, j)
            vk = T.axis.reduce(6, k_0 * 4 + k_1)
            T.where(i_0 * 3 + i_1 < 4 and k_0 * 4 + k_1 < 6)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`, nil},
		{"a loop of one iteration", productSmallParams, productSmall, func(o on) error {
			u, err := o.s.AddUnitLoop(o.b("C"))
			return steps(err, second(o.s.Split(u, 0, 1)), second(o.s.DecomposeReduction(o.b("C"), o.l("C", 1))))
		}, `
for i in range(4):
    for j_init in range(3):
        with T.block("C_init"):
            vi_init, vj_init = T.axis.remap("SS", [i, j_init])
            C[vi_init, vj_init] = T.float32(0.0)
    for j, k, u_0, u_1 in T.grid(3, 6, 1, 1):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`, nil},
		{"extents inside that depend on others", `A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 4), "float32")`, `
for i in range(4):
    for j in range(i + 1):
        for k in range(6):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = A[vi, vj]
                C[vi, vj] = T.max(C[vi, vj], A[vi, vk])`, func(o on) error { return second(o.s.DecomposeReduction(o.b("C"), o.l("C", 0))) }, "", nil},
		{"the second nest of a function", chainParams, chain, func(o on) error { return second(o.s.DecomposeReduction(o.b("D"), o.l("D", 0))) }, `
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
for i_init in range(4):
    with T.block("D_init"):
        vi_init = T.axis.spatial(4, i_init)
        D[vi_init] = T.float32(0.0)
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        D[vi] = D[vi] + C[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] - T.float32(1.0)`, nil},
	})
	symbolic := `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
C = T.match_buffer(c, (n,))
for i, k in T.grid(n, m):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(2)
        C[vi] = C[vi] + A[vi, vk]`
	changes(t, []change{
		{"symbolic, tiled", "a: T.handle, c: T.handle", symbolic, func(o on) error {
			i, err := o.s.Split(o.l("C", 0), 0, 4)
			return steps(err, o.s.Reorder(i[0], o.l("C", 2), i[1]), second(o.s.DecomposeReduction(o.b("C"), o.l("C", 1))))
		}, `
for i_0 in range((n + 3) // 4):
    for i_1_init in range(4):
        with T.block("C_init"):
            vi_init = T.axis.spatial(n, i_0 * 4 + i_1_init)
            T.where(i_0 * 4 + i_1_init < n)
            C[vi_init] = T.float32(2.0)
    for k, i_1 in T.grid(m, 4):
        with T.block("C"):
            vi = T.axis.spatial(n, i_0 * 4 + i_1)
            vk = T.axis.reduce(m, k)
            T.where(i_0 * 4 + i_1 < n)
            C[vi] = C[vi] + A[vi, vk]`, []map[string]int64{{"n": 0, "m": 3}, {"n": 1, "m": 1}, {"n": 5, "m": 3}, {"n": 8, "m": 2}}},
	})
}

func TestRFactorText(t *testing.T) {
	changes(t, []change{
		{"the outer part of a reduction", productSmallParams, productSmall, func(o on) error {
			l, err := o.s.Split(o.l("C", 2), 2, 0)
			if err != nil {
				return err
			}
			rf, err := o.s.RFactor(l[0], 1)
			if err == nil && rf != o.b("C_rf") {
				o.t.Errorf("the parts are %s", rf.Name())
			}
			return err
		}, `
C_rf = T.alloc_buffer((4, 2, 3))
for i, j, k_0, k_1 in T.grid(4, 3, 2, 3):
    with T.block("C_rf"):
        vi, vj, vk_0, vk_1 = T.axis.remap("SSSR", [i, j, k_0, k_1])
        with T.init():
            C_rf[vi, vk_0, vj] = T.float32(0.0)
        C_rf[vi, vk_0, vj] = C_rf[vi, vk_0, vj] + A[vi, vk_0 * 3 + vk_1] * B[vk_0 * 3 + vk_1, vj]
for ax0, ax1, ax2 in T.grid(4, 3, 2):
    with T.block("C"):
        vi, vj, vk_0 = T.axis.remap("SSR", [ax0, ax1, ax2])
        with T.init():
            C[vi, vj] = T.float32(0.0)
        C[vi, vj] = C[vi, vj] + C_rf[vi, vk_0, vj]`, nil},
		{"the inner part, as the last axis", productSmallParams, productSmall, func(o on) error {
			l, err := o.s.Split(o.l("C", 2), 2, 0)
			return steps(err, second(o.s.RFactor(l[1], -1)))
		}, `
C_rf = T.alloc_buffer((4, 3, 3))
for i, j, k_0, k_1 in T.grid(4, 3, 2, 3):
    with T.block("C_rf"):
        vi, vj, vk_0, vk_1 = T.axis.remap("SSRS", [i, j, k_0, k_1])
        with T.init():
            C_rf[vi, vj, vk_1] = T.float32(0.0)
        C_rf[vi, vj, vk_1] = C_rf[vi, vj, vk_1] + A[vi, vk_0 * 3 + vk_1] * B[vk_0 * 3 + vk_1, vj]
for ax0, ax1, ax2 in T.grid(4, 3, 3):
    with T.block("C"):
        vi, vj, vk_1 = T.axis.remap("SSR", [ax0, ax1, ax2])
        with T.init():
            C[vi, vj] = T.float32(0.0)
        C[vi, vj] = C[vi, vj] + C_rf[vi, vj, vk_1]`, nil},
		{"one of two reductions", `A: T.Buffer((3, 4, 5), "float32"), C: T.Buffer((3,), "float32")`, `
for i, j, k in T.grid(3, 4, 5):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SRR", [i, j, k])
        with T.init():
            C[vi] = T.float32(-100)
        C[vi] = T.max(A[vi, vj, vk], C[vi])`, func(o on) error { return second(o.s.RFactor(o.l("C", 1), 0)) }, `
C_rf = T.alloc_buffer((4, 3))
for i, j, k in T.grid(3, 4, 5):
    with T.block("C_rf"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C_rf[vj, vi] = T.float32(-100.0)
        C_rf[vj, vi] = T.max(C_rf[vj, vi], A[vi, vj, vk])
for ax0, ax1 in T.grid(3, 4):
    with T.block("C"):
        vi, vj = T.axis.remap("SR", [ax0, ax1])
        with T.init():
            C[vi] = T.float32(-100.0)
        C[vi] = T.max(C[vi], C_rf[vj, vi])`, nil},
		{"between other nests", chainParams, chain, func(o on) error { return second(o.s.RFactor(o.l("D", 1), 0)) }, `
B = T.alloc_buffer((4, 6))
C = T.alloc_buffer((4, 6))
D = T.alloc_buffer((4,))
D_rf = T.alloc_buffer((6, 4))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1.0)
for i, j in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] * T.float32(2.0)
for i, k in T.grid(4, 6):
    with T.block("D_rf"):
        vi, vk = T.axis.remap("SS", [i, k])
        D_rf[vk, vi] = C[vi, vk]
for ax0, ax1 in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [ax0, ax1])
        with T.init():
            D[vi] = T.float32(0.0)
        D[vi] = D[vi] + D_rf[vk, vi]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] - T.float32(1.0)`, nil},
	})
}

// TestRFactorStart: a start that is not neutral enters the result once.
func TestRFactorStart(t *testing.T) {
	sum := func(op, start string) string {
		return `
for i, k, l in T.grid(4, 3, 2):
    with T.block("C"):
        vi, vk, vl = T.axis.remap("SRR", [i, k, l])
        with T.init():
            C[vi] = T.float32(` + start + `)
        C[vi] = C[vi] ` + op + ` A[vi, vk * 2 + vl]`
	}
	const params = `A: T.Buffer((4, 6), "float32"), C: T.Buffer((4,), "float32")`
	const want = "schedule: rfactor block C loop k: its init is not neutral, so that parts cannot start from it"
	part := func(o on) error { return second(o.s.RFactor(o.l("C", 1), 0)) }
	refusals(t, params, sum("+", "0"), []refusal{{"a sum from 0", part, ""}})
	refusals(t, params, sum("+", "3"), []refusal{{"a sum from 3", part, want}})
	refusals(t, params, sum("*", "1"), []refusal{{"a product from 1", part, ""}})
	refusals(t, params, sum("*", "2"), []refusal{{"a product from 2", part, want}})
}

// TestCombiner tells how blocks combine values.
func TestCombiner(t *testing.T) {
	const params = `A: T.Buffer((4, 6), "float32"), C: T.Buffer((4,), "float32")`
	for _, c := range []struct {
		body string
		op   tir.BinaryOp
		ok   bool
	}{
		{"C[vi] = C[vi] + A[vi, vk]", tir.OpAdd, true},
		{"C[vi] = A[vi, vk] + C[vi]", tir.OpAdd, true},
		{"C[vi] = C[vi] * A[vi, vk]", tir.OpMul, true},
		{"C[vi] = T.min(C[vi], A[vi, vk])", tir.OpMin, true},
		{"C[vi] = T.max(C[vi], A[vi, vk])", tir.OpMax, true},
		{"C[vi] = C[vi] - A[vi, vk]", 0, false},
		{"C[vi] = A[vi, vk] / C[vi]", 0, false},
		{"C[vi] = C[vi] + A[vi, vk] * C[vi]", 0, false},
		{"C[vi] = C[vi] + C[vi]", 0, false},
		{"C[vi] = C[0] + A[vi, vk]", 0, false},
		{"C[vi] = A[vi, vk] + A[vi, 0]", 0, false},
		{"C[vi] = A[vi, vk]", 0, false},
		{"C[vi] = C[vi] + A[vi, vk]\n        C[vi] = C[vi] + A[vi, vk]", 0, false},
	} {
		s := scheduled(t, parsed(t, params, `
for i, k in T.grid(4, 6):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        `+c.body))
		op, value, st, ok := schedule.Combiner(block(t, s, "C"))
		if ok != c.ok || ok && op != c.op {
			t.Errorf("%s: %v, %v, want %v, %v", c.body, op, ok, c.op, c.ok)
		}
		if ok {
			l, isLoad := value.(*tir.BufferLoad)
			if !isLoad || l.Buffer.Name != "A" || st.Buffer.Name != "C" {
				t.Errorf("%s: it combines %v into %v", c.body, value, st)
			}
		}
	}
}

// TestAnnotationsOfParts: the blocks that a reduction is taken apart into keep its annotations.
func TestAnnotationsOfParts(t *testing.T) {
	const params = `A: T.Buffer((4, 6), "float32"), C: T.Buffer((4,), "float32")`
	const body = `
for i, k in T.grid(4, 6):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        T.block_attr({"kept": T.int32(3)})
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`
	for name, do := range map[string]func(o on) (*schedule.Block, error){
		"rfactor":             func(o on) (*schedule.Block, error) { return o.s.RFactor(o.l("C", 1), 0) },
		"decompose_reduction": func(o on) (*schedule.Block, error) { return o.s.DecomposeReduction(o.b("C"), o.l("C", 1)) },
	} {
		s := scheduled(t, parsed(t, params, body))
		b, err := do(on{t, s})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b.Attrs().Len() != 1 || block(t, s, "C").Attrs().Len() != 1 {
			t.Errorf("%s: %d and %d annotations, want 1 each", name, b.Attrs().Len(), block(t, s, "C").Attrs().Len())
		}
	}
}
