package compiler_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// twoSizes has two symbolic dimensions, one of which is of both parameters.
const twoSizes = `
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, "m"), "float32"), b: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.add(y, b)
            R.output(z)
        return z
`

func sized(t *testing.T, text string) *ir.Module {
	t.Helper()
	mods, found := parse.File("sized.py", text, parse.Options{})
	if len(found) > 0 || len(mods) != 1 {
		t.Fatalf("%d modules, %v", len(mods), found)
	}
	return mods[0].Module
}

// symbols lists the variables that the PrimFuncs of a module take.
func symbols(m *ir.Module) []string {
	var out []string
	for _, fn := range m.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok {
			for _, p := range f.Params {
				if p.DType().IsInt() && p.Name != "num_args" {
					out = append(out, p.Name)
				}
			}
		}
	}
	return out
}

// TestSpecialize compiles a module for some of its dimensions and for all, and runs each program beside that for all sizes.
func TestSpecialize(t *testing.T) {
	level := 2
	req := compiler.Request{Module: sized(t, twoSizes), OptLevel: &level}
	watched := 0
	req.Instruments = []*pass.Instrument{{Name: "watch", RunAfterPass: func(*ir.Module, *pass.Step) error { watched++; return nil }}}
	all, err := compiler.Compile(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if watched == 0 {
		t.Fatal("Compile does not call the instruments: the test says nothing")
	}
	watched = 0
	eng := compiler.NewEngine()
	t.Cleanup(func() { _ = eng.Close() })
	run := func(r *compiler.Result, n, m int64) []*tensor.Tensor {
		t.Helper()
		prog, err := r.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{}, vm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer prog.Close()
		var args []*tensor.Tensor
		for i, shape := range [][]int64{{n, 4}, {4, m}, {n, m}} {
			x, err := tensor.New(tensor.TypeOf[float32](), shape)
			if err != nil {
				t.Fatal(err)
			}
			x.Random(uint64(i))
			args = append(args, x)
		}
		outs, err := prog.Run(t.Context(), "main", args...)
		if err != nil {
			t.Fatal(err)
		}
		return outs
	}
	for _, sizes := range []map[string]int64{{"n": 3}, {"m": 5}, {"n": 3, "m": 5}, {"n": 0, "m": 1}, {"n": 3, "other": 7}} {
		res, err := compiler.Specialize(t.Context(), req, "main", sizes)
		if err != nil {
			t.Errorf("%v: %v", sizes, err)
			continue
		}
		n, m := int64(3), int64(5)
		if v, ok := sizes["n"]; ok {
			n = v
		}
		if v, ok := sizes["m"]; ok {
			m = v
		}
		want, got := run(all, n, m), run(res, n, m)
		if d, err := tensor.Compare(got[0], want[0], tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil || !d.OK() {
			t.Errorf("%v: the result differs from that of the program for all sizes: %v %v", sizes, d, err)
		}
		if len(sizes) == 2 && sizes["other"] == 0 {
			if left := symbols(res.Module); len(left) > 0 {
				t.Errorf("%v: kernels take the sizes %v", sizes, left)
			}
			if left := relax.DefinedSymbolicVars(res.Module.Lookup("main").(*relax.Function)); len(left) > 0 {
				t.Errorf("%v: main has the symbolic dimensions %v", sizes, left)
			}
		}
	}
	if watched == 0 {
		t.Error("the instruments saw no pass")
	}
	if len(relax.DefinedSymbolicVars(req.Module.Lookup("main").(*relax.Function))) != 2 {
		t.Error("the module of the request was changed")
	}
	for _, c := range []struct {
		fn    string
		sizes map[string]int64
		want  string
	}{
		{"other", map[string]int64{"n": 3}, "the module has no Relax function other"},
		{"main", map[string]int64{"k": 3}, "the Relax function main has none of the symbolic dimensions that are given"},
		{"main", nil, "the Relax function main has none of the symbolic dimensions that are given"},
	} {
		if _, err := compiler.Specialize(t.Context(), req, c.fn, c.sizes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Specialize(%s, %v) fails with %v, want %s", c.fn, c.sizes, err, c.want)
		}
	}
}
