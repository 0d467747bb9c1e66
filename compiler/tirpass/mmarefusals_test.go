package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir/tirtest"
)

// TestTensorCoreFaults checks what the interpreter says of instructions of a warp that not all of its threads come to, or that it does not know.
func TestTensorCoreFaults(t *testing.T) {
	program := func(threads, call string) string {
		return `@T.prim_func
def kernel(A: T.Buffer((256,), "float16"), C: T.Buffer((128,), "float32")):
    tx = T.launch_thread("threadIdx.x", ` + threads + `)
    a_data = T.allocate([8], "float16", "local")
    a = T.Buffer((8,), "float16", data=a_data, scope="local")
    b_data = T.allocate([4], "float16", "local")
    b = T.Buffer((4,), "float16", data=b_data, scope="local")
    c_data = T.allocate([4], "float32", "local")
    c = T.Buffer((4,), "float32", data=c_data, scope="local")
    for i in range(8):
        a[i] = A[i]
    for i in range(4):
        b[i] = A[i]
        c[i] = T.float32(0)
    ` + call + `
    for i in range(4):
        C[tx * 4 + i] = c[i]
`
	}
	mma := func(shape, layout, in, saturate string) string {
		return `T.evaluate(T.ptx_mma("float32", "` + shape + `", "row", "` + layout + `", "` + in + `", "` + in + `", "fp32", a_data, 0, b_data, 0, c_data, 0, T.bool(` + saturate + `)))`
	}
	for _, x := range []struct{ name, threads, call, want string }{
		{"fine", "32", mma("m16n8k16", "col", "fp16", "False"), ""},
		{"half a warp", "16", mma("m16n8k16", "col", "fp16", "False"), "is for warps of 32 threads, here 16 of 32 come to it"},
		{"some threads", "32", "if tx < 20:\n        " + mma("m16n8k16", "col", "fp16", "False"), "divergent barrier"},
		{"a shape", "32", mma("m8n8k4", "col", "fp16", "False"), "ptx_mma of shape m8n8k4 with fp16"},
		{"a layout", "32", mma("m16n8k16", "row", "fp16", "False"), "ptx_mma of layouts row and row"},
		{"a type", "32", mma("m16n8k16", "col", "int4", "False"), "ptx_mma of int4 and int4"},
		{"saturating", "32", mma("m16n8k16", "col", "fp16", "True"), "saturates"},
		{"no matrices", "32", `T.evaluate(T.ptx_ldmatrix("float16", T.bool(False), 3, ".b16", a_data, 0, A.data, 0))`, "1, 2, or 4 matrices"},
		{"out of memory", "32", `T.evaluate(T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", a_data, 0, A.data, tx * 64))`, "access out of memory"},
	} {
		f := parseFunc(t, program(x.threads, x.call))
		_, err := tirtest.Run(f, tirtest.Arguments(f, 1), nil)
		switch {
		case x.want == "":
			if err != nil {
				t.Errorf("%s: %v", x.name, err)
			}
		case err == nil || !strings.Contains(err.Error(), x.want):
			t.Errorf("%s: error %v, want one with %q", x.name, err, x.want)
		}
	}
}
