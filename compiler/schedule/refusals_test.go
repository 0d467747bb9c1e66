package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// chain is B = A+1, C = B*2, D = sum over k of C, E = D - 1.
const chain = `
B = T.alloc_buffer((4, 6))
C = T.alloc_buffer((4, 6))
D = T.alloc_buffer((4,))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = A[vi, vj] + T.float32(1)
for i, j in T.grid(4, 6):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] * T.float32(2)
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0)
        D[vi] = D[vi] + C[vi, vk]
for i in range(4):
    with T.block("E"):
        vi = T.axis.spatial(4, i)
        E[vi] = D[vi] - T.float32(1)`

const chainParams = `A: T.Buffer((4, 6), "float32"), E: T.Buffer((4,), "float32")`

// on is a block or a loop of a schedule, looked up anew.
type on struct {
	t *testing.T
	s *schedule.Schedule
}

func (o on) b(name string) *schedule.Block { o.t.Helper(); return block(o.t, o.s, name) }

func (o on) l(name string, k int) *schedule.Loop {
	o.t.Helper()
	return o.s.GetLoops(o.b(name))[k]
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

type refusal struct {
	name string
	do   func(o on) error
	want string // "" where it applies
}

// refusals runs each on a new schedule: what is refused leaves the function as it was before the
// last primitive; what applies keeps its meaning.
func refusals(t *testing.T, params, body string, list []refusal) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			f := parsed(t, params, body)
			s := scheduled(t, f)
			err := c.do(on{t, s})
			switch {
			case c.want != "":
				refuses(t, err, c.want)
			case err != nil:
				t.Fatal(err)
			}
			same(t, f, s, nil)
		})
	}
}

