package tensorintrin

import "fmt"

// simdgroups are the matrices of 8 by 8 of Apple's GPUs.
func simdgroups() map[string]row {
	return map[string]row{
		"simdgroup_make_filled_8x8x8_f16":         simdFill("float16"),
		"simdgroup_fill_8x8x8_f32":                simdFill("float32"),
		"simdgroup_fill_8x8x8_bf16":               simdFill("bfloat16"),
		"simdgroup_load_8x8x8_f16_shared":         simdCopy("float16", "shared", true, false),
		"simdgroup_load_8x8x8_f16_shared_trans":   simdCopy("float16", "shared", true, true),
		"simdgroup_store_8x8x8_f16_global":        simdCopy("float16", "global", false, false),
		"simdgroup_store_8x8x8_f16_shared":        simdCopy("float16", "shared", false, false),
		"simdgroup_multiply_accumulate_8x8x8_f16": simdMultiply("float16"),
	}
}

// simd is a line that declares a matrix of 8 by 8.
func simd(name, handle, t, scope, align string, impl bool) string {
	strides := ""
	if impl {
		strides = fmt.Sprintf(", strides=[%s1, %s0]", handle, handle)
	}
	return fmt.Sprintf("    %s = T.match_buffer(%s, (8, 8), %q, %sscope=%q, offset_factor=1%s)\n", name, handle, t, align, scope, strides)
}

func simdFill(t string) row {
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle):\n" + strides(impl, "a") + simd("A", "a", t, "metal.simdgroup", "", impl) +
			"    with T.block(\"root\"):\n        T.reads()\n        T.writes(A[0:8, 0:8])\n"
		if impl {
			return text + "        T.evaluate(T.make_filled_simdgroup_matrix(A.data, " + fragment("A", "a1", 8, 8) + ", T.float32(0), 8, 8))\n"
		}
		return text + fill(`        for i, j in T.grid(8, 8):
            with T.block("init"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = T.float32(0)
`, "t", t)
	}
	return row{at(false), at(true)}
}

// simdCopy loads a matrix from memory of a scope, or stores it there.
func simdCopy(t, scope string, load, trans bool) row {
	from, to, name := scope, "metal.simdgroup", "load"
	if !load {
		from, to, name = to, from, "store"
	}
	target := "C[vi, vj]"
	if trans {
		target = "C[vj, vi]"
	}
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle, c: T.handle):\n" + strides(impl, "a", "c") +
			simd("A", "a", t, from, "align=64, ", impl) + simd("C", "c", t, to, "align=64, ", impl) +
			"    with T.block(\"root\"):\n        T.reads(A[0:8, 0:8])\n        T.writes(C[0:8, 0:8])\n"
		switch {
		case impl && load:
			return text + fmt.Sprintf("        T.evaluate(T.simdgroup_load(C.data, %s, A.access_ptr(\"r\"), a1, 8, 8, T.bool(%s)))\n", fragment("C", "c1", 8, 8), pyBool(trans))
		case impl:
			return text + fmt.Sprintf("        T.evaluate(T.simdgroup_store(A.data, %s, C.access_ptr(\"w\"), c1, 8, 8, T.bool(%s)))\n", fragment("A", "a1", 8, 8), pyBool(trans))
		}
		return text + fill(`        for i, j in T.grid(8, 8):
            with T.block("{name}"):
                vi, vj = T.axis.remap("SS", [i, j])
                {c} = A[vi, vj]
`, "name", name, "c", target)
	}
	return row{at(false), at(true)}
}

func simdMultiply(t string) row {
	const group = "metal.simdgroup"
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle, b: T.handle, c: T.handle):\n" + strides(impl, "a", "b", "c") +
			simd("A", "a", t, group, "", impl) + simd("B", "b", t, group, "", impl) + simd("C", "c", t, group, "", impl) +
			"    with T.block(\"root\"):\n        T.reads(C[0:8, 0:8], A[0:8, 0:8], B[0:8, 0:8])\n        T.writes(C[0:8, 0:8])\n"
		if impl {
			c := fragment("C", "c1", 8, 8)
			return text + fmt.Sprintf("        T.evaluate(T.simdgroup_multiply_accumulate(C.data, %s, A.data, %s, B.data, %s, C.data, %s))\n", c, fragment("A", "a1", 8, 8), fragment("B", "b1", 8, 8), c)
		}
		return text + `        for i, j, k in T.grid(8, 8, 8):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
`
	}
	return row{at(false), at(true)}
}
