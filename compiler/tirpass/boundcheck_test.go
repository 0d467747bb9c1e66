package tirpass_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// outOf says that the interpreter refused an access of f, or that an assertion of
// InstrumentBoundCheckers did.
func outOf(err error) (access, asserted bool) {
	if err == nil {
		return false, false
	}
	s := err.Error()
	return strings.Contains(s, "access out of bounds") || strings.Contains(s, "access out of memory"),
		strings.Contains(s, "assertion failed: ") && (strings.Contains(s, "the index is outside of") || strings.Contains(s, " is outside of dimension") || strings.Contains(s, "lies outside of the memory"))
}

// TestBoundsAgainstInterpreter moves an access of random functions. Instrumented, they must fail
// by an assertion exactly where the interpreter, which checks every access, refuses the plain
// function, and compute the same otherwise: after the pass itself, and after each later one.
func TestBoundsAgainstInterpreter(t *testing.T) {
	cases, bad := 0, 0
	seed.Each(t, 100, func(t *testing.T, src *rand.Rand) {
		cases++
		f, args := tirtest.Function(src)
		moved := src.IntN(4) != 0
		if moved {
			f = tirtest.MoveAccess(src, f)
		}
		want, err := tirtest.Run(f, args, nil)
		access, _ := outOf(err)
		if err != nil && !access {
			return // it fails for a reason of its own
		}
		if access {
			bad++
		}
		c := passtest.NewContext(pass.Configure(map[string]any{"tir.instrument_bound_checkers": true}))
		g, on := f, false
		for _, p := range lowering(t) {
			out, err := c.Run(p, moduleOf(g))
			if err != nil {
				t.Fatalf("%v\n%s", err, print(g))
			}
			before := g
			g = funcOf(out)
			on = on || p == tirpass.InstrumentBoundCheckers
			if !on || g == before {
				continue
			}
			wellFormed(t, p.Name, g)
			got, err := tirtest.Run(g, args, nil)
			_, asserted := outOf(err)
			switch {
			case access && !asserted:
				t.Fatalf("%s: got %v, the plain function is out of bounds\n--- before\n%s\n--- after\n%s", p.Name, err, print(before), print(g))
			case !access && err != nil:
				t.Fatalf("%s: %v, the plain function is right\n--- before\n%s\n--- after\n%s", p.Name, err, print(before), print(g))
			case !access && !(moved && hasLanes(f)): // lanes may meet where one access was moved: then there is no one result
				if d := tirtest.Differ(got, want); d != "" {
					t.Fatalf("%s: %s\n%s", p.Name, d, print(g))
				}
			}
		}
	})
	if cases >= 20 && (bad == 0 || bad == cases) {
		t.Errorf("%d of %d functions are out of bounds", bad, cases)
	}
	t.Logf("%d of %d functions are out of bounds", bad, cases)
}

// TestBoundCheckersAreOff runs the pass without its option.
func TestBoundCheckersAreOff(t *testing.T) {
	f, _ := tirtest.Function(rand.New(rand.NewPCG(1, 7)))
	m := moduleOf(tirtest.MoveAccess(rand.New(rand.NewPCG(2, 7)), f))
	out, err := passtest.NewContext().Run(tirpass.InstrumentBoundCheckers, m)
	if err != nil || out != m {
		t.Errorf("the pass changes functions without its option: %v", err)
	}
}

