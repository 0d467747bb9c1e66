package transform

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// halfConv reports whether a convolution of halves with constant weights adds in float32, as its kernel does that converts them.
func halfConv(call *relax.Call, k *constantValues) bool {
	if opName(call) != conv2d || call.Attrs.DType("out_dtype") != dtype.Float32T || !k.has(call.Args[1]) {
		return false
	}
	for _, a := range call.Args {
		if t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo); !ok || t.DType != dtype.Float16T {
			return false
		}
	}
	return true
}

// withWideHalves converts what such convolutions read to float32 in front of them: the weights once, when a program is loaded, and the data where it is written. Products of
// halves are exact in float32, so that nothing else is computed.
func withWideHalves(c *pass.Context, f *relax.Function, k *constantValues) (*relax.Function, error) {
	m := newMutator(c, c.Step().Input, ruleBlockConv)
	m.Call = func(call *relax.Call) relax.Expr {
		if !halfConv(call, k) {
			return call
		}
		args := make([]relax.Expr, len(call.Args))
		for i, a := range call.Args {
			args[i] = m.Emit(op.AsType(a, dtype.Float32T), "")
		}
		return call.WithArgs(args)
	}
	out, err := m.Function(f)
	if err != nil || out == f {
		return out, err
	}
	return ShareEqualValues(c, out, func(b relax.Binding) bool { return opName(b.BoundValue()) == "relax.astype" })
}
