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

// weightMap is a layout of a matrix of rows by cols elements: its indices and extents, as text, and where an element goes in it.
type weightMap struct {
	index, shape string
	at           func(i, j int) int
	size         int
}

func weightMaps(rows, cols int) []weightMap {
	return []weightMap{
		{"vj, vi", fmt.Sprintf("%d, %d", cols, rows), func(i, j int) int { return j*rows + i }, rows * cols},
		{"vi * " + fmt.Sprint(cols) + " + vj", fmt.Sprint(rows * cols), func(i, j int) int { return i*cols + j }, rows * cols},
		{"vj // 4, vi, vj % 4", fmt.Sprintf("%d, %d, 4", (cols+3)/4, rows), func(i, j int) int { return (j/4*rows+i)*4 + j%4 }, (cols + 3) / 4 * rows * 4},
		{"vi % 2, vj, vi // 2 + 1", fmt.Sprintf("2, %d, %d", cols, rows/2+2), func(i, j int) int { return (i%2*cols+j)*(rows/2+2) + i/2 + 1 }, 2 * cols * (rows/2 + 2)},
	}
}

// weightProgram computes a product with a weight in another layout, which is a parameter or a constant.
func weightProgram(rows, cols int, m weightMap, params, before string) string {
	return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((3, %[1]d), "int32"), %[5]sC: T.Buffer((3, %[2]d), "int32")):
%[6]s    with T.block("root"):
        W_ = T.alloc_buffer((%[4]s,), "int32")
        for i, j in T.grid(%[1]d, %[2]d):
            with T.block("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"meta_schedule.layout_rewrite_preproc": 1})
                W_[%[3]s] = W[vi, vj]
        for i, j, k in T.grid(3, %[2]d, %[1]d):
            with T.block("C"):
                vr, vj, vi = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vr, vj] = 0
                C[vr, vj] = C[vr, vj] + A[vr, vi] * W_[%[3]s]
`, rows, cols, m.index, m.shape, params, before)
}

// TestRandomWeights takes weights in the layout in which they are used: constants here, parameters from the caller.
func TestRandomWeights(t *testing.T) {
	pick := func(r *rand.Rand) (rows, cols int, m weightMap) {
		rows, cols = 1+r.IntN(6), 1+r.IntN(9)
		maps := weightMaps(rows, cols)
		return rows, cols, maps[r.IntN(len(maps))]
	}
	keepsMeaning(t, 40, tirpass.RemoveWeightLayoutRewriteBlock, nil, func(r *rand.Rand) string {
		rows, cols, m := pick(r)
		var list []string
		for range rows * cols {
			list = append(list, fmt.Sprint(r.IntN(100)))
		}
		decl := []string{"T.Buffer", "T.decl_buffer"}[r.IntN(2)]
		return weightProgram(rows, cols, m, "", fmt.Sprintf("    W_data = T.allocate_const([%s], \"int32\", [%d])\n    W = %s((%d, %d), \"int32\", data=W_data)\n", strings.Join(list, ", "), rows*cols, decl, rows, cols))
	})
	seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
		rows, cols, m := pick(r)
		f := parseFunc(t, weightProgram(rows, cols, m, fmt.Sprintf("W: T.Buffer((%d, %d), \"int32\"), ", rows, cols), ""))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		want := mustRun(t, f, args)
		g := apply(t, passtest.NewContext(), tirpass.RemoveWeightLayoutRewriteBlock, f)
		w := args[1].(*tensor.Tensor)
		moved := tirtest.Arguments(g, 1)[1].(*tensor.Tensor)
		if moved.Len() != m.size {
			t.Fatalf("the weight has %d elements, want %d", moved.Len(), m.size)
		}
		for i := range rows {
			for j := range cols {
				moved.SetInt(m.at(i, j), w.Int(i*cols+j))
			}
		}
		got, err := tirtest.Run(g, []any{args[0], moved, args[2]}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := tirtest.Differ(got[2:], want[2:]); d != "" {
			t.Fatalf("%s\n%s", d, print(g))
		}
	})
}

// TestWeightRefusals checks what cannot be taken in another layout.
func TestWeightRefusals(t *testing.T) {
	program := func(domain, store, rest string) string {
		return `
    with T.block("root"):
        W_ = T.alloc_buffer((4, 4), "int32")
        V = T.alloc_buffer((4, 4), "int32")
        for i, j in T.grid(4, 4):
            with T.block("copy"):
                ` + domain + `
                T.block_attr({"meta_schedule.layout_rewrite_preproc": 1})
                ` + store + `
        for i, j in T.grid(4, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = ` + rest
	}
	all := `vi, vj = T.axis.remap("SS", [i, j])`
	checkPairs(t, tirpass.RemoveWeightLayoutRewriteBlock, `@T.prim_func
def kernel(W: T.Buffer((4, 4), "int32"), C: T.Buffer((4, 4), "int32")):`, []pair{
		{name: "used elsewhere", before: program(all, "W_[vj, vi] = W[vi, vj]", "W_[vi, vj] + W[0, 0]"), fails: "W is also used outside of this block"},
		{name: "neither parameter nor constant", before: program(all, "W_[vj, vi] = V[vi, vj]", "W_[vi, vj]"), fails: "V is neither a parameter nor a constant"},
		{name: "computes", before: program(all, "W_[vj, vi] = W[vi, vj] + 1", "W_[vi, vj]"), fails: "expected it to store an element of another buffer as it is"},
		{name: "not all", before: program("vi = T.axis.spatial(4, i)\n                vj = T.axis.spatial(4, j)\n                T.where(i < 3)", "W_[vj, vi] = W[vi, vj]", "W_[vi, vj]"), fails: "it does not run for all of its domain"},
		{name: "a diagonal", before: program(all, "W_[vi, vj] = W[vi, vi]", "W_[vi, vj]"), fails: "expected variables of the block as indices of W, each once"},
		{name: "to a parameter", before: program(all, "C[vj, vi] = W[vi, vj]", "W_[vi, vj]"), fails: "expected a buffer that a block allocates"},
		{name: "not marked", before: `
    for i, j in T.grid(4, 4):
        with T.block("copy"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vj, vi] = W[vi, vj]`},
	})
}
