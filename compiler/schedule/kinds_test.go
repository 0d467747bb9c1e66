package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

func TestKinds(t *testing.T) {
	s := scheduled(t, parsed(t, chainParams, chain))
	o := on{t, s}
	outer, inner := o.l("B", 0), o.l("B", 1)
	for _, c := range []struct {
		name string
		do   func() error
		l    *schedule.Loop
		want tir.ForKind
	}{
		{"serial", func() error { return nil }, outer, tir.Serial},
		{"parallel", func() error { return s.Parallel(outer) }, outer, tir.Parallel},
		{"vectorize", func() error { return s.Vectorize(inner) }, inner, tir.Vectorized},
		{"unroll", func() error { return s.Unroll(inner) }, inner, tir.Unrolled},
		{"bind", func() error { return s.Bind(inner, "threadIdx.x") }, inner, tir.ThreadBinding},
	} {
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := c.l.Kind(); got != c.want {
			t.Errorf("%s: the loop is %v, want %v", c.name, got, c.want)
		}
	}
	loop := s.Func().Body.(*tir.BlockRealize).Block.Body.(*tir.SeqStmt).Seq[0].(*tir.For).Body.(*tir.For)
	x := loop.Thread
	if x == nil || x.ThreadTag != "threadIdx.x" || x.Kind != tir.ThreadIndex || x.Var.DType() != loop.LoopVar.DType() {
		t.Errorf("the thread of the loop is %+v", x)
	}
}

// TestBoundLoopsKeepTheirThread: the start of a reduction runs in loops of the same kinds.
func TestBoundLoopsKeepTheirThread(t *testing.T) {
	s := scheduled(t, parsed(t, `A: T.Buffer((4, 6), "float32"), B: T.Buffer((4,), "float32")`, `
for k, i in T.grid(6, 4):
    with T.block("B"):
        vk, vi = T.axis.remap("RS", [k, i])
        with T.init():
            B[vi] = T.float32(0)
        B[vi] = B[vi] + A[vi, vk]`))
	o := on{t, s}
	if err := steps(s.Bind(o.l("B", 1), "threadIdx.x"), second(s.DecomposeReduction(o.b("B"), o.l("B", 0)))); err != nil {
		t.Fatal(err)
	}
	looks(t, s, `
for i_init in T.thread_binding(4, thread="threadIdx.x"):
    with T.block("B_init"):
        vi_init = T.axis.spatial(4, i_init)
        B[vi_init] = T.float32(0.0)
for k in range(6):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        with T.block("B"):
            vk, vi = T.axis.remap("RS", [k, i])
            B[vi] = B[vi] + A[vi, vk]`)
}

// TestFirstBlockIsNamed: of several blocks that forbid something the first one is named.
func TestFirstBlockIsNamed(t *testing.T) {
	const params = `A: T.Buffer((6,), "float32"), B: T.Buffer((1,), "float32"), C: T.Buffer((1,), "float32")`
	const body = `
for k in range(6):
    with T.block("B"):
        vi = T.axis.spatial(1, 0)
        vk = T.axis.reduce(6, k)
        with T.init():
            B[vi] = T.float32(0)
        B[vi] = B[vi] + A[vk]
    with T.block("C"):
        vi = T.axis.spatial(1, 0)
        va, vk = T.axis.remap("SR", [k, k])
        with T.init():
            C[vi] = T.float32(1)
        C[vi] = C[vi] * A[vk]`
	const name = " block B loop k: "
	refusals(t, params, body, []refusal{
		{"parallel", func(o on) error { return o.s.Parallel(o.l("C", 0)) }, "schedule: parallel" + name + "its iteration variable vk is reduce and depends on the loop"},
		{"loop_partition", func(o on) error { return third(o.s.LoopPartition(o.l("C", 0), i32(2))) }, "schedule: loop_partition" + name + "the block starts its reduction inside: decompose_reduction first"},
	})
}

func TestVectorizeRefusals(t *testing.T) {
	s := scheduled(t, parsed(t, symbolicCopyParams, symbolicCopyBody))
	o := on{t, s}
	refuses(t, s.Vectorize(o.l("B", 1)), "schedule: vectorize loop j: its extent is not a constant: split it by one first")
	if k := o.l("B", 1).Kind(); k != tir.Serial {
		t.Errorf("the loop is %v", k)
	}
	if err := s.Parallel(o.l("B", 1)); err != nil { // of a symbolic extent too
		t.Error(err)
	}
}

