package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

const overHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((1,), "int32")):`

var overFlow = []pass.ContextOption{pass.Configure(map[string]any{"tir.ReduceBranchingThroughOvercompute": map[string]any{"use_dataflow_analysis": true}})}

// TestReduceBranchingPairs drops branches where one side does for both.
func TestReduceBranchingPairs(t *testing.T) {
	checkPairs(t, tirpass.ReduceBranchingThroughOvercompute, overHeader, []pair{
		{name: "nothing more", before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
            T.evaluate(0)
        else:
            A[i] = 1`, after: `
    for i in range(16):
        A[i] = 1
        T.evaluate(0)`},
		{name: "the sum of zero", opts: overFlow, before: `
    for i in range(16):
        if i > 0:
            B[0] = B[0] + i * i`, after: `
    for i in range(16):
        B[0] = B[0] + i * i`},
		{name: "a zero that is known", opts: overFlow, unrun: true, before: `
    for i in range(16):
        T.evaluate(T.assume(i < 14 or A[i] == 0))
    B[0] = 0
    for i in range(16):
        if i < 14:
            B[0] = B[0] + A[i]`, after: `
    for i in range(16):
        T.evaluate(T.assume(i < 14 or A[i] == 0))
    B[0] = 0
    for i in range(16):
        B[0] = B[0] + A[i]`},
		{name: "what two loops overwrite, with one index", opts: overFlow, before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
    for io, ii in T.grid(4, 4):
        if io == 3 and ii >= 2:
            A[4 * io + ii] = 2`, after: `
    for i in range(16):
        A[i] = 1
    for io, ii in T.grid(4, 4):
        if io == 3 and ii >= 2:
            A[4 * io + ii] = 2`},
		{name: "less than all of it", opts: overFlow, before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
    for io, ii in T.grid(4, 4):
        if io == 3 and ii >= 3:
            A[4 * io + ii] = 2`},
		{name: "what is overwritten", opts: overFlow, before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
    for i in range(16):
        if i >= 14:
            A[i] = 2`, after: `
    for i in range(16):
        A[i] = 1
    for i in range(16):
        if i >= 14:
            A[i] = 2`},
		{name: "without following buffers", before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
    for i in range(16):
        if i >= 14:
            A[i] = 2`},
		{name: "read later", opts: overFlow, before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
    for i in range(16):
        if i >= 14:
            A[i] = A[i] + 1`},
		{name: "out of bounds", opts: overFlow, before: `
    for i in range(20):
        if i < 16:
            A[i] = A[i] * 1`},
		{name: "a division by zero", opts: overFlow, before: `
    for i in range(16):
        if i != 0:
            B[0] = B[0] + (5 // i - 5 // i)`},
		{name: "threads", opts: overFlow, unrun: true, before: `
    x = T.launch_thread("threadIdx.x", 16)
    if x > 0:
        B[0] = B[0] + (x - x)`},
		{name: "another store between", opts: overFlow, before: `
    A[0] = 0
    B[0] = 3
    for i in range(1):
        if i < 1:
            A[0] = 5
        else:
            A[0] = 5
            A[0] = 0`},
		{name: "what the store changes is read beside it", opts: overFlow, before: `
    for i in range(16):
        if i < 14:
            A[i] = 1
            B[0] = A[i]
        else:
            B[0] = A[i]
    for i in range(16):
        A[i] = 2`},
	})
}

// overText writes loops with branches, over elements that later loops may write again.
func overText(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("@T.prim_func\ndef kernel(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):\n")
	at := func() string { return []string{"i", "i", "15 - i", "i // 2", "0"}[r.IntN(5)] }
	value := func() string {
		return []string{"1", "0", "A[" + at() + "]", "B[" + at() + "]", "i", "A[i] + i * i", "B[0] + A[i]"}[r.IntN(7)]
	}
	buffer := func() string { return []string{"A", "B"}[r.IntN(2)] }
	store := func(in string) {
		if r.IntN(4) == 0 {
			x, i := buffer(), at()
			fmt.Fprintf(&b, "%s%s[%s] = %s[%s] + %s\n", in, x, i, x, i, value())
			return
		}
		fmt.Fprintf(&b, "%s%s[%s] = %s\n", in, buffer(), at(), value())
	}
	cond := func() string {
		return fmt.Sprintf("i %s %d", []string{"<", ">=", "==", "!=", ">"}[r.IntN(5)], []int{0, 1, 8, 14, 15}[r.IntN(5)])
	}
	for range 1 + r.IntN(4) {
		fmt.Fprintf(&b, "    for i in range(%d):\n", []int{16, 16, 8, 1}[r.IntN(4)])
		switch r.IntN(5) {
		case 0:
			store("        ")
		default:
			fmt.Fprintf(&b, "        if %s:\n", cond())
			for range 1 + r.IntN(2) {
				store("            ")
			}
			if r.IntN(3) == 0 {
				b.WriteString("        else:\n")
				store("            ")
			}
			if r.IntN(3) == 0 {
				store("        ")
			}
		}
	}
	return b.String()
}

// TestReduceBranchingKeepsMeaning runs random loops with branches before and after the pass, some of which change.
func TestReduceBranchingKeepsMeaning(t *testing.T) {
	ran, changed := 0, 0
	seed.Each(t, 300, func(t *testing.T, r *rand.Rand) {
		f := parseFunc(t, overText(r))
		args := tirtest.Arguments(f, r.Uint64())
		want := mustRun(t, f, args)
		c := passtest.NewContext()
		if r.IntN(4) > 0 {
			c = passtest.NewContext(overFlow...)
		}
		out, err := c.Run(tirpass.ReduceBranchingThroughOvercompute, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		g := funcOf(out)
		wellFormed(t, "ReduceBranchingThroughOvercompute", g)
		sameMeaning(t, tirpass.ReduceBranchingThroughOvercompute, f, g, args, want)
		if ran++; g != f {
			changed++
		}
	})
	if ran > 50 && changed < ran/30 {
		t.Errorf("only %d of %d programs changed", changed, ran)
	}
}
