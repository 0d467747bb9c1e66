package wasm

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// maxMessage bounds the C strings that kernels pass.
const maxMessage = 16 << 10

// hostAllocWorkspace serves TVMBackendAllocWorkspace.
func (d *device) hostAllocWorkspace(_ context.Context, _ api.Module, st []uint64) {
	addr, err := d.workspaces.Alloc(st[2])
	if err != nil {
		d.raised = err
	}
	st[0] = uint64(addr)
}

// hostFreeWorkspace serves TVMBackendFreeWorkspace.
func (d *device) hostFreeWorkspace(_ context.Context, _ api.Module, st []uint64) {
	err := d.workspaces.Free(uint32(st[2]))
	st[0] = 0
	if err != nil {
		d.raised = err
		st[0] = api.EncodeI32(-1)
	}
}

// hostRaise serves abi.ImportRaise.
func (d *device) hostRaise(_ context.Context, _ api.Module, st []uint64) {
	d.raised = runtime.Raised(d.running.code.out.messages, uint32(st[0]), int64(st[1]), int64(st[2]))
}

// hostSetError serves TVMFFIErrorSetRaisedFromCStr.
func (d *device) hostSetError(_ context.Context, _ api.Module, st []uint64) {
	d.raised = &runtime.KernelError{Kind: d.cString(uint32(st[0])), Message: d.cString(uint32(st[1]))}
}

// cString reads a C string of at most maxMessage bytes.
func (d *device) cString(addr uint32) string {
	b := d.mem[min(uint64(addr), uint64(len(d.mem))):]
	b = b[:min(len(b), maxMessage)]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// hostBudget serves abi.ImportBudget. That it is Go code is its purpose: here the scheduler
// and the garbage collector get their turn.
func (d *device) hostBudget(ctx context.Context, mod api.Module, st []uint64) {
	if d.hostStopped(ctx, mod, st); st[0] != 0 {
		st[0] = 0
		return
	}
	st[0] = uint64(d.pace.Next())
}

// hostStopped serves abi.ImportStopped.
func (d *device) hostStopped(_ context.Context, _ api.Module, st []uint64) {
	st[0] = 0
	if d.session.Stopped() {
		d.halted = true
		st[0] = 1
	}
}

// hostPoll serves abi.ImportPoll.
func (d *device) hostPoll(ctx context.Context, mod api.Module, st []uint64) {
	binary.LittleEndian.PutUint32(d.mem[abi.OldBudgetAddr:], abi.PollBudget)
	d.hostStopped(ctx, mod, st)
}
