package tirpass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

const crossHeader = `@T.prim_func
def kernel(A: T.Buffer((8, 32), "int32"), B: T.Buffer((8,), "int32"), I: T.Buffer((8,), "int32")):`

// summed is a sum of the rows of A over loops, in front of which and in whose block further lines stand.
func summed(loops, index, update string) string {
	return `
    for i in T.thread_binding(8, thread="blockIdx.x"):` + loops + `
                with T.block("sum"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(32, ` + index + `)
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = 0
                    B[vi] = ` + update
}

// TestCrossThreadPairs splits reductions over threads.
func TestCrossThreadPairs(t *testing.T) {
	checkPairs(t, tirpass.LowerCrossThreadReduction, crossHeader, []pair{
		{name: "no thread", before: summed(`
        for ko in range(4):
            for ki in range(8):`, "ko * 8 + ki", "B[vi] + A[vi, vk]")},
		{name: "one loop in each thread", unrun: true, before: summed(`
        for ko in range(4):
            for ki in T.thread_binding(8, thread="threadIdx.x"):`, "ko * 8 + ki", "B[vi] + A[vi, vk]"), after: `
    cross_thread_B = T.alloc_buffer((1,), "int32", strides=(1,), scope="local")
    in_thread_B = T.alloc_buffer((1,), "int32", strides=(1,), scope="local")
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for ki in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("sum_in_thread_init"):
                T.reads()
                T.writes(in_thread_B[0])
                in_thread_B[0] = 0
            for ko in range(4):
                with T.block("sum_in_thread"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(32, ko * 8 + ki)
                    T.reads(A[vi, vk])
                    T.writes(in_thread_B[0])
                    in_thread_B[0] = in_thread_B[0] + A[vi, vk]
            with T.block("sum_cross_thread"):
                T.reads(in_thread_B[0])
                T.writes(cross_thread_B[0])
                T.attr(T.comm_reducer(lambda x0, y0: (x0 + y0,), [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0)))
                T.tvm_thread_allreduce(T.uint32(1), in_thread_B[0], T.bool(True), cross_thread_B[0], ki)
            with T.block("sum_write_back"):
                vi = T.axis.spatial(8, i)
                T.where(ki == 0)
                T.reads(cross_thread_B[0])
                T.writes(B[vi])
                B[vi] = cross_thread_B[0]`},
		{name: "a loop bound to blocks", before: `
    for k in T.thread_binding(32, thread="blockIdx.x"):
        with T.block("sum"):
            vk = T.axis.reduce(32, k)
            T.reads(A[0, vk])
            T.writes(B[0])
            with T.init():
                B[0] = 0
            B[0] = B[0] + A[0, vk]`, fails: `but loop k of block "sum" is bound to blockIdx.x`},
		{name: "no reducer", before: summed(`
        for ko in range(4):
            for ki in T.thread_binding(8, thread="threadIdx.x"):`, "ko * 8 + ki", "B[vi] - A[vi, vk]"), fails: "no reducer matches its init and update"},
		{name: "the wrong identity", before: summed(`
        for ko in range(4):
            for ki in T.thread_binding(8, thread="threadIdx.x"):`, "ko * 8 + ki", "T.max(B[vi], A[vi, vk])"), fails: "no reducer matches its init and update"},
		{name: "a statement between the loops", before: summed(`
        for ko in T.thread_binding(4, thread="threadIdx.x"):
            if B[i] < 3:
             for ki in range(8):`, "ko * 8 + ki", "B[vi] + A[vi, vk]"), fails: "to be the deepest among all statements outside of block"},
	})
}

// TestCrossThreadMeaning holds the reducer that the pass names against the update of the block, on random values, and the parts of the threads against
// its start. The kernel as a whole needs threads that wait for each other.
func TestCrossThreadMeaning(t *testing.T) {
	for _, c := range []struct{ update, start string }{
		{"B[vi] + A[vi, vk]", "0"},
		{"B[vi] * A[vi, vk]", "1"},
		{"T.max(B[vi], A[vi, vk])", "-2147483648"},
		{"T.min(B[vi], A[vi, vk])", "2147483647"},
	} {
		for _, where := range []string{"", "\n                    T.where(ko * 8 + ki < 29)"} {
			text := crossHeader + `
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for ko in range(4):
            for ki in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("sum"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(32, ko * 8 + ki)` + where + `
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = ` + c.start + `
                    B[vi] = ` + c.update
			f := parseFunc(t, text)
			g := apply(t, passtest.NewContext(), tirpass.LowerCrossThreadReduction, f)
			var reducer *tir.CommReducer
			var part *tir.Block
			ir.Walk(g.Body, func(n ir.Node) bool {
				switch n := n.(type) {
				case *tir.Block:
					if n.Name == "sum_in_thread" {
						part = n
					}
				case *tir.AttrStmt:
					if n.Key == "reduce_scope" {
						reducer = n.Node.(*tir.CommReducer)
					}
				}
				return true
			})
			if reducer == nil || part == nil {
				t.Fatalf("got\n%s", print(g))
			}
			// The reducer is that of the update: both are applied to the same random values.
			st := part.Body.(*tir.BufferStore)
			for range 50 {
				x, y := tir.Int32(int64(rand.IntN(2000)-1000)), tir.Int32(int64(rand.IntN(2000)-1000))
				one := tir.SubstExpr(reducer.Result[0], map[*tir.Var]tir.Expr{reducer.LHS[0]: x, reducer.RHS[0]: y})
				two := tir.RewriteExpr(st.Value, func(e tir.Expr) tir.Expr {
					if l, ok := e.(*tir.BufferLoad); ok {
						if l.Buffer == st.Buffer {
							return x
						}
						return y
					}
					return e
				})
				if a, b := value(t, one), value(t, two); a != b {
					t.Fatalf("%s: the reducer gives %d, the update %d", c.update, a, b)
				}
			}
			if id := value(t, tir.SubstExpr(reducer.Result[0], map[*tir.Var]tir.Expr{reducer.LHS[0]: reducer.Identity[0], reducer.RHS[0]: tir.Int32(77)})); id != 77 {
				t.Errorf("%s: the identity and 77 give %d", c.update, id)
			}
		}
	}
}

// value computes an expression of constants.
func value(t *testing.T, e tir.Expr) int64 {
	t.Helper()
	out, ok := tir.AsInt(tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok {
			return tir.BinaryExpr(b.Op, b.A, b.B)
		}
		return e
	}))
	if !ok {
		t.Fatalf("%v is no number", e)
	}
	return out
}
