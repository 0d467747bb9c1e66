package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestRandomAssumptions drops alternatives by what is assumed of the padding of an input, which indeed holds the assumed value.
func TestRandomAssumptions(t *testing.T) {
	changed, ran := 0, 0
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		rows, cols := 1+r.IntN(5), 2+r.IntN(9)
		pad, value := r.IntN(cols), r.IntN(3)
		padded := []struct {
			text string
			in   func(i, j int) bool
		}{
			{fmt.Sprintf("%d <= $j", pad), func(_, j int) bool { return pad <= j }},
			{fmt.Sprintf("$j == %d", pad), func(_, j int) bool { return j == pad }},
			{fmt.Sprintf("$i == 0 or %d <= $j", pad), func(i, j int) bool { return i == 0 || pad <= j }},
		}[r.IntN(3)]
		computed := []string{"A[$i, $j] * 3", "A[$i, $j] + B[$i, $j] * 0", "A[$i, $j] * B[$i, $j]", "T.max(A[$i, $j], 0)", "A[$i, $j] - 1", fmt.Sprintf("A[$i, %d - $j]", cols-1), "B[$i, $j]"}[r.IntN(7)]
		store := fmt.Sprintf("T.if_then_else(%s, %d, %s)", padded.text, r.IntN(3), computed)
		if r.IntN(3) == 0 {
			store = fmt.Sprintf("T.if_then_else(not (%s), %s, %d)", padded.text, computed, r.IntN(3))
		}
		assume := fmt.Sprintf("T.evaluate(T.assume(not (%s) or A[$i, $j] == %d))", padded.text, value)
		between := []string{"", "", fmt.Sprintf("\n    A[0, %d] = 5", r.IntN(cols))}[r.IntN(3)]
		first, second := "\n        "+assume, "\n        C[$i, $j] = "+store
		names := strings.NewReplacer("$i", "i", "$j", "j")
		if r.IntN(2) == 0 {
			names, between = strings.NewReplacer("$i", "vi", "$j", "vj"), ""
			block := "\n        with T.block(%q):\n            vi, vj = T.axis.remap(\"SS\", [i, j])\n            T.reads(A[vi, 0:%[2]d], B[vi, 0:%[2]d])\n            T.writes(%[3]s)\n            "
			first, second = fmt.Sprintf(block, "assume", cols, "")+assume, fmt.Sprintf(block, "compute", cols, "C[vi, vj]")+"C[vi, vj] = "+store
		}
		loops := fmt.Sprintf("\n    for i, j in T.grid(%d, %d):", rows, cols)
		f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), "int32"), B: T.Buffer((%[1]d, %[2]d), "int32"), C: T.Buffer((%[1]d, %[2]d), "int32")):
    T.func_attr({"op_pattern": %[3]d})%[4]s`, rows, cols, r.IntN(3), loops+names.Replace(first)+between+loops+names.Replace(second)))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		a := args[0].(*tensor.Tensor)
		for i := range rows {
			for j := range cols {
				if padded.in(i, j) {
					a.SetInt(i*cols+j, int64(value))
				}
			}
		}
		want := mustRun(t, f, args)
		g := apply(t, passtest.NewContext(), tirpass.UseAssumeToReduceBranches, f)
		if ran++; g != f {
			changed++
		}
		sameMeaning(t, tirpass.UseAssumeToReduceBranches, f, g, args, want)
	})
	t.Logf("%d of %d changed", changed, ran)
	if ran > 50 && changed < ran/25 { // some 17 do, by chance fewer
		t.Errorf("only %d of %d programs changed", changed, ran)
	}
}

// TestAssumptionRefusals checks where both alternatives stay.
func TestAssumptionRefusals(t *testing.T) {
	program := func(attrs, assume, between, store string) string {
		return `
    T.func_attr(` + attrs + `)
    for i in range(16):
        T.evaluate(T.assume(` + assume + `))` + between + `
    for i in range(16):
        B[i] = ` + store
	}
	const yes, store = `{"op_pattern": 0}`, "T.if_then_else(14 <= i, 0, A[i] * 3)"
	checkPairs(t, tirpass.UseAssumeToReduceBranches, `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), F: T.Buffer((16,), "float32"), G: T.Buffer((16,), "float32"), P: T.Buffer((2, 4, 4, 2, 8, 8, 2), "uint8"), Q: T.Buffer((2, 4, 4, 2, 8, 8, 2), "uint8"), R_: T.Buffer((2, 4, 4, 2, 8, 8, 2), "uint8")):`, []pair{
		{name: "taken", before: program(yes, "i < 14 or A[i] == 0", "", store), after: program(yes, "i < 14 or A[i] == 0", "", "A[i] * 3"), unrun: true},
		{name: "the other side", before: program(yes, "i < 14 or A[i] == 0", "", "T.if_then_else(i < 14, A[i] * 3, 0)"), after: program(yes, "i < 14 or A[i] == 0", "", "A[i] * 3"), unrun: true},
		{name: "blocks in many dimensions", before: padded("T.if_then_else(%s, T.uint8(0), P[%s] * Q[%s])"), after: padded("P[%.0[1]s%[2]s] * Q[%[3]s]"), unrun: true},
		{name: "no pattern", before: program("{}", "i < 14 or A[i] == 0", "", store), unrun: true},
		{name: "a reduction", before: program(`{"op_pattern": 3}`, "i < 14 or A[i] == 0", "", store), unrun: true},
		{name: "less is assumed", before: program(yes, "i < 15 or A[i] == 0", "", store), unrun: true},
		{name: "another value", before: program(yes, "i < 14 or A[i] == 1", "", store), unrun: true},
		{name: "overwritten", before: program(yes, "i < 14 or A[i] == 0", "\n    A[15] = 7", store), unrun: true},
		{name: "out of bounds", before: program(yes, "i < 14 or A[i] == 0", "", "T.if_then_else(14 <= i, 0, A[i] * A[i + 2])"), unrun: true},
		{name: "divides", before: program(yes, "i < 14 or A[i] == 0", "", "T.if_then_else(14 <= i, 0, A[i] // B[i])"), unrun: true},
		{name: "floats", before: program(yes, "i < 14 or F[i] == T.float32(0)", "", "i") + `
        G[i] = T.if_then_else(14 <= i, T.float32(0), F[i] * T.float32(3))`, unrun: true},
	})
}

// padded is a kernel in seven dimensions, whose inputs are 0 in the padding of two.
func padded(value string) string {
	const cond, at = "v1 == 3 and 4 <= v4 or v2 == 3 and 4 <= v5", "v0, v1, v2, v3, v4, v5, v6"
	const block = `
    for a, b, c, d, e, f, g in T.grid(2, 4, 4, 2, 8, 8, 2):
        with T.block("%s"):
            v0, v1, v2, v3, v4, v5, v6 = T.axis.remap("SSSSSSS", [a, b, c, d, e, f, g])
            T.reads(P[%[2]s], Q[%[2]s])
            T.writes(R_[%[2]s])
            %[3]s`
	assume := func(b string) string {
		return fmt.Sprintf(block, "assume_"+b, at, fmt.Sprintf("T.evaluate(T.assume(not (%s) or %s[%s] == T.uint8(0)))", cond, b, at))
	}
	return `
    T.func_attr({"op_pattern": 0})` + assume("P") + assume("Q") + fmt.Sprintf(block, "compute", at, "R_["+at+"] = "+fmt.Sprintf(value, cond, at, at))
}