func steps(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestLoopRefusals(t *testing.T) {
	refusals(t, chainParams, chain, []refusal{
		{"split by nothing", func(o on) error { return second(o.s.Split(o.l("B", 0))) }, "schedule: split loop i: no factors"},
		{"split by a negative factor", func(o on) error { return second(o.s.Split(o.l("B", 0), 0, -1)) }, "schedule: split loop i: factor -1 is out of range"},
		{"split by 2^41", func(o on) error { return second(o.s.Split(o.l("B", 0), 1<<21, 1<<20)) }, "schedule: split loop i: factor 1048576 is out of range"},
		{"split with two holes", func(o on) error { return second(o.s.Split(o.l("B", 0), 0, 2, 0)) }, "schedule: split loop i: factors [0 2 0]: only one may be inferred"},
		{"split too small", func(o on) error { return second(o.s.Split(o.l("B", 1), 1, 5)) }, "schedule: split loop j: factors [1 5] do not reach its extent"},
		{"split exactly", func(o on) error { return second(o.s.Split(o.l("B", 1), 3, 2)) }, ""},
		{"split by one more", func(o on) error { return second(o.s.Split(o.l("B", 1), 7)) }, ""},
		{"split a parallel loop", func(o on) error {
			return steps(o.s.Parallel(o.l("B", 0)), second(o.s.Split(o.l("B", 0), 0, 2)))
		}, "schedule: split loop i: the loop is parallel or annotated: split it before"},
		{"split an annotated loop", func(o on) error {
			o.s.AnnotateLoop(o.l("B", 0), "k", tir.Int(1))
			return second(o.s.Split(o.l("B", 0), 0, 2))
		}, "schedule: split loop i: the loop is serial or annotated: split it before"},
		{"split twice", func(o on) error {
			l := o.l("B", 0)
			return steps(second(o.s.Split(l, 0, 2)), second(o.s.Split(l, 0, 2)))
		}, "schedule: split loop i: the loop was removed by an earlier primitive"},
		{"fuse nothing", func(o on) error { return second(o.s.Fuse()) }, "schedule: fuse: no loops"},
		{"fuse one", func(o on) error {
			l, err := o.s.Fuse(o.l("B", 1))
			if l != o.l("B", 1) {
				o.t.Error("another loop")
			}
			return err
		}, ""},
		{"fuse two", func(o on) error { return second(o.s.Fuse(o.l("B", 0), o.l("B", 1))) }, ""},
		{"fuse in the wrong order", func(o on) error { return second(o.s.Fuse(o.l("B", 1), o.l("B", 0))) }, "schedule: fuse loop i: it is not the only body of loop j"},
		{"fuse one loop twice", func(o on) error { return second(o.s.Fuse(o.l("B", 1), o.l("B", 1))) }, "schedule: fuse loop j: it is not the only body of loop j"},
		{"fuse with something beside", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 0)), second(o.s.Fuse(o.l("C", 0), o.l("C", 1))))
		}, "schedule: fuse loop j: it is not the only body of loop i"},
		{"fuse an unrolled loop", func(o on) error {
			return steps(o.s.Unroll(o.l("B", 1)), second(o.s.Fuse(o.l("B", 0), o.l("B", 1))))
		}, "schedule: fuse loop j: the loop is unroll or annotated: fuse it before"},
		{"fuse an annotated loop", func(o on) error {
			o.s.AnnotateLoop(o.l("B", 0), "k", tir.Int(1))
			return second(o.s.Fuse(o.l("B", 0), o.l("B", 1)))
		}, "schedule: fuse loop i: the loop is serial or annotated: fuse it before"},
		{"fuse what is gone", func(o on) error {
			i, j := o.l("B", 0), o.l("B", 1)
			return steps(second(o.s.Fuse(i, j)), second(o.s.Fuse(i, j)))
		}, "schedule: fuse loop i: the loop was removed by an earlier primitive"},
		{"reorder one", func(o on) error { return o.s.Reorder(o.l("B", 0)) }, ""},
		{"reorder none", func(o on) error { return o.s.Reorder() }, ""},
		{"reorder", func(o on) error { return o.s.Reorder(o.l("B", 1), o.l("B", 0)) }, ""},
		{"reorder as it is", func(o on) error { return o.s.Reorder(o.l("B", 0), o.l("B", 1)) }, ""},
		{"reorder a reduction", func(o on) error { return o.s.Reorder(o.l("D", 1), o.l("D", 0)) }, ""},
		{"reorder a loop twice", func(o on) error { return o.s.Reorder(o.l("B", 1), o.l("B", 0), o.l("B", 1)) }, "schedule: reorder loop j: it is listed twice"},
		{"reorder loops of two nests", func(o on) error { return o.s.Reorder(o.l("B", 0), o.l("C", 0)) }, "schedule: reorder loop i: the loops are not on one path within a block"},
		{"reorder around another block", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 0)), o.s.Reorder(o.l("C", 1), o.l("C", 0)))
		}, "schedule: reorder loop i: it has more than one statement inside"},
		{"reorder around two", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 1)), o.s.Reorder(o.l("C", 1), o.l("C", 0)))
		}, "schedule: reorder loop j: 2 blocks are inside: reorder before they are moved together"},
		{"reorder what is gone", func(o on) error {
			i, j := o.l("B", 0), o.l("B", 1)
			return steps(second(o.s.Split(j, 0, 2)), o.s.Reorder(j, i))
		}, "schedule: reorder loop j: the loop was removed by an earlier primitive"},
		{"reorder what runs over results and steps", func(o on) error {
			fused, err := o.s.Fuse(o.l("D", 0), o.l("D", 1))
			if err != nil {
				return err
			}
			parts, err := o.s.Split(fused, 0, 3)
			return steps(err, o.s.Reorder(parts[1], parts[0]))
		}, "schedule: reorder block D loop i_k_fused_0: it and loop i_k_fused_1 run over results and over steps of their reduction, whose first step must stay the first"},
	})
}

