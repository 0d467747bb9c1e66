package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime/abi"
)

// maxMessage bounds the C strings that kernels pass.
const maxMessage = 16 << 10

// hostAllocWorkspace serves TVMBackendAllocWorkspace.
func (d *Device) hostAllocWorkspace(_ context.Context, _ api.Module, st []uint64) {
	n := st[2]
	addr, err := d.alloc(n)
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
func (d *Device) hostFreeWorkspace(_ context.Context, _ api.Module, st []uint64) {
	addr := uint32(st[2])
	for i := len(d.workspaces) - 1; i >= 0; i-- {
		if d.workspaces[i] == addr {
			d.workspaces = append(d.workspaces[:i], d.workspaces[i+1:]...)
			d.free(addr)
			st[0] = 0
			return
		}
	}
	d.raised = raised{kind: "RuntimeError", message: fmt.Sprintf("address %#x is no workspace of this kernel", addr)}
	st[0] = api.EncodeI32(-1)
}

// hostSetError serves TVMFFIErrorSetRaisedFromCStr.
func (d *Device) hostSetError(_ context.Context, _ api.Module, st []uint64) {
	d.raised = raised{kind: d.cString(uint32(st[0])), message: d.cString(uint32(st[1]))}
}

// cString reads a C string of at most maxMessage bytes.
func (d *Device) cString(addr uint32) string {
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

// hostPoll serves abi.ImportPoll. That it is Go code is its purpose: here the scheduler
// and the garbage collector get their turn.
func (d *Device) hostPoll(_ context.Context, _ api.Module, st []uint64) {
	binary.LittleEndian.PutUint32(d.mem[abi.PollBudgetAddr:], abi.PollBudget)
	st[0] = uint64(uint32(d.stop.Load()))
}
