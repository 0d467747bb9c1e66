package hostile

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/vm"
)

// throughText takes the text of a module through everything, as through does with a model; what
// is still is not run.
func throughText(ctx context.Context, eng *runtime.Engine, name, text string, still bool, list ...*pass.Instrument) (stage, error) {
	sources, _, err := frontend.Load(ctx, name, []byte(text), frontend.Options{})
	if err != nil {
		return atImport, err
	}
	res, err := compiler.Compile(ctx, compiler.Request{Module: sources[0].Module, Instruments: list})
	if err != nil || still {
		return atCompile, err
	}
	prog, err := res.Artifact.Open(ctx, eng, runtime.DeviceOptions{MaxBytes: 256 << 20}, vm.Options{})
	if err != nil {
		return atRun, err
	}
	defer func() { _ = prog.Close() }()
	args, err := zeros(res.Artifact.Function("main"))
	if err != nil {
		return atRun, err
	}
	if _, err = prog.Run(ctx, "main", args...); err != nil {
		return atRun, err
	}
	return atEnd, nil
}

// graphText is a module whose main has a parameter of a type and a body.
func graphText(param, body string) string {
	return "@I.ir_module\nclass M:\n    @R.function\n    def main(x: " + param + "):\n" + body + "        return y\n"
}

// TestHugeTexts takes texts of up to a megabyte that ask for much through everything.
func TestHugeTexts(t *testing.T) {
	eng := engine(t)
	const relu = "        y = R.nn.relu(x)\n"
	tensor := func(shape string) string { return `R.Tensor((` + shape + `,), "float32")` }
	kernel := func(body string) string {
		return "@I.ir_module\nclass M:\n    @T.prim_func\n    def f(a: T.handle, b: T.handle):\n        A = T.match_buffer(a, (4,), \"float32\")\n        B = T.match_buffer(b, (4,), \"float32\")\n" + body +
			"    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n        cls = M\n        y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4,), \"float32\"))\n        return y\n"
	}
	for _, s := range []struct {
		name, text string
		want       verdict
		says       string
	}{
		{"2^40 elements", graphText(tensor("1099511627776"), relu), fails, ""},
		{"2^80 elements", graphText(tensor("1099511627776, 1099511627776"), relu), fails, ""},
		{"2^63 elements", graphText(tensor("9223372036854775808"), relu), refused, ""},
		{"2^1000000 as an extent", graphText(tensor("1"+strings.Repeat("0", 500_000)), relu), refused, ""},
		{"negative extent", graphText(tensor("-5"), relu), either, ""},
		{"zeros of 2^40", graphText(tensor("4"), "        y = R.zeros(R.shape([1099511627776]), dtype=\"float32\")\n"), fails, ""},
		{"broadcast to 2^40", graphText(tensor("1"), "        y = R.broadcast_to(x, R.shape([1048576, 1048576]))\n"), fails, ""},
		{"broadcast to 2^80", graphText(tensor("1"), "        y = R.broadcast_to(x, R.shape([1099511627776, 1099511627776]))\n"), fails, ""},
		{"rank 10^4", graphText(tensor(strings.Repeat("1, ", 10_000)+"1"), relu), either, ""},
		{"tuple of depth 10^5", graphText(tensor("4"), "        y = "+strings.Repeat("(", 100_000)+"x"+strings.Repeat(",)", 100_000)+"\n"), refused, "nested more than"},
		{"tuple of width 10^5", graphText(tensor("4"), "        y = ("+strings.Repeat("x,", 100_000)+")\n"), either, ""},
		{"operands 10^5", graphText(tensor("4"), "        y = x"+strings.Repeat(" + x", 100_000)+"\n"), refused, "operands"},
		{"buffer of 2^40", kernel("        C = T.alloc_buffer((1099511627776,), \"float32\")\n        C[0] = A[0]\n        B[0] = C[0]\n"), either, ""},
		{"buffer of 2^80", kernel("        C = T.alloc_buffer((1099511627776, 1099511627776), \"float32\")\n        C[0, 0] = A[0]\n        B[0] = C[0, 0]\n"), either, ""},
		{"unrolled 2^40 times", kernel("        for i in T.unroll(1099511627776):\n            B[0] = A[0]\n"), either, ""},
		{"vectorized 2^40 times", kernel("        for i in T.vectorized(1099511627776):\n            B[0] = A[0]\n"), either, ""},
		{"vector of 2^20", kernel("        for i in T.vectorized(1048576):\n            B[i % 4] = A[i % 4]\n"), either, ""},
		{"10^4 dimensions of a buffer", kernel("        C = T.alloc_buffer((" + strings.Repeat("1, ", 10_000) + "1), \"float32\")\n        C[" + strings.Repeat("0, ", 10_000) + "0] = A[0]\n"), either, ""},
		{"one line of a megabyte", "x = '" + strings.Repeat("a", 1<<20) + "'\n", refused, ""},
		{"a megabyte of newlines", strings.Repeat("\n", 1<<20), refused, ""},
		{"a megabyte of tabs", strings.Repeat("\t", 1<<20), refused, ""},
		{"a megabyte of brackets", strings.Repeat("[", 1<<20), refused, ""},
		{"a megabyte of quotes", strings.Repeat("'", 1<<20), refused, ""},
		{"JSON of depth 10^5", strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000), refused, ""},
		{"JSON of lists", strings.Repeat("[", 100_000), refused, ""},
	} {
		t.Run(s.name, func(t *testing.T) {
			name := "module.py"
			if strings.HasPrefix(s.name, "JSON") {
				name = "module.json"
			}
			var where stage
			var err error
			used := within(t, "it", func() {
				where, err = throughText(t.Context(), eng, name, s.text, strings.Contains(s.name, "times"), instruments.WellFormed(false))
			})
			specimen{s.name, nil, s.want, s.says}.judge(t, where, err)
			t.Logf("%v, %d MiB, ended at %s: %s", used.time, used.heap>>20, where, cut(fmt.Sprint(err)))
		})
	}
}
