package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// keepsMeaning runs p on random programs of make, which have to change, and compares what they compute before and after.
func keepsMeaning(t *testing.T, n int, p *pass.Pass, lower []*pass.Pass, program func(*rand.Rand) string) {
	t.Helper()
	changed, ran := 0, 0
	seed.Each(t, n, func(t *testing.T, r *rand.Rand) {
		f := parseFunc(t, program(r))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		want := mustRun(t, f, args)
		for _, q := range lower {
			f = apply(t, passtest.NewContext(), q, f)
		}
		g := apply(t, passtest.NewContext(), p, f)
		if ran++; g != f {
			changed++
		}
		sameMeaning(t, p, f, g, args, want)
	})
	if ran > 3 && changed == 0 {
		t.Errorf("%s changed none of %d programs", p.Name, ran)
	}
}

// TestRandomPermutedLayouts permutes shared memory that is written by rows and read by columns.
func TestRandomPermutedLayouts(t *testing.T) {
	keepsMeaning(t, 40, tirpass.InjectPermutedLayout, nil, func(r *rand.Rand) string {
		rows, cols := 2*(1+r.IntN(8)), 32*(1+r.IntN(4))
		dt := []string{"float16", "float32", "int32"}[r.IntN(3)]
		note := []string{`"g2s_A"`, "1", "T.bool(True)"}[r.IntN(3)]
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), %[3]q), B: T.Buffer((%[2]d, %[1]d), %[3]q)):
    for tx in T.thread_binding(%[1]d, thread="threadIdx.x"):
        with T.block(""):
            S = T.alloc_buffer((%[1]d, %[2]d), %[3]q, scope="shared")
            with T.block("load"):
                T.block_attr({"permuted_layout": %[4]s})
                for j in range(%[2]d):
                    S[tx, j] = A[tx, j]
            with T.block("store"):
                T.block_attr({"permuted_layout": %[4]s})
                for j in range(%[2]d):
                    B[j, tx] = S[tx, j]
`, rows, cols, dt, note)
	})
}

// TestPermutedLayoutRefusals checks what cannot be permuted.
func TestPermutedLayoutRefusals(t *testing.T) {
	header := `@T.prim_func
def kernel(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32")):`
	nest := func(shape, store, load string) string {
		return fmt.Sprintf(`
    with T.block(""):
        S = T.alloc_buffer(%s, scope="shared")
        with T.block("load"):
            T.block_attr({"permuted_layout": 1})
            for i, j in T.grid(4, 64):
                %s
        with T.block("store"):%s
            for i, j in T.grid(4, 64):
                B[i, j] = S[i, j]`, shape, store, load)
	}
	on := `
            T.block_attr({"permuted_layout": 1})`
	checkPairs(t, tirpass.InjectPermutedLayout, header, []pair{
		{name: "one access without", before: nest("(4, 64)", "S[i, j] = A[i, j]", ""), fails: "another access has none"},
		{name: "rows that do not fit", before: nest("(4, 72)", "S[i, j] = A[i, j]", on), fails: "is not supported since its second dimension is not divisible by 32"},
		{name: "an odd number of short rows", before: nest("(5, 96)", "S[i, j] = A[i, j]", on), fails: "since its first dimension is not divisible by 2"},
		{name: "none", before: `
    for i, j in T.grid(4, 64):
        B[i, j] = A[i, j]`},
	})
}

// TestRandomLocalStages splits loops that copy to shared memory.
func TestRandomLocalStages(t *testing.T) {
	keepsMeaning(t, 40, tirpass.ManifestSharedMemoryLocalStage, nil, func(r *rand.Rand) string {
		n, m, tx := 1+r.IntN(5), []int{1, 2, 4}[r.IntN(3)], 1+r.IntN(6)
		lo := r.IntN(3)
		kind := []string{"T.serial", "T.vectorized"}[r.IntN(2)]
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d,), "float32"), B: T.Buffer((%[1]d,), "float32")):
    for tx in T.thread_binding(%[2]d, thread="threadIdx.x"):
        with T.block(""):
            S = T.alloc_buffer((%[1]d,), "float32", scope="shared")
            for i in T.serial(%[3]d, %[4]d):
                for v in %[5]s(%[6]d):
                    with T.block("load"):
                        T.where(((i - %[3]d) * %[2]d + tx) * %[6]d + v < %[7]d)
                        T.reads(A[((i - %[3]d) * %[2]d + tx) * %[6]d + v])
                        T.writes(S[((i - %[3]d) * %[2]d + tx) * %[6]d + v])
                        T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                        S[((i - %[3]d) * %[2]d + tx) * %[6]d + v] = A[((i - %[3]d) * %[2]d + tx) * %[6]d + v] * T.float32(2)
            for i in range(%[8]d):
                for v in range(%[6]d):
                    with T.block("store"):
                        T.where((i * %[2]d + tx) * %[6]d + v < %[7]d)
                        B[(i * %[2]d + tx) * %[6]d + v] = S[(i * %[2]d + tx) * %[6]d + v]
