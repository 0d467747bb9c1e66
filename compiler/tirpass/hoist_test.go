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

const hoistHeader = `@T.prim_func
def kernel(A: T.Buffer((16, 16), "float32"), n: T.int32):`

// hoists sets what HoistExpression moves.
func hoists(conditions, lets int) []pass.ContextOption {
	return []pass.ContextOption{pass.Configure(map[string]any{"tir.HoistExpression": map[string]any{"hoisted_conditionals": conditions, "hoisted_let_bindings": lets}})}
}

// TestHoistExpressionPairs moves what the fields of the option say, as far as it may.
func TestHoistExpressionPairs(t *testing.T) {
	const all, noBlock, noBool, noExpr = 15, 7, 11, 13
	top := `
    for i in range(16):
        if n != 0:
            A[i, 0] = T.float32(0)`
	launch := `
    x = T.launch_thread("threadIdx.x", 16)
    for i in T.thread_binding(16, "threadIdx.y"):
        for j in range(16):
            if n == 0:
                A[i, j] = T.float32(0)`
	both := `
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if j < 3 and i < 2:
                    A[i, j] = T.float32(1)`
	expr := `
    for i in range(4):
        for j in range(4):
            A[i, j] = T.if_then_else(i < 2, T.float32(1), T.float32(2))`
	letExpr := `
    for i in range(4):
        for j in range(4):
            x = T.float32()
            A[i, j] = T.Let(T.float32(5) * x + T.Cast("float32", j), where={x: T.Cast("float32", i + 1)})`
	checkPairs(t, tirpass.HoistExpression, hoistHeader, []pair{
		{name: "to the top", opts: hoists(1, 7), before: top, after: `
    if n != 0:
        for i in range(16):
            A[i, 0] = T.float32(0)`},
		{name: "nothing", opts: hoists(0, 7), before: top},
		{name: "of expressions only", opts: hoists(2, 7), before: top},
		{name: "by default", before: expr, after: `
    for i in range(4):
        if i < 2:
            for j in range(4):
                A[i, j] = T.float32(1)
        else:
            for j in range(4):
                A[i, j] = T.float32(2)`},
		{name: "not of expressions", opts: hoists(noExpr, 7), before: expr},
		{name: "a thread", opts: hoists(all, 7), unrun: true, before: `
    i = T.launch_thread("threadIdx.x", 16)
    for j in range(16):
        if i < 8:
            A[i, j] = T.float32(0)`, after: `
    i = T.launch_thread("threadIdx.x", 16)
    if i < 8:
        for j in range(16):
            A[i, j] = T.float32(0)`},
		{name: "not a thread", opts: hoists(noBlock, 7), unrun: true, before: `
    i = T.launch_thread("threadIdx.x", 16)
    for j in range(16):
        if i < 8:
            A[i, j] = T.float32(0)`},
		{name: "over a launch", opts: hoists(all, 7), unrun: true, before: launch, after: `
    if n == 0:
        x = T.launch_thread("threadIdx.x", 16)
        for i in T.thread_binding(16, "threadIdx.y"):
            for j in range(16):
                A[i, j] = T.float32(0)`},
		{name: "up to a launch", opts: hoists(noBlock, 7), unrun: true, before: launch, after: `
    x = T.launch_thread("threadIdx.x", 16)
    if n == 0:
        for i in T.thread_binding(16, "threadIdx.y"):
            for j in range(16):
                A[i, j] = T.float32(0)`},
		{name: "with a let", opts: hoists(all, 7), before: `
    for i in range(4):
        for j in range(4):
            c: T.bool = i < 3
            if c:
                A[i, j] = T.float32(0)`, after: `
    for i in range(4):
        c: T.bool = i < 3
        if c:
            for j in range(4):
                A[i, j] = T.float32(0)`},
		{name: "without a let", opts: hoists(all, 0), before: `
    for i in range(4):
        for j in range(4):
            c: T.bool = i < 3
            if c:
                A[i, j] = T.float32(0)`},
		{name: "a condition of two", opts: hoists(all, 7), before: both, after: `
    for i in range(4):
        if i < 2:
            for j in range(4):
                if j < 3:
                    for k in range(4):
                        A[i, j] = T.float32(1)`},
		{name: "not split", opts: hoists(noBool, 7), before: both, after: `
    for i in range(4):
        for j in range(4):
            if j < 3 and i < 2:
                for k in range(4):
                    A[i, j] = T.float32(1)`},
		{name: "two branches of other conditions", opts: hoists(all, 7), before: `
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if j < 3:
                    if i < 2:
                        A[i, j] = T.float32(0)
                    else:
                        A[i, j] = T.float32(1)
                else:
                    if i < 1:
                        A[i, j] = T.float32(2)
                    else:
                        A[i, j] = T.float32(3)`, after: `
    for i in range(4):
        if i < 2:
            if i < 1:
                for j in range(4):
                    if j < 3:
                        for k in range(4):
                            A[i, j] = T.float32(0)
                    else:
                        for k in range(4):
                            A[i, j] = T.float32(2)
            else:
                for j in range(4):
                    if j < 3:
                        for k in range(4):
                            A[i, j] = T.float32(0)
                    else:
                        for k in range(4):
                            A[i, j] = T.float32(3)
        else:
            for j in range(4):
                if j < 3:
                    for k in range(4):
                        A[i, j] = T.float32(1)
                else:
                    for k in range(4):
                        A[i, j] = T.float32(3)`},
		{name: "a let of an expression", opts: hoists(all, 7), before: letExpr, after: `
    for i in range(4):
        x: T.float32 = T.Cast("float32", i + 1)
        for j in range(4):
            A[i, j] = T.float32(5) * x + T.Cast("float32", j)`},
		{name: "no let of an expression", opts: hoists(all, 3), before: letExpr},
		{name: "a condition that may fail", opts: hoists(all, 7), before: `
    for i in range(4):
        if n != 0:
            for j in range(4):
                if i // n == 0:
                    A[i, j] = T.float32(1)`, after: `
    if n != 0:
        for i in range(4):
            for j in range(4):
                if i // n == 0:
                    A[i, j] = T.float32(1)`},
		{name: "a let of what is read", opts: hoists(all, 7), before: `
    for i in range(4):
        for j in range(4):
            v: T.float32 = A[0, 0]
            A[0, 0] = v + T.float32(1)`},
	})
}