// TestWhichAccessesAreChecked counts the assertions that functions get.
func TestWhichAccessesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"loop", `
    for i in range(4):
        A[i] = i`, 0},
		{"tiles", `
    for i, j in T.grid(3, 3):
        if i * 2 + j < 4:
            A[i * 2 + j] = 0`, 0},
		{"quotient", `
    for i in range(16):
        A[i // 4] = A[i % 4]`, 0},
		{"quotient of what is out of range", `
    for i in range(4):
        A[i * 1000000000 // 1000000000] = 0`, 1},
		{"minimum of what is out of range", `
    for i in range(4):
        A[T.min(T.max(i * 2000000000, 0), 3)] = 0`, 1},
		{"narrowed", `
    for i in range(4):
        A[T.Cast("int8", i * 64) // 64] = 0`, 1},
		{"lower end", `
    for i in range(4):
        A[i - 1] = 0`, 1},
		{"one more", `
    for i in range(5):
        A[i] = 0`, 1},
		{"twice the same", `
    for i in range(5):
        A[i] = A[i] + A[i]`, 1},
		{"condition on memory", `
    if A[0] >= 0 and A[0] < 4:
        A[A[0]] = 0`, 1},
		{"small number in memory", `
    B = T.alloc_buffer((256,), "int32")
    C = T.alloc_buffer((1,), "uint8")
    B[T.Cast("int32", C[0])] = 0`, 0},
		{"block predicate", `
    for i, j in T.grid(2, 3):
        with T.block("b"):
            T.where(i * 3 + j < 4)
            T.reads()
            T.writes(A[i * 3 + j])
            A[i * 3 + j] = 0`, 0},
		{"iteration variable", `
    for i in range(4):
        with T.block("b"):
            v = T.axis.spatial(4, i)
            A[v] = 0`, 1},
		{"ramp", `
    A[T.Ramp(0, 1, 4)] = T.Broadcast(1, 4)`, 0},
		{"long ramp", `
    A[T.Ramp(0, 1, 5)] = T.Broadcast(1, 5)`, 1},
		{"address only", `
    T.call_extern("int32", "g", T.address_of(A[7]))`, 0},
		{"view of the whole", `
    B = T.decl_buffer((2, 2), "int32", data=A.data)
    for i, j in T.grid(2, 2):
        B[i, j] = 1`, 0},
		{"view of more", `
    B = T.decl_buffer((2, 3), "int32", data=A.data)
    for i, j in T.grid(2, 3):
        B[i, j] = 1`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			mods, found := parse.File("f.py", "@T.prim_func\ndef kernel(A: T.Buffer((4,), \"int32\")):"+c.body+"\n", parse.Options{})
			if len(found) > 0 {
				t.Fatal(found)
			}
			ctx := passtest.NewContext(pass.Configure(map[string]any{"tir.instrument_bound_checkers": true}))
			out, err := ctx.Run(tirpass.InstrumentBoundCheckers, mods[0].Module)
			if err != nil {
				t.Fatal(err)
			}
			f := funcOf(out)
			wellFormed(t, c.name, f)
			if text := print(f); strings.Count(text, "assert ") != c.want {
				t.Errorf("expected %d assertions:\n%s", c.want, text)
			}
		})
	}
}

// TestDeepConditions nests accesses in conditions: the work stays linear, and the warning counts what
// is left out.
func TestDeepConditions(t *testing.T) {
	a, i := floats("A", 4), index("i")
	e := tir.Expr(f32(0))
	const depth = 3000
	for range depth {
		e = tir.IfThenElseExpr(tir.LT(i, n(3)), load(a, mul(i, n(2))), tir.Add(e, f32(1)))
	}
	ctx := passtest.NewContext(pass.Configure(map[string]any{"tir.instrument_bound_checkers": true}))
	out, err := ctx.Run(tirpass.InstrumentBoundCheckers, moduleOf(fn(loop(i, 9, store(a, e, n(0))), a)))
	if err != nil {
		t.Fatal(err)
	}
	found := ctx.Diagnostics()
	if len(found) != 1 || !strings.Contains(found[0].Message, "2968 accesses are not checked: they are under more than 32 conditions") {
		t.Errorf("the pass says %v", found)
	}
	if text := print(funcOf(out)); strings.Count(text, "assert ") != 32 {
		t.Errorf("%d assertions", strings.Count(text, "assert "))
	}
}

// hasLanes reports whether a loop of a function is vectorized.
func hasLanes(f *tir.PrimFunc) bool {
	found := false
	ir.Walk(f.Body, func(n ir.Node) bool {
		l, ok := n.(*tir.For)
		found = found || ok && l.Kind == tir.Vectorized
		return !found
	})
	return found
}
