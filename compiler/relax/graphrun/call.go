package graphrun

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func (f *frame) callExpr(c *relax.Call) (Value, error) {
	switch callee := c.Op.(type) {
	case *ir.Op:
		return f.operator(c, callee.Name)
	case *ir.GlobalVar:
		args, err := f.list(c.Args)
		if err != nil {
			return nil, err
		}
		return f.global(callee, args)
	case *relax.ExternFunc:
		args, err := f.list(c.Args)
		if err != nil {
			return nil, err
		}
		return f.builtin(callee.Symbol, args)
	case relax.Expr:
		fn, err := f.eval(callee)
		if err != nil {
			return nil, err
		}
		args, err := f.list(c.Args)
		if err != nil {
			return nil, err
		}
		return f.invoke(fn, args)
	}
	return nil, unsupported("a call of a %T cannot be run", c.Op)
}

// global calls a function of the module.
func (f *frame) global(gv *ir.GlobalVar, args Tuple) (Value, error) {
	if _, graph := f.mod.Lookup(gv.Name).(*relax.Function); graph {
		return f.call(gv.Name, args)
	}
	return f.kernel(gv.Name, args)
}

// invoke calls a value: a function, or a closure, whose captured values are its last arguments.
func (f *frame) invoke(fn Value, args Tuple) (Value, error) {
	switch fn := fn.(type) {
	case *Closure:
		if fn.local != nil {
			return fn.frame.local(fn.local, args)
		}
		return f.global(fn.fn, append(append(Tuple{}, args...), fn.captured...))
	case *ir.GlobalVar:
		return f.global(fn, args)
	case Func:
		return fn(args)
	}
	return nil, unsupported("a call of a %T cannot be run", fn)
}

// kernel runs a PrimFunc on tensors and scalars.
func (f *frame) kernel(name string, args []Value) (Value, error) {
	fn, ok := f.mod.Lookup(name).(*tir.PrimFunc)
	if !ok {
		return nil, fmt.Errorf("there is no kernel %s", name)
	}
	return f.opts.Kernel(f.ctx, f.mod, name, fn, args)
}

// callTIR runs a kernel with results of its own, or over its arguments where inplace says so.
func (f *frame) callTIR(c *relax.Call) (Value, error) {
	inputs, err := f.list(fields(c.Args[1]))
	if err != nil {
		return nil, err
	}
	args := append([]Value{}, inputs...)
	infos := c.SInfoArgs
	t, tuple := infos[0].(*relax.TupleStructInfo)
	if tuple {
		infos = t.Fields
	}
	inplace := c.Attrs.Ints("inplace_indices")
	var outs Tuple
	for i, s := range infos {
		if i < len(inplace) && inplace[i] >= 0 {
			outs = append(outs, inputs[inplace[i]])
			continue
		}
		info := s.(*relax.TensorStructInfo)
		dims, _ := info.Dims()
		shape, err := f.dims(dims)
		if err != nil {
			return nil, err
		}
		out, err := f.alloc(info.DType, shape)
		if err != nil {
			return nil, err
		}
		args, outs = append(args, out), append(outs, out)
	}
	if len(c.Args) > 2 {
		v, err := f.eval(c.Args[2])
		if err != nil {
			return nil, err
		}
		args = appendInts(args, v.(Shape))
	}
	if ext, ok := c.Args[0].(*relax.ExternFunc); ok {
		_, err = f.builtin(ext.Symbol, args)
	} else {
		_, err = f.kernel(c.Args[0].(*ir.GlobalVar).Name, args)
	}
	if tuple || len(outs) > 1 {
		return outs, err
	}
	return outs[0], err
}

func appendInts(args []Value, s Shape) []Value {
	for _, n := range s {
		args = append(args, n)
	}
	return args
}

func fields(e relax.Expr) []relax.Expr {
	if t, ok := e.(*relax.Tuple); ok {
		return t.Fields
	}
	return []relax.Expr{e}
}

