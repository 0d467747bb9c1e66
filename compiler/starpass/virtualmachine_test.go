package starpass_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// twoFunctions is the beginning of a script with a module.
const twoFunctions = `import tvm
from tvm import relax
from tvm.script import relax as R, ir as I, tir as T

@I.ir_module
class Two:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.nn.relu(a)
            R.output(a, b)
        return (a, b)

    @R.function
    def neg(x: R.Tensor(("n",), "int64")) -> R.Tensor(("n",), "int64"):
        with R.dataflow():
            b = R.negative(x)
            R.output(b)
        return b

    @T.prim_func
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "twice"})
        for i in range(4):
            with T.block("B"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * T.float32(2)

`

// compiled runs a script that may compile, and returns what it printed.
func compiled(t *testing.T, source string) (string, error) {
	t.Helper()
	engine := compiler.NewEngine()
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	var out bytes.Buffer
	s, err := starpass.Parse("t.star", source, starpass.Limits{Print: &out})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(starpass.RunOptions{
		Context: passContext(t), Module: module(t, relaxText),
		Build: func(ctx context.Context, of target.Target, lowered, source *ir.Module) (starpass.Compiled, error) {
			res := &compiler.Result{Module: lowered}
			if err := compiler.Codegen(ctx, of, res, source); err != nil {
				return nil, err
			}
			return res.Artifact.Open(ctx, engine, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
		},
	})
	return out.String(), err
}

// TestVirtualMachine compiles a module in a script and runs its functions: results are those of arithmetic by hand.
func TestVirtualMachine(t *testing.T) {
	got, err := compiled(t, twoFunctions+`
def main(mod):
    with tvm.transform.PassContext(opt_level=3):
        ex = tvm.compile(Two, target="wasm")
    dev = tvm.device("cpu", 0)
    vm = relax.VirtualMachine(ex, dev)
    x = tvm.runtime.tensor([[1.0, -2, 3], [4, 5, -60]], dev)
    a, b = vm["main"](x, relax.const([[0.5] * 3] * 2, "float32"))
    print(a.numpy().values(), b.shape, b.dtype, b.values())
    print(vm["neg"](tvm.runtime.tensor([1, -7], dtype="int64")).values(), vm["neg"](tvm.runtime.tensor([5], dtype="int64")).item())
    print(vm["twice"]([1.0, 2.0, 3.0, -4.0], [0.0] * 4).values())
    other = relax.VirtualMachine(relax.build(Two, "wasm", relax_pipeline=relax.get_pipeline("default")), tvm.cpu())
    print(other["neg"](tvm.runtime.tensor([2], dtype="int64")).values())
`)
	want := `[1.5, -1.5, 3.5, 4.5, 5.5, -59.5] [2, 3] float32 [1.5, 0.0, 3.5, 4.5, 5.5, 0.0]
[-1, 7] -5
[2.0, 4.0, 6.0, -8.0]
[-2]
`
	if err != nil || got != want {
		t.Errorf("got %v\n%s", err, got)
	}
}

// TestVirtualMachineRefuses names what is wrong with a program or with its arguments.
func TestVirtualMachineRefuses(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`tvm.compile(3)`, "expected an IRModule, got"},
		{`tvm.compile(Two, target="nothing")`, "nothing"},
		{`tvm.compile(Two, relax_pipeline="nothing")`, "relax_pipeline: "},
		{`tvm.compile(Two, relax_pipeline=3)`, "expected the name of a pipeline or a pass, got"},
		{`tvm.compile(Two, relax_pipeline=relax.transform.LegalizeOps())`, "run "},
		{`tvm.compile(Two)["main"]`, "relax.VirtualMachine(executable, tvm.cpu())"},
		{`relax.VirtualMachine(Two)`, "expected what tvm.compile gives"},
		{`relax.VirtualMachine(tvm.compile(Two))["other"]`, `has no function "other"`},
		{`relax.VirtualMachine(tvm.compile(Two))[3]`, "has functions by name"},
		{`relax.VirtualMachine(tvm.compile(Two))["main"]([1.0], [1.0])`, "input x is float32[1], expected float32[2, 3]"},
		{`relax.VirtualMachine(tvm.compile(Two))["neg"]()`, "1 input"},
		{`relax.VirtualMachine(tvm.compile(Two))["neg"](x=1)`, "arguments have no names here"},
		{`relax.VirtualMachine(tvm.compile(Two))["neg"]("a")`, "argument 0: expected numbers"},
		{`tvm.cpu(1)`, "there is no device cpu(1)"},
		{`tvm.device("cuda")`, "there is no device cuda(0)"},
		{`[tvm.compile(tvm.IRModule({"neg": Two["neg"]})) for _ in range(65)]`, "more than the limit of 64 programs"},
	} {
		if _, err := compiled(t, twoFunctions+"def main(mod):\n    "+c.body+"\n"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
	// A pass does not compile, and neither does a script that nobody lets.
	inPass := `
@tvm.transform.module_pass(opt_level=0)
def p(mod, ctx):
    tvm.compile(Two)
    return mod

def main(mod):
    p(mod)
`
	if _, err := compiled(t, twoFunctions+inPass); err == nil || !strings.Contains(err.Error(), "nothing is compiled here") {
		t.Errorf("in a pass: %v", err)
	}
	if _, _, err := run(t, twoFunctions+"def main(mod):\n    tvm.compile(Two)\n", nil, starpass.Limits{}); err == nil || !strings.Contains(err.Error(), "nothing is compiled here") {
		t.Errorf("without a builder: %v", err)
	}
}
