package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/syntax"
)

// outlined is a module whose functions end, begin and nest in all ways.
const outlined = `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(A: T.Buffer((4,), "float32"), n: T.int32 = 3) -> T.int32:
        # with T.block("root"):
        for i in range(4):
            if i < n:
                A[i] = 1.0
            elif i == n:
                A[i] = 2.0
            else:
                A[i] = 3.0

        with T.block("b"), T.attr(A, "k", 1) as x:
            A[0] += A[1]; A[1] = (A[2],
  A[3])
    @T.prim_func
    def short(): T.evaluate(0)

    @R.function
    def sizes(x: R.Tensor(("m",), "float32")):
        m = T.int64()
        return x

    @R.function(pure=False)
    def graph(x: R.Tensor((2,), "float32")) -> R.Tensor:
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        @R.function
        def local(z: R.Object):
            return z
        return local(y)

    @T.macro
    def twice(A, i):
        A[i] = A[i] * 2.0

    def plain():
        @T.prim_func
        def inner():
            T.evaluate(1)
    @T.prim_func
    def last(A: T.Buffer((4,), "float32")):
        A[0] = T.exp(
            A[1])

@T.prim_func
def alone():
    T.evaluate(2)
`

// dump writes statements with their ranges and trees.
func dump(b *strings.Builder, list []*syntax.Stmt) {
	nodes := func(list ...*syntax.Node) {
		for _, n := range list {
			if n != nil {
				fmt.Fprintf(b, " %d-%d:%s", n.At, n.End, show(n))
			}
		}
	}
	for _, s := range list {
		fmt.Fprintf(b, "%d %s %s %d-%d %d %d", s.Kind, s.Name, s.Op, s.At, s.End, s.Top, s.Last)
		nodes(s.Targets...)
		nodes(s.Ann, s.Value)
		nodes(s.Decorators...)
		for _, it := range s.Items {
			nodes(it.Value, it.As)
		}
		for _, p := range s.Params {
			b.WriteString(" " + p.Name)
			nodes(p.Ann)
		}
		b.WriteString(" {\n")
		dump(b, s.Body)
		b.WriteString("}{\n")
		dump(b, s.Orelse)
		b.WriteString("}\n")
	}
}

// readAll writes statements, the bodies of functions in modules read one after the other.
func readAll(b *strings.Builder, f *syntax.File, list []*syntax.Stmt) (ok bool) {
	ok = true
	for _, s := range list {
		if s.Role == "ir_module" {
			b.WriteString(s.Name + "\n")
			ok = readAll(b, f, s.Body) && ok
			continue
		}
		if s.Kind == syntax.Def {
			ok = f.ReadBody(s) && ok
		}
		dump(b, []*syntax.Stmt{s})
	}
	return ok
}

// TestOutline reads the bodies of functions one after the other, to the trees of the whole text.
func TestOutline(t *testing.T) {
	for _, text := range []string{outlined, strings.TrimRight(outlined, "\n"), strings.ReplaceAll(outlined, "\n", "\r\n"), strings.Repeat(outlined, 20)} {
		var got, want strings.Builder
		f, whole := syntax.Outline("t.py", text), syntax.Parse("t.py", text)
		if whole.Failed() || f.Failed() {
			t.Fatalf("%v %v", whole.List, f.List)
		}
		if !f.Unread() {
			t.Error("the outline has all bodies")
		}
		readAll(&want, whole, whole.Stmts)
		if !readAll(&got, f, f.Stmts) || f.Unread() {
			t.Errorf("bodies are unread: %v", f.List)
		}
		lines := strings.Split(want.String(), "\n")
		for i, line := range strings.Split(got.String(), "\n") {
			if i >= len(lines) || line != lines[i] {
				t.Fatalf("line %d of the outline is %s\nwant %s", i, line, lines[min(i, len(lines)-1)])
			}
		}
	}
}

// TestOutlineErrors has a syntax error in a body, which only the one who reads the body finds.
func TestOutlineErrors(t *testing.T) {
	for _, wrong := range []string{"A[1] = = 2", "x y", "for i in", "raise x"} {
		text := strings.Replace(outlined, "A[i] = 3.0", wrong, 1)
		f, whole := syntax.Outline("t.py", text), syntax.Parse("t.py", text)
		if f.Failed() || !whole.Failed() {
			t.Fatalf("%s: %v, want an error in the whole text only: %v", wrong, f.List, whole.List)
		}
		var b strings.Builder
		if readAll(&b, f, f.Stmts) || len(f.List) != len(whole.List) || f.List[0] != whole.List[0] {
			t.Errorf("%s: the bodies have the errors %v, want %v", wrong, f.List, whole.List)
		}
	}
}
