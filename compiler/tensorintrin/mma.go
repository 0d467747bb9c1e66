package tensorintrin

import (
	"fmt"
	"strings"
)

// The elements of a tile in the registers of a warp: which thread holds the element at (i, j), and where.
var (
	tile16x16 = [2]string{"4 * ({i} % 8) + {j} % 8 // 2", "4 * ({j} // 8) + {i} // 8 * 2 + {j} % 2"}
	tile16x32 = [2]string{"4 * ({i} % 8) + {j} % 16 // 4", "8 * ({j} // 16) + {i} // 8 * 4 + {j} % 4"}
	tile32x16 = [2]string{"{i} % 16 // 4 + 4 * ({j} % 8)", "8 * ({j} // 8) + {i} // 16 * 4 + {i} % 4"}
)

// held is the element of a tile in registers.
func held(buffer string, tile [2]string, i, j string) string {
	return buffer + "[" + fill(tile[0], "i", i, "j", j) + ", " + fill(tile[1], "i", i, "j", j) + "]"
}

// registers is a line that declares the registers of a warp, size elements in each of its 32 threads.
func registers(name, handle string, size int, t string, factor int) string {
	return fmt.Sprintf("    %s = T.match_buffer(%s, (32, %d), %q, align=64, offset_factor=%d, scope=\"warp\")\n", name, handle, size, t, factor)
}

var mmaNames = map[string]string{"float16": "f16", "float32": "f32", "int8": "i8", "int32": "i32", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}

// ldmatrices load tiles of shared memory into registers.
func ldmatrices() map[string]row {
	out := map[string]row{}
	name := func(t, which string, trans bool, scope string) string {
		s := "mma_ldmatrix_" + mmaNames[t] + "_" + which
		if trans {
			s += "_trans"
		}
		if scope == "shared.dyn" {
			s += "_dyn"
		}
		return s
	}
	for _, scope := range []string{"shared", "shared.dyn"} {
		for _, trans := range []bool{false, true} {
			for _, which := range []string{"a", "b"} {
				out[name("float16", which, trans, scope)] = ldmatrix(16, "float16", which, trans, scope)
			}
		}
	}
	for _, t := range []string{"int8", "float8_e4m3fn", "float8_e5m2"} {
		out[name(t, "a", false, "shared")] = ldmatrix(32, t, "a", false, "shared")
		out[name(t, "b", false, "shared")] = ldmatrix(32, t, "b", false, "shared")
		out[name(t, "b", true, "shared")] = ldmatrix(32, t, "b", true, "shared")
	}
	return out
}

func ldmatrix(k int, t, which string, trans bool, scope string) row {
	rows, cols, flip := 16, k, trans
	if which == "b" {
		rows, cols, flip = k, 16, !trans
	}
	if trans {
		rows, cols = cols, rows
	}
	tile, offset := tile16x16, "s0 * (tx % 16) + 8 * (tx // 16)"
	switch {
	case k == 16 && trans:
		offset = "s0 * 8 * (tx // 16) + s0 * (tx % 8) + 8 * (tx % 16 // 8)"
	case k == 32 && which == "b" && !trans: // what it is lowered to only needs the stride
		tile, offset = tile32x16, "s0"
	case k == 32 && which == "b":
		tile, offset = tile16x32, "s0 * 8 * (tx // 16) + tx % 8 * s0 + 16 * (tx % 16 // 8)"
	case k == 32:
		tile, offset = tile16x32, "s0 * (tx % 16) + 16 * (tx // 16)"
	}
	size := 16 * k / 32
	at := func(impl bool) string {
		strides, vars := "", ""
		if impl {
			strides, vars = ", strides=[s0, s1]", "    s0 = T.int32()\n    s1 = T.int32()\n"
		}
		text := "@T.prim_func\ndef main(warp_handle: T.handle, shared_handle: T.handle):\n" + vars +
			fmt.Sprintf("    shared = T.match_buffer(shared_handle, (%d, %d), %q, align=64, offset_factor=%d, scope=%q%s)\n", rows, cols, t, cols, scope, strides) +
			registers("warp", "warp_handle", size, t, cols) +
			fill("    with T.block(\"root\"):\n        T.reads(shared[0:{r}, 0:{c}])\n        T.writes(warp[0:32, 0:{s}])\n", "r", rows, "c", cols, "s", size)
		if !impl {
			return text + fill(`        for ax0, ax1 in T.grid({r}, {c}):
            with T.block("shared_warp"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(shared[v0, v1])
                T.writes({w})
                {w} = shared[v0, v1]
`, "r", rows, "c", cols, "w", held("warp", tile, "v0", "v1"))
		}
		return text + fmt.Sprintf(`        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.ptx_ldmatrix(%q, T.bool(%s), 4, ".b16", warp.data, warp.elem_offset + %d * tx, shared.access_ptr("r"), %s))
`, t, pyBool(flip), size, offset)
	}
	return row{at(false), at(true)}
}

func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// mmas multiply tiles in registers.
func mmas() map[string]row {
	out := map[string]row{}
	add := func(k int, in, acc string, ta, tb bool) {
		name := "mma_" + mmaNames[in] + mmaNames[in] + mmaNames[acc]
		if ta {
			name += "_trans_a"
		}
		if tb {
			name += "_trans_b"
		}
		out[name] = mma(k, in, acc, ta, tb)
	}
	for _, tb := range []bool{false, true} {
		for _, ta := range []bool{false, true} {
			add(16, "float16", "float32", ta, tb)
			add(16, "float16", "float16", ta, tb)
		}
		add(32, "int8", "int32", false, tb)
		add(32, "float8_e5m2", "float32", false, tb)
		add(32, "float8_e4m3fn", "float32", false, tb)
	}
	return out
}