func TestKindRefusals(t *testing.T) {
	over := ": its iteration variable vk is reduce and depends on the loop"
	refusals(t, chainParams, chain, []refusal{
		{"vectorize", func(o on) error { return o.s.Vectorize(o.l("B", 1)) }, ""},
		{"parallel", func(o on) error { return o.s.Parallel(o.l("D", 0)) }, ""},
		{"unroll a reduction", func(o on) error { return o.s.Unroll(o.l("D", 1)) }, ""},
		{"vectorize a reduction", func(o on) error { return o.s.Vectorize(o.l("D", 1)) }, "schedule: vectorize block D loop k" + over},
		{"parallel reduction", func(o on) error { return o.s.Parallel(o.l("D", 1)) }, "schedule: parallel block D loop k" + over},
		{"bind a reduction", func(o on) error { return o.s.Bind(o.l("D", 1), "threadIdx.x") }, "schedule: bind block D loop k" + over},
		{"unroll what is gone", func(o on) error {
			l := o.l("B", 0)
			return steps(second(o.s.Split(l, 0, 2)), o.s.Unroll(l))
		}, "schedule: unroll loop i: the loop was removed by an earlier primitive"},
		{"vectorize what is gone", func(o on) error {
			l := o.l("B", 0)
			return steps(second(o.s.Split(l, 0, 2)), o.s.Vectorize(l))
		}, "schedule: vectorize loop i: the loop was removed by an earlier primitive"},
		{"partition a parallel loop", func(o on) error {
			return steps(o.s.Parallel(o.l("B", 0)), third(o.s.LoopPartition(o.l("B", 0), tir.Int(1))))
		}, "schedule: loop_partition loop i: the loop is parallel"},
		{"partition below", func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(-1))) }, "schedule: loop_partition loop i: the index is not known to lie within the extent"},
		{"partition beyond", func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(5))) }, "schedule: loop_partition loop i: the index is not known to lie within the extent"},
		{"partition at the start", func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(0))) }, "schedule: loop_partition loop i: a part would be empty"},
		{"partition at the end", func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(4))) }, "schedule: loop_partition loop i: a part would be empty"},
		{"partition a reduction", func(o on) error { return third(o.s.LoopPartition(o.l("D", 1), i32(2))) }, "schedule: loop_partition block D loop k: the block starts its reduction inside: decompose_reduction first"},
		{"partition a reduction around", func(o on) error { return third(o.s.LoopPartition(o.l("D", 0), i32(2))) }, ""},
		{"partition an update", func(o on) error {
			return steps(second(o.s.DecomposeReduction(o.b("D"), o.l("D", 1))), third(o.s.LoopPartition(o.l("D", 1), i32(2))))
		}, ""},
		{"partition what is gone", func(o on) error {
			l := o.l("B", 0)
			return steps(second(o.s.Split(l, 0, 2)), third(o.s.LoopPartition(l, i32(1))))
		}, "schedule: loop_partition loop i: the loop was removed by an earlier primitive"},
		{"a unit loop of what is gone", func(o on) error {
			b := o.b("B")
			return steps(o.s.ComputeInline(b), second(o.s.AddUnitLoop(b)))
		}, "schedule: add_unit_loop block B: the block was removed by an earlier primitive"},
	})
}

func i32(n int64) tir.Expr { return tir.Const(dtype.Int32T, n) }

