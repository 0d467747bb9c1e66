package tensorintrin

import "fmt"

// Where the registers of a thread begin in a fragment of mma.m16n8k8, from the offset and the stride of its elements, as tir.TransformMmaBufferLayout lays them out. Of
// A, tiles of 32 by 8 follow each other, of B 8 by 32, and of C 16 by 8.
var mma8Index = map[string]string{
	"A": "({o} // {s} // 32 * ({s} // 8) + {o} % {s} // 8) * 8 + {o} // {s} % 32 // 16 * 4",
	"B": "({o} // {s} // 8 * ({s} // 32) + {o} % {s} // 32) * 8 + {o} % {s} % 32 // 8 * 2",
	"C": "({o} // {s} // 8 // 2 * 2 * ({s} // 8) + {o} // {s} // 8 % 2 + {o} % {s} // 8 * 2) * 2",
}

func mma8Register(matrix, buffer, stride string) string {
	return fill(mma8Index[matrix], "o", buffer+".elem_offset", "s", stride)
}

// mma8 is a parameter that is a fragment of mma.m16n8k8, with strides if they are named.
func mma8(name, handle string, rows, cols int, t, matrix, strides string) string {
	if strides != "" {
		strides = ", strides=[" + strides + "0, " + strides + "1]"
	}
	return fmt.Sprintf("    %s = T.match_buffer(%s, (%d, %d), %q, align=64, offset_factor=1, scope=\"m16n8k8.matrix%s\"%s)\n", name, handle, rows, cols, t, matrix, strides)
}

// mma8s multiply by mma.m16n8k8, whose fragments are buffers of their own scopes.
func mma8s() map[string]row {
	out := map[string]row{
		"mma_load_m16n8k8_f16_A_shared_dyn": mma8Load("A", 32, 8, "False", "tx * s0"),
		"mma_load_m16n8k8_f16_B_shared_dyn": mma8Load("B", 8, 32, "True", "tx % 8 * s0 + tx // 8 * 8"),
	}
	for _, t := range []string{"float16", "float32"} {
		out["mma_init_m16n8k8_"+mmaNames[t]] = mma8Init(t)
		out["mma_sync_m16n8k8_f16f16"+mmaNames[t]] = mma8Sync(t)
		out["mma_store_m16n8k8_"+mmaNames[t]+"_global"] = mma8Store(t)
	}
	return out
}

func mma8Init(t string) row {
	head := "@T.prim_func\ndef main(c: T.handle):\n" + mma8("dst", "c", 16, 8, t, "C", "") +
		"    with T.block(\"root\"):\n        T.reads()\n        T.writes(dst[0:16, 0:8])\n"
	return row{
		head + fill(`        for i, j in T.grid(16, 8):
            with T.block("init"):
                vi, vj = T.axis.remap("SS", [i, j])
                dst[vi, vj] = T.{t}(0)
`, "t", t),
		head + fill(`        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for b in range(2):
                for v in T.vectorized(2):
                    dst[b * 8 + tx // 4, tx % 4 * 2 + v] = T.{t}(0)
`, "t", t),
	}
}

// mma8Load loads four matrices of 8 by 8 elements.
func mma8Load(matrix string, rows, cols int, trans, offset string) row {
	at := func(impl bool) string {
		strides, named, vars := "", "", ""
		if impl {
			strides, named = ", strides=[s0, s1]", "d"
			vars = "    s0 = T.int32()\n    s1 = T.int32()\n    d0 = T.int32()\n    d1 = T.int32()\n"
		}
		text := "@T.prim_func\ndef main(a: T.handle, c: T.handle):\n" + vars +
			fmt.Sprintf("    src = T.match_buffer(a, (%d, %d), \"float16\", align=64, offset_factor=1, scope=\"shared.dyn\"%s)\n", rows, cols, strides) +
			mma8("dst", "c", rows, cols, "float16", matrix, named) +
			fill("    with T.block(\"root\"):\n        T.reads(src[0:{r}, 0:{c}])\n        T.writes(dst[0:{r}, 0:{c}])\n", "r", rows, "c", cols)
		if !impl {
			return text + fill(`        for i, j in T.grid({r}, {c}):
            with T.block("load"):
                vi, vj = T.axis.remap("SS", [i, j])
                dst[vi, vj] = src[vi, vj]
`, "r", rows, "c", cols)
		}
		return text + fmt.Sprintf(`        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.ptx_ldmatrix("float16", T.bool(%s), 4, ".b16", dst.data, %s, src.access_ptr("r"), %s))
`, trans, mma8Register(matrix, "dst", "d0"), offset)
	}
	return row{at(false), at(true)}
}

func mma8Sync(acc string) row {
	at := func(impl bool) string {
		strides, vars := [3]string{}, ""
		if impl {
			strides = [3]string{"a", "b", "c"}
			for _, s := range []string{"a0", "a1", "b0", "b1", "c0", "c1"} {
				vars += "    " + s + " = T.int32()\n"
			}
		}
		text := "@T.prim_func\ndef main(a: T.handle, b: T.handle, c: T.handle):\n" + vars +
			mma8("A", "a", 16, 8, "float16", "A", strides[0]) + mma8("B", "b", 8, 8, "float16", "B", strides[1]) + mma8("C", "c", 16, 8, acc, "C", strides[2]) +
			"    with T.block(\"root\"):\n        T.reads(C[0:16, 0:8], A[0:16, 0:8], B[0:8, 0:8])\n        T.writes(C[0:16, 0:8])\n"
		if !impl {
			value := "A[vi, vk] * B[vk, vj]"
			if acc != "float16" {
				value = fill("T.Cast(\"{t}\", A[vi, vk]) * T.Cast(\"{t}\", B[vk, vj])", "t", acc)
			}
			return text + fill(`        for i, j, k in T.grid(16, 8, 8):
            with T.block("m16n8k8_sync"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + {value}
`, "value", value)
		}
		return text + fmt.Sprintf("        T.evaluate(T.ptx_mma(%q, \"m16n8k8\", \"row\", \"col\", \"float16\", \"float16\", %q, A.data, %s, B.data, %s, C.data, %s, T.bool(False)))\n",
			acc, acc, mma8Register("A", "A", "a0"), mma8Register("B", "B", "b0"), mma8Register("C", "C", "c0"))
	}
	return row{at(false), at(true)}
}

// mma8Store copies to memory of the block; what it is lowered to is the same.
func mma8Store(t string) row {
	text := "@T.prim_func\ndef main(a: T.handle, c: T.handle):\n" + mma8("src", "a", 16, 8, t, "C", "") +
		fmt.Sprintf("    dst = T.match_buffer(c, (16, 8), %q, align=64, offset_factor=1, scope=\"shared.dyn\")\n", t) + `    with T.block("root"):
        T.reads(src[0:16, 0:8])
        T.writes(dst[0:16, 0:8])
        for i, j in T.grid(16, 8):
            with T.block("m16n8k8_store"):
                vi, vj = T.axis.remap("SS", [i, j])
                dst[vi, vj] = src[vi, vj]
`
	return row{text, text}
}
