package tensorintrin

// dotText describes C[i] += sum over k of A[k] * B[i, k], or of one C where n is "".
const dotText = `@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, ({k},), "{ta}", offset_factor=1{scope})
    B = T.match_buffer(b, ({n}, {k}), "{tb}", offset_factor=1{scope})
    C = T.match_buffer(c, ({n},), "{tc}", offset_factor=1{scope})
    with T.block("root"):
        T.reads(C[0:{n}], A[0:{k}], B[0:{n}, 0:{k}])
        T.writes(C[0:{n}])
        {body}
`

// dotLoops is the body of the description.
const dotLoops = `for i, k in T.grid({n}, {k}):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                C[vi] = C[vi] + T.cast(A[vk], "{tc}") * T.cast(B[vi, vk], "{tc}")`

// dot returns the intrinsic whose implementation has a body. The names in both texts are n, k, ta, tb, tc and scope.
func dot(body string, n, k int, ta, tb, tc, scope string) row {
	if scope != "" {
		scope = `, scope="` + scope + `"`
	}
	at := func(body string) string {
		return fill(fill(dotText, "body", body), "n", n, "k", k, "ta", ta, "tb", tb, "tc", tc, "scope", scope)
	}
	return row{at(dotLoops), at(body)}
}

// dotProducts are those of x86 (VNNI, AVX512) and Arm (NEON, the dot product extension).
func dotProducts() map[string]row {
	const vnni = `a_bytes = A[T.ramp(0, 1, 4)]
        a_word = T.reinterpret("int32", a_bytes)
        b_bytes = B[0, T.ramp(0, 1, 64)]
        b_words = T.reinterpret("int32x16", b_bytes)
        c = C[T.ramp(0, 1, 16)]
        C[T.ramp(0, 1, 16)] = T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", c, T.broadcast(a_word, 16), b_words)`
	const avx512 = `a_bytes = A[T.ramp(0, 1, 4)]
        a_word = T.reinterpret("int32", a_bytes)
        a_words = T.broadcast(a_word, 16)
        a_all = T.reinterpret("uint8x64", a_words)
        b_bytes = B[0, T.ramp(0, 1, 64)]
        pairs = T.call_llvm_pure_intrin("int16x32", "llvm.x86.avx512.pmaddubs.w.512", a_all, b_bytes)
        C[T.ramp(0, 1, 16)] = C[T.ramp(0, 1, 16)] + T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.pmaddw.d.512", pairs, T.broadcast(T.int16(1), 32))`
	const half = `
        b_{half} = T.vector{half}("int8x8", b_bytes)
        products_{half} = T.call_llvm_pure_intrin("int16x8", "llvm.aarch64.neon.smull.v8i16", a_twice, b_{half})
        sums_{half} = T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.saddlp.v4i32.v8i16", products_{half})`
	neon := `a_bytes = A[T.ramp(0, 1, 4)]
        a_word = T.reinterpret("int32", a_bytes)
        a_words = T.broadcast(a_word, 2)
        a_twice = T.reinterpret("int8x8", a_words)
        b_bytes = B[0, T.ramp(0, 1, 16)]` + fill(half, "half", "low") + fill(half, "half", "high") + `
        C[T.ramp(0, 1, 4)] = C[T.ramp(0, 1, 4)] + T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.addp.v4i32", sums_low, sums_high)`
	const arm = `a_bytes = A[T.ramp(0, 1, 4)]
        a_word = T.reinterpret("{tc}", a_bytes)
        a_words = T.broadcast(a_word, 4)
        a_all = T.reinterpret("{ta}x16", a_words)
        b_bytes = B[0, T.ramp(0, 1, 16)]
        c = C[T.ramp(0, 1, 4)]
        C[T.ramp(0, 1, 4)] = T.call_llvm_pure_intrin("{tc}x4", "llvm.aarch64.neon.{instr}", c, a_all, b_bytes)`
	sdot, udot := fill(arm, "instr", "sdot.v4i32.v16i8"), fill(arm, "instr", "udot.v4u32.v16u8")
	return map[string]row{
		"dot_16x4_vnni":        dot(vnni, 16, 4, "uint8", "int8", "int32", ""),
		"dot_16x4_avx512":      dot(avx512, 16, 4, "uint8", "int8", "int32", ""),
		"dot_4x4_i8i8s32_neon": dot(neon, 4, 4, "int8", "int8", "int32", ""),
		"dot_4x4_i8i8s32_sdot": dot(sdot, 4, 4, "int8", "int8", "int32", ""),
		"dot_4x4_u8u8u32_udot": dot(udot, 4, 4, "uint8", "uint8", "uint32", ""),
		"dot_4x4_u8u8i32_hdot": dot(udot, 4, 4, "uint8", "uint8", "int32", ""),
	}
}

