package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// coreOps are the calls of kernels, packed functions and closures, and what works on shapes.
func coreOps() []*Op {
	fn := Arg{Name: "func", Kind: Callee, Doc: "The destination-passing function."}
	args := Arg{Name: "args", Kind: Tuple, Doc: "The input arguments."}
	ints := Arg{Name: "packed_ints", Kind: Shape, Doc: "Scalars that are passed after the tensors.", Optional: true}
	inplace := Attr{Name: "inplace_indices", Type: IntsAttr, Required: true, Doc: "For each result the argument whose memory it takes, or -1."}
	vals := Arg{Name: "vals", Kind: AnyValue, Doc: "The format and the values.", Variadic: true}
	x := Arg{Name: "input", Doc: "The input tensor."}
	return []*Op{
		{
			Name: "relax.call_tir", Args: []Arg{fn, args, ints}, Infer: inferOutSInfo, Normalize: normalizeCallTIR, Pattern: Opaque,
			Doc: "Calls a PrimFunc of the module, which writes its results to fresh tensors.",
		},
		{
			Name: "relax.call_tir_inplace", Args: []Arg{fn, args, ints}, Attrs: []Attr{inplace},
			Infer: inferCallTIRInplace, Normalize: normalizeCallTIR, Pattern: Opaque,
			Doc: "Calls a PrimFunc that writes some results over its arguments.",
		},
		{
			Name: "relax.call_dps_packed", Args: []Arg{fn, args}, Infer: inferOutSInfo, Pattern: Opaque,
			Doc: "Calls a packed function that writes its results to fresh tensors.",
		},
		{
			Name: "relax.call_pure_packed", Args: []Arg{{Name: "args", Kind: AnyValue, Doc: "The function, then its arguments.", Variadic: true}},
			Infer: inferCallPurePacked, Pattern: Opaque, Doc: "Calls a packed function that has no side effects.",
		},
		{
			Name: "relax.call_builtin_with_ctx", Args: []Arg{{Name: "func", Kind: Callee, Doc: "The function."}, args},
			Infer: inferSInfoArgsOrVoid, Impure: true, Pattern: Opaque, Doc: "Calls a function of the runtime that also gets the virtual machine.",
		},
		{Name: "relax.null_value", Infer: inferObject, Pattern: Opaque, Doc: "The null object."},
		{Name: "relax.print", Args: []Arg{vals}, Infer: inferVoid, Impure: true, Pattern: Opaque, Doc: "Prints values by a format."},
		{
			Name: "relax.assert_op", Args: []Arg{{Name: "condition", Kind: AnyValue, Doc: "What must hold."}, vals},
			Infer: inferAssert, Impure: true, Pattern: Opaque, Doc: "Fails with a message where a condition does not hold.",
		},
		{
			Name: "relax.make_closure", Args: []Arg{{Name: "func", Kind: Callee, Doc: "The function."}, {Name: "args", Kind: Tuple, Doc: "The captured values."}},
			Infer: inferObject, Pattern: Opaque, Doc: "Makes a closure of a function and the values it captures.",
		},
		{
			Name: "relax.invoke_closure", Args: []Arg{{Name: "closure", Kind: AnyValue, Doc: "The closure."}, args},
			Infer: inferClosureCall, Impure: true, Pattern: Opaque, Doc: "Calls a closure.",
		},
		{
			Name: "relax.invoke_pure_closure", Args: []Arg{{Name: "closure", Kind: AnyValue, Doc: "The closure."}, args},
			Infer: inferClosureCall, Pattern: Opaque, Doc: "Calls a closure that has no side effects.",
		},
		{Name: "relax.shape_of", Args: []Arg{x}, Infer: inferShapeOf, Pattern: Opaque, Doc: "The shape of a tensor."},
		{Name: "relax.size", Args: []Arg{x}, Infer: inferSize, Pattern: Opaque, Doc: "The number of elements of a tensor."},
		{Name: "relax.tensor_to_shape", Args: []Arg{x}, Infer: inferTensorToShape, Pattern: Opaque, Doc: "The elements of a tensor of one dimension as a shape."},
		{
			Name: "relax.shape_to_tensor", Args: []Arg{{Name: "input", Kind: Shape, Doc: "The shape."}},
			Infer: inferShapeToTensor, Pattern: Opaque, Doc: "The extents of a shape as a tensor of type int64.",
		},
	}
}