`, n*m*tx, tx, lo, lo+n, kind, m, n*m*tx-r.IntN(2), n)
	})
}

// TestLocalStageRefusals checks where a copy cannot be split.
func TestLocalStageRefusals(t *testing.T) {
	header := `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`
	program := func(loops, scope, body string) string {
		return fmt.Sprintf(`
    with T.block(""):
        S = T.alloc_buffer((16,), scope=%q)
        %s
                T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                %s
        for i in range(16):
            B[i] = S[i]`, scope, loops, body)
	}
	one := `for i in range(16):
            with T.block("load"):`
	checkPairs(t, tirpass.ManifestSharedMemoryLocalStage, header, []pair{
		{name: "local memory", before: program(one, "local", "S[i] = A[i]"), fails: "Expect the body of the block to be BufferStore to shared memory."},
		{name: "its own memory", before: program(one, "shared", "S[i] = S[15 - i] + A[i]"), fails: "it reads S, which it writes"},
		{name: "parallel", before: program(`for i in T.parallel(16):
            with T.block("load"):`, "shared", "S[i] = A[i]"), fails: "Expect the ancestor loops to be serial or vectorized, got parallel"},
		{name: "a condition between", before: program(`if A[0] > T.float32(0):
            with T.block("load"):`, "shared", "S[0] = A[0]"), fails: "Expect the ancestor loops to have a single child"},
		{name: "variables", before: program(one, "shared", "vi = T.axis.spatial(16, i)\n                S[vi] = A[vi]"), fails: "run tir.ConvertBlocksToOpaque first"},
	})
}

// TestRandomWarpMemory deals out memory of a warp.
func TestRandomWarpMemory(t *testing.T) {
	keepsMeaning(t, 60, tirpass.LowerWarpMemory, nil, func(r *rand.Rand) string {
		width := []int{2, 4, 8, 16, 32}[r.IntN(5)]
		m, groups := 1+r.IntN(3), 1+r.IntN(3)
		size := width * m * groups
		from := []string{"(tx + 1) %% %[1]d", "%[1]d - 1 - tx", "tx", "0", "(tx * 3) %% %[1]d"}[r.IntN(5)]
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[2]d,), "float32"), B: T.Buffer((%[2]d,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    tx = T.launch_thread("threadIdx.x", %[1]d)
    W_data = T.allocate([%[2]d], "float32", "warp")
    W = T.Buffer((%[2]d,), data=W_data, scope="warp")
    for y, x in T.grid(%[3]d, %[4]d):
        W[tx * %[4]d + y * %[5]d + x] = A[tx * %[4]d + y * %[5]d + x]
    for y, x in T.grid(%[3]d, %[4]d):
        B[tx * %[4]d + y * %[5]d + x] = W[(`+from+`) * %[4]d + y * %[5]d + x]
`, width, size, groups, m, width*m)
	})
}

