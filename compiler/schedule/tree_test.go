package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// TestNewErrors tells for each function that cannot be taken apart why.
func TestNewErrors(t *testing.T) {
	const params = `A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")`
	const store = `
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi]`
	const one = "for i in range(8):\n    for j in range(1):" + store
	for _, c := range []struct{ name, body, want string }{
		{"loops", one, ""},
		{"a loop with a step of one", "for i in range(0, 8, 1):\n    for j in range(1):" + store, ""},
		{"a loop with a step", "for i in range(0, 8, 2):\n    for j in range(1):" + store, "schedule: loop i has a step: run CanonicalizeLoop first"},
		{"a condition around a block", "for i in range(8):\n    if i < 4:" + store, "schedule: a *tir.IfThenElse encloses a block: only loops, blocks and sequences can"},
		{"a condition around a block in a block", "with T.block(\"outer\"):\n    for i in range(8):\n        if i < 4:\n            with T.block(\"B\"):\n                vi = T.axis.spatial(8, i)\n                B[vi] = A[vi]", "schedule: a *tir.IfThenElse encloses a block: only loops, blocks and sequences can"},
		{"a store beside a block", "for i in range(8):\n    B[i] = A[i]\n    for j in range(1):" + store, "schedule: a *tir.BufferStore is outside of all blocks"},
		{"a view", "for i in range(8):\n    with T.block(\"B\"):\n        vi = T.axis.spatial(8, i)\n        V = T.match_buffer(A[vi:vi + 1], (1,), \"float32\")\n        B[vi] = V[0]", "schedule: block B has views of buffers: run LowerMatchBuffer first"},
		{"no blocks", "with T.block(\"root\"):\n    B[0] = A[0]", "schedule: the root block contains no blocks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parsed(t, params, c.body)
			s, err := schedule.New(f)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				same(t, f, s, nil)
			} else if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	f := parsed(t, params, one)
	_, err := schedule.New(f.WithBody(tir.NoOp()))
	if want := "schedule: the body is a *tir.Evaluate, expected a root block without iteration variables"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	root := f.Body.(*tir.BlockRealize)
	_, err = schedule.New(f.WithBody(root.Block.Body.(*tir.For).Body.(*tir.For).Body))
	if want := "schedule: the body is a *tir.BlockRealize, expected a root block without iteration variables"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestParts reads what a schedule says of loops and blocks, and what of them it keeps.
func TestParts(t *testing.T) {
	f := parsed(t, `A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")`, `
for i in T.parallel(8, annotations={"note": T.int32(1)}):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        T.where(i < 7)
        T.block_attr({"kept": T.int32(3)})
        B[vi] = A[vi]
for i in range(2, 8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = B[vi] + A[vi]
for j in range(3):
    T.evaluate(0)`)
	s := scheduled(t, f)
	looks(t, s, `
for i in T.parallel(8, annotations={"note": T.int32(1)}):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        T.where(i < 7)
        T.block_attr({"kept": T.int32(3)})
        B[vi] = A[vi]
for i in range(6):
    with T.block("B_1"):
        vi = T.axis.spatial(8, 2 + i)
        B[vi] = B[vi] + A[vi]
for j in range(3):
    T.evaluate(0)`)
	same(t, f, s, nil)
	b := block(t, s, "B")
	l := s.GetLoops(b)[0]
	if l.Name() != "i" || l.Var().Name != "i" || !tir.IsConst(l.Extent(), 8) || l.Kind() != tir.Parallel {
		t.Errorf("the loop is %s, %v, %v, %v", l.Name(), l.Var(), l.Extent(), l.Kind())
	}
	if n := b.Attrs().Len(); n != 1 {
		t.Errorf("%d annotations, want 1", n)
	}
	if len(b.Iters()) != 1 || b.Iters()[0].Var.Name != "vi" {
		t.Errorf("the variables are %v", b.Iters())
	}
	if r := b.Reads(); len(r) != 1 || r[0].Buffer.Name != "A" {
		t.Errorf("it reads %v", r)
	}
	if w := b.Writes(); len(w) != 1 || w[0].Buffer.Name != "B" {
		t.Errorf("it writes %v", w)
	}
	if a := block(t, s, "B_1").Attrs(); a.Len() != 0 {
		t.Errorf("the other block has %d annotations", a.Len())
	}
}

// TestBlocksWithinBlocks: primitives work on the blocks inside of one, and leave it alone.
func TestBlocksWithinBlocks(t *testing.T) {
	const params = `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")`
	const body = `
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        X = T.alloc_buffer((6,))
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                X[vj] = A[vi, vj] * T.float32(2)
        for j in range(6):
            with T.block("B"):
                vj = T.axis.spatial(6, j)
                B[vi, vj] = X[vj] + T.float32(1)`
	changes(t, []change{
		{"split", params, body, func(o on) error { return second(o.s.Split(o.l("B", 0), 0, 4)) }, `
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        X = T.alloc_buffer((6,))
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                X[vj] = A[vi, vj] * T.float32(2.0)
        for j_0, j_1 in T.grid(2, 4):
            with T.block("B"):
                vj = T.axis.spatial(6, j_0 * 4 + j_1)
                T.where(j_0 * 4 + j_1 < 6)
                B[vi, vj] = X[vj] + T.float32(1.0)`, nil},
		{"compute_inline", params, body, func(o on) error { return o.s.ComputeInline(o.b("X")) }, `
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        for j in range(6):
            with T.block("B"):
                vj = T.axis.spatial(6, j)
                B[vi, vj] = A[vi, vj] * T.float32(2.0) + T.float32(1.0)`, nil},
		{"compute_at", params, body, func(o on) error { return o.s.ComputeAt(o.b("X"), o.l("B", 0)) }, `
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        X = T.alloc_buffer((6,))
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                X[vj] = A[vi, vj] * T.float32(2.0)
            with T.block("B"):
                vj = T.axis.spatial(6, j)
                B[vi, vj] = X[vj] + T.float32(1.0)`, nil},
		{"set_scope", params, body, func(o on) error { return o.s.SetScope(o.b("X"), 0, "local") }, `
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        X = T.alloc_buffer((6,), scope="local")
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                X[vj] = A[vi, vj] * T.float32(2.0)
        for j in range(6):
            with T.block("B"):
                vj = T.axis.spatial(6, j)
                B[vi, vj] = X[vj] + T.float32(1.0)`, nil},
		{"reverse_compute_inline", params, body, func(o on) error { return o.s.ReverseComputeInline(o.b("B")) }, `
for i in range(4):
    with T.block("row"):
        vi = T.axis.spatial(4, i)
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                B[vi, vj] = A[vi, vj] * T.float32(2.0) + T.float32(1.0)`, nil},
		{"the loops around, split", params, body, func(o on) error {
			return second(o.s.Split(o.s.GetLoops(o.s.GetChildBlocks(o.s.Root())[0])[0], 0, 3))
		}, `
for i_0, i_1 in T.grid(2, 3):
    with T.block("row"):
        vi = T.axis.spatial(4, i_0 * 3 + i_1)
        T.where(i_0 * 3 + i_1 < 4)
        X = T.alloc_buffer((6,))
        for j in range(6):
            with T.block("X"):
                vj = T.axis.spatial(6, j)
                X[vj] = A[vi, vj] * T.float32(2.0)
        for j in range(6):
            with T.block("B"):
                vj = T.axis.spatial(6, j)
                B[vi, vj] = X[vj] + T.float32(1.0)`, nil},
		{"cache_write", params, body, func(o on) error { return second(o.s.CacheWrite(o.b("X"), 0, "local")) }, "", nil},
	})
	refusals(t, params, body, []refusal{
		{"compute_at in another block", func(o on) error {
			return o.s.ComputeAt(o.b("X"), o.s.GetLoops(o.s.GetChildBlocks(o.s.Root())[0])[0])
		}, "schedule: compute_at block X loop i: the block and the loop are in different blocks"},
		{"reverse_compute_at in another block", func(o on) error {
			return o.s.ReverseComputeAt(o.b("B"), o.s.GetLoops(o.s.GetChildBlocks(o.s.Root())[0])[0])
		}, "schedule: reverse_compute_at block B loop i: the block and the loop are in different blocks"},
		{"reorder over a block", func(o on) error {
			return o.s.Reorder(o.l("B", 0), o.s.GetLoops(o.s.GetChildBlocks(o.s.Root())[0])[0])
		}, "schedule: reorder loop j: the loops are not on one path within a block"},
		{"fuse over a block", func(o on) error {
			return second(o.s.Fuse(o.s.GetLoops(o.s.GetChildBlocks(o.s.Root())[0])[0], o.l("B", 0)))
		}, "schedule: fuse loop j: it is not the only body of loop i"},
	})
}
