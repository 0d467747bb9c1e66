package graphrun_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestEndlessPrograms runs a kernel and a function that do not end.
func TestEndlessPrograms(t *testing.T) {
	mods, diags := parse.File("f.py", `
@I.ir_module
class Module:
    @T.prim_func
    def forever():
        while True:
            T.evaluate(0)

    @R.function(pure=False)
    def kernel():
        cls = Module
        x = cls.forever()
        return x

    @R.function(pure=False)
    def itself() -> R.Object:
        cls = Module
        x: R.Object = cls.itself()
        return x

    @R.function(pure=False)
    def deeper() -> R.Object:
        cls = Module
        x: R.Object = cls.deeper()
        y = (x, x)
        return y
`, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	for name, want := range map[string]string{"kernel": "more than 16777216 steps", "itself": "functions have called others in their place more than 1048576 times", "deeper": "calls are nested more than 1000 deep"} {
		if _, err := graphrun.Run(t.Context(), mods[0].Module, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestTurns runs a function that calls itself in its place more often than calls may nest, in a branch and behind other names, with values that are killed
// behind the call.
func TestTurns(t *testing.T) {
	mods, diags := parse.File("f.py", `
@I.ir_module
class Module:
    @T.prim_func
    def add(x: T.Buffer((), "int64"), d: T.Buffer((), "int64"), y: T.Buffer((), "int64")):
        y[()] = x[()] + d[()]

    @T.prim_func
    def less(x: T.Buffer((), "int64"), n: T.Buffer((), "int64"), y: T.Buffer((), "bool")):
        y[()] = x[()] < n[()]

    @R.function
    def loop(i: R.Tensor((), "int64"), d: R.Tensor((), "int64"), n: R.Tensor((), "int64"), s: R.Tensor((), "int64")) -> R.Tensor((), "int64"):
        cls = Module
        c = R.call_tir(cls.less, (i, n), out_sinfo=R.Tensor((), "bool"))
        if c:
            j = R.call_tir(cls.add, (i, d), out_sinfo=R.Tensor((), "int64"))
            t = R.call_tir(cls.add, (s, i), out_sinfo=R.Tensor((), "int64"))
            u: R.Tensor((), "int64") = cls.loop(j, d, n, t)
            v = u
            r = v
        else:
            r = s
        return r
`, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	number := func(v int64) *tensor.Tensor {
		x, err := tensor.New(dtype.Int64T, []int64{})
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint64(x.Data, uint64(v))
		return x
	}
	for _, n := range []int64{0, 1, 5000} {
		v, err := graphrun.Run(t.Context(), mods[0].Module, "loop", number(0), number(1), number(n), number(0))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.(*tensor.Tensor).Int(0); got != n*(n-1)/2 {
			t.Errorf("%d turns: %d", n, got)
		}
	}
}