func TestMoveRefusals(t *testing.T) {
	refusals(t, chainParams, chain, []refusal{
		{"compute_at", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 0)) }, ""},
		{"compute_at twice", func(o on) error {
			return steps(o.s.ComputeAt(o.b("C"), o.l("D", 1)), o.s.ComputeAt(o.b("B"), o.l("C", 0)))
		}, ""},
		{"compute_at a reduction", func(o on) error { return o.s.ComputeAt(o.b("D"), o.l("E", 0)) }, ""},
		{"compute_at within itself", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("B", 0)) }, "schedule: compute_at block B loop i: the block is already in the loop"},
		{"compute_at where no consumer is", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("D", 0)) }, "schedule: compute_at block B loop i: consumer C is outside of the loop"},
		{"compute_at of the result", func(o on) error { return o.s.ComputeAt(o.b("E"), o.l("D", 0)) }, "schedule: compute_at block E loop i: nothing reads what it writes"},
		{"compute_at from a parallel loop", func(o on) error {
			return steps(o.s.Parallel(o.l("B", 0)), o.s.ComputeAt(o.b("B"), o.l("C", 0)))
		}, "schedule: compute_at block B loop i: loop i around the block is parallel or holds other blocks"},
		{"compute_at from beside another", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 0)), o.s.ComputeAt(o.b("C"), o.l("D", 0)))
		}, "schedule: compute_at block C loop i: loop i around the block is serial or holds other blocks"},
		{"compute_at with a condition", func(o on) error {
			return steps(second(o.s.Split(o.l("B", 0), 0, 3)), o.s.ComputeAt(o.b("B"), o.l("C", 0)))
		}, "schedule: compute_at block B loop i: the block runs under a condition"},
		{"compute_at of an update", func(o on) error {
			return steps(second(o.s.DecomposeReduction(o.b("D"), o.l("D", 0))), o.s.ComputeAt(o.b("D"), o.l("E", 0)))
		}, "schedule: compute_at block D loop i: 2 blocks write D"},
		{"compute_at of what is gone", func(o on) error {
			b := o.b("B")
			return steps(o.s.ComputeInline(b), o.s.ComputeAt(b, o.l("C", 0)))
		}, "schedule: compute_at block B: the block was removed by an earlier primitive"},
		{"compute_at where nothing is", func(o on) error {
			l := o.l("C", 0)
			return steps(second(o.s.Split(l, 0, 2)), o.s.ComputeAt(o.b("B"), l))
		}, "schedule: compute_at loop i: the loop was removed by an earlier primitive"},
		{"reverse_compute_at", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("D", 0)) }, ""},
		{"reverse_compute_at both", func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("B", 1)) }, ""},
		{"reverse_compute_at of a reduction", func(o on) error { return o.s.ReverseComputeAt(o.b("D"), o.l("C", 0)) }, ""},
		{"reverse_compute_at of a part of a reduction", func(o on) error { return o.s.ReverseComputeAt(o.b("D"), o.l("C", 1)) }, "schedule: reverse_compute_at block D loop j: one iteration of the loop holds only a part of what vk reduces over"},
		{"reverse_compute_at into a reduction", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("D", 1)) }, "schedule: reverse_compute_at block E loop k: producer D does not finish its reduction in one iteration of loop k"},
		{"reverse_compute_at before its producer", func(o on) error { return o.s.ReverseComputeAt(o.b("E"), o.l("C", 0)) }, "schedule: reverse_compute_at block E loop i: producer D runs after the loop"},
		{"reverse_compute_at after it", func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("D", 0)) }, "schedule: reverse_compute_at block C loop i: no producer is in the loop"},
		{"reverse_compute_at at a consumer", func(o on) error {
			return steps(o.s.ComputeAt(o.b("C"), o.l("D", 0)), o.s.ReverseComputeAt(o.b("C"), o.l("B", 0)))
		}, "schedule: reverse_compute_at block C loop i: loop i around the block is serial or holds other blocks"},
		{"reverse_compute_at of the first", func(o on) error { return o.s.ReverseComputeAt(o.b("B"), o.l("C", 0)) }, "schedule: reverse_compute_at block B loop i: no producer is in the loop"},
		{"reverse_compute_at of an update", func(o on) error {
			return steps(second(o.s.DecomposeReduction(o.b("D"), o.l("D", 1))), o.s.ReverseComputeAt(o.b("E"), o.l("D", 0)))
		}, "schedule: reverse_compute_at block E loop i: 2 blocks write D"},
	})
}

