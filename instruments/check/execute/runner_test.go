package execute_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestRunnerLeavesInputsAlone runs a module twice, whose kernels' results are known the second time.
func TestRunnerLeavesInputsAlone(t *testing.T) {
	m := lowered(t, parsed(t, network))
	in := inputs(t, m, 1)
	kept := []*tensor.Tensor{in[0].Clone(), in[1].Clone()}
	r := &execute.Runner{}
	first, err := r.Run(t.Context(), m, "main", in)
	if err != nil {
		t.Fatal(err)
	}
	ran, known := r.Calls()
	second, err := r.Run(t.Context(), m, "main", in)
	if err != nil {
		t.Fatal(err)
	}
	ranAfter, knownAfter := r.Calls()
	if ran == 0 || known != 0 || ranAfter != ran || knownAfter != ran {
		t.Errorf("the first run ran %d kernels and knew %d, with the second %d and %d", ran, known, ranAfter, knownAfter)
	}
	if first.How.Interpreted != ran || len(first.Outputs) != 2 {
		t.Errorf("run by %+v, %d outputs", first.How, len(first.Outputs))
	}
	if d := execute.Compare(second.Outputs, first.Outputs, nil, nil); d.Status() != check.Same {
		t.Errorf("the second run is %s: %+v", d.Status(), d)
	}
	for i := range in {
		if !slices.Equal(in[i].Data, kept[i].Data) {
			t.Errorf("input %d has changed", i)
		}
	}
	over := parsed(t, inPlace)
	if _, err := r.Run(t.Context(), over, "main", in[:1]); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in[0].Data, kept[0].Data) {
		t.Error("a kernel that writes to its argument has changed the input")
	}
	// Other inputs are not taken for those that are known.
	in[0].SetFloat(0, 9)
	third, err := r.Run(t.Context(), m, "main", in)
	if err != nil {
		t.Fatal(err)
	}
	if d := execute.Compare(third.Outputs, first.Outputs, nil, nil); d.Status() != check.Wrong {
		t.Errorf("outputs of other inputs are %s", d.Status())
	}
}

// TestKernelInAnyState runs a lone PrimFunc with a number among its parameters, before and behind MakePackedAPI.
func TestKernelInAnyState(t *testing.T) {
	m := parsed(t, `
@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.Buffer((4,), "float32"), n: T.int64, y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "scale"})
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                y[v] = x[v] * T.Cast("float32", n)
`)
	x, n, y := tensor.MustNew(dtype.Float32T, 4), tensor.MustNew(dtype.Int64T), tensor.MustNew(dtype.Float32T, 4)
	x.FillUniform(1, -1, 1)
	n.SetInt(0, 3)
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "scale", Inputs: []*tensor.Tensor{x, n, y}}
	rep := checked(t, c, m, kind(t, "wasm"), nil)
	if rep.Reference != 0 || rep.Fault != nil || rep.Counts()[check.Same] != len(rep.Steps) {
		t.Errorf("reference %d (%s), %v, fault %+v", rep.Reference, rep.Why, rep.Counts(), rep.Fault)
	}
	out, err := (&execute.Runner{}).Run(t.Context(), m, "scale", c.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Outputs[1].Float(2), float64(float32(3*x.Float(2))); got != want {
		t.Errorf("y[2] is %v, want %v", got, want)
	}
}

