package vm

import (
	"encoding/binary"
	"fmt"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
)

// arguments reads the arguments of a builtin; the first one that is missing or of
// another kind than asked for becomes err.
type arguments struct {
	args []runtime.Value
	err  error
}

func (a *arguments) fail(i int, want string) {
	if a.err != nil {
		return
	}
	if i < 0 || i >= len(a.args) {
		a.err = fmt.Errorf("argument %d is missing, expected %s", i, want)
		return
	}
	a.err = fmt.Errorf("argument %d is %v of kind %v, expected %s", i, a.args[i], a.args[i].Kind(), want)
}

// at is argument i, None where there is none: the caller says what it expected.
func (a *arguments) at(i int) runtime.Value {
	if i < 0 || i >= len(a.args) {
		return runtime.Null()
	}
	return a.args[i]
}

// value is argument i, of whatever kind.
func (a *arguments) value(i int) runtime.Value {
	if i < 0 || i >= len(a.args) {
		a.fail(i, "a value")
	}
	return a.at(i)
}

func (a *arguments) int(i int) int64 {
	v, ok := a.at(i).AsInt()
	if !ok {
		a.fail(i, "an int")
	}
	return v
}

// count reads a number of things, of which there are at most limit.
func (a *arguments) count(i int, limit int64) int64 {
	n := a.int(i)
	if a.err == nil && (n < 0 || n > limit) {
		a.err = fmt.Errorf("argument %d is %d, expected 0 to %d", i, n, limit)
	}
	if a.err != nil {
		return 0
	}
	return n
}

func (a *arguments) dtype(i int) dtype.DType {
	v, ok := a.at(i).AsDType()
	if !ok {
		a.fail(i, "a DataType")
	}
	return v
}

func (a *arguments) shape(i int) []int64 {
	v, ok := a.at(i).AsShape()
	if !ok {
		a.fail(i, "a Shape")
	}
	return v
}

func (a *arguments) string(i int) string {
	v, ok := a.at(i).AsString()
	if !ok {
		a.fail(i, "a str")
	}
	return v
}

// context reads the optional error context: a string or None, or nothing at all.
func (a *arguments) context(i int) string {
	if i >= len(a.args) || a.args[i].IsNull() {
		return ""
	}
	return a.string(i)
}

func (a *arguments) tensor(i int) *runtime.Tensor {
	v, ok := a.at(i).AsTensor()
	if !ok {
		a.fail(i, "a Tensor")
	}
	return v
}

func (a *arguments) storage(i int) *runtime.Storage {
	v, ok := a.at(i).AsStorage()
	if !ok {
		a.fail(i, "a Storage")
	}
	return v
}

func (a *arguments) tuple(i int) *runtime.Tuple {
	v, ok := a.at(i).AsTuple()
	if !ok {
		a.fail(i, "a Tuple")
	}
	return v
}

func (a *arguments) fn(i int) runtime.Func {
	v, ok := a.at(i).AsFunc()
	if !ok {
		a.fail(i, "a Function")
	}
	return v
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func getInt64(b []byte) int64    { return int64(binary.LittleEndian.Uint64(b)) }
func putInt64(b []byte, v int64) { binary.LittleEndian.PutUint64(b, uint64(v)) }
