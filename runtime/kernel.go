package runtime

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime/abi"
)

// Kernel is a generated function of a loaded module. Call needs no memory from Go.
type Kernel struct {
	mod  *Module
	name string
	fn   api.Function // made at the first call: each has a stack of its own
}

// Name is the symbol that the module exports the kernel under.
func (k *Kernel) Name() string { return k.name }

// Run calls the kernel in a session of its own.
func (k *Kernel) Run(ctx context.Context, args ...Value) (Value, error) {
	s, err := k.mod.dev.Begin(ctx)
	if err != nil {
		return Value{}, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	defer s.End()
	return k.Call(s, args)
}

// Call writes args to the argument area of the device and runs the kernel. Arguments are
// ints, bools, floats, None and tensors of the session's device; the result is None or a
// number. An error is a *KernelError that the kernel raised, a trap, or wraps ErrStopped.
func (k *Kernel) Call(s *Session, args []Value) (Value, error) {
	d := k.mod.dev
	if s.dev != d {
		return Value{}, fmt.Errorf("kernel %s: the session is on another device", k.name)
	}
	if len(args) > abi.MaxArgs {
		return Value{}, fmt.Errorf("kernel %s: %d arguments, at most %d are possible", k.name, len(args), abi.MaxArgs)
	}
	if k.fn == nil {
		if k.mod.mod == nil {
			return Value{}, fmt.Errorf("kernel %s: module %w", k.name, ErrClosed)
		}
		k.fn = k.mod.mod.ExportedFunction(k.name)
	}
	if d.raised.kind != "" {
		d.raised = raised{} // a failed import that its kernel did not mind
	}
	cells := d.mem[abi.ArgsAddr : abi.ArgsAddr+abi.MaxArgs*abi.CellSize]
	for i := range args {
		a := &args[i]
		var index uint32
		value := a.bits
		switch a.kind {
		case KindTensor:
			t := a.ref.(*Tensor)
			if t.dev != d {
				return Value{}, fmt.Errorf("kernel %s: argument %d, %v, is on another device", k.name, i, t)
			}
			index, value = abi.TypeDLTensorPtr, uint64(t.desc)
		case KindInt:
			index = abi.TypeInt
		case KindBool:
			index = abi.TypeBool
		case KindFloat:
			index = abi.TypeFloat
		case KindNull:
			index = abi.TypeNone
		default:
			return Value{}, fmt.Errorf("kernel %s: argument %d is a %v, expected a tensor or a number", k.name, i, a.kind)
		}
		c := cells[i*abi.CellSize : i*abi.CellSize+abi.CellSize]
		binary.LittleEndian.PutUint64(c, uint64(index))
		binary.LittleEndian.PutUint64(c[abi.CellValue:], value)
	}
	result := d.mem[abi.ResultAddr : abi.ResultAddr+abi.CellSize]
	clear(result)
	d.running, d.halted = k.mod, false
	d.stack = [4]uint64{0, abi.ArgsAddr, uint64(len(args)), abi.ResultAddr}
	err := k.fn.CallWithStack(d.ctx, d.stack[:])
	if code := int32(d.stack[0]); err != nil || code != abi.ErrNone {
		return Value{}, k.failed(s, err, code)
	}
	if len(d.workspaces) > 0 {
		d.freeWorkspaces()
	}
	switch index := binary.LittleEndian.Uint32(result); index {
	case abi.TypeNone:
		return Value{}, nil
	case abi.TypeInt, abi.TypeBool, abi.TypeFloat:
		v := Value{kind: KindInt, bits: binary.LittleEndian.Uint64(result[abi.CellValue:])}
		switch index {
		case abi.TypeBool:
			v = Bool(v.bits != 0)
		case abi.TypeFloat:
			v = Float(math.Float64frombits(v.bits))
		}
		return v, nil
	default:
		return Value{}, fmt.Errorf("kernel %s: result has type index %d, expected none or a number", k.name, index)
	}
}

// failed makes the error of a call that trapped with err or returned code. That a run was
// cancelled is the host's own knowledge: no kernel can pretend it.
func (k *Kernel) failed(s *Session, err error, code int32) error {
	d := s.dev
	d.freeWorkspaces()
	r := d.raised
	d.raised = raised{}
	switch {
	case d.halted && (err != nil || code == abi.ErrStopped):
		return fmt.Errorf("kernel %s: %w", k.name, s.stopped())
	case r.kind != "" || r.message != "":
	case err != nil:
		return fmt.Errorf("kernel %s: %w", k.name, err)
	default:
		return fmt.Errorf("kernel %s returned error %d and no message", k.name, code)
	}
	return &KernelError{Kernel: k.name, Kind: r.kind, Message: r.message, Cause: r.cause}
}

func (d *Device) freeWorkspaces() {
	for _, w := range d.workspaces {
		d.free(w)
	}
	d.workspaces = d.workspaces[:0]
}
