package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func blockNames(st tir.Stmt) string {
	var out []string
	ir.Walk(st, func(x ir.Node) bool {
		if b, ok := x.(*tir.Block); ok {
			out = append(out, b.Name)
		}
		return true
	})
	return strings.Join(out, " ")
}

// TestEither: a function of two versions chooses by what the first one needs, each need once.
func TestEither(t *testing.T) {
	r, _ := pair(t, "4", "y", "(4, y)", "(4, y)", "C[vi, vj] = A[vi, vj]")
	f := r.function()
	n := tir.NewVar("n", dtype.Int64T)
	need := func(c int64) tir.Expr { return tir.GE(n, tir.Const(n.DType(), c)) }
	for _, c := range []struct {
		name  string
		needs []tir.Expr
		want  int // comparisons
	}{
		{"one", []tir.Expr{need(4)}, 1},
		{"the same twice", []tir.Expr{need(4), need(4)}, 1},
		{"two", []tir.Expr{need(4), need(8)}, 2},
	} {
		g := either(c.needs, f, f)
		root := g.Body.(*tir.BlockRealize)
		cond, ok := root.Block.Body.(*tir.IfThenElse)
		if !ok {
			t.Fatalf("%s: the body is %T", c.name, root.Block.Body)
		}
		if got := len(tir.Conjuncts(nil, cond.Cond)); got != c.want {
			t.Errorf("%s: %d comparisons, want %d", c.name, got, c.want)
		}
		if large, small := blockNames(cond.Then), blockNames(cond.Else); large != "C" || small != "C_small" {
			t.Errorf("%s: the blocks are %q and %q", c.name, large, small)
		}
	}
	// What has no root block cannot be put together.
	if g := either(nil, f.WithBody(tir.NoOp()), f); g != f {
		t.Error("the small version is not taken alone")
	}
	if g := either(nil, f, f.WithBody(tir.NoOp())); tir.IsNoOp(g.Body) == false {
		t.Error("the small version is not taken alone")
	}
	inner := f.Body.(*tir.BlockRealize).Block.Body.(*tir.For).Body.(*tir.For).Body
	if g := either(nil, f.WithBody(inner), f); g != f {
		t.Error("a block with variables is taken for a root")
	}
}

// TestEitherAllocates: the buffers of both versions, those of the second are copies.
func TestEitherAllocates(t *testing.T) {
	r, _ := blockOf(t, `A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")`, `
B = T.alloc_buffer((4,))
for i in range(4):
    with T.block("B"):
        vi = T.axis.spatial(4, i)
        B[vi] = A[vi]
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = B[vi]`)
	f := r.function()
	f.Body.(*tir.BlockRealize).Block.Origin = 3
	g := either([]tir.Expr{tir.Bool(true)}, f, f)
	if body, ok := g.Body.(*tir.BlockRealize).Block.Body.(*tir.IfThenElse); !ok || body.Origin != 3 {
		t.Errorf("the body is %v", g.Body.(*tir.BlockRealize).Block.Body)
	} else if got := blockNames(body.Else); got != "B_small C_small" {
		t.Errorf("the blocks of the small version are %q", got)
	}
	one := f.Body.(*tir.BlockRealize).Block.Body.(*tir.SeqStmt).Seq[0].(*tir.For).Body
	if h := either(nil, f.WithBody(one), f); h != f {
		t.Error("a block with a variable is taken for a root")
	}
	list := g.Body.(*tir.BlockRealize).Block.AllocBuffers
	if len(list) != 2 || list[0] == list[1] || list[0].Data == list[1].Data || list[0].Name != "B" || list[1].Name != "B" {
		t.Errorf("the buffers are %v", list)
	}
	if found := tir.Verify("main", g); len(found) > 0 {
		t.Error(found[0].Message)
	}
}

// TestEmpty: a loop of no iteration makes a function empty, wherever it stands.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		m, n string
		want bool
	}{{"4", "6", false}, {"0", "6", true}, {"4", "0", true}, {"x", "y", false}, {"1", "1", false}} {
		r, _ := pair(t, c.m, c.n, "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj]")
		f := r.function()
		if got := empty(f); got != c.want {
			t.Errorf("%s by %s is empty: %v, want %v", c.m, c.n, got, c.want)
		}
		g, err := wide.Schedule(f, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if stays := c.want || c.m == "1"; (g == f) != stays { // of one element nothing is to be gained
			t.Errorf("%s by %s stays as it is: %v, want %v", c.m, c.n, g == f, stays)
		}
	}
}

