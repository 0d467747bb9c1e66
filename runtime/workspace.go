package runtime

import (
	"fmt"

	"github.com/irscope/irscope/runtime/abi"
)

// maxWorkspaces bounds the workspaces that a kernel holds at a time: the host keeps a record
// of each outside of the device's memory, and so outside of its limit.
const maxWorkspaces = 1 << 16

// Workspaces are the pieces of scratch memory that the running kernel of a device holds, for loaders
// whose kernels ask for them. Addresses are checked: no kernel can free the tensors of others.
type Workspaces struct {
	dev  *Device
	live []uint32
}

// Workspaces returns an empty record of workspaces on the device.
func (d *Device) Workspaces() Workspaces { return Workspaces{dev: d} }

// Alloc takes n bytes with undefined contents, aligned to abi.DataAlign.
func (w *Workspaces) Alloc(n uint64) (uint32, *KernelError) {
	if len(w.live) == maxWorkspaces {
		return 0, &KernelError{Kind: "RuntimeError", Message: fmt.Sprintf("more than %d workspaces at a time", maxWorkspaces), Cause: ErrDeviceMemory}
	}
	addr, err := w.dev.Alloc(n)
	if err != nil {
		return 0, &KernelError{Kind: "RuntimeError", Message: fmt.Sprintf("no workspace of %d bytes", n), Cause: err}
	}
	w.live = append(w.live, addr)
	return addr, nil
}

// Free gives a workspace back.
func (w *Workspaces) Free(addr uint32) *KernelError {
	for i := len(w.live) - 1; i >= 0; i-- {
		if w.live[i] == addr {
			w.live = append(w.live[:i], w.live[i+1:]...)
			w.dev.Free(addr)
			return nil
		}
	}
	return &KernelError{Kind: "RuntimeError", Message: fmt.Sprintf("address %#x is not a workspace of this kernel", addr)}
}

// FreeAll gives back what a kernel that has ended still held.
func (w *Workspaces) FreeAll() {
	for _, addr := range w.live {
		w.dev.Free(addr)
	}
	w.live = w.live[:0]
}

// Raised is the error that a kernel raised by its number in the list of messages of its module, with two figures. The text is the host's own.
func Raised(list []abi.Message, id uint32, x, y int64) *KernelError {
	if uint64(id) >= uint64(len(list)) {
		return &KernelError{Kind: "RuntimeError", Message: fmt.Sprintf("error %d, which its module does not list", id)}
	}
	return &KernelError{Kind: list[id].Kind, Message: list[id].Format(x, y)}
}