func mma(k int, in, acc string, ta, tb bool) row {
	tileA, tileB := tile16x16, tile16x16
	if k == 32 {
		tileA, tileB = tile16x32, tile32x16
		if tb {
			tileB = tile16x32
		}
	}
	short := map[string]string{"float16": "fp16", "float32": "fp32", "int8": "int8", "int32": "int32", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}
	size, factorA, factorB := 16*k/32, k, 16
	ai, aj, bi, bj := "vi", "vk", "vk", "vj"
	if ta {
		factorA, ai, aj = 16, aj, ai
	}
	if tb {
		factorB, bi, bj = k, bj, bi
	}
	at := func(impl bool) string {
		text := "@T.prim_func\ndef main(a: T.handle, b: T.handle, c: T.handle):\n" +
			registers("A", "a", size, in, factorA) + registers("B", "b", size, in, factorB) + registers("C", "c", 8, acc, 16) +
			fill("    with T.block(\"root\"):\n        T.reads(C[0:32, 0:8], A[0:32, 0:{s}], B[0:32, 0:{s}])\n        T.writes(C[0:32, 0:8])\n", "s", size)
		if impl {
			call := func(b, c string) string {
				return fmt.Sprintf("            T.evaluate(T.ptx_mma(%q, \"m16n8k%d\", \"row\", \"col\", %q, %q, %q, A.data, A.elem_offset + tx * %d, B.data, B.elem_offset + tx * %d%s, C.data, C.elem_offset + tx * 8%s, T.bool(False)))\n",
					acc, k, short[in], short[in], short[acc], size, size, b, c)
			}
			return text + "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n" + call("", "") + call(fmt.Sprintf(" + %d", size/2), " + 4")
		}
		x, y := held("A", tileA, ai, aj), held("B", tileB, bi, bj)
		c := held("C", tile16x16, "vi", "vj")
		value := x + " * " + y
		if acc == "float32" || acc == "int32" {
			value = fmt.Sprintf("T.Cast(%q, %s) * T.Cast(%q, %s)", acc, x, acc, y)
		}
		return text + fill(`        for i, j, k in T.grid(16, 16, {k}):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads({c}, {x}, {y})
                T.writes({c})
                {c} = {c} + {value}
`, "k", k, "c", c, "x", x, "y", y, "value", value)
	}
	return row{at(false), at(true)}
}

// mmaStores clear tiles in registers and store them.
func mmaStores() map[string]row {
	out := map[string]row{}
	for _, t := range []string{"float32", "float16", "int32"} {
		out["mma_fill_16x16_"+mmaNames[t]] = mmaFill(t)
		out["mma_store_16x16_"+mmaNames[t]+"_global_"] = mmaStore(t, "global", false)
	}
	out["mma_store_16x16_f32_shared_dyn_"] = mmaStore("float32", "shared.dyn", false)
	out["mma_store_16x16_f32_shared_dyn_simple_"] = mmaStore("float32", "shared.dyn", true)
	out["mma_store_16x16_f16_shared_dyn_simple_"] = mmaStore("float16", "shared.dyn", true)
	return out
}

func mmaFill(t string) row {
	const text = `@T.prim_func
def main(a: T.handle):
    C = T.match_buffer(a, (32, 8), "{t}", scope="warp"{factor})
    with T.block("root"):
        T.reads()
        T.writes(C[0:32, 0:8])
{body}`
	loops := `        for i0, i1 in T.grid(16, 16):
            with T.block("C_warp"):
                i, j = T.axis.remap("SS", [i0, i1])
                T.reads()
                T.writes({c})
                {c} = T.{t}(0)
`
	const call = `        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.mma_fill("{t}", 8, C.data, C.elem_offset))
`
	loops = strings.ReplaceAll(loops, "{c}", held("C", tile16x16, "i", "j"))
	at := func(body, factor string) string { return fill(fill(text, "body", body, "factor", factor), "t", t) }
	return row{at(loops, ""), at(call, ", offset_factor=1")}
}

// mmaStore stores a tile, by an instruction or, simple, element by element.
func mmaStore(t, scope string, simple bool) row {
	const text = `@T.prim_func
def main(a: T.handle, c: T.handle):
{vars}    W = T.match_buffer(a, (32, 8), "{t}", scope="warp"{factor})
    C = T.match_buffer(c, (16, 16), "{t}", scope="{scope}"{strides})
    with T.block("root"):
        T.reads(W[0:32, 0:8])
        T.writes(C[0:16, 0:16])
{body}`
	loops := fill(`        for i0, i1 in T.grid(16, 16):
            with T.block("C_warp"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads({w})
                T.writes(C[v0, v1])
                C[v0, v1] = {w}
`, "w", held("W", tile16x16, "v0", "v1"))
	body := `        for tx in T.thread_binding(32, thread="threadIdx.x"):
            T.evaluate(T.mma_store("{t}", 16, 16, C.access_ptr("w"), W.data, W.elem_offset, s0))
`
	if simple {
		body = `        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for local_id in range(8):
                C[8 * (local_id % 4 // 2) + tx // 4, 8 * (local_id // 4) + tx % 4 * 2 + local_id % 2] = W[tx, local_id]
`
	}
	at := func(body, factor, strides, vars string) string {
		return fill(fill(text, "body", body, "factor", factor, "strides", strides, "vars", vars), "t", t, "scope", scope)
	}
	return row{at(loops, "", "", ""), at(body, ", offset_factor=1", ", offset_factor=1, strides=[s0, s1]", "    s0 = T.int32()\n    s1 = T.int32()\n")}
}
