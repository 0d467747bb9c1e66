package schedule_test

import (
	"fmt"
	"testing"
)

func TestDecomposePaddingText(t *testing.T) {
	changes(t, []change{
		{"an image", `A: T.Buffer((4, 5), "float32"), P: T.Buffer((6, 5), "float32")`, `
for i, j in T.grid(6, 5):
    with T.block("P"):
        vi, vj = T.axis.remap("SS", [i, j])
        P[vi, vj] = T.if_then_else(1 <= vi and vi < 5, A[vi - 1, vj], T.float32(7))`, func(o on) error {
			fill, err := o.s.DecomposePadding(o.b("P"))
			if err == nil && fill != o.b("P_pad") {
				o.t.Errorf("the constant is stored by %s", fill.Name())
			}
			return err
		}, `
for ax0, ax1 in T.grid(6, 5):
    with T.block("P_pad"):
        vi, vj = T.axis.remap("SS", [ax0, ax1])
        P[vi, vj] = T.float32(7.0)
for i, j in T.grid(4, 5):
    with T.block("P"):
        vi = T.axis.spatial(6, 1 + i)
        vj = T.axis.spatial(5, j)
        P[vi, vj] = A[vi - 1, vj]`, nil},
		{"a whole number", `A: T.Buffer((4,), "int32"), P: T.Buffer((6,), "int32")`, `
for i in range(6):
    with T.block("P"):
        vi = T.axis.spatial(6, i)
        P[vi] = T.if_then_else(vi < 4, A[vi], 3)`, func(o on) error { return second(o.s.DecomposePadding(o.b("P"))) }, `
for ax0 in range(6):
    with T.block("P_pad"):
        vi = T.axis.spatial(6, ax0)
        P[vi] = 3
for i in range(4):
    with T.block("P"):
        vi = T.axis.spatial(6, i)
        P[vi] = A[vi]`, nil},
		{"between other nests", `A: T.Buffer((4,), "float32"), E: T.Buffer((6,), "float32")`, `
P = T.alloc_buffer((6,))
for i in range(6):
    with T.block("first"):
        vi = T.axis.spatial(6, i)
        E[vi] = T.float32(1)
for i in range(6):
    with T.block("P"):
        vi = T.axis.spatial(6, i)
        P[vi] = T.if_then_else(vi < 4, A[vi], T.float32(2))
for i in range(6):
    with T.block("E"):
        vi = T.axis.spatial(6, i)
        E[vi] = E[vi] + P[vi]`, func(o on) error { return second(o.s.DecomposePadding(o.b("P"))) }, `
P = T.alloc_buffer((6,))
for i in range(6):
    with T.block("first"):
        vi = T.axis.spatial(6, i)
        E[vi] = T.float32(1.0)
for ax0 in range(6):
    with T.block("P_pad"):
        vi = T.axis.spatial(6, ax0)
        P[vi] = T.float32(2.0)
for i in range(4):
    with T.block("P"):
        vi = T.axis.spatial(6, i)
        P[vi] = A[vi]
for i in range(6):
    with T.block("E"):
        vi = T.axis.spatial(6, i)
        E[vi] = E[vi] + P[vi]`, nil},
		{"symbolic", "a: T.handle, p: T.handle", `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
P = T.match_buffer(p, (n, m))
for i, j in T.grid(n, m):
    with T.block("P"):
        vi, vj = T.axis.remap("SS", [i, j])
        P[vi, vj] = T.if_then_else(1 <= vj and vj < m - 1, A[vi, vj - 1], T.float32(2))`, func(o on) error { return second(o.s.DecomposePadding(o.b("P"))) }, "", sizes},
	})
}

// TestPaddingOfAllBounds decomposes padding between all bounds, within the axis and beyond it.
func TestPaddingOfAllBounds(t *testing.T) {
	for lo := -2; lo <= 6; lo++ {
		for hi := -2; hi <= 6; hi++ {
			for _, cond := range []string{"vi >= %d and vi < %d", "%d < vi and vi <= %d", "vi > %d and %d >= vi"} {
				changes(t, []change{{fmt.Sprintf(cond, lo, hi), `A: T.Buffer((4,), "float32"), P: T.Buffer((4,), "float32")`, `
for i in range(4):
    with T.block("P"):
        vi = T.axis.spatial(4, i)
        P[vi] = T.if_then_else(` + fmt.Sprintf(cond, lo, hi) + `, A[vi], T.float32(9))`, func(o on) error { return second(o.s.DecomposePadding(o.b("P"))) }, "", nil}})
			}
		}
	}
}

