package schedule_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// layoutBody stores B of 4 by 6 and reads it transposed.
const (
	layoutParams = `A: T.Buffer((4, 6), "float32"), E: T.Buffer((6, 4), "float32")`
	layoutBody   = `
B = T.alloc_buffer((4, 6), scope="local")
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1)
for i, j in T.grid(6, 4):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vj, vi] * B[3, vi]`
)

// transform applies a map to the layout of what block B writes.
func transform(o on, f func(ix []*tir.Var) []tir.Expr) (*tir.Buffer, error) {
	buf := o.b("B").Writes()[0].Buffer
	m := &tir.IndexMap{}
	for k, n := range buf.Shape {
		m.Initial = append(m.Initial, tir.NewVar("i"+string(rune('0'+k)), n.DType()))
	}
	m.Final = f(m.Initial)
	return o.s.TransformLayout(buf, m)
}

func TestTransformLayoutText(t *testing.T) {
	text := func(buffer, store, first, second string) string {
		return `
B = T.alloc_buffer(` + buffer + `, scope="local")
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[` + store + `] = A[vi, vj] + T.float32(1.0)
for i, j in T.grid(6, 4):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[` + first + `] * B[` + second + `]`
	}
	for _, c := range []struct {
		name string
		f    func(ix []*tir.Var) []tir.Expr
		want string
	}{
		{"transposed", func(ix []*tir.Var) []tir.Expr { return []tir.Expr{ix[1], ix[0]} }, text("(6, 4)", "vj, vi", "vi, vj", "vi, 3")},
		{"flat", func(ix []*tir.Var) []tir.Expr { return []tir.Expr{tir.Add(tir.Mul(ix[0], i32(6)), ix[1])} }, text("(24,)", "vi * 6 + vj", "vj * 6 + vi", "vi + 18")},
		{"phases that divide", func(ix []*tir.Var) []tir.Expr {
			return []tir.Expr{ix[0], tir.FloorMod(ix[1], i32(2)), tir.FloorDiv(ix[1], i32(2))}
		}, text("(4, 2, 3)", "vi, vj % 2, vj // 2", "vj, vi % 2, vi // 2", "3, vi % 2, vi // 2")},
		{"phases that do not divide", func(ix []*tir.Var) []tir.Expr {
			return []tir.Expr{tir.FloorMod(ix[1], i32(4)), ix[0], tir.FloorDiv(ix[1], i32(4))}
		}, text("(4, 4, 2)", "vj % 4, vi, vj // 4", "vi % 4, vj, vi // 4", "vi % 4, 3, vi // 4")},
		{"a constant axis", func(ix []*tir.Var) []tir.Expr { return []tir.Expr{ix[0], ix[1], i32(0)} }, text("(4, 6, 1)", "vi, vj, 0", "vj, vi, 0", "3, vi, 0")},
	} {
		changes(t, []change{{c.name, layoutParams, layoutBody, func(o on) error {
			old := o.b("B").Writes()[0].Buffer
			to, err := transform(o, c.f)
			if err == nil && (to == old || to.Name != "B" || to.Scope() != "local" || to.DType != dtype.Float32T || !o.s.Allocates(to) || o.s.Allocates(old)) {
				o.t.Errorf("the buffer is %v", to)
			}
			return err
		}, c.want, nil}})
	}
}

func TestTransformLayoutBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(ix []*tir.Var) []tir.Expr
		want string
	}{
		{"shifted to the front", func(ix []*tir.Var) []tir.Expr { return []tir.Expr{tir.Sub(ix[0], i32(1)), ix[1]} }, "schedule: transform_layout: axis 0 of the new layout of B has no constant bound"},
		{"shifted to the back", func(ix []*tir.Var) []tir.Expr { return []tir.Expr{tir.Add(ix[0], i32(1)), ix[1]} }, ""},
		{"without one", func(ix []*tir.Var) []tir.Expr { return []tir.Expr{ix[0]} }, "schedule: transform_layout: the map of B is not known to be injective"},
	} {
		refusals(t, layoutParams, layoutBody, []refusal{{c.name, func(o on) error { return second(transform(o, c.f)) }, c.want}})
	}
}

// TestTransformLayoutSymbolic: an axis of a symbolic extent may move, but not be taken apart.
func TestTransformLayoutSymbolic(t *testing.T) {
	const body = `
n, m = T.int64(), T.int64()
A = T.match_buffer(a, (n, m))
E = T.match_buffer(e, (n, m))
B = T.alloc_buffer((n, m))
for i, j in T.grid(n, m):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1)
for i, j in T.grid(n, m):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi, vj]`
	const params = "a: T.handle, e: T.handle"
	changes(t, []change{{"transposed", params, body, func(o on) error {
		return second(transform(o, func(ix []*tir.Var) []tir.Expr { return []tir.Expr{ix[1], ix[0]} }))
	}, `
B = T.alloc_buffer((m, n))
for i, j in T.grid(n, m):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vj, vi] = A[vi, vj] + T.float32(1.0)
for i, j in T.grid(n, m):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vj, vi]`, sizes}})
	s := scheduled(t, parsed(t, params, body))
	_, err := transform(on{t, s}, func(ix []*tir.Var) []tir.Expr {
		two := tir.Int(2)
		return []tir.Expr{ix[0], tir.FloorMod(ix[1], two), tir.FloorDiv(ix[1], two)}
	})
	if err == nil {
		t.Error("a symbolic extent was taken apart")
	}
}

