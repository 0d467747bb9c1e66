package tensorintrin

import (
	"fmt"
	"strings"
)

// fragment is the number of a fragment in a buffer: its place in rows of stride elements, by the size of a fragment.
func fragment(buffer, stride string, m, n int) string {
	return fill("{b}.elem_offset // {s} // {m} * ({s} // {n}) + {b}.elem_offset % {s} // {n}", "b", buffer, "s", stride, "m", m, "n", n)
}

// wmmaName is how names of intrinsics call a type.
var wmmaNames = map[string]string{"float16": "f16", "float32": "f32", "int8": "s8", "int4": "s4", "int32": "s32"}

// wmmas are the warp matrix instructions of NVIDIA.
func wmmas() map[string]row {
	out := map[string]row{}
	type shape struct{ m, n, k int }
	usual, nibbles := shape{16, 16, 16}, shape{8, 8, 32}
	size := func(s shape) string { return fmt.Sprintf("%dx%dx%d", s.m, s.n, s.k) }
	sync := func(s shape, in, acc string, trans bool) {
		t := wmmaNames[in]
		name := "wmma_sync_" + size(s) + "_" + t + t + wmmaNames[acc]
		if trans {
			name += "_trans"
		}
		out[name] = wmmaSync(s.m, s.n, s.k, in, acc, trans)
	}
	load := func(s shape, in string, b, trans bool) {
		for _, scope := range []string{"shared", "shared.dyn"} {
			name := "wmma_load_" + size(s) + "_" + wmmaNames[in] + map[bool]string{true: "_b", false: "_a"}[b]
			if trans {
				name += "_trans"
			}
			out[name+"_"+strings.ReplaceAll(scope, ".", "_")] = wmmaLoad(s.m, s.n, s.k, in, scope, b, trans)
		}
	}
	rest := func(s shape, acc string) {
		out["wmma_fill_"+size(s)+"_"+wmmaNames[acc]] = wmmaFill(s.m, s.n, s.k, acc)
		for _, scope := range []string{"shared", "shared.dyn", "global"} {
			out["wmma_store_"+size(s)+"_"+wmmaNames[acc]+"_"+strings.ReplaceAll(scope, ".", "_")] = wmmaStore(s.m, s.n, s.k, acc, scope)
		}
	}
	for _, trans := range []bool{false, true} {
		sync(usual, "float16", "float32", trans)
		sync(usual, "float16", "float16", trans)
		sync(usual, "int8", "int32", trans)
		for _, b := range []bool{false, true} {
			load(usual, "float16", b, trans)
			load(usual, "int8", b, trans)
		}
	}
	sync(nibbles, "int4", "int32", true)
	load(nibbles, "int4", false, false)
	load(nibbles, "int4", true, true)
	for _, acc := range []string{"float32", "float16", "int32"} {
		rest(usual, acc)
	}
	rest(nibbles, "int32")
	return out
}

// matrix is a line that declares a buffer of rows and columns, of a memory scope; the strides of an implementation are variables.
func matrix(name, handle string, rows, cols int, t, scope string, impl bool) string {
	strides := ""
	if impl {
		strides = fmt.Sprintf(", strides=[%s1, %s0]", handle, handle)
	}
	return fmt.Sprintf("    %s = T.match_buffer(%s, (%d, %d), %q, align=64, offset_factor=%d, scope=%q%s)\n", name, handle, rows, cols, t, cols, scope, strides)
}

// strides declares the variables of strides for handles.
func strides(impl bool, handles ...string) string {
	out := ""
	for _, h := range handles {
		if impl {
			out += fmt.Sprintf("    %s1 = T.int32()\n    %s0 = T.int32()\n", h, h)
		}
	}
	return out
}

// copyLoops copies A to C element by element.
const copyLoops = `        for i, j in T.grid({m}, {n}):
            with T.block("{name}"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
`

