package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// memoryOps allocate and free memory, before and after memory planning, and move tensors.
func memoryOps() []*Op {
	shape := Arg{Name: "shape", Kind: Shape, Doc: "The extents of the tensor."}
	dt := Arg{Name: "dtype", Kind: DType, Doc: "The element type."}
	device := Arg{Name: "runtime_device_index", Kind: Prim, Doc: "The device; -1 is the host."}
	scope := Arg{Name: "storage_scope", Kind: String, Doc: "The memory scope."}
	storage := Arg{Name: "storage", Kind: AnyValue, Doc: "The storage."}
	offset := Arg{Name: "offset", Kind: Prim, Doc: "The offset in the storage in bytes."}
	data := []Arg{{Name: "data", Doc: "The input tensor."}}
	optionalDevice := device
	optionalDevice.Optional = true
	return []*Op{
		{
			Name: "relax.builtin.alloc_tensor", Args: []Arg{shape, dt, device, scope}, Infer: inferAllocTensor(0, 1),
			Allocates: true, Pattern: Opaque, Doc: "Allocates a tensor.",
		},
		{Name: "relax.builtin.stop_lift_params", Args: []Arg{{Name: "x", Doc: "The input tensor."}}, Infer: inferUnary, Pattern: Opaque, Doc: "Marks where the transformation of parameters ends."},
		{
			Name: "relax.memory.alloc_storage",
			Args: []Arg{
				{Name: "total_space", Kind: Shape, Doc: "The size in bytes."},
				{Name: "virtual_device_index", Kind: Prim, Doc: "The device; -1 is the host."},
				scope, dt,
			},
			Infer: inferObject, Allocates: true, Pattern: Opaque, Doc: "Allocates the storage of planned tensors.",
		},
		{
			Name: "relax.memory.alloc_tensor", Args: []Arg{storage, offset, shape, dt, optionalDevice}, Infer: inferAllocTensor(2, 3),
			Allocates: true, Pattern: Opaque, Doc: "Makes a tensor in a storage.",
		},
		{Name: "relax.memory.kill_storage", Args: []Arg{storage}, Infer: inferVoid, Impure: true, Pattern: Opaque, Doc: "Ends the life of a storage."},
		{Name: "relax.memory.kill_tensor", Args: []Arg{{Name: "tensor", Doc: "The tensor."}}, Infer: inferVoid, Impure: true, Pattern: Opaque, Doc: "Ends the life of a tensor."},
		{
			Name: "relax.memory.view",
			Args: []Arg{
				data[0],
				{Name: "shape", Kind: AnyValue, Doc: "The shape of the view, or an empty tuple to keep it."},
				{Name: "dtype", Kind: AnyValue, Doc: "The element type, or an empty tuple to keep it."},
				{Name: "relative_byte_offset", Kind: AnyValue, Doc: "The offset in bytes, or an empty tuple for none."},
			},
			Infer: inferView, Pattern: Opaque, Doc: "Views the memory of a tensor as another one.",
		},
		{Name: "relax.memory.ensure_zero_offset", Args: data, Infer: inferUnary, Pattern: Opaque, Doc: "Copies a tensor that does not start where its storage does."},
		{
			Name: "relax.vm.alloc_storage", Args: []Arg{{Name: "size", Kind: Shape, Doc: "The size in bytes."}, device, dt, scope},
			Infer: inferObject, Allocates: true, Pattern: Opaque, Doc: "Allocates a storage in the virtual machine.",
		},
		{
			Name: "relax.vm.alloc_tensor", Args: []Arg{storage, offset, shape, dt, optionalDevice}, Infer: inferAllocTensor(2, 3),
			Allocates: true, Pattern: Opaque, Doc: "Makes a tensor in a storage of the virtual machine.",
		},
		{Name: "relax.vm.kill_object", Args: []Arg{{Name: "obj", Kind: AnyValue, Doc: "The object."}}, Infer: inferVoid, Impure: true, Pattern: Opaque, Doc: "Drops a register of the virtual machine."},
		{
			Name: "relax.vm.call_tir_dyn", Args: []Arg{{Name: "func", Kind: Callee, Doc: "The function."}, {Name: "args", Kind: Tuple, Doc: "The tensors, then a shape with the scalars."}},
			Infer: inferVoid, Impure: true, Pattern: Opaque, Doc: "Calls a PrimFunc whose scalars stand in a shape.",
		},
		{
			Name: "relax.to_vdevice", Args: data, Infer: inferToVDevice, Pattern: Opaque,
			Attrs: []Attr{{Name: "dst_vdevice", Type: NodeAttr, Required: true, Doc: "The virtual device."}}, Doc: "Copies a tensor to a device.",
		},
		{
			Name: "relax.hint_on_device", Args: data, Infer: inferUnary, Pattern: Opaque,
			Attrs: []Attr{
				{Name: "device_type", Type: IntAttr, Required: true, Doc: "The kind of device, by DLPack."},
				{Name: "index", Type: IntAttr, Default: int64(0), Doc: "The number of the device."},
				{Name: "memory_scope", Type: StringAttr, Default: "global", Doc: "The memory scope."},
			},
			Doc: "Says on which device a tensor should be.",
		},
	}
}