func TestInlineRefusals(t *testing.T) {
	const nowhere = ": no buffer that it reads at its iteration variables comes from one block for it alone"
	refusals(t, chainParams, chain, []refusal{
		{"inline", func(o on) error { return steps(o.s.ComputeInline(o.b("B")), o.s.ComputeInline(o.b("C"))) }, ""},
		{"inline backwards", func(o on) error { return steps(o.s.ComputeInline(o.b("C")), o.s.ComputeInline(o.b("B"))) }, ""},
		{"inline a reduction", func(o on) error { return o.s.ComputeInline(o.b("D")) }, "schedule: compute_inline block D: it is a reduction"},
		{"inline the result", func(o on) error { return o.s.ComputeInline(o.b("E")) }, "schedule: compute_inline block E: it writes E, which the function does not allocate"},
		{"inline the start of a reduction", func(o on) error {
			b, err := o.s.DecomposeReduction(o.b("D"), o.l("D", 0))
			return steps(err, o.s.ComputeInline(b))
		}, "schedule: compute_inline block D_init: 2 blocks write D"},
		{"inline under a condition", func(o on) error {
			return steps(second(o.s.Split(o.l("B", 0), 0, 3)), o.s.ComputeInline(o.b("B")))
		}, "schedule: compute_inline block B: it runs under a condition"},
		{"reverse inline", func(o on) error { return o.s.ReverseComputeInline(o.b("C")) }, ""},
		{"reverse inline a reduction", func(o on) error { return o.s.ReverseComputeInline(o.b("D")) }, "schedule: reverse_compute_inline block D: it is not one store without reduction or condition"},
		{"reverse inline into a reduction", func(o on) error { return o.s.ReverseComputeInline(o.b("E")) }, "schedule: reverse_compute_inline block E" + nowhere},
		{"reverse inline the first", func(o on) error { return o.s.ReverseComputeInline(o.b("B")) }, "schedule: reverse_compute_inline block B" + nowhere},
		{"reverse inline under a condition", func(o on) error {
			return steps(second(o.s.Split(o.l("C", 0), 0, 3)), o.s.ReverseComputeInline(o.b("C")))
		}, "schedule: reverse_compute_inline block C: it is not one store without reduction or condition"},
		{"reverse inline into a condition", func(o on) error {
			return steps(second(o.s.Split(o.l("B", 0), 0, 3)), o.s.ReverseComputeInline(o.b("C")))
		}, ""},
		{"reverse inline what is gone", func(o on) error {
			b := o.b("C")
			return steps(o.s.ReverseComputeInline(b), o.s.ReverseComputeInline(b))
		}, "schedule: reverse_compute_inline block C: the block was removed by an earlier primitive"},
	})
}

func TestCacheRefusals(t *testing.T) {
	refusals(t, chainParams, chain, []refusal{
		{"cache_read first", func(o on) error { return second(o.s.CacheRead(o.b("B"), 0, "local")) }, ""},
		{"cache_read before", func(o on) error { return second(o.s.CacheRead(o.b("B"), -1, "local")) }, "schedule: cache_read block B: it reads 1 buffers, so there is no buffer -1"},
		{"cache_read beyond", func(o on) error { return second(o.s.CacheRead(o.b("B"), 1, "local")) }, "schedule: cache_read block B: it reads 1 buffers, so there is no buffer 1"},
		{"cache_read between", func(o on) error { return second(o.s.CacheRead(o.b("C"), 0, "")) }, ""},
		{"cache_read in one nest", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 0)), second(o.s.CacheRead(o.b("C"), 0, "")))
		}, "schedule: cache_read block C: block B, which writes B, is in the same nest"},
		{"cache_write first", func(o on) error { return second(o.s.CacheWrite(o.b("D"), 0, "local")) }, ""},
		{"cache_write before", func(o on) error { return second(o.s.CacheWrite(o.b("D"), -1, "local")) }, "schedule: cache_write block D: it writes 1 buffers, so there is no buffer -1"},
		{"cache_write beyond", func(o on) error { return second(o.s.CacheWrite(o.b("D"), 1, "local")) }, "schedule: cache_write block D: it writes 1 buffers, so there is no buffer 1"},
		{"cache_write the result", func(o on) error { return second(o.s.CacheWrite(o.b("E"), 0, "")) }, ""},
		{"cache_write in one nest", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 0)), second(o.s.CacheWrite(o.b("B"), 0, "")))
		}, "schedule: cache_write block B: block C, which reads B, is in the same nest"},
		{"cache_write of an update", func(o on) error {
			return steps(second(o.s.DecomposeReduction(o.b("D"), o.l("D", 1))), second(o.s.CacheWrite(o.b("D"), 0, "")))
		}, "schedule: cache_write block D: 2 blocks write D"},
		{"set_scope", func(o on) error { return o.s.SetScope(o.b("D"), 0, "local") }, ""},
		{"set_scope before", func(o on) error { return o.s.SetScope(o.b("D"), -1, "local") }, "schedule: set_scope block D: it writes 1 buffers, so there is no buffer -1"},
		{"set_scope beyond", func(o on) error { return o.s.SetScope(o.b("D"), 1, "local") }, "schedule: set_scope block D: it writes 1 buffers, so there is no buffer 1"},
		{"set_scope of the result", func(o on) error { return o.s.SetScope(o.b("E"), 0, "local") }, "schedule: set_scope block E: E is not allocated by the function"},
		{"caches of what is gone", func(o on) error {
			b := o.b("B")
			return steps(o.s.ComputeInline(b), second(o.s.CacheRead(b, 0, "")))
		}, "schedule: cache_read block B: the block was removed by an earlier primitive"},
		{"write caches of what is gone", func(o on) error {
			b := o.b("B")
			return steps(o.s.ComputeInline(b), second(o.s.CacheWrite(b, 0, "")))
		}, "schedule: cache_write block B: the block was removed by an earlier primitive"},
		{"scope of what is gone", func(o on) error {
			b := o.b("B")
			return steps(o.s.ComputeInline(b), o.s.SetScope(b, 0, ""))
		}, "schedule: set_scope block B: the block was removed by an earlier primitive"},
	})
}

