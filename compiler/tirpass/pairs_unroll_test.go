package tirpass_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

// unrolling sets the fields of the option of UnrollLoop, given as names and values.
func unrolling(fields ...any) []pass.ContextOption {
	m := map[string]any{}
	for i := 0; i < len(fields); i += 2 {
		m[fields[i].(string)] = fields[i+1]
	}
	return config("tir.UnrollLoop", m)
}

// TestUnrollPairs unrolls loops by their marks and by what the option allows.
func TestUnrollPairs(t *testing.T) {
	const two = `
    for i in range(2):
        B[i] = A[i]
        A[i] = 3`
	const twoUnrolled = `
    B[0] = A[0]
    A[0] = 3
    B[1] = A[1]
    A[1] = 3`
	const twoMarked = `
    for i in T.unroll(2):
        B[i] = A[i]
        A[i] = 3`
	const nest = `
    for i in range(3):
        for j in range(2):
            B[i] = B[i] + A[j]`
	const innerUnrolled = `
    for i in range(3):
        B[i] = B[i] + A[0]
        B[i] = B[i] + A[1]`
	const nestUnrolled = `
    B[0] = B[0] + A[0]
    B[0] = B[0] + A[1]
    B[1] = B[1] + A[0]
    B[1] = B[1] + A[1]
    B[2] = B[2] + A[0]
    B[2] = B[2] + A[1]`
	checkPairs(t, tirpass.UnrollLoop, `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):`, []pair{
		{name: "start of the loop", before: `
    for i in T.unroll(3, 5):
        B[i] = A[i]`, after: `
    B[3] = A[3]
    B[4] = A[4]`},
		{name: "no step", before: `
    B[0] = 1
    for i in T.unroll(0):
        B[i] = A[i]`, after: `
    B[0] = 1
    T.evaluate(0)`},
		{name: "no constant extent", before: `
    for o in range(4):
        for i in T.unroll(o):
            B[i] = A[i]`, after: `
    for o in range(4):
        for i in range(o):
            B[i] = A[i]`},
		{name: "a step is left", before: `
    for i in T.unroll(0, 8, step=2):
        B[i] = A[i]`, after: `
    for i in T.serial(0, 8, step=2):
        B[i] = A[i]`},
		{name: "a step of one", before: `
    for i in T.unroll(0, 2, step=1):
        B[i] = A[i]`, after: `
    B[0] = A[0]
    B[1] = A[1]`},
		{name: "no automatic unrolling", before: two},
		{name: "no automatic unrolling of one step", before: `
    for i in range(1):
        B[i] = A[i]`},
		{name: "eight loops are not too deep", before: nestOf("T.serial(2)", 8), after: nestOf("T.unroll(2)", 8), opts: unrolling("auto_max_step", 1000, "explicit_unroll", false)},
		{name: "the ninth is the last", before: nestOf("T.serial(2)", 10), after: "\n    for v9 in range(2):" + indented(nestOf("T.unroll(2)", 9)), opts: unrolling("auto_max_step", 2000, "explicit_unroll", false), again: true},
		{name: "as many steps as allowed", before: two, after: twoUnrolled, opts: unrolling("auto_max_step", 4)},
		{name: "more steps than allowed", before: two, opts: unrolling("auto_max_step", 3)},
		{name: "as many iterations as allowed", before: two, after: twoUnrolled, opts: unrolling("auto_max_extent", 2)},
		{name: "more iterations than allowed", before: two, opts: unrolling("auto_max_extent", 1)},
		{name: "written as a mark", before: two, after: twoMarked, opts: unrolling("auto_max_step", 4, "explicit_unroll", false)},
		{name: "the nest has as many steps as allowed", before: nest, after: nestUnrolled, opts: unrolling("auto_max_step", 6)},
		{name: "only the inner loop has few steps", before: nest, after: innerUnrolled, opts: unrolling("auto_max_step", 5)},
		{name: "depth allows one loop", before: nest, after: innerUnrolled, opts: unrolling("auto_max_step", 6, "auto_max_depth", 0), again: true},
		{name: "depth allows two loops", before: nest, after: nestUnrolled, opts: unrolling("auto_max_step", 6, "auto_max_depth", 1)},
		{name: "a loop that stays keeps those around it", before: `
    for i in range(2):
        for j in range(A[0]):
            B[i] = B[i] + j`, opts: unrolling("auto_max_step", 100), unrun: true},
		{name: "depths of marks add up", before: nest, after: `
    for i in T.unroll(3):
        for j in T.unroll(2):
            B[i] = B[i] + A[j]`, opts: unrolling("auto_max_step", 6, "auto_max_depth", 1, "explicit_unroll", false)},
		{name: "depths of marks are too many", before: nest, after: `
    for i in range(3):
        for j in T.unroll(2):
            B[i] = B[i] + A[j]`, opts: unrolling("auto_max_step", 6, "auto_max_depth", 0, "explicit_unroll", false)},
		{name: "the deepest of several loops counts", before: `
    for i in range(2):
        B[i] = 1
        for j in range(2):
            for k in range(2):
                B[i] = B[j] + A[k]
        for j in range(2):
            A[i] = A[j]`, after: `
    for i in range(2):
        B[i] = 1
        B[i] = B[0] + A[0]
        B[i] = B[0] + A[1]
        B[i] = B[1] + A[0]
        B[i] = B[1] + A[1]
        A[i] = A[0]
        A[i] = A[1]`, opts: unrolling("auto_max_step", 100, "auto_max_depth", 1), again: true},
		{name: "evaluations are steps", before: `
    for i in range(2):
        T.evaluate(A[i])
        T.evaluate(A[i + 1])`, opts: unrolling("auto_max_step", 3)},
		{name: "what does nothing is no step", before: `
    B[0] = 1
    for i in range(2):
        T.evaluate(0)
        for j in T.unroll(2):
            T.evaluate(0)`, after: `
    B[0] = 1
    T.evaluate(0)
    T.evaluate(0)
    T.evaluate(0)
    T.evaluate(0)`, opts: unrolling("auto_max_step", 4)},
		{name: "parallel loops stay", before: `
    for i in T.parallel(2):
        B[i] = A[i]`, opts: unrolling("auto_max_step", 4)},
		{name: "annotated loops stay", before: `
    for i in T.serial(2, annotations={"key": 1}):
        B[i] = A[i]`, opts: unrolling("auto_max_step", 4)},
		{name: "one iteration of any kind", before: `
    for i in T.parallel(1):
        for j in range(4):
            for k in T.serial(1, annotations={"key": 1}):
                B[j] = A[k]`, after: `
    for j in range(4):
        B[j] = A[0]`, opts: unrolling("auto_max_extent", 1)},
		{name: "no iteration of any kind", before: `
    B[1] = 1
    for i in T.parallel(0):
        B[i] = A[i]`, after: `
    B[1] = 1
    T.evaluate(0)`, opts: unrolling("auto_max_extent", 1)},
		{name: "one iteration where two are allowed", before: `
    for i in T.parallel(1):
        B[i] = A[i]`, opts: unrolling("auto_max_extent", 2)},
		{name: "two iterations where one is allowed", before: `
    for i in T.parallel(2):
        B[i] = A[i]`, opts: unrolling("auto_max_extent", 1)},
		{name: "a pragma allows steps in its place only", before: `
    with T.attr(0, "pragma_auto_unroll_max_step", 4):
        for i in range(2):
            B[i] = A[i]
            A[i] = 3
    for i in range(2):
        B[i] = A[i]`, after: twoUnrolled + `
    for i in range(2):
        B[i] = A[i]`},
		{name: "a pragma forbids steps", before: `
    with T.attr(0, "pragma_auto_unroll_max_step", 0):
        for i in range(2):
            B[i] = A[i]
            A[i] = 3`, after: two, opts: unrolling("auto_max_step", 100), again: true},
		{name: "a pragma keeps marks", before: `
    with T.attr(0, "pragma_unroll_explicit", 0):
        for i in T.unroll(2):
            B[i] = A[i]
            A[i] = 3`, after: twoMarked, again: true},
		{name: "a pragma unrolls marks", before: `
    with T.attr(0, "pragma_unroll_explicit", 1):
        for i in T.unroll(2):
            B[i] = A[i]
            A[i] = 3`, after: twoUnrolled, opts: unrolling("explicit_unroll", false)},
		{name: "another attribute stays", before: `
    with T.attr(0, "key", 4):
        for i in T.unroll(2):
            B[i] = A[i]
            A[i] = 3`, after: `
    with T.attr(0, "key", 4):` + indented(twoUnrolled)},
		{name: "more copies than anyone wants", before: `
    for i in T.unroll(2):
        for j in range(4095):
            B[i] = A[i]
    for i in T.unroll(4097):
        T.evaluate(0)`, after: `
    for j in range(4095):
        B[0] = A[0]
    for j in range(4095):
        B[1] = A[1]
    for i in range(4097):
        T.evaluate(0)`},
	})
}

