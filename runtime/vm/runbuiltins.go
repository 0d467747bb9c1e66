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
	text, err := message(s, args[1:], ", ")
	if err != nil {
		return runtime.Null(), err
	}
	if text == "" {
		text = "Assertion Failed"
	}
	return runtime.Null(), &CheckError{Kind: "AssertionError", Message: text}
}

// print(format, values...) writes a line to the output of the machine.
func (m *Machine) print(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	text, err := message(s, args, " ")
	if err != nil || m.opts.Output == nil {
		return runtime.Null(), err
	}
	if _, err := fmt.Fprintln(m.opts.Output, text); err != nil {
		return runtime.Null(), fmt.Errorf("printing: %w", err)
	}
	return runtime.Null(), nil
}

// message formats values by the format before them.
func message(s *runtime.Session, args []runtime.Value, sep string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	format, ok := args[0].AsString()
	if !ok {
		return "", fmt.Errorf("the format is %v, expected a string", args[0])
	}
	return formatted(s, format, args[1:], sep)
}
