package wasm

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// kernel is an exported function. Call needs no memory from Go.
type kernel struct {
	lib    *library
	name   string
	fn     api.Function // made at the first call: each has a stack of its own
	budget uint32       // at the end of the last call
}

// Call implements runtime.Entry.
func (k *kernel) Call(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	d := k.lib.dev
	if k.fn == nil {
		k.fn = k.lib.mod.ExportedFunction(k.name)
	}
	d.raised = nil // a failed import that its kernel did not mind
	if err := s.PutArgs(args); err != nil {
		return runtime.Value{}, err
	}
	d.session, d.running, d.halted = s, k.lib, false
	d.stack = [4]uint64{0, abi.ArgsAddr, uint64(len(args)), abi.ResultAddr}
	d.pace.Begin(k.budget)
	err := k.fn.CallWithStack(d.ctx, d.stack[:])
	k.budget = d.pace.Budget
	if code := int32(d.stack[0]); err != nil || code != abi.ErrNone {
		return runtime.Value{}, d.failed(s, err, code)
	}
	d.workspaces.FreeAll()
	return s.Result()
}

// failed makes the error of a call that trapped with err or returned code. That a run was
// canceled is the host's own knowledge: no kernel can pretend it.
func (d *device) failed(s *runtime.Session, err error, code int32) error {
	d.workspaces.FreeAll()
	r := d.raised
	d.raised = nil
	switch {
	case d.halted && (err != nil || code == abi.ErrStopped):
		return s.Err()
	case r != nil:
		return r
	case err != nil:
		return err
	}
	return fmt.Errorf("error code %d without a message", code)
}