func inferVoid(*relax.Call, *InferContext) (relax.StructInfo, error) {
	return &relax.TupleStructInfo{}, nil
}

func inferObject(*relax.Call, *InferContext) (relax.StructInfo, error) { return relax.Object(), nil }

// inferOutSInfo takes the struct info of the result from the call.
func inferOutSInfo(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if len(call.SInfoArgs) != 1 {
		return nil, c.callErr(formatValue(int64(len(call.SInfoArgs))), "one struct info argument, that of the result")
	}
	return call.SInfoArgs[0], nil
}

func inferSInfoArgsOrVoid(call *relax.Call, _ *InferContext) (relax.StructInfo, error) {
	return relax.ResultOfSInfoArgs(call), nil
}

func inferClosureCall(call *relax.Call, _ *InferContext) (relax.StructInfo, error) {
	if len(call.SInfoArgs) == 0 {
		return relax.Object(), nil
	}
	return relax.ResultOfSInfoArgs(call), nil
}

func inferCallPurePacked(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if c.NumArgs() == 0 {
		return nil, c.callErr("none", "the function as first argument")
	}
	f, ok := c.SInfo(0).(*relax.FuncStructInfo)
	if !ok || !f.Opaque {
		return nil, c.argErr(0, describe(c.SInfo(0)), "a packed function")
	}
	if f.Derive == relax.DeriveBySInfoArgs || len(call.SInfoArgs) > 0 {
		return relax.ResultOfSInfoArgs(call), nil
	}
	return f.Ret, nil
}

func inferAssert(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	switch s := c.SInfo(0).(type) {
	case *relax.PrimStructInfo:
		if s.DType.IsBool() {
			return &relax.TupleStructInfo{}, nil
		}
	case *relax.TensorStructInfo:
		if s.NDim <= 0 && (s.DType.IsVoid() || s.DType.IsBool()) {
			return &relax.TupleStructInfo{}, nil
		}
	case *relax.ObjectStructInfo:
		return &relax.TupleStructInfo{}, nil
	}
	return nil, c.argErr(0, describe(c.SInfo(0)), "a scalar of type bool")
}

func inferShapeOf(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if d, ok := c.dimsOf(t); ok {
		return relax.ShapeOf(d...), nil
	}
	return &relax.ShapeStructInfo{NDim: t.NDim}, nil
}

func inferSize(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if _, err := c.Tensor(0); err != nil {
		return nil, err
	}
	return relax.ScalarTensor(dtype.Int64T), nil
}

func inferTensorToShape(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.integerTensor(0)
	if err != nil {
		return nil, err
	}
	if t.NDim >= 0 && t.NDim != 1 {
		return nil, c.argErr(0, describe(t), "a tensor of one dimension")
	}
	if d, ok := c.dimsOf(t); ok {
		if n, ok := tir.AsInt(d[0]); ok {
			return &relax.ShapeStructInfo{NDim: int(n)}, nil
		}
	}
	return &relax.ShapeStructInfo{NDim: -1}, nil
}

func inferShapeToTensor(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	s, err := c.Shape(0)
	if err != nil {
		return nil, err
	}
	if s.NDim < 0 {
		return rankOf(dtype.Int64T, 1), nil
	}
	return relax.StaticTensor(dtype.Int64T, int64(s.NDim)), nil
}

// ShapeOf returns the shape of x.
func ShapeOf(x relax.Expr) *relax.Call { return build("relax.shape_of", nil, x) }

// CallTIR calls the PrimFunc called by gv with tensors, for results of the given struct
// infos. tirVars, if there are any, are passed after the tensors.
func CallTIR(gv *ir.GlobalVar, args []relax.Expr, out []relax.StructInfo, tirVars ...tir.Expr) *relax.Call {
	list := []relax.Expr{gv, &relax.Tuple{Fields: args}}
	if len(tirVars) > 0 {
		list = append(list, &relax.ShapeExpr{Values: tirVars})
	}
	call := build("relax.call_tir", nil, list...)
	call.SInfoArgs = []relax.StructInfo{outSInfo(out)}
	return call
}

func outSInfo(out []relax.StructInfo) relax.StructInfo {
	if len(out) == 1 {
		return out[0]
	}
	return &relax.TupleStructInfo{Fields: out}
}
