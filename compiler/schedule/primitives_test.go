package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestPrimitivesText compares what primitives make with texts after the documentation of
// TensorIR's schedule.
func TestPrimitivesText(t *testing.T) {
	const params = `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4,), "float32")`
	const sum = `
for i, k in T.grid(4, 6):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B[vi] = T.float32(0)
        B[vi] = B[vi] + A[vi, vk]`
	for _, c := range []struct {
		name string
		do   func(o on) error
		want string
	}{
		{"split with a rest", func(o on) error { return second(o.s.Split(o.l("B", 1), 0, 4)) }, `
for i, k_0, k_1 in T.grid(4, 2, 4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        vk = T.axis.reduce(6, k_0 * 4 + k_1)
        T.where(k_0 * 4 + k_1 < 6)
        with T.init():
            B[vi] = T.float32(0.0)
        B[vi] = B[vi] + A[vi, vk]`},
		{"split evenly", func(o on) error { return second(o.s.Split(o.l("B", 1), 0, 3)) }, `
for i, k_0, k_1 in T.grid(4, 2, 3):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        vk = T.axis.reduce(6, k_0 * 3 + k_1)
        with T.init():
            B[vi] = T.float32(0.0)
        B[vi] = B[vi] + A[vi, vk]`},
		{"kinds survive decompose_reduction", func(o on) error {
			l, err := o.s.Split(o.l("B", 0), 0, 2)
			if err != nil {
				return err
			}
			return steps(o.s.Reorder(l[0], o.l("B", 2), l[1]), o.s.Parallel(l[0]), o.s.Vectorize(l[1]),
				second(o.s.DecomposeReduction(o.b("B"), o.l("B", 1))))
		}, `
for i_0 in T.parallel(2):
    for i_1_init in T.vectorized(2):
        with T.block("B_init"):
            vi_init = T.axis.spatial(4, i_0 * 2 + i_1_init)
            B[vi_init] = T.float32(0.0)
    for k in range(6):
        for i_1 in T.vectorized(2):
            with T.block("B"):
                vi = T.axis.spatial(4, i_0 * 2 + i_1)
                vk = T.axis.reduce(6, k)
                B[vi] = B[vi] + A[vi, vk]`},
		{"annotations", func(o on) error {
			o.s.Annotate(o.b("B"), "gone", tir.Int(1))
			o.s.Annotate(o.b("B"), "kept", i32(3))
			o.s.Unannotate(o.b("B"), "gone")
			o.s.AnnotateLoop(o.l("B", 0), "pragma", i32(5))
			return steps(o.s.Unroll(o.l("B", 1)), o.s.Bind(o.l("B", 0), "blockIdx.x"))
		}, `
for i in T.thread_binding(4, thread="blockIdx.x", annotations={"pragma": T.int32(5)}):
    for k in T.unroll(6):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.block_attr({"kept": T.int32(3)})
            with T.init():
                B[vi] = T.float32(0.0)
            B[vi] = B[vi] + A[vi, vk]`},
		{"cache_write", func(o on) error { return second(o.s.CacheWrite(o.b("B"), 0, "local")) }, `
B_local = T.alloc_buffer((4,), scope="local")
for i, k in T.grid(4, 6):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B_local[vi] = T.float32(0.0)
        B_local[vi] = B_local[vi] + A[vi, vk]
for ax0 in range(4):
    with T.block("B_local"):
        v0 = T.axis.spatial(4, ax0)
        B[v0] = B_local[v0]`},
		{"cache_read", func(o on) error { return second(o.s.CacheRead(o.b("B"), 0, "")) }, `
A_global = T.alloc_buffer((4, 6))
for ax0, ax1 in T.grid(4, 6):
    with T.block("A_global"):
        v0, v1 = T.axis.remap("SS", [ax0, ax1])
        A_global[v0, v1] = A[v0, v1]
for i, k in T.grid(4, 6):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B[vi] = T.float32(0.0)
        B[vi] = B[vi] + A_global[vi, vk]`},
		{"rfactor", func(o on) error { return second(o.s.RFactor(o.l("B", 1), 0)) }, `
B_rf = T.alloc_buffer((6, 4))
for i, k in T.grid(4, 6):
    with T.block("B_rf"):
        vi, vk = T.axis.remap("SS", [i, k])
        B_rf[vk, vi] = A[vi, vk]
for ax0, ax1 in T.grid(4, 6):
    with T.block("B"):
        vi, vk = T.axis.remap("SR", [ax0, ax1])
        with T.init():
            B[vi] = T.float32(0.0)
        B[vi] = B[vi] + B_rf[vk, vi]`},
		{"loop_partition", func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(3))) }, `
for i, k in T.grid(3, 6):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        vk = T.axis.reduce(6, k)
        with T.init():
            B[vi] = T.float32(0.0)
        B[vi] = B[vi] + A[vi, vk]
for i, k in T.grid(1, 6):
    with T.block("B_1"):
        vi = T.axis.spatial(4, 3 + i)
        vk = T.axis.reduce(6, k)
        with T.init():
            B[vi] = T.float32(0.0)
        B[vi] = B[vi] + A[vi, vk]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parsed(t, params, sum)
			s := scheduled(t, f)
			if err := c.do(on{t, s}); err != nil {
				t.Fatal(err)
			}
			looks(t, s, c.want)
			if c.name != "annotations" { // the interpreter knows no threads
				same(t, f, s, nil)
			}
		})
	}
}

// TestPaddingBounds decomposes padding whose bounds are written in all ways.
func TestPaddingBounds(t *testing.T) {
	const say = "schedule: decompose_padding block P: "
	for _, c := range []struct{ cond, fill, want string }{
		{"2 <= vi and vi < 6", "T.float32(0)", ""},
		{"vi >= 2 and vi <= 5", "T.float32(0)", ""},
		{"1 < vi and 6 > vi", "T.float32(5)", ""},
		{"vi > 1 and 5 >= vi", "T.float32(5)", ""},
		{"vi > 1 and vi >= 2 and vi < 6 and vi < 9", "T.float32(5)", ""},
		{"vi >= 2 and vi < 4 and vi < 6 and vi > 2", "T.float32(5)", ""},
		{"vi != 3", "T.float32(0)", say + "its condition is not a conjunction of bounds of iteration variables"},
		{"vi < 3 or vi > 6", "T.float32(0)", say + "its condition is not a conjunction of bounds of iteration variables"},
		{"vi * 2 < 6", "T.float32(0)", say + "its condition is not a conjunction of bounds of iteration variables"},
		{"vi < 8 - vi", "T.float32(0)", say + "its condition is not a conjunction of bounds of iteration variables"},
		{"2 <= vi and vi < 6", "A[0]", say + "it does not choose between a value and a constant"},
	} {
		t.Run(c.cond, func(t *testing.T) {
			f := parsed(t, `A: T.Buffer((10,), "float32"), P: T.Buffer((9,), "float32")`, `
