package hostile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
)

// ofFile is a text of testdata.
func ofFile(name string) string {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		panic(err)
	}
	return string(data)
}

// repeated joins f(0) to f(n-1).
func repeated(n int, sep string, f func(int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = f(i)
	}
	return strings.Join(list, sep)
}

// loopText is a PrimFunc with a body in a loop over i.
func loopText(body string) string {
	return "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), n: T.int32):\n    for i in range(4):\n" + body
}

// graphLines is a module whose main binds the lines in a dataflow block and returns y.
func graphLines(params string, lines ...string) string {
	return "@I.ir_module\nclass M:\n    @R.function\n    def main(" + params + "):\n        with R.dataflow():\n            " +
		strings.Join(lines, "\n            ") + "\n            R.output(y)\n        return y\n"
}

// expanding are texts of which something grows much faster than they are long, or whose parts are
// easily compared each with each. They are read, verified, printed and compiled with the default
// pipeline; what says is non-empty ends in an error that has it.
func expanding() []specimen {
	const vec, sym = `x: R.Tensor((4,), dtype="float32")`, `x: R.Tensor(("n",), dtype="float32")`
	text := func(name, text, says string) specimen {
		return specimen{name: name, data: func() []byte { return []byte(text) }, says: says}
	}
	itoa := strconv.Itoa
	return []specimen{
		text("lets that double", ofFile("exp_let.py"), ""),
		text("floats that double", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    v0: T.float32 = A[0]\n"+
			repeated(300, "", func(i int) string {
				v := "v" + itoa(i)
				return "    v" + itoa(i+1) + ": T.float32 = " + v + " * " + v + " + " + v + "\n"
			})+"    A[1] = v300\n", ""),
		text("lets that grow", loopText("        v0: T.int32 = i\n"+repeated(500, "", func(i int) string {
			v := "v" + itoa(i)
			return "        v" + itoa(i+1) + ": T.int32 = " + v + " // 2 + " + v + " % 3 + n\n"
		})+"        A[v500 % 4] = v250\n"), ""),
		text("shapes that square", ofFile("ex12.py"), "ex12.py:15:18: main: error: R.reshape"),
		text("shapes that double", graphLines(sym, "y0 = R.concat((x, x), axis=0)",
			repeated(60, "\n            ", func(i int) string {
				v := "y" + itoa(i)
				return "y" + itoa(i+1) + " = R.concat((" + v + ", " + v + "), axis=0)"
			}), "y = R.nn.relu(y60)"), ""),
		text("shape of many sizes", graphLines(repeated(1000, ", ", func(i int) string {
			return "x" + itoa(i) + `: R.Tensor(("n` + itoa(i) + `",), dtype="float32")`
		}), "y = R.concat(("+repeated(1000, ", ", func(i int) string { return "x" + itoa(i) })+"), axis=0)"), "terms"),
		text("tuples that double", graphLines(vec, "t0 = (x, x)", repeated(40, "\n            ", func(i int) string {
			v := "t" + itoa(i)
			return "t" + itoa(i+1) + " = (" + v + ", " + v + ")"
		}), "y = x"), "expands to more than"),
		text("concatenation of many", ofFile("concat5000.py"), ""),
		text("minimum of many", ofFile("chain_minmax.py"), ""),
		text("calls that double", ofFile("exp_calls.py"), ""),
		text("sum of many", loopText("        A[i] = "+repeated(20_000, " + ", func(i int) string { return "A[i]" })+"\n"), ""),
		text("sum of many sizes", loopText("        A[("+repeated(5000, " + ", func(i int) string { return "i * " + itoa(i%97) })+") % 4] = 1\n"), ""),
		text("product of many", loopText("        A["+repeated(10_000, " * ", func(int) string { return "i" })+" % 4] = "+
			repeated(10_000, " * ", func(int) string { return "n" })+"\n"), ""),
		text("condition of many", loopText("        if "+repeated(5000, " and ", func(i int) string { return "i < n + " + itoa(i) })+":\n            A[i] = 1\n"), ""),
		text("many conditions", loopText(repeated(1000, "", func(i int) string {
			return "        if i * " + itoa(i+1) + " + n < n * " + itoa(i+3) + ":\n            A[i] = " + itoa(i) + "\n"
		})), ""),
		text("many loops", "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), n: T.int32):\n"+repeated(1500, "", func(i int) string {
			return "    for i" + itoa(i) + " in range(n + " + itoa(i) + "):\n        A[i" + itoa(i) + " % 4] = A[i" + itoa(i) + " // 3]\n"
		}), ""),
		text("nested choices", loopText("        A[i] = "+repeated(150, "", func(i int) string {
			return "T.if_then_else(i < n - " + itoa(i) + ", A[" + itoa(i%4) + "], "
		})+"0"+strings.Repeat(")", 150)+"\n"), ""),
		text("many additions", graphLines(vec, "y0 = R.add(x, x)", repeated(500, "\n            ", func(i int) string {
			return "y" + itoa(i+1) + " = R.add(y" + itoa(i) + ", y" + itoa(max(i-1, 0)) + ")"
		}), "y = R.nn.relu(y500)"), ""),
		text("many parts", graphLines(`x: R.Tensor((60000,), dtype="float32")`, "t = R.split(x, indices_or_sections=60000, axis=0)", "y = t[0]"), "parts"),
		text("many parameters", "@T.prim_func\ndef f("+repeated(6000, ", ", func(i int) string { return "a" + itoa(i) + `: T.Buffer((4,), "float32")` })+
			"):\n    a0[0] = a1[0]\n", "more than the 1024"),
		text("many dimensions", graphLines("x: R.Tensor(("+strings.Repeat("1, ", 1000)+"), dtype=\"float32\")", "y = R.add(x, x)"), "dimensions"),
		text("nested attributes", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    T.func_attr({\"k\": "+strings.Repeat("[", 150)+strings.Repeat("]", 150)+"})\n    A[0] = A[1]\n", ""),
		text("many attributes", "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    T.func_attr({"+repeated(2000, ", ", func(i int) string { return `"k` + itoa(i) + `": "v"` })+"})\n    A[0] = A[1]\n", ""),
	}
}

// TestExpandingTexts takes the texts through everything. What bounds the work are counts, see the
// tests of the packages; here a hang shows, and memory that grows with what a text stands for.
func TestExpandingTexts(t *testing.T) {
	for _, s := range expanding() {
		t.Run(s.name, func(t *testing.T) {
			var err error
			c := within(t, s.name, func() { err = optimized(t.Context(), "ex12.py", string(s.data())) })
			t.Logf("%v, %d MiB", c.time.Round(time.Millisecond), c.heap>>20)
			switch {
			case s.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case s.says != "" && (err == nil || !strings.Contains(err.Error(), s.says)):
				t.Errorf("error is %v, expected %q", err, s.says)
			}
			var stopped *pass.Error
			if errors.As(err, &stopped) && stopped.Stack != "" {
				t.Errorf("a pass panicked: %v", err)
			}
		})
	}
}

// optimized reads, prints and compiles a text down to the loops.
func optimized(ctx context.Context, name, text string) error {
	sources, _, err := frontend.Load(ctx, name, []byte(text), frontend.Options{})
	if err != nil {
		return err
	}
	_ = script.Module(sources[0].Module, script.Options{})
	res, err := compiler.Passes(ctx, compiler.Request{Module: sources[0].Module})
	if err != nil {
		return err
	}
	return grown(res.Module)
}

// grown returns an error where a module has more nodes, shared ones counted for each place, than
// anything should make of a text of less than a megabyte.
func grown(m *ir.Module) error {
	n := 0
	for _, fn := range m.Funcs() {
		ir.Walk(fn, func(ir.Node) bool { n++; return n < 1<<23 })
	}
	if n >= 1<<23 {
		return errors.New("the module has more than 2^23 nodes")
	}
	return nil
}
