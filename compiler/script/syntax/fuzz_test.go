package syntax_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/syntax"
)

// seeds are texts with every statement and expression of the language.
var seeds = []string{
	"@I.ir_module\nclass M:\n    @T.prim_func\n    def f(A: T.Buffer((4, n), \"float32\")):\n        # with T.block(\"root\"):\n        for i, j in T.grid(4, 4):\n            with T.block(\"b\"):\n                A[i, j:j + 2] = -A[i, 0] ** 2 if i < j <= 3 else T.exp(x=1.5, *y)\n        assert 1 == 1, \"m\"\n        while not a and b or c:\n            x: T.int32 = {1: [2, 3]}\n            break\n",
	"from a.b import c as d, (e)\nimport f\nx = y = lambda i, *j: (i, j)\nx //= 0x1F | 1_0 & ~3\n\tz = '''a\nb'''\n",
	"if a:\n  b\nelif c:\n  pass\nelse: return 1,\ntry:\n  x\nexcept:\n  y\n>>> f(\n... g)\n",
	"\ufeffx = (((((\r\n\\\n'\\x4",
}

// check reads a text and checks what readers of the tree rely on: ranges lie in the text, those of
// children within those of their parents, and errors have a place and a message.
func check(t *testing.T, text string) {
	f := syntax.Parse("fuzz.py", text)
	for _, e := range append(append([]syntax.Error{}, f.List...), f.Host...) {
		line, col, endLine, endCol := f.Range(e.At, e.End)
		if e.Message == "" || e.At < 0 || e.At > e.End || line < 1 || col < 1 || endLine < line || endLine == line && endCol < col {
			t.Errorf("an error at %d:%d-%d:%d: %+v\nin %q", line, col, endLine, endCol, e, text)
		}
	}
	if f.Failed() {
		return
	}
	var expr func(n *syntax.Node, at, end int32)
	expr = func(n *syntax.Node, at, end int32) {
		if n == nil {
			return
		}
		if n.At < at || n.End > end || n.At > n.End {
			t.Errorf("a node of kind %d at %d:%d in %d:%d\nin %q", n.Kind, n.At, n.End, at, end, text)
		}
		for _, k := range n.Kids {
			expr(k, n.At, n.End)
		}
		for _, kw := range n.Keywords() {
			expr(kw.Value, n.At, n.End)
		}
	}
	var body func(list []*syntax.Stmt, at, end int32)
	body = func(list []*syntax.Stmt, at, end int32) {
		for _, s := range list {
			if s.At < at || s.Last > end || s.End > s.Last || s.At > s.End {
				t.Errorf("a statement of kind %d at %d:%d:%d in %d:%d\nin %q", s.Kind, s.At, s.End, s.Last, at, end, text)
			}
			for _, n := range append(append([]*syntax.Node{s.Ann, s.Value}, s.Targets...), s.Decorators...) {
				expr(n, 0, s.Last)
			}
			body(s.Body, s.At, s.Last)
			body(s.Orelse, s.At, s.Last)
		}
	}
	body(f.Stmts, 0, int32(len(text)))
}

// FuzzParse reads any text.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(check)
}

// TestRandomEdits takes out, replaces and repeats words of the seeds.
func TestRandomEdits(t *testing.T) {
	words := regexp.MustCompile(`\w+|[ \n]+|"[^"\n]*"|.`)
	pool := strings.Split("0|if |:|\n|\n    |(|)|]|\"|'''|\\|lambda |**|=|@T.prim_func|def |in |é|\t", "|")
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		parts := words.FindAllString(seeds[rng.IntN(len(seeds))], -1)
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(parts))
			parts[i] = []string{"", pool[rng.IntN(len(pool))], parts[rng.IntN(len(parts))]}[rng.IntN(3)]
		}
		check(t, strings.Join(parts, ""))
	}
}

// BenchmarkParse reads 20,000 lines.
func BenchmarkParse(b *testing.B) {
	text := "@T.prim_func\ndef f():\n" + strings.Repeat("    for i, j in T.grid(128, 64):\n        B[i, j] = T.max(A[i, j] * T.float32(2.5) + T.exp(A[i, j]), 0)\n", 10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if f := syntax.Parse("b.py", text); f.Failed() {
			b.Fatal(f.Errors)
		}
	}
}
