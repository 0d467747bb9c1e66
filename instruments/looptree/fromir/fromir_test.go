package fromir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/looptree"
	"github.com/irscope/irscope/instruments/looptree/fromir"
)

// read returns the function f of a text.
func read(t *testing.T, text string) *tir.PrimFunc {
	t.Helper()
	m, found := parse.Module("f.py", text, parse.Options{})
	if m == nil {
		t.Fatal(found)
	}
	return m.Lookup("f").(*tir.PrimFunc)
}

// draw writes a tree in short, one row a line.
func draw(tree *looptree.Tree) string {
	var b strings.Builder
	for _, r := range tree.Rows {
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", r.Depth), r.Kind, r.Name)
		for _, x := range []string{r.Extent, r.Loop, r.Thread, r.Info} {
			if x != "" {
				b.WriteString(" " + x)
			}
		}
		fmt.Fprintf(&b, " x%d", r.Runs)
		for _, x := range r.Iters {
			fmt.Fprintf(&b, " %s:%s=%s", x.Name, x.Kind, x.Value)
		}
		for _, x := range r.Touches {
			how := ""
			if x.Read {
				how += "r"
			}
			if x.Written {
				how += "w"
			}
			if x.Whole {
				how += "*"
			}
			fmt.Fprintf(&b, " %s%s[%d]%s", x.Buffer, x.Scope, x.Bytes, how)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestLoopsAndBytes: extents, kinds, axes, and what each row touches with all that is in it.
func TestLoopsAndBytes(t *testing.T) {
	f := read(t, `
@T.prim_func
def f(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 16), "float32"), C: T.Buffer((64, 16), "float32")):
    L = T.alloc_buffer((64, 16), scope="local")
    for i0 in T.parallel(8):
        for i1 in T.unroll(8):
            for j in range(16):
                for k in range(32):
                    with T.block("mul"):
                        vi = T.axis.spatial(64, i0 * 8 + i1)
                        vj, vk = T.axis.remap("SR", [j, k])
                        with T.init():
                            L[vi, vj] = T.float32(0)
                        L[vi, vj] = L[vi, vj] + A[vi, vk] * B[vk, vj]
        for i1 in range(8):
            for j in T.vectorized(16):
                with T.block("out"):
                    vi = T.axis.spatial(64, i0 * 8 + i1)
                    vj = T.axis.spatial(16, j)
                    T.where(i1 < 7)
                    C[vi, vj] = L[vi, vj]
`)
	got := draw(fromir.Of("f", f, script.Function("f", f, script.Options{})))
	for _, line := range []string{
		"  loop i0 8 parallel x1 A[8192]r* Llocal[4096]rw* C[4096]w* B[2048]r*\n",
		"    loop i1 8 unroll x8 B[2048]r* A[1024]r Llocal[512]w\n",
		"      loop j 16 serial x64 B[2048]r* A[128]r Llocal[64]w\n",
		"        loop k 32 serial x1024 A[128]r B[128]r Llocal[4]w\n",
		"          block mul x32768 vi:spatial=i0 * 8 + i1 vj:spatial=j vk:reduce=k A[4]r B[4]r Llocal[4]w\n",
		"      loop j 16 vectorized x64 Llocal[64]r C[64]w\n",
		"        block out where i1 < 7 x1024 vi:spatial=i0 * 8 + i1 vj:spatial=j Llocal[4]r C[4]w\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("there is no line\n%sin\n%s", line, got)
		}
	}
}

// TestSizesThatAreNotKnown: a loop over a symbolic size touches as much as that says, one over an empty range nothing.
func TestSizesThatAreNotKnown(t *testing.T) {
	f := read(t, `
@T.prim_func
def f(a: T.handle, B: T.Buffer((4,), "int32")):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    for i in range(n):
        with T.block("copy"):
            vi = T.axis.spatial(n, i)
            A[vi] = B[vi % 4]
    for i in range(0):
        with T.block("none"):
            vi = T.axis.spatial(4, i)
            B[vi] = 0
`)
	got := draw(fromir.Of("f", f, nil))
	for _, line := range []string{"  loop i n serial x1 A[-1]w B[16]r*\n", "    block copy x-1 vi:spatial=i B[4]r A[4]w\n", "  loop i 0 serial x1", "    block none x0"} {
		if !strings.Contains(got, line) {
			t.Errorf("there is no line\n%sin\n%s", line, got)
		}
	}
}

// TestLines: rows know the lines that they are printed on, also where loops share one.
func TestLines(t *testing.T) {
	f := read(t, `
@T.prim_func
def f(A: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(1)
`)
	text := script.Function("f", f, script.Options{})
	lines := strings.Split(text.Source, "\n")
	for _, r := range fromir.Of("f", f, text).Rows {
		want := map[looptree.Kind]string{looptree.Function: "def f", looptree.Loop: "T.grid(4, 4)", looptree.Block: `T.block("b")`}[r.Kind]
		if r.Line == 0 || !strings.Contains(lines[r.Line-1], want) && r.Kind != looptree.Function {
			t.Errorf("%s %s is in line %d, want one with %s:\n%s", r.Kind, r.Name, r.Line, want, text.Source)
		}
	}
}

// TestStart: each block is looked up once, with its own loops, under names that differ.
func TestStart(t *testing.T) {
	f := read(t, `
@T.prim_func
def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    for i in range(4):
        with T.block("a b"):
            vi = T.axis.spatial(4, i)
            for j in range(4):
                with T.block("inner"):
                    vj = T.axis.spatial(4, j)
                    A[vi, vj] = T.float32(1)
    for i, j in T.grid(4, 4):
        with T.block("c"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
`)
	want := "b_a_b = sch.get_block(\"a b\")\ni, = sch.get_loops(b_a_b)\nb_inner = sch.get_block(\"inner\")\nj, = sch.get_loops(b_inner)\nb_c = sch.get_block(\"c\")\ni_1, j_1 = sch.get_loops(b_c)\n"
	if got := fromir.Start("f", f); !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s, want at its end\n%s", got, want)
	}
}
