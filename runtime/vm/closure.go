package vm

import (
	"fmt"
	"sync/atomic"

	"github.com/irscope/irscope/runtime"
)

// closure is a function with its last arguments bound.
type closure struct {
	fn       runtime.Func
	captured []runtime.Value
	refs     atomic.Int32
}

// Name is the name of the function that is closed over.
func (c *closure) Name() string { return c.fn.Name() }

// Call calls the function with the captured values after args.
func (c *closure) Call(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	all := make([]runtime.Value, 0, len(args)+len(c.captured))
	all = append(append(all, args...), c.captured...)
	return c.fn.Call(s, all)
}

// Retain adds a reference.
func (c *closure) Retain() { c.refs.Add(1) }

// Release drops a reference; the last one releases what is captured.
func (c *closure) Release() {
	if c.refs.Add(-1) != 0 {
		return
	}
	for _, v := range c.captured {
		v.Release()
	}
	runtime.FuncValue(c.fn).Release()
	c.captured = nil
}

// makeClosure(f, values...) binds values as the last arguments of f.
func makeClosure(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	f := a.fn(0)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	for _, v := range args {
		v.Retain() // f itself and what it captures
	}
	c := &closure{fn: f, captured: append([]runtime.Value(nil), args[1:]...)}
	c.refs.Store(1)
	return runtime.FuncValue(c), nil
}

// invokeClosure(vm, f, args...) calls a closure or any other function.
func invokeClosure(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	f := a.fn(1)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	return f.Call(s, args[2:])
}

// makeTuple(values...) makes a tuple.
func makeTuple(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	return runtime.TupleValue(args...), nil
}

// tupleGetItem(tuple, index) reads a field.
func tupleGetItem(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t, i := a.tuple(0), a.int(1)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if i < 0 || i >= int64(len(t.Fields)) {
		return runtime.Null(), fmt.Errorf("field %d is out of range: the tuple has %d", i, len(t.Fields))
	}
	t.Fields[i].Retain()
	return t.Fields[i], nil
}

// tupleResetItem(tuple, index) replaces a field by None, so that the tuple no longer
// keeps its memory.
func tupleResetItem(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t, i := a.tuple(0), a.int(1)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if i < 0 || i >= int64(len(t.Fields)) {
		return runtime.Null(), fmt.Errorf("field %d is out of range: the tuple has %d", i, len(t.Fields))
	}
	old := t.Fields[i]
	t.Fields[i] = runtime.Null()
	old.Release()
	return runtime.Null(), nil
}
