package sch_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// texts are programs that tensor expressions do not give: updates in place, writes under conditions, blocks inside of blocks, indices that are read
// from memory, and statements that are neither loops nor blocks.
var texts = map[string]string{
	"in place": `
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4, 6), "float32")):
    for i, j in T.grid(4, 6):
        with T.block("double"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(A[vi, vj])
            A[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(4, 6):
        with T.block("copy"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
`,
	"running sum": `
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("start"):
            vi = T.axis.spatial(4, i)
            B[vi] = T.float32(0)
    for i, j in T.grid(4, 6):
        with T.block("sum"):
            vi, vj = T.axis.remap("SR", [i, j])
            T.reads(B[vi], A[vi, vj])
            T.writes(B[vi])
            B[vi] = B[vi] + A[vi, vj]
`,
	"partial": `
def main(A: T.Buffer((5, 6), "float32"), B: T.Buffer((5, 6), "float32"), C: T.Buffer((5, 6), "float32")):
    D = T.alloc_buffer((5, 6))
    for i, j in T.grid(5, 6):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(5, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            if vi < 3:
                B[vi, vj] = D[vi, vj] * T.float32(2)
    for i, j in T.grid(4, 6):
        with T.block("C"):
            T.where(i * 6 + j < 20)
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = D[vi, vj] - T.float32(3)
`,
	"nested": `
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    for i in range(4):
        with T.block("row"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8], B[vi, 0:8])
            T.writes(B[vi, 0:8])
            for j in range(8):
                with T.block("first"):
                    vj = T.axis.spatial(8, j)
                    B[vi, vj] = A[vi, vj] * T.float32(3)
            for j in range(8):
                with T.block("second"):
                    vj = T.axis.spatial(8, j)
                    T.reads(B[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = B[vi, vj] + T.float32(1)
`,
	"gather": `
def main(A: T.Buffer((6,), "float32"), I: T.Buffer((5,), "int32"), B: T.Buffer((5, 3), "float32")):
    E = T.alloc_buffer((6,))
    for i in range(6):
        with T.block("E"):
            vi = T.axis.spatial(6, i)
            E[vi] = A[vi] * A[vi]
    for i, j in T.grid(5, 3):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(E[0:6], I[vi])
            T.writes(B[vi, vj])
            B[vi, vj] = E[(I[vi] + vj) % 6] + T.if_then_else(vj > 0, E[vj - 1], T.float32(5))
`,
	"statements": `
def main(A: T.Buffer((6, 4), "float32"), B: T.Buffer((6, 4), "float32")):
    C = T.alloc_buffer((6, 4))
    for i, j in T.grid(6, 4):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            with T.LetStmt(A[vi, vj] + T.float32(1)) as x:
                C[vi, vj] = x * x
    for i in range(6):
        with T.attr(0, "mark", 1):
            for j in range(4):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = C[vi, vj]
    for i, j in T.grid(6, 4):
        if i % 2 == 0:
            with T.block("even"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = C[vi, vj] - T.float32(2)
`,
	"indices": `
def main(A: T.Buffer((40,), "float32"), B: T.Buffer((4, 6), "float32")):
    for i, j in T.grid(4, 6):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[0:40])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi * 6 + vj] * A[vi * 6 + vj + 5] + A[(vi * 6 + vj) // 2] - T.Cast("float32", vi * 6 + vj)
`,
}

// programs are the modules that primitives are tried on.
func programs(t *testing.T) map[string]*ir.Module {
	t.Helper()
	out := map[string]*ir.Module{}
	for name, args := range kernels() {
		f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
		if err != nil {
			t.Fatal(err)
		}
		out[name] = ir.NewModule().With("main", f)
	}
	for name, text := range texts {
		out[name] = read(t, name, "# from tvm.script import tir as T\n\n@T.prim_func"+text)
	}
	return out
}

// run calls main with the same arguments each time and returns what they hold then.
func run(t testing.TB, m *ir.Module) []*tensor.Tensor {
	t.Helper()
	var out []*tensor.Tensor
	var args []any
	f := m.Lookup("main").(*tir.PrimFunc)
	for i, b := range f.Buffers {
		var shape []int64
		for _, d := range b.Shape {
			n, _ := tir.AsInt(d)
			shape = append(shape, n)
		}
		v := tensor.MustNew(b.DType, shape...)
		v.FillUniform(uint64(i+1), -2, 2)
		out, args = append(out, v), append(args, v)
	}
	if err := interp.Run(context.Background(), f, args, nil); err != nil {
		t.Fatalf("%v\n%s", err, source(m))
	}
	return out
}

// differs says where results differ, "" if they agree.
func differs(want, got []*tensor.Tensor) string {
	for k, w := range want {
		for i := range w.Len() {
			x, y := w.Float(i), got[k].Float(i)
			if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-4*(1+math.Abs(x)) {
				return fmt.Sprintf("element %d of argument %d is %g, want %g", i, k, y, x)
			}
		}
	}
	return ""
}