for i in range(9):
    with T.block("P"):
        vi = T.axis.spatial(9, i)
        P[vi] = T.if_then_else(`+c.cond+`, A[vi + 1], `+c.fill+`)`)
			s := scheduled(t, f)
			fill, err := s.DecomposePadding(block(t, s, "P"))
			if c.want != "" {
				refuses(t, err, c.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			same(t, f, s, nil)
			if fill.Name() != "P_pad" {
				t.Errorf("the constant is stored by %s", fill.Name())
			}
		})
	}
}

// TestFlattenAccess: quotients and remainders that cancel out become an index into a view.
func TestFlattenAccess(t *testing.T) {
	f := parsed(t, `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")`, `
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + A[vi, 0]`)
	s := scheduled(t, f)
	b := block(t, s, "B")
	s.FlattenAccess(b) // nothing divides
	if source(s.Func()) != source(f) {
		t.Errorf("changed:\n%s", source(s.Func()))
	}
	if err := s.FuseIters(b, 0, 1); err != nil {
		t.Fatal(err)
	}
	s.FlattenAccess(b)
	same(t, f, s, nil)
	st := b.Body()
	for {
		d, ok := st.(*tir.DeclBuffer)
		if !ok {
			break
		}
		if n := d.Buffer.Shape; len(n) != 1 || !tir.IsConst(n[0], 24) {
			t.Errorf("view %s has the shape %v", d.Buffer.Name, n)
		}
		st = d.Body
	}
	x, ok := st.(*tir.BufferStore)
	if !ok || x.Buffer.Name != "B_flat" || len(x.Indices) != 1 || x.Indices[0] != tir.Expr(b.Iters()[0].Var) {
		t.Errorf("the store is %v", st)
	}
	s.FlattenAccess(s.Root())
}

// TestTransformLayoutRefusals: the map must fit, be injective and have bounds.
func TestTransformLayoutRefusals(t *testing.T) {
	i, j := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T)
	for _, c := range []struct {
		name    string
		initial []*tir.Var
		final   []tir.Expr
		want    string
	}{
		{"swap", []*tir.Var{i, j}, []tir.Expr{j, i}, ""},
		{"tile", []*tir.Var{i, j}, []tir.Expr{tir.FloorDiv(j, i32(4)), i, tir.FloorMod(j, i32(4))}, ""},
		{"drop", []*tir.Var{i, j}, []tir.Expr{i, tir.FloorMod(j, i32(4))}, "schedule: transform_layout: the map of B is not known to be injective"},
		{"too few", []*tir.Var{i}, []tir.Expr{i}, "schedule: transform_layout: the map takes 1 indices, B has 2 axes"},
		{"sum", []*tir.Var{i, j}, []tir.Expr{tir.Add(i, j)}, "schedule: transform_layout: the map of B is not known to be injective"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parsed(t, chainParams, chain)
			s := scheduled(t, f)
			_, err := s.TransformLayout(block(t, s, "B").Writes()[0].Buffer, &tir.IndexMap{Initial: c.initial, Final: c.final})
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else {
				refuses(t, err, c.want)
			}
			same(t, f, s, nil)
		})
	}
	s := scheduled(t, parsed(t, chainParams, chain))
	_, err := s.TransformLayout(block(t, s, "E").Writes()[0].Buffer, &tir.IndexMap{Initial: []*tir.Var{i}, Final: []tir.Expr{i}})
	refuses(t, err, "schedule: transform_layout: E is not allocated by the function")
}

// TestStrideOf counts elements by hand in a buffer of 4 by 6 by 5.
func TestStrideOf(t *testing.T) {
	v, w := tir.NewVar("v", dtype.Int32T), tir.NewVar("w", dtype.Int32T)
	b := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{i32(4), i32(6), i32(5)}, "")
	u := tir.NewBuffer("U", dtype.Float32T, []tir.Expr{i32(4), w, i32(5)}, "")
	for _, c := range []struct {
		name    string
		buffer  *tir.Buffer
		indices []tir.Expr
		want    int64
	}{
		{"last", b, []tir.Expr{w, w, v}, 1},
		{"middle", b, []tir.Expr{w, v, w}, 5},
		{"first", b, []tir.Expr{v, w, w}, 30},
		{"all", b, []tir.Expr{v, v, v}, 36},
		{"backwards", b, []tir.Expr{w, tir.Sub(i32(3), v), tir.Mul(v, i32(2))}, -3},
		{"none", b, []tir.Expr{w, w, i32(0)}, 0},
		{"fused", b, []tir.Expr{w, tir.FloorDiv(v, i32(5)), tir.FloorMod(v, i32(5))}, 1},
		{"square", b, []tir.Expr{w, w, tir.Mul(v, v)}, schedule.NoStride},
		{"by a variable", b, []tir.Expr{w, w, tir.Mul(v, w)}, schedule.NoStride},
		{"within a symbolic axis", u, []tir.Expr{w, v, w}, 5},
		{"around a symbolic axis", u, []tir.Expr{v, w, w}, schedule.NoStride},
		{"beside a symbolic axis", u, []tir.Expr{w, w, v}, 1},
	} {
		if got := schedule.StrideOf(c.buffer, c.indices, v); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