// TestWarpMemoryRefusals checks what cannot be dealt out.
func TestWarpMemoryRefusals(t *testing.T) {
	program := func(threads, size, store string) string {
		return fmt.Sprintf(`
    T.func_attr({"target": T.target("cuda")})
    tx = T.launch_thread("threadIdx.x", %s)
    W_data = T.allocate([%s], "float32", "warp")
    W = T.Buffer((%[2]s,), data=W_data, scope="warp")
    %s
    B[tx] = W[31 - tx]`, threads, size, store)
	}
	checkPairs(t, tirpass.LowerWarpMemory, `@T.prim_func
def kernel(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):`, []pair{
		{name: "memory of another thread", before: program("32", "32", "W[(tx + 1) % 32] = A[tx]"), fails: "LowerWarpMemory failed"},
		{name: "shifted", before: program("32", "64", "W[tx + 1] = A[tx]"), fails: "a thread can store elements of its own only"},
		{name: "backwards", before: program("32", "32", "W[31 - tx] = A[tx]"), fails: "require positive constant coefficient on warp index"},
		{name: "more than a warp", before: program("64", "64", "W[tx] = A[tx]"), fails: "no larger than, and a factor of warp size(32)"},
		{name: "no store", before: program("32", "32", "B[0] = A[0]"), fails: "nothing is stored to warp memory"},
		{name: "two coefficients", before: program("32", "64", "W[tx] = A[tx]\n    W[tx * 2] = A[tx]"), fails: "two different store coefficient"},
	})
}

// TestRandomAsyncCopies makes copies asynchronous, of random types, lanes and conditions.
func TestRandomAsyncCopies(t *testing.T) {
	keepsMeaning(t, 60, tirpass.InjectPTXAsyncCopy, []*pass.Pass{tirpass.LowerOpaqueBlock, tirpass.FlattenBuffer, tirpass.VectorizeLoop}, func(r *rand.Rand) string {
		dt := []string{"float32", "float16", "int32"}[r.IntN(3)]
		tx, n, lanes := 1+r.IntN(8), 1+r.IntN(4), []int{1, 2, 4, 8}[r.IntN(4)]
		value := "A[tx, i * %[5]d + v]"
		if dt != "int32" && r.IntN(2) == 0 {
			value = `T.if_then_else(i %% 2 == 0, A[tx, i * %[5]d + v], T.` + dt + `(0))`
		}
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), %[3]q), B: T.Buffer((%[1]d, %[2]d), %[3]q)):
    tx = T.launch_thread("threadIdx.x", %[1]d)
    with T.block(""):
        S = T.alloc_buffer((%[1]d, %[2]d), %[3]q, scope=%[6]q)
        with T.attr(0, "async_scope", 1):
            for i in range(%[4]d):
                for v in T.vectorized(%[5]d):
                    S[tx, i * %[5]d + v] = `+value+`
        T.evaluate(T.ptx_commit_group(dtype=""))
        T.evaluate(T.ptx_wait_group(0, dtype=""))
        for i in range(%[2]d):
            B[tx, i] = S[tx, i]
`, tx, n*lanes, dt, n, lanes, []string{"shared", "shared.dyn"}[r.IntN(2)])
	})
}

// TestRandomPredicatedLoads makes loads under conditions instructions.
func TestRandomPredicatedLoads(t *testing.T) {
	keepsMeaning(t, 40, tirpass.InjectPTXLDG32, nil, func(r *rand.Rand) string {
		dt := []string{"float32", "int32"}[r.IntN(2)]
		value := fmt.Sprintf([]string{"T.if_then_else(%[2]s, A[tx], T.%[1]s(7))", "T.if_then_else(%[2]s, T.%[1]s(7), A[tx])", "T.if_then_else(%[2]s, A[15 - tx], A[tx])"}[r.IntN(3)],
			dt, []string{"tx % 3 == 1", "tx < 9", "A[tx] > T." + dt + "(0)"}[r.IntN(3)])
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((16,), %[1]q), B: T.Buffer((16,), %[1]q)):
    tx = T.launch_thread("threadIdx.x", 16)
    L_data = T.allocate([2], %[1]q, "local")
    L = T.Buffer((2,), %[1]q, data=L_data, scope="local")
    for k in range(2):
        L[k] = %[2]s
    B[tx] = L[0] + L[1]
`, dt, value)
	})
}

// TestPredicatedLoadsOff leaves everything, if it is switched off.
func TestPredicatedLoadsOff(t *testing.T) {
	checkPairs(t, with(t, tirpass.InjectPTXLDG32, "enable_inject_ptx_intrin", false), `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`, []pair{{name: "a load", before: `
    L_data = T.allocate([1], "float32", "local")
    L = T.Buffer((1,), data=L_data, scope="local")
    for i in range(16):
        L[0] = T.if_then_else(i < 3, A[i], T.float32(0))
        B[i] = L[0]`}})
}

