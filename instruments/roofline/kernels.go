package roofline

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// leastLanes is the width of the vectors of both kernels where the target does not say more: 128 bits of float32.
const leastLanes = 4

// lanesOf is the number of float32 in a vector of a target.
func lanesOf(t target.Target) int { return max(leastLanes, t.VectorLanes(dtype.Float32T)) }

// chainsOf lists the numbers of chains that are tried: of those that fit the registers of a target, with four to spare, the best depends on the machine.
func chainsOf(t target.Target) []int {
	list := []int{6, 8, 10, 12}
	if t.IntAttr("num-vector-registers", 16) >= 32 {
		list = append(list, 20, 28)
	}
	return list
}

// multiplyAdds is a function that applies acc = acc * x + y to chains of vectors, which depend on themselves alone, reps times.
// How many chains keep the units busy depends on the machine: too few wait for each other, too many do not fit the registers.
func multiplyAdds(chains, lanes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `from tvm.script import tir as T

@T.prim_func
def kernel(x: T.Buffer((%[1]d,), "float32"), y: T.Buffer((%[1]d,), "float32"), out: T.Buffer((%[2]d,), "float32"), reps: T.int64):
    T.func_attr({"global_symbol": "kernel", "tir.noalias": T.bool(True), "tir.is_scheduled": T.bool(True)})
`, lanes, chains*lanes)
	each := func(format string) {
		for k := range chains {
			fmt.Fprintf(&b, format, k, k*lanes, lanes)
		}
	}
	each("    acc%[1]d = T.decl_buffer((%[3]d,), scope=\"local\")\n")
	each("    for v%[1]d in T.vectorized(%[3]d):\n        acc%[1]d[v%[1]d] = T.float32(1)\n")
	b.WriteString("    for r in range(reps):\n")
	each("        for w%[1]d in T.vectorized(%[3]d):\n            acc%[1]d[w%[1]d] = acc%[1]d[w%[1]d] * x[w%[1]d] + y[w%[1]d]\n")
	each("    for u%[1]d in T.vectorized(%[3]d):\n        out[%[2]d + u%[1]d] = acc%[1]d[u%[1]d]\n")
	return b.String()
}

// byteKernel is a function that multiplies bytes, its arguments but the number of repetitions, and the operations of one repetition.
type byteKernel struct {
	text    string
	work    int64
	vectors []vector
}

// opsOfWord is how many operations a product of two words of bytes takes.
const opsOfWord = 8

// stepsOfBytes is how many products a turn of the kernels for bytes adds up, of other words each, so that none is computed once for all.
const stepsOfBytes = 64

// multiplyBytes is a function that multiplies vectors of words of bytes by a word for each chain of sums, as a product of matrices does, reps times.
func multiplyBytes(chains, lanes int) byteKernel {
	var b strings.Builder
	fmt.Fprintf(&b, `from tvm.script import tir as T

@T.prim_func
def kernel(x: T.Buffer((%[1]d,), "uint32"), y: T.Buffer((%[2]d,), "int32"), out: T.Buffer((%[3]d,), "int32"), reps: T.int64):
    T.func_attr({"global_symbol": "kernel", "tir.noalias": T.bool(True), "tir.is_scheduled": T.bool(True)})
`, stepsOfBytes*chains, stepsOfBytes*lanes, chains*lanes)
	each := func(format string) {
		for k := range chains {
			fmt.Fprintf(&b, format, k, k*lanes, lanes, chains)
		}
	}
	each("    acc%[1]d = T.decl_buffer((%[3]d,), \"int32\", scope=\"local\")\n")
	each("    for v%[1]d in T.vectorized(%[3]d):\n        acc%[1]d[v%[1]d] = 0\n")
	fmt.Fprintf(&b, "    for r, s in T.grid(reps, %d):\n", stepsOfBytes)
	each("        for w%[1]d in T.vectorized(%[3]d):\n            acc%[1]d[w%[1]d] = acc%[1]d[w%[1]d] + T.dp4a(x[s * %[4]d + %[1]d], y[s * %[3]d + w%[1]d], 0)\n")
	each("    for u%[1]d in T.vectorized(%[3]d):\n        out[%[2]d + u%[1]d] = acc%[1]d[u%[1]d]\n")
	n, c := int64(lanes), int64(chains)
	return byteKernel{b.String(), opsOfWord * stepsOfBytes * n * c, []vector{{dtype.UInt32T, stepsOfBytes * c}, {dtype.Int32T, stepsOfBytes * n}, {dtype.Int32T, n * c}}}
}

// matricesOfBytes multiplies matrices of 32 by 16 words by matrices of as many, which stay in the first cache, and adds 64 such products up.
func matricesOfBytes() byteKernel {
	const rows, words, columns = 32, 16, 32
	return byteKernel{fmt.Sprintf(`from tvm.script import tir as T

@T.prim_func
def kernel(x: T.Buffer((%[1]d,), "uint32"), y: T.Buffer((%[2]d,), "int32"), out: T.Buffer((%[3]d,), "int32"), reps: T.int64):
    T.func_attr({"global_symbol": "kernel", "tir.noalias": T.bool(True), "tir.is_scheduled": T.bool(True)})
    sums = T.decl_buffer((%[3]d,), "int32", scope="local")
    for r in range(reps):
        for i, v in T.grid(%[4]d, 2):
            for l in T.vectorized(16):
                sums[i * 32 + v * 16 + l] = 0
        for s in T.serial(%[6]d, annotations={"tile_products": 1}):
            for k, i, v in T.grid(%[5]d, %[4]d, 2):
                for l in T.vectorized(16):
                    sums[i * 32 + v * 16 + l] = sums[i * 32 + v * 16 + l] + T.dp4a(x[i * %[5]d + k], y[k * 32 + v * 16 + l], 0)
    for i, v in T.grid(%[4]d, 2):
        for l in T.vectorized(16):
            out[i * 32 + v * 16 + l] = sums[i * 32 + v * 16 + l]
`, rows*words, words*columns, rows*columns, rows, words, stepsOfBytes), opsOfWord * rows * words * columns * stepsOfBytes, []vector{{dtype.UInt32T, rows * words}, {dtype.Int32T, words * columns}, {dtype.Int32T, rows * columns}}}
}

// atOnce is how many vectors a turn of stream adds.
const atOnce = 4

// stream is a function that adds two vectors of n groups of atOnce times lanes elements, reps times.
func stream(lanes int) string {
	return fmt.Sprintf(`from tvm.script import tir as T

@T.prim_func
def kernel(a: T.handle, b: T.handle, c: T.handle, n: T.int64, reps: T.int64):
    T.func_attr({"global_symbol": "kernel", "tir.noalias": T.bool(True), "tir.is_scheduled": T.bool(True)})
    x = T.match_buffer(a, (n * %[1]d,))
    y = T.match_buffer(b, (n * %[1]d,))
    z = T.match_buffer(c, (n * %[1]d,))
    for r, i in T.grid(reps, n):
        for u in T.unroll(%[3]d):
            for v in T.vectorized(%[2]d):
                z[i * %[1]d + u * %[2]d + v] = x[i * %[1]d + u * %[2]d + v] + y[i * %[1]d + u * %[2]d + v]
`, atOnce*lanes, lanes, atOnce)
}
