package runtime

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/memory"
)

// maxDeviceBytes is the largest memory of a device: what 32-bit addresses reach.
const maxDeviceBytes = 4 << 30

// descriptorSlot is the room for a DLTensor and the shape of up to 11 dimensions.
const descriptorSlot = 128

// DeviceOptions configures a Device; the zero value is fine.
type DeviceOptions struct {
	// MaxBytes is the limit of the memory; 0 means maxDeviceBytes. Only what is
	// used takes physical memory.
	MaxBytes uint64
}

// Stats is the memory of a device in bytes; Limit and Grown are addresses.
type Stats = memory.Stats

// Device is a piece of host memory with the heap, the tensors and the kernel modules in it. Its
// addresses are offsets of 32 bits, whatever the format of the code that works there. Its methods may be
// called by many goroutines; sessions take turns.
type Device struct {
	engine *Engine
	res    *memory.Reservation
	mem    []byte        // the whole reservation: it never moves, so no lock guards the slice
	stop   atomic.Bool   // the run was canceled; kernels learn it by Session.Stopped
	turn   chan struct{} // holds a token while no session runs

	mu       sync.Mutex // guards what follows
	heap     *memory.Heap
	slots    []uint32 // free descriptor slots
	modules  map[*Module]struct{}
	attached []attachment
	closed   bool

	life sync.RWMutex // held for reading by whoever touches mem outside of a session
}

// NewDevice makes a device with an empty memory.
func (e *Engine) NewDevice(opts DeviceOptions) (*Device, error) {
	limit := opts.MaxBytes
	if limit == 0 || limit > maxDeviceBytes {
		limit = maxDeviceBytes
	}
	limit = limit / abi.PageSize * abi.PageSize
	if limit <= abi.ReservedBytes {
		return nil, fmt.Errorf("making a device of %d bytes: at least %d are needed", opts.MaxBytes, abi.ReservedBytes+abi.PageSize)
	}
	res, err := memory.Reserve(limit)
	if err != nil {
		return nil, fmt.Errorf("making a device: %w", err)
	}
	d := &Device{engine: e, res: res, mem: res.Bytes(), turn: make(chan struct{}, 1), modules: map[*Module]struct{}{}}
	d.turn <- struct{}{}
	d.heap = memory.NewHeap(abi.ReservedBytes, uint64(len(d.mem))/abi.PageSize*abi.PageSize, d.growTo)
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.devices[d] = struct{}{}
	}
	e.mu.Unlock()
	if closed {
		return nil, errors.Join(fmt.Errorf("making a device: engine %w", ErrClosed), d.Close())
	}
	return d, nil
}

// growTo tells the attachments that memory up to end comes into use; the heap calls it.
func (d *Device) growTo(end uint64) error {
	for _, a := range d.attached {
		if err := a.Grow(end); err != nil {
			return err
		}
	}
	return nil
}

// Close waits for the running session, unloads all modules and returns all memory to
// the system. Tensors of the device are dead afterwards; releasing them is still allowed.
// A second Close does nothing.
func (d *Device) Close() error {
	<-d.turn // and never given back: no session starts any more
	defer func() { d.turn <- struct{}{} }()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	modules := d.modules
	d.modules = nil
	d.mu.Unlock()
	d.life.Lock()
	defer d.life.Unlock()
	var errs []error
	for m := range modules {
		errs = append(errs, m.unload())
	}
	for _, a := range d.attached {
		errs = append(errs, a.Close())
	}
	errs = append(errs, d.res.Close())
	d.mem = nil
	d.engine.mu.Lock()
	delete(d.engine.devices, d)
	d.engine.mu.Unlock()
	return errors.Join(errs...)
}

// Stats reports the memory in use.
func (d *Device) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.heap.Stats()
}

// ResetPeak makes the memory in use now the new peak.
func (d *Device) ResetPeak() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heap.ResetPeak()
}

// Trim gives the pages of free memory back to the system.
func (d *Device) Trim() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.heap.EachFree(d.res.Discard)
	}
}
