package schedule_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// square is two blocks: B from A, and E from B, each of 4 by 4.
func square(store, load string) string {
	return `
B = T.alloc_buffer((4, 4))
for i, j in T.grid(4, 4):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        ` + store + `
for i, j in T.grid(4, 4):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        ` + load
}

const squareParams = `A: T.Buffer((4, 4), "float32"), E: T.Buffer((4, 4), "float32")`

func inline(o on) error { return o.s.ComputeInline(o.b("B")) }

func reverseInline(o on) error { return o.s.ReverseComputeInline(o.b("E")) }

func TestComputeInlineText(t *testing.T) {
	changes(t, []change{
		{"read at other places", squareParams, square("B[vj, vi] = A[vi, vj] + T.float32(1)", "E[vi, vj] = B[vi, vj] * B[0, vi]"), inline, `
for i, j in T.grid(4, 4):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = (A[vj, vi] + T.float32(1.0)) * (A[vi, 0] + T.float32(1.0))`, nil},
		{"axes of another type", `A: T.Buffer((2, 2), "float32"), E: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi // 2, vi % 2] + T.float32(1)
for i in range(T.int64(4)):
    with T.block("E"):
        vi = T.axis.spatial(T.int64(4), i)
        E[vi] = B[vi]`, inline, `
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = A[T.Cast("int32", vi) // 2, T.Cast("int32", vi) % 2] + T.float32(1.0)`, nil},
		{"a scalar of units", `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((1, 1))
for i, j in T.grid(1, 1):
    with T.block("B"):
        vi = T.axis.spatial(1, i)
        vj = T.axis.spatial((2, 3), 2 + j)
        B[vi, 0] = A[vi + vj]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = A[vi] * B[0, 0]`, inline, `
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = A[vi] * A[T.Add(0, 2)]`, nil},
		{"into a reduction, its start too", `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4, 6))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] * T.float32(3)
for i, k in T.grid(4, 6):
    with T.block("E"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            E[vi] = B[vi, 5]
        E[vi] = E[vi] + B[vi, vk]`, inline, `
for i, k in T.grid(4, 6):
    with T.block("E"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            E[vi] = A[vi, 5] * T.float32(3.0)
        E[vi] = E[vi] + A[vi, vk] * T.float32(3.0)`, nil},
		{"into two blocks", `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4,))
C = T.alloc_buffer((4,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi] * T.float32(3)
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = B[vi]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi] + C[3 - vi]`, inline, `
C = T.alloc_buffer((4,))
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = A[vi] * T.float32(3.0)
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = A[vi] * T.float32(3.0) + C[3 - vi]`, nil},
	})
}

func TestComputeInlineConditions(t *testing.T) {
	const say = "schedule: compute_inline block B: "
	for _, c := range []struct{ name, store, want string }{
		{"two stores", "B[vi, vj] = A[vi, vj]\n        B[vi, vj] = A[vj, vi]", say + "its body is a *tir.SeqStmt, expected one store"},
		{"a sum of indices", "B[vi, (vi + vj) % 4] = A[vi, vj]", say + "index 1 of its store is not an iteration variable"},
		{"a constant index", "B[1, vj] = A[vi, vj]", say + "index 0 of its store is not an iteration variable"},
		{"the first of an axis of four", "B[0, vj] = A[vi, vj]", say + "index 0 of its store is not an iteration variable"},
		{"a diagonal", "B[vi, vi] = A[vi, vj]", say + "index 1 of its store is not an iteration variable of its own"},
		{"its own buffer", "B[vi, vj] = B[vi, vj] + A[vi, vj]", say + "it reads what it writes"},
	} {
		refusals(t, squareParams, square(c.store, "E[vi, vj] = A[vi, vj]\n        T.evaluate(B[vi, vj])"), []refusal{{c.name, inline, c.want}})
	}
	refusals(t, squareParams, `
B = T.alloc_buffer((4,))
for i, k in T.grid(4, 4):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [i, k])
        B[vi] = A[vi, 3]
for i, j in T.grid(4, 4):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = B[vi]`, []refusal{{"a reduction without a start", inline, say + "it is a reduction"}})
	part := func(dom, value, buffer, index string) string {
		return `
B = T.alloc_buffer((` + buffer + `,))
for i, j in T.grid(4, 2):
    with T.block("B"):
        vi = T.axis.spatial(` + dom + `, ` + value + `)
        vj = T.axis.spatial(2, j)
        B[` + index + `] = A[0, vi]
for i, j in T.grid(4, 4):
    with T.block("E"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = A[vi, vj]
        T.evaluate(B[vi])`
	}
	refusals(t, squareParams, part("4", "i", "4", "vi"), []refusal{{"a variable that it does not store at", inline, say + "its store does not depend on vj"}})
	refusals(t, squareParams, part("4", "i", "5", "vi"), []refusal{{"a longer axis", inline, say + "it does not write all of axis 0 of B"}})
	// This one would store beyond the axis.
	refuses(t, inline(on{t, scheduled(t, parsed(t, squareParams, part("(1, 5)", "i + 1", "4", "vi")))}), say+"it does not write all of axis 0 of B")
}

