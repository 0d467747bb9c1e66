package relax_test

import (
	"fmt"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// A rewrite of one operator: the mutator binds what is new, infers its struct info and keeps the
// rest of the function as it is.
func ExampleExprMutator() {
	bb := op.NewBlockBuilder(nil)
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(f32, tir.Int(2), tir.Int(4))}
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.BeginDataflow()
	y := must2(bb.EmitOutput(op.Unary("nn.silu", x), "y"))
	bb.EndDataflow()
	must2(bb.EndFunction(y))

	m := op.NewExprMutator(bb.Module())
	m.Call = func(call *relax.Call) relax.Expr {
		if _, ok := op.Is(call, "relax.nn.silu"); !ok {
			return call
		}
		x := call.Args[0]
		return op.Multiply(x, m.Emit(op.Unary("sigmoid", x), ""))
	}
	mod, err := m.Module()
	if err != nil {
		panic(err)
	}
	fmt.Print(script.Module(mod, script.Options{}).Source)
	// Output:
	// # from tvm.script import ir as I
	// # from tvm.script import tir as T
	// # from tvm.script import relax as R
	//
	// @I.ir_module
	// class Module:
	//     @R.function
	//     def main(x: R.Tensor((2, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
	//         with R.dataflow():
	//             lv: R.Tensor((2, 4), dtype="float32") = R.sigmoid(x)
	//             y: R.Tensor((2, 4), dtype="float32") = R.multiply(x, lv)
	//             R.output(y)
	//         return y
}