func (f *frame) operator(c *relax.Call, name string) (Value, error) {
	switch name {
	case "relax.call_tir", "relax.call_tir_inplace", "relax.call_dps_packed":
		return f.callTIR(c)
	case "relax.memory.kill_tensor", "relax.memory.kill_storage", "relax.vm.kill_object":
		if v, ok := c.Args[0].(*relax.Var); ok {
			reg, err := f.register(v)
			if err != nil {
				return nil, err
			}
			reg.dead = true
		}
		return nil, nil
	}
	args, err := f.list(c.Args)
	if err != nil {
		return nil, err
	}
	switch name {
	case "relax.builtin.alloc_tensor":
		return f.alloc(args[1].(dtype.DType), args[0].(Shape))
	case "relax.memory.alloc_storage", "relax.vm.alloc_storage":
		n := args[0].(Shape)[0]
		if n < 0 {
			return nil, fmt.Errorf("storage of %d bytes", n)
		}
		if err := f.take(n); err != nil {
			return nil, err
		}
		st := &Storage{make([]byte, n)}
		for i := range st.data {
			st.data[i] = 0xff
		}
		return st, nil
	case "relax.memory.alloc_tensor", "relax.vm.alloc_tensor":
		return place(args[0].(*Storage), args[1].(int64), args[2].(Shape), args[3].(dtype.DType))
	case "relax.call_pure_packed":
		return f.builtin(args[0].(*relax.ExternFunc).Symbol, args[1:])
	case "relax.vm.call_tir_dyn":
		return f.dynamic(args[0], args[1].(Tuple))
	case "relax.null_value":
		return nil, nil
	case "relax.make_closure":
		return &Closure{fn: args[0].(*ir.GlobalVar), captured: args[1].(Tuple)}, nil
	case "relax.invoke_closure", "relax.invoke_pure_closure":
		return f.invoke(args[0], args[1].(Tuple))
	case "relax.call_builtin_with_ctx":
		return f.builtin(args[0].(*relax.ExternFunc).Symbol, args[1].(Tuple))
	}
	if symbol := builtins[name]; symbol != "" {
		return f.builtin(symbol, args)
	}
	if out, ok, err := f.direct(c, args); ok {
		return out, err
	}
	return nil, &Unsupported{name, fmt.Sprintf("the operator %s has no kernel yet: LegalizeOps makes it", name)}
}

// direct has the options compute an operator whose result is one tensor; ok is false where they do not know it.
func (f *frame) direct(c *relax.Call, args []Value) (out *tensor.Tensor, ok bool, err error) {
	info, _ := relax.SInfoOf(c).(*relax.TensorStructInfo)
	if f.opts.Operator == nil || info == nil {
		return nil, false, nil
	}
	dims, ok := info.Dims()
	if !ok {
		return nil, false, nil
	}
	shape, err := f.dims(dims)
	if err != nil {
		return nil, true, err
	}
	if out, err = f.alloc(info.DType, shape); err != nil {
		return nil, true, err
	}
	ok, err = f.opts.Operator(c, args, out)
	return out, ok, err
}

// builtins are the operators that are functions of the runtime, with the same arguments.
var builtins = map[string]string{
	"relax.reshape":                   "vm.builtin.reshape",
	"relax.shape_of":                  "vm.builtin.shape_of",
	"relax.tensor_to_shape":           "vm.builtin.tensor_to_shape",
	"relax.shape_to_tensor":           "relax.run.shape_to_tensor",
	"relax.to_vdevice":                "vm.builtin.to_device",
	"relax.hint_on_device":            "vm.builtin.to_device",
	"relax.memory.ensure_zero_offset": "vm.builtin.ensure_zero_offset",
	"relax.memory.view":               "runtime.TVMTensorCreateView",
	"relax.print":                     "relax.run.print",
	"relax.assert_op":                 "relax.run.assert_op",
}

// dynamic calls a kernel whose last arguments are the entries of a shape.
func (f *frame) dynamic(fn Value, args Tuple) (Value, error) {
	last := len(args) - 1
	return f.kernel(fn.(*ir.GlobalVar).Name, appendInts(append([]Value{}, args[:last]...), args[last].(Shape)))
}

// place makes a tensor in a storage, which must be large enough.
func place(st *Storage, offset int64, shape Shape, dt dtype.DType) (*tensor.Tensor, error) {
	n, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if offset < 0 || offset > int64(len(st.data)) || n > int64(len(st.data))-offset {
		return nil, fmt.Errorf("a tensor of %d bytes at %d does not fit into storage of %d", n, offset, len(st.data))
	}
	return tensor.FromBytes(dt, shape, st.data[offset:offset+n])
}