func TestReductionRefusals(t *testing.T) {
	const combine = ": it does not combine one value from an init on by a commutative operation"
	refusals(t, chainParams, chain, []refusal{
		{"decompose", func(o on) error { return second(o.s.DecomposeReduction(o.b("D"), o.l("D", 0))) }, ""},
		{"decompose inside", func(o on) error { return second(o.s.DecomposeReduction(o.b("D"), o.l("D", 1))) }, ""},
		{"decompose what has no init", func(o on) error { return second(o.s.DecomposeReduction(o.b("B"), o.l("B", 0))) }, "schedule: decompose_reduction block B loop i: it has no init"},
		{"decompose elsewhere", func(o on) error { return second(o.s.DecomposeReduction(o.b("D"), o.l("C", 0))) }, "schedule: decompose_reduction block D loop i: the block is not in the loop"},
		{"decompose below a loop of the reduction", func(o on) error {
			l := o.l("D", 0)
			return steps(o.s.Reorder(o.l("D", 1), l), second(o.s.DecomposeReduction(o.b("D"), l)))
		}, "schedule: decompose_reduction block D loop i: the reduction loop k is outside"},
		{"decompose a loop of both", func(o on) error {
			l, err := o.s.Fuse(o.l("D", 0), o.l("D", 1))
			return steps(err, second(o.s.DecomposeReduction(o.b("D"), l)))
		}, "schedule: decompose_reduction block D loop i_k_fused: loop i_k_fused belongs to a reduction and to another axis"},
		{"decompose with a loop of no axis inside", func(o on) error {
			u, err := o.s.AddUnitLoop(o.b("D"))
			return steps(err, second(o.s.Split(u, 0, 4)), second(o.s.DecomposeReduction(o.b("D"), o.l("D", 0))))
		}, "schedule: decompose_reduction block D loop i: loop u_1 belongs to no axis and repeats the block"},
		{"rfactor", func(o on) error { return second(o.s.RFactor(o.l("D", 1), 0)) }, ""},
		{"rfactor at the end", func(o on) error { return second(o.s.RFactor(o.l("D", 1), 1)) }, ""},
		{"rfactor beyond", func(o on) error { return second(o.s.RFactor(o.l("D", 1), 2)) }, "schedule: rfactor block D loop k: axis 2 is out of range for a buffer of 1 axes"},
		{"rfactor from behind", func(o on) error { return second(o.s.RFactor(o.l("D", 1), -1)) }, ""},
		{"rfactor at the first from behind", func(o on) error { return second(o.s.RFactor(o.l("D", 1), -2)) }, ""},
		{"rfactor before", func(o on) error { return second(o.s.RFactor(o.l("D", 1), -3)) }, "schedule: rfactor block D loop k: axis -1 is out of range for a buffer of 1 axes"},
		{"rfactor of another axis", func(o on) error { return second(o.s.RFactor(o.l("D", 0), 0)) }, "schedule: rfactor block D loop i: it is not a loop of the reduction"},
		{"rfactor of a copy", func(o on) error { return second(o.s.RFactor(o.l("B", 0), 0)) }, "schedule: rfactor block B loop i" + combine},
		{"rfactor of an update", func(o on) error {
			return steps(second(o.s.DecomposeReduction(o.b("D"), o.l("D", 0))), second(o.s.RFactor(o.l("D", 1), 0)))
		}, "schedule: rfactor block D loop k" + combine},
		{"rfactor of two blocks", func(o on) error {
			return steps(o.s.ComputeAt(o.b("C"), o.l("D", 1)), second(o.s.RFactor(o.l("D", 1), 0)))
		}, "schedule: rfactor loop k: 2 blocks are inside, expected one"},
		{"rfactor beside a block", func(o on) error {
			return steps(o.s.ComputeAt(o.b("C"), o.l("D", 0)), second(o.s.RFactor(o.l("D", 1), 0)))
		}, "schedule: rfactor block D loop i: the loop holds other blocks as well"},
		{"rfactor under a condition", func(o on) error {
			l, err := o.s.Split(o.l("D", 1), 0, 4)
			return steps(err, second(o.s.RFactor(l[1], 0)))
		}, "schedule: rfactor block D loop k_1: it runs under a condition"},
		{"rfactor of one of two loops", func(o on) error {
			l, err := o.s.Split(o.l("D", 1), 0, 2)
			return steps(err, second(o.s.RFactor(l[0], 1)))
		}, ""},
		{"rfactor of a loop of both", func(o on) error {
			l, err := o.s.Fuse(o.l("D", 0), o.l("D", 1))
			return steps(err, second(o.s.RFactor(l, 0)))
		}, "schedule: rfactor block D loop i_k_fused: the loop belongs to a reduction and to another axis"},
		{"rfactor of what is gone", func(o on) error {
			l := o.l("D", 1)
			return steps(second(o.s.Split(l, 0, 2)), second(o.s.RFactor(l, 0)))
		}, "schedule: rfactor loop k: the loop was removed by an earlier primitive"},
	})
}