// TestLayoutOfAReduction: the start of a reduction moves too.
func TestLayoutOfAReduction(t *testing.T) {
	changes(t, []change{{"", `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4,))
for i, k in T.grid(4, 6):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B[vi] = T.float32(0)
        B[vi] = B[vi] + A[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi]`, func(o on) error {
		return second(transform(o, func(ix []*tir.Var) []tir.Expr {
			return []tir.Expr{tir.FloorMod(ix[0], i32(3)), tir.FloorDiv(ix[0], i32(3))}
		}))
	}, `
B = T.alloc_buffer((3, 2))
for i, k in T.grid(4, 6):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B[vi % 3, vi // 3] = T.float32(0.0)
        B[vi % 3, vi // 3] = B[vi % 3, vi // 3] + A[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi % 3, vi // 3]`, nil}})
}

// TestLayoutsKeepElementsApart: a map is taken only where it gives the elements different places:
// compared with all elements of small buffers.
func TestLayoutsKeepElementsApart(t *testing.T) {
	forms := map[string]func(x tir.Expr, c int64) []tir.Expr{
		"quotient and remainder": func(x tir.Expr, c int64) []tir.Expr {
			return []tir.Expr{tir.FloorDiv(x, i32(c)), tir.FloorMod(x, i32(c))}
		},
		"remainder": func(x tir.Expr, c int64) []tir.Expr { return []tir.Expr{tir.FloorMod(x, i32(c))} },
		"quotient":  func(x tir.Expr, c int64) []tir.Expr { return []tir.Expr{tir.FloorDiv(x, i32(c))} },
		"multiple":  func(x tir.Expr, c int64) []tir.Expr { return []tir.Expr{tir.Mul(x, i32(c))} },
		"quotients by 2 and": func(x tir.Expr, c int64) []tir.Expr {
			return []tir.Expr{tir.FloorDiv(x, i32(c)), tir.FloorMod(x, i32(2))}
		},
	}
	for name, form := range forms {
		for n := int64(1); n <= 7; n++ {
			for c := int64(1); c <= 5; c++ {
				f := parsed(t, fmt.Sprintf(`A: T.Buffer((%d,), "float32"), E: T.Buffer((%d,), "float32")`, n, n), fmt.Sprintf(`
B = T.alloc_buffer((%[1]d,))
for i in range(%[1]d):
    with T.block("B"):
        vi = T.axis.spatial(%[1]d, i)
        B[vi] = A[vi]
for i in range(%[1]d):
    with T.block("E"):
        vi = T.axis.spatial(%[1]d, i)
        E[vi] = B[vi]`, n))
				s := scheduled(t, f)
				to, err := transform(on{t, s}, func(ix []*tir.Var) []tir.Expr { return form(ix[0], c) })
				if err != nil {
					continue
				}
				seen := map[string]bool{}
				for x := range n {
					var at []int64
					for k, e := range form(i32(x), c) {
						i, ok := tir.AsInt(e)
						size, _ := tir.AsInt(to.Shape[k])
						if !ok || i >= size {
							t.Errorf("%s of %d by %d: %d is at %v of axis %d, which has %d", name, n, c, x, e, k, size)
						}
						at = append(at, i)
					}
					if seen[fmt.Sprint(at)] {
						t.Errorf("%s of %d by %d: two elements at %v", name, n, c, at)
					}
					seen[fmt.Sprint(at)] = true
				}
				same(t, f, s, nil)
			}
		}
	}
}

// TestLayoutOfLongAxes: an axis that a map does not divide evenly may have up to 2^20 elements.
func TestLayoutOfLongAxes(t *testing.T) {
	const say = "schedule: transform_layout: the map of B is not known to be injective"
	for _, c := range []struct {
		n, by int64
		want  string
	}{
		{1<<20 - 1, 7, ""},
		{1 << 20, 7, say},
		{1 << 20, 8, ""},
		{1 << 20, 1 << 20, ""},
		{1<<20 - 1, 1 << 20, ""},
		{1<<20 - 1, 1<<20 + 1, say}, // more than it rounds to
	} {
		s := scheduled(t, parsed(t, fmt.Sprintf(`A: T.Buffer((%d,), "float32")`, c.n), fmt.Sprintf(`
B = T.alloc_buffer((%[1]d,))
for i in range(%[1]d):
    with T.block("B"):
        vi = T.axis.spatial(%[1]d, i)
        B[vi] = A[vi]`, c.n)))
		to, err := transform(on{t, s}, func(ix []*tir.Var) []tir.Expr {
			return []tir.Expr{tir.FloorDiv(ix[0], i32(c.by)), tir.FloorMod(ix[0], i32(c.by))}
		})
		if c.want != "" {
			refuses(t, err, c.want)
			continue
		}
		if err != nil {
			t.Errorf("%d by %d: %v", c.n, c.by, err)
			continue
		}
		if rows := (c.n + c.by - 1) / c.by; !tir.IsConst(to.Shape[0], rows) || !tir.IsConst(to.Shape[1], min(c.by, c.n)) {
			t.Errorf("%d by %d: the shape is %v", c.n, c.by, to.Shape)
		}
	}
}
