package reduce_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/reduce"
	"github.com/irscope/irscope/compiler/relax/relaxtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func read(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, found := parse.Module("in.py", text, parse.Options{})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	return m
}

func lines(m *ir.Module) string {
	var out []string
	for _, l := range strings.Split(script.Module(m, script.Options{}).Source, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "from ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// prints returns a test that holds while the printed module has all the parts. It fails the test if a module is not well-formed.
func prints(t *testing.T, parts ...string) reduce.Test {
	return func(_ context.Context, m *ir.Module) (bool, error) {
		for _, d := range frontend.Verify(m) {
			if d.Severity == ir.Error {
				t.Errorf("tested a module that is not well-formed: %s\n%s", d, lines(m))
			}
		}
		text := script.Module(m, script.Options{}).Source
		for _, p := range parts {
			if !strings.Contains(text, p) {
				return false, nil
			}
		}
		return true, nil
	}
}

const graph = `from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.block("scale"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                B[v_i, v_j] = A[v_i, v_j] * T.float32(2)
    @R.function(private=True)
    def helper(x: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        with R.dataflow():
            y: R.Tensor((4, 4), "float32") = R.tanh(x)
            R.output(y)
        return y
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tuple(R.Tensor((4, 4), "float32"), R.Tensor((4, 4), "float32")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((4, 4), "float32") = R.matmul(x, w)
            b: R.Tensor((4, 4), "float32") = R.nn.relu(a)
            d = R.call_tir(cls.scale, (b,), out_sinfo=R.Tensor((4, 4), "float32"))
            e: R.Tensor((4, 4), "float32") = R.subtract(d, w)
            f: R.Tensor((4, 4), "float32") = R.sigmoid(e)
            R.output(f)
        if c:
            g: R.Tensor((4, 4), "float32") = R.exp(f)
            h: R.Tensor((4, 4), "float32") = R.add(g, g)
        else:
            k: R.Tensor((4, 4), "float32") = cls.helper(f)
            h: R.Tensor((4, 4), "float32") = R.negative(k)
        l: R.Tensor((4, 4), "float32") = R.multiply(h, f)
        return (l, f)
`

// TestGraphs reduces a graph to what a test looks for, and nothing else.
func TestGraphs(t *testing.T) {
	const head = "@I.ir_module\nclass Module:\n@R.function\ndef main("
	const m44 = `R.Tensor((4, 4), dtype="float32")`
	for _, c := range []struct {
		name  string
		parts []string
		want  string
	}{
		{"an operator", []string{"R.subtract"}, head + "w: " + m44 + ") -> " + m44 + ":\nwith R.dataflow():\ne: " + m44 + " = R.subtract(w, w)\nR.output(e)\nreturn e"},
		{"one of a branch", []string{"R.add"}, head + "g: " + m44 + ") -> " + m44 + ":\ngv: " + m44 + " = R.add(g, g)\nreturn gv"},
		{"a conditional", []string{"if c"}, head + "\nc: R.Tensor((), dtype=\"bool\"),\ngv: " + m44 + ",\n) -> " + m44 + ":\nif c:\nh: " + m44 + " = gv\nelse:\nh: " + m44 + " = gv\nreturn h"},
		{"two that depend", []string{"R.nn.relu", "R.sigmoid"}, head + "a: " + m44 + ") -> " + m44 + ":\nwith R.dataflow():\nb: " + m44 + " = R.nn.relu(a)\nf: " + m44 + " = R.sigmoid(b)\nR.output(f)\nreturn f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := reduce.Module(t.Context(), read(t, graph), prints(t, c.parts...), reduce.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(r.Module); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if r.Stopped != "" || r.Evaluations > 120 {
				t.Errorf("%d evaluations, stopped: %q", r.Evaluations, r.Stopped)
			}
		})
	}
}

