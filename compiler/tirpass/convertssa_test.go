package tirpass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// toSSA runs the pass on a module whose functions may share variables, and checks that the verifier takes the result.
func toSSA(t passtest.Failer, m *ir.Module) *ir.Module {
	t.Helper()
	c := passtest.NewContext()
	out, err := c.Run(tirpass.ConvertSSA, m)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if passtest.WellFormed(t, "ConvertSSA", out); t.Failed() {
		t.Fatalf("not well formed")
	}
	again, err := c.Run(tirpass.ConvertSSA, out)
	if err != nil || again != out {
		t.Fatalf("a second run: %v, other module: %v", err, again != out)
	}
	return out
}

func called(name string, body tir.Stmt) *tir.PrimFunc {
	return &tir.PrimFunc{Body: body, RetType: ir.VoidType(), Attrs: ir.NewAttrs("global_symbol", name)}
}

// TestConvertSSAOfLets gives lets of one variable one each, of which uses take the innermost.
func TestConvertSSAOfLets(t *testing.T) {
	v := tir.NewVar("v", dtype.Int32T)
	let := func(n int64, body tir.Stmt) tir.Stmt { return &tir.LetStmt{Var: v, Value: tir.Int32(n), Body: body} }
	use := func() tir.Stmt { return &tir.Evaluate{Value: v} }
	for _, c := range []struct {
		name string
		body tir.Stmt
		want string
	}{
		{name: "one after the other", body: &tir.SeqStmt{Seq: []tir.Stmt{let(16, use()), let(32, use())}}, want: `@T.prim_func
def kernel():
    with T.LetStmt(T.int32(16)) as a:
        T.evaluate(a)
    with T.LetStmt(T.int32(32)) as b:
        T.evaluate(b)
`},
		{name: "nested", body: let(32, &tir.SeqStmt{Seq: []tir.Stmt{use(), let(16, use()), use()}}), want: `@T.prim_func
def kernel():
    with T.LetStmt(T.int32(32)) as a:
        T.evaluate(a)
        with T.LetStmt(T.int32(16)) as b:
            T.evaluate(b)
        T.evaluate(a)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := funcOf(toSSA(t, moduleOf(called("kernel", c.body))))
			if !ir.StructuralEqual(got, parseFunc(t, c.want), ir.EqualOpts{}) {
				t.Errorf("got\n%s\nwant\n%s", print(got), c.want)
			}
		})
	}
}

// sharedPrograms have definitions of all kinds that two functions can share.
var sharedPrograms = []string{`@T.prim_func
def kernel():
    v: T.int32 = 10
    T.evaluate(v)
`, `@T.prim_func
def kernel(n: T.int32):
    T.evaluate(n)
`, `@T.prim_func
def kernel(a: T.handle("float32")):
    A = T.Buffer((1,), "float32", data=a)
    T.evaluate(A[0])
`, `@T.prim_func
def kernel(A: T.Buffer((1,), "float32")):
    T.evaluate(A[0])
`, `@T.prim_func
def kernel(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n, 2), "float32", strides=(T.int32(), 1), offset_factor=1)
    for i in range(n):
        B[i, 0] = A[i]
`, `@T.prim_func
def kernel(A: T.Buffer((256,), "float32")):
    x = T.env_thread("threadIdx.x")
    with T.launch_thread(x, 256):
        A[x] = A[x] + T.float32(1)
    with T.launch_thread(x, 256):
        A[x] = A[x] + T.float32(2)
`, `@T.prim_func
def kernel(A: T.Buffer((16,), "float32")):
    B = T.allocate([16], "float32", "global")
    C = T.decl_buffer((16,), "float32", data=B)
    for i in range(16):
        C[i] = A[i]
    for i in T.vectorized(16):
        A[i] = C[i]
`, `@T.prim_func
def kernel(A: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,), "float32")
    for i in range(16):
        with T.block("copy"):
            vi = T.axis.spatial(16, i)
            a = T.match_buffer(A[vi:vi + 1], (1,), "float32", elem_offset=T.int32(), offset_factor=1)
            B[vi] = a[0]
    for i in range(16):
        with T.block("sum"):
            vi = T.axis.reduce(16, i)
            with T.init():
                A[0] = T.float32(0)
            A[0] = A[0] + B[vi]
`}

// TestConvertSSAAcrossFunctions separates functions that are one, under two names, and keeps the first.
func TestConvertSSAAcrossFunctions(t *testing.T) {
	for _, text := range sharedPrograms {
		f := parseFunc(t, text)
		one, other := f.WithAttrs(f.Attrs.With("global_symbol", "one")), f.WithAttrs(f.Attrs.With("global_symbol", "other"))
		out := toSSA(t, ir.NewModule().With("one", one).With("other", other))
		if out.Lookup("one") != ir.Function(one) {
			t.Errorf("the first of the functions changed: \n%s", text)
		}
		g := out.Lookup("other").(*tir.PrimFunc)
		if !ir.StructuralEqual(g, other, ir.EqualOpts{}) {
			t.Errorf("got\n%s\nwant\n%s", print(g), print(other))
		}
		mine := map[ir.Node]bool{}
		vars := func(f *tir.PrimFunc, each func(ir.Node)) {
			ir.Walk(f, func(n ir.Node) bool {
				switch n.(type) {
				case *tir.Var, *tir.Buffer:
					each(n)
				}
				return true
			})
		}
		vars(one, func(n ir.Node) { mine[n] = true })
		vars(g, func(n ir.Node) {
			if mine[n] {
				t.Errorf("%v is shared after the pass:\n%s", n, text)
			}
		})
	}
}

// TestConvertSSAKeepsAttributesOnLoops has attributes in front of the loop whose variable they name, in two functions.
func TestConvertSSAKeepsAttributesOnLoops(t *testing.T) {
	i := tir.NewVar("i", dtype.Int32T)
	loop := &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(4), Body: &tir.Evaluate{Value: i}}
	iv := &tir.IterVar{Var: i, Dom: &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(4)}}
	body := &tir.AttrStmt{Node: iv, Key: "pragma_parallel_launch_point", Value: tir.Int32(1), Body: loop}
	m := ir.NewModule().With("one", called("one", body)).With("other", called("other", body))
	out, err := passtest.NewContext().Run(tirpass.ConvertSSA, m) // the text of these has no place for the attributes
	if err != nil {
		t.Fatal(err)
	}
	if out.Lookup("one") != m.Lookup("one") {
		t.Errorf("the first of the functions changed")
	}
	a := out.Lookup("other").(*tir.PrimFunc).Body.(*tir.AttrStmt)
	if v := a.Body.(*tir.For).LoopVar; v == i || a.Node.(*tir.IterVar).Var != v {
		t.Errorf("the attribute is on %v, the loop over %v", a.Node.(*tir.IterVar).Var, v)
	}
}

// TestConvertSSAKeepsMeaning runs bodies that stand twice in a function, one after the other.
func TestConvertSSAKeepsMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Function(r)
		once := funcOf(toSSA(t, moduleOf(f)))
		if once != f {
			t.Fatalf("a valid function changed:\n%s", print(f))
		}
		root := f.Body.(*tir.BlockRealize)
		part := root.WithBlock(root.Block.WithName("part"))
		twice := f.WithBody(root.WithBlock(&tir.Block{Name: "root", Body: tir.Seq(part, part)}))
		g := funcOf(toSSA(t, moduleOf(twice)))
		want := mustRun(t, f, mustRun(t, f, args))
		sameMeaning(t, tirpass.ConvertSSA, twice, g, args, want)
	})
}