// dp4as are the dot products of four bytes of NVIDIA and AMD.
func dp4as() map[string]row {
	const text = `@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, (4,), "{ta}", offset_factor=1, align=4, scope="shared")
    B = T.match_buffer(b, (4,), "{tb}", offset_factor=1, align=4, scope="shared")
    C = T.match_buffer(c, (1,), "{tc}", offset_factor=1, align=4, scope="local")
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        {body}
`
	const loops = `for i in range(4):
            with T.block("update"):
                vi = T.axis.reduce(4, i)
                C[0] = C[0] + T.cast(A[vi], "{tc}") * T.cast(B[vi], "{tc}")`
	const dp4a = `C[0] = C[0] + T.call_pure_extern("{tc}", "__dp4a", A[T.ramp(0, 1, 4)], B[T.ramp(0, 1, 4)], T.{tc}(0))`
	const sdot4 = `C[0] = C[0] + T.call_llvm_pure_intrin("int32", "llvm.amdgcn.sdot4", T.reinterpret("int32", A[T.ramp(0, 1, 4)]),
            T.reinterpret("int32", B[T.ramp(0, 1, 4)]), T.int32(0), T.bool(True))`
	at := func(body, ta, tb, tc string) row {
		in := func(body string) string { return fill(fill(text, "body", body), "ta", ta, "tb", tb, "tc", tc) }
		return row{in(loops), in(body)}
	}
	return map[string]row{
		"dp4a_s8s8s32": at(dp4a, "int8", "int8", "int32"),
		"dp4a_u8s8s32": at(dp4a, "uint8", "int8", "int32"),
		"dp4a_s8u8s32": at(dp4a, "int8", "uint8", "int32"),
		"dp4a_u8u8u32": at(dp4a, "uint8", "uint8", "uint32"),
		"sdot4":        at(sdot4, "int8", "int8", "int32"),
	}
}

// hexagons are dot products of vectors, and copies to the memory next to the vector unit.
func hexagons() map[string]row {
	const vector = `a_lanes = A[T.ramp(0, 1, {k})]
        a_word = T.reinterpret("int32", a_lanes)
        b_lanes = B[0, T.ramp(0, 1, {all})]
        b_words = T.reinterpret("int32x32", b_lanes)
        C[T.ramp(0, 1, 32)] = T.call_llvm_pure_intrin("int32x32", "llvm.hexagon.V6.{instr}.acc.128B", C[T.ramp(0, 1, 32)], {args})`
	u8u8 := fill(vector, "instr", "vrmpyub", "args", "b_words, a_word", "all", 128)
	u8i8 := fill(vector, "instr", "vrmpybusv", "args", "T.broadcast(a_word, 32), b_words", "all", 128)
	i16 := fill(vector, "instr", "vdmpyhvsat", "args", "T.broadcast(a_word, 32), b_words", "all", 64)
	const load = `@T.prim_func
def main(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (128,), "{t}", offset_factor=1, scope="global")
    C = T.match_buffer(c, (128,), "{t}", offset_factor=1, scope="global.vtcm")
    with T.block("root"):
        T.reads(A[0:128])
        T.writes(C[0:128])
        {body}
`
	const loops = `for i in range(128):
            with T.block("load"):
                vi = T.axis.spatial(128, i)
                C[vi] = A[vi]`
	const array = `T.tvm_stack_make_array(T.address_of({x}[0]), T.tvm_stack_make_shape(128), 0, 1, T.Cast("{t}", 0), 0)`
	copies := `T.evaluate(T.tvm_call_packed("device_api.hexagon.dma_copy_dltensor", ` + fill(array, "x", "C") + ", " + fill(array, "x", "A") + ", 128, T.bool(False)))"
	dma := func(t string) row {
		return row{fill(fill(load, "body", loops), "t", t), fill(fill(load, "body", copies), "t", t)}
	}
	return map[string]row{
		"dot_32x4_u8u8i32_vrmpy":           dot(u8u8, 32, 4, "uint8", "uint8", "int32", "global"),
		"dot_32x4_u8i8i32_vrmpy":           dot(u8i8, 32, 4, "uint8", "int8", "int32", "global"),
		"dot_product_32x2_i16i16i32_vdmpy": dot(i16, 32, 2, "int16", "int16", "int32", "global"),
		"dot_32x4_u8u8i32_vtcm_vrmpy":      dot(u8u8, 32, 4, "uint8", "uint8", "int32", "global.vtcm"),
		"dot_32x4_u8i8i32_vtcm_vrmpy":      dot(u8i8, 32, 4, "uint8", "int8", "int32", "global.vtcm"),
		"dma_read_128_u8":                  dma("uint8"),
		"dma_read_128_i8":                  dma("int8"),
	}
}
