package tirpass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// allReduceText is a kernel that reduces a value of each thread with reducer over the threads threadIdx.x.
func allReduceText(target, launch, reducer, args string) string {
	return `@T.prim_func
def kernel(A: T.Buffer((1024,), "float32"), B: T.Buffer((64,), "float32")):` + target + launch + `
    R_data = T.allocate([1], "float32", "local")
    R = T.Buffer((1,), "float32", data=R_data, scope="local")
    with T.attr(T.comm_reducer(` + reducer + `), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(` + args + `)
    B[0] = R[0]`
}

const (
	onCUDA   = "\n    T.func_attr({\"target\": T.target(\"cuda\")})"
	onOpenCL = "\n    T.func_attr({\"target\": T.target(\"opencl\")})"
	sum      = "lambda x, y: x + y, [T.float32(0)]"
	oneValue = "T.uint32(1), A[tx], T.bool(True), R[0], tx"
)

func threadsX(n int) string {
	return fmt.Sprintf("\n    tx = T.launch_thread(\"threadIdx.x\", %d)", n)
}

// TestLowerThreadAllreduce checks how reductions over threads are written, by the numbers of threads.
func TestLowerThreadAllreduce(t *testing.T) {
	for _, c := range []struct {
		name, text string
		has        []string // in this order
		lacks      string
	}{
		{"a warp", allReduceText(onCUDA, threadsX(32), sum, oneValue), []string{
			"red_buf0_1[0] = A[tx]", "mask[0] = T.tvm_warp_activemask()", "T.tvm_warp_shuffle_down(mask[0], red_buf0_1[0], 16, 32, 32)",
			"red_buf0_1[0] + t0[0]", "red_buf0_1[0], 1, 32, 32)", "red_buf0_1[0] = T.tvm_warp_shuffle(mask[0], red_buf0_1[0], 0, 32, 32)", "B[0] = red_buf0_1[0]",
		}, "shared"},
		{"a part of a warp that is no power of two", allReduceText(onCUDA, threadsX(20), "lambda x, y: T.max(x, y), [T.float32(-1000)]", oneValue), []string{
			"red_buf0_1[0], 16, 32, 32)", "if tx + 16 < 20:", "red_buf0_1[0] = T.max(red_buf0_1[0], t0[0])", "red_buf0_1[0], 8, 32, 32)", "red_buf0_1[0] = T.max(",
		}, "tx + 8"},
		{"several warps", allReduceText(onCUDA, threadsX(96), sum, oneValue), []string{
			`T.allocate([1], "float32", "shared")`, "volatile_scope", "red_buf_staging = T.decl_buffer((3,)", "if tx % 32 == 0:", "red_buf_staging[tx // 32] = ",
			`T.tvm_storage_sync("shared")`, "if tx < 3:", "= red_buf_staging[tx]", "if tx + 2 < 3:", "if tx == 0:", "[0] = red_buf0", `T.tvm_storage_sync("shared")`,
		}, ""},
		{"threads that make up no warps", allReduceText(onCUDA, threadsX(48), sum, oneValue), []string{
			`T.tvm_storage_sync("shared")`, "[tx] = A[tx]", `T.tvm_storage_sync("shared")`, "if tx < 16:", "[tx] + red_buf0_1[tx + 32]", `T.tvm_storage_sync("shared")`,
			"if tx < 16:", "red_buf0_1[tx] + red_buf0_1[tx + 16]", `T.tvm_storage_sync("warp")`, "[tx] = w_16_0", "w_1_0", "B[0] = red_buf0_1[0]",
		}, "shuffle"},
		{"no shuffles", allReduceText(onOpenCL, threadsX(4), sum, oneValue), []string{"[tx] = A[tx]", "if tx < 2:", `T.tvm_storage_sync("shared")`, "if tx < 1:"}, "shuffle"},
		{"one thread", allReduceText(onCUDA, threadsX(1), sum, "T.uint32(1), A[tx], T.bool(True), R[0], 0"), []string{"R_[0] = A[tx]", "B[0] = R_[0]"}, "shared"},
		{"a condition", allReduceText(onCUDA, threadsX(8), sum, "T.uint32(1), A[tx], tx < 5, R[0], tx"), []string{"T.Select(tx < 5, A[tx], T.float32(0.0))"}, "shared"},
		{
			"groups of a warp", allReduceText(onCUDA, "\n    ty = T.launch_thread(\"threadIdx.y\", 4)"+threadsX(8), sum, "T.uint32(1), A[ty * 8 + tx], T.bool(True), R[0], tx"),
			[]string{"4, 32, 32)", "T.tvm_warp_shuffle(mask[0], red_buf0_1[0], 8 * ty, 32, 32)"},
			"shared",
		},
		{
			"over the outer threads", allReduceText(onCUDA, "\n    ty = T.launch_thread(\"threadIdx.y\", 4)"+threadsX(8), sum, "T.uint32(1), A[ty * 8 + tx], T.bool(True), R[0], ty"),
			[]string{"[tx * 4 + ty] = A[ty * 8 + tx]", "if ty < 2:", "[tx * 4 + ty] + red_buf0_1[tx * 4 + ty + 2]", "if ty < 1:", "B[0] = red_buf0_1[tx * 4]"},
			"shuffle",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, c.text)
			out := apply(t, passtest.NewContext(), tirpass.LowerThreadAllreduce, f)
			wellFormed(t, "LowerThreadAllreduce", out)
			got := scriptOf(out)
			rest := got
			for _, want := range c.has {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("%q is missing, behind what comes before it, in\n%s", want, got)
				}
				rest = after
			}
			if c.lacks != "" && strings.Contains(got, c.lacks) {
				t.Errorf("%q is in\n%s", c.lacks, got)
			}
		})
	}
}

// TestLowerThreadAllreduceRefuses checks the errors.
func TestLowerThreadAllreduceRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{allReduceText("", threadsX(8), sum, oneValue), "LowerThreadAllreduce: Require the target attribute"},
		{allReduceText(onCUDA, threadsX(8)+"\n    n: T.int32 = 3", sum, "T.uint32(1), A[tx], T.bool(True), R[0], n"), "Not all reduce index are presented in the context"},
		{allReduceText(onCUDA, threadsX(8), sum, "T.uint32(1), A[tx], T.bool(True), R[0], tx + 1"), "arg4should be a VarNode or IntImmNode"},
		{allReduceText(onCUDA, threadsX(8), sum, "T.uint32(2), A[tx], T.bool(True), R[0], tx"), "its first argument must be the number of values"},
		{allReduceText(onCUDA, "\n    n: T.int32 = T.call_extern(\"int32\", \"threads\")\n    tx = T.launch_thread(\"threadIdx.x\", n)", sum, oneValue), "Need constant extent for reduce set"},
		{allReduceText(onCUDA, "\n    tx = T.launch_thread(\"vthread.x\", 4)", sum, oneValue), "Not all reduce index are presented in the context"},
		{strings.Replace(allReduceText(onCUDA, threadsX(8), sum, oneValue), "B[0] = R[0]", "B[0] = R[tx]", 1), "at an index that is not 0"},
	} {
		_, err := passtest.NewContext().Run(tirpass.LowerThreadAllreduce, moduleOf(parseFunc(t, c.text)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