func TestReverseComputeInlineText(t *testing.T) {
	changes(t, []change{
		{"transposed twice", squareParams, square("B[vj, vi] = A[vi, vj] + T.float32(1)", "E[vj, vi] = B[vi, vj] * A[vi, vj] + B[vi, vj]"), reverseInline, `
for i, j in T.grid(4, 4):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        E[vi, vj] = (A[vi, vj] + T.float32(1.0)) * A[vj, vi] + (A[vi, vj] + T.float32(1.0))`, nil},
		{"axes of another type", `A: T.Buffer((4,), "float32"), E: T.Buffer((2, 2), "float32")`, `
B = T.alloc_buffer((4,))
for i in range(T.int64(4)):
    with T.block("B"):
        vi = T.axis.spatial(T.int64(4), i)
        B[vi] = A[vi] + T.float32(1)
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi // 2, vi % 2] = B[vi]`, reverseInline, `
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        E[T.Cast("int32", vi) // 2, T.Cast("int32", vi) % 2] = A[vi] + T.float32(1.0)`, nil},
		{"axes of one", `A: T.Buffer((4,), "float32"), E: T.Buffer((5, 4), "float32")`, `
B = T.alloc_buffer((4, 1))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi, 0] = A[vi] + T.float32(1)
for i, j in T.grid(4, 1):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        vj = T.axis.spatial((3, 4), j + 3)
        E[vj, vi] = B[vi, 0]`, reverseInline, `
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        E[3, vi] = A[vi] + T.float32(1.0)`, nil},
		{"the second of its producers", `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
D = T.alloc_buffer((4,))
B = T.alloc_buffer((4,))
for i, k in T.grid(4, 4):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0)
        D[vi] = D[vi] + A[vk]
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] * B[vi]`, reverseInline, `
D = T.alloc_buffer((4,))
for i, k in T.grid(4, 4):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0.0)
        D[vi] = D[vi] + A[vk]
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] * (A[vi] + T.float32(1.0))`, nil},
		{"the first of two that it reads", `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
D = T.alloc_buffer((4,))
B = T.alloc_buffer((4,))
for i in range(4):
    with T.block("D"):
        vi = T.axis.spatial(4, i)
        D[vi] = A[vi] * T.float32(2)
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = B[vi] * D[vi]`, reverseInline, `
D = T.alloc_buffer((4,))
for i in range(4):
    with T.block("D"):
        vi = T.axis.spatial(4, i)
        D[vi] = A[vi] * T.float32(2.0)
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        E[vi] = (A[vi] + T.float32(1.0)) * D[vi]`, nil},
		{"under a condition", copyParams, `
B2 = T.alloc_buffer((12,))
for i, j in T.grid(3, 5):
    with T.block("B2"):
        vi = T.axis.spatial(12, i * 5 + j)
        T.where(i * 5 + j < 12)
        B2[vi] = A[vi] + T.float32(1)
for i in range(12):
    with T.block("E"):
        vi = T.axis.spatial(12, i)
        B[11 - vi] = B2[vi]`, reverseInline, `
for i, j in T.grid(3, 5):
    with T.block("B2"):
        vi = T.axis.spatial(12, i * 5 + j)
        T.where(i * 5 + j < 12)
        B[11 - vi] = A[vi] + T.float32(1.0)`, nil},
	})
}

