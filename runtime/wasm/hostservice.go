package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// maxMessage bounds the C strings that kernels pass.
const maxMessage = 16 << 10

// maxWorkspaces bounds the workspaces that a kernel holds at a time: the host keeps a record
// of each outside of the device's memory, and so outside of its limit.
const maxWorkspaces = 1 << 16

// hostAllocWorkspace serves TVMBackendAllocWorkspace.
func (d *device) hostAllocWorkspace(_ context.Context, _ api.Module, st []uint64) {
	n := st[2]
	if len(d.workspaces) == maxWorkspaces {
		d.raised = raised{kind: "RuntimeError", message: fmt.Sprintf("more than %d workspaces at a time", maxWorkspaces), cause: runtime.ErrDeviceMemory}
		st[0] = 0
		return
	}
	addr, err := d.dev.Alloc(n)
	if err != nil {
		d.raised = raised{kind: "RuntimeError", message: fmt.Sprintf("no workspace of %d bytes", n), cause: err}
		st[0] = 0
		return
	}
	d.workspaces = append(d.workspaces, addr)
	st[0] = uint64(addr)
}

// hostFreeWorkspace serves TVMBackendFreeWorkspace. It frees only what the running kernel
// allocated: no kernel can free the tensors of others.
func (d *device) hostFreeWorkspace(_ context.Context, _ api.Module, st []uint64) {
	addr := uint32(st[2])
	for i := len(d.workspaces) - 1; i >= 0; i-- {
		if d.workspaces[i] == addr {
			d.workspaces = append(d.workspaces[:i], d.workspaces[i+1:]...)
			d.dev.Free(addr)
			st[0] = 0
			return
		}
	}
	d.raised = raised{kind: "RuntimeError", message: fmt.Sprintf("address %#x is not a workspace of this kernel", addr)}
	st[0] = api.EncodeI32(-1)
}

// hostRaise serves abi.ImportRaise: the text is the host's own, only its number and two
// figures in it come from the kernel.
func (d *device) hostRaise(_ context.Context, _ api.Module, st []uint64) {
	list := d.running.code.out.messages
	if id := uint64(uint32(st[0])); id < uint64(len(list)) {
		m := list[id]
		d.raised = raised{kind: m.Kind, message: m.Format(int64(st[1]), int64(st[2]))}
		return
	}
	d.raised = raised{kind: "RuntimeError", message: fmt.Sprintf("error %d, which its module does not list", uint32(st[0]))}
}

// hostSetError serves TVMFFIErrorSetRaisedFromCStr.
func (d *device) hostSetError(_ context.Context, _ api.Module, st []uint64) {
	d.raised = raised{kind: d.cString(uint32(st[0])), message: d.cString(uint32(st[1]))}
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

// raised is the error that a kernel or one of its imports recorded.
type raised struct {
	kind, message string
	cause         error
}

// hostStopped serves abi.ImportStopped. That it is Go code is its purpose: here the scheduler
// and the garbage collector get their turn.
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
