package graphrun

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
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
		if _, graph := f.mod.Lookup(callee.Name).(*relax.Function); graph {
			return f.call(callee.Name, args)
		}
		return f.kernel(callee.Name, args)
	case *relax.ExternFunc:
		args, err := f.list(c.Args)
		if err != nil {
			return nil, err
		}
		return builtin(callee.Symbol, args)
	}
	return nil, fmt.Errorf("cannot call a %T", c.Op)
}

// kernel runs a PrimFunc on tensors and scalars.
func (f *frame) kernel(name string, args []Value) (Value, error) {
	fn, ok := f.mod.Lookup(name).(*tir.PrimFunc)
	if !ok {
		return nil, fmt.Errorf("there is no kernel %s", name)
	}
	p := f.programs[fn]
	if p == nil {
		var err error
		if p, err = interp.Compile(fn, &interp.Options{Name: name, Lookup: interp.ModuleLookup(f.mod), MaxSteps: MaxSteps}); err != nil {
			return nil, err
		}
		f.programs[fn] = p
	}
	return p.Call(f.ctx, args)
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
		_, err = builtin(ext.Symbol, args)
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
		st := &Storage{make([]byte, args[0].(Shape)[0])}
		for i := range st.data {
			st.data[i] = 0xff
		}
		return st, nil
	case "relax.memory.alloc_tensor", "relax.vm.alloc_tensor":
		return place(args[0].(*Storage), args[1].(int64), args[2].(Shape), args[3].(dtype.DType))
	case "relax.reshape":
		return builtin("vm.builtin.reshape", args)
	case "relax.shape_of":
		return builtin("vm.builtin.shape_of", args)
	case "relax.tensor_to_shape":
		return builtin("vm.builtin.tensor_to_shape", args)
	case "relax.call_pure_packed":
		return builtin(args[0].(*relax.ExternFunc).Symbol, args[1:])
	case "relax.vm.call_tir_dyn":
		return f.dynamic(args[0], args[1].(Tuple))
	case "relax.null_value":
		return nil, nil
	case "relax.call_builtin_with_ctx":
		symbol, t := args[0].(*relax.ExternFunc).Symbol, args[1].(Tuple)
		if symbol == "vm.builtin.call_tir_dyn" {
			return f.dynamic(t[0], t[1:])
		}
		return builtin(symbol, t)
	}
	return nil, fmt.Errorf("operator %s was not legalized", name)
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
	if offset+n > int64(len(st.data)) {
		return nil, fmt.Errorf("a tensor of %d bytes does not fit into storage of %d", n, len(st.data))
	}
	return tensor.FromBytes(dt, shape, st.data[offset:offset+n])
}