// inferAllocTensor returns the rule of an allocation with the shape and the element type at
// the given places.
func inferAllocTensor(shape, dt int) InferFunc {
	return func(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
		imm, ok := call.Args[dt].(*relax.DataTypeImm)
		if !ok {
			return nil, c.argErr(dt, "another expression", "an element type")
		}
		return c.filled(shape, imm.Value)
	}
}

// isVoid reports whether e is the empty tuple that stands for an argument left out.
func isVoid(e relax.Expr) bool { t, ok := e.(*relax.Tuple); return ok && len(t.Fields) == 0 }

func inferView(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	dt := t.DType
	if !isVoid(call.Args[2]) {
		switch imm := c.bound(call.Args[2]).(type) {
		case *relax.DataTypeImm:
			dt = imm.Value
		case *relax.Var: // an element type that is known when the program runs
			if _, ok := c.SInfo(2).(*relax.ObjectStructInfo); !ok {
				return nil, c.argErr(2, describe(c.SInfo(2)), "an element type")
			}
			dt = dtype.Void
		default:
			return nil, c.argErr(2, describe(c.SInfo(2)), "an element type")
		}
	}
	if !isVoid(call.Args[3]) {
		if p, ok := c.SInfo(3).(*relax.PrimStructInfo); !ok || p.DType != dtype.Int64T {
			return nil, c.argErr(3, describe(c.SInfo(3)), "a scalar of type int64")
		}
	}
	if isVoid(call.Args[1]) {
		switch {
		case dt.IsVoid() || t.DType.IsVoid(): // how many elements there are is not known
			return rankOf(dt, t.NDim, t), nil
		case dt.Bytes() <= t.DType.Bytes(): // as many elements, of the bytes that come first
			return withDType(t, dt), nil
		}
		return nil, c.argErr(1, "none", "a shape, since %s is larger than %s", dt, t.DType)
	}
	out, err := c.filled(1, dt, t)
	if err != nil {
		return nil, err
	}
	return out, c.checkViewSize(t, out.(*relax.TensorStructInfo), isVoid(call.Args[3]))
}

// checkViewSize checks that a view needs no more memory than there is.
func (c *InferContext) checkViewSize(from, to *relax.TensorStructInfo, whole bool) error {
	x, ok := c.dimsOf(from)
	y, ok2 := c.dimsOf(to)
	if !ok || !ok2 || from.DType.IsVoid() || to.DType.IsVoid() {
		return nil
	}
	a, aok := tir.AsInt(tir.Mul(c.product(x), tir.Int(int64(from.DType.Bytes()))))
	b, bok := tir.AsInt(tir.Mul(c.product(y), tir.Int(int64(to.DType.Bytes()))))
	if aok && bok && (b > a || (whole && b == 0 && a != 0)) {
		return c.argErr(1, formatValue(b)+" bytes for "+describe(to), "at most the %d bytes of %s", a, describe(from))
	}
	return nil
}

func inferToVDevice(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	v, _ := call.Attrs.Get("dst_vdevice")
	device, ok := v.(*relax.VDevice)
	if !ok {
		return nil, c.attrErr("dst_vdevice", formatValue(v), "a virtual device")
	}
	return t.WithVDevice(device), nil
}

// AllocTensor returns the allocation of a tensor before memory planning.
func AllocTensor(shape relax.Expr, dt dtype.DType, device int64, scope string) *relax.Call {
	return build("relax.builtin.alloc_tensor", nil, shape, &relax.DataTypeImm{Value: dt}, prim(device), &relax.StringImm{Value: scope})
}

func prim(n int64) *relax.PrimValue { return &relax.PrimValue{Value: tir.Int(n)} }