// TestKernels reduces PrimFuncs: alone, and behind a call.
func TestKernels(t *testing.T) {
	m := read(t, `from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def other(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)
    @T.prim_func
    def kernel(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32")):
        D = T.alloc_buffer((8, 8), "float32")
        for i, j in T.grid(8, 8):
            with T.block("first"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                if v_i < 4:
                    D[v_i, v_j] = T.exp(A[v_i, v_j] + T.float32(1)) * T.float32(2)
                else:
                    D[v_i, v_j] = T.float32(0)
        for i, j in T.grid(8, 8):
            with T.block("second"):
                v_i, v_j = T.axis.remap("SR", [i, j])
                with T.init():
                    C[v_i] = T.float32(0)
                C[v_i] = C[v_i] + D[v_i, v_j]
        for i in T.parallel(8):
            with T.block("third"):
                v_i = T.axis.spatial(8, i)
                B[v_i, 0] = T.max(C[v_i], T.float32(0))
`)
	r, err := reduce.Module(t.Context(), m, prints(t, "T.exp"), reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := lines(r.Module)
	if n := strings.Count(got, "\n") + 1; n > 12 || !strings.Contains(got, "T.exp(") || strings.Contains(got, "other") || strings.Contains(got, "T.max") || strings.Contains(got, "for ") {
		t.Errorf("%d lines after %d evaluations:\n%s", n, r.Evaluations, got)
	}
	r, err = reduce.Module(t.Context(), read(t, graph), prints(t, "call_tir", "T.float32(2.0)"), reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got = lines(r.Module)
	if n := strings.Count(got, "\n") + 1; n > 20 || strings.Contains(got, "matmul") || strings.Contains(got, "helper") {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

// TestRandomModules reduces random graphs and kernels to one random part of their text. Whatever is tested is well-formed.
func TestRandomModules(t *testing.T) {
	n := 20
	if testing.Short() {
		n = 6
	}
	seed.Each(t, n, func(t *testing.T, src *rand.Rand) {
		m := relaxtest.Module(src)
		if src.IntN(2) == 0 {
			f, _ := tirtest.CarriedFunction(src)
			m = ir.NewModule().With("kernel", f)
		}
		text := strings.Split(lines(m), "\n")
		want := text[src.IntN(len(text))]
		if i := strings.Index(want, "= "); i > 0 {
			want = want[i:]
		}
		before := lines(m)
		r, err := reduce.Module(t.Context(), m, prints(t, want), reduce.Options{Evaluations: 400})
		if err != nil {
			t.Fatal(err)
		}
		if after := lines(r.Module); len(after) > len(before) || !strings.Contains(script.Module(r.Module, script.Options{}).Source, want) {
			t.Errorf("%q: got\n%s\nof\n%s", want, after, before)
		}
		if lines(m) != before {
			t.Error("the input was changed")
		}
	})
}

// TestLimits ends searches early, and refuses what cannot be searched.
func TestLimits(t *testing.T) {
	m := read(t, graph)
	r, err := reduce.Module(t.Context(), m, prints(t, "R.subtract"), reduce.Options{Evaluations: 3})
	if err != nil || r.Evaluations != 3 || r.Stopped != "3 modules were tested" || !strings.Contains(lines(r.Module), "R.subtract") {
		t.Errorf("got %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, err = reduce.Module(ctx, m, func(ctx context.Context, m *ir.Module) (bool, error) {
		if n++; n == 4 {
			cancel()
			return false, ctx.Err()
		}
		return prints(t, "R.subtract")(ctx, m)
	}, reduce.Options{})
	if err != nil || r.Evaluations != 4 || !strings.Contains(r.Stopped, "context canceled") {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := reduce.Module(t.Context(), m, prints(t, "R.nothing"), reduce.Options{}); !errors.Is(err, reduce.ErrNotHeld) {
		t.Errorf("got %v", err)
	}
	boom := errors.New("boom")
	if _, err := reduce.Module(t.Context(), m, func(context.Context, *ir.Module) (bool, error) { return false, boom }, reduce.Options{}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	bad := ir.NewModule().With("f", &tir.PrimFunc{RetType: ir.VoidType(), Body: &tir.Evaluate{Value: tir.NewVar("x", tir.Int32(0).Type)}})
	var ill *reduce.IllFormedError
	if _, err := reduce.Module(t.Context(), bad, prints(t, ""), reduce.Options{}); !errors.As(err, &ill) {
		t.Errorf("got %v", err)
	}
}

// TestSweep keeps what has effects, and the parameters that define sizes.
func TestSweep(t *testing.T) {
	sizes := read(t, `from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        a: R.Tensor((n,), "float32") = R.add(x, y)
        b: R.Tensor((n,), "float32") = R.zeros(R.shape([n]), dtype="float32")
        c: R.Tensor((n,), "float32") = R.multiply(a, b)
        return c
`)
	effects := read(t, `from tvm.script import ir as I, relax as R, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def kernel(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.kernel(x, a)
        return y
`)
	for _, c := range []struct {
		m    *ir.Module
		part string
		want string
	}{
		{sizes, "R.zeros", "@R.function\ndef main(x: R.Tensor((\"n\",), dtype=\"float32\")) -> R.Tensor((\"n\",), dtype=\"float32\"):\nn = T.int64()\nb: R.Tensor((n,), dtype=\"float32\") = R.zeros(R.shape([n]), dtype=\"float32\")\nreturn b"},
		{effects, "cls.kernel", "def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\ncls.kernel(x, x)\nreturn x"},
	} {
		r, err := reduce.Module(t.Context(), c.m, prints(t, c.part), reduce.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(r.Module); !strings.Contains(got, c.want) {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
