package script_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
)

// TestTVMForm prints a module as TVM's own script() arranges it and reads it back.
func TestTVMForm(t *testing.T) {
	want := `# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"fast": True})

    @T.prim_func
    def kernel(x: T.Buffer((T.int64(128),), "float32"), y: T.Buffer((T.int64(128),), "float32"), z: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": True})
        if x[T.int64(0)] > T.float32(0.0):
            return 5
        return T.int64(7)

    early = R.ExternFunc("early")

    @R.function
    def aside(x: R.Tensor((128,), dtype="float32")) -> R.Tensor((128,), dtype="float32"):
        return x

    @R.function
    def main(x: R.Tensor((128,), dtype="float32")) -> R.Tensor((128,), dtype="float32"):
        cls = Module
        # from tvm.script import ir as I
        # from tvm.script import tir as T
        # from tvm.script import relax as R

        @R.function
        def nested(y: R.Tensor((128,), dtype="float32")) -> R.Tensor((128,), dtype="float32"):
            return y

        gv: R.Tensor((128,), dtype="float32") = cls.aside(x)
        return gv
`
	m, diags := parse.Module("tvm.py", want, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	got := script.Module(m, script.Options{TVM: true}).Source
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, diags := parse.Module("again.py", got, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	if d := ir.FirstModuleMismatch(m, again, ir.EqualOpts{}); d != nil {
		t.Errorf("it reads back as another module: %s", d)
	}
	alone, diags := parse.Module("alone.py", "@R.function(private=True)\ndef f(x: R.Object) -> R.Object:\n    return x\n", parse.Options{Nameless: true})
	if len(diags) > 0 || alone.Lookup("main") == nil {
		t.Errorf("a private function alone is not main: %v", diags)
	}
}
