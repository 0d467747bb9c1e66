package roofline

import (
	"fmt"
	"strings"
)

// lanes is the width of the vectors that both kernels use: 128 bits of float32.
const lanes = 4

// multiplyAdds is a function that applies acc = acc * x + y to chains of vectors, which depend on themselves alone, reps times.
// How many chains keep the units busy depends on the machine: too few wait for each other, too many do not fit the registers.
func multiplyAdds(chains int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `from tvm.script import tir as T

@T.prim_func
def kernel(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), out: T.Buffer((%d,), "float32"), reps: T.int64):
    T.func_attr({"global_symbol": "kernel", "tir.noalias": T.bool(True), "tir.is_scheduled": T.bool(True)})
`, chains*lanes)
	each := func(format string) {
		for k := range chains {
			fmt.Fprintf(&b, format, k, k*lanes)
		}
	}
	each("    acc%[1]d = T.decl_buffer((4,), scope=\"local\")\n")
	each("    for v%[1]d in T.vectorized(4):\n        acc%[1]d[v%[1]d] = T.float32(1)\n")
	b.WriteString("    for r in range(reps):\n")
	each("        for w%[1]d in T.vectorized(4):\n            acc%[1]d[w%[1]d] = acc%[1]d[w%[1]d] * x[w%[1]d] + y[w%[1]d]\n")
	each("    for u%[1]d in T.vectorized(4):\n        out[%[2]d + u%[1]d] = acc%[1]d[u%[1]d]\n")
	return b.String()
}

// stream is a function that adds two vectors of n groups of 16 elements, reps times.
const stream = `from tvm.script import tir as T

@T.prim_func
def kernel(a: T.handle, b: T.handle, c: T.handle, n: T.int64, reps: T.int64):
    T.func_attr({"global_symbol": "kernel", "tir.noalias": T.bool(True), "tir.is_scheduled": T.bool(True)})
    x = T.match_buffer(a, (n * 16,))
    y = T.match_buffer(b, (n * 16,))
    z = T.match_buffer(c, (n * 16,))
    for r, i in T.grid(reps, n):
        for u in T.unroll(4):
            for v in T.vectorized(4):
                z[i * 16 + u * 4 + v] = x[i * 16 + u * 4 + v] + y[i * 16 + u * 4 + v]
`