const (
	endless = `
@I.ir_module
class Module:
    @T.prim_func
    def forever(y: T.Buffer((4,), "float32")):
        while True:
            T.evaluate(0)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.forever, (), out_sinfo=R.Tensor((4,), "float32"))
        return y
`
	// long has a kernel whose extents say that it takes long, one of them by the argument.
	long = `
@I.ir_module
class Module:
    @T.prim_func
    def copies(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i, j in T.grid(n, T.int64(100000)):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.copies, (x,), out_sinfo=R.Tensor((n,), "float32"))
        return y
`
	foreign = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_dps_packed("my.kernel", (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y
`
	inPlace = `
@I.ir_module
class Module:
    @T.prim_func
    def zero(x: T.Buffer((6, 6), "float32")):
        for i, j in T.grid(6, 6):
            x[i, j] = T.float32(0)

    @R.function
    def main(x: R.Tensor((6, 6), "float32")) -> R.Tensor((6, 6), "float32"):
        cls = Module
        y = R.call_tir_inplace(cls.zero, (x,), inplace_indices=[0], out_sinfo=R.Tensor((6, 6), "float32"))
        return y
`
	square = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.multiply(x, x)
        return y
`
)

// TestRunnerErrors tells what cannot be run from what is wrong.
func TestRunnerErrors(t *testing.T) {
	four := []*tensor.Tensor{tensor.MustNew(dtype.Float32T, 4)}
	for _, x := range []struct {
		name, text, function string
		runner               *execute.Runner
		inputs               []*tensor.Tensor
		want                 string
		runnable             bool
	}{
		{"endless", endless, "main", &execute.Runner{MaxSteps: 1 << 16}, four, "more than 65536 steps", true},
		{"long", long, "main", &execute.Runner{MaxSteps: 1 << 18}, four, "copies takes the interpreter some 8e+05 steps, more than the 3e+05 that one kernel may take", false},
		{"far too long", long, "main", &execute.Runner{MaxSteps: 1 << 10}, four, "copies takes the interpreter some 8e+05 steps", false},
		{"foreign", foreign, "main", &execute.Runner{}, four, "the function my.kernel of the runtime cannot be run", false},
		{"no function", square, "other", &execute.Runner{}, four, "no function other", true},
		{"count", square, "main", &execute.Runner{}, nil, "1 parameters, got 0 inputs", true},
		{"shape", square, "main", &execute.Runner{}, []*tensor.Tensor{tensor.MustNew(dtype.Float32T, 5)}, "extent 0 is 5, not 4", true},
		{"memory", square, "main", &execute.Runner{MaxBytes: 8}, four, "more than 8 bytes", true},
	} {
		_, err := x.runner.Run(t.Context(), parsed(t, x.text), x.function, x.inputs)
		var no *execute.NotRunnableError
		if err == nil || !strings.Contains(err.Error(), x.want) || errors.As(err, &no) == x.runnable {
			t.Errorf("%s: %T %v, want %q", x.name, err, err, x.want)
		}
	}
	gone, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := (&execute.Runner{}).Run(gone, parsed(t, square), "main", four); !errors.Is(err, why) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestNothingToCompareWith checks a module that cannot be run before the first pass: nothing is wrong then, and the report says why.
func TestNothingToCompareWith(t *testing.T) {
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: []*tensor.Tensor{tensor.MustNew(dtype.Float32T, 4)}}
	rep := checked(t, c, parsed(t, foreign), kind(t, "wasm"), nil)
	if rep.Reference != -1 || !strings.Contains(rep.Why, "my.kernel") || rep.Fault != nil || rep.Counts()[check.NotRunnable] != len(rep.Steps) {
		t.Errorf("reference %d (%s), %v, fault %+v", rep.Reference, rep.Why, rep.Counts(), rep.Fault)
	}
}

// TestExpectedOutputs compares with outputs that are given: one that the module computes, and one that it does not.
func TestExpectedOutputs(t *testing.T) {
	m := parsed(t, network)
	in := inputs(t, m, 1)
	out, err := (&execute.Runner{}).Run(t.Context(), m, "main", in)
	if err != nil {
		t.Fatal(err)
	}
	other := out.Outputs[1].Clone()
	other.SetFloat(3, other.Float(3)+0.5)
	c := &execute.Checker{
		Runner: &execute.Runner{}, Function: "main", Inputs: in, Outputs: []string{"y", "z"},
		Expected: []*tensor.Tensor{out.Outputs[0], other},
	}
	rep := checked(t, c, m, kind(t, "wasm"), nil)
	if len(rep.Expected) != 2 || rep.Fault != nil {
		t.Fatalf("%+v, fault %+v", rep.Expected, rep.Fault)
	}
	y, z := rep.Expected[0], rep.Expected[1]
	if !y.Within || y.First.MaxAbs != 0 || y.Last == nil || z.Within || z.Output != "z" || z.Last.Beyond != 1 || z.Last.Index != 3 {
		t.Errorf("y %+v, z %+v %+v", y, z, z.Last)
	}
}

// TestUnchangedStepsAreNotRun has steps that leave the module as it was: it is run once.
func TestUnchangedStepsAreNotRun(t *testing.T) {
	m := lowered(t, parsed(t, square))
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: inputs(t, m, 1)}
	if err := c.Start(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	ran, known := c.Runner.Calls()
	for range 3 {
		if err := c.Step(t.Context(), "1/Nothing", "Nothing", m); err != nil {
			t.Fatal(err)
		}
	}
	if r, k := c.Runner.Calls(); r != ran || k != known {
		t.Errorf("steps without a change ran kernels: %d and %d calls became %d and %d", ran, known, r, k)
	}
	rep := c.Report()
	if len(rep.Steps) != 4 || rep.Steps[3].Changed || rep.Steps[3].Status != check.Same || rep.Steps[3].Path != "1/Nothing" {
		t.Errorf("%+v", rep.Steps)
	}
}