// TestHoistingKeepsOtherBranch moves the condition of a branch that stands in another branch, which has a second side.
func TestHoistingKeepsOtherBranch(t *testing.T) {
	f := parseFunc(t, hoistHeader+`
    for i in range(4):
        for j in range(4):
            if j < 2:
                if i < 3:
                    A[i, j] = T.float32(1)
            else:
                A[i, j] = T.float32(2)`)
	out, err := passtest.NewContext().Run(tirpass.HoistIfThenElse, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	want := parseFunc(t, hoistHeader+`
    for i in range(4):
        if i < 3:
            for j in range(4):
                if j < 2:
                    A[i, j] = T.float32(1)
                else:
                    A[i, j] = T.float32(2)
        else:
            for j in range(4):
                if not j < 2:
                    A[i, j] = T.float32(2)`)
	g, args := funcOf(out), tirtest.Arguments(f, 1)
	if scriptOf(g) != scriptOf(want) {
		t.Errorf("got\n%s", print(g))
	}
	sameMeaning(t, tirpass.HoistIfThenElse, f, g, args, mustRun(t, f, args))
}

// TestHoistIfThenElsePairs moves branches only, as TVM's cases for them do.
func TestHoistIfThenElsePairs(t *testing.T) {
	threaded := pass.Configure(map[string]any{"tir.HoistIfThenElse": map[string]any{"support_block_scope_hoisting": true}})
	thread := `
    x = T.launch_thread("threadIdx.x", 16)
    for i in range(4):
        for j in range(4):
            if x + i < 3:
                A[x, j] = T.float32(1)
            else:
                A[x, j] = T.float32(2)`
	list := []pair{
		{name: "a likely condition", before: `
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if T.likely(i < 2):
                    A[i, j] = T.float32(1)
                else:
                    A[i, j] = T.float32(2)`, after: `
    for i in range(4):
        if T.likely(i < 2):
            for j in range(4):
                for k in range(4):
                    A[i, j] = T.float32(1)
        else:
            for j in range(4):
                for k in range(4):
                    A[i, j] = T.float32(2)`},
		{name: "up to another statement", before: `
    for i in range(4):
        for j in range(4):
            A[i, j] = A[i, j] + T.float32(1)
            for k in range(4):
                if i < 2:
                    A[i, k] = T.float32(1)`, after: `
    for i in range(4):
        for j in range(4):
            A[i, j] = A[i, j] + T.float32(1)
            if i < 2:
                for k in range(4):
                    A[i, k] = T.float32(1)`},
		{name: "two, to two places", before: `
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if 2 <= i:
                    if 2 <= j:
                        A[i, j] = A[i, j] + T.float32(1)`, after: `
    for i in range(4):
        if 2 <= i:
            for j in range(4):
                if 2 <= j:
                    for k in range(4):
                        A[i, j] = A[i, j] + T.float32(1)`},
		{name: "no operand of a condition, none of an expression", before: `
    for i in range(4):
        for j in range(4):
            if i < 2 and j < 2:
                A[i, j] = T.if_then_else(i < 1, T.float32(1), T.float32(2))`},
		{name: "the innermost loop", before: `
    for i in range(4):
        for j in range(4):
            if j < 2:
                A[i, j] = T.float32(1)`},
		{name: "beside another statement", before: `
    for i in range(4):
        for j in range(4):
            if i < 2:
                A[i, j] = A[i, j] + T.float32(1)
            A[i, j] = A[i, j] + T.float32(2)`},
		{name: "a thread", before: thread, unrun: true},
		{name: "a thread, if asked to", opts: []pass.ContextOption{threaded}, before: thread, unrun: true, after: `
    x = T.launch_thread("threadIdx.x", 16)
    for i in range(4):
        if x + i < 3:
            for j in range(4):
                A[x, j] = T.float32(1)
        else:
            for j in range(4):
                A[x, j] = T.float32(2)`},
		{name: "expressions, by an attribute", unrun: true, before: `
    T.func_attr({"tir.HoistIfThenElseExprWithBlock": 1})
    x = T.launch_thread("threadIdx.x", 16)
    for i in range(4):
        A[x, i] = T.if_then_else(x < 3, T.float32(1), T.float32(2))`, after: `
    T.func_attr({"tir.HoistIfThenElseExprWithBlock": 1})
    x = T.launch_thread("threadIdx.x", 16)
    if x < 3:
        for i in range(4):
            A[x, i] = T.float32(1)
    else:
        for i in range(4):
            A[x, i] = T.float32(2)`},
	}
	checkPairs(t, tirpass.HoistIfThenElse, hoistHeader, list)
	checkPairs(t, tirpass.HoistIfThenElseBasic, hoistHeader, list[:7])
	basic := passWith(t, tirpass.HoistIfThenElse, "variant", "basic")
	f := parseFunc(t, hoistHeader+list[7].before)
	if g := apply(t, passtest.NewContext(threaded), basic, f); scriptOf(g) != scriptOf(f) {
		t.Errorf("the basic variant moved a condition over threads:\n%s", print(g))
	}
}

// hoistText writes random loops with conditions and lets, some of which depend on no loop or only on outer ones.
func hoistText(r *rand.Rand) string {
	var b strings.Builder
	lets := 0
	var vars []string
	value := func() string {
		v := append([]string{"n", "m", fmt.Sprint(r.IntN(4))}, vars...)
		return fmt.Sprintf("%s + %s", v[r.IntN(len(v))], v[r.IntN(len(v))])
	}
	cond := func() string {
		c := fmt.Sprintf("%s < %d", value(), r.IntN(6))
		switch r.IntN(4) {
		case 0:
			c += fmt.Sprintf(" and %s > %d", value(), r.IntN(4))
		case 1:
			c += fmt.Sprintf(" or %s == %d", value(), r.IntN(4))
		}
		return c
	}
	var stmt func(depth int, in string)
	store := func(in string) {
		at := fmt.Sprintf("(%s) %% 16, (%s) %% 16", value(), value())
		switch r.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "%sA[%s] = A[%s] + T.if_then_else(%s, T.float32(1), T.float32(%d))\n", in, at, at, cond(), r.IntN(5))
		case 1:
			lets++
			fmt.Fprintf(&b, "%sx%d = T.int32()\n%sA[%s] = A[%s] + T.Cast(\"float32\", T.Let(x%d * 2 + 1, where={x%d: %s}))\n", in, lets, in, at, at, lets, lets, value())
		default:
			fmt.Fprintf(&b, "%sA[%s] = A[%s] * T.float32(2) + T.float32(1)\n", in, at, at)
		}
	}
	stmt = func(depth int, in string) {
		if depth == 0 {
			store(in)
			return
		}
		was := vars
		switch k := r.IntN(10); {
		case k < 4:
			v := fmt.Sprintf("i%d_%d", depth, len(vars))
			fmt.Fprintf(&b, "%sfor %s in range(%d):\n", in, v, r.IntN(4))
			vars = append(vars[:len(vars):len(vars)], v)
			stmt(depth-1, in+"    ")
		case k < 7:
			fmt.Fprintf(&b, "%sif %s:\n", in, cond())
			stmt(depth-1, in+"    ")
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "%selse:\n", in)
				stmt(depth-1, in+"    ")
			}
		case k < 8:
			lets++
			from := value()
			if r.IntN(3) == 0 {
				from = "B[(" + value() + ") % 64] % 8"
			}
			fmt.Fprintf(&b, "%sv%d: T.int32 = %s\n", in, lets, from)
			vars = append(vars[:len(vars):len(vars)], fmt.Sprintf("v%d", lets))
			stmt(depth-1, in)
		default:
			stmt(depth-1, in)
			stmt(depth-1, in)
		}
		vars = was
	}
	b.WriteString("@T.prim_func\ndef kernel(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((64,), \"int32\"), n: T.int32, m: T.int32):\n")
	stmt(5, "    ")
	return b.String()
}

// TestHoistingKeepsMeaning runs random loops before and after the passes that move conditions and lets.
func TestHoistingKeepsMeaning(t *testing.T) {
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		f := parseFunc(t, hoistText(r))
		args := tirtest.Arguments(f, r.Uint64())
		want := mustRun(t, f, args)
		c := passtest.NewContext(hoists(r.IntN(16), r.IntN(8))...)
		for _, p := range []*pass.Pass{tirpass.HoistExpression, tirpass.HoistIfThenElse, tirpass.HoistIfThenElseBasic} {
			out, err := c.Run(p, moduleOf(f))
			if err != nil {
				t.Fatal(err)
			}
			g := funcOf(out)
			wellFormed(t, p.Name, g)
			sameMeaning(t, p, f, g, args, want)
		}
	})
}