func TestReverseComputeInlineConditions(t *testing.T) {
	const none = "schedule: reverse_compute_inline block E: no buffer that it reads at its iteration variables comes from one block for it alone"
	const notOne = "schedule: reverse_compute_inline block E: it is not one store without reduction or condition"
	for _, c := range []struct{ name, store, load, want string }{
		{"two places", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj] + B[vj, vi]", none},
		{"two places, one a sum", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj] + B[(vi + 1) % 4, vj]", none},
		{"two places, one a sum, first", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[(vi + 1) % 4, vj] + B[vi, vj]", none},
		{"a diagonal", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vi]", none},
		{"a row", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[0, vj]", none},
		{"the third row", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[2, vj]", none},
		{"a producer of two stores", "B[vi, vj] = A[vi, vj]\n        B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj]", none},
		{"two stores", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj]\n        E[vi, vj] = B[vi, vj]", notOne},
		{"a parameter", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = A[vi, vj]", none},
		{"the same place twice", "B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj] * B[vi, vj]", ""},
	} {
		refusals(t, squareParams, square(c.store, c.load), []refusal{{c.name, reverseInline, c.want}})
	}
	const params = `A: T.Buffer((6,), "float32"), E: T.Buffer((6,), "float32")`
	with := func(rows, cols string, dom string, more string) string {
		return `
B = T.alloc_buffer((6,))
for i in range(6):
    with T.block("B"):
        vi = T.axis.spatial(6, i)
        B[vi] = A[vi] + T.float32(1)
for i, j in T.grid(` + rows + `, ` + cols + `):
    with T.block("E"):
        vi = T.axis.spatial(` + dom + `)
        vj = T.axis.spatial(` + cols + `, j)
        E[vi] = B[vi]` + more
	}
	refusals(t, params, with("6", "1", "6, i", ""), []refusal{{"a unit beside", reverseInline, ""}})
	refusals(t, params, with("6", "2", "6, i", ""), []refusal{{"two beside", reverseInline, none}})
	refusals(t, params, with("5", "1", "5, i", ""), []refusal{{"a part", reverseInline, none}})
	refusals(t, params, with("5", "1", "(1, 6), i + 1", ""), []refusal{{"a part from one on", reverseInline, none}})
	refusals(t, params, with("6", "1", "6, i", `
for i in range(6):
    with T.block("F"):
        vi = T.axis.spatial(6, i)
        T.evaluate(B[vi])`), []refusal{{"another reader", reverseInline, none}})
	refusals(t, params, `
B = T.alloc_buffer((6,))
D = T.alloc_buffer((6,))
for i in range(6):
    with T.block("B"):
        vi = T.axis.spatial(6, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(6):
    with T.block("D"):
        vi = T.axis.spatial(6, i)
        D[5 - vi] = A[vi] + T.float32(1)
        T.evaluate(0)
for i in range(6):
    with T.block("E"):
        vi = T.axis.spatial(6, i)
        E[vi] = B[vi] + D[vi]`, []refusal{{"what else it reads comes later", reverseInline, "schedule: reverse_compute_inline block E: block D, which writes D, runs after the producer"}})
}

// TestOriginsOfInlined: what takes in another block has the origins of both.
func TestOriginsOfInlined(t *testing.T) {
	const first, last = ir.OriginID(1), ir.OriginID(2)
	for _, c := range []struct {
		name      string
		producer  ir.OriginID
		consumer  ir.OriginID
		table, by bool // with a table of origins; by reverse_compute_inline
		want      []ir.OriginID
	}{
		{"both", first, last, true, false, []ir.OriginID{first, last}},
		{"both, backwards", first, last, true, true, []ir.OriginID{last, first}},
		{"no table", first, last, false, false, []ir.OriginID{last}},
		{"an unknown producer", 0, last, true, false, []ir.OriginID{last}},
		{"an unknown consumer", first, 0, true, false, []ir.OriginID{first}},
		{"the same", last, last, true, false, []ir.OriginID{last}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := ir.NewOrigins()
			table.Add(ir.Origin{Name: "first"})
			table.Add(ir.Origin{Name: "last"})
			f := parsed(t, squareParams, square("B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj]"))
			for k, id := range []ir.OriginID{c.producer, c.consumer} {
				ir.Walk(f.Body.(*tir.BlockRealize).Block.Body.(*tir.SeqStmt).Seq[k], func(n ir.Node) bool {
					switch n := n.(type) {
					case *tir.BlockRealize:
						n.Origin = id
					case *tir.Block:
						n.Origin = id
					case *tir.BufferStore:
						n.Origin = id
					}
					return true
				})
			}
			s := scheduled(t, f)
			if c.table {
				s.SetOrigins(table)
			}
			do, name := inline, "E"
			if c.by {
				do, name = reverseInline, "B"
			}
			if err := do(on{t, s}); err != nil {
				t.Fatal(err)
			}
			ir.Walk(s.Func().Body, func(n ir.Node) bool {
				switch x := n.(type) {
				case *tir.BlockRealize:
					if x.Block.Name != name {
						return true
					}
				case *tir.Block:
					if x.Name != name {
						return true
					}
				case *tir.BufferStore:
				default:
					return true
				}
				got := []ir.OriginID{n.Meta().Origin}
				if c.table {
					got = table.Roots(got[0])
				}
				if !slices.Equal(got, c.want) && !(c.by && len(got) == 2) {
					t.Errorf("%T comes from %v, want %v", n, got, c.want)
				}
				return true
			})
		})
	}
}

// TestPredicatesOfAccesses: the predicates of loads and stores stay, and forbid to inline.
func TestPredicatesOfAccesses(t *testing.T) {
	make := func() *schedule.Schedule {
		f := parsed(t, squareParams, square("B[vi, vj] = A[vi, vj]", "E[vi, vj] = B[vi, vj]"))
		body := tir.RewriteStmt(f.Body, func(st tir.Stmt) tir.Stmt {
			if x, ok := st.(*tir.BufferStore); ok {
				return x.WithPredicate(tir.Bool(true))
			}
			return st
		}, func(e tir.Expr) tir.Expr {
			if x, ok := e.(*tir.BufferLoad); ok {
				return x.WithPredicate(tir.Bool(true))
			}
			return e
		})
		return scheduled(t, f.WithBody(body))
	}
	for name, do := range map[string]func(o on) error{
		"set_scope": func(o on) error { return o.s.SetScope(o.b("B"), 0, "local") },
		"fuse":      func(o on) error { return o.s.FuseIters(o.b("B"), 0, 1) },
		"views": func(o on) error {
			if err := steps(o.s.FuseIters(o.b("B"), 0, 1), o.s.FuseIters(o.b("E"), 0, 1)); err != nil {
				return err
			}
			o.s.FlattenAccess(o.b("B"))
			o.s.FlattenAccess(o.b("E"))
			return nil
		},
	} {
		s := make()
		if err := do(on{t, s}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := 0
		ir.Walk(s.Func().Body, func(x ir.Node) bool {
			switch x := x.(type) {
			case *tir.BufferStore:
				if n++; x.Predicate == nil {
					t.Errorf("%s: the store to %s has no predicate", name, x.Buffer.Name)
				}
			case *tir.BufferLoad:
				if n++; x.Predicate == nil {
					t.Errorf("%s: the load of %s has no predicate", name, x.Buffer.Name)
				}
			}
			return true
		})
		if n < 4 {
			t.Errorf("%s: %d accesses", name, n)
		}
	}
	s := make()
	refuses(t, inline(on{t, s}), "schedule: compute_inline block B: its body is a *tir.BufferStore, expected one store")
	refuses(t, reverseInline(on{t, s}), "schedule: reverse_compute_inline block E: it is not one store without reduction or condition")
}
