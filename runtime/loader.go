package runtime

import "context"

// Loader makes kernels of one format of code callable: WebAssembly, or whatever a code
// generator writes. An engine has one for each format. Its methods may be called by many
// goroutines.
type Loader interface {
	// Format names the code that the loader takes, as artifacts do.
	Format() string

	// PtrBits is the width of the pointers in the descriptors that its kernels read, 0 where
	// they read none. A device holds descriptors of one width.
	PtrBits() int

	// Prepare translates the code of a module, which takes no device and may take long. The
	// caller releases the result.
	Prepare(ctx context.Context, code []byte) (Code, error)

	// Close frees what the loader holds. The engine calls it once, when nothing that came from
	// the loader is in use.
	Close() error
}

// Code is a module that is translated. Equal modules may share one.
type Code interface {
	// Load puts the code on the device of a session.
	Load(s *Session) (Library, error)

	// Release gives up the caller's use of the code; libraries that were loaded from it must
	// be closed before.
	Release()
}

// Library is a module on a device.
type Library interface {
	// Names lists the kernels, sorted.
	Names() []string

	// Entry returns the kernel of that name, nil where there is none.
	Entry(name string) Entry

	// Close unloads the library. It is called once, while no session runs and with no call of an
	// entry to come.
	Close() error
}

// Entry is a kernel as its loader knows it. Call runs it within a session on its device, with
// ints, bools, floats, None and tensors of that device, at most abi.MaxArgs of them; the result is
// None or a number. An error is a *KernelError (whose Kernel the caller sets) that the kernel raised,
// wraps the session's Err where the run was stopped, or says what went wrong. Arguments are borrowed.
type Entry interface {
	Call(s *Session, args []Value) (Value, error)
}

// Attachment is what a loader keeps on a device for all its libraries there.
type Attachment interface {
	// Grow is told before memory from the former end up to end comes into use. The device is
	// locked meanwhile: Grow must not call it.
	Grow(end uint64) error

	// Close frees the attachment; the libraries are closed before and the memory is freed after.
	Close() error
}

// attachment is an Attachment with whom it belongs to.
type attachment struct {
	owner any
	Attachment
}

// Attach returns what owner attached to the device of the session before, or attaches what
// attach makes; it learns at once how far memory is in use.
func (s *Session) Attach(owner any, attach func() (Attachment, error)) (Attachment, error) {
	d := s.dev
	for _, a := range d.attached { // written by sessions alone, and by Close once there are none
		if a.owner == owner {
			return a.Attachment, nil
		}
	}
	a, err := attach()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	err = a.Grow(d.heap.Stats().Grown)
	if err == nil {
		d.attached = append(d.attached, attachment{owner, a})
	}
	d.mu.Unlock()
	if err != nil {
		// The first error is the one to report; nothing uses the attachment yet.
		_ = a.Close()
		return nil, err
	}
	return a, nil
}