// TestOriginsOfSchedule: blocks that take in others have the origins of both.
func TestOriginsOfSchedule(t *testing.T) {
	r, _ := blockOf(t, `A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")`, `
B = T.alloc_buffer((8,))
for i in range(8):
    with T.block("B"):
        vi = T.axis.spatial(8, i)
        B[vi] = A[vi] + T.float32(1)
for i in range(8):
    with T.block("C"):
        vi = T.axis.spatial(8, i)
        C[vi] = B[vi]`)
	table := ir.NewOrigins()
	ids := []ir.OriginID{table.Add(ir.Origin{Name: "b"}), table.Add(ir.Origin{Name: "c"})}
	f := r.function()
	ir.Walk(f.Body, func(n ir.Node) bool {
		if r, ok := n.(*tir.BlockRealize); ok && len(r.Block.IterVars) > 0 {
			r.Origin = ids[strings.Index("BC", r.Block.Name)]
			r.Block.Origin = r.Origin
		}
		return true
	})
	g, err := wide.Schedule(f, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ir.Walk(g.Body, func(x ir.Node) bool {
		if r, ok := x.(*tir.BlockRealize); ok && len(r.Block.IterVars) > 0 {
			n++
			if got := table.Roots(r.Origin); !slices.Equal(got, ids) {
				t.Errorf("block %s comes from %v, want %v", r.Block.Name, got, ids)
			}
		}
		return true
	})
	if n != 1 {
		t.Errorf("%d blocks, want 1", n)
	}
}

// TestNotScheduled: a function that the primitives cannot take apart stays as it is.
func TestNotScheduled(t *testing.T) {
	r, _ := pair(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj]")
	f := r.function()
	root := f.Body.(*tir.BlockRealize)
	g := f.WithBody(root.Block.Body)
	out, err := wide.Schedule(g, nil, nil)
	if err != nil || out != g {
		t.Errorf("%v, %v", out, err)
	}
}

// reduced schedules the reduction of block C and tells its loops.
func reduced(t *testing.T, params, body string, whole bool) ([]string, *rules) {
	t.Helper()
	r, b := blockOf(t, params, body)
	r.whole = whole
	if err := r.reduction(b); err != nil {
		t.Fatal(err)
	}
	return loopsOf(r), r
}

// TestReductions: what is no reduction of the known form stays as it is.
func TestReductions(t *testing.T) {
	const params = `A: T.Buffer((4, 40), "float32"), C: T.Buffer((4,), "float32")`
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"a sum", "vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] + A[vi, vk]", []string{"C_init: 4 2u 4v", "C_update: 4 5 2u 4v", "C_fold: 4 4v", "C: 4"}},
		{"no start", "vi, vk = T.axis.remap(\"SR\", [i, k])\n        C[vi] = C[vi] + A[vi, vk]", []string{"C: 4 40"}},
		{"a difference", "vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] - A[vi, vk]", []string{"C: 4 40"}},
		{"a condition", "vi, vk = T.axis.remap(\"SR\", [i, k])\n        T.where(k < 39)\n        with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] + A[vi, vk]", []string{"C: 4 40"}},
	} {
		got, _ := reduced(t, params, "for i, k in T.grid(4, 40):\n    with T.block(\"C\"):\n        "+c.body, true)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	got, _ := reduced(t, `A: T.Buffer((1, 1), "float32"), C: T.Buffer((1,), "float32")`, "for i, k in T.grid(1, 1):\n    with T.block(\"C\"):\n        vi, vk = T.axis.remap(\"SR\", [i, k])\n        with T.init():\n            C[vi] = T.float32(0)\n        C[vi] = C[vi] + A[vi, vk]", true)
	if !slices.Equal(got, []string{"C: 1"}) && !slices.Equal(got, []string{"C: 1 1"}) {
		t.Errorf("a sum of one: %q", got)
	}
}

// TestNormalize: axes that follow each other become one, and those that are divided two.
func TestNormalize(t *testing.T) {
	for _, c := range []struct{ name, a, load, want string }{
		{"two that follow", "(4, 5, 6)", "vi, vj, vk", "vi vj_vk"},
		{"in the other order", "(4, 6, 5)", "vi, vk, vj", "vi vj vk"},
		{"a part", "(4, 5, 7)", "vi, vj, vk", "vi vj vk"},
		{"divided, but not as a whole", "(4, 5, 3, 2)", "vi, vj, vk // 2, vk % 2", "vi vj_vk"},
		{"half of each", "(4, 5, 3)", "vi, vj, vk // 2", "vi vj_vk_0 vk_1"},
	} {
		r, b := blockOf(t, `A: T.Buffer(`+c.a+`, "float32"), C: T.Buffer((4,), "float32")`, `
for i, j, k in T.grid(4, 5, 6):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SRR", [i, j, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[`+c.load+`]`)
		if err := r.normalize(b); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, iv := range r.at(b).IterVars {
			got = append(got, iv.Var.Name)
		}
		if x := strings.Join(got, " "); x != c.want {
			t.Errorf("%s: the variables are %q, want %q", c.name, x, c.want)
		}
	}
}

// TestCut: the version for small extents runs along whole tiles, and one by one along the rest.
func TestCut(t *testing.T) {
	p := product(t, "8", "32", "x", "float32", false)
	p.r.whole = false
	if err := p.r.reduction(p.b); err != nil {
		t.Fatal(err)
	}
	want := []string{"C_splat: 2 32 4u 4v", "C_init: 2 ? 4u 2u 4v", "C_update: 2 ? 2 16u 4u 2u 4v", "C: 2 ? 4u 2u 4v", "C_1: ? 8 32"}
	if got := loopsOf(p.r); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(p.r.needs) > 0 || !p.r.done[p.b] {
		t.Errorf("it needs %v, done is %v", p.r.needs, p.r.done)
	}
}

// TestRunsOfSteps: a run takes as many terms as may be added, in steps of what is unrolled.
func TestRunsOfSteps(t *testing.T) {
	for _, c := range []struct {
		k, want string
	}{
		{"512", "C_update: 16 2 16u 4u 4v"}, // 16 runs of 2 times 16 steps
		{"20", "C_update: 20u 4u 4v"},
	} {
		got, _ := reduced(t, `A: T.Buffer((`+c.k+`, 16), "float32"), C: T.Buffer((16,), "float64")`, `
for i, k in T.grid(16, `+c.k+`):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        T.block_attr({"`+tir.AttrSumRuns+`": 32})
        with T.init():
            C[vi] = T.float64(0)
        C[vi] = C[vi] + T.Cast("float64", A[vk, vi])`, true)
		if !slices.Contains(got, c.want) {
			t.Errorf("%s terms: %q, want %q among them", c.k, got, c.want)
		}
	}
}
