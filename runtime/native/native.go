package native

import (
	"fmt"

	"github.com/irscope/irscope/runtime/native/asm"
)

// Guard is the size in bytes of the guards before and behind a device's memory: verified code reaches no further.
const Guard = 2<<30 + 4096

// Box is what code that this package loads may touch. A call's frame begins with the address of the memory at BaseAt, which Call writes; what its caller
// writes up to Frozen is read only for the code.
var Box = asm.Sandbox{Base: asm.R15, Frame: asm.RDI, BaseAt: 0, Frozen: frozen, Size: FrameSize}

const (
	frozen = 1024
	// FrameSize is the size of a frame in bytes.
	FrameSize = 16 << 10
	// Args is how many words a caller may give to code.
	Args = frozen/8 - 1
)

// Frame is what a call hands to code: the address of the memory, arguments, and room for what code keeps beside registers.
type Frame struct {
	base uint64
	Arg  [Args]uint64
	Room [FrameSize - frozen]byte
}

// Fault is an access outside of the memory that stopped a kernel.
type Fault struct {
	// Address is the address that was touched, 0 where the processor does not say.
	Address uintptr
	Reason  string
}

func (f *Fault) Error() string {
	if f.Address != 0 {
		return fmt.Sprintf("the kernel was stopped at the address %#x: %s", f.Address, f.Reason)
	}
	return "the kernel was stopped: " + f.Reason
}