func TestDecomposePaddingRefusals(t *testing.T) {
	const say = "schedule: decompose_padding block P: "
	const notOne, changed, noChoice = say + "it is not one store without a condition around it", say + "its loops were changed before", say + "it does not choose between a value and a constant"
	const noBounds = say + "its condition is not a conjunction of bounds of iteration variables"
	const params = `A: T.Buffer((6, 4), "float32"), P: T.Buffer((6, 4), "float32")`
	pad := func(o on) error { return second(o.s.DecomposePadding(o.b("P"))) }
	with := func(store string) string {
		return `
for i, j in T.grid(6, 4):
    with T.block("P"):
        vi, vj = T.axis.remap("SS", [i, j])
        ` + store
	}
	const good = "P[vi, vj] = T.if_then_else(vi < 4, A[vi, vj], T.float32(2))"
	for _, c := range []struct{ name, store, want string }{
		{"fits", good, ""},
		{"both axes", "P[vi, vj] = T.if_then_else(vi < 4 and vj > 1, A[vi, vj], T.float32(2))", ""},
		{"two stores", good + "\n        P[vi, vj] = A[vi, vj]", notOne},
		{"a copy", "P[vi, vj] = A[vi, vj]", noChoice},
		{"a constant", "P[vi, vj] = T.float32(2)", noChoice},
		{"another function", "P[vi, vj] = T.exp(A[vi, vj])", noChoice},
		{"a variable value", "P[vi, vj] = T.if_then_else(vi < 4, A[vi, vj], A[0, 0])", noChoice},
		{"at other places", "P[vi, (vj + 1) % 4] = T.if_then_else(vi < 4, A[vi, vj], T.float32(2))", say + "index 1 of its store is not an iteration variable"},
		{"a bound of the other axis", "P[vi, vj] = T.if_then_else(vi < vj, A[vi, vj], T.float32(2))", noBounds},
		{"the other axis, turned", "P[vi, vj] = T.if_then_else(vj > vi, A[vi, vj], T.float32(2))", noBounds},
		{"a bound of what was read", "P[vi, vj] = T.if_then_else(A[vi, vj] < T.float32(2), A[vi, vj], T.float32(2))", noBounds},
		{"a hint", "P[vi, vj] = T.if_then_else(T.likely(vi < 4), A[vi, vj], T.float32(2))", noBounds},
		{"equal", "P[vi, vj] = T.if_then_else(vi == 4, A[vi, vj], T.float32(2))", noBounds},
		{"equal, turned", "P[vi, vj] = T.if_then_else(4 == vi, A[vi, vj], T.float32(2))", noBounds},
	} {
		refusals(t, params, with(c.store), []refusal{{c.name, pad, c.want}})
	}
	refusals(t, params, with(good), []refusal{
		{"split", func(o on) error { return steps(second(o.s.Split(o.l("P", 0), 0, 2)), pad(o)) }, changed},
		{"a condition", func(o on) error { return steps(second(o.s.Split(o.l("P", 0), 0, 4)), pad(o)) }, notOne},
		{"fused", func(o on) error { return steps(second(o.s.Fuse(o.l("P", 0), o.l("P", 1))), pad(o)) }, changed},
		{"a loop more", func(o on) error { return steps(second(o.s.AddUnitLoop(o.b("P"))), pad(o)) }, changed},
		{"a parallel loop", func(o on) error { return steps(o.s.Parallel(o.l("P", 0)), pad(o)) }, say + "its loops hold other blocks"},
		{"twice", func(o on) error { return steps(pad(o), pad(o)) }, noChoice},
		{"turned loops", func(o on) error { return steps(o.s.Reorder(o.l("P", 1), o.l("P", 0)), pad(o)) }, ""},
	})
	refusals(t, params, `
for i, j in T.grid(6, 4):
    with T.block("P"):
        vi, vj = T.axis.remap("SS", [i, j])
        P[vi, vj] = T.if_then_else(vi < 4, A[vi, vj], T.float32(2))
    with T.block("Q"):
        vi, vj = T.axis.remap("SS", [i, j])
        P[vi, vj] = P[vi, vj] + T.float32(1)`, []refusal{{"beside another block", pad, say + "its loops hold other blocks"}})
	refusals(t, params, `
P2 = T.alloc_buffer((6,))
for i in range(6):
    with T.block("P2"):
        vi = T.axis.spatial(6, i)
        P2[vi] = T.if_then_else(vi < 4, A[vi, 0], T.float32(2))
for i, j in T.grid(6, 4):
    with T.block("P"):
        vi, vj = T.axis.remap("SS", [i, j])
        P[vi, vj] = P2[vi]`, []refusal{{"removed", func(o on) error {
		b := o.b("P2")
		return steps(o.s.ComputeInline(b), second(o.s.DecomposePadding(b)))
	}, "schedule: decompose_padding block P2: the block was removed by an earlier primitive"}})
}
