package vm

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// CheckError is a failed run-time check of a type or shape. Context is the text that
// VMShapeLower attached: function, parameter and annotation.
type CheckError struct {
	Kind    string // TypeError, ValueError or RuntimeError
	Context string
	Message string
}

// Error joins kind, context and message as TVM does.
func (e *CheckError) Error() string {
	ctx := strings.TrimSpace(e.Context)
	if ctx != "" {
		ctx += " "
	}
	return e.Kind + ": " + ctx + e.Message
}

func check(kind, ctx, format string, args ...any) error {
	return &CheckError{kind, ctx, fmt.Sprintf(format, args...)}
}

func checkTensorInfo(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	ndim := a.int(1)
	var dt dtype.DType
	last := 2
	if len(args) > 3 {
		dt, last = a.dtype(2), 3
	}
	ctx := a.context(last)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	t, ok := v.AsTensor()
	if !ok {
		return runtime.Null(), check("TypeError", ctx, "expect a Tensor but get %v", v.Kind())
	}
	if ndim != -1 && int64(len(t.Shape())) != ndim {
		return runtime.Null(), check("ValueError", ctx, "expect Tensor with ndim %d but get %d, shape %s", ndim, len(t.Shape()), tensor.ShapeString(t.Shape()))
	}
	if !dt.IsVoid() && t.DType() != dt {
		return runtime.Null(), check("ValueError", ctx, "expect Tensor with dtype %v but get %v", dt, t.DType())
	}
	return runtime.Null(), nil
}

func checkShapeInfo(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	ndim, ctx := a.int(1), a.context(2)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	dims, ok := v.AsShape()
	if !ok {
		return runtime.Null(), check("TypeError", ctx, "expect a Shape but get %v", v.Kind())
	}
	if ndim != -1 && int64(len(dims)) != ndim {
		return runtime.Null(), check("ValueError", ctx, "expect Shape with ndim %d but get %d", ndim, len(dims))
	}
	return runtime.Null(), nil
}

func checkPrimValueInfo(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	dt, ctx := a.dtype(1), a.context(2)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	ok := false
	switch k := v.Kind(); {
	case dt.IsBool():
		ok = k == runtime.KindBool || k == runtime.KindInt
	case dt.IsInteger():
		ok = k == runtime.KindInt || k == runtime.KindBool
	case dt.IsFloat():
		_, ok = v.AsFloat()
	case dt.IsVoid():
		_, ok = v.AsFloat()
	default:
		return runtime.Null(), check("TypeError", ctx, "unsupported dtype %v", dt)
	}
	if !ok {
		return runtime.Null(), check("TypeError", ctx, "expected dtype %v, but received %v", dt, v.Kind())
	}
	return runtime.Null(), nil
}

func checkTupleInfo(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	n, ctx := a.int(1), a.context(2)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	t, ok := v.AsTuple()
	if !ok {
		return runtime.Null(), check("TypeError", ctx, "expect a Tuple but get %v", v.Kind())
	}
	if int64(len(t.Fields)) != n {
		return runtime.Null(), check("ValueError", ctx, "expect a Tuple with %d elements, but get a Tuple with %d elements", n, len(t.Fields))
	}
	return runtime.Null(), nil
}

func checkFuncInfo(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	ctx := a.context(1)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if _, ok := v.AsFunc(); !ok {
		return runtime.Null(), check("TypeError", ctx, "expect a Function but get %v", v.Kind())
	}
	return runtime.Null(), nil
}
