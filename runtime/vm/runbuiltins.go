package vm

import (
	"fmt"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
)

// shapeToTensor(shape) makes an int64 vector.
func (m *Machine) shapeToTensor(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	dims := a.shape(0)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	t, err := m.dev.NewTensor(dtype.Int64T, []int64{int64(len(dims))})
	if err != nil {
		return runtime.Null(), err
	}
	for i, d := range dims {
		putInt64(t.Bytes(s)[8*i:], d)
	}
	return runtime.TensorValue(t), nil
}

// assertOp(cond, format, values...) fails where cond is false.
func assertOp(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	ok, err := readIfCond(s, []runtime.Value{v})
	if err != nil {
		return runtime.Null(), err
	}
	if n, _ := ok.AsInt(); n != 0 {
		return runtime.Null(), nil
	}
	return runtime.Null(), &CheckError{Kind: "AssertionError", Message: "Assertion Failed" + message(args[1:])}
}

func (m *Machine) print(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	if m.opts.Output == nil {
		return runtime.Null(), nil
	}
	text := ""
	for i, v := range args {
		if i > 0 {
			text += " "
		}
		if str, ok := v.AsString(); ok {
			text += str
		} else {
			text += v.String()
		}
	}
	if _, err := fmt.Fprintln(m.opts.Output, text); err != nil {
		return runtime.Null(), fmt.Errorf("printing: %w", err)
	}
	return runtime.Null(), nil
}

func message(args []runtime.Value) string {
	text := ""
	for _, v := range args {
		if str, ok := v.AsString(); ok {
			text += ": " + str
		} else {
			text += ", " + v.String()
		}
	}
	return text
}