func TestIterRefusals(t *testing.T) {
	refusals(t, chainParams, chain, []refusal{
		{"fuse", func(o on) error { return o.s.FuseIters(o.b("B"), 0, 1) }, ""},
		{"fuse one", func(o on) error { return o.s.FuseIters(o.b("B"), 1, 1) }, ""},
		{"fuse kinds", func(o on) error { return o.s.FuseIters(o.b("D"), 0, 1) }, "schedule: transform_block_layout block D: vi is spatial, vk is reduce"},
		{"fuse before", func(o on) error { return o.s.FuseIters(o.b("B"), -1, 1) }, "schedule: transform_block_layout block B: variables -1 to 1 of 2"},
		{"fuse beyond", func(o on) error { return o.s.FuseIters(o.b("B"), 0, 2) }, "schedule: transform_block_layout block B: variables 0 to 2 of 2"},
		{"fuse backwards", func(o on) error { return o.s.FuseIters(o.b("B"), 1, 0) }, "schedule: transform_block_layout block B: variables 1 to 0 of 2"},
		{"fuse after a split", func(o on) error {
			return steps(second(o.s.Split(o.l("B", 0), 0, 2)), o.s.FuseIters(o.b("B"), 0, 1))
		}, "schedule: transform_block_layout block B: its loops were changed before"},
		{"fuse after a reorder", func(o on) error {
			return steps(o.s.Reorder(o.l("B", 1), o.l("B", 0)), o.s.FuseIters(o.b("B"), 0, 1))
		}, "schedule: transform_block_layout block B: vi is not bound to a loop of its own"},
		{"fuse after a mark", func(o on) error {
			return steps(o.s.Parallel(o.l("B", 0)), o.s.FuseIters(o.b("B"), 0, 1))
		}, "schedule: transform_block_layout block B: its loops were changed before"},
		{"fuse beside another block", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("C", 0)), o.s.FuseIters(o.b("C"), 0, 1))
		}, "schedule: transform_block_layout block C: its loops were changed before"},
		{"fuse what is gone", func(o on) error {
			b := o.b("B")
			return steps(o.s.ComputeInline(b), o.s.FuseIters(b, 0, 1))
		}, "schedule: transform_block_layout block B: the block was removed by an earlier primitive"},
		{"split", func(o on) error { return o.s.SplitIter(o.b("D"), 1, 3) }, ""},
		{"split by one", func(o on) error { return o.s.SplitIter(o.b("D"), 1, 1) }, ""},
		{"split by all", func(o on) error { return o.s.SplitIter(o.b("D"), 1, 6) }, ""},
		{"split by nothing", func(o on) error { return o.s.SplitIter(o.b("D"), 1, 0) }, "schedule: transform_block_layout block D: the extent of vk is not a multiple of 0"},
		{"split unevenly", func(o on) error { return o.s.SplitIter(o.b("D"), 1, 4) }, "schedule: transform_block_layout block D: the extent of vk is not a multiple of 4"},
		{"split beyond", func(o on) error { return o.s.SplitIter(o.b("D"), 2, 2) }, "schedule: transform_block_layout block D: variables 2 to 2 of 2"},
		{"refill", func(o on) error {
			b, err := o.s.DecomposeReduction(o.b("D"), o.l("D", 0))
			return steps(err, o.s.Refill(b))
		}, ""},
		{"refill what is not a constant", func(o on) error { return o.s.Refill(o.b("B")) }, "schedule: refill block B: it does not fill a buffer of the function with a constant"},
	})
}