func wmmaLoad(m, n, k int, t, scope string, b, colMajor bool) row {
	to, layout := "wmma.matrix_a", "row_major"
	rows, cols := m, k
	if b {
		to, rows, cols = "wmma.matrix_b", k, n
	}
	if colMajor {
		layout, rows, cols = "col_major", cols, rows
	}
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle, c: T.handle):\n" + strides(impl, "a", "c") +
			matrix("A", "a", rows, cols, t, scope, impl) + matrix("C", "c", rows, cols, t, to, impl) +
			fill("    with T.block(\"root\"):\n        T.reads(A[0:{m}, 0:{n}])\n        T.writes(C[0:{m}, 0:{n}])\n", "m", rows, "n", cols)
		if !impl {
			return text + fill(copyLoops, "m", rows, "n", cols, "name", "load")
		}
		return text + fmt.Sprintf("        T.evaluate(T.tvm_load_matrix_sync(C.data, %d, %d, %d, %s, A.access_ptr(\"r\"), a1, %q))\n", m, n, k, fragment("C", "c1", rows, cols), layout)
	}
	return row{at(false), at(true)}
}

func wmmaFill(m, n, k int, t string) row {
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(c: T.handle):\n" + strides(impl, "c") + matrix("C", "c", m, n, t, "wmma.accumulator", impl) +
			fill("    with T.block(\"root\"):\n        T.reads()\n        T.writes(C[0:{m}, 0:{n}])\n", "m", m, "n", n)
		if !impl {
			return text + fill(`        for i, j in T.grid({m}, {n}):
            with T.block("init"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.{t}(0)
`, "m", m, "n", n, "t", t)
		}
		return text + fmt.Sprintf("        T.evaluate(T.tvm_fill_fragment(C.data, %d, %d, %d, %s, T.float32(0)))\n", m, n, k, fragment("C", "c1", m, n))
	}
	return row{at(false), at(true)}
}

func wmmaStore(m, n, k int, t, scope string) row {
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle, c: T.handle):\n" + strides(impl, "a", "c") +
			matrix("A", "a", m, n, t, "wmma.accumulator", impl) + matrix("C", "c", m, n, t, scope, impl) +
			fill("    with T.block(\"root\"):\n        T.reads(A[0:{m}, 0:{n}])\n        T.writes(C[0:{m}, 0:{n}])\n", "m", m, "n", n)
		if !impl {
			return text + fill(copyLoops, "m", m, "n", n, "name", "store")
		}
		return text + fmt.Sprintf("        T.evaluate(T.tvm_store_matrix_sync(A.data, %d, %d, %d, %s, C.access_ptr(\"w\"), c1, \"row_major\"))\n", m, n, k, fragment("A", "a1", m, n))
	}
	return row{at(false), at(true)}
}

func wmmaSync(m, n, k int, in, acc string, trans bool) row {
	rows, cols, at1 := k, n, "vk, vj"
	if trans {
		rows, cols, at1 = n, k, "vj, vk"
	}
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle, b: T.handle, c: T.handle):\n" + strides(impl, "a", "b", "c") +
			matrix("A", "a", m, k, in, "wmma.matrix_a", impl) + matrix("B", "b", rows, cols, in, "wmma.matrix_b", impl) + matrix("C", "c", m, n, acc, "wmma.accumulator", impl) +
			fill("    with T.block(\"root\"):\n        T.reads(C[0:{m}, 0:{n}], A[0:{m}, 0:{k}], B[0:{r}, 0:{c}])\n        T.writes(C[0:{m}, 0:{n}])\n", "m", m, "n", n, "k", k, "r", rows, "c", cols)
		if !impl {
			x, y := "A[vi, vk]", "B["+at1+"]"
			if in != acc {
				x, y = fmt.Sprintf("T.Cast(%q, %s)", acc, x), fmt.Sprintf("T.Cast(%q, %s)", acc, y)
			}
			return text + fill(`        for i, j, k in T.grid({m}, {n}, {k}):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + {x} * {y}
`, "m", m, "n", n, "k", k, "x", x, "y", y)
		}
		c := fragment("C", "c1", m, n)
		return text + fmt.Sprintf("        T.evaluate(T.tvm_mma_sync(C.data, %s, A.data, %s, B.data, %s, C.data, %s))\n", c, fragment("A", "a1", m, k), fragment("B", "b1", rows, cols), c)
	}
	return row{at(false), at(true)}
}