// nestOf is a nest of loops, the innermost over v0.
func nestOf(kind string, depth int) string {
	s := "\n    B[0] = B[0] + 1"
	for i := range depth {
		s = fmt.Sprintf("\n    for v%d in %s:", i, kind) + indented(s)
	}
	return s
}

// TestUnrollLocalAccess unrolls loops whose variables index memory that becomes registers.
func TestUnrollLocalAccess(t *testing.T) {
	on := unrolling("unroll_local_access", true)
	body := func(scope string) string {
		return `
    C = T.decl_buffer((8,), "int32", scope="` + scope + `")
    for i in range(2):
        C[i] = A[i]
    for i in range(2):
        B[i] = C[i]
    for i in range(2):
        A[i] = C[1]`
	}
	unrolled := func(scope string) string {
		return `
    C = T.decl_buffer((8,), "int32", scope="` + scope + `")
    C[0] = A[0]
    C[1] = A[1]
    B[0] = C[0]
    B[1] = C[1]
    for i in range(2):
        A[i] = C[1]`
	}
	checkPairs(t, tirpass.UnrollLoop, `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):`, []pair{
		{name: "local", before: body("local"), after: unrolled("local"), opts: on},
		{name: "warp", before: body("warp"), after: unrolled("warp"), opts: on},
		{name: "shared", before: body("shared"), opts: on},
		{name: "global", before: body("global"), opts: on},
		{name: "not asked for", before: body("local")},
		{name: "of no step", before: `
    C = T.decl_buffer((8,), "int32", scope="local")
    C[0] = 1
    for i in range(0):
        C[i] = A[i]
    B[0] = C[0]`, after: `
    C = T.decl_buffer((8,), "int32", scope="local")
    C[0] = 1
    T.evaluate(0)
    B[0] = C[0]`, opts: on},
		{name: "of no step around a loop that stays", before: `
    C = T.decl_buffer((8,), "int32", scope="local")
    C[0] = 1
    for i in range(0):
        for j in range(C[0]):
            C[i] = A[i]
    B[0] = C[0]`, opts: on},
		{name: "of too many copies", before: `
    C = T.decl_buffer((4097,), "int32", scope="local")
    for i in range(4097):
        C[i] = 1
    for i in range(4096 // 2048):
        C[i] = 2
        B[i] = C[i]`, after: `
    C = T.decl_buffer((4097,), "int32", scope="local")
    for i in range(4097):
        C[i] = 1
    C[0] = 2
    B[0] = C[0]
    C[1] = 2
    B[1] = C[1]`, opts: on},
		{name: "threads stay", before: `
    C = T.decl_buffer((8,), "int32", scope="local")
    for i in T.thread_binding(2, thread="threadIdx.x"):
        C[i] = A[i]
        B[i] = C[i]`, opts: on, unrun: true},
	})
}