// TestRandomDMA makes copies of a queue transfers.
func TestRandomDMA(t *testing.T) {
	keepsMeaning(t, 60, tirpass.LowerAsyncDMA, nil, func(r *rand.Rand) string {
		n, parts := 1+r.IntN(12), 1+r.IntN(4)
		dt := []string{"float32", "int8", "float16"}[r.IntN(3)]
		index := []string{"i * %[1]d + j", "i * %[1]d + (%[1]d - 1 - j)", "j * %[2]d + i"}[r.IntN(3)]
		second := ""
		if r.IntN(2) == 0 {
			second = `
            for j in range(%[1]d):
                T2[i * %[1]d + j] = A[i * %[1]d + j]`
		}
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[3]d,), %[4]q), B: T.Buffer((%[3]d,), %[4]q)):
    S = T.decl_buffer((%[3]d,), %[4]q)
    T2 = T.decl_buffer((%[3]d,), %[4]q)
    for i in range(%[3]d):
        T2[i] = A[i]
    for i in range(%[2]d):
        with T.attr(0, "async_commit_queue_scope", 0):
          with T.attr(0, "async_scope", 1):
            for j in range(%[1]d):
                S[i * %[1]d + j] = A[`+index+`]`+second+`
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", 0):
            for i in range(%[3]d):
                B[i] = S[i] + T2[i]
`, n, parts, n*parts, dt)
	})
}

// multiply is a matrix product by the instructions of fragments.
const multiply = `@T.prim_func
def kernel(A: T.Buffer((32, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((32, 16), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    a_data = T.allocate([512], "float16", "wmma.matrix_a")
    b_data = T.allocate([256], "float16", "wmma.matrix_b")
    c_data = T.allocate([512], "float32", "wmma.accumulator")
    T.tvm_load_matrix_sync(b_data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), B.data, 0, 256, 1), 16, "col_major")
    for i in range(2):
        T.tvm_fill_fragment(c_data, 16, 16, 16, i, T.float32(0))
        T.tvm_load_matrix_sync(a_data, 16, 16, 16, i, T.tvm_access_ptr(T.type_annotation("float16"), A.data, i * 256, 256, 1), 16, "row_major")
        T.tvm_mma_sync(c_data, i, a_data, i, b_data, 0, c_data, i)
        T.tvm_store_matrix_sync(c_data, 16, 16, 16, i, T.tvm_access_ptr(T.type_annotation("float32"), C.data, i * 256, 256, 2), 16, "row_major")
`

// TestFragments multiplies matrices by instructions, in the interpreter, and notes their shapes.
func TestFragments(t *testing.T) {
	f := parseFunc(t, multiply)
	loops := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((32, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((32, 16), "float32")):
    for i, j in T.grid(32, 16):
        C[i, j] = T.float32(0)
        for k in range(16):
            C[i, j] = C[i, j] + T.Cast("float32", A[i, k]) * T.Cast("float32", B[j, k])
`)
	args := tirtest.Arguments(f, 5)
	want := mustRun(t, loops, args)
	if d := tirtest.Differ(mustRun(t, f, args), want); d != "" {
		t.Fatal(d)
	}
	g := apply(t, passtest.NewContext(), tirpass.InferFragment, f)
	sameMeaning(t, tirpass.InferFragment, f, g, args, want)
	shapes := map[string]string{}
	tir.RewriteStmt(g.Body, func(s tir.Stmt) tir.Stmt {
		if a, ok := s.(*tir.AttrStmt); ok {
			if text, ok := a.Value.(*tir.StringImm); ok {
				shapes[a.Node.(*tir.Var).Name+" "+a.Key] = text.Value
			}
		}
		return s
	}, nil)
	for key, text := range map[string]string{
		"a_data fragment_shape": "16, 16, 16", "a_data fragment_layout": "row_major", "b_data fragment_layout": "col_major",
		"c_data fragment_shape": "16, 16, 16", "c_data fragment_layout": "row_major",
	} {
		if shapes[key] != text {
			t.Errorf("%s is %q, want %q", key, shapes[key], text)
		}
	}
}