// TestDecomposeRepeated: each iteration of loop r starts the sum anew; one start in front of it would let the sums add up.
func TestDecomposeRepeated(t *testing.T) {
	refusals(t, `A: T.Buffer((4, 6), "float32"), D: T.Buffer((4,), "float32")`, `
for i, r, k in T.grid(4, 2, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = T.float32(0)
        D[vi] = D[vi] + A[vi, vk]`, []refusal{
		{"inside", func(o on) error { return second(o.s.DecomposeReduction(o.b("D"), o.l("D", 2))) }, ""},
		{
			"around", func(o on) error { return second(o.s.DecomposeReduction(o.b("D"), o.l("D", 1))) },
			"schedule: decompose_reduction block D loop r: loop r belongs to no axis and repeats the block",
		},
	})
}

// TestDecomposeBehindWhatTheInitReads: the init may stand between its producer and the reduction, not in front of both.
func TestDecomposeBehindWhatTheInitReads(t *testing.T) {
	refusals(t, `A: T.Buffer((4, 6), "float32"), D: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi, 0] * T.float32(2)
for i, k in T.grid(4, 6):
    with T.block("D"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            D[vi] = B[vi]
        D[vi] = T.max(D[vi], A[vi, vk])`, []refusal{
		{"both in one loop", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("D", 0)), second(o.s.DecomposeReduction(o.b("D"), o.l("D", 1))))
		}, ""},
		{"in front of both", func(o on) error {
			return steps(o.s.ComputeAt(o.b("B"), o.l("D", 0)), second(o.s.DecomposeReduction(o.b("D"), o.l("D", 0))))
		}, "schedule: decompose_reduction block D loop i: its init reads what block B writes inside of the loop"},
	})
}