func TestUnitLoopText(t *testing.T) {
	changes(t, []change{
		{"inside of others", copyParams, copyBody, func(o on) error {
			l, err := o.s.AddUnitLoop(o.b("B"))
			if list := o.s.GetLoops(o.b("B")); len(list) != 2 || list[1] != l {
				o.t.Errorf("the loops are %v", list)
			}
			return steps(err, second(o.s.Fuse(o.s.GetLoops(o.b("B"))...)))
		}, `
for i_u_fused in range(12):
    with T.block("B"):
        vi = T.axis.spatial(12, T.Cast("int32", i_u_fused))
        B[vi] = A[vi]`, nil},
		{"without others", `A: T.Buffer((1,), "float32"), B: T.Buffer((1,), "float32")`, `
with T.block("A"):
    B[0] = T.float32(1)
with T.block("B"):
    B[0] = A[0]`, func(o on) error { return second(o.s.AddUnitLoop(o.b("B"))) }, `
with T.block("A"):
    B[0] = T.float32(1.0)
for u in range(1):
    with T.block("B"):
        B[0] = A[0]`, nil},
	})
}

func TestLoopPartitionText(t *testing.T) {
	whole := func(c int64) func(o on) error {
		return func(o on) error {
			l := o.l("B", 1)
			k := tir.Const(l.Var().DType(), c)
			first, second, err := o.s.LoopPartition(l, tir.Mul(tir.FloorDiv(l.Extent(), k), k))
			if err == nil && (first != l || second == l || first.Name() != "j" || second.Name() != "j") {
				o.t.Errorf("the loops are %v and %v", first, second)
			}
			return err
		}
	}
	changes(t, []change{
		{"whole tiles of a symbolic extent", symbolicCopyParams, symbolicCopyBody, whole(4), `
for i in range(n):
    for j in range(m // 4 * 4):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            vj = T.axis.spatial(m, j)
            B[vi, vj] = A[vi, vj]
    for j in range(m % 4):
        with T.block("B_1"):
            vi = T.axis.spatial(n, i)
            vj = T.axis.spatial(m, m // 4 * 4 + j)
            B[vi, vj] = A[vi, vj]`, sizes},
		{"the second of three kids", copyParams, `
for i in range(12):
    with T.block("A"):
        vi = T.axis.spatial(12, i)
        B[vi] = T.float32(1)
for i in range(12):
    with T.block("B"):
        vi = T.axis.spatial(12, i)
        B[vi] = B[vi] + A[vi]
for i in range(12):
    with T.block("C"):
        vi = T.axis.spatial(12, i)
        B[vi] = B[vi] * T.float32(2)`, func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(5))) }, `
for i in range(12):
    with T.block("A"):
        vi = T.axis.spatial(12, i)
        B[vi] = T.float32(1.0)
for i in range(5):
    with T.block("B"):
        vi = T.axis.spatial(12, i)
        B[vi] = B[vi] + A[vi]
for i in range(7):
    with T.block("B_1"):
        vi = T.axis.spatial(12, 5 + i)
        B[vi] = B[vi] + A[vi]
for i in range(12):
    with T.block("C"):
        vi = T.axis.spatial(12, i)
        B[vi] = B[vi] * T.float32(2.0)`, nil},
	})
	const outside = "schedule: loop_partition loop j: the index is not known to lie within the extent"
	for _, c := range []struct {
		name string
		at   func(o on) tir.Expr
		want string
	}{
		{"another divisor", func(o on) tir.Expr { return tir.Mul(tir.FloorDiv(o.l("B", 1).Extent(), tir.Int(4)), tir.Int(5)) }, outside},
		{"another extent", func(o on) tir.Expr { return tir.Mul(tir.FloorDiv(o.l("B", 0).Extent(), tir.Int(4)), tir.Int(4)) }, outside},
		{"a negative divisor", func(o on) tir.Expr { return tir.Mul(tir.FloorDiv(o.l("B", 1).Extent(), tir.Int(-4)), tir.Int(-4)) }, outside},
		{"a remainder for a quotient", func(o on) tir.Expr { return tir.Mul(tir.FloorMod(o.l("B", 1).Extent(), tir.Int(4)), tir.Int(4)) }, outside},
		{"a sum for a product", func(o on) tir.Expr { return tir.Add(tir.FloorDiv(o.l("B", 1).Extent(), tir.Int(4)), tir.Int(4)) }, outside},
		{"the other extent", func(o on) tir.Expr { return o.l("B", 0).Extent() }, outside},
		{"a constant", func(on) tir.Expr { return tir.Int(1) }, outside},
		{"a quotient", func(o on) tir.Expr { return tir.FloorDiv(o.l("B", 1).Extent(), tir.Int(4)) }, outside},
	} {
		f := parsed(t, symbolicCopyParams, symbolicCopyBody)
		s := scheduled(t, f)
		o := on{t, s}
		t.Run(c.name, func(t *testing.T) {
			_, _, err := s.LoopPartition(o.l("B", 1), c.at(o))
			refuses(t, err, c.want)
			if source(s.Func()) != source(f) {
				t.Error("the function changed")
			}
		})
	}
}
